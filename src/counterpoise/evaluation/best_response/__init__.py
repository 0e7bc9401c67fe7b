"""Exact best responses to players: in limit hold'em board by board, in small games by enumeration.

`best_response_to` and `evaluate_agent` take agents by name, `answer_players` players at their seats; the latter picks
the method. A player who ignores its cards takes seconds even in the whole game (`ignoring_cards.py`).
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.evaluation.best_response.agents import (
        best_response_to as best_response_to,
        estimate_best_response as estimate_best_response,
    )
    from counterpoise.evaluation.best_response.answer import answer_players as answer_players
    from counterpoise.evaluation.best_response.evaluate import (
        AgentEvaluation as AgentEvaluation,
        evaluate_agent as evaluate_agent,
    )
    from counterpoise.evaluation.best_response.result import AgentBestResponse as AgentBestResponse

import_lazily(__name__)

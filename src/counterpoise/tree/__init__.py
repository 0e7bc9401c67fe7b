"""Any finite game as flat arrays, and what can be computed exactly from them.

`enumerate_game` makes the `Tree`; `evaluate` gives best responses and exploitability, `exact` the LP solution.
Nothing here knows poker, and nothing here iterates towards an equilibrium.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.tree.enumerate import enumerate_game, estimate_nodes
    from counterpoise.tree.evaluate import (
        Response,
        Values,
        best_response,
        evaluate,
        expected_value,
        exploitability,
        nash_conv,
    )
    from counterpoise.tree.kernels.layouts import Histories, SequenceForm
    from counterpoise.tree.lp import Solution, exact, solve_lp
    from counterpoise.tree.strategy import Strategy, game_digest, load_strategy, strategy_arrays, strategy_from
    from counterpoise.tree.tree import InfosetTable, Tree

__all__ = [
    "Histories",
    "InfosetTable",
    "Response",
    "SequenceForm",
    "Solution",
    "Strategy",
    "Tree",
    "Values",
    "best_response",
    "enumerate_game",
    "estimate_nodes",
    "evaluate",
    "exact",
    "expected_value",
    "exploitability",
    "game_digest",
    "load_strategy",
    "nash_conv",
    "solve_lp",
    "strategy_arrays",
    "strategy_from",
]

import_lazily(__name__)

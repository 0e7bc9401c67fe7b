"""Judging agents by name: what a log says of them, what a local best response wins from them, and the arena.

The methods themselves are in `counterpoise.evaluation`; here logs are read and agents made, seated and asked.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.judging.arena import ArenaResult as ArenaResult, arena as arena
    from counterpoise.judging.judge import AgentJudgement as AgentJudgement, Judgement as Judgement, judge as judge
    from counterpoise.judging.local_best_response import (
        LocalResponse as LocalResponse,
        local_best_response as local_best_response,
    )

__all__ = ["AgentJudgement", "ArenaResult", "Judgement", "LocalResponse", "arena", "judge", "local_best_response"]

import_lazily(__name__)

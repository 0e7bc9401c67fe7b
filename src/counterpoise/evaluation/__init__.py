"""Judge match results, agents and strategies: formulas, and the runs that apply them to logs and agents.

`estimators/` has the formulas that remove luck from hands, which agents and tables also use; `judging/` applies them to
logs. `best_response/` computes exact best responses to a known agent, `local_best_response/` lower bounds by looking
one action ahead, in any hold'em for two. `arena` plays a round robin. `verdicts`, `tournament`, `duplicate` and
`solved` interpret results.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.evaluation.arena import ArenaResult as ArenaResult, arena as arena
    from counterpoise.evaluation.best_response import (
        AgentBestResponse as AgentBestResponse,
        AgentEvaluation as AgentEvaluation,
        best_response_to as best_response_to,
        estimate_best_response as estimate_best_response,
        evaluate_agent as evaluate_agent,
    )
    from counterpoise.evaluation.judging import AgentJudgement as AgentJudgement, Judgement as Judgement, judge as judge
    from counterpoise.evaluation.local_best_response import (
        LocalResponse as LocalResponse,
        local_best_response as local_best_response,
    )

import_lazily(__name__)

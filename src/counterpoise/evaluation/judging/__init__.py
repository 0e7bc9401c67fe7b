"""Judge the agents in logs by every estimator that the hands and the known strategies allow."""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.evaluation.judging.judge import (
        AgentJudgement as AgentJudgement,
        Judgement as Judgement,
        judge as judge,
    )

import_lazily(__name__)

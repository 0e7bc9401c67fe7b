"""Simultaneous abstraction and equilibrium finding: an abstraction grows while it is solved (Brown 2020, section 4.3).

`ContinuousLeduc` has bets of any size; `GrowingTree` is an abstraction of it, `GrowingCFR` runs CFR on one, and
`exploitability` judges a strategy where every size is possible. `grow_abstraction` adds bets where they are missing.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.solvers.saef.cfr import GrowingCFR as GrowingCFR
    from counterpoise.solvers.saef.exploitability import (
        Mode as Mode,
        best_response_values as best_response_values,
        exploitability as exploitability,
    )
    from counterpoise.solvers.saef.game import ContinuousLeduc as ContinuousLeduc
    from counterpoise.solvers.saef.grow import grow_abstraction as grow_abstraction
    from counterpoise.solvers.saef.grower import (
        AbstractionGrower as AbstractionGrower,
        Change as Change,
        Growth as Growth,
    )
    from counterpoise.solvers.saef.proposals import (
        BestResponseBound as BestResponseBound,
        BetScorer as BetScorer,
        ObservedBets as ObservedBets,
        Proposals as Proposals,
        RegretEstimate as RegretEstimate,
    )
    from counterpoise.solvers.saef.result import (
        GrownAbstraction as GrownAbstraction,
        GrowthPoint as GrowthPoint,
        load_growth as load_growth,
    )
    from counterpoise.solvers.saef.rules import (
        AbstractionRules as AbstractionRules,
        from_strategy as from_strategy,
        to_strategy as to_strategy,
    )
    from counterpoise.solvers.saef.tree import GrowingTree as GrowingTree

import_lazily(__name__)

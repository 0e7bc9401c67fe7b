"""Games whose payoffs depend on parameters, such as bet sizes: regret transfer and parameter optimisation.

See Brown 2020, section 4.2.

A `Family` has a game for every point of the parameters; `AffineGame` holds it as arrays, `ParametricSolver` runs CFR
with regrets for all points at once, and `optimise_parameters` climbs to the point that is worth most to a seat. `climb`
does so with one game in place of probes, also on public trees.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.solvers.bet_sizes.affine import AffineGame as AffineGame, enumerate_family as enumerate_family
    from counterpoise.solvers.bet_sizes.ascent import Ascent as Ascent
    from counterpoise.solvers.bet_sizes.family import Family as Family, make_family as make_family
    from counterpoise.solvers.bet_sizes.optimise import optimise_parameters as optimise_parameters
    from counterpoise.solvers.bet_sizes.parametric import ParametricSolver as ParametricSolver
    from counterpoise.solvers.bet_sizes.result import (
        OptimisationStep as OptimisationStep,
        OptimisedParameters as OptimisedParameters,
    )
    from counterpoise.solvers.bet_sizes.slope_ascent import SlopeAscent as SlopeAscent, climb as climb
    from counterpoise.solvers.bet_sizes.sweep import (
        ParameterSweep as ParameterSweep,
        sweep_parameters as sweep_parameters,
    )
    from counterpoise.solvers.bet_sizes.transfer import Transfer as Transfer, WeightRule as WeightRule
    from counterpoise.solvers.bet_sizes.tree_climber import TreeClimber as TreeClimber

import_lazily(__name__)

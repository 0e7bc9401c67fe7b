"""Regret minimisers and other equilibrium finders, each in a file of its own, and the driver that runs them.

`solve` runs one to a stopping rule; `make_solver` gives the bare solver; `ALGORITHMS` is the catalogue.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.solvers.base import (
        ALGORITHMS,
        MODIFIERS,
        Algorithm,
        Modified,
        Modifier,
        Solver,
        TracePoint,
        algorithm,
        modifier,
    )
    from counterpoise.solvers.fictitious import fictitious_play
    from counterpoise.solvers.first_order import egt
    from counterpoise.solvers.matching import cfr, cfr_br, cfr_plus, dcfr, hedge, lcfr, modicum, pcfr_plus
    from counterpoise.solvers.matching.regret_matching import RegretMatching
    from counterpoise.solvers.pruning import interval_rbp, partial, threshold, total_rbp
    from counterpoise.solvers.run import Run, load_run, make_algorithm, make_solver, solve
    from counterpoise.solvers.sampling import mccfr, mccfr_skipping, pcs
    from counterpoise.solvers.tree_solver import TreeSolver
    from counterpoise.solvers.warm_start import regret_free

__all__ = [
    "ALGORITHMS",
    "MODIFIERS",
    "Algorithm",
    "Modified",
    "Modifier",
    "RegretMatching",
    "Run",
    "Solver",
    "TracePoint",
    "TreeSolver",
    "algorithm",
    "cfr",
    "cfr_br",
    "cfr_plus",
    "dcfr",
    "egt",
    "fictitious_play",
    "hedge",
    "interval_rbp",
    "lcfr",
    "load_run",
    "make_algorithm",
    "make_solver",
    "mccfr",
    "mccfr_skipping",
    "modicum",
    "modifier",
    "partial",
    "pcfr_plus",
    "pcs",
    "regret_free",
    "solve",
    "threshold",
    "total_rbp",
]

import_lazily(__name__)

"""Regret minimisers and other equilibrium finders, each in a file of its own, and the driver that runs them.

`solve` runs one to a stopping rule; `make_solver` gives the bare solver; `ALGORITHMS` is the catalogue.
"""

from counterpoise.solvers import (
    cfr,
    cfr_br,
    cfr_plus,
    dcfr,
    egt,
    fictitious_play,
    hedge,
    interval_rbp,
    lcfr,
    mccfr,
    mccfr_skipping,
    modicum,
    pcfr_plus,
    pcs,
    pruning,
    regret_free,
    threshold,
    total_rbp,
)
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
from counterpoise.solvers.regret_matching import RegretMatching
from counterpoise.solvers.run import Run, load_run, make_algorithm, make_solver, solve

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
    "pcfr_plus",
    "pcs",
    "pruning",
    "regret_free",
    "solve",
    "threshold",
    "total_rbp",
]

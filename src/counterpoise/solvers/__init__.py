"""Regret minimisers and other equilibrium finders, each in a file of its own, and the driver that runs them.

`solve` runs one to a stopping rule; `make_solver` returns the bare solver; `ALGORITHMS` is the catalogue.
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
    from counterpoise.solvers.matching.regret_matching import RegretMatching
    from counterpoise.solvers.run import Run, load_run, make_algorithm, make_solver, solve
    from counterpoise.solvers.tree_solver import TreeSolver

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
    "load_run",
    "make_algorithm",
    "make_solver",
    "modifier",
    "solve",
]

import_lazily(__name__)

"""Regret minimisers and other equilibrium finders, each in a file of its own, and the driver that runs them.

`solve` runs one to a stopping rule; `make_solver` returns the bare solver; `ALGORITHMS` is the catalogue.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.jobs import TracePoint as TracePoint
    from counterpoise.solvers.base import (
        ALGORITHMS as ALGORITHMS,
        MODIFIERS as MODIFIERS,
        Algorithm as Algorithm,
        Modified as Modified,
        Modifier as Modifier,
        Solver as Solver,
        algorithm as algorithm,
        make_algorithm as make_algorithm,
        modifier as modifier,
    )
    from counterpoise.solvers.matching.regret_matching import RegretMatching as RegretMatching
    from counterpoise.solvers.run import (
        Run as Run,
        load_run as load_run,
        make_solver as make_solver,
        solve as solve,
    )
    from counterpoise.solvers.snapshot import Snapshot as Snapshot
    from counterpoise.solvers.tree_solver import TreeSolver as TreeSolver

import_lazily(__name__)

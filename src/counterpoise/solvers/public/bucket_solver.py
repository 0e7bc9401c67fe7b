"""Solvers whose hands share buckets: what they have in common, and the variants of CFR on all boards.

See Johanson 2016, section 3.1.

Exploitability is always that of the real game, by exact best responses. `abstract_exploitability` is what a
responder could win who sees no more than the same buckets: it goes to zero where theory promises it, while the other
stays above what the buckets cost (Johanson 2016, section 4.1).
"""

from __future__ import annotations

import numpy as np

from counterpoise.errors import InputError
from counterpoise.public import Profile, PublicGame
from counterpoise.public.buckets import BucketsLike
from counterpoise.sampling.boards.best_response import abstract_response_values
from counterpoise.sampling.boards.bucket_tables import BucketTables
from counterpoise.sampling.boards.walks import BoardWalks
from counterpoise.sampling.kernels.board_layouts import WalkTables
from counterpoise.sampling.kernels.board_walks import full_walks
from counterpoise.solvers.base import Algorithm, Arrays
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.solvers.public.base import PublicGameSolver


class SolverWithBuckets(PublicGameSolver):
    """A solver with float64 tables of regrets and average, one entry per bucket, node and action."""

    tables: BucketTables
    regrets: np.ndarray[tuple[int], np.dtype[np.float64]]
    cumulative: np.ndarray[tuple[int], np.dtype[np.float64]]
    keeps_locks = False

    @property
    def average(self) -> Profile:
        """The average strategies in the unabstracted game, as a profile made when it is asked for."""
        return self.tables.profile(self.cumulative)

    @property
    def current(self) -> Profile:
        """The current strategies in the unabstracted game, as a profile made when it is asked for."""
        return self.tables.profile(self.regrets)

    def abstract_exploitability(self) -> float:
        """Return NashConv / 2 of the result inside the abstraction; both players must have perfect recall there."""
        wanted = getattr(self.settings.unmodified, "output", "average")
        table = self.regrets if wanted == "current" else self.cumulative
        best = abstract_response_values(self.tables, table, self.judge)
        return max(float(best.sum()) / 2, 0.0)


class FullBucketSolver(SolverWithBuckets):
    """A variant of CFR with regret matching in buckets: every iteration goes through all boards.

    `nodes_touched` counts public nodes (decisions and ends on one board), whatever the number of hands there.
    """

    settings: RegretMatching
    kernels = (full_walks,)
    compile_seconds = 7.0

    def __init__(
        self, settings: Algorithm, game: PublicGame, buckets: BucketsLike | None = None, seed: int = 0
    ) -> None:
        if not isinstance(settings, RegretMatching) or settings.predictive or not settings.reach_weighted:
            raise InputError(f"{settings.name} does not run with buckets: use cfr, cfr+, lcfr, dcfr or a sampler")
        if settings.updates != "alternating" or settings.fallback != "uniform":
            raise InputError(
                f"{settings.name} does not run with buckets: there updates alternate and the fallback is uniform"
            )
        super().__init__(settings, game, seed)
        self.tables: BoardWalks = BoardWalks(game, buckets)
        self.regrets, self.cumulative = np.zeros(self.tables.entries), np.zeros(self.tables.entries)
        self._walk = self.tables.board_walk()
        self._tables = WalkTables(self.regrets, np.zeros_like(self.regrets), self.cumulative)

    def step(self, iterations: int = 1) -> None:
        t = np.arange(self.iteration + 1, self.iteration + iterations + 1, dtype=np.float64)
        full_walks(self._walk, *self.settings.factors(t), self._tables)
        self.iteration += iterations
        self.nodes_touched += 2 * iterations * self.tables.boards.chance.size * self.tables.nodes

    def arrays(self) -> Arrays:
        return {"regrets": self.regrets, "cumulative": self.cumulative}

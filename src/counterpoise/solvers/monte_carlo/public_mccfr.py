"""External-sampling MCCFR on hold'em trees: the settings of `mccfr`, walks over single hands.

An iteration is a traversal for each player (see `sampling.kernels.board_external`), so it costs a few dozen nodes
where one of CFR visits them all for all hands.
"""

from __future__ import annotations

import numpy as np

from counterpoise.errors import InputError
from counterpoise.kernels.random import seeded
from counterpoise.public import HoldemGame
from counterpoise.public.buckets import BucketsLike
from counterpoise.sampling.boards.external import external_walks
from counterpoise.solvers.base import Algorithm, Arrays
from counterpoise.solvers.kernels.public_mccfr import sample
from counterpoise.solvers.monte_carlo.mccfr import ExternalSampling
from counterpoise.solvers.public.bucket_solver import SolverWithBuckets

NO_LIMIT = np.iinfo(np.int64).max


class PublicExternalSampling(SolverWithBuckets):
    """A sampler at work on a hold'em game: float64 tables, one entry per bucket, node and action."""

    settings: ExternalSampling
    kernels = (sample,)

    def __init__(
        self, settings: Algorithm, game: HoldemGame, seed: int = 0, buckets: BucketsLike | None = None
    ) -> None:
        if not isinstance(settings, ExternalSampling) or settings.explore != "all" or settings.lazy:
            raise InputError(f"{settings.name} does not sample hold'em trees: use es-mccfr(explore=all, lazy=False)")
        if not isinstance(game, HoldemGame):
            raise InputError(f"{settings.name} samples hold'em games only: {game.name} runs as an enumerated game")
        super().__init__(settings, game, seed)
        self._sampler, self.tables = external_walks(game, buckets)
        self.random = seeded(seed)
        self.regrets, self.cumulative = np.zeros((2, self.tables.entries))
        self._schedule = settings.schedule(game.nodes * len(game.hands[0]) * len(game.hands[1]))

    def step(self, iterations: int = 1, until: int = NO_LIMIT) -> None:
        """Advance by this many iterations, or fewer if the whole run has touched `until` nodes before."""
        done, tables = (self.iteration, self.nodes_touched), (self.random, self.regrets, self.cumulative)
        self.iteration, self.nodes_touched = sample(self._sampler, self._schedule, done, iterations, until, *tables)

    def arrays(self) -> Arrays:
        return {"regrets": self.regrets, "average": self.cumulative, "random": self.random}

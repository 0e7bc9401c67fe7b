"""External-sampling MCCFR on hold'em trees: the settings of `mccfr`, walks over single hands.

An iteration is a traversal for each player (see `counterpoise.public.kernels.external`), so it costs a few dozen
nodes where one of CFR visits them all for all hands.
"""

from __future__ import annotations

import numpy as np

from counterpoise.errors import InputError
from counterpoise.kernels.random import seeded
from counterpoise.public import HoldemGame, Profile
from counterpoise.public.external import sampled
from counterpoise.solvers.base import Algorithm, Arrays
from counterpoise.solvers.kernels.public_mccfr import sample
from counterpoise.solvers.public.base import PublicGameSolver
from counterpoise.solvers.sampling.mccfr import ExternalSampling
from counterpoise.tree.kernels.layouts import FloatArray

NO_LIMIT = np.iinfo(np.int64).max


class PublicExternalSampling(PublicGameSolver):
    """A sampler at work on a hold'em game: float64 tables in the order of its walks."""

    settings: ExternalSampling
    kernels = (sample,)
    keeps_locks = False

    def __init__(self, settings: Algorithm, game: HoldemGame, seed: int = 0) -> None:
        if not isinstance(settings, ExternalSampling) or settings.explore != "all" or settings.lazy:
            raise InputError(f"{settings.name} does not sample hold'em trees: use es-mccfr(explore=all, lazy=False)")
        if not isinstance(game, HoldemGame):
            raise InputError(f"{settings.name} samples hold'em games only: {game.name} runs as an enumerated game")
        super().__init__(settings, game, seed)
        self._sampled = sampled(game)
        self.random = seeded(seed)
        self.regrets, self.cumulative = (np.zeros(len(self._sampled.place)) for _ in range(2))
        self._schedule = settings.schedule(game.nodes * len(game.hands[0]) * len(game.hands[1]))

    def step(self, iterations: int = 1, until: int = NO_LIMIT) -> None:
        """Advance by this many iterations, or fewer if the whole run has touched `until` nodes before."""
        done, tables = (self.iteration, self.nodes_touched), (self.random, self.regrets, self.cumulative)
        self.iteration, self.nodes_touched = sample(
            self._sampled.sampler, self._schedule, done, iterations, until, *tables
        )

    @property
    def average(self) -> Profile:
        """The average strategies, as a profile made when it is asked for."""
        return self._profile(self.cumulative)

    @property
    def current(self) -> Profile:
        """The regrets that the strategies of the next iteration are matched from, as a profile."""
        return self._profile(self.regrets)

    def arrays(self) -> Arrays:
        return {"regrets": self.regrets, "average": self.cumulative, "random": self.random}

    def _profile(self, table: FloatArray) -> Profile:
        found = Profile(self.game)
        largest = max(float(table.max()), 1.0)  # profiles have single precision
        found.store.wide[self._sampled.place] = table / largest
        return found

"""CFR with Hedge on public games: the traversals of regret matching, played from exponential weights.

See Brown 2020, section 2.3.3.

Regrets gather as in CFR; after each update the player's strategy is written anew, proportional to exp(eta_t R(I,a))
with eta_t = sqrt(8 ln|A|) / (Delta(I) sqrt(t)), Delta(I) being the range of payoffs below I, whatever the hand. Kernels
keep regrets without the probabilities of the own hand and of the board; both belong to R and are multiplied in here.
"""

from __future__ import annotations

import numpy as np

from counterpoise.errors import InputError
from counterpoise.public import Learning, Profile, PublicGame
from counterpoise.public.kernels.hedge import HedgeRates, exponential_weights
from counterpoise.public.kernels.traverse import traverse
from counterpoise.public.warm_start import warm_start_arrays
from counterpoise.solvers.base import Arrays
from counterpoise.solvers.matching.cfr import CFR
from counterpoise.solvers.matching.hedge import Hedge
from counterpoise.solvers.public.base import PublicGameSolver
from counterpoise.solvers.public.solver import public_schedule


class PublicHedge(PublicGameSolver):
    """Regrets, the weights that strategies are proportional to, and the average."""

    settings: Hedge
    kernels = (traverse, exponential_weights)
    keeps_locks = False

    def __init__(self, settings: Hedge, game: PublicGame, threads: int = 1, bits: int = 32) -> None:
        super().__init__(settings, game, threads=threads, bits=bits)
        if settings.rate != "theory":
            raise InputError(
                f"{settings.name} does not run on public trees: the variance of every hand's values is not kept there; "
                "hedge(rate=theory) takes the range of payoffs instead"
            )
        if settings.updates != "alternating" or settings.output != "average":
            raise InputError(f"{settings.name} does not run on public trees: there updates alternate and average")
        self.learning = Learning(*(Profile(game, bits) for _ in range(3)))
        self._rates = _rates(game)

    def step(self, iterations: int = 1) -> None:
        regrets, weights, _ = self.learning
        for _ in range(iterations):
            schedule = public_schedule(CFR(), self.iteration, 1)
            self.iteration += 1
            for player in range(2):
                self.traverser.update(self.learning, schedule, player)
                stores, shrink = (regrets.store, weights.store), 1.0 / np.sqrt(self.iteration)
                exponential_weights(self.game.arrays, np.uint64(player), *stores, self._rates, shrink)
        self.touch(2 * iterations)

    @property
    def average(self) -> Profile:
        """The average strategies, which every step changes."""
        return self.learning.average

    @property
    def current(self) -> Profile:
        """The weights that the strategies of the next iteration are proportional to."""
        return self.learning.matched

    def arrays(self) -> Arrays:
        return self.learning.arrays()


def _rates(game: PublicGame) -> HedgeRates:
    arrays = warm_start_arrays(game)
    actions = game.arrays.trees.actions.astype(np.float64)
    width = np.sqrt(arrays.spread.astype(np.float64) / actions)
    with np.errstate(divide="ignore"):
        rate = np.where(width > 0, np.sqrt(8 * np.log(actions)) / np.where(width > 0, width, 1), 0.0)
    unlikely = arrays.unlikely.astype(np.float64)
    likely = np.where(unlikely > 0, 1 / np.where(unlikely > 0, unlikely, 1), 0.0)
    first = np.searchsorted(game.street_of, np.arange(game.streets + 1)).astype(np.uint64)
    rows = np.zeros(int(actions.max()) * int(game.boards.stride.max()), dtype=np.float32)
    return HedgeRates(rate, likely, first, rows)

"""External-sampling MCCFR on hold'em trees: the settings of `mccfr`, walks over single hands.

An iteration is a traversal for each player (see `counterpoise.public.kernels.external`), so it costs a few dozen
nodes where one of CFR visits them all for all hands.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.kernels.random import seeded
from counterpoise.public import HoldemTree
from counterpoise.public.external import sampled
from counterpoise.solvers.base import Algorithm, restore_arrays
from counterpoise.solvers.kernels.mccfr import Schedule
from counterpoise.solvers.kernels.public_mccfr import sample
from counterpoise.solvers.sampling.mccfr import DISCOUNTS, LONGEST_PERIOD, ExternalSampling

NO_LIMIT = np.iinfo(np.int64).max


class PublicExternalSampling:
    """A sampler at work on a hold'em tree: steps, measures, and saves or restores everything that changes.

    The tree itself is used to measure, which puts the average strategy there; samplers may share one if they take
    turns in measuring.
    """

    def __init__(self, settings: Algorithm, tree: HoldemTree, seed: int = 0) -> None:
        if not isinstance(settings, ExternalSampling) or settings.explore != "all" or settings.lazy:
            raise InputError(f"{settings.name} does not sample hold'em trees: use es-mccfr(explore=all, lazy=False)")
        self.settings, self.tree, self.seed = settings, tree, seed
        self.iteration = self.nodes_touched = 0
        self._sampled = sampled(tree)
        self.random = seeded(seed)
        self.regrets, self.average = (np.zeros(len(self._sampled.place)) for _ in range(2))
        period = settings.period
        if period is None:
            period = min(tree.nodes * len(tree.hands[0]) * len(tree.hands[1]), LONGEST_PERIOD)
        self._schedule = Schedule(
            DISCOUNTS[settings.discount], int(period), settings.floor, settings.average == "linear"
        )

    def step(self, iterations: int = 1, until: int = NO_LIMIT) -> None:
        """Advance by so many iterations, or fewer if so many nodes (of the whole run) are touched before."""
        parts = self._sampled
        self.iteration, self.nodes_touched = sample(
            parts.walk, parts.hands, self.tree.boards, parts.stack, self._schedule,
            self.iteration, iterations, self.nodes_touched, until, self.random, self.regrets, self.average,
        )  # fmt: skip

    @property
    def live_bytes(self) -> int:
        """Memory of the tables."""
        return self.regrets.nbytes + self.average.nbytes

    def exploitability(self) -> float:
        """NashConv / 2 of the average strategies by exact best responses, in the tree's unit."""
        self.publish()
        return self.tree.exploitability()

    def values(self) -> NDArray[np.float64]:
        """What the average strategies are worth to each player, in the tree's unit."""
        self.publish()
        return self.tree.root_values()

    def publish(self) -> None:
        """Make the average strategy the tree's, so that the tree can judge and show it."""
        largest = max(float(self.average.max()), 1.0)  # the tree has single precision
        self.tree.tables.average.wide[self._sampled.place] = self.average / largest

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Regrets, the unnormalised average and the random state."""
        return {"regrets": self.regrets, "average": self.average, "random": self.random}

    def state(self) -> dict[str, NDArray[Any]]:
        """A copy of everything that changes."""
        counters = np.array([self.iteration, self.nodes_touched], dtype=np.int64)
        return {"counters": counters} | {name: array.copy() for name, array in self.arrays().items()}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from a `state` of the same sampler on the same tree."""
        self.iteration, self.nodes_touched = restore_arrays(state, self.arrays(), self.settings.name)

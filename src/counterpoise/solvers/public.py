"""The regret-matching family on public trees: the same settings as on enumerated games, vectors of hands instead.

A variant is its discounts and weights (see `regret_matching`); here they become a schedule for the street kernels,
which alternate between the players.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public import PublicTree, Schedule
from counterpoise.solvers.base import Algorithm, put_back
from counterpoise.solvers.regret_matching import RegretMatching


def public_schedule(settings: RegretMatching, iteration: int, count: int) -> Schedule:
    """What iterations ``iteration + 1`` to ``iteration + count`` of a variant do to old numbers.

    Variants discount after adding and the kernels before, so the factors are those of the iteration before; weights
    in the average become the factor by which older ones shrink.
    """
    t = np.arange(iteration, iteration + count + 1, dtype=np.float64)
    begun = np.maximum(t, 1)
    factors = [np.broadcast_to(np.asarray(row, dtype=np.float64), t.shape) for row in settings.discounts(begun)]
    positive, negative = (np.where(t < 1, 1.0, row) for row in factors)
    weights = np.broadcast_to(np.asarray(settings.weights(begun), dtype=np.float64), t.shape)
    with np.errstate(invalid="ignore", divide="ignore"):
        keep = np.where(weights[1:] > 0, weights[:-1] / weights[1:], 1.0)
    keep = np.where(t[:-1] < 1, 0.0, keep)
    return Schedule(
        positive.astype(np.float32),
        negative.astype(np.float32),
        keep.astype(np.float32),
        weighted=settings.reach_weighted,
        predictive=bool(settings.prediction),
    )


class PublicSolver:
    """A variant at work on a public tree: steps, measures, and saves or restores everything that changes."""

    def __init__(self, settings: Algorithm, tree: PublicTree, threads: int = 1) -> None:
        if not isinstance(settings, RegretMatching):
            raise InputError(f"{settings.name} does not run on public trees: use a variant of CFR")
        if settings.updates != "alternating" or settings.fallback != "uniform" or settings.output != "average":
            raise InputError(
                f"{settings.name} does not run on public trees: there updates alternate, the fallback is uniform and "
                "the output is the average"
            )
        if threads < 1:
            raise InputError(f"threads must be at least 1, not {threads!r}")
        self.settings, self.tree, self.threads = settings, tree, threads
        self.iteration = self.nodes_touched = 0
        if settings.prediction:
            tree.predict()

    def step(self, iterations: int = 1) -> None:
        """Advance by so many iterations."""
        self.tree.iterate(public_schedule(self.settings, self.iteration, iterations), self.threads)
        self.iteration += iterations
        self.nodes_touched += 2 * iterations * self.tree.nodes

    @property
    def live_bytes(self) -> int:
        """Memory of the tables."""
        return sum(array.nbytes for array in self.tree.arrays().values())

    def exploitability(self) -> float:
        """NashConv / 2 of the average strategies by exact best responses, in the tree's unit."""
        return self.tree.exploitability(self.threads)

    def values(self) -> NDArray[np.float64]:
        """What the average strategies are worth to each player, in the tree's unit."""
        return self.tree.root_values(self.threads)

    def state(self) -> dict[str, NDArray[Any]]:
        """A copy of everything that changes."""
        counters = np.array([self.iteration, self.nodes_touched], dtype=np.int64)
        return {"counters": counters} | {name: array.copy() for name, array in self.tree.arrays().items()}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from a `state` of the same variant on the same tree."""
        self.iteration, self.nodes_touched = put_back(state, self.tree.arrays(), self.settings.name)

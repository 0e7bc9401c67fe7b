"""CFR-BR with a hybrid agent on public trees (JOHANSON 4.3.2): a strategy trained against a best responder.

For each seat there is one run, in which the other seat is the *responder*. It plays CFR before the last street (the
trunk) and a best response on it. An iteration draws public cards, then

1. the responder's walk: on the last street every hand takes its best action against the player's current strategy,
   in the trunk regrets are matched and updated;
2. the player's walk on the same board, against these pure strategies: regrets and average in its own buckets.

The responder is never abstracted, so the player's average converges to the least exploitable strategy that its
buckets can express (JOHANSON, theorem 7; buckets with perfect recall). The current strategy does too in practice.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.kernels.random import seeded
from counterpoise.public import HoldemTree
from counterpoise.public.buckets import Buckets, imperfect_recall, lossless, one_each
from counterpoise.public.kernels.sampling import walks_against_responder
from counterpoise.public.sampling import Walks
from counterpoise.solvers.base import restore_arrays
from counterpoise.solvers.sampling.pcs import PCS
from counterpoise.tree.kernels.sequence_form import FloatArray


class SampledCfrBr:
    """Both seats' runs on a hold'em tree, and their strategies put together and judged.

    `settings` are those of the sampled walk (`pcs`). `nodes_touched` counts public nodes, four walks per iteration.
    """

    def __init__(
        self, tree: HoldemTree, buckets: Buckets | None = None, settings: PCS | None = None, seed: int = 0
    ) -> None:  # fmt: skip
        if tree.streets < 2:
            raise InputError("CFR-BR with a hybrid agent needs a deal of public cards: there is no trunk before it")
        self.tree, self.settings = tree, settings or PCS()
        self.iteration = self.nodes_touched = 0
        own = buckets or lossless(tree)
        # On the last street the responder has no table.
        responder = imperfect_recall(tree, [None] * (tree.streets - 1) + [1])
        self._runs = [
            _Run(Walks(tree, one_each(tree, own, responder)), 1, seeded(seed, 0)),
            _Run(Walks(tree, one_each(tree, responder, own)), 0, seeded(seed, 1)),
        ]

    def step(self, iterations: int = 1) -> None:
        """Advance both seats by so many iterations."""
        weights = self.settings.iteration_weights(self.iteration, iterations)
        for run in self._runs:
            run.step(weights, self.settings.floor)
        self.iteration += iterations
        self.nodes_touched += 4 * iterations * self._runs[0].walks.nodes

    def exploitability(self, output: Literal["average", "current"] = "average") -> float:
        """NashConv / 2 of both seats' strategies together, by exact best responses, in the tree's unit.

        The strategies take the place of the tree's average, so that its other measures are theirs.
        """
        tables = [run.cumulative if output == "average" else run.regrets for run in self._runs]
        for player, (run, table) in enumerate(zip(self._runs, tables, strict=True)):
            half = slice(0, run.second) if player == 0 else slice(run.second, None)
            self.tree.tables.average.wide[half] = run.walks.spread(run.walks.normalised(table))[half]
        return self.tree.exploitability()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Regrets, unnormalised average and random numbers' state of both runs."""
        return {
            f"{name}.{seat}": array
            for seat, run in enumerate(self._runs)
            for name, array in (("regrets", run.regrets), ("cumulative", run.cumulative), ("random", run.random))
        }

    def state(self) -> dict[str, NDArray[Any]]:
        """A copy of everything that changes."""
        counters = np.array([self.iteration, self.nodes_touched], dtype=np.int64)
        return {"counters": counters} | {name: array.copy() for name, array in self.arrays().items()}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from a `state` of the same settings on the same tree and buckets."""
        self.iteration, self.nodes_touched = restore_arrays(state, self.arrays(), "sampled CFR-BR")


class _Run:
    """One seat's run against a responder in the other."""

    def __init__(self, walks: Walks, responder: int, random: NDArray[np.uint64]) -> None:
        self.walks, self.responder, self.random = walks, np.uint64(responder), random
        self.regrets, self.cumulative = np.zeros(walks.entries), np.zeros(walks.entries)
        self._sides, self._scratch = walks.sides(), walks.scratch()
        self.second = int(walks.tree.flat.store[1, 0])
        """Where player 1's entries begin in the tree's own tables."""

    def step(self, weights: FloatArray, floor: bool) -> None:
        walks_against_responder(
            self.walks.paths, self.walks.boards, self._sides, self.responder, floor, weights, self.random,
            self.regrets, self.cumulative, self._scratch,
        )  # fmt: skip

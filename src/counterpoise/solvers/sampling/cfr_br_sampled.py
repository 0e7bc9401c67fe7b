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
from counterpoise.public import HoldemGame, Profile
from counterpoise.public.buckets import Buckets, combine_by_player, imperfect_recall, lossless
from counterpoise.public.kernels.sampling import WalkTables, walks_against_responder
from counterpoise.public.sampling import BucketTraversal
from counterpoise.solvers.public.base import PublicGameSolver
from counterpoise.solvers.sampling.pcs import PCS
from counterpoise.tree.kernels.layouts import FloatArray


class SampledCfrBr(PublicGameSolver):
    """Both seats' runs on a hold'em game, and their strategies put together and judged.

    `settings` are those of the sampled walk (`pcs`). `nodes_touched` counts public nodes, four walks per iteration.
    """

    settings: PCS
    kernels = (walks_against_responder,)

    def __init__(
        self, game: HoldemGame, buckets: Buckets | None = None, settings: PCS | None = None, seed: int = 0
    ) -> None:
        if game.streets < 2:
            raise InputError("CFR-BR with a hybrid agent needs a deal of public cards: there is no trunk before it")
        super().__init__(settings or PCS(), game, seed)
        own = buckets or lossless(game)
        # On the last street the responder has no table.
        responder = imperfect_recall(game, [None] * (game.streets - 1) + [1])
        self._runs = [
            _Run(BucketTraversal(game, combine_by_player(game, own, responder)), 1, seeded(seed, 0)),
            _Run(BucketTraversal(game, combine_by_player(game, responder, own)), 0, seeded(seed, 1)),
        ]

    def step(self, iterations: int = 1) -> None:
        weights = self.settings.iteration_weights(self.iteration, iterations)
        for run in self._runs:
            run.step(weights, self.settings.floor)
        self.iteration += iterations
        self.nodes_touched += 4 * iterations * self._runs[0].walks.nodes

    def profile(self, output: Literal["average", "current"] = "average") -> Profile:
        """Return the average or the current strategies of both seats in the unabstracted game."""
        found = []
        for run in self._runs:
            found.append(run.walks.profile(run.cumulative if output == "average" else run.regrets))
        return found[0].joined(found[1])

    def result(self) -> Profile:
        return self.profile()

    def exploitability(self, output: Literal["average", "current"] = "average") -> float:
        """Return NashConv / 2 of both seats' strategies together, by exact best responses."""
        return self.traverser.exploitability(self.profile(output))

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {
            f"{name}.{seat}": array
            for seat, run in enumerate(self._runs)
            for name, array in (("regrets", run.regrets), ("cumulative", run.cumulative), ("random", run.random))
        }


class _Run:
    """One seat's run against a responder in the other."""

    def __init__(self, walks: BucketTraversal, responder: int, random: NDArray[np.uint64]) -> None:
        self.walks, self.responder, self.random = walks, np.uint64(responder), random
        self.regrets, self.cumulative = np.zeros(walks.entries), np.zeros(walks.entries)
        self._walk, self._tables = walks.board_walk(), WalkTables(self.regrets, self.regrets, self.cumulative)

    def step(self, weights: FloatArray, floor: bool) -> None:
        walks_against_responder(self._walk, self.responder, floor, weights, self.random, self._tables)

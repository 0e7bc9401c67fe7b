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

import numpy as np

from counterpoise.errors import InputError
from counterpoise.kernels.random import seeded
from counterpoise.public import HoldemGame, Profile
from counterpoise.public.bucket_tables import BucketTables
from counterpoise.public.buckets import BucketsLike, coarsened, combine_by_player, lossless
from counterpoise.public.kernels.sampling import WalkTables, walks_against_responder
from counterpoise.public.sampling import BucketTraversal
from counterpoise.solvers.base import Arrays, Output
from counterpoise.solvers.matching.cfr_br import CFRBR
from counterpoise.solvers.public.base import PublicGameSolver


class SampledCfrBr(PublicGameSolver):
    """Both seats' runs on a hold'em game, and their strategies put together and judged.

    `nodes_touched` counts public nodes, four walks per iteration.
    """

    settings: CFRBR
    kernels = (walks_against_responder,)

    def __init__(
        self, game: HoldemGame, buckets: BucketsLike | None = None, settings: CFRBR | None = None, seed: int = 0
    ) -> None:
        if game.streets < 2:
            raise InputError("CFR-BR with a hybrid agent needs a deal of public cards: there is no trunk before it")
        super().__init__(settings or CFRBR(sampled=True), game, seed)
        self.tables = BucketTables(game, buckets)
        own = self.tables.buckets
        # On the last street the responder has no table.
        responder = coarsened(game, lossless(game), game.streets - 1)
        pairs = (own, responder), (responder, own)
        self._walks = [BucketTraversal(game, combine_by_player(game, *pair)) for pair in pairs]
        self._boards = [walks.board_walk() for walks in self._walks]
        self._tables: list[Arrays] = [
            {"regrets": np.zeros(walks.entries), "cumulative": np.zeros(walks.entries), "random": seeded(seed, seat)}
            for seat, walks in enumerate(self._walks)
        ]

    def step(self, iterations: int = 1) -> None:
        weights = np.ones(iterations)
        for seat, (board, kept) in enumerate(zip(self._boards, self._tables, strict=True)):
            responder, tables = np.uint64(1 - seat), WalkTables(kept["regrets"], kept["regrets"], kept["cumulative"])
            walks_against_responder(board, responder, False, weights, kept["random"], tables)
        self.iteration += iterations
        self.nodes_touched += 4 * iterations * self._walks[0].nodes

    def profile(self, output: Output = "average") -> Profile:
        """Return the average or the current strategies of both seats in the unabstracted game."""
        table = "cumulative" if output == "average" else "regrets"
        first, second = (self._walks[seat].profile(self._tables[seat][table]) for seat in range(2))
        return first.joined(second)

    @property
    def average(self) -> Profile:
        """The average strategies of both seats in the unabstracted game."""
        return self.profile("average")

    @property
    def current(self) -> Profile:
        """The current strategies of both seats in the unabstracted game."""
        return self.profile("current")

    def exploitability(self, output: Output | None = None) -> float:
        """Return NashConv / 2 of both seats' strategies together, by exact best responses.

        `output` is which strategies to judge, the average or the current ones (default: as the settings say).
        """
        return self.traverser.exploitability(self.profile(output or self.settings.output))

    def arrays(self) -> Arrays:
        return {f"{name}.{seat}": array for seat in range(2) for name, array in self._tables[seat].items()}

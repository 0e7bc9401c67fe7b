"""CFR-BR on public trees with buckets: a strategy trained against a best responder who has none.

See Johanson 2016, section 4.3.

For each seat there is one run, in which the other seat is the *responder*. It plays CFR on the streets of the trunk and
a best response on later ones. An iteration takes all boards, or (`sampled`) draws the public cards that end the trunk
and takes the full boards after them, then

1. the responder answers the player's current strategy on these boards, every hand by itself: on the last street board
   by board, on earlier ones from the last decisions to the first, with all cards to come counted;
2. the responder's regrets in the trunk are updated;
3. the player's regrets and average gain in its own buckets, against these pure strategies and the responder's new
   strategy in the trunk.

The responder is never abstracted, so the player's average converges to the least exploitable strategy that its buckets
can express (Johanson 2016, theorems 4 and 7), if they have perfect recall; without, there is no guarantee. Without a
trunk the current strategy does too (theorem 5), with one in practice. A trunk of all streets is CFR with a player in
buckets and one without (A-vs-U).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.kernels.random import seeded
from counterpoise.public import HoldemGame, Profile, PublicGame
from counterpoise.public.buckets import BucketsLike, coarsened, combine_by_player, lossless
from counterpoise.sampling.boards.best_response import own_heights
from counterpoise.sampling.boards.bucket_tables import BucketTables
from counterpoise.sampling.boards.walks import BoardWalks
from counterpoise.sampling.kernels.board_layouts import WalkTables
from counterpoise.sampling.kernels.board_responder import AnswerPlan, walks_against_answers, walks_against_responder
from counterpoise.solvers.base import Arrays, Output
from counterpoise.solvers.matching.cfr_br import CFRBR
from counterpoise.solvers.public.base import PublicGameSolver


class SampledCfrBr(PublicGameSolver):
    """The runs of the seats whose strategies are sought on a hold'em game, put together and judged.

    `nodes_touched` counts public nodes (decisions and ends on one board), whatever the number of hands there.
    """

    settings: CFRBR
    keeps_locks = False

    def __init__(
        self, game: HoldemGame, buckets: BucketsLike | None = None, settings: CFRBR | None = None, seed: int = 0
    ) -> None:
        settings = settings or CFRBR(sampled=True)
        if not game.zero_sum:
            raise InputError(
                "cfr-br needs a game in which one player wins what the other loses, so without rake and untilted"
            )
        if settings.sampled and game.streets < 2:
            raise InputError("CFR-BR with a hybrid agent needs a deal of public cards: there is no trunk before it")
        super().__init__(settings, game, seed)
        self.tables = BucketTables(game, buckets)
        self.seats = (0, 1) if settings.player == "both" else (settings.player,)
        last = game.streets - 1
        self.trunk = min(settings.trunk or (last if settings.sampled else 0), game.streets)
        own, responder = self.tables.buckets, lossless(game)
        if self.trunk <= last:  # on the last street the responder then has no table
            responder = coarsened(game, responder, last)
        pairs = {0: (own, responder), 1: (responder, own)}
        self._walks = {seat: BoardWalks(game, combine_by_player(game, *pairs[seat])) for seat in self.seats}
        self._boards = {seat: walks.board_walk() for seat, walks in self._walks.items()}
        self._one_board = settings.sampled and self.trunk == last
        self.kernels = (walks_against_responder if self._one_board else walks_against_answers,)  # type: ignore[misc]
        self._plans = {seat: self._plan(seat) for seat in self.seats}
        self._tables: dict[int, Arrays] = {
            seat: {
                "regrets": np.zeros(walks.entries),
                "cumulative": np.zeros(walks.entries),
                "random": seeded(seed, seat),
            }
            for seat, walks in self._walks.items()
        }
        self._gained = {seat: np.zeros(0 if self._one_board else walks.entries) for seat, walks in self._walks.items()}

    def step(self, iterations: int = 1) -> None:
        weights = np.ones(iterations)
        for seat, kept in self._tables.items():
            board, regrets, nodes = self._boards[seat], kept["regrets"], self._walks[seat].nodes
            if self._one_board:
                tables = WalkTables(regrets, regrets, kept["cumulative"])
                walks_against_responder(board, np.uint64(1 - seat), False, weights, kept["random"], tables)
                self.nodes_touched += 2 * iterations * nodes
            else:
                tables = WalkTables(regrets, self._gained[seat], kept["cumulative"])
                walked = walks_against_answers(board, self._plans[seat], weights, kept["random"], tables)
                self.nodes_touched += int(walked) * nodes
        self.iteration += iterations

    def profile(self, output: Output = "average") -> Profile:
        """Return the average or the current strategies in the unabstracted game; a seat that is not sought has none."""
        table = "cumulative" if output == "average" else "regrets"
        found = {seat: walks.profile(self._tables[seat][table]) for seat, walks in self._walks.items()}
        return found.get(0, Profile(self.game)).joined(found.get(1, Profile(self.game)))

    @property
    def average(self) -> Profile:
        """The average strategies in the unabstracted game."""
        return self.profile("average")

    @property
    def current(self) -> Profile:
        """The current strategies in the unabstracted game."""
        return self.profile("current")

    def losses(self, output: Output | None = None) -> dict[int, float]:
        """Return what each seat's strategy loses to a best response, by `output`, the average or the current one."""
        won = self.traverser.best_response_values(self.profile(output or self.settings.output))
        return {seat: float(won[1 - seat]) for seat in self.seats}

    def exploitability(self, output: Output | None = None) -> float:
        """Return NashConv / 2 of both seats' strategies together, by exact best responses.

        `output` selects the average or the current strategies (default: by the settings).
        """
        if len(self.seats) == 1:
            raise InputError(f"{self.settings.name} has the strategy of one seat: its losses() say what it loses")
        return max(sum(self.losses(output).values()) / 2, 0.0)

    def arrays(self) -> Arrays:
        return {f"{name}.{seat}": array for seat, kept in self._tables.items() for name, array in kept.items()}

    def _plan(self, seat: int) -> AnswerPlan:
        walks, responder, last = self._walks[seat], 1 - seat, self.game.streets - 1
        height = own_heights(walks, responder, (self.trunk, last))
        start = _groups(self.game, min(self.trunk, last) if self.settings.sampled else 0)
        chance = np.add.reduceat(walks.boards.chance, start[:-1].astype(np.int64))
        return AnswerPlan(
            responder=np.uint64(responder),
            first_answer=np.uint64(self.trunk),
            height=height,
            rounds=np.int64(height.max(initial=-1) + 1),
            group_start=start,
            group_chance=chance,
            group_cumulative=np.cumsum(chance),
            widths=walks.widths.astype(np.uint64),
        )


def _groups(game: PublicGame, street: int) -> NDArray[np.uint64]:
    """Return where the full boards after each board of a street begin among all, and their number at the end."""
    at = np.flatnonzero(game.street_of == game.streets - 1)
    for _ in range(game.streets - 1 - street):
        at = game.board_above[at]
    return np.append(np.searchsorted(at, np.unique(at)), len(at)).astype(np.uint64)

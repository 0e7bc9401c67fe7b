"""The best response to a player of limit hold'em who looks at its cards: a walk over all boards.

See Johanson 2016, section 2.4.

1. Public tree: a round on a board is visited once, with vectors over all hands, in all lines of betting at once.
2. Showdowns of all hands take one sweep in order of strength.
3. Deals that differ by suits are walked through once (`counterpoise.cards.symmetry`); the values after the others are
   the same with hands renamed. That needs a player who treats suits alike, which is checked.
4. The first deals (flops) are independent of each other: they are the units that threads share and files remember.

Both seats are answered in one walk, because the hands of a board are ordered once for both.
"""

from __future__ import annotations

from functools import cached_property
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.cards import Orbits, SuitSymmetry, board_strengths, format_cards
from counterpoise.cards.symmetry import suit_symmetry
from counterpoise.errors import InputError
from counterpoise.evaluation.best_response.betting import LimitBetting
from counterpoise.evaluation.best_response.kernels.lanes import LANES, TABLE, zeros
from counterpoise.evaluation.best_response.kernels.rounds import (
    Floats,
    GroupedStrategy,
    LiveHands,
    Scratch,
    descend,
    respond,
)
from counterpoise.evaluation.best_response.layout import round_layouts
from counterpoise.evaluation.best_response.players import Players, RoundPlayer
from counterpoise.evaluation.best_response.showdowns import live_hands
from counterpoise.evaluation.best_response.trunk import Trunk
from counterpoise.progress import CancelToken

FloatArray = NDArray[np.float64]
Pair = tuple[FloatArray, FloatArray]
"""For each seat of the responder the sums of values at the beginning of a round: [line, hand]."""
Rows = tuple[Floats, Floats]
"""For each seat of the responder an array of lines side by side."""
MANY_BOARDS = 1_000_000
"""Walks over more boards, all suits counted, calculate with float32: rounding is a millionth of the result at most, and
twice as many lines stand side by side in a vector."""
SCALE = 2.0**64
"""What the opponent's reach is at the beginning: products of float32 are far from the smallest number."""


class Visit(NamedTuple):
    """A round on a board for the responder of one seat: the opponent's strategy there and its reach at the
    beginning."""

    number: int
    seat: int
    plays: list[GroupedStrategy]
    hands: LiveHands
    reach: Floats


class BestResponseWalk:
    """The walk over all boards of a game against a given player; immutable."""

    def __init__(self, betting: LimitBetting, players: Players, suits_alike: bool = True, dtype: Any = None) -> None:
        """Prepare a walk; `dtype` is float64 for few boards and float32 for many, unless it is given."""
        self.betting, self.game, self.deck = betting, betting.game, betting.game.deck
        dealt = [0, *betting.dealt]
        boards = prod(comb(self.deck.size - past, count) for past, count in zip(dealt, self.game.board, strict=False))
        self.dtype = dtype or (np.float32 if boards > MANY_BOARDS else np.float64)
        self.rounds = round_layouts(betting, self.dtype)
        self.last = len(self.rounds) - 1
        self.shapes = [
            [layout.arrays(seat, self.rounds[number + 1] if number < self.last else None) for seat in range(2)]
            for number, layout in enumerate(self.rounds)
        ]
        # The responder in seat 0 faces the player in seat 1.
        self.opponents = [
            [RoundPlayer(players[1 - seat], layout, 1 - seat) for seat in range(2)] for layout in self.rounds
        ]
        everything = suit_symmetry([], deck=self.deck)
        self.symmetry = everything if suits_alike else SuitSymmetry(self.deck, (), everything.permutations[:1])
        self.first = next(number for number, count in enumerate(self.game.board) if count)
        self._check_suits((), self.first)

    @cached_property
    def deals(self) -> Orbits:
        """The first deals of public cards, those that differ by suits being one."""
        return self.symmetry.orbits(self.game.board[self.first])

    @cached_property
    def trunk_reach(self) -> list[Rows]:
        """The opponents' reach at the beginning of each round up to the first deal, by round and responder."""
        ones = self.empty(0)
        ones[::LANES] = SCALE
        found: list[Rows] = [(ones, ones.copy())]
        hands, scratch = self.live_hands(()), self.scratch()
        for number in range(self.first):
            later = self.empty(number + 1), self.empty(number + 1)
            for seat in range(2):
                at = Visit(number, seat, self.plays(number, seat, ()), hands, found[-1][seat])
                self.descend_round(at, scratch, later[seat])
            found.append(later)
        return found

    def no_sums(self) -> Pair:
        """Return the sums over no first deal."""
        shape = len(self.rounds[self.first].trees), self.deck.hand_count
        return np.zeros(shape), np.zeros(shape)

    def empty(self, number: int) -> Floats:
        """Return zeros for all lines of a round, side by side, and all hands of the deck."""
        found: Floats = zeros(self.rounds[number].blocks * self.deck.hand_count * LANES, self.dtype)
        return found

    def scratch(self) -> Scratch:
        """Return memory for the rows of one block of lines."""
        builders = [
            builder
            for number, layout in enumerate(self.rounds)
            for seat in range(2)
            for builder in layout.steps(seat, self.rounds[number + 1] if number < self.last else None)
        ]
        values = max(builder.most_values for builder in builders)
        row, hands = self.deck.hand_count * LANES, self.deck.hand_count
        return Scratch(
            reach=zeros(max(builder.most_reaches for builder in builders) * row, self.dtype),
            value=zeros(values * row, self.dtype),
            tables=zeros(values * TABLE, self.dtype),
            empty=np.ones(values, dtype=np.bool_),
            equal=zeros(row, self.dtype),
            cards=zeros(TABLE, self.dtype),
            group=np.zeros(hands, dtype=np.uint64),
            met=np.zeros(hands, dtype=np.uint64),
            met_ties=np.zeros(hands + 1, dtype=np.uint64),
        )

    def live_hands(self, board: tuple[int, ...], strengths: NDArray[np.uint16] | None = None) -> LiveHands:
        """Return the hands that live on a board, by their strength if that is given."""
        return live_hands(self.deck, board, strengths)

    def unit(self, number: int, cancel: CancelToken) -> Pair:
        """Return what follows one orbit of first deals: the sum of the best values at the beginning of that round."""
        deal = tuple(self.deals.representatives[number].tolist())
        members = slice(int(self.deals.first[number]), int(self.deals.first[number + 1]))
        self._check_suits(deal, self.first, number)
        out = self.empty(self.first), self.empty(self.first)
        visit = _Visitor(self, cancel)
        renamed = _renamed_back(self.symmetry, self.deals.maps[members])
        symmetry = self.symmetry.deal(deal)
        strengths = board_strengths([deal], deck=self.deck)[0] if self.first == self.last else None
        visit.board(self.first, symmetry, deal, strengths, renamed, out)
        first, second = (self.rounds[self.first].by_line(rows) / SCALE for rows in out)
        return first, second

    def total(self, sums: Pair) -> FloatArray:
        """Return the values of both seats in chips per game, from the sums over all first deals."""
        return np.array([self.trunk(seat).best(sums[seat])[0] for seat in range(2)])

    def trunk(self, seat: int) -> Trunk:
        """Return the rounds before the first deal for the responder of a seat."""
        return Trunk(self.rounds, [pair[seat] for pair in self.opponents], self.first, seat)

    def plays(self, number: int, seat: int, board: tuple[int, ...]) -> list[GroupedStrategy]:
        """Return the strategy that the responder of a seat faces in a round on a board, for each shape of betting."""
        return self.opponents[number][seat].plays(board)

    def descend_round(self, at: Visit, scratch: Scratch, out: Floats) -> None:
        """Write the opponent's reach at the beginning of the next round."""
        for shape, play in zip(self.shapes[at.number][at.seat], at.plays, strict=True):
            descend(shape, play, at.hands, at.reach, scratch, out)

    def respond_round(
        self, at: Visit, later: Floats, sources: NDArray[np.uint64], scratch: Scratch, out: Floats
    ) -> None:
        """Add the best values at the beginning of a round to `out`; see the kernel."""
        for shape, play in zip(self.shapes[at.number][at.seat], at.plays, strict=True):
            respond(shape, play, at.hands, at.reach, later, sources, scratch, out)

    def _check_suits(self, board: tuple[int, ...], number: int, which: int = 0) -> None:
        """Refuse a player who tells suits apart, if they are treated alike: on this board and a renamed one."""
        if len(self.symmetry) == 1:
            return
        rounds = range(number) if not board else (number,)
        renaming = 1 + which % (len(self.symmetry) - 1)
        cards, hand_map = self.symmetry.card_maps[renaming], self.symmetry.hand_maps[renaming]
        for at in rounds:
            for player in self.opponents[at]:
                if not player.plays_alike(board, tuple(int(cards[card]) for card in board), hand_map):
                    where = f"on {format_cards(board)}" if board else "before the public cards"
                    raise InputError(
                        f"{player.player} treats suits differently {where}: walk through all suits (suits_alike=False)"
                    )


class _Visitor:
    """One thread's walk through a part of the game, with rows of its own."""

    def __init__(self, walk: BestResponseWalk, cancel: CancelToken) -> None:
        self.walk, self.cancel, self.scratch = walk, cancel, walk.scratch()
        later = range(walk.first + 1, len(walk.rounds))
        self.reach: dict[int, Rows] = {number: (walk.empty(number), walk.empty(number)) for number in later}
        self.later: dict[int, Rows] = {number: (walk.empty(number), walk.empty(number)) for number in later}
        self.reach[walk.first] = walk.trunk_reach[walk.first]

    def board(
        self,
        number: int,
        symmetry: SuitSymmetry | None,
        board: tuple[int, ...],
        strengths: NDArray[np.uint16] | None,
        renamed: NDArray[np.uint16],
        out: Rows,
    ) -> None:
        """Add the best values at the beginning of a round on a board to `out`, once under each row of names."""
        walk = self.walk
        hands = walk.live_hands(board, strengths)
        visits = [
            Visit(number, seat, walk.plays(number, seat, board), hands, self.reach[number][seat]) for seat in range(2)
        ]
        later: Rows = (np.zeros(0, walk.dtype), np.zeros(0, walk.dtype))
        if number < walk.last:
            later = self.later[number + 1]
            for at in visits:
                later[at.seat][:] = 0.0
                walk.descend_round(at, self.scratch, self.reach[number + 1][at.seat])
            assert symmetry is not None
            self._deal(number + 1, symmetry, board, later)
        sources = np.full(renamed.shape, hands.order.size, dtype=np.uint64)
        positions = np.arange(hands.order.size, dtype=np.uint64)[None]
        np.put_along_axis(sources, renamed[:, hands.order].astype(np.int64), positions, axis=1)
        for at in visits:
            walk.respond_round(at, later[at.seat], sources, self.scratch, out[at.seat])

    def _deal(self, number: int, symmetry: SuitSymmetry, board: tuple[int, ...], out: Rows) -> None:
        """Visit the boards after the deal of a round."""
        walk, count = self.walk, self.walk.game.board[number]
        full = number == walk.last
        if not count:
            same = np.arange(walk.deck.hand_count, dtype=np.uint16)[None]
            strengths = board_strengths([board], deck=walk.deck)[0] if full else None
            self.board(number, symmetry, board, strengths, same, out)
            return
        orbits = symmetry.orbits(count)
        boards = [(*board, *cards) for cards in orbits.representatives.tolist()]
        strong = board_strengths(boards, deck=walk.deck) if full else None
        for orbit, cards in enumerate(orbits.representatives.tolist()):
            self.cancel.check()
            members = slice(int(orbits.first[orbit]), int(orbits.first[orbit + 1]))
            renamed = _renamed_back(symmetry, orbits.maps[members])
            after = None if full else symmetry.deal(cards)
            self.board(number, after, boards[orbit], None if strong is None else strong[orbit], renamed, out)


def _renamed_back(symmetry: SuitSymmetry, maps: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Return, per member of an orbit, which hand each hand of the representative stands for: [member, hand]."""
    taken = symmetry.hand_maps[maps]
    back = np.empty_like(taken)
    np.put_along_axis(back, taken.astype(np.int64), np.arange(taken.shape[1], dtype=taken.dtype)[None], axis=1)
    return back

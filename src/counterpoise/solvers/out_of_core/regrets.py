"""The regrets of a part as whole numbers in one compressed block for each seat.

Regrets are kept as max(0, trunc(scale x R)), a scale for each round (fixed point: Johanson 2016, chapter 9): amounts
below 1 / scale are lost, and a hand whose regrets are all lost plays every action equally often. Rows are written as
differences of neighbouring hands, by a prefix code that is made for the block: see `kernels.fixed_point`.

A block is the number of its words, the lengths of the codes of all contexts and symbols, four bits each, and the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.parameters import is_number, require, shown
from counterpoise.public import HoldemGame, Profile
from counterpoise.solvers.out_of_core.blocks import DamagedBlock
from counterpoise.solvers.out_of_core.kernels import fixed_point, zeros
from counterpoise.solvers.out_of_core.kernels.fixed_point import CODE_BITS, CONTEXTS, RUN, SYMBOLS

FloatRow = NDArray[np.float32]
FINENESS = 10_000
"""The default scale times the hands of the deck, about: counterfactual regrets are sums over the other's hands."""
MOST_SCALE = 2.0**20
LENGTH_BYTES = CONTEXTS * SYMBOLS // 2
ROW_OF = attrgetter("first_row")
"""Where the rows of a decision stand among those of its player."""
_BITS_BELOW = np.tile(
    [*(max(size - 1, 0) for size in range(int(RUN) + 1)), *range(1, SYMBOLS - int(RUN))], CONTEXTS
).astype(np.int64)
"""The number of plain bits that follow each symbol."""


def checked_scales(scales: float | Sequence[float], rounds: int) -> tuple[float, ...]:
    """Return the scale of each round after the first; refuse what is not a power of two from 1 / 2^20 to 2^20.

    >>> checked_scales(64, 3)
    (64.0, 64.0)
    """
    given: list[Any] = list(scales) if isinstance(scales, Sequence) else [scales] * (rounds - 1)
    for scale in given:
        fits = is_number(scale) and 1 / MOST_SCALE <= scale <= MOST_SCALE and float(np.log2(scale)).is_integer()
        require(fits, f"scale must be a power of two from 1/{int(MOST_SCALE)} to {int(MOST_SCALE)}, not {shown(scale)}")
    require(len(given) == rounds - 1, f"scale must be one number, or one for each of {rounds - 1} later rounds")
    return tuple(float(scale) for scale in given)


def default_scale(hands: int) -> float:
    """Return the scale of all rounds for a deck with this number of hands, in units of one over a chip of regret.

    >>> default_scale(1326), default_scale(190)
    (8.0, 64.0)
    """
    return float(2 ** round(np.log2(FINENESS / hands)))


class RowSegments(NamedTuple):
    """Where the rows of a player are, and how they are written: see `kernels.fixed_point`."""

    table: NDArray[np.uint64]
    scales: FloatRow
    trees: NDArray[np.uint64]
    """The tree of each."""
    size: int
    """The number of regrets that are written."""


@dataclass(eq=False)
class CoderScratch:
    """Scratch arrays of coders; one set for each process."""

    row: NDArray[np.int32] = field(default_factory=lambda: np.zeros(2048, dtype=np.int32))
    values: FloatRow = field(default_factory=lambda: np.zeros(2048, dtype=np.float32))
    table: NDArray[np.uint16] = field(default_factory=lambda: np.zeros(CONTEXTS << CODE_BITS, dtype=np.uint16))
    _tokens: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, dtype=np.uint64))

    def tokens(self, count: int) -> NDArray[np.uint64]:
        """Return an array for tokens."""
        if len(self._tokens) < count:
            self._tokens = np.zeros(count, dtype=np.uint64)
        return self._tokens


@dataclass(frozen=True, eq=False)
class RegretCoder:
    """Codes the regrets of a part's game, those of its first round left out."""

    game: HoldemGame
    scales: tuple[float, ...]
    """The scale of each round after the first."""
    scratch: CoderScratch = field(default_factory=CoderScratch)

    @cached_property
    def _hands(self) -> tuple[NDArray[np.uint16], NDArray[np.uint16], NDArray[np.int64]]:
        """Per board, from `boards.begin` on: its heads, and for each hand the number of its head; heads of a board.

        A head is the first hand of the row among those that suits make the same. Hands that the board blocks, which
        rows before the last street contain too, are no heads and get the regrets of any head; nothing reads them.
        """
        boards, total = self.game.boards, int(self.game.boards.stride.sum())
        heads, ordinals = np.zeros(total, dtype=np.uint16), np.zeros(total, dtype=np.uint16)
        counts = np.zeros(boards.begin.shape, dtype=np.int64)
        for number, node in enumerate(self.game.board_nodes):
            groups = self.game.hand_groups(number)
            for player in range(2):
                hands = node.hands[player]
                live = np.flatnonzero(~np.isin(self.game.hands[player][hands], node.cards).any(axis=1))
                _, first, inverse = np.unique(groups[player][hands[live]], return_index=True, return_inverse=True)
                order = np.argsort(first)
                rank = np.empty_like(order)
                rank[order] = np.arange(len(order))
                begin = int(boards.begin[player, number])
                heads[begin : begin + len(first)] = live[first[order]]
                ordinals[begin + live] = rank[inverse]
                counts[player, number] = len(first)
        return heads, ordinals, counts

    @cached_property
    def _segments(self) -> tuple[RowSegments, RowSegments]:
        """Per player the segments below the first round."""
        game, boards, found = self.game, self.game.boards, []
        heads, street_of = self._hands[2], self.game.street_of
        for player in range(2):
            rows, scales, trees = [], [], []
            for number, tree in enumerate(game.street_trees):
                if tree.street == 0:
                    continue
                for board in np.flatnonzero(street_of == tree.street).tolist():
                    entries, _ = game.stored_on(player, number, board)
                    stride = int(boards.stride[player, board])
                    count = (entries.stop - entries.start) // stride
                    held, first = int(boards.held[player, board]), int(boards.begin[player, board])
                    rows.append((entries.start, count, stride, held, int(heads[player, board]), first))
                    scales.append(self.scales[tree.street - 1])
                    trees.append(number)
            table = np.array(rows, dtype=np.uint64).reshape(-1, 6)
            size = int((table[:, fixed_point.ROWS] * table[:, fixed_point.HEADS]).sum())
            of_trees = np.array(trees, dtype=np.uint64)
            found.append(RowSegments(table, np.array(scales, dtype=np.float32), of_trees, size))
        return found[0], found[1]

    @property
    def memory(self) -> int:
        """Bytes of the tables about rows."""
        return sum(array.nbytes for array in self._hands) + sum(one.table.nbytes for one in self._segments)

    def size(self, player: int) -> int:
        """Return the number of a player's regrets that are kept."""
        return self._segments[player].size

    @cached_property
    def _actions(self) -> list[tuple[NDArray[np.uint64], NDArray[np.uint64]]]:
        """Per player the number of actions of its decisions, tree by tree, and where those of each tree begin."""
        found = []
        for player in range(2):
            own = [
                [len(one.actions) for one in sorted(tree.decisions, key=ROW_OF) if one.player == player]
                for tree in self.game.street_trees
            ]
            first = np.cumsum([0, *map(len, own)]).astype(np.uint64)
            found.append((np.array([count for tree in own for count in tree], dtype=np.uint64), first))
        return found

    def all_zero(self, regrets: Profile, player: int) -> int:
        """Return the number of a player's information sets without a positive regret, counting isomorphic hands
        once."""
        segments = self._segments[player]
        numbers, heads = regrets.store.wide, self._hands[0]
        return int(zeros.count_all_zero(numbers, segments.table, heads, segments.trees, *self._actions[player]))

    def encode(self, regrets: Profile, player: int) -> tuple[bytes, int]:
        """Return the regrets of a player as a block, and the number of them that were too large and were cut."""
        segments, scratch = self._segments[player], self.scratch
        tokens, counts = scratch.tokens(segments.size), np.zeros(CONTEXTS * SYMBOLS, dtype=np.int64)
        written, cut = fixed_point.to_tokens(
            regrets.store.wide, segments.table, segments.scales, self._hands[0], scratch.row, tokens, counts
        )
        lengths = np.zeros(CONTEXTS * SYMBOLS, dtype=np.uint8)
        room = np.zeros(2 * SYMBOLS, dtype=np.int64), np.zeros(2 * SYMBOLS, dtype=np.int64)
        fixed_point.code_lengths(counts, *room, lengths)
        codes = np.zeros(CONTEXTS * SYMBOLS, dtype=np.uint16)
        fixed_point.code_tables(lengths, codes, scratch.table)
        bits = int((counts * (lengths + _BITS_BELOW)).sum())
        words = np.zeros(-(-bits // 64), dtype="<u8")
        fixed_point.pack(tokens, written, codes, words)
        halves = lengths[::2] | lengths[1::2] << 4
        return len(words).to_bytes(8, "little") + halves.tobytes() + words.tobytes(), int(cut)

    def decode(self, block: bytes, player: int, regrets: Profile, what: str) -> None:
        """Write the regrets of a player from a block into a profile; `what` is how messages call the block."""
        segments, scratch, head = self._segments[player], self.scratch, 8 + LENGTH_BYTES
        if len(block) < head or len(block) != head + 8 * int.from_bytes(block[:8], "little"):
            raise DamagedBlock(f"{what} is damaged: its length is not what it says")
        halves = np.frombuffer(block, dtype=np.uint8, count=LENGTH_BYTES, offset=8)
        lengths = np.stack((halves & 15, halves >> 4), axis=1).ravel()
        codes = np.zeros(CONTEXTS * SYMBOLS, dtype=np.uint16)
        words = np.zeros((len(block) - head) // 8 + 1, dtype="<u8")
        words[:-1] = np.frombuffer(block, dtype="<u8", offset=head)
        fits = lengths.max() <= CODE_BITS and fixed_point.code_tables(lengths, codes, scratch.table)
        if not fits or not fixed_point.from_bits(
            words,
            segments.table,
            segments.scales,
            self._hands[1],
            scratch.table,
            scratch.values,
            regrets.store.wide,
        ):
            raise DamagedBlock(f"{what} is damaged: its bits are not those of regrets")

"""A hold'em spot as a public tree of hand vectors: built once, then iterated and judged by the street kernels.

Two players with ranges on a board of three to five cards, one betting definition, bet sizes per street. Values are
in chips with half the starting pot as zero, weighted over all pairs of hands that can meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from counterpoise.cards import STANDARD_DECK, Range, strengths
from counterpoise.errors import InputError
from counterpoise.games.bet_sizes import BetSizes
from counterpoise.games.betting import Betting
from counterpoise.public.boards import Table, build_boards, row_length
from counterpoise.public.lines import Line, build_lines, flatten
from counterpoise.public.simd_kernels import LANES, TOTAL
from counterpoise.public.street_kernels import DEAL, EVALUATE, RESPOND, RUNOUT, UPDATE, Boards, Lines, Work, traverse

FloatRow = NDArray[np.float32]


@dataclass(frozen=True)
class Schedule:
    """What iterations t = 1, 2, ... do to old numbers: factors on positive and negative regrets and on the average.

    The factors act before the regrets and the strategy of iteration t are added. `weighted` says whether the
    strategy enters the average with its own reach.
    """

    positive: FloatRow
    negative: FloatRow
    keep: FloatRow
    weighted: bool = True


class HoldemTree:
    """The arrays of one spot and the tables (regrets, average strategy) of both players."""

    def __init__(self, board: tuple[int, ...], ranges: tuple[Range, Range], betting: Betting, sizes: BetSizes) -> None:
        if not 3 <= len(board) <= 5:
            raise InputError(f"board must have 3 to 5 cards, not {len(board)}")
        self.board, self.betting = board, betting
        self.lines: list[Line] = build_lines(betting, sizes)
        weights = [own.live(board).weights for own in ranges]
        self.hands = tuple(STANDARD_DECK.hands[np.flatnonzero(weight)] for weight in weights)
        runouts = {line.street for line in self.lines for leaf in line.leaves if leaf.kind == RUNOUT}
        self.tables: list[Table]
        self.boards: Boards
        self.tables, self.boards = build_boards(board, (self.hands[0], self.hands[1]), _strengths, runouts)
        self.flat: Lines = flatten(self.lines, self._row_totals())
        self.ranges = np.zeros((2, int(self.boards.stride.max())), dtype=np.float32)
        for player in range(2):
            live = weights[player][weights[player] > 0]
            self.ranges[player, : len(live)] = live[self.tables[0].hands[player]]
        self.regrets = np.zeros(self.entries, dtype=np.float32)
        self.average = np.zeros(self.entries, dtype=np.float32)
        self._work = self._scratch()

    @property
    def streets(self) -> int:
        """Number of betting rounds from the board on."""
        return 6 - len(self.board)

    @cached_property
    def entries(self) -> int:
        """Regrets (or average strategy entries) of both players: one per hand, action and node."""
        totals = self._row_totals()
        return sum(
            (int(self.flat.rows[player, number]) - 1) * int(totals[player, line.street])
            for player in range(2)
            for number, line in enumerate(self.lines)
        )

    @cached_property
    def nodes(self) -> int:
        """Public decision and terminal nodes, every board counted."""
        boards = np.bincount([table.street for table in self.tables], minlength=self.streets)
        return sum(
            (len(line.decisions) + sum(leaf.kind != DEAL for leaf in line.leaves)) * int(boards[line.street])
            for line in self.lines
        )

    @cached_property
    def pair_mass(self) -> float:
        """Total weight of the pairs of hands that share no card; what values are divided by."""
        first, second = (self.hands[p][self.tables[0].hands[p]] for p in range(2))
        apart = (first[:, None, :, None] != second[None, :, None, :]).all(axis=(2, 3))
        own = [self.ranges[p, : len(hands)].astype(np.float64) for p, hands in enumerate((first, second))]
        return float(own[0] @ apart @ own[1])

    def iterate(self, schedule: Schedule) -> None:
        """Run ``len(schedule.keep)`` iterations with alternating updates."""
        self._traverse(UPDATE, schedule.positive, schedule.negative, schedule.keep, schedule.weighted)

    def root_values(self) -> NDArray[np.float64]:
        """What each player's average strategy is worth against the other's, in chips; half the pot is zero."""
        one = np.ones(1, dtype=np.float32)
        return self._totals(self._traverse(EVALUATE, one, one, one, False))

    def best_response_values(self) -> NDArray[np.float64]:
        """What each player's best response is worth against the other's average strategy, in chips."""
        one = np.ones(1, dtype=np.float32)
        return self._totals(self._traverse(RESPOND, one, one, one, False))

    def exploitability(self) -> float:
        """NashConv / 2 of the average strategies, in chips, by exact best responses."""
        return float((self.best_response_values() - self.root_values()).sum() / 2)

    def _totals(self, values: FloatRow) -> NDArray[np.float64]:
        return np.asarray((self.ranges.astype(np.float64) * values).sum(axis=1) / self.pair_mass)

    def _traverse(
        self, mode: np.uint64, positive: FloatRow, negative: FloatRow, keep: FloatRow, weighted: bool
    ) -> FloatRow:
        out = np.zeros_like(self.ranges)
        traverse(
            self.flat, self.boards, self.ranges, mode, positive, negative, keep, weighted,
            self.regrets, self.average, self._work, out,
        )  # fmt: skip
        return out

    def _row_totals(self) -> NDArray[np.uint64]:
        street = np.array([table.street for table in self.tables])
        totals = [[self.boards.stride[p][street == k].sum() for k in range(self.streets)] for p in range(2)]
        return np.array(totals, dtype=np.uint64)

    def _scratch(self) -> Work:
        longest = row_length(max(len(hands) for hands in self.hands))
        rows = [
            max(int(self.flat.rows[:, number].max()) for number, line in enumerate(self.lines) if line.street == street)
            if any(line.street == street for line in self.lines)
            else 1
            for street in range(self.streets)
        ]
        begins = np.concatenate(([0], np.cumsum(rows) * longest)).astype(np.uint64)
        size = int(begins[-1])

        def floats(count: int) -> FloatRow:
            return np.zeros(count, dtype=np.float32)

        return Work(
            size=begins,
            reach=floats(size),
            own_reach=floats(size),
            strategy=floats(size),
            value=floats(size),
            wins=floats(size),
            mass=floats(size),
            scale=floats(longest),
            spare=floats(longest),
            block=floats(LANES * longest),
            block_wins=floats(LANES * longest),
            block_mass=floats(LANES * longest),
            table=np.zeros(TOTAL + LANES),
            offsets=np.zeros(LANES, dtype=np.uint64),
        )


def _strengths(board: tuple[int, ...], hands: NDArray[np.uint8]) -> NDArray[np.int64]:
    return strengths(board, hands).astype(np.int64)

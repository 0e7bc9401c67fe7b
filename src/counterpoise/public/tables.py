"""The tables of a public tree: one number per hand, action and node of both players, for regrets and for the average.

Rows of hands are float32, or 16 bits (signed square roots) with a scale per row. Strategies that the user has fixed are
numbers that no iteration changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public.kernels.layouts import Boards, Lines, Locks, Store, Tables
from counterpoise.public.kernels.street import DEAL
from counterpoise.public.lines import Line, flatten

ROOTS = 32767
"""The largest number of 16 bits."""


@dataclass(frozen=True)
class Lock:
    """A fixed strategy: what the player to act at a decision does with one hand (its slot on that board)."""

    line: int
    decision: int
    board: int
    slot: int
    probabilities: tuple[float, ...]


class PublicTables:
    """Lines of betting, boards, and the tables (regrets, average strategy) of both players on them."""

    def __init__(
        self, lines: list[Line], boards: Boards, street_of: Sequence[int], bits: int = 32, locks: Sequence[Lock] = ()
    ) -> None:  # fmt: skip
        if bits not in (16, 32):
            raise InputError(f"bits must be 16 or 32, not {bits!r}")
        if locks and bits != 32:
            raise InputError("bits must be 32 when strategies are locked, not 16")
        self.lines, self.boards, self.bits = lines, boards, bits
        street = np.asarray(street_of)
        self.streets = int(street.max()) + 1
        self._boards_of = np.bincount(street, minlength=self.streets)
        self._row_totals = np.array(
            [[boards.stride[p][street == k].sum() for k in range(self.streets)] for p in range(2)], dtype=np.uint64
        )
        self.flat: Lines = flatten(lines, self._row_totals, self._boards_of)
        regrets = self._store()
        self.tables = Tables(regrets, regrets, self._store())
        self._locks = self._locked(locks)

    @cached_property
    def entries(self) -> int:
        """Regrets (or average strategy entries) of both players: one per hand, action and node."""
        return self._sum_over_lines(self._row_totals)

    @cached_property
    def stored_rows(self) -> int:
        """Rows of hands in a table."""
        return self._sum_over_lines(np.stack([self._boards_of, self._boards_of]))

    @cached_property
    def nodes(self) -> int:
        """Public decision and terminal nodes, every expanded board counted."""
        return sum(
            (len(line.decisions) + sum(leaf.kind != DEAL for leaf in line.leaves)) * int(self._boards_of[line.street])
            for line in self.lines
        )

    def average_strategy(self, line: int, decision: int, board: int) -> NDArray[np.float64]:
        """The average strategy at a decision, [action, hand of the board]; uniform where it was never played."""
        return self.strategy_in(self.tables.average, line, decision, board)

    def set_average(self, line: int, decision: int, board: int, rows: NDArray[np.float64]) -> None:
        """Put a strategy, [action, hand of the board], in the place of the average at a decision.

        Hands whose strategy the user has fixed keep it.
        """
        self.set_strategy_in(self.tables.average, line, decision, board, rows)

    def strategy_in(self, store: Store, line: int, decision: int, board: int) -> NDArray[np.float64]:
        """The strategy that a store has at a decision, [action, hand of the board]; uniform where it has none."""
        return _normalised(self._read(store, line, decision, board))

    def set_strategy_in(
        self, store: Store, line: int, decision: int, board: int, rows: NDArray[np.float64]
    ) -> None:  # fmt: skip
        """The same in a store."""
        _, entry, number, stride = self._place(line, decision, board)
        padded = np.zeros((len(rows), stride))
        padded[:, : rows.shape[1]] = rows
        if self.bits == 32:
            store.wide[entry : entry + padded.size] = padded.ravel()
            locks = self._locks
            here = (locks.entry >= entry) & (locks.entry < entry + padded.size)
            store.wide[locks.entry[here]] = locks.value[here]
            return
        scale = padded.max(axis=1) / ROOTS**2  # square roots
        store.scale[number : number + len(rows)] = scale
        roots = np.sqrt(padded / np.where(scale > 0, scale, 1)[:, None])
        store.narrow[entry : entry + padded.size] = np.rint(roots).astype(np.int16).ravel()

    def clear(self) -> None:
        """Back to tables of zeros, but for the strategies that the user has fixed."""
        for store in self.tables:
            for array in store:
                array[...] = 0
            self._keep_locks(store)

    def set_locks(self, locks: Sequence[Lock]) -> None:
        """Let decisions keep given strategies through all iterations; earlier locks are lifted."""
        if self.bits != 32:
            raise InputError("bits must be 32 when strategies are locked, not 16")
        self.flat.locked[:] = 0
        self._locks = self._locked(locks)

    @contextmanager
    def apart(self, locks: Sequence[Lock]) -> Iterator[None]:
        """Work on empty tables with given locks for a while; the tree's own come back afterwards, whatever happens."""
        kept, regrets = (self.tables, self._locks, self.flat.locked.copy()), self._store()
        self.tables = Tables(regrets, regrets, self._store())
        try:
            self.set_locks(locks)
            yield
        finally:
            self.tables, self._locks = kept[:2]
            self.flat.locked[:] = kept[2]

    def arrays(self, **more: Store) -> dict[str, NDArray[Any]]:
        """The live arrays that change from iteration to iteration, by name; with those of other stores."""
        stores = {"regrets": self.tables.regrets, "average": self.tables.average} | more
        if self.tables.basis is not self.tables.regrets:
            stores["basis"] = self.tables.basis
        return {
            f"{name}.{part}" if part == "scale" else name: array
            for name, store in stores.items()
            for part, array in (("", store.wide if self.bits == 32 else store.narrow), ("scale", store.scale))
            if array.size
        }

    def predict(self) -> None:
        """Make room for predictive rules: what the next strategy is matched from becomes a table of its own."""
        if self.tables.basis is self.tables.regrets:
            self.tables = self.tables._replace(basis=self.fresh_store())

    def fresh_store(self) -> Store:
        """A store of zeros but for the strategies that the user has fixed."""
        store = self._store()
        self._keep_locks(store)
        return store

    def joined(self, first: Store, second: Store) -> Store:
        """A store with the first player's rows of one and the second player's of another."""
        entry, row = int(self.flat.store[1, 0]), int(self.flat.number[1, 0])
        return Store(
            np.append(first.wide[:entry], second.wide[entry:]),
            np.append(first.narrow[:entry], second.narrow[entry:]),
            np.append(first.scale[:row], second.scale[row:]),
        )

    def _keep_locks(self, store: Store) -> None:
        store.wide[self._locks.entry] = self._locks.value

    def _place(self, line: int, decision: int, board: int) -> tuple[int, int, int, int]:
        """Player to act, entry and row number of its first action, and stride."""
        node = self.lines[line].decisions[decision]
        player, rows = node.player, int(self.flat.rows[node.player, line]) - 1
        stride = int(self.boards.stride[player, board])
        entry = int(self.flat.store[player, line]) + rows * int(self.boards.stored[player, board])
        number = int(self.flat.number[player, line]) + rows * int(self.boards.ordinal[board])
        return player, entry + (node.first_row - 1) * stride, number + node.first_row - 1, stride

    def _read(self, store: Store, line: int, decision: int, board: int) -> NDArray[np.float64]:
        player, entry, number, stride = self._place(line, decision, board)
        count = len(self.lines[line].decisions[decision].actions)
        source = store.wide if self.bits == 32 else store.narrow
        rows = source[entry : entry + count * stride].reshape(count, stride).astype(np.float64)
        if self.bits == 16:  # signed square roots
            rows *= abs(rows) * store.scale[number : number + count, None]
        return np.asarray(rows[:, : int(self.boards.held[player, board])])

    def _store(self) -> Store:
        wide, narrow = (self.entries, 0) if self.bits == 32 else (0, self.entries)
        scales = self.stored_rows if self.bits == 16 else 0
        return Store(np.zeros(wide, np.float32), np.zeros(narrow, np.int16), np.zeros(scales, np.float32))

    def _locked(self, locks: Sequence[Lock]) -> Locks:
        entries: list[int] = []
        values: list[float] = []
        for lock in locks:
            player, entry, _, stride = self._place(lock.line, lock.decision, lock.board)
            entries += [entry + action * stride + lock.slot for action in range(len(lock.probabilities))]
            values += lock.probabilities
            node = self.lines[lock.line].decisions[lock.decision]
            nodes = range(*self.flat.node_start[player, lock.line : lock.line + 2].tolist())
            at = next(n for n in nodes if self.flat.first_row[n] == node.first_row)
            self.flat.locked[at] = 1
        table = Locks(np.array(entries, dtype=np.uint64), np.array(values, dtype=np.float32))
        for store in (self.tables.regrets, self.tables.average):
            store.wide[table.entry] = table.value
        return table

    def _sum_over_lines(self, totals: NDArray[Any]) -> int:
        return sum(
            (int(self.flat.rows[player, number]) - 1) * int(totals[player, line.street])
            for player in range(2)
            for number, line in enumerate(self.lines)
        )


def copied(store: Store) -> Store:
    """A store of its own with the same numbers."""
    return Store(store.wide.copy(), store.narrow.copy(), store.scale.copy())


def _normalised(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    positive = np.maximum(rows, 0)
    total = positive.sum(axis=0)
    return np.where(total > 0, positive / np.where(total > 0, total, 1), 1 / len(rows))

"""Numbers by information set and action, with their names: the base of strategies, regrets and tables of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from counterpoise.errors import InputError
from counterpoise.summaries import SCREEN, Summarised, Summary, left_out, make_frame, number
from counterpoise.tree.kernels.layouts import FloatArray
from counterpoise.tree.tree import InfosetTable

if TYPE_CHECKING:
    import pandas

Key = str | tuple[int, str]
WIDEST = 6
"""Actions that a printed table has columns for; more are written one after another."""


class ByInfoset(Mapping[Key, dict[str, float]], Summarised):
    """``numbers[infoset] -> {action: number}`` for all players of one game.

    `numbers` is the flat array behind it (see `InfosetTable`); `game` is the name of the game.
    Indexing takes an infoset's label, or (player, label) where two players share a label.
    """

    name: ClassVar[str] = "a table"
    """Its name in messages."""
    kind: ClassVar[str] = "numbers"
    """The name of its numbers in messages and titles."""
    column: ClassVar[str] = "number"
    """The name of the column of its numbers."""

    def __init__(self, game: str, table: InfosetTable, numbers: FloatArray) -> None:
        self.game = game
        self.table = table
        self.numbers = np.asarray(numbers, dtype=np.float64)
        if self.numbers.shape != (table.size,):
            raise InputError(f"{self.name} for {game} needs {table.size} {self.kind}, not {self.numbers.shape}")

    def of(self, infoset: int) -> list[float]:
        """Return the numbers of the infoset with this number in the table, one per action."""
        start = int(self.table.start[infoset])
        found: list[float] = self.numbers[start : start + len(self.table.actions[infoset])].tolist()
        return found

    def __getitem__(self, key: Key) -> dict[str, float]:
        infoset = self.table.find(key)
        return dict(zip(self.table.actions[infoset], self.of(infoset), strict=True))

    def __iter__(self) -> Iterator[Key]:
        """Iterate over labels, as (player, label) where the label alone is ambiguous."""
        for player, label in self.table:
            yield label if len(self.table.by_label[label]) == 1 else (player, label)

    def __len__(self) -> int:
        return len(self.table)

    def __contains__(self, key: object) -> bool:
        return len(self.table.candidates(key)) == 1

    def get(self, key: Key, default: Any = None, /) -> Any:
        """Return the numbers at an infoset, or the default if there is none of that name."""
        known = key in self  # asked first, as an error would search for similar names
        return self[key] if known else default

    def __eq__(self, other: object) -> bool:
        """Compare infosets and numbers exactly."""
        if not isinstance(other, ByInfoset):
            return NotImplemented
        return list(self.table) == list(other.table) and np.array_equal(self.numbers, other.numbers)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.game!r}, {len(self)} infosets)"

    def to_frame(self) -> pandas.DataFrame:
        """Return one row per (player, infoset, action) with its number, as a pandas table; players count from 0."""
        return labelled_frame(self.table, {self.column: self})

    def summary(self) -> Summary:
        """Return one line per information set; of a large game those of the earliest decisions."""
        shown = earliest(self.table, SCREEN)
        actions = list(dict.fromkeys(action for i in shown for action in self.table.actions[i]))
        wide = len(actions) <= WIDEST
        rows = []
        for i in shown:
            cells = dict(zip(self.table.actions[i], map(self.spelled, self.of(i)), strict=True))
            numbers = [cells.get(a, "") for a in actions] if wide else ["  ".join(" ".join(c) for c in cells.items())]
            rows.append([str(self.table.owner[i] + 1), self.table.labels[i], *numbers])
        columns = ["player", "infoset", *(actions if wide else [self.column])]
        title = f"{self.game}: {self.kind} in {len(self):,} information set{'s' * (len(self) != 1)}"
        aligned = range(2, len(columns)) if wide else ()
        return Summary(title, (), columns, rows, aligned, left_out(len(shown), len(self), "information sets"))

    def spelled(self, value: float) -> str:
        """Return a number as tables show it."""
        return number(value)


class Regrets(ByInfoset):
    """Regret sums ``regrets[infoset] -> {action: regret}`` in the game's unit, as the algorithm keeps them.

    CFR keeps plain sums; in others they are discounted, cut to zero or estimated from samples.
    """

    name, kind = "a table of regrets", "regrets"
    column = "regret"

    def spelled(self, value: float) -> str:
        """Return a regret as tables show it: four decimals, unless it is very large or very small."""
        return f"{value:.4f}" if value == 0 or 1e-4 <= abs(value) < 1e4 else number(value)


def earliest(table: InfosetTable, most: int) -> list[int]:
    """Return up to `most` infosets in the table's order: the shortest labels, as many of each player where possible."""
    if len(table) <= most:
        return list(range(len(table)))
    own = [np.flatnonzero(table.owner == player) for player in range(table.players)]
    ranked = [sorted(one.tolist(), key=lambda i: len(table.labels[i])) for one in own]
    turns = (one[turn] for turn in range(most) for one in ranked if turn < len(one))
    return sorted(infoset for _, infoset in zip(range(most), turns, strict=False))


def labelled_rows(
    table: InfosetTable, columns: Mapping[str, ByInfoset], infosets: Sequence[int]
) -> Iterator[tuple[int, str, str, list[float]]]:
    """Yield player (from 0), infoset, action and the number of each column, for every action of the infosets."""
    for i in infosets:
        numbers = zip(*(column.of(i) for column in columns.values()), strict=True)
        for action, row in zip(table.actions[i], numbers, strict=True):
            yield int(table.owner[i]), table.labels[i], action, list(row)


def labelled_frame(table: InfosetTable, columns: Mapping[str, ByInfoset]) -> pandas.DataFrame:
    """Return one row per (player, infoset, action) with the number of each column, as a pandas table."""
    rows = labelled_rows(table, columns, range(len(table)))
    return make_frame(["player", "infoset", "action", *columns], ((*names, *numbers) for *names, numbers in rows))


def labelled_json(table: InfosetTable, columns: Mapping[str, ByInfoset]) -> list[dict[str, Any]]:
    """Return one entry per infoset in the types of JSON: player (from 0), label, actions and each column's numbers."""
    return [
        {"player": player, "infoset": label, "actions": list(table.actions[i])}
        | {name: column.of(i) for name, column in columns.items()}
        for i, (player, label) in enumerate(table)
    ]

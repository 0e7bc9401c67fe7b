"""What a solver holds at one moment, by information set and action: regrets, current and average strategy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from counterpoise.errors import InputError
from counterpoise.names import suggest
from counterpoise.parameters import shown
from counterpoise.summaries import SCREEN, Summarised, Summary, left_out
from counterpoise.tree.by_infoset import ByInfoset, Regrets, earliest, labelled_frame, labelled_json, labelled_rows

if TYPE_CHECKING:
    import pandas

    from counterpoise.solvers.tree_solver import TreeSolver

COLUMNS = ("regrets", "current", "average")
"""What a snapshot may show."""


@dataclass(frozen=True, eq=False)
class Snapshot(Summarised):
    """Numbers by information set and action after an iteration; `columns` holds what was asked for, by name.

    ``snapshot["regrets"]["K:pb"]`` is {action: regret}; regrets are in the game's unit, as the algorithm keeps them.
    """

    game: str
    algorithm: str
    iteration: int
    columns: dict[str, ByInfoset]

    def __getitem__(self, column: str) -> ByInfoset:
        """Return the numbers of one column by information set: a `Strategy`, or `Regrets`."""
        if column not in self.columns:
            raise InputError(f"this snapshot has no {shown(column)}: {suggest(column, self.columns)}")
        return self.columns[column]

    def to_frame(self) -> pandas.DataFrame:
        """Return one row per (player, infoset, action) with a column for each of the numbers, as a pandas table."""
        return labelled_frame(self._table, self.columns)

    def to_json(self) -> dict[str, Any]:
        """Return the iteration and, for each infoset, its player (from 0), label, actions and numbers."""
        return {"iteration": self.iteration, "infosets": labelled_json(self._table, self.columns)}

    def summary(self) -> Summary:
        """Return one line per information set and action; of a large game those of the earliest decisions."""
        table = self._table
        most = max(SCREEN // max((len(actions) for actions in table.actions), default=1), 2)
        chosen = earliest(table, most)
        rows = [
            [
                str(player + 1),
                label,
                action,
                *(one.spelled(n) for one, n in zip(self.columns.values(), row, strict=True)),
            ]
            for player, label, action, row in labelled_rows(table, self.columns, chosen)
        ]
        columns = ["player", "infoset", "action", *self.columns]
        title = f"{self.game} · {self.algorithm} · iteration {self.iteration:,}"
        notes = left_out(len(chosen), len(table), "information sets")
        return Summary(title, (), columns, rows, range(3, len(columns)), notes)

    @property
    def _table(self) -> Any:
        return next(iter(self.columns.values())).table


def take_snapshot(solver: TreeSolver, columns: Sequence[str] = ()) -> Snapshot:
    """Return the named columns of what a solver holds now; without names all that it has."""
    check_columns(columns)
    found: dict[str, ByInfoset] = {}
    for name in columns or COLUMNS:
        if name != "regrets":
            found[name] = solver.current if name == "current" else solver.average
        elif (sums := solver.regret_profile()) is not None:
            found[name] = Regrets(solver.tree.name, solver.tree.table, sums)
        elif columns:
            raise InputError(f"{solver.settings.name} keeps no regrets by information set: ask for current or average")
    return Snapshot(solver.tree.name, solver.settings.name, solver.iteration, found)


def check_columns(columns: Sequence[str]) -> None:
    """Refuse a column that no snapshot has."""
    for name in columns:
        if name not in COLUMNS:
            raise InputError(f"a snapshot has no {shown(name)}: {suggest(name, COLUMNS)}")

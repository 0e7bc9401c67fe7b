"""What a run of simultaneous abstraction and equilibrium finding has found: kept in a file, and continued from one."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from counterpoise.errors import InputError
from counterpoise.jobs import IteratedResult, JobHistory
from counterpoise.solvers.saef.cfr import SUMS, GrowingCFR
from counterpoise.solvers.saef.exploitability import GRID, Mode, exploitability
from counterpoise.solvers.saef.game import ContinuousLeduc
from counterpoise.solvers.saef.grower import AbstractionGrower, Change, Growth
from counterpoise.solvers.saef.kernels.layouts import DEAL, GONE, BettingTree
from counterpoise.solvers.saef.rules import AbstractionRules, to_strategy
from counterpoise.store import read_cpz, write_cpz
from counterpoise.store.headers import GrowthHeader
from counterpoise.store.json import plain_json
from counterpoise.store.schemas import SCHEMAS
from counterpoise.tree import Strategy

KEPT = ("strategy", "fallback", *SUMS)
"""The tables that a file keeps; the others are working memory."""


class GrowthPoint(NamedTuple):
    """One measurement."""

    nodes_touched: int
    iterations: int
    worth: float
    """Iterations after all discounts."""
    exploitability: float
    size: int
    """Public nodes of the abstraction."""
    additions: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class GrownAbstraction(IteratedResult):
    """An abstraction that has grown while it was solved, and its average strategy; unit: chips (antes)."""

    game: str
    mode: Mode
    """How exploitability is measured."""
    exploitability: float
    """The exploitability of the average strategy where every size of bet is possible."""
    size: int
    """Public nodes of the abstraction."""
    infosets: int
    additions: int
    worth: float
    """Iterations after all discounts."""
    nodes_touched: int
    """Public nodes, those of recovery games included."""
    failure: str | None
    """Why a scorer ended it, if one failed."""
    trace: list[GrowthPoint] = field(repr=False)
    grower: AbstractionGrower = field(repr=False)

    @property
    def changes(self) -> list[Change]:
        """What was added to the abstraction, and what was removed, in this order."""
        return self.grower.changes

    @cached_property
    def rules(self) -> AbstractionRules:
        """The abstraction as a game: what `cp.exploitability` and the other functions for general games take."""
        return AbstractionRules(self.grower.cfr.tree)

    @cached_property
    def strategy(self) -> Strategy:
        """The average strategy in that game."""
        return to_strategy(self.grower.cfr.tree, self.grower.cfr.average_strategy())

    def exploitability_in(self, mode: Mode, grid: int = GRID) -> float:
        """Return the exploitability of the average strategy in another mode, in chips."""
        return exploitability(self.grower.cfr.tree, self.grower.cfr.average_strategy(), mode, grid)

    def to_json(self) -> dict[str, Any]:
        """Return the figures, settings, trace and changes in the types of JSON, without the strategy."""
        figures = {name: value for name, value in self.fields_in_order().items() if name in FIGURES}
        others = {"settings": asdict(self.grower.settings), "changes": self.changes}
        return {key: plain_json(value) for key, value in (figures | others).items()}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all that is needed to continue into a `.cpz` file."""
        cfr = self.grower.cfr
        count = cfr.tree.count
        header = GrowthHeader.of(
            self,
            game=_settings_of(cfr.tree.game),
            settings=asdict(self.grower.settings),
            sizes=cfr.tree.sizes,
            live=cfr.tree.live,
            changes=[list(change) for change in self.changes],
        )
        arrays = {f"tree.{name}": array[:count] for name, array in cfr.tree.arrays._asdict().items()}
        write_cpz(path, "growth", header, arrays | {f"sums.{name}": getattr(cfr.tables, name)[:count] for name in KEPT})

    def plot(self, path: str | os.PathLike[str]) -> Path:
        """Draw exploitability and size against nodes touched into a PNG, SVG or PDF file; return its path."""
        from counterpoise.plots import Curve, Panel, panels

        nodes = [point.nodes_touched for point in self.trace]
        curves = {
            f"exploitability ({self.mode}), chips": [point.exploitability for point in self.trace],
            "public nodes": [float(point.size) for point in self.trace],
        }
        parts = [Panel({label: Curve(nodes, line)}, x_label="nodes touched") for label, line in curves.items()]
        return panels(parts, path, title=self.game)


FIGURES = frozenset(entry.name for entry in fields(GrownAbstraction)) - {"grower", "reached", "unsaved"}


def load_growth(path: str | os.PathLike[str]) -> GrownAbstraction:
    """Return what `GrownAbstraction.save` has written."""
    raw, arrays = read_cpz(path, "growth")
    header = GrowthHeader.read(raw, path)
    try:
        game, settings = ContinuousLeduc(**header.game), Growth(**header.settings)
        cfr = GrowingCFR(game, header.sizes, settings.archive)
    except (TypeError, ValueError) as error:
        raise InputError(f"{path} is damaged: its header describes no abstraction ({error})") from None
    _restore(cfr, header, arrays, path)
    changes = [Change(*row) for row in header.changes]
    trace = [GrowthPoint(*row) for row in header.trace]
    last = trace[-1].exploitability if trace else float("nan")
    grower = AbstractionGrower(cfr, settings, changes=changes)
    return make_result(grower, header.mode, last, JobHistory(trace, header.seconds, header.cpu_seconds))


def make_result(
    grower: AbstractionGrower, mode: Mode, measured: float, history: JobHistory, failure: str | None = None
) -> GrownAbstraction:
    """Return the result of a grower where it stands."""
    cfr = grower.cfr
    return GrownAbstraction(
        game=cfr.tree.game.name,
        mode=mode,
        exploitability=measured,
        size=cfr.tree.live,
        infosets=cfr.tree.infosets,
        additions=grower.additions,
        iterations=cfr.iterations,
        worth=cfr.worth,
        nodes_touched=cfr.nodes_touched,
        failure=failure,
        trace=list(history.trace),
        grower=grower,
        **history.outcome,
    )


def _settings_of(game: ContinuousLeduc) -> dict[str, Any]:
    return {entry.name: getattr(game, entry.name) for entry in fields(game)}


def _restore(cfr: GrowingCFR, header: GrowthHeader, arrays: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a tree and its sums into a fresh run; refuse what kernels would follow to nowhere."""
    tree = cfr.tree
    count = arrays["tree.kind"].size if "tree.kind" in arrays else 0
    if not 0 < header.live <= count:
        raise InputError(f"{path} is damaged: {header.live:,} of its {count:,} nodes cannot be there")
    sizes = {
        "nodes": count,
        "last node": count - 1,
        "ranks": tree.game.ranks,
        "bets": tree.game.max_bets,
        "last kind": GONE,
        "last kind with children": DEAL,
        "kind of what is gone": GONE,
    }
    (part,) = SCHEMAS["growth"].parts
    part.check(path, arrays, sizes)
    rows: list[Any] = [arrays[f"tree.{name}"].copy() for name in BettingTree._fields]
    tree.arrays, tree.count, tree.live = BettingTree(*rows), count, header.live
    cfr.make_room()
    for name in KEPT:
        getattr(cfr.tables, name)[:count] = arrays[f"sums.{name}"]
        getattr(cfr.tables, name)[count:] = 0.0
    cfr.iterations, cfr.nodes_touched, cfr.worth = header.iterations, header.nodes_touched, header.worth

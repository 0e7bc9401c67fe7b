"""A solved spot: its figures and its nodes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from counterpoise.errors import InputError
from counterpoise.progress import CancelToken, Progress
from counterpoise.solvers.public.base import PublicGameSolver
from counterpoise.spots.paths import SpotPlace, find
from counterpoise.spots.rivers import LazyRivers
from counterpoise.spots.spot import SizeTable
from counterpoise.spots.strategies import SpotStrategies
from counterpoise.store.json import plain_json
from counterpoise.summaries import Summarised, Summary

if TYPE_CHECKING:
    import pandas

    from counterpoise.spots.table.agent import SpotAgent


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution(SpotStrategies, Summarised):
    """The solution of a spot; exploitability is in per cent of the starting pot. A file keeps no target."""

    ev: dict[str, float]
    """What each player wins of the starting pot: without rake both sum to it."""
    solver: PublicGameSolver | None = field(repr=False, default=None)
    """The solver, for resuming; None if rivers were left out, or if the solution was loaded only to be viewed."""

    @property
    def first(self) -> str:
        """The root."""
        return "r:0"

    @property
    def size_tables(self) -> Mapping[str, SizeTable]:
        """The bet sizes by street."""
        return self.spot.size_tables

    @property
    def whole(self) -> bool:
        """Whether the strategies of all streets are there."""
        return not isinstance(self.stored, LazyRivers)

    def places(self, id: str) -> list[SpotPlace]:
        """Return the places from the root to a node."""
        return find(self.spot, id)

    def cost_so_far(self, player: str) -> float:
        """Return 0: searches are compared with the solution."""
        return 0.0

    def as_agent(self) -> SpotAgent:
        """Return an agent that follows the solution at a table."""
        from counterpoise.spots.table.agent import SpotAgent

        return SpotAgent.of(self)

    def summary(self) -> Summary:
        """Return the figures, and the frequency of each action at the root."""
        worth = f", of which the warm start is worth {self.warm_iterations:,}" if self.warm_iterations else ""
        facts = [
            ("EV", f"oop {self.ev['oop']:.3f},  ip {self.ev['ip']:.3f}  of {self.spot.pot:,} chips"),
            ("exploitability", f"{self.exploitability_pct:.3f} % of the pot"),
            ("iterations", f"{self.iterations:,}{worth}"),
            *self.cost_facts,
        ]
        root = self.root
        shares = zip(root.actions, root.action_names, root.frequencies.values(), strict=True)
        rows = [[name, words, f"{100 * share:.1f} %"] for name, words, share in shares]
        title = " · ".join((self.spot.name or "spot", self.spot.board, self.algorithm))
        return Summary(title, facts, ["id", f"{root.player} at {root.id}", "frequency"], rows, [2])

    def to_frame(self) -> pandas.DataFrame:
        """Return one row per hand at the root as a pandas table; `node(id).to_frame()` has those of other nodes."""
        return self.root.to_frame()

    def to_json(self) -> dict[str, Any]:
        """Return the figures in the types of JSON, without the strategies below the root."""
        names = (
            *("algorithm", "bits", "ev", "exploitability_pct", "iterations", "warm_iterations", "seconds"),
            *("cpu_seconds", "memory_mb", "nodes", "reached", "interrupted", "target", "trace"),
        )
        answer = {"name": self.spot.name, "board": self.spot.board} | {name: getattr(self, name) for name in names}
        answer["root"] = {"actions": self.root.actions, "frequencies": list(self.root.frequencies.values())}
        return {key: plain_json(value) for key, value in answer.items()}

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        river: bool = True,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> None:
        """Write a `.cpz` file. Whole, `solve_spot(resume=...)` continues from it.

        Without the `river`, the last street's strategies are left out: the file is much smaller, and a river is
        solved again when it is looked at.
        """
        from counterpoise.spots.files import write_solution

        if river and self.whole and self.solver is None:
            raise InputError("the solution was loaded to be looked at only: load it with resumable=True to save it")
        write_solution(self, path, river, progress, cancel)


def share_of_pot(values: np.ndarray[tuple[int], np.dtype[np.float64]], pot: int) -> dict[str, float]:
    """Return both players' winnings of the pot, from values relative to half of it."""
    return {"oop": float(values[0]) + pot / 2, "ip": float(values[1]) + pot / 2}

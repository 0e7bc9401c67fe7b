"""A solved spot: its figures and its nodes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from counterpoise.public import HoldemTree
from counterpoise.solvers import TracePoint
from counterpoise.solvers.driver import Course
from counterpoise.spots.files import write_solution
from counterpoise.spots.node import Deal, Decision, Reaches, make_node
from counterpoise.spots.paths import DEALING, Place, find
from counterpoise.spots.spot import Spot


@dataclass(frozen=True, eq=False)
class Solution:
    """What solving a spot produced. Chips; exploitability in per cent of the starting pot; seconds with measuring."""

    spot: Spot
    algorithm: str
    bits: int
    ev: dict[str, float]
    """By player, its share of the starting pot: without rake both sum to the pot."""
    exploitability_pct: float
    iterations: int
    """All that the averages count: those that a warm start is worth and those run since."""
    nodes: int
    nodes_touched: int
    memory_mb: float
    course: Course = field(repr=False)
    tree: HoldemTree = field(repr=False)
    """The engine's tables, as they were at the end."""

    @property
    def trace(self) -> list[TracePoint]:
        """Exploitability in per cent of the pot at every measured iteration."""
        return self.course.trace

    @property
    def seconds(self) -> float:
        """Time spent iterating and measuring."""
        return self.course.seconds

    @property
    def cpu_seconds(self) -> float:
        """The same of all threads together."""
        return self.course.cpu_seconds

    @property
    def warm_iterations(self) -> int:
        """How many iterations the warm start was worth; 0 without one."""
        return self.course.origin

    @property
    def reached(self) -> bool:
        """False if a target was set and the run ended before it."""
        return self.course.reached

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the run."""
        return self.course.interrupted

    @property
    def unsaved(self) -> str | None:
        """Why the last checkpoint could not be written, if so."""
        return self.course.unsaved

    @cached_property
    def root(self) -> Decision:
        """The first decision."""
        node = self.node("r:0")
        assert isinstance(node, Decision)
        return node

    def node(self, id: str) -> Decision | Deal:
        """The node with an id such as ``r:0:b50:c:8h``, seen with the ranges that arrive there."""
        places = find(self.spot, self.tree.lines, id)
        return make_node(self.spot, self.tree, places[-1], self._reaches(places), self.node)

    def save(self, path: str | os.PathLike[str], *, river: bool = True) -> None:
        """Write a `.cpz` file. Whole, `solve_spot(resume=...)` continues from it.

        Without the `river`, the last street's strategies are left out: the file is much smaller, and a river is
        solved again when it is looked at.
        """
        write_solution(self, path, river)

    def _reaches(self, places: list[Place]) -> Reaches:
        place = places[-1]
        if place.decision != DEALING:
            return self.tree.reaches(place.line, place.decision, place.cards)
        before = places[-2]  # the call or check that ended the street
        first, second = self.tree.reaches(before.line, before.decision, before.cards)
        node = self.tree.lines[before.line].decisions[before.decision]
        taken = self.tree.behaviour(before.line, before.decision, before.cards)[node.actions.index(place.steps[-1])]
        return (first * taken, second) if node.player == 0 else (first, second * taken)


def share_of_pot(values: np.ndarray[tuple[int], np.dtype[np.float64]], pot: int) -> dict[str, float]:
    """What both players win of the pot, from values whose zero is half of it."""
    return {"oop": float(values[0]) + pot / 2, "ip": float(values[1]) + pot / 2}

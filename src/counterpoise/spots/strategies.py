"""What solutions and searches of spots share: strategies to walk node by node, and how the run that found them went."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property

from counterpoise.public import HoldemTree
from counterpoise.solvers import TracePoint
from counterpoise.solvers.driver import RunHistory
from counterpoise.spots.node import Deal, Decision, Reaches, make_node
from counterpoise.spots.paths import DEALING, Place
from counterpoise.spots.spot import SizeTable, Spot


class SpotStrategies(ABC):
    """Strategies of both players in a spot, or from one of its nodes on."""

    spot: Spot
    tree: HoldemTree
    history: RunHistory

    @abstractmethod
    def places(self, id: str) -> list[Place]:
        """The places on the way from where the strategies begin to a node, the node last; refused if there is none."""

    @property
    @abstractmethod
    def first(self) -> str:
        """The id of the first decision."""

    @property
    @abstractmethod
    def size_tables(self) -> Mapping[str, SizeTable]:
        """The bet sizes by street."""

    @abstractmethod
    def cost_so_far(self, player: str) -> float:
        """What these strategies, in the place of a solution's, cost a player at most; nan if that is not known."""

    @cached_property
    def root(self) -> Decision:
        """The first decision."""
        node = self.node(self.first)
        assert isinstance(node, Decision)
        return node

    def node(self, id: str) -> Decision | Deal:
        """The node with an id such as ``r:0:b50:c:8h``, seen with the ranges that arrive there."""
        places = self.places(id)
        return make_node(self.spot, self.tree, places[-1], self._reaches(places), self.node)

    @property
    def trace(self) -> list[TracePoint]:
        """Exploitability in per cent of the pot at every measured iteration."""
        return self.history.trace

    @property
    def seconds(self) -> float:
        """Time spent iterating and measuring."""
        return self.history.seconds

    @property
    def cpu_seconds(self) -> float:
        """The same of all threads together."""
        return self.history.cpu_seconds

    @property
    def reached(self) -> bool:
        """False if a target was set and the run ended before it."""
        return self.history.reached

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the run."""
        return self.history.interrupted

    @property
    def unsaved(self) -> str | None:
        """Why the last checkpoint could not be written, if so."""
        return self.history.unsaved

    def _reaches(self, places: list[Place]) -> Reaches:
        place = places[-1]
        if place.decision != DEALING:
            return self.tree.reaches(place.line, place.decision, place.cards)
        before = places[-2]  # the call or check that ended the street
        first, second = self.tree.reaches(before.line, before.decision, before.cards)
        node = self.tree.lines[before.line].decisions[before.decision]
        taken = self.tree.behaviour(before.line, before.decision, before.cards)[node.actions.index(place.steps[-1])]
        return (first * taken, second) if node.player == 0 else (first, second * taken)

"""The common base of solutions and searches of spots: strategies to walk node by node, and figures of the run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from counterpoise.jobs import IteratedResult, TracePoint
from counterpoise.progress import duration, memory_size
from counterpoise.public import HoldemGame
from counterpoise.spots.node import Deal, Decision
from counterpoise.spots.paths import SpotPlace, public_node
from counterpoise.spots.rivers import StoredStrategies
from counterpoise.spots.spot import SizeTable, Spot


@dataclass(frozen=True, eq=False, kw_only=True)
class SpotStrategies(IteratedResult, ABC):
    """Strategies of both players in a spot, or from one of its nodes on. Chips; seconds with measuring."""

    spot: Spot
    algorithm: str
    bits: int
    exploitability_pct: float
    """Exploitability in the game that was solved, in per cent of the pot where the strategies begin."""
    target: float | None = None
    """The exploitability at which the run was to stop; None if none was set."""
    iterations: int
    """All iterations that the averages count: those that a warm start is worth and those run since."""
    nodes: int
    nodes_touched: int
    memory_mb: float
    warm_iterations: int = 0
    """The number of iterations that the warm start was worth; 0 without one."""
    trace: list[TracePoint] = field(repr=False, default_factory=list)
    """Exploitability in per cent of the pot at every measured iteration."""
    stored: StoredStrategies = field(repr=False)
    """The average strategies."""

    @abstractmethod
    def places(self, id: str) -> list[SpotPlace]:
        """Return the places from where the strategies begin to a node, the node last; refused if there is none."""

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
        """Return the most that these strategies, in place of a solution's, cost a player; nan if not known."""

    @property
    def cost_facts(self) -> list[tuple[str, str]]:
        """Lines on time and memory, and on a target that was missed."""
        memory = f"{memory_size(1e6 * self.memory_mb)} with {self.bits} bits, {self.nodes:,} nodes"
        lines = [("time", f"{duration(self.seconds)}  (CPU {duration(self.cpu_seconds)})"), ("memory", memory)]
        return lines if self.reached else [*lines, ("target", "not reached")]

    @cached_property
    def root(self) -> Decision:
        """The first decision."""
        node = self.node(self.first)
        assert isinstance(node, Decision)
        return node

    def node(self, id: str) -> Decision | Deal:
        """Return the node with an id such as ``r:0:b50:c:8h``, seen with the ranges that arrive there."""
        places = self.places(id)
        at = public_node(self.game, places[-1], len(places[0].steps))
        return (Deal if places[-1].dealing else Decision)(self.spot, self.stored, at, places, self.node)

    @property
    def game(self) -> HoldemGame:
        """The public game that the strategies are for."""
        return self.stored.game

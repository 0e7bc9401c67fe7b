"""What search has found at a node of a solved spot: new strategies, what they may cost, and whether they are safe."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from counterpoise.games.bet_sizes import label
from counterpoise.public import HoldemTree
from counterpoise.solvers.driver import Course
from counterpoise.spots.actions import PLAYERS, describe
from counterpoise.spots.paths import Place, find_below
from counterpoise.spots.search_files import write_search
from counterpoise.spots.spot import SizeTable, Spot
from counterpoise.spots.strategies import SpotStrategies

SAFE_PCT = 0.5
"""What the opponent may gain on average, in per cent of the pot, before a strategy is called not safe."""


@dataclass(frozen=True)
class HandMargin:
    """A hand of the opponent, in chips from the node on: what it could win before, what it can win now.

    `weight` is what of it arrives under the solution, `met` the weight of the searcher's hands that it can meet, `gift`
    what it has given up on its way here (0 if gifts are not counted), and `entry` how often it would rather play on
    than take its alternative (maxmargin: how much of the opponent's choice falls on it; unsafe: not known).
    """

    hand: str
    weight: float
    met: float
    alternative: float
    gift: float
    value: float
    entry: float | None

    @property
    def margin(self) -> float:
        """What the hand has lost, its gift included; below 0, what it has gained."""
        return self.alternative + self.gift - self.value


@dataclass(frozen=True, eq=False)
class SpotSearch(SpotStrategies):
    """What search found at a node of a solved spot. Chips; per cent of the pot at the node; seconds with measuring."""

    spot: Spot
    place: Place
    """The node that was searched, as the solution knows it."""
    start: Place
    """Where the new strategies begin: the node, or what follows the bet that is faced."""
    searcher: str
    method: str
    spread: float | None
    """Of distributional alternatives, in per cent of the pot."""
    gifts: str
    gift_scale: float
    algorithm: str
    bits: int
    tables: dict[str, SizeTable]
    """The bet sizes by street."""
    hands: list[HandMargin] = field(repr=False)
    """The opponent's hands that can meet the searcher's range."""
    cost: float
    """What the opponent can gain at most in the whole spot if the searcher plays like this at the node, in chips.

    The sum of what its hands gain, each as often as it can come here at most."""
    frequencies_before: dict[str, float] | None
    """How often the solution takes each action at the node; None after a bet that it does not know."""
    ev_before: dict[str, float]
    """By player, at the node under the solution."""
    ev_after: dict[str, float]
    """By player, where the new strategies begin, both players using them and coming with the ranges of the solution.

    After a bet that it does not know: as though every hand that arrives at the node made the bet."""
    exploitability_pct: float
    """Of the new strategies in the game that was solved: how far the search is from its end."""
    target: float | None
    iterations: int
    nodes: int
    nodes_touched: int
    memory_mb: float
    course: Course = field(repr=False)
    tree: HoldemTree = field(repr=False)

    @property
    def id(self) -> str:
        """The node that was searched."""
        return self.place.id

    @property
    def first(self) -> str:
        """Where the new strategies begin."""
        return self.start.id

    @property
    def size_tables(self) -> Mapping[str, SizeTable]:
        """The bet sizes by street."""
        return self.tables

    def places(self, id: str) -> list[Place]:
        """The places on the way from where the new strategies begin to a node, by its id in the whole spot."""
        return find_below(self.spot, self.start, self.tree.lines, id)

    @property
    def opponent(self) -> str:
        """Who does not search."""
        return PLAYERS[self.searcher == PLAYERS[0]]

    @property
    def facing(self) -> str | None:
        """The bet that the solution does not know, as node ids write it."""
        if self.start.steps == self.place.steps:
            return None
        bet = self.start.steps[-1]
        assert isinstance(bet, int)
        return label(bet)

    @property
    def facing_name(self) -> str | None:
        """The same in words: "bet 80", "raise to 150"."""
        return None if self.facing is None else describe(int(self.facing[1:]), self.place.state, self.spot.betting)

    @property
    def pot(self) -> int:
        """All chips in the middle at the node."""
        return self.spot.betting.total_pot(self.place.state)

    @property
    def smallest_margin(self) -> float:
        """Of all hands of the opponent."""
        return min(hand.margin for hand in self.hands)

    @property
    def loss(self) -> float:
        """The most that the new strategy can lose to one hand beyond what the solution's did; 0 is safe."""
        return max(0.0, -self.smallest_margin)

    @property
    def loss_pct(self) -> float:
        """The same in per cent of the pot."""
        return 100 * self.loss / self.pot

    @property
    def mean_loss(self) -> float:
        """What the opponent gains on average over the hands that arrive, each counted only if it gains."""
        return self._mean(lambda hand: max(0.0, -hand.margin))

    @property
    def mean_loss_pct(self) -> float:
        """What the opponent gains on average, in per cent of the pot."""
        return 100 * self.mean_loss / self.pot

    @property
    def mean_margin(self) -> float:
        """The mean of the margins over the hands that arrive."""
        return self._mean(lambda hand: hand.margin)

    @property
    def mean_gift(self) -> float:
        """The mean of the gifts over the hands that arrive."""
        return self._mean(lambda hand: hand.gift)

    @property
    def cost_pct(self) -> float:
        """What the opponent can gain at most in the whole spot, in per cent of its starting pot."""
        return 100 * self.cost / self.spot.pot

    @property
    def shortfall(self) -> float:
        """What the opponent gains on average if it may come with any hand, each counted only if it gains."""
        met = sum(hand.met for hand in self.hands)
        return sum(hand.met * max(0.0, -hand.margin) for hand in self.hands) / met

    @property
    def shortfall_pct(self) -> float:
        """The same in per cent of the pot."""
        return 100 * self.shortfall / self.pot

    @property
    def safe(self) -> bool:
        """Whether the opponent, with whatever hands it comes, gains no more than half a per cent of the pot."""
        return self.shortfall_pct <= SAFE_PCT

    @property
    def verdict(self) -> str:
        """Whether the new strategy may be used in the place of the old one, in one sentence."""
        if self.loss_pct < 0.005:
            return f"Safe: no hand of {self.opponent} can win more than against the old strategy."
        worst = min(self.hands, key=lambda hand: hand.margin)
        most = f"{self.shortfall_pct:.2f} % of the pot, {self.loss_pct:.2f} % with {worst.hand}"
        if self.safe:
            return f"Safe: on average {self.opponent} gains at most {most}."
        gain = f"against the new strategy {self.opponent} can gain {most}"
        if self.method == "unsafe":
            return f"Not safe: {gain}, for {self.opponent} need not come with the range that unsafe trusts."
        if self.method == "distributional":
            return f"Not safe: {gain}; resolve or a smaller spread would allow less."
        if self.gift_scale > 1:
            return f"Not safe: {gain}; gifts scaled by more than 1 allow that."
        if self._may_get_better():
            return f"Not safe yet: {gain}; a lower target may bring that down."
        if self.facing:
            return f"Not safe: {gain}; to {self.facing_name} is worth more to it than all that the old strategy knows."
        return f"Not safe: {gain}; with these bet sizes more search does not help."

    def _may_get_better(self) -> bool:
        """Whether what the opponent gains is within the error of the search: twice its exploitability."""
        error = 2 * self.exploitability_pct / 100 * self.pot
        if self.method == "maxmargin":
            return self.loss <= error
        return self.shortfall <= error

    def _mean(self, figure: Callable[[HandMargin], float]) -> float:
        """The mean over the pairs of hands that arrive; nan if none does."""
        total = sum(hand.weight * hand.met for hand in self.hands)
        found = sum(hand.weight * hand.met * figure(hand) for hand in self.hands)
        return found / total if total > 0 else float("nan")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a `.cpz` file, which `load_search` reads."""
        write_search(self, path)

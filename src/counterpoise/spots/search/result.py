"""The result of a search at a node of a solved spot: new strategies, their cost, and whether they are safe."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from counterpoise.betting.sizes import label
from counterpoise.betting.words import PLAYERS, describe
from counterpoise.progress import CancelToken, Progress
from counterpoise.spots.paths import SpotPlace, find_below
from counterpoise.spots.search.files import write_search
from counterpoise.spots.spot import SizeTable
from counterpoise.spots.strategies import SpotStrategies
from counterpoise.store.json import plain_json

if TYPE_CHECKING:
    from counterpoise.spots.solution import Solution

SAFE_PCT = 0.5
"""The mean gain of the opponent, in per cent of the pot, above which a strategy is not called safe."""


@dataclass(frozen=True)
class HandMargin:
    """A hand of the opponent: its winnings from the node on before and after the search, in chips.

    `weight` is its reach under the solution, `met` the weight of the searcher's hands that it can meet, `gift` what it
    has given up on its path (0 if gifts are not counted), `allowed` the part of that it may win back, and `entry` how
    often it enters the subgame instead of taking its alternative (maxmargin: its share of the opponent's choice;
    unsafe: not known).
    """

    hand: str
    weight: float
    met: float
    alternative: float
    gift: float
    allowed: float
    value: float
    entry: float | None

    @property
    def margin(self) -> float:
        """Its alternative plus what it may win back, minus what it can win now; negative if it gains beyond that."""
        return self.alternative + self.allowed - self.value


def allowed_gift(gift: float, gift_scale: float) -> float:
    """Return the part of a gift that a hand may win back without gaining by coming here: at most the gift."""
    return min(gift_scale, 1.0) * gift


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SpotSearch(SpotStrategies):
    """What search found at a node of a solved spot; exploitability and target are in per cent of the pot there."""

    place: SpotPlace
    """The node that was searched, as the solution knows it."""
    start: SpotPlace
    """Where the new strategies begin: at the node, or after the bet that is faced."""
    searcher: str
    method: str
    spread: float | None
    """The spread of distributional alternatives, in per cent of the pot."""
    gifts: str
    gift_scale: float
    sizes: dict[str, SizeTable]
    """Tables by street: the searcher's new ones, and the opponent's, who keeps those of the solution."""
    hands: list[HandMargin]
    """The opponent's hands that can meet the searcher's range."""
    cost: float
    """The most that the opponent can gain in the whole spot if the searcher plays the new strategy, in chips.

    The gain is relative to the strategy that was searched: the sum over the opponent's hands, each with its largest
    possible reach."""
    cost_before: float
    """The sum of the costs of the searches that this one was searched in; 0 in a solution.

    Not known (nan) if one of them was for the other player: the strategy that it found for this one has no bound."""
    frequencies_before: dict[str, float] | None
    """The frequency of each action of the solution at the node; None after a bet that it does not know."""
    ev_before: dict[str, float]
    """What each player wins at the node under the solution, in chips."""
    ev_after: dict[str, float]
    """What each player wins at the node if both use the new strategies and come with the ranges of the solution.

    After a bet that the solution does not know, every hand that arrives at the node is assumed to make it."""

    def __repr__(self) -> str:
        faced = "" if self.facing is None else f" facing {self.facing}"
        return f"<SpotSearch at {self.id}{faced} by {self.method} for {self.searcher}: {self.verdict}>"

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
        return self.sizes

    def places(self, id: str) -> list[SpotPlace]:
        """Return the places from where the new strategies begin to a node, by its id in the whole spot."""
        return find_below(self.spot, self.start, id, self.game.sizes)

    def cost_so_far(self, player: str) -> float:
        """Return the guarantee, if the search was for this player."""
        return self.guarantee if player == self.searcher else float("nan")

    @property
    def opponent(self) -> str:
        """The player who does not search."""
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
        """The bet that is faced in words: "bet 80", "raise to 150"."""
        return None if self.facing is None else describe(int(self.facing[1:]), self.place.state, self.spot.betting)

    @property
    def pot(self) -> int:
        """All chips in the middle at the node."""
        return self.spot.betting.total_pot(self.place.state)

    @property
    def smallest_margin(self) -> float:
        """The smallest margin of all hands of the opponent."""
        return min(hand.margin for hand in self.hands)

    @property
    def loss(self) -> float:
        """The largest gain of a hand of the opponent beyond its alternative and what it may win back."""
        return max(0.0, -self.smallest_margin)

    @property
    def loss_pct(self) -> float:
        """The largest loss in per cent of the pot."""
        return 100 * self.loss / self.pot

    @property
    def mean_loss(self) -> float:
        """The mean gain of the opponent's hands by their reach under the solution, losses not deducted; nan if none
        arrives."""
        return self._mean(lambda hand: max(0.0, -hand.margin))

    @property
    def mean_loss_pct(self) -> float:
        """The mean loss in per cent of the pot."""
        return 100 * self.mean_loss / self.pot

    @property
    def mean_margin(self) -> float:
        """The mean of the margins over the hands that arrive."""
        return self._mean(lambda hand: hand.margin)

    @property
    def mean_gift(self) -> float:
        """The mean of the gifts over the hands that arrive, not scaled."""
        return self._mean(lambda hand: hand.gift)

    @property
    def cost_pct(self) -> float:
        """The cost of this search in per cent of the starting pot of the spot."""
        return 100 * self.cost / self.spot.pot

    @property
    def guarantee(self) -> float:
        """The most that the opponent can gain in the whole spot by this search and those above it; nan if not known."""
        return self.cost_before + self.cost

    @property
    def guarantee_pct(self) -> float:
        """The guarantee in per cent of the starting pot of the spot."""
        return 100 * self.guarantee / self.spot.pot

    @property
    def shortfall(self) -> float:
        """The mean gain of the opponent if all hands of its range came equally often, losses not deducted."""
        met = sum(hand.met for hand in self.hands)
        return sum(hand.met * max(0.0, -hand.margin) for hand in self.hands) / met

    @property
    def shortfall_pct(self) -> float:
        """The shortfall in per cent of the pot."""
        return 100 * self.shortfall / self.pot

    @property
    def gain_pct(self) -> float:
        """The gain that `safe` is judged by: the larger of `mean_loss_pct` and `shortfall_pct`."""
        return self.shortfall_pct if math.isnan(self.mean_loss) else max(self.shortfall_pct, self.mean_loss_pct)

    @property
    def safe(self) -> bool:
        """Whether the opponent gains at most half a per cent of the pot, both by reach and with all hands weighted
        equally.

        It is False where the searcher was the opponent of an earlier search, because nothing bounds that strategy.
        """
        return self.gain_pct <= SAFE_PCT and not math.isnan(self.guarantee)

    @property
    def verdict(self) -> str:
        """Whether the new strategy may be used in place of the old one, in one sentence."""
        if math.isnan(self.guarantee):
            return (
                f"No guarantee: the search before was for {self.opponent}, and nothing bounds what {self.searcher}'s "
                "strategy in it may lose."
            )
        gifts = any(hand.allowed for hand in self.hands)
        if self.loss_pct < 0.005:
            least = "back more than it has given up on its way" if gifts else "more than against the old strategy"
            return f"Safe: no hand of {self.opponent} can win {least}."
        worst = min(self.hands, key=lambda hand: hand.margin)
        most = f"{self.gain_pct:.2f} % of the pot, {self.loss_pct:.2f} % with {worst.hand}, its best hand"
        most += ", beyond what it has given up on its way" if gifts else ""
        if self.safe:
            return f"Safe: {self.opponent} gains next to nothing, on average {most}."
        gain = f"against the new strategy {self.opponent} gains on average {most}"
        if self.method == "unsafe":
            return f"Not safe: {gain}; {self.opponent} need not come with the range that unsafe trusts."
        if self._may_get_better():
            return f"Not safe yet: {gain}; a lower target may bring that down."
        if self.method == "distributional":
            return f"Not safe: {gain}; resolve or a smaller spread would allow less."
        if self.gift_scale > 1:
            return f"Not safe: {gain}; gifts scaled by more than 1 allow that."
        if self.facing:
            return f"Not safe: {gain}; the bet ({self.facing_name}) is worth more to it than all it had."
        return f"Not safe: {gain}; with these bet sizes more search does not help."

    def _may_get_better(self) -> bool:
        """Return whether the opponent's gain is within the error of the search: twice its exploitability."""
        error = 2 * self.exploitability_pct / 100 * self.pot
        if self.method == "maxmargin":
            return self.loss <= error
        return self.shortfall <= error

    def _mean(self, figure: Callable[[HandMargin], float]) -> float:
        """Return the mean over the pairs of hands that arrive; nan if none does."""
        total = sum(hand.weight * hand.met for hand in self.hands)
        found = sum(hand.weight * hand.met * figure(hand) for hand in self.hands)
        return found / total if total > 0 else float("nan")

    def to_json(self) -> dict[str, Any]:
        """Return the figures in the types of JSON, without the strategies; null for what is not known."""
        names = (
            *("id", "facing", "searcher", "method", "spread", "gifts", "gift_scale", "algorithm", "bits", "pot"),
            *("safe", "verdict", "gain_pct", "shortfall", "shortfall_pct", "loss", "loss_pct", "mean_loss"),
            *("mean_loss_pct", "cost", "cost_pct", "cost_before", "guarantee", "guarantee_pct", "sizes"),
            *("smallest_margin", "mean_margin", "mean_gift", "ev_before", "ev_after", "frequencies_before"),
            *("exploitability_pct", "target", "iterations", "seconds", "cpu_seconds", "memory_mb", "nodes"),
            *("reached", "interrupted", "trace"),
        )
        answer = {"name": self.spot.name, "start": self.first} | {name: getattr(self, name) for name in names}
        answer["hands"] = [asdict(hand) | {"margin": hand.margin} for hand in self.hands]
        return {key: plain_json(value) for key, value in answer.items()}

    def put_into(self, solution: Solution) -> Solution:
        """Return the solution with the searcher's new strategy in it (see `counterpoise.spots.put_back`)."""
        from counterpoise.spots.put_back import put_into

        return put_into(self, solution)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> None:
        """Write a `.cpz` file, which `load_search` reads."""
        write_search(self, path, progress, cancel)

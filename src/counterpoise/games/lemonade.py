"""The Lemonade Stand game: equilibria that do not combine (Zinkevich et al. 2011; Brown 2020, figure 2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from counterpoise.games.base import register
from counterpoise.games.matrix import Choices, OneShot
from counterpoise.parameters import require_choice, require_whole


@register("lemonade_stand")
@dataclass(frozen=True)
class LemonadeStand(OneShot):
    """Each seller picks one of `spots` on a ring, hidden from the others, and wants to be far from them.

    With `scoring="distance"` a seller scores the distance to the nearest other one (Brown 2020, section 2.2): the pure
    equilibria of three sellers are the equal spacings. With `scoring="customers"` it scores the distances to
    the next seller on either side, that is twice the customers who come to it: sellers on one spot share, and
    if all stand on one spot both distances are the whole ring; here unequal spacings are equilibria too.
    The payoff is the score minus the mean score, in spots, so the game is zero-sum. Actions are the spots "0",
    "1", ...; infosets "P1", "P2", ...
    """

    players: int = 3
    spots: int = 12
    scoring: str = "distance"

    def __post_init__(self) -> None:
        require_whole("lemonade_stand: players", self.players, 2, 10)
        require_whole("lemonade_stand: spots", self.spots, 2, 1000)
        require_choice("lemonade_stand: scoring", self.scoring, ("distance", "customers"))

    def choices(self, seat: int) -> tuple[str, ...]:
        return self._spots

    def payoffs(self, state: Choices) -> tuple[float, ...]:
        where = [int(spot) for spot in state]
        score = self._distance if self.scoring == "distance" else self._customers
        scores = [score(seat, where) for seat in range(self.players)]
        mean = sum(scores) / self.players
        return tuple(own - mean for own in scores)

    def _distance(self, seat: int, where: list[int]) -> float:
        clockwise = [(spot - where[seat]) % self.spots for other, spot in enumerate(where) if other != seat]
        return min(min(gap, self.spots - gap) for gap in clockwise)

    def _customers(self, seat: int, where: list[int]) -> float:
        own = where[seat]
        clockwise = [(spot - own) % self.spots for spot in where if spot != own]
        both_sides = min(clockwise) + self.spots - max(clockwise) if clockwise else 2 * self.spots
        return both_sides / where.count(own)

    @cached_property
    def _spots(self) -> tuple[str, ...]:
        return tuple(str(spot) for spot in range(self.spots))

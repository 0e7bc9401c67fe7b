"""Whether a game is essentially solved, and bounds on its value (Johanson 2016, chapter 9)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from counterpoise.intervals import CONFIDENCE, normal_quantile
from counterpoise.parameters import require, require_number, require_whole, shown

if TYPE_CHECKING:
    from counterpoise.games.base import Game
    from counterpoise.tree.evaluation import AnyStrategy

LIFETIME = 200 * 12 * 365 * 70
"""Hands of a human lifetime (Johanson 2016, section 9.2): 200 per hour, 12 hours of every day, 70 years."""
DEVIATION = 5.0
"""Big blinds: the standard deviation of a hand of heads-up limit hold'em."""


def solved_threshold(
    deviation: float = DEVIATION,
    hands: int = LIFETIME,
    confidence: float = CONFIDENCE,
    errors: float | None = None,
) -> float:
    """Return the exploitability below which a strategy is essentially solved, in the unit of `deviation`.

    Its own best response, playing `hands` hands, is then not sure to be ahead: with a chance of at least 1 - confidence
    the strategy does not lose. `errors` is the number of standard errors, instead of the one-sided quantile of
    `confidence`: the source rounds it to 1.64.

    >>> LIFETIME, round(1000 * solved_threshold(errors=1.64), 4)  # thousandths of a big blind
    (61320000, 1.0472)
    """
    require_number("deviation", deviation, 0)
    require_whole("hands", hands)
    return (normal_quantile(confidence, sides=1) if errors is None else errors) * deviation / math.sqrt(hands)


def chance_not_to_lose(exploitability: float, deviation: float = DEVIATION, hands: int = LIFETIME) -> float:
    """Return the probability that a strategy does not lose to its best response over a number of hands.

    >>> round(chance_not_to_lose(0.000986), 3)  # Cepheus: 0.986 thousandths of a big blind
    0.061
    """
    require(deviation > 0, f"deviation must be above 0, not {shown(deviation)}")
    require_whole("hands", hands)
    from scipy.special import ndtr

    return float(ndtr(-exploitability * math.sqrt(hands) / deviation))


class ValueBracket(NamedTuple):
    """Bounds of the value of a two-player zero-sum game for its first player."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """The sum of what both seats can lose to a best response: twice the exploitability of the profile."""
        return self.high - self.low

    def holds(self, value: float, tolerance: float = 0.0) -> bool:
        """Return whether a value is within the bounds."""
        return self.low - tolerance <= value <= self.high + tolerance


def bracket_value(best_responses: Sequence[float]) -> ValueBracket:
    """Return the bounds of the first player's value from what a best response of each seat wins against the other.

    u1(s1, b2(s1)) <= v1 <= u1(b1(s2), s2): both responses must answer the same profile, seat by seat.

    >>> bracket = bracket_value([89.7, -87.7])  # Cepheus as dealer, thousandths of a big blind
    >>> bracket.low, round(bracket.width, 6)
    (87.7, 2.0)
    """
    require(len(best_responses) == 2, f"best_responses must be two, one for each seat, not {len(best_responses)}")
    return ValueBracket(-best_responses[1], best_responses[0])


def value_bracket(game: Game | str, strategy: AnyStrategy) -> ValueBracket:
    """Return the bounds that a strategy of both seats gives on the value of a game, in the game's unit, exactly."""
    from counterpoise.tree import best_response

    return bracket_value([best_response(game, strategy, player=seat).value for seat in (0, 1)])

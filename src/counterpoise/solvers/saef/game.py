"""Continuous Leduc hold'em: every bet and raise is any fraction of the pot in a range, without stacks.

See Brown 2020, section 4.3.6.

All that is particular to this game is here and in `tree.py`: cards, who wins, what may follow an action, and how much
is at stake. After a bet everything but an immediate fold scales with the pot; regret transfer and exploitability in
the continuous game rest on that. A game with stacks has no such scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from counterpoise.games import Game, load
from counterpoise.games.cards import RANKS, SUITS, top_ranks
from counterpoise.parameters import is_list, is_number, require, require_whole, shown
from counterpoise.solvers.saef.kernels.layouts import DealPayoffs

SMALLEST, LARGEST = 0.01, 1.0
"""Fractions of the pot that a bet may be."""


@dataclass(frozen=True)
class ContinuousLeduc:
    """Leduc hold'em whose bets are any fractions of the pot from `low` to `high`; unit: chips (antes).

    A raise calls and adds its fraction of the pot after the call; a round has at most `max_bets` bets and raises. With
    `rounds=1` there is no public card: with `suits=1` as well, that is Kuhn poker with a raise.
    """

    low: float = SMALLEST
    high: float = LARGEST
    ranks: int = 3
    suits: int = 2
    max_bets: int = 2
    rounds: int = 2

    def __post_init__(self) -> None:
        require_whole("ranks", self.ranks, 2, len(RANKS))
        require_whole("suits", self.suits, 1, len(SUITS))
        require_whole("max_bets", self.max_bets, 1, 4)
        require_whole("rounds", self.rounds, 1, 2)
        require(
            self.ranks * self.suits > self.rounds + 1,
            f"the deck must have more than {self.rounds + 1} cards, not {self.ranks * self.suits} (ranks x suits)",
        )
        for field, size in (("low", self.low), ("high", self.high)):
            _require_fraction(f"{field} must be a fraction", size)
        require(
            self.low <= self.high, f"no bet is from {self.low:g} to {self.high:g} of the pot: low must not exceed high"
        )

    @property
    def name(self) -> str:
        """The game with what differs from the defaults."""
        values = [(field.name, getattr(self, field.name), field.default) for field in fields(self)]
        changed = ", ".join(f"{name}={value}" for name, value, default in values if value != default)
        return f"continuous_leduc({changed})" if changed else "continuous_leduc"

    def check_sizes(self, sizes: Sequence[float] | None) -> tuple[float, ...]:
        """Return the sizes that every decision begins with, ascending; by default the smallest and the largest.

        Both must be among them: a bet between two sizes is translated to one of these, and none lies outside.
        """
        if sizes is None:
            return tuple(sorted({self.low, self.high}))
        require(is_list(sizes), f"sizes must be a list of fractions of the pot, not {shown(sizes)}")
        for size in sizes:
            _require_fraction("sizes must be fractions", size)
            require(
                self.low <= size <= self.high,
                f"sizes must be from {self.low:g} to {self.high:g} of the pot, not {shown(size)}",
            )
        require(
            {self.low, self.high} <= set(sizes),
            f"sizes must contain the smallest and the largest bet, {self.low:g} and {self.high:g}, not {shown(sizes)}",
        )
        return tuple(sorted({float(size) for size in sizes}))

    def rule_book(self, sizes: Sequence[float] | None = None) -> Game:
        """Return the game with the same finite list of sizes everywhere as a rule book, which `cp.solve` takes."""
        require(
            (self.suits, self.rounds) == (2, 2),
            f"only games of two suits and two rounds have a rule book, not {self.name}",
        )
        chosen = self.check_sizes(sizes)
        return load("one_card_poker", ranks=self.ranks, fractions=(chosen, chosen), max_bets=(self.max_bets,) * 2)

    @cached_property
    def deals(self) -> DealPayoffs:
        """Probabilities of both hands with each board, and who wins; suits never matter, so hands are ranks."""
        ranks, cards = range(self.ranks), self.ranks * self.suits
        weight = np.zeros((self.ranks + 1, self.ranks, self.ranks))
        sign = np.zeros_like(weight)
        for own in ranks:
            for other in ranks:
                pair = self.suits * (self.suits - (own == other)) / (cards * (cards - 1))
                weight[-1, own, other] = pair
                for board in ranks:
                    left = self.suits - (own == board) - (other == board)
                    weight[board, own, other] = pair * left / (cards - 2)
                    strengths = [hand + self.ranks * (hand == board) for hand in (own, other)]
                    sign[board, own, other] = np.sign(strengths[0] - strengths[1])
                sign[-1, own, other] = np.sign(own - other)
        return DealPayoffs(weight, weight * sign)

    @property
    def hands(self) -> tuple[str, ...]:
        """The names of the ranks."""
        return tuple(top_ranks(self.ranks))


def _require_fraction(demand: str, size: float) -> None:
    require(
        is_number(size) and SMALLEST <= size <= LARGEST,
        f"{demand} of the pot from {SMALLEST:g} to {LARGEST:g}, not {shown(size)}",
    )

"""Bluff, a match of dice rounds (Johanson 2016, section 3.2.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterpoise.games.base import CHANCE, register
from counterpoise.games.dice import DiceBidding, DiceState, Ladder, finished, rising_bids
from counterpoise.parameters import is_list, is_number, require, require_whole, shown


@register("bluff")
@dataclass(frozen=True)
class Bluff(DiceBidding):
    """Bluff(D1, D2): the loser of a round removes a die, its winner starts the next; no dice left loses 1.

    Six faces, 1 to 5 and a wild star "*", which is the highest. Bids rise in quantity, or in face at the same
    quantity; the challenge is "bluff". Infosets read "2*:1-3/2-5": own dice, then this round's bids; earlier
    rounds stand before the bids with both rolls, "4:2*v4:1-3/2-5;1-1".

    A match is chained by value: `continuation` is what the rest of it is worth to the winner of the first
    round, who starts the next one, and ends the tree there. A pair gives it for either seat winning. Without
    it every round is played in the tree, which only Bluff(1,1) makes small. The value of Bluff(1,1) to its
    starter is -0.02713, so Bluff(2,1) is `bluff(dice=[2, 1], continuation=-0.02713)`, whose value 0.6165
    makes Bluff(2,2) `bluff(dice=[2, 2], continuation=0.6165)`. Unit: matches won.
    """

    dice: tuple[int, int] = (1, 1)
    continuation: float | tuple[float, float] | None = None

    challenge = "bluff"
    face_names = "12345*"

    def __post_init__(self) -> None:
        require(
            is_list(self.dice) and len(self.dice) == 2,
            f"bluff: dice must be two whole numbers, one per seat, not {shown(self.dice)}",
        )
        for count in self.dice:
            require_whole("bluff: dice of a seat", count, 1, 5)
        object.__setattr__(self, "dice", tuple(self.dice))
        if self.continuation is not None:
            self._check_continuation()

    def initial(self) -> DiceState:
        return DiceState(CHANCE, self.dice, starter=0)

    def ladder(self, total: int) -> Ladder:
        return rising_bids(total, self.face_names, self.challenge)

    def after_challenge(self, state: DiceState, winner: int) -> DiceState:
        sign = 1.0 if winner == 0 else -1.0
        first, second = state.dice
        left = (first, second - 1) if winner == 0 else (first - 1, second)
        if 0 in left:
            return finished(state, sign)
        if self.continuation is not None:
            worth = self.continuation
            return finished(state, sign * (worth[winner] if isinstance(worth, tuple) else worth))
        story = f"{state.rolls[0]}v{state.rolls[1]}:{state.story};"
        earlier = self.public(finished(state, 0.0))
        return DiceState(CHANCE, left, starter=winner, story=story, earlier=earlier)

    def _check_continuation(self) -> None:
        given: Any = self.continuation
        values = given if is_list(given) else (given,)
        require(
            all(is_number(value) and -1 <= value <= 1 for value in values),
            f"bluff: continuation must be a number from -1 to 1, or a pair of them, not {shown(given)}",
        )
        require(
            max(self.dice) > 1,
            f"bluff: continuation must be left out with dice=[1, 1], where one round is all, not {shown(given)}",
        )
        if is_list(given):
            require(
                len(given) == 2 and min(self.dice) > 1,
                "bluff: continuation may be a pair if both seats have two or more dice, otherwise a number,"
                f" not {shown(given)} with dice={list(self.dice)}",
            )
            object.__setattr__(self, "continuation", tuple(given))

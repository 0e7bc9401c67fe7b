"""The quality of estimators: exact bias and deviation over all ends of an enumerated game."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from counterpoise.errors import InputError
from counterpoise.evaluation.estimators.combine import EstimatorPart
from counterpoise.evaluation.estimators.enumerated import EnumeratedHands
from counterpoise.evaluation.estimators.enumerated_judge import EnumeratedJudge
from counterpoise.evaluation.estimators.layers import FloatArray
from counterpoise.games.known import Behaviour
from counterpoise.tree import Tree

MATCH = 1000
"""Hands of a match, in the tables of the source."""


class Quality(NamedTuple):
    """The bias and deviation of an estimator, in the game's unit."""

    bias: float
    sd: float
    """Standard deviation of one hand."""

    def rmse(self, hands: int = MATCH) -> float:
        """Return the root mean squared error of the mean over a match of a number of hands.

        >>> round(Quality(62, 53033).rmse())
        1678
        """
        return math.sqrt(self.bias**2 + self.sd**2 / hands)


@dataclass(frozen=True)
class ProfilePlayer:
    """A known player that is a flat profile of an enumerated game."""

    flat: FloatArray
    seat: int = 0

    def tabulate(self, tree: Tree) -> FloatArray:
        """Return the profile."""
        return self.flat

    def probabilities(self, public: tuple[str, ...]) -> Behaviour:
        """Refuse: a flat profile is read as a whole, by `tabulate`."""
        raise InputError("a flat profile is read as a whole: ask for its table")


class ExactSeat:
    """The estimators of one seat over all ends, with the probability of every end."""

    def __init__(
        self,
        judge: EnumeratedJudge,
        seat: int,
        played: FloatArray,
        opponents: FloatArray,
        evaluated: FloatArray | None = None,
        known: Sequence[int] = (),
    ) -> None:
        """Judge the strategy `evaluated`, by default the one that is `played`, against `opponents`, all flat profiles.

        AIVAT knows the opponents in the seats `known`.
        """
        hands = judge.hands
        self.chance = hands.reach(hands.steps(seat_profile(hands, seat, played, opponents)))[hands.ends]
        wanted = played if evaluated is None else evaluated
        self.truth = float(hands.values(seat_profile(hands, seat, wanted, opponents))[0, seat])
        players = [
            ProfilePlayer(played, place)
            if place == seat
            else ProfilePlayer(opponents, place)
            if place in known
            else None
            for place in range(hands.tree.players)
        ]
        other = None if evaluated is None else ProfilePlayer(evaluated, seat)
        self.parts: dict[str, EstimatorPart] = {part.name: part for part in judge.tables(seat, players, other)}

    def mean(self, name: str) -> float:
        """Return the exact mean of an estimator."""
        return float(self.chance @ self.parts[name].values)

    def second_moment(self, name: str) -> float:
        """Return the exact mean of its square."""
        return float(self.chance @ self.parts[name].values ** 2)

    def sd(self, name: str) -> float:
        """Return its exact standard deviation."""
        return math.sqrt(float(self.chance @ (self.parts[name].values - self.mean(name)) ** 2))

    def bias(self, name: str) -> float:
        """Return its exact bias."""
        return self.mean(name) - self.truth


def exact_quality(
    judge: EnumeratedJudge, played: FloatArray, opponents: FloatArray, evaluated: FloatArray | None = None
) -> dict[str, Quality]:
    """Return the quality of every estimator for an agent that plays every seat equally often."""
    seats = [ExactSeat(judge, seat, played, opponents, evaluated) for seat in range(judge.hands.tree.players)]
    found = {}
    for name in seats[0].parts:
        mean = float(np.mean([seat.mean(name) for seat in seats]))
        square = float(np.mean([seat.second_moment(name) for seat in seats]))
        truth = float(np.mean([seat.truth for seat in seats]))
        found[name] = Quality(mean - truth, math.sqrt(max(square - mean**2, 0.0)))
    return found


def seat_profile(hands: EnumeratedHands, seat: int, own: FloatArray, others: FloatArray) -> FloatArray:
    """Return a flat profile in which one seat follows `own` and the rest `others`."""
    first = hands.tree.form.first_sequence.astype(np.int64)
    profile = others.copy()
    profile[first[seat] : first[seat + 1]] = own[first[seat] : first[seat + 1]]
    return profile

"""A player of hold'em who follows a strategy that knows one hand at a time, by action translation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from counterpoise.abstraction.translation import Translation
from counterpoise.betting.sizes import label
from counterpoise.games.base import Action
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour
from counterpoise.search.public_belief import PublicBelief

MOST_MIXTURES = 64
"""Public histories, with a hand each, that are remembered."""
HandAnswers = Callable[[tuple[str, ...], str], Mapping[Action, float]]
"""From a public history of a strategy's own game and a hand to the probabilities of its actions."""


class HandStrategy(NamedTuple):
    """What a seat does with one hand, as a range strategy; nothing is known of any other hand."""

    game: Holdem
    answers: HandAnswers
    seat: int
    hand: str

    def behaviour(self, line: tuple[str, ...]) -> Behaviour:
        """Return what the seat does with its hand; the other seats may do anything."""
        betting = self.game.betting_after(line)
        if betting.to_act != self.seat:
            menu = self.game.menu(betting)
            return Behaviour((self.hand,), tuple([label(action) for action in menu]), np.ones((1, len(menu))))
        chosen = self.answers(line, self.hand)
        return Behaviour((self.hand,), tuple(chosen), np.array([list(chosen.values())]))


class HandTranslator:
    """Follows play at a table with one hand of one seat, whose strategy in its own game `answers` knows."""

    def __init__(self, home: Holdem, real: Holdem, answers: HandAnswers, seat: int, translation: Translation) -> None:
        self._home, self._real, self._answers, self._seat, self._translation = home, real, answers, seat, translation
        self._after: Any = lru_cache(maxsize=MOST_MIXTURES)(self._follow)

    def mixture(self, public: tuple[str, ...], hand: str) -> dict[Action, float]:
        """Return the probabilities of a hand's real actions after a public history, in which the seat is to act."""
        found: PublicBelief = self._after(public, hand)
        return {label(action): float(row[0]) for action, row in found.mixture().items() if row[0] > 0}

    def _follow(self, public: tuple[str, ...], hand: str) -> PublicBelief:
        if public:
            before: PublicBelief = self._after(public[:-1], hand)
            return before.after(public[-1])
        own = HandStrategy(self._home, self._answers, self._seat, hand)
        start = PublicBelief.start(self._real, own, self._translation, self._seat, hands=1)
        return replace(start, most_states=None)

"""A hand that follows a strategy of hold'em by action translation, hand by hand, without ranges.

The player is in the strategy's own game only as a *shadow* of where it really is. After a bet that this game lacks a
shadow has seen one of the two neighbouring bets, at random; so there may be several, each with the probability of the
translations that led there and with the player's own reach on the way. A hand plays the mixture of what it plays at its
shadows, weighted by both. Where a shadow cannot answer, because the bet was translated to a check or its hand is over,
the player checks or calls.

`PublicBelief` does the same for all hands at once; strategies that know one hand at a time are followed by this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from counterpoise.abstraction.translation import Translation
from counterpoise.betting.rules import BettingState
from counterpoise.betting.sizes import label, read_label
from counterpoise.games.base import CHANCE, Action
from counterpoise.games.events import ActionEvent, read_event
from counterpoise.games.holdem import Holdem
from counterpoise.search.action_translation import CHECK_OR_CALL, check_down, to_table_action, translate_action

Answers = Callable[[tuple[str, ...], str], Mapping[Action, float]]
"""From a public history of the strategy's own game and a hand to the probabilities of its actions."""


class Shadow(NamedTuple):
    """A place in the strategy's own game, and how likely it is."""

    betting: BettingState
    line: tuple[str, ...]
    chance: float
    """How likely translations lead here."""
    reach: float
    """How likely the player's own actions do."""


class HandTranslator:
    """Follows real play with the shadows of one seat, whose strategy in its own game `answers` knows."""

    def __init__(self, home: Holdem, real: Holdem, answers: Answers, seat: int, translation: Translation) -> None:
        self._home, self._real, self._strategy, self._seat, self._translation = home, real, answers, seat, translation
        self._after = lru_cache(maxsize=64)(self._follow)

    def mixture(self, public: tuple[str, ...], hand: str) -> dict[Action, float]:
        """Return the probabilities of a hand's real actions after a public history, in which the seat is to act."""
        real, shadows = self._after(public, hand)
        if not any(shadow.reach > 0 for shadow in shadows):  # then believe in the translations alone
            shadows = [shadow._replace(reach=1.0) for shadow in shadows]
        total = sum(shadow.chance * shadow.reach for shadow in shadows)
        mixed: dict[Action, float] = {}
        for shadow in shadows:
            for made, following in self._answers(real, shadow, hand):
                mixed[made] = mixed.get(made, 0.0) + following.chance * following.reach / total
        return mixed

    def _follow(self, public: tuple[str, ...], hand: str) -> tuple[BettingState, list[Shadow]]:
        """Return the real betting after a public history and the shadows there."""
        if not public:
            start = self._home.betting_after(())
            return self._real.betting_after(()), [Shadow(start, (), 1.0, 1.0)]
        real, shadows = self._after(public[:-1], hand)
        event = public[-1]
        after = self._real.betting_next(real, event)
        if not isinstance(read_event(event), ActionEvent):
            deal = self._dealt if real.to_act == CHANCE else self._play  # else it is the board with which a spot begins
            return after, [deal(shadow, event) for shadow in shadows]
        move = self._moved if real.to_act == self._seat else self._observe
        return after, [following for shadow in shadows for following in move(real, shadow, event, hand)]

    def _play(self, shadow: Shadow, action: Action, chance: float = 1.0, reach: float = 1.0) -> Shadow:
        line = (*shadow.line, action)
        betting = self._home.betting_next(shadow.betting, action)
        return Shadow(betting, line, shadow.chance * chance, shadow.reach * reach)

    def _dealt(self, shadow: Shadow, cards: str) -> Shadow:
        shadow = check_down(shadow, lambda at: at.betting.to_act >= 0, lambda at: self._play(at, CHECK_OR_CALL))
        return self._play(shadow, cards) if shadow.betting.to_act == CHANCE else shadow

    def _answers(self, real: BettingState, shadow: Shadow, hand: str) -> list[tuple[Action, Shadow]]:
        """Return what the player may really do because of a shadow, and the shadow after that."""
        if shadow.betting.to_act != self._seat:
            return [(CHECK_OR_CALL, shadow)]
        chosen = self._strategy(shadow.line, hand)
        return [
            (
                label(to_table_action(self._home, self._real, shadow.betting, real, read_label(action))),
                self._play(shadow, action, reach=share),
            )
            for action, share in chosen.items()
            if share > 0
        ]

    def _moved(self, real: BettingState, shadow: Shadow, event: str, hand: str) -> list[Shadow]:
        """Return where a shadow is after the player's own action, or where it was if it would not have acted so."""
        found = [following for made, following in self._answers(real, shadow, hand) if made == event]
        return found or [shadow._replace(reach=0.0)]

    def _observe(self, real: BettingState, shadow: Shadow, event: str, hand: str) -> list[Shadow]:
        """Return where a shadow is after an action of another seat, translated."""
        if shadow.betting.to_act != real.to_act:
            return [shadow]
        likely = translate_action(self._home, self._real, shadow.betting, real, event, self._translation)
        return [self._play(shadow, action, share) for action, share in likely.items() if share > 0]

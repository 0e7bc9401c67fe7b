"""An oracle of action translation: one hand at a time, in plain numbers, without ranges.

It shares the sizes of bets with the package, and nothing of how play is followed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from counterpoise.abstraction.translation import Translation, translate
from counterpoise.betting.rules import CALL, FOLD, BettingState
from counterpoise.betting.sizes import label, read_label
from counterpoise.games.base import CHANCE
from counterpoise.games.holdem import Holdem


class Shadow(NamedTuple):
    """A place in the strategy's own game, and how likely translations and the hand's own actions lead there."""

    betting: BettingState
    line: tuple[str, ...]
    chance: float
    reach: float


class HandByHand:
    """Follows real play with the shadows of one seat, whose strategy in its own game `answers` knows."""

    def __init__(
        self,
        home: Holdem,
        real: Holdem,
        answers: Callable[[tuple[str, ...], str], Mapping[str, float]],
        seat: int,
        translation: Translation = "pseudo-harmonic",
    ) -> None:
        self.home, self.real, self.answers, self.seat, self.translation = home, real, answers, seat, translation

    def mixture(self, public: tuple[str, ...], hand: str) -> dict[str, float]:
        """The probabilities of a hand's real actions after a public history, in which the seat is to act."""
        real, shadows = self.real.betting_after(()), [Shadow(self.home.betting_after(()), (), 1.0, 1.0)]
        for event in public:
            shadows = [after for shadow in shadows for after in self.follow(real, shadow, event, hand)]
            real = self.real.betting_next(real, event)
        if not any(shadow.reach > 0 for shadow in shadows):
            shadows = [shadow._replace(reach=1.0) for shadow in shadows]
        total, mixed = sum(shadow.chance * shadow.reach for shadow in shadows), dict[str, float]()
        for shadow in shadows:
            for made, after in self.choices(real, shadow, hand):
                mixed[made] = mixed.get(made, 0.0) + after.chance * after.reach / total
        return mixed

    def follow(self, real: BettingState, shadow: Shadow, event: str, hand: str) -> list[Shadow]:
        if event[0] not in "fcb":
            while shadow.betting.to_act >= 0:
                shadow = self.play(shadow, "c")
            return [self.play(shadow, event) if shadow.betting.to_act == CHANCE else shadow]
        if real.to_act == self.seat:
            found = [after for made, after in self.choices(real, shadow, hand) if made == event]
            return found or [shadow._replace(reach=0.0)]
        if shadow.betting.to_act != real.to_act:
            return [shadow]
        action, menu = read_label(event), [one for one in self.home.menu(shadow.betting) if one != FOLD]
        less = self.home.betting.stacks != self.real.betting.stacks
        if action == self.all_in(self.real, real) > CALL and not less:
            return [self.play(shadow, label(self.all_in(self.home, shadow.betting)))]
        sizes = {self.share(self.home, shadow.betting, one): one for one in menu}
        likely = translate(self.share(self.real, real, action), sizes, self.translation)
        return [self.play(shadow, label(sizes[size]), chance) for size, chance in likely.items() if chance > 0]

    def choices(self, real: BettingState, shadow: Shadow, hand: str) -> list[tuple[str, Shadow]]:
        if shadow.betting.to_act != self.seat:
            return [("c", shadow)]
        chosen = self.answers(shadow.line, hand).items()
        return [(self.made(real, shadow, action), self.play(shadow, action, reach=p)) for action, p in chosen if p > 0]

    def made(self, real: BettingState, shadow: Shadow, action: str) -> str:
        bet = read_label(action)
        if bet == FOLD:
            return "f" if real.to_call else "c"
        if bet == CALL or not real.max_raise:
            return "c"
        if bet == self.all_in(self.home, shadow.betting):
            return label(self.all_in(self.real, real))
        pot = self.real.betting.total_pot(real) + real.to_call
        total = real.stake + round(self.share(self.home, shadow.betting, bet) * pot)
        return label(min(max(total, real.min_raise), real.max_raise))

    def play(self, shadow: Shadow, event: str, chance: float = 1.0, reach: float = 1.0) -> Shadow:
        betting = self.home.betting_next(shadow.betting, event)
        return Shadow(betting, (*shadow.line, event), shadow.chance * chance, shadow.reach * reach)

    @staticmethod
    def share(game: Holdem, state: BettingState, action: int) -> float:
        pot = game.betting.total_pot(state) + state.to_call
        return 0.0 if action == CALL else (action - state.stake) / pot

    @staticmethod
    def all_in(game: Holdem, state: BettingState) -> int:
        return max(state.min_raise, min(state.max_raise, game.betting.reachable(state)))

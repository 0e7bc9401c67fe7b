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


class HandState(NamedTuple):
    """A place in the strategy's own game, and how likely translations and the hand's own actions lead there."""

    betting: BettingState
    line: tuple[str, ...]
    chance: float
    reach: float


class HandByHand:
    """Follows real play with the states of one seat, whose strategy in its own game `answers` knows."""

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
        real, states = self.real.betting_after(()), [HandState(self.home.betting_after(()), (), 1.0, 1.0)]
        for event in public:
            states = [after for state in states for after in self.follow(real, state, event, hand)]
            real = self.real.betting_next(real, event)
        if not any(state.reach > 0 for state in states):
            states = [state._replace(reach=1.0) for state in states]
        total, mixed = sum(state.chance * state.reach for state in states), dict[str, float]()
        for state in states:
            for action, after in self.choices(real, state, hand):
                mixed[action] = mixed.get(action, 0.0) + after.chance * after.reach / total
        return mixed

    def follow(self, real: BettingState, state: HandState, event: str, hand: str) -> list[HandState]:
        if event[0] not in "fcb":
            while state.betting.to_act >= 0:
                state = self.play(state, "c")
            return [self.play(state, event) if state.betting.to_act == CHANCE else state]
        if real.to_act == self.seat:
            found = [after for action, after in self.choices(real, state, hand) if action == event]
            return found or [state._replace(reach=0.0)]
        if state.betting.to_act != real.to_act:
            return [state]
        action, menu = read_label(event), [one for one in self.home.menu(state.betting) if one != FOLD]
        less = self.home.betting.stacks != self.real.betting.stacks
        if action == self.all_in(self.real, real) > CALL and not less:
            return [self.play(state, label(self.all_in(self.home, state.betting)))]
        sizes = {self.share(self.home, state.betting, one): one for one in menu}
        likely = translate(self.share(self.real, real, action), sizes, self.translation)
        return [self.play(state, label(sizes[size]), chance) for size, chance in likely.items() if chance > 0]

    def choices(self, real: BettingState, state: HandState, hand: str) -> list[tuple[str, HandState]]:
        if state.betting.to_act != self.seat:
            return [("c", state)]
        chosen = self.answers(state.line, hand).items()
        return [
            (self.table_action(real, state, action), self.play(state, action, reach=p)) for action, p in chosen if p > 0
        ]

    def table_action(self, real: BettingState, state: HandState, action: str) -> str:
        bet = read_label(action)
        if bet == FOLD:
            return "f" if real.to_call else "c"
        if bet == CALL or not real.max_raise:
            return "c"
        if bet == self.all_in(self.home, state.betting):
            return label(self.all_in(self.real, real))
        pot = self.real.betting.total_pot(real) + real.to_call
        total = real.stake + round(self.share(self.home, state.betting, bet) * pot)
        return label(min(max(total, real.min_raise), real.max_raise))

    def play(self, state: HandState, event: str, chance: float = 1.0, reach: float = 1.0) -> HandState:
        betting = self.home.betting_next(state.betting, event)
        return HandState(betting, (*state.line, event), state.chance * chance, state.reach * reach)

    @staticmethod
    def share(game: Holdem, state: BettingState, action: int) -> float:
        pot = game.betting.total_pot(state) + state.to_call
        return 0.0 if action == CALL else (action - state.stake) / pot

    @staticmethod
    def all_in(game: Holdem, state: BettingState) -> int:
        return max(state.min_raise, min(state.max_raise, game.betting.reachable(state)))

"""Kuhn poker (Kuhn 1950), for two or more players (the n-player form of Abou Risk and Szafron 2010)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

from counterpoise.games.base import CHANCE, TERMINAL, RuleBook, register
from counterpoise.games.cards import RANKS, top_ranks
from counterpoise.parameters import require_whole


class _State(NamedTuple):
    cards: str  # one letter per seat, empty before the deal
    moves: str  # p = pass (check or fold), b = bet (bet or call)


@register("kuhn_poker")
@dataclass(frozen=True)
class KuhnPoker(RuleBook):
    """One card each from a deck of players + 1 ranks, ante 1, at most one bet of 1; unit: antes.

    Everybody may check or bet; after a bet everybody else may fold or call once. The highest card still in
    wins the pot. With two players the value for the first is -1/18. Infosets read "K:pb": own card, moves.
    """

    players: int = 2
    """Seats, 2 to 8, each with a card of its own; one card is left over."""

    def __post_init__(self) -> None:
        require_whole("kuhn_poker: players", self.players, 2, 8)

    def initial(self) -> _State:
        return _State("", "")

    def player(self, state: _State) -> int:
        if not state.cards:
            return CHANCE
        bettor = state.moves.find("b")
        last_to_act = self.players - 1 if bettor < 0 else bettor + self.players - 1
        return TERMINAL if len(state.moves) > last_to_act else len(state.moves) % self.players

    def chance(self, state: _State) -> list[tuple[str, float]]:
        deals = ["".join(deal) for deal in permutations(top_ranks(self.players + 1), self.players)]
        return [(deal, 1 / len(deals)) for deal in deals]

    def actions(self, state: _State) -> tuple[str, ...]:
        return ("p", "b")

    def next(self, state: _State, action: str) -> _State:
        if not state.cards:
            return _State(action, "")
        return _State(state.cards, state.moves + action)

    def infoset(self, state: _State) -> str:
        return f"{state.cards[len(state.moves) % self.players]}:{state.moves}"

    def public(self, state: _State) -> tuple[str, ...]:
        """Return the moves, and after a showdown the hands."""
        over = self.player(state) == TERMINAL
        live = self._contenders(state) if over else ()
        shown = [f"seat {seat} shows {state.cards[seat]}" for seat in live] if len(live) > 1 else []
        return (*state.moves, *shown)

    def private(self, state: _State, seat: int) -> str:
        return state.cards[seat] if state.cards else ""

    def payoffs(self, state: _State) -> tuple[float, ...]:
        bettors = {place % self.players for place, move in enumerate(state.moves) if move == "b"}
        paid = [2 if seat in bettors else 1 for seat in range(self.players)]
        winner = max(self._contenders(state), key=lambda seat: RANKS.index(state.cards[seat]))
        return tuple(float(sum(paid) * (seat == winner) - paid[seat]) for seat in range(self.players))

    def _contenders(self, state: _State) -> list[int]:
        """Return who has not folded at the end: those who bet or called, or all seats if there was no bet."""
        called = [place % self.players for place, move in enumerate(state.moves) if move == "b"]
        return sorted(called) or list(range(self.players))

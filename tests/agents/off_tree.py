"""What a best response wins on the river with bets that an agent's game lacks, exact over all hands."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from counterpoise.agents.base import draw_action
from counterpoise.betting.sizes import label, parse_size
from counterpoise.cards import evaluate
from counterpoise.games.base import CHANCE
from counterpoise.games.known import public_cards


def river_histories(game: Any, blueprint: Any, seat: int, count: int, seed: int) -> list[tuple[str, ...]]:
    """Return histories that lead to the river: `seat` checks and calls, the other seat follows a blueprint."""
    random, found = Random(f"{seed}:{seat}"), []
    while len(found) < count:
        state = game.initial()
        while game.player(state) == CHANCE or (game.player(state) >= 0 and len(state.board) < len(game.board)):
            if game.player(state) == CHANCE:
                state = game.next(state, game.sample_chance(state, random))
            elif game.player(state) == seat:
                state = game.next(state, "c")
            else:
                mixed = blueprint.mixed(state.events, state.hands[1 - seat])
                state = game.next(state, draw_action(mixed, random.random()))
        if game.player(state) >= 0 and game.betting_after(state.events).max_raise:
            found.append(tuple(state.events))
    return found


class RiverResponse:
    """A best response on the river to an agent that is asked for every hand, with one bet or raise of given sizes.

    It holds any hand, checks, calls and folds as it likes, and bets or raises at most once, by one of `sizes`.
    """

    def __init__(self, agent: Any, public: tuple[str, ...], sizes: tuple[str, ...]) -> None:
        self.agent, self.game, self.sizes, self.public = agent, agent.game, sizes, public
        deck, board = self.game.deck, list(public_cards(public))
        live, hands = deck.live_hands(board), deck.hands
        shown = np.zeros(deck.hand_count)
        shown[live] = evaluate([[*hand, *board] for hand in hands[live].tolist()])
        shared = (hands[:, None, :, None] == hands[None, :, None, :]).any(axis=(2, 3))
        self.apart = ~shared & live & live[:, None]
        self.beats = np.sign(shown[:, None] - shown[None]).astype(np.int64)

    def value(self) -> float:
        """Return what it wins on average over all hands of both, in chips since the start of the hand."""
        weight = self.agent.belief(self.public).ranges[self.agent.seat]
        won = self._visit(self.public, weight, may_bet=True)
        return float(won.sum() / (self.apart @ weight).sum())

    def _visit(self, public: tuple[str, ...], weight: Any, may_bet: bool) -> Any:
        state, seat = self.game.betting_after(public), 1 - self.agent.seat
        if state.to_act < 0:
            strengths = [[1, 1], [1, 1], [1, 1]]
            strengths[0][seat], strengths[2][seat] = 0, 2
            outcomes = np.array([self.game.settle(state, one)[seat] for one in strengths])
            return (self.apart * outcomes[self.beats + 1]) @ weight
        if state.to_act == seat:
            actions = ["f", "c"] if state.to_call else ["c"]
            if may_bet and state.max_raise:
                totals = [parse_size(size, raising=True).legal_total(self.game.betting, state) for size in self.sizes]
                actions += [label(total) for total in dict.fromkeys(totals)]
            return np.max([self._visit((*public, one), weight, may_bet and one[0] != "b") for one in actions], axis=0)
        known = self.agent.probabilities(public)
        shares = zip(known.actions, known.table.T, strict=True)
        return np.sum([self._visit((*public, one), weight * share, may_bet) for one, share in shares], axis=0)

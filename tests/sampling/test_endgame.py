"""Endgames in buckets: exact best responses, computed hand against hand without any kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.cards import evaluate, parse_cards
from counterpoise.errors import InputError
from counterpoise.games.base import TERMINAL
from counterpoise.sampling.endgame import Endgame

LINE = ("b300", "c", "AsKhTd", "c", "c", "9c", "c", "c", "Jh")


class Judge:
    """Plays an endgame hand against hand: what a seat wins with each of its hands against a known one."""

    def __init__(self, endgame: Endgame, board: list[int], ranges: Any) -> None:
        self.endgame, self.tree, self.game, self.ranges = endgame, endgame.tree, endgame.tree.game, ranges
        hands = self.game.deck.hands
        apart = ~(hands[:, None, :, None] == hands[None, :, None, :]).any(axis=(2, 3))
        live = self.game.deck.live_hands(board)
        shown = np.zeros(len(hands), dtype=np.int64)
        shown[live] = evaluate([[*hand, *board] for hand in hands[live].tolist()])
        self.both = apart & live & live[:, None]
        self.beats = np.sign(shown[:, None] - shown[None])

    def value(self, seat: int, best: bool) -> float:
        """Return what a seat wins on average, in chips: by its own strategy or by a best response."""
        won = self._visit(self.tree.start, 0, seat, self.ranges[1 - seat], best) @ self.ranges[seat]
        return float(won / (self.ranges[0] @ self.both @ self.ranges[1]))

    def _visit(self, state: Any, node: int, seat: int, reach: Any, best: bool) -> Any:
        if state.to_act == TERMINAL:
            outcomes = [self.game.settle(state, self._strengths(sign, seat))[seat] for sign in (-1, 0, 1)]
            return (self.both * np.array(outcomes)[self.beats + 1]) @ reach
        weights = self.endgame.weights(node).astype(float)
        total = weights.sum(axis=1, keepdims=True)
        shares = np.divide(weights, total, out=np.full_like(weights, 1 / weights.shape[1]), where=total > 0)
        found = []
        for place, child in enumerate(self.tree.children(node)):
            after = self.game.betting_next(state, self.tree.labels(node)[place])
            theirs = reach if state.to_act == seat else reach * shares[:, place]
            found.append(self._visit(after, child, seat, theirs, best))
        if state.to_act != seat:
            return np.sum(found, axis=0)
        return np.max(found, axis=0) if best else np.sum([v * shares[:, k] for k, v in enumerate(found)], axis=0)

    @staticmethod
    def _strengths(sign: int, seat: int) -> list[int]:
        own = [1, 1]
        own[seat] += sign
        return own


def endgame(buckets: int | None) -> tuple[Endgame, Judge]:
    game: Any = cp.load("no_limit_holdem(ranks=6, stack=20, sizes=['50%', '100%', 'allin'])")
    state, board = game.betting_after(LINE), parse_cards("AsKhTd9cJh", game.deck)
    ranges = np.random.default_rng(0).random((2, game.deck.hand_count)) ** 2
    live = game.deck.live_hands(board)
    ranges[:, ~live] = 0.0
    number = np.arange(game.deck.hand_count)
    rows = np.where(live, number if buckets is None else number % buckets, -1)
    found = Endgame(game, state, board, ranges, rows)
    return found, Judge(found, board, ranges)


@pytest.mark.slow
def test_endgames_converge_in_the_real_game_if_every_hand_has_its_bucket() -> None:
    """With a bucket per hand neither seat gains by a best response; with few buckets it does."""
    found, judge = endgame(None)
    found.step(20)
    before = sum(judge.value(seat, best=True) for seat in range(2))
    found.step(380)
    values = [judge.value(seat, best=False) for seat in range(2)]
    assert sum(values) == pytest.approx(0.0, abs=1e-3)  # zero-sum
    gained = sum(judge.value(seat, best=True) for seat in range(2))
    pot = 600.0
    assert -1e-3 < gained < min(0.01 * pot, before / 3)
    coarse, other = endgame(5)
    coarse.step(100)
    assert sum(other.value(seat, best=True) for seat in range(2)) > 5 * gained
    root = coarse.weights(0)
    assert all(len(np.unique(root[coarse.buckets == bucket], axis=0)) == 1 for bucket in range(5))


def test_endgames_are_of_the_last_round() -> None:
    game: Any = cp.load("no_limit_holdem(ranks=6, stack=20)")
    with pytest.raises(InputError, match="last round"):
        Endgame(game, game.betting_after(LINE[:3]), [], np.zeros((2, 276)), np.zeros(276))

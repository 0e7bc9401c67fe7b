"""Exact values of two seats in the rest of a hand on a small deck, from the rules, with a matrix of all hands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BettingState
from counterpoise.betting.sizes import read_label
from counterpoise.cards.deck import format_cards
from counterpoise.cards.evaluator import evaluate
from counterpoise.games.base import CHANCE, TERMINAL
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour, public_cards

Matrix = NDArray[np.float64]
Play = Callable[[tuple[str, ...]], Behaviour]


class Exact:
    """Values in a tree whose actions are those that `play` knows; a tree may stop where `leaf` says so.

    `leaf_values` has, for a leaf's public history, the payoff of seat 0 by both picks and both hands, [j, k, h0, h1].
    """

    def __init__(
        self,
        game: Holdem,
        ranges: Matrix,
        leaf_values: Callable[[tuple[str, ...]], Matrix] | None = None,
    ) -> None:
        self.game, self.ranges, self.leaf_values = game, ranges, leaf_values
        hands = game.deck.hands
        self.apart = ~(hands[:, None, :, None] == hands[None, :, None, :]).any(axis=(2, 3))

    def joint(self, public: tuple[str, ...]) -> Matrix:
        """Return how likely both hold which hands at the root, without conditioning on a board to come."""
        live = self.game.deck.live_hands(public_cards(public))
        weights = self.apart * np.outer(self.ranges[0] * live, self.ranges[1] * live)
        return np.asarray(weights / weights.sum())

    def value(self, public: tuple[str, ...], play: Play, picks: Mapping[Any, Any] | None = None) -> float:
        """Return what seat 0 wins on average."""
        return float((self.joint(public) * self._matrix(public, play, picks or {})).sum())

    def gain(self, public: tuple[str, ...], play: Play, seat: int, picks: Mapping[Any, Any] | None = None) -> float:
        """Return what a seat wins more by a best response to the other's play."""
        weights = self.joint(public) if seat == 0 else self.joint(public).T
        best = self._best(public, play, seat, weights, picks or {}).sum()
        return float(best - (1 - 2 * seat) * self.value(public, play, picks))

    def _matrix(self, public: tuple[str, ...], play: Play, picks: Mapping[Any, Any]) -> Matrix:
        """Return what seat 0 wins by both hands, if they play so from here on."""
        state = self.game.betting_after(public)
        if state.to_act == CHANCE and self.leaf_values is not None:
            first, second = (picks[public, seat] for seat in (0, 1))
            return np.einsum("hj,gk,jkhg->hg", first, second, self.leaf_values(public))
        if state.to_act == CHANCE:
            return self._over_boards(public, lambda after: self._matrix(after, play, picks))
        if state.to_act == TERMINAL:
            return self._paid(public, state)
        known = play(public)
        found = np.zeros(self.apart.shape)
        for column, action in enumerate(known.actions):
            share = known.table[:, column]
            below = self._matrix((*public, action), play, picks)
            found += (share[:, None] if state.to_act == 0 else share[None]) * below
        return found

    def _best(self, public: tuple[str, ...], play: Play, seat: int, weights: Matrix, picks: Mapping[Any, Any]) -> Any:
        """Return what each hand of a seat wins at best, times how likely it is; `weights` [own hand, other's hand]."""
        state = self.game.betting_after(public)
        sign = 1 - 2 * seat
        if state.to_act == CHANCE:
            assert self.leaf_values is not None, "boards must be part of the root"
            values = self.leaf_values(public)
            if seat == 1:
                values = -values.transpose(1, 0, 3, 2)
            return np.einsum("hg,gk,jkhg->jh", weights, picks[public, 1 - seat], values).max(axis=0)
        if state.to_act == TERMINAL:
            paid = self._paid(public, state)
            return (weights * sign * (paid if seat == 0 else paid.T)).sum(axis=1)
        known = play(public)
        if state.to_act == seat:
            return np.max([self._best((*public, one), play, seat, weights, picks) for one in known.actions], axis=0)
        return sum(
            self._best((*public, one), play, seat, weights * known.table[:, column], picks)
            for column, one in enumerate(known.actions)
        )

    def _over_boards(self, public: tuple[str, ...], value: Callable[[tuple[str, ...]], Matrix]) -> Matrix:
        """Return the mean of a matrix over the cards to come, which are those that neither holds."""
        deck, board = self.game.deck, public_cards(public)
        due = self.game.board[self.game.betting_after(public).round + 1]
        total, count = np.zeros(self.apart.shape), np.zeros(self.apart.shape)
        for cards in combinations([card for card in deck.cards.tolist()[::-1] if card not in board], due):
            live = deck.live_hands([*board, *cards])
            both = np.outer(live, live)
            total += np.where(both, value((*public, format_cards(cards, separator=""))), 0.0)
            count += both
        return np.divide(total, count, out=np.zeros_like(total), where=count > 0)

    def _paid(self, public: tuple[str, ...], state: BettingState) -> Matrix:
        board = public_cards(public)
        if len(state.live) == 1:
            return np.full(self.apart.shape, self.game.settle(state)[0])
        assert len(board) == sum(self.game.board), "no all-ins before the last cards here"
        live = self.game.deck.live_hands(board)
        rows = [[*hand, *board] if ok else [0, 1, 2, 3, 4] for hand, ok in zip(self.game.deck.hands, live, strict=True)]
        strength = np.asarray(evaluate(rows, self.game.ranking), dtype=np.int64)
        outcome = np.sign(strength[:, None] - strength[None])
        paid = {result: self.game.settle(state, (result + 1, 1))[0] for result in (-1, 0, 1)}
        return np.where(outcome > 0, paid[1], np.where(outcome < 0, paid[-1], paid[0]))


def continuation_values(game: Holdem, public: tuple[str, ...], play: Play, factors: Matrix) -> Matrix:
    """Return what seat 0 wins behind a leaf if both follow biased forms of a strategy, [j, k, h0, h1]."""
    count = len(factors)
    whole = Exact(game, np.ones((2, game.deck.hand_count)))
    found = np.empty((count, count, *whole.apart.shape))
    for j in range(count):
        for k in range(count):

            def biased(after: tuple[str, ...], j: int = j, k: int = k) -> Behaviour:
                known = play(after)
                own = factors[j if game.betting_after(after).to_act == 0 else k]
                kinds = np.sign([read_label(action) for action in known.actions]) + 1
                table = known.table * own[kinds]
                sums = table.sum(axis=1, keepdims=True)
                return known._replace(table=np.divide(table, sums, out=np.zeros_like(table), where=sums > 0))

            found[j, k] = whole._matrix(public, biased, {})
    return found

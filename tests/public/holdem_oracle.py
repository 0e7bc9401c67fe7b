"""Strategies of hold'em evaluated in float64, hand by hand and board by board, without symmetry."""

from functools import cache
from itertools import combinations
from math import comb

import numpy as np

from counterpoise.cards import strengths
from counterpoise.games import CHANCE, TERMINAL


class Oracle:
    """Values of the strategies of a profile: one matrix per end, every board, no symmetry."""

    def __init__(self, profile):
        self.profile, self.game = profile, profile.game
        self.deck, self.betting, self.hands = self.game.deck, self.game.betting, self.game.hands
        first, second = (hands.astype(int) for hands in self.hands)
        self.apart = (first[:, None, :, None] != second[None, :, None, :]).all(axis=(2, 3)).astype(float)
        self.full = len(self.game.first_deal) + sum(self.game.rules.to_come)
        self.alive, self.showdown, self.chosen = cache(self._alive), cache(self._showdown), cache(self._chosen)

    def totals(self):
        """Per player the value of its strategy and of its best response."""
        weights = self.game.weights
        mass = weights[0] @ self.apart @ weights[1]
        found = [
            self.values(self.game.root, player, weights[1 - player]) @ weights[player] / mass for player in range(2)
        ]
        return np.array(found).T

    def values(self, node, player, reach):
        """Per hand the values of the player's strategy and of its best response from a node on, two rows."""
        return self._walk(node, node.state, player, reach)

    def _walk(self, node, state, player, reach):
        if state.to_act == TERMINAL:
            value = self._end(state, node.dealt, player, reach)
            return np.array([value, value])
        if state.to_act == CHANCE:
            return self._deal(node, state, player, reach)
        assert node.actions == self.game.sizes.actions(self.betting, state)
        chosen = self.chosen(node)
        values = np.array(
            [
                self._walk(
                    child, self.betting.apply(state, action), player, reach if node.player == player else reach * row
                )
                for (action, child), row in zip(node.children(), chosen, strict=True)
            ]
        )
        if node.player != player:
            return values.sum(axis=0)
        return np.array([(values[:, 0] * chosen).sum(axis=0), values[:, 1].max(axis=0)])

    def _deal(self, node, state, player, reach):
        left, due = self._left(node.dealt), self.game.rules.to_come[node.street_tree.street]
        state, total = self.betting.deal(state), 0
        for cards in combinations(left, due):
            after = node.deal(cards)
            alive = self.alive(after.dealt)
            total = total + alive[player] * self._walk(after, state, player, reach * alive[1 - player])
        return total / comb(len(left) - 4, due)

    def _end(self, state, board, player, reach):
        half, turned = self.betting.pot / 2, (lambda matrix: matrix) if player == 0 else np.transpose
        own = self.alive(board)[player]
        if len(state.live) == 1:
            return (self.betting.payoffs(state)[player] - half) * own * (turned(self.apart) @ reach)
        win, lose, tie = (self.betting.payoffs(state, s)[player] - half for s in ((1, 0), (0, 1), (0, 0)))
        lead = (win - lose) / 2 * (turned(self.showdown(board)) @ reach)
        return lead + (tie * own * (turned(self.apart) @ reach) if tie else 0)

    def _alive(self, board):
        return [~np.isin(hands, board).any(axis=1) for hands in self.hands]

    def _left(self, board):
        return [card for card in self.deck.cards.tolist() if card not in board]

    def _showdown(self, board):
        """Sign of the showdown for all pairs of hands that can meet, expected over all cards to come."""
        left, due = self._left(board), self.full - len(board)
        total = np.zeros_like(self.apart)
        for cards in combinations(left, due):
            full = (*board, *cards)
            strong = [strengths(full, hands, self.deck).astype(int) for hands in self.hands]
            total += np.sign(strong[0][:, None] - strong[1][None, :]) * np.outer(*self.alive(full)) * self.apart
        return total / comb(len(left) - 4, due)

    def _chosen(self, node):
        return node.strategy(self.profile)

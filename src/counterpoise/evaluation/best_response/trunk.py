"""The rounds before the first deal: what follows the deal is known by its values, and few hands and lines are left.

What the responder does there is an *answer*: for each of its decisions the number of the action it takes with each
hand. An answer is found against some values and may be judged by others.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from counterpoise.evaluation.best_response.layout import RoundLayout
from counterpoise.evaluation.best_response.players import RoundPlayer
from counterpoise.public.street_trees import Following

FloatArray = NDArray[np.float64]
Answer = dict[tuple[int, int], NDArray[np.intp]]
"""The action with each hand, by the numbers of the street tree and of the decision in it."""


class Trunk:
    """What the responder of one seat wins before the first deal and after it."""

    def __init__(self, layouts: tuple[RoundLayout, ...], opponents: list[RoundPlayer], first: int, seat: int) -> None:
        self.betting, self.first, self.seat = layouts[0].betting, first, seat
        self.plays = [player.on_board(()) for player in opponents[:first]]
        self.layouts = layouts
        self.line_of = {tree: line for line, tree in enumerate(layouts[first].trees)}
        deck, game = self.betting.game.deck, self.betting.game
        self.cards = deck.hands.astype(np.intp)
        self.share = 1 / comb(deck.size - 4, game.board[first])
        self.per_deal = self.share / (deck.hand_count * comb(deck.size - 2, 2))

    def best(self, sums: FloatArray) -> tuple[float, Answer]:
        """Return what the best answer wins in chips per game, and the answer; `sums` are those of all first deals."""
        answer: Answer = {}
        return self._value(sums, answer, find=True), answer

    def judge(self, answer: Answer, sums: FloatArray) -> float:
        """Return what an answer wins in chips per game."""
        return self._value(sums, answer, find=False)

    def _value(self, sums: FloatArray, answer: Answer, find: bool) -> float:
        hands = len(self.cards)
        if self.first == 0:
            return float(sums.sum()) * self.per_deal

        def follow(tree: int, end: Following, reach: FloatArray) -> FloatArray:
            street, (kind, number) = self.betting.trees[tree], end
            if kind == "leaf":
                leaf = street.leaves[number]
                if not leaf.is_deal:
                    return np.asarray(leaf.mass[self.seat] * self._met(reach))
                if leaf.tree in self.line_of:
                    return np.asarray(self.share * sums[self.line_of[leaf.tree]])
                return begin(leaf.tree, reach)
            node = street.decisions[number]
            ends = [street.children[number, action] for action in node.actions]
            if node.player != self.seat:
                chances = self._chances(tree, number)
                parts = [follow(tree, one, reach * chances[k]) for k, one in enumerate(ends)]
                return np.asarray(np.sum(parts, axis=0))
            values = np.array([follow(tree, one, reach) for one in ends])
            if find:
                answer[tree, number] = values.argmax(axis=0)
            return np.asarray(np.take_along_axis(values, answer[tree, number][None], axis=0)[0])

        def begin(tree: int, reach: FloatArray) -> FloatArray:
            return follow(tree, ("decision", 0) if self.betting.trees[tree].decisions else ("leaf", 0), reach)

        return float(begin(0, np.ones(hands)).sum()) * self.per_deal / self.share

    def _chances(self, tree: int, number: int) -> FloatArray:
        """Return the probabilities of the opponent's actions at a decision: [action, hand]."""
        street = self.betting.trees[tree].street
        play, place = self.plays[street], self.layouts[street].place_of(1 - self.seat, tree, number)
        return np.asarray(play.table[place, np.maximum(play.group, 0)].T)

    def _met(self, reach: FloatArray) -> FloatArray:
        """Return the reach of all hands that each hand can meet."""
        sums = np.zeros(int(self.cards.max()) + 1)
        for column in range(2):
            np.add.at(sums, self.cards[:, column], reach)
        return np.asarray(reach.sum() - sums[self.cards].sum(axis=1) + reach)

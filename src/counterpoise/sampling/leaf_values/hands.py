"""Values of the rest of the game to each pair of hands after the flop or the turn (Brown et al. 2018, section 4).

On a dealt board the values are exact (`sampling.leaf_values.ends`); `HandValues` returns means over all boards that may
follow the public cards, or over some of them, in chips that seat 0 wins. Sampled boards have every next card about
equally often. A control variate removes their luck: how often each hand turns out the stronger one over *all* boards is
known.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from math import perm

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.parameters import require_whole
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.kernels.dealing import CardArrays
from counterpoise.sampling.kernels.hand_pairs import add_pairs, add_signs
from counterpoise.sampling.kernels.vectors import arrange_hands
from counterpoise.sampling.leaf_values.ends import EndsBelow, FloatRow
from counterpoise.sampling.lookup import dealt_hand
from counterpoise.sampling.vectors import board_hands

Cards = tuple[int, ...]


class HandValues:
    """Mean values of pairs of hands after public cards; see the module docstring.

    `cards` has the buckets of all boards that may follow (`board_lookup`). `boards` is the number of boards to sample;
    if there are no more, all are enumerated.
    """

    def __init__(self, tree: BettingTree, cards: CardArrays, board: Cards, boards: int, *, seed: int = 0) -> None:
        require_whole("boards", boards)
        self.tree, self.cards, self.board, self.boards = tree, cards, board, boards
        self._due = tree.board_cards[-1] - len(board)
        if self._due < 1:
            raise InputError("values of pairs of hands after public cards need cards that are still to come")
        self._left = [card for card in tree.game.deck.cards.tolist() if card not in board]
        self._dealt, self._hands = dealt_hand(tree), board_hands(tree)
        self.every = boards >= perm(len(self._left), self._due)
        self._boards = self._draw(boards, np.random.default_rng([seed, *board]))

    def run(self, below: EndsBelow, picks: Sequence[tuple[FloatRow, FloatRow]]) -> FloatRow:
        """Return the mean values of pairs of tables, [pair, leaf, hand of seat 0, hand of seat 1]; 0 for no pair.

        `picks` are probabilities of actions of seat 0 and of seat 1 (`action_probabilities`).
        """
        count = self.tree.game.deck.hand_count
        shape = len(picks), len(below.leaves), count, count
        total, stakes = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)
        for later in self._boards:
            places, strength = self._arrange(later)
            buckets = self._hands.buckets[:, :, : len(places)]
            tables = {id(one): one for pair in picks for one in pair}
            known = dict.fromkeys((seat, id(own)) for pair in picks for seat, own in enumerate(pair))
            reach = {(seat, key): below.reach(seat, tables[key], buckets[seat]) for seat, key in known}
            for pair, (first, second) in enumerate(picks):
                won = below.won(reach[0, id(first)], reach[1, id(second)])
                for leaf, (middle, margin) in enumerate(won):
                    add_pairs(middle, margin, places, strength, total[pair, leaf], stakes[pair, leaf])
        dealt, ahead = self._signs(self._boards)
        dealt = np.maximum(dealt, np.float32(1))
        if not self.every:
            np.subtract(total, stakes * (ahead / dealt - self._always_ahead), out=total)
        return np.asarray(total / dealt, dtype=np.float32)

    @cached_property
    def _always_ahead(self) -> FloatRow:
        """How much more often the hand of seat 0 is the stronger one, as a share of all boards that may follow."""
        dealt, ahead = self._signs(list(combinations(self._left, self._due)))
        return np.asarray(ahead / np.maximum(dealt, np.float32(1)), dtype=np.float32)

    def _signs(self, boards: Sequence[Cards]) -> tuple[FloatRow, FloatRow]:
        """Return the number of boards on which each pair of hands can be held, and on how many more the first is the
        stronger."""
        count = self.tree.game.deck.hand_count
        dealt, ahead = (np.zeros((count, count), dtype=np.float32) for _ in range(2))
        for later in boards:
            places, strength = self._arrange(later)
            add_signs(places, strength, dealt, ahead)
        return dealt, ahead

    def _arrange(self, later: Cards) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Deal a board and return the hands that it leaves, from weak to strong, and their strengths."""
        self._dealt.board[0, : len(self.board) + self._due] = (*self.board, *later)
        arrange_hands(self.cards, self._dealt, self._hands)
        card, live = self._hands.card, int(self._hands.live[0])
        places = self.cards.hand_of[card[0, :live], card[1, :live]].astype(np.int64)
        return places, self._hands.end[:live].copy()

    def _draw(self, boards: int, random: np.random.Generator) -> list[Cards]:
        """Return different boards to come; every next card is drawn before any is repeated."""
        if self.every:
            return [later for some in combinations(self._left, self._due) for later in _orders(some)]
        found: dict[Cards, None] = {}
        while len(found) < boards:
            for card in random.permutation(self._left).tolist():
                others = [one for one in self._left if one != card]
                rest = random.choice(others, self._due - 1, replace=False).tolist()
                found[(card, *rest)] = None
        return list(found)[:boards]


def _orders(cards: Cards) -> list[Cards]:
    return [cards] if len(cards) == 1 else [cards, cards[::-1]]

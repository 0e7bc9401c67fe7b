"""What the rest of the game is worth to pairs of hands before the flop, by dealt boards (Brown et al. 2018, section 4).

Boards are drawn; on each the values are exact (`sampling.leaf_values.ends`). The mean over boards and over the hands of
each pair of *classes* (hands that differ by their suits alone: 169 with 52 cards) is what `ClassPairValues` returns, in
chips that seat 0 wins.

A few hands of each class are drawn on each board, for each seat by itself; a pair counts by how many it stands for, so
that the means are over all pairs of hands and all boards that can be dealt together. All continuations see the same
boards and hands, which makes their differences less noisy.

What the drawn boards favour one of two hands by luck is taken out (a control variate): how much more often a hand turns
out the stronger one over *all* boards is known (`cards.equity.pair_advantages`). Ends without further betting, where
both are all-in, are exact by that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.boards import renamings
from counterpoise.cards import Deck
from counterpoise.cards.deck import SUITS, disjoint_hands
from counterpoise.cards.equity import BOARD, pair_advantages
from counterpoise.kernels.random import seeded
from counterpoise.parameters import require_whole
from counterpoise.progress import CancelToken, Progress, SilentProgress
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.kernels.dealing import CardArrays
from counterpoise.sampling.kernels.hand_pairs import DrawnHands, add_values, weigh_pairs
from counterpoise.sampling.kernels.vectors import BoardHands, deal_board
from counterpoise.sampling.leaf_values.ends import EndsBelow, FloatRow, Table, action_probabilities
from counterpoise.sampling.lookup import dealt_hand
from counterpoise.sampling.tables import TableLayout
from counterpoise.sampling.vectors import board_hands

SHOW_EVERY = 20


def hand_classes(deck: Deck) -> NDArray[np.int64]:
    """Return the class of every hand of a deck: hands that differ by their suits alone have the same one."""
    found: NDArray[np.int64] = np.unique(renamings(deck).hand_maps.min(axis=0), return_inverse=True)[1]
    return found


def pairs_work(tree: BettingTree) -> int:
    """Return how many products of reach a board takes for a pair of tables, with one hand of each class."""
    classes = int(hand_classes(tree.game.deck).max()) + 1
    return int((~tree.decisions & (tree.arrays.round > 0)).sum()) * classes**2


class ClassPairValues:
    """Mean values at the ends of the first betting round; see the module docstring."""

    def __init__(self, tree: BettingTree, layout: TableLayout, cards: CardArrays, *, seed: int = 0) -> None:
        require_whole("seed", seed, 0)
        self.leaves = tree.round_exits(0).tolist()
        self.tree, self.layout, self.cards, self.seed = tree, layout, cards, seed
        self.classes = hand_classes(tree.game.deck)
        self._below = EndsBelow(tree, layout, self.leaves)

    def run(
        self,
        picks: Sequence[tuple[Table, Table]],
        boards: int,
        per_class: int = 1,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> FloatRow:
        """Return the mean values of pairs of tables, [pair, leaf, class of seat 0, class of seat 1].

        `picks` are weights of seat 0 and of seat 1 in the order of the layout. If it is cancelled, the means are those
        of the boards so far, at least one.
        """
        require_whole("boards", boards)
        require_whole("per_class", per_class)
        display = progress or SilentProgress()
        tables = {
            id(one): action_probabilities(self.tree, self.layout, one)
            for one in {id(one): one for pair in picks for one in pair}.values()
        }
        dealt, hands, seed = dealt_hand(self.tree), board_hands(self.tree), seeded(self.seed)[0]
        count = int(self.classes.max()) + 1
        total, stakes = (np.zeros((len(picks), len(self.leaves), count, count)) for _ in range(2))
        weight, ahead = np.zeros((count, count)), np.zeros((count, count))
        for number in range(boards):
            deal_board(self.cards, seed, number, dealt, hands)
            (own, first_places), (other, second_places) = (self._draw(hands, number, per_class, k) for k in range(2))
            weigh_pairs(own, other, weight, ahead)
            places = first_places, second_places
            reach = {
                (seat, key): self._below.reach(seat, tables[key], hands.buckets[seat][:, places[seat]])
                for seat, key in dict.fromkeys((seat, id(own)) for pair in picks for seat, own in enumerate(pair))
            }
            for pair, (first, second) in enumerate(picks):
                won = self._below.won(reach[0, id(first)], reach[1, id(second)])
                for leaf, (middle, margin) in enumerate(won):
                    add_values(middle, margin, own, other, total[pair, leaf], stakes[pair, leaf])
            if number % SHOW_EVERY == 0:
                display.show(number / boards, f"{number:,} of {boards:,} boards")
            if cancel is not None and cancel.cancelled:
                break
        weight = np.maximum(weight, 1)  # classes that have not met have won nothing
        always = self._always_ahead
        if always is not None:
            total -= stakes * (ahead / weight - always)
        return np.asarray(total / weight, dtype=np.float32)

    @cached_property
    def _always_ahead(self) -> NDArray[np.float64] | None:
        """How much more often seat 0 has the stronger hand, by pair of classes; None unless boards have five cards."""
        deck = self.tree.game.deck
        if self.tree.board_cards[-1] != BOARD or deck.suits != len(SUITS):
            return None
        apart, member = disjoint_hands(deck.hands, deck.hands), np.eye(int(self.classes.max()) + 1)[self.classes]
        met = member.T @ apart @ member
        return np.asarray(member.T @ pair_advantages(deck) @ member / np.maximum(met, 1))

    def _draw(self, hands: BoardHands, number: int, per_class: int, seat: int) -> tuple[DrawnHands, NDArray[np.int64]]:
        """Return some hands of each class that a board leaves, for one seat, and their places among them."""
        live = int(hands.live[0])
        known = self.classes[self.cards.hand_of[hands.card[0, :live], hands.card[1, :live]]]
        order = np.random.default_rng([self.seed, number, seat]).permutation(live)
        order = order[np.argsort(known[order], kind="stable")]
        sizes = np.bincount(known, minlength=int(self.classes.max()) + 1)
        rank = np.arange(live) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        places = order[rank < per_class]
        group = known[places]
        share = sizes[group] / np.minimum(sizes[group], per_class)
        return DrawnHands(np.ascontiguousarray(hands.card[:, places]), hands.end[places], group, share), places

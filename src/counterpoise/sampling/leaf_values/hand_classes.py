"""Values of the rest of the game to pairs of hands before the flop, by dealt boards (Brown et al. 2018, section 4).

On each board the values are exact (`sampling.leaf_values.ends`). The mean over boards and over the hands of each pair
of *classes* (hands that differ by their suits alone: 169 with 52 cards) is what `ClassPairValues` returns, in chips
that seat 0 wins. If enumerating all boards up to isomorphism, with all their hands, takes no more work than the boards
that were asked for, they are enumerated and the means are exact. Otherwise boards are sampled.

A few hands of each class are drawn on each board, for each seat separately; a pair is weighted by the number of pairs
it stands for, so that the means are over all pairs of hands and all boards that can be dealt together. All
continuations see the same boards and hands, which makes their differences less noisy.

A control variate removes the luck of the drawn boards: how much more often a hand turns out the stronger one over *all*
boards is known (`cards.equity.pair_advantages`). This makes ends without further betting, where both are all-in, exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import comb, factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.boards import renamings
from counterpoise.cards import Deck
from counterpoise.cards.deck import SUITS, disjoint_hands
from counterpoise.cards.equity import pair_advantages
from counterpoise.cards.isomorphism import isomorphism
from counterpoise.kernels.random import seeded
from counterpoise.parameters import require_whole
from counterpoise.progress import CancelToken, Progress, SilentProgress
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.kernels.dealing import CardArrays
from counterpoise.sampling.kernels.hand_pairs import DrawnHands, add_values, weigh_pairs
from counterpoise.sampling.kernels.vectors import BoardHands, arrange_hands, deal_board
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
    """Return the number of products of reach of a board for a pair of tables, with one hand of each class."""
    classes = int(hand_classes(tree.game.deck).max()) + 1
    return int((~tree.decisions & (tree.arrays.round > 0)).sum()) * classes**2


class _AllBoards(NamedTuple):
    """One board of each isomorphism class, and the size of the class."""

    cards: NDArray[np.uint8]  # [board, card]
    alike: NDArray[np.int64]  # [board]


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

        `picks` are weights of seat 0 and of seat 1 in the order of the layout. All boards are enumerated if that is no
        more work than `boards` sampled ones. If it is cancelled, the means are those of the boards so far, at least
        one.
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
        every = self._all_boards(boards * (count * per_class) ** 2)
        boards = boards if every is None else len(every.cards)
        for number in range(boards):
            if every is None:
                deal_board(self.cards, seed, number, dealt, hands)
                drawn = [self._draw(hands, number, per_class, seat) for seat in range(2)]
            else:
                dealt.board[0, : every.cards.shape[1]] = every.cards[number]
                arrange_hands(self.cards, dealt, hands)
                held, at = self._draw(hands, number, len(self.classes), 0)
                drawn = [(held._replace(share=held.share * every.alike[number]), at), (held, at)]
            (own, first_places), (other, second_places) = drawn
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
        if every is None and self.tree.game.deck.suits == len(SUITS):
            total -= stakes * (ahead / weight - self._always_ahead)
        return np.asarray(total / weight, dtype=np.float32)

    def _all_boards(self, most: float) -> _AllBoards | None:
        """Return all boards up to the names of suits; None if their pairs of hands are more than `most`."""
        game = self.tree.game
        deck, rounds, left, boards = game.deck, [dealt for dealt in game.board if dealt], game.deck.size, 1
        for dealt in rounds:
            boards, left = boards * comb(left, dealt), left - dealt
        pairs = comb(left, 2) ** 2
        if deck.suits != len(SUITS) or boards * pairs > most * factorial(deck.suits):
            return None  # no board stands for more than all renamings of the suits
        known = isomorphism(rounds, deck)
        if known.size * pairs > most:
            return None
        cards = known.unindex(np.arange(known.size))
        return _AllBoards(cards, known.orbit_sizes(cards))

    @cached_property
    def _always_ahead(self) -> NDArray[np.float64]:
        """How much more often seat 0 has the stronger hand over all boards, by pair of classes."""
        deck = self.tree.game.deck
        apart, member = disjoint_hands(deck.hands, deck.hands), np.eye(int(self.classes.max()) + 1)[self.classes]
        met = member.T @ apart @ member
        return np.asarray(member.T @ pair_advantages(deck, self.tree.board_cards[-1]) @ member / np.maximum(met, 1))

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

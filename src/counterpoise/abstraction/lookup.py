"""Buckets of single hands on boards that were dealt, many at once: for play and for sampled walks.

They are those of `CardAbstraction.row`, bit for bit, without the other hands of the board: a hand on the flop or the
turn takes some ten nanoseconds, on a river of opponent cluster hand strength about two microseconds, most of which the
hands on the same board share.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.boards import BOARD_CARDS, renamings
from counterpoise.abstraction.kernels.lookup import BoardSets, Opponents, count_wins_of, stored_buckets
from counterpoise.cards import HOLDEM_ROUNDS, Deck, isomorphism, strength_tables
from counterpoise.cards.kernels.evaluator import board_strengths

if TYPE_CHECKING:
    from counterpoise.abstraction.strength import HoldemCards
    from counterpoise.abstraction.table import CardAbstraction

BOARDS_AT_ONCE = 256
"""Full boards whose strengths are held at a time."""
Buckets = NDArray[np.int64]


class HandLookup:
    """Looks up the buckets of hands in an abstraction, `CardAbstraction.hand_buckets`."""

    def __init__(self, abstraction: CardAbstraction) -> None:
        self._abstraction = abstraction
        self._cards = abstraction.cards

    def buckets(self, hands: NDArray[Any], boards: NDArray[np.uint8]) -> Buckets:
        """Return the bucket of each hand (its number) on its own board, [point, card] as dealt, flop first.

        Nothing is checked: boards must be of the deck, without repeated cards, and share none with the hand.
        """
        hands = np.ascontiguousarray(hands, dtype=np.int64)
        table = self._abstraction
        number = BOARD_CARDS.index(boards.shape[1])
        street = table.streets[number]
        out = np.empty(len(hands), dtype=np.int64)
        if street.rows is not None and number == 0:
            out[:] = street.rows[0][hands]
        elif street.rows is not None:
            ordered = len(street.rows) > self._cards.boards(number).size
            stored_buckets(hands, boards, board_sets(self._cards, number, ordered), street.rows, out)
        elif street.model is None:
            deals = np.concatenate([table.deck.hands[hands], boards], axis=1)
            out[:] = isomorphism(HOLDEM_ROUNDS[number], table.deck).index(deals)
        else:
            out[:] = street.model.assign(self._points(hands, boards), self._groups(hands, boards))
        return out

    def _points(self, hands: NDArray[Any], boards: NDArray[np.uint8]) -> NDArray[Any]:
        """Return the vectors by which hands of the last street are put into buckets."""
        from counterpoise.abstraction.table import last_street_vectors

        opponents = self._opponents
        shape = len(hands), len(opponents.first) - 1
        wins, met = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.int32)
        new = np.ones(len(boards), dtype=np.bool_)
        new[1:] = (boards[1:] != boards[:-1]).any(axis=1)
        own, different = np.cumsum(new) - 1, np.ascontiguousarray(boards[new])
        tables = strength_tables(self._abstraction.deck.ranking)
        for begin in range(0, len(different), BOARDS_AT_ONCE):
            some = different[begin : begin + BOARDS_AT_ONCE]
            strengths = np.empty((len(some), len(opponents.cards)), dtype=np.uint16)
            board_strengths(some, opponents.cards, tables, strengths)
            low, high = np.searchsorted(own, [begin, begin + len(some)])
            here = slice(low, high)
            count_wins_of(hands[here], own[here] - begin, strengths, opponents, wins[here], met[here])
        method = self._abstraction.config.streets[-1].method
        if method == "KO":
            share = np.divide(0.5 * wins, met, out=np.full(shape, 0.5), where=met > 0)
            return np.asarray(share, dtype=np.float32)
        return last_street_vectors(method, wins[:, 0] / self._cards.most_wins)

    def _groups(self, hands: NDArray[Any], boards: NDArray[np.uint8]) -> NDArray[np.int32] | None:
        table, last = self._abstraction, self._cards.last
        if table.config.groups(last) == 1:
            return None
        if table.public is None:
            return self.buckets(hands, np.ascontiguousarray(boards[:, : BOARD_CARDS[last - 1]])).astype(np.int32)
        return np.asarray(table.public[self._cards.boards(1).locate(boards[:, :3])[0]], dtype=np.int32)

    @cached_property
    def _opponents(self) -> Opponents:
        deck, cluster_of = self._abstraction.deck, self._abstraction.cluster_of
        if self._abstraction.config.streets[-1].method != "KO" or cluster_of is None:
            cluster_of = np.zeros(deck.hand_count, dtype=np.uint8)
        order = np.argsort(cluster_of, kind="stable")
        cards = np.ascontiguousarray(deck.hands[order])
        with_card = np.zeros((52, deck.size - 1), dtype=np.uint16)
        for card in deck.cards.tolist():
            with_card[card] = np.flatnonzero((cards == card).any(axis=1))
        place = np.empty(deck.hand_count, dtype=np.uint16)
        place[order] = np.arange(deck.hand_count)
        limits = np.searchsorted(cluster_of[order], np.arange(int(cluster_of.max()) + 2)).astype(np.int64)
        return Opponents(cards, limits, np.ascontiguousarray(cluster_of[order]), with_card, place)


@lru_cache(maxsize=16)
def board_sets(cards: HoldemCards, street: int, ordered: bool) -> BoardSets:
    """Return where every set of cards of a street has its row; the whole deck has 22,100 flops and 270,725 turns."""
    deck, classes, count = cards.deck, cards.boards(street), BOARD_CARDS[street]
    place = np.zeros(52, dtype=np.uint8)
    place[deck.cards] = np.arange(deck.size)
    choose = np.array([[comb(n, k + 1) for k in range(count)] for n in range(deck.size)], dtype=np.int64)
    chosen = _combinations(deck, count)
    numbers = choose[chosen, np.arange(count)].sum(axis=1)
    boards = np.empty_like(chosen, dtype=np.uint8)
    boards[numbers] = deck.cards[chosen]
    board_class, renaming = classes.locate(boards)
    maps = renamings(deck)
    turn_place = np.zeros((0, count), dtype=np.uint8)
    if ordered:
        turned = np.stack([maps.card_maps[renaming, column] for column in boards.T], axis=1)
        turn_place = (classes.cards[board_class][:, None, :] == turned[:, :, None]).argmax(axis=2).astype(np.uint8)
    return BoardSets(place, choose, board_class, renaming, turn_place, np.ascontiguousarray(maps.hand_maps))


def _combinations(deck: Deck, count: int) -> NDArray[np.int64]:
    """Return the places of all sets of cards, each in rising order."""
    flat = np.fromiter((place for some in combinations(range(deck.size), count) for place in some), dtype=np.int64)
    return flat.reshape(-1, count)

"""Buckets of single hands on boards that were dealt: point i is hand ``hands[i]`` on board ``boards[i]``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.abstraction.kernels.strength import OPTIONS


class BoardSets(NamedTuple):
    """All sets of a given number of cards of a deck, numbered as combinations, and where each has its stored row.

    With cards at places p0 < p1 < ... of the deck the number of a set is the sum of ``choose[p_k, k]``. `turn_place` is
    where each card, in rising order, stands on the canonical board; it is empty unless rows depend on the turn card.
    """

    place: NDArray[np.uint8]  # [card] its place in the deck
    choose: NDArray[np.int64]  # [place, k] binomial coefficients (place over k + 1)
    board_class: NDArray[np.int32]  # [set]
    renaming: NDArray[np.uint8]  # [set]
    turn_place: NDArray[np.uint8]  # [set, card]
    hand_maps: NDArray[np.uint16]  # [renaming, hand]


class Opponents(NamedTuple):
    """The hands of a deck sorted by cluster, and where to find them."""

    cards: NDArray[np.uint8]  # [place, 2]
    first: NDArray[np.int64]  # [cluster], and one more: the places of its hands
    cluster: NDArray[np.uint8]  # [place]
    with_card: NDArray[np.uint16]  # [card, number] places of the hands with a card
    place: NDArray[np.uint16]  # [hand]


@njit(**OPTIONS)
def stored_buckets(hands, boards, sets, rows, out):
    """Write the buckets of points whose street has stored rows."""
    count = boards.shape[1]
    places = np.empty(count, dtype=np.uint8)
    for i in range(len(hands)):
        # The number of the board among all sets of cards: its places in rising order.
        for j in range(count):
            new = sets.place[boards[i, j]]
            at = j
            while at > 0 and places[at - 1] > new:
                places[at] = places[at - 1]
                at -= 1
            places[at] = new
        number = np.int64(0)
        for j in range(count):
            number += sets.choose[places[j], j]
        # Its row, where the order matters that of the turn card, and the hand as it is called on the canonical board.
        row = np.int64(sets.board_class[number])
        if len(sets.turn_place) > 0:
            turn, j = sets.place[boards[i, count - 1]], 0
            while places[j] != turn:
                j += 1
            row = row * count + sets.turn_place[number, j]
        out[i] = rows[row, sets.hand_maps[sets.renaming[number], hands[i]]]


@njit(**OPTIONS)
def count_wins_of(hands, own_board, strengths, opponents, wins, met):
    """Write twice the wins plus the ties of points against each cluster, and how many of it can be met.

    ``strengths[b]`` has the strength of every hand on a full board, in the order of `opponents` and 0 for the dead, and
    ``own_board[i]`` is the board of point i.
    """
    clusters = len(opponents.first) - 1
    for i in range(len(hands)):
        place = opponents.place[hands[i]]
        row = strengths[own_board[i]]
        own = row[place]
        # All hands of a cluster, as if none were dead or shared a card ...
        for k in range(clusters):
            more, not_less, dead = np.int32(0), np.int32(0), np.int32(0)
            for o in range(opponents.first[k], opponents.first[k + 1]):
                more += np.int32(own > row[o])
                not_less += np.int32(own >= row[o])
                dead += np.int32(row[o] == 0)
            wins[i, k] = more + not_less - 2 * dead
            met[i, k] = np.int32(opponents.first[k + 1] - opponents.first[k]) - dead
        # ... without those that hold one of the two cards; the hand itself holds both.
        for held in range(2):
            for o in opponents.with_card[opponents.cards[place, held]]:
                if row[o] > 0 and (held == 0 or o != place):
                    k = opponents.cluster[o]
                    wins[i, k] -= np.int32(own > row[o]) + np.int32(own >= row[o])
                    met[i, k] -= 1

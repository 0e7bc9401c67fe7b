"""Hand strength on a full board: one sweep through the hands in order of strength (Johanson 2016, section 5.3).

Opponents are counted by *cluster*. With a single cluster the counts are ordinary hand strength; with the eight clusters
of starting hands they are opponent cluster hand strength (OCHS). Wins are counted twice and ties once, so that all
counts are whole numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from counterpoise.cards.kernels.evaluator import board_strengths

DEAD = np.uint16(65535)
"""What a table of twice the wins holds where hand and board share a card."""
STRENGTHS = 7463
"""One more than the highest strength."""
OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}


@njit(**OPTIONS)
def strength_table(boards, hands, tables, out):
    """Write twice the wins plus the ties of every hand on every full board, `DEAD` where they share a card."""
    cluster_of = np.zeros(len(hands), dtype=np.uint8)
    strengths = np.empty((1, len(hands)), dtype=np.uint16)
    wins = np.empty((len(hands), 1), dtype=np.int32)
    met = np.empty((len(hands), 1), dtype=np.int32)
    for b in range(len(boards)):
        board_strengths(boards[b : b + 1], hands, tables, strengths)
        count_wins(strengths[0], hands, cluster_of, wins, met)
        for h in range(len(hands)):
            out[b, h] = wins[h, 0] if strengths[0, h] > 0 else DEAD


@njit(**OPTIONS)
def cluster_strengths(boards, hands, tables, cluster_of, clusters, out):
    """Add to out[b // (boards / rows)] the chance of winning against each cluster, ties half; 0.5 if none can be met.

    Consecutive boards share a row: those that complete one earlier board.
    """
    share = len(boards) // len(out)
    strengths = np.empty((1, len(hands)), dtype=np.uint16)
    wins = np.empty((len(hands), clusters), dtype=np.int32)
    met = np.empty((len(hands), clusters), dtype=np.int32)
    for b in range(len(boards)):
        board_strengths(boards[b : b + 1], hands, tables, strengths)
        count_wins(strengths[0], hands, cluster_of, wins, met)
        row = b // share
        for h in range(len(hands)):
            if strengths[0, h] > 0:
                for k in range(clusters):
                    out[row, h, k] += 0.5 * wins[h, k] / met[h, k] if met[h, k] > 0 else 0.5


@njit(**OPTIONS)
def count_wins(strengths, hands, cluster_of, wins, met):
    """Write twice the wins plus the ties of each live hand against each cluster, and how many of it can be met."""
    order, live = _sorted(strengths)
    clusters = wins.shape[1]
    total = np.zeros(clusters, dtype=np.int32)
    by_card = np.zeros((52, clusters), dtype=np.int32)
    for at in range(live):
        h = order[at]
        total[cluster_of[h]] += 1
        by_card[hands[h, 0], cluster_of[h]] += 1
        by_card[hands[h, 1], cluster_of[h]] += 1
    for at in range(live):
        h = order[at]
        for k in range(clusters):
            met[h, k] = total[k] - by_card[hands[h, 0], k] - by_card[hands[h, 1], k]
        met[h, cluster_of[h]] += 1
    # Twice the weaker hands plus the equal ones is the weaker hands plus those not stronger.
    total[:] = 0
    by_card[:] = 0
    begin = 0
    while begin < live:
        end = begin
        while end < live and strengths[order[end]] == strengths[order[begin]]:
            end += 1
        for at in range(begin, end):
            h = order[at]
            for k in range(clusters):
                wins[h, k] = total[k] - by_card[hands[h, 0], k] - by_card[hands[h, 1], k]
        for at in range(begin, end):
            h = order[at]
            total[cluster_of[h]] += 1
            by_card[hands[h, 0], cluster_of[h]] += 1
            by_card[hands[h, 1], cluster_of[h]] += 1
        for at in range(begin, end):
            h = order[at]
            for k in range(clusters):
                wins[h, k] += total[k] - by_card[hands[h, 0], k] - by_card[hands[h, 1], k]
            wins[h, cluster_of[h]] += 1  # the hand itself is no opponent: subtracted twice, there once
        begin = end


@njit(**OPTIONS)
def _sorted(strengths):
    """Return the live hands from weak to strong, and how many they are."""
    first = np.zeros(STRENGTHS + 1, dtype=np.int32)
    order = np.empty(len(strengths), dtype=np.int32)
    for strength in strengths:
        first[strength + 1] += 1
    dead = first[1]
    first[1] = 0
    for strength in range(1, STRENGTHS):
        first[strength + 1] += first[strength]
    for h in range(len(strengths)):
        if strengths[h] > 0:
            order[first[strengths[h]]] = h
            first[strengths[h]] += 1
    return order, len(strengths) - dead

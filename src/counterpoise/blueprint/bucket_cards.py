"""The cards of a game as buckets see them: which bucket follows which, and which of two wins, from dealt boards.

A bucket's hands are taken to be alike, and the two seats' buckets to be dealt apart from each other. So these are the
cards of a game that is much smaller than the real one and nearly worth the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.table import CardAbstraction
from counterpoise.cards.deck import STANDARD_DECK, disjoint_hands
from counterpoise.cards.equity import BOARD, pair_advantages
from counterpoise.cards.evaluator import strengths

FloatArray = NDArray[np.float32]

BOARDS, HANDS = 400, 150
"""Boards that are dealt, and hands that are compared on each."""
SEED = 1


class BucketCards(NamedTuple):
    """The cards of a game for two seats in buckets."""

    first: tuple[FloatArray, FloatArray]
    """For each seat how likely each bucket of the first round is, [bucket]."""
    follows: tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]
    """For each seat and round but the last how likely each bucket of the next round is, [bucket, next bucket]."""
    ahead: tuple[FloatArray, ...]
    """For each round how much more often seat 0 wins at showdown than seat 1, [bucket of seat 0, bucket of seat 1]."""


def deal_bucket_cards(
    abstractions: Sequence[CardAbstraction], board_cards: Sequence[int], boards: int = BOARDS
) -> BucketCards:
    """Return the cards in buckets of one abstraction or of one for each seat; `board_cards` are on the board by round.

    The same boards are dealt in every process.
    """
    deck, random = abstractions[0].deck, np.random.default_rng(SEED)
    seats = abstractions[0], abstractions[-1]
    counts = [[one.buckets[one.street(range(cards))] for cards in board_cards] for one in seats]
    first = [np.zeros(own[0]) for own in counts]
    follows = [[np.zeros(pair) for pair in pairwise(own)] for own in counts]
    net, met = ([np.zeros(pair, dtype=np.float32) for pair in zip(*counts, strict=True)] for _ in range(2))
    for _ in range(boards):
        board = random.permutation(deck.cards)[: board_cards[-1]].tolist()
        known = [[one.row(board[:cards]) for cards in board_cards] for one in abstractions]
        rows, live = (known[0], known[-1]), np.flatnonzero(deck.live_hands(board))
        for seat, own in enumerate(rows):
            first[seat] += np.bincount(own[0][live], minlength=len(first[seat]))
            for table, before, after in zip(follows[seat], own, own[1:], strict=False):
                pairs = before[live].astype(np.int64) * table.shape[1] + after[live]
                table += np.bincount(pairs, minlength=table.size).reshape(table.shape)
        drawn = [random.choice(live, min(HANDS, len(live)), replace=False) for _ in range(2)]
        strength = strengths(board, deck=deck).astype(np.int32)
        apart = disjoint_hands(deck.hands[drawn[0]], deck.hands[drawn[1]]).astype(np.float32)
        sign = np.sign(strength[drawn[0]][:, None] - strength[drawn[1]]) * apart
        for number, both in enumerate(zip(*rows, strict=True)):
            one, other = (
                _members(row[hands], counts[seat][number])
                for seat, (row, hands) in enumerate(zip(both, drawn, strict=True))
            )
            net[number] += one.T @ sign @ other
            met[number] += one.T @ apart @ other
    ahead = [np.asarray(own / np.maximum(each, 1), dtype=np.float32) for own, each in zip(net, met, strict=True)]
    if (deck, board_cards[0], board_cards[-1]) == (STANDARD_DECK, 0, BOARD):
        ahead[0] = _before_the_flop(seats)
    return BucketCards(
        (_as_shares(first[0]), _as_shares(first[1])),
        (tuple(map(_as_shares, follows[0])), tuple(map(_as_shares, follows[1]))),
        tuple(ahead),
    )


def _before_the_flop(seats: Sequence[CardAbstraction]) -> FloatArray:
    """Return the exact means over all boards and all pairs of hands of two buckets."""
    hands = STANDARD_DECK.hands
    first, second = (_members(one.row(()), one.buckets[0]) for one in seats)
    met = first.T @ disjoint_hands(hands, hands).astype(np.float32) @ second
    return np.asarray(first.T @ pair_advantages() @ second / np.maximum(met, 1), dtype=np.float32)


def _members(buckets: NDArray[np.signedinteger], count: int) -> FloatArray:
    """Return 1 for the bucket of each hand and 0 for the others, [hand, bucket]."""
    return np.asarray(np.eye(count, dtype=np.float32)[buckets])


def _as_shares(table: NDArray[np.float64]) -> FloatArray:
    """Return rows that sum to 1; a bucket that was never dealt is followed by any."""
    counted = np.where(table.any(axis=-1, keepdims=True), table, 1.0)
    return np.asarray(counted / counted.sum(axis=-1, keepdims=True), dtype=np.float32)

"""What hands of hold'em win if no more is bet: shares of the pot over all run-outs, exactly.

From the flop on run-outs are counted by a kernel, for all hands of the deck at once: some 5 ms on the flop, a tenth of
that on the turn. Before the flop two hands of the full deck meet 1,712,304 boards; what they win there is in a table of
all pairs of hands that differ by more than their suits' names (`preflop_shares`).
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from importlib.resources import files
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.cards.deck import STANDARD_DECK, Card, Deck
from counterpoise.cards.evaluator import board_strengths, strength_tables
from counterpoise.cards.isomorphism import isomorphism
from counterpoise.cards.kernels import equity as kernels
from counterpoise.errors import InputError

FloatArray = NDArray[np.float64]

MOST_EVALUATIONS = 5 * 10**6
"""Boards times hands up to which run-outs are counted: two cards to come in the full deck, five in a deck of 12."""
BOARD = 5
PREFLOP_BOARDS = math.comb(48, BOARD)
_FILE = "data/preflop_pairs.npz"
_BATCH = 4000


class RunOuts(NamedTuple):
    """What every hand of the deck wins from some opponents, as shares of the pot; 0 for hands that cannot be held."""

    before: FloatArray
    """[hand] the mean over all run-outs."""
    cards: tuple[Card, ...]
    """What the next card may be; empty if all cards are there or several are dealt at once."""
    after: FloatArray
    """[next card, hand] the mean after it."""
    possible: NDArray[np.bool_]
    """[next card, hand] whether both can be."""


def count_run_outs(
    deck: Deck, board: tuple[Card, ...], opponents: tuple[int, ...], dead: tuple[Card, ...], due: int
) -> bool:
    """Return whether `run_outs` enumerates this many boards instead of drawing some."""
    left = deck.size - len(board) - 2 * len(opponents) - len(dead)
    return math.comb(left, due) * deck.hand_count <= MOST_EVALUATIONS


@lru_cache(maxsize=128)
def run_outs(
    deck: Deck, board: tuple[Card, ...], opponents: tuple[int, ...], dead: tuple[Card, ...], due: int
) -> RunOuts:
    """Return what every hand wins on average from hands of opponents, by index, if `due` more cards are dealt.

    `dead` are other cards that cannot come. Hands that share a card with any of those win 0.
    """
    taken = {*board, *dead, *deck.hands[list(opponents)].ravel().tolist()}
    left = np.array([card for card in deck.cards.tolist() if card not in taken], dtype=np.uint8)
    places = _places(len(left), due)
    boards = np.concatenate([np.tile(np.array(board, dtype=np.uint8), (len(places), 1)), left[places]], axis=1)
    by_card = 1 <= due <= 2
    rows = places if by_card else np.zeros((len(places), 1), dtype=np.int64)
    shape = (len(left) if by_card else 1), deck.hand_count
    shares, counts = np.zeros(shape), np.zeros(shape, dtype=np.int32)
    alive = ~np.isin(deck.hands, list(taken)).any(axis=1)
    held = np.flatnonzero(alive)
    part, number = np.zeros((shape[0], len(held))), np.zeros((shape[0], len(held)), dtype=np.int32)
    tables = strength_tables(deck.ranking)
    kernels.add_shares(boards, rows, deck.hands[held], deck.hands[list(opponents)], tables, part, number)
    shares[:, held], counts[:, held] = part, number
    before = shares.sum(axis=0) / np.maximum(counts.sum(axis=0), 1)
    if not by_card:
        return RunOuts(before, (), np.empty((0, deck.hand_count)), np.empty((0, deck.hand_count), dtype=np.bool_))
    return RunOuts(before, tuple(left.tolist()), shares / np.maximum(counts, 1), counts > 0)


@lru_cache(maxsize=256)
def preflop_shares(opponent: int) -> FloatArray:
    """Return the share of the pot that every hand of the full deck wins from one hand over all boards; 0 for overlaps.

    >>> from counterpoise.cards import parse_hand
    >>> round(float(preflop_shares(parse_hand("KsKh"))[parse_hand("AdAc")]), 6)
    0.812555
    """
    deck = STANDARD_DECK
    other = deck.hands[opponent]
    apart = ~np.isin(deck.hands, other).any(axis=1)
    deals = np.concatenate([deck.hands[apart], np.tile(other, (int(apart.sum()), 1))], axis=1)
    shares = np.zeros(deck.hand_count)
    shares[apart] = (1 + _pair_table()[isomorphism((2, 2)).index(deals)] / PREFLOP_BOARDS) / 2
    return shares


@cache
def pair_advantages(deck: Deck = STANDARD_DECK, cards: int = BOARD) -> NDArray[np.float32]:
    """Return how much more often a hand wins than it loses over all boards of some cards, for every pair of hands.

    [hand, hand], from -1 to 1, and 0 for hands that share a card. The deck has four suits; small ones are counted.

    >>> from counterpoise.cards import parse_hand
    >>> round(float(pair_advantages()[parse_hand("AdAc"), parse_hand("KsKh")]), 6)
    0.62511
    """
    net = _pair_table() if (deck, cards) == (STANDARD_DECK, BOARD) else build_pair_table(deck, cards)
    first, second = (part.ravel() for part in np.indices((deck.hand_count, deck.hand_count)))
    apart = ~(deck.hands[first][:, :, None] == deck.hands[second][:, None, :]).any(axis=(1, 2))
    deals = np.concatenate([deck.hands[first[apart]], deck.hands[second[apart]]], axis=1)
    found = np.zeros(deck.hand_count**2, dtype=np.float32)
    found[apart] = net[isomorphism((2, 2), deck).index(deals)] / math.comb(deck.size - 4, cards)
    return found.reshape(deck.hand_count, deck.hand_count)


@cache
def _pair_table() -> NDArray[np.int32]:
    """Return boards won minus boards lost by the first of two hands, for every class of pairs of hands."""
    try:
        with (files("counterpoise.cards") / _FILE).open("rb") as file, np.load(file, allow_pickle=False) as found:
            return np.asarray(found["net"])
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"the table of pairs of hands is missing or damaged: {error}") from None


def build_pair_table(deck: Deck = STANDARD_DECK, cards: int = BOARD) -> NDArray[np.int32]:
    """Count the table of pairs of a deck of four suits anew, over boards that differ by more than suits: a minute."""
    known = isomorphism((cards,), deck)
    boards = known.unindex(np.arange(known.size))
    sizes = known.orbit_sizes(boards)
    net = np.zeros((deck.hand_count, deck.hand_count), dtype=np.int64)
    for size in np.unique(sizes).tolist():
        chosen = boards[sizes == size]
        for first in range(0, len(chosen), _BATCH):  # 16 bits hold no more boards
            strength = board_strengths(chosen[first : first + _BATCH], deck=deck).astype(np.int16)
            part = np.zeros(net.shape, dtype=np.int16)
            kernels.count_wins(strength, strength, part)
            net += size * part.astype(np.int64)
    rank, suit = np.divmod(deck.hands.astype(np.int64), 4)
    whole = np.zeros_like(net)
    for order in permutations(range(4)):  # boards stand for all that differ by suits, and so must the hands
        named = 4 * rank + np.array(order)[suit]
        place = deck.hand_table[named[:, 0], named[:, 1]].astype(np.int64)
        whole += net[np.ix_(place, place)]
    pairs = isomorphism((2, 2), deck)
    held = pairs.unindex(np.arange(pairs.size))
    rows, columns = (deck.hand_table[held[:, k], held[:, k + 1]].astype(np.int64) for k in (0, 2))
    return np.asarray(whole[rows, columns] // math.factorial(4), dtype=np.int32)


@lru_cache(maxsize=64)
def _places(items: int, chosen: int) -> NDArray[np.int64]:
    """Return all ways to choose from `items` places, one per row."""
    rows = list(combinations(range(items), chosen))
    return np.array(rows, dtype=np.int64).reshape(len(rows), chosen)

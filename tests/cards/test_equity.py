"""Shares of the pot over run-outs: against enumeration by another evaluator, and the table of pairs before the flop."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from phevaluator import evaluate_cards

from counterpoise.cards import STANDARD_DECK, Deck, format_card, parse_cards, parse_hand
from counterpoise.cards.equity import (
    PREFLOP_BOARDS,
    _pair_table,
    build_pair_table,
    count_run_outs,
    preflop_shares,
    run_outs,
)
from counterpoise.cards.evaluator import strength_tables
from counterpoise.cards.isomorphism import isomorphism
from counterpoise.cards.kernels.equity import add_shares


def by_hand(own, others, board, dead, due):
    """Count shares by phevaluator, for which less is better."""
    taken = {*own, *board, *dead, *(card for hand in others for card in hand)}
    left = [card for card in range(52) if card not in taken]
    total = []
    for more in combinations(left, due):
        table = [format_card(card) for card in (*board, *more)]
        ranks = [evaluate_cards(*(format_card(card) for card in hand), *table) for hand in (own, *others)]
        total.append(0 if ranks[0] > min(ranks) else 1 / ranks.count(min(ranks)))
    return np.mean(total)


@pytest.mark.parametrize(
    ("board", "others", "dead"),
    [
        ("7s8s9d", ["AhKh"], ""),
        ("7s8s9dTd", ["AhKh", "QcQd"], "2c2d"),
        ("7s8s9dTdJc", ["AhKh"], ""),
        ("2s2h2d", ["AsKs", "QsJs"], "3c"),
    ],
)
def test_shares_by_another_evaluator(board, others, dead):
    cards, gone = tuple(parse_cards(board)), tuple(parse_cards(dead))
    hands = tuple(parse_hand(text) for text in others)
    found = run_outs(STANDARD_DECK, cards, hands, gone, 5 - len(cards))
    random = np.random.default_rng(0)
    met = [STANDARD_DECK.hands[hand].tolist() for hand in hands]
    taken = {*cards, *gone, *(card for hand in met for card in hand)}
    for hand in random.choice(STANDARD_DECK.hand_count, 4).tolist():
        own = STANDARD_DECK.hands[hand].tolist()
        expected = 0.0 if taken & set(own) else by_hand(own, met, cards, gone, 5 - len(cards))
        assert found.before[hand] == pytest.approx(expected)
    if len(cards) < 5:  # the mean over next cards is what it was before
        alive = found.possible.sum(axis=0)
        mean = (found.after * found.possible).sum(axis=0) / np.maximum(alive, 1)
        np.testing.assert_allclose(mean, found.before, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("own", "other"), [("AdAc", "KsKh"), ("AsKs", "QhQd"), ("7s2h", "AcAd"), ("JsTs", "JhTh")])
def test_pairs_before_the_flop(own, other):
    """All 1,712,304 boards, counted one by one."""
    mine, theirs = parse_hand(own), parse_hand(other)
    deck = STANDARD_DECK
    taken = {*deck.hands[mine].tolist(), *deck.hands[theirs].tolist()}
    left = np.array([card for card in range(52) if card not in taken], dtype=np.uint8)
    boards = left[np.array(list(combinations(range(48), 5)), dtype=np.uint8)]
    shares, counts = np.zeros((1, 1)), np.zeros((1, 1), dtype=np.int32)
    rows = np.zeros((len(boards), 1), dtype=np.int64)
    add_shares(boards, rows, deck.hands[[mine]], deck.hands[[theirs]], strength_tables(), shares, counts)
    assert counts[0, 0] == PREFLOP_BOARDS
    assert preflop_shares(theirs)[mine] == pytest.approx(shares[0, 0] / PREFLOP_BOARDS, abs=1e-12)
    assert preflop_shares(mine)[theirs] == pytest.approx(1 - preflop_shares(theirs)[mine], abs=1e-12)


def test_overlapping_hands_win_nothing():
    shares = preflop_shares(parse_hand("AsKh"))
    assert shares[parse_hand("AsQh")] == 0
    assert np.count_nonzero(shares) == 1225


def test_what_is_counted():
    small = Deck(ranks=4, suits=2)
    assert count_run_outs(STANDARD_DECK, (0, 1, 2), (1000,), (), 2)
    assert not count_run_outs(STANDARD_DECK, (), (1000,), (), 5)
    assert count_run_outs(small, (), (0,), (), 3)
    assert isomorphism((2, 2)).size == len(_pair_table())


def test_the_table_of_pairs_is_built_like_this():
    """In a deck of 20 cards, where the 4,368 boards of two hands are counted at once."""
    deck = Deck(ranks=5)
    pairs = isomorphism((2, 2), deck)
    net, cards = build_pair_table(deck), pairs.unindex(np.arange(pairs.size))
    for row in np.random.default_rng(1).choice(pairs.size, 30, replace=False).tolist():
        own, other = (int(deck.hand_table[cards[row, k], cards[row, k + 1]]) for k in (0, 2))
        shares = run_outs(deck, (), (other,), (), 5).before
        assert 2 * shares[own] - 1 == pytest.approx(net[row] / 4368, abs=1e-12)

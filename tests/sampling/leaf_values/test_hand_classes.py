"""Values of pairs of classes of hands before the flop: exact over all boards, and at ends without betting on few."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.blueprint import Blueprint
from counterpoise.cards import Deck, disjoint_hands, evaluate
from counterpoise.cards.equity import pair_advantages, preflop_shares
from counterpoise.sampling.leaf_values.hand_classes import ClassPairValues, hand_classes
from counterpoise.sampling.lookup import bucket_lookup
from tests.agents.leaf_oracle import values_on_board

DECK = Deck(ranks=4)


def by_enumeration(first: int, second: int) -> float:
    """Return how much more often a hand wins than it loses, over all boards."""
    own, other = DECK.hands[first].tolist(), DECK.hands[second].tolist()
    left = [card for card in DECK.cards.tolist() if card not in (*own, *other)]
    boards = list(combinations(left, 5))
    shown = evaluate([[*hand, *board] for board in boards for hand in (own, other)]).reshape(-1, 2).astype(np.int64)
    return float(np.sign(shown[:, 0] - shown[:, 1]).mean())


def test_advantages_of_pairs() -> None:
    """Against enumeration in a small deck, and the shares of the pot in the full one."""
    found = pair_advantages(DECK)
    np.testing.assert_allclose(found, -found.T)
    for first, second in ((0, 119), (3, 119), (17, 81)):
        assert not set(DECK.hands[first].tolist()) & set(DECK.hands[second].tolist())
        assert np.isclose(found[first, second], by_enumeration(first, second), atol=1e-6)
    shares = preflop_shares(700)
    np.testing.assert_allclose(pair_advantages()[:, 700], np.where(shares > 0, 2 * shares - 1, 0.0), atol=1e-6)


def by_class(deck: Deck, values: Any, counts: Any) -> Any:
    """Return the mean of values of pairs of hands over the pairs of each pair of classes."""
    classes = hand_classes(deck)
    member = np.eye(int(classes.max()) + 1)[classes]
    return member.T @ values @ member / np.maximum(member.T @ counts @ member, 1)


@pytest.mark.parametrize("board", [[0, 3, 1, 1], [0, 3]])
def test_ends_without_betting_are_exact(board: list[int]) -> None:
    """Two all-in hands are worth the stack times how much more often one wins, whichever boards were drawn."""
    game: Any = cp.load("no_limit_holdem(ranks=4, stack=4, sizes=['100%', 'allin'])", board=board)
    cards = cp.abstraction("IR-PHS-PHS", buckets=(10, 2, 2, 2)[: len(board)], deck=game.deck, progress=False)
    known = Blueprint.uniform(game, cards)
    values = ClassPairValues(known.tree, known.layout, bucket_lookup(known.tree, known.abstractions))
    found = values.run([(known.table, known.table)], 60)[0]
    apart = disjoint_hands(DECK.hands, DECK.hands)
    expected = by_class(DECK, pair_advantages(DECK, sum(board)), apart)
    shown = [number for number, node in enumerate(values.leaves) if not known.tree.decisions[node]]
    assert len(shown) >= 2
    for number in shown:
        np.testing.assert_allclose(found[number], 400 * expected, atol=0.01)


def test_few_boards_are_enumerated() -> None:
    """Where all boards are no more work than those asked for, values are those of a walk over boards and actions."""
    game: Any = cp.load("no_limit_holdem(ranks=2, board=[0, 3], blinds=[1, 2], stack=4, sizes=['100%', 'allin'])")
    deck = game.deck
    cards = cp.abstraction("IR-PHS-PHS", buckets=(3, 3), deck=deck, progress=False)
    weights = np.random.default_rng(0).random(len(Blueprint.uniform(game, cards).table)).astype(np.float32)
    known = Blueprint(game, cards, weights)
    values = ClassPairValues(known.tree, known.layout, bucket_lookup(known.tree, known.abstractions))
    found = values.run([(known.table, known.table)], 400)[0]
    apart, even = disjoint_hands(deck.hands, deck.hands), np.ones(3)
    for number, end in enumerate(values.leaves):
        total, count = np.zeros(apart.shape), np.zeros(apart.shape)
        for flop in combinations(deck.cards.tolist(), 3):
            live = deck.live_hands(list(flop))
            both = apart & np.outer(live, live)
            total += np.where(both, values_on_board(known, end, flop, (even, even)), 0.0)
            count += both
        np.testing.assert_allclose(found[number], by_class(deck, total, count), atol=1e-4)

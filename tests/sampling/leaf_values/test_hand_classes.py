"""Values of pairs of classes of hands before the flop: ends without further betting are exact on few boards."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

import counterpoise as cp
from counterpoise.blueprint import Blueprint
from counterpoise.cards import Deck, evaluate
from counterpoise.cards.equity import pair_advantages, preflop_shares
from counterpoise.sampling.leaf_values.hand_classes import ClassPairValues, hand_classes
from counterpoise.sampling.lookup import bucket_lookup

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


def test_ends_without_betting_are_exact() -> None:
    """Two all-in hands are worth the stack times how much more often one wins, whichever boards were drawn."""
    game: Any = cp.load("no_limit_holdem(ranks=4, stack=4, sizes=['100%', 'allin'])")
    cards = cp.abstraction("IR-PHS-PHS", buckets=(10, 2, 2, 2), deck=game.deck, progress=False)
    known = Blueprint.uniform(game, cards)
    values = ClassPairValues(known.tree, known.layout, bucket_lookup(known.tree, known.abstractions))
    found = values.run([(known.table, known.table)], 60)[0]
    classes = hand_classes(DECK)
    member = np.eye(int(classes.max()) + 1)[classes]
    apart = ~(DECK.hands[:, None, :, None] == DECK.hands[None, :, None, :]).any(axis=(2, 3))
    expected = member.T @ pair_advantages(DECK) @ member / (member.T @ apart @ member)
    shown = [number for number, node in enumerate(values.leaves) if not known.tree.decisions[node]]
    assert len(shown) >= 2
    for number in shown:
        np.testing.assert_allclose(found[number], 400 * expected, atol=0.01)

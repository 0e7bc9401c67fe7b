"""Sorted showdowns against all pairs of hands."""

import numpy as np
import pytest

from counterpoise.cards import STANDARD_DECK, Deck, board_strengths, disjoint_hands
from counterpoise.evaluation.best_response.showdowns import Showdowns


@pytest.mark.parametrize(
    ("deck", "board"),
    [(STANDARD_DECK, (0, 5, 18, 35, 51)), (STANDARD_DECK, (0, 4, 8, 12, 16)), (Deck(6), (28, 33, 50))],
)
def test_showdowns(deck, board):
    """The sweep finds what the matrix of all pairs does, also where the board is the best hand."""
    showdowns = Showdowns(deck, board)
    reach = np.random.default_rng(1).random((deck.hand_count, showdowns.lanes))
    strength = board_strengths([board], deck=deck)[0].astype(int)
    live = strength > 0
    wins = np.sign(strength[:, None] - strength) * disjoint_hands(deck.hands, deck.hands) * np.outer(live, live)
    np.testing.assert_allclose(showdowns.sweep(reach), wins @ reach, rtol=0, atol=1e-9)
    np.testing.assert_allclose(showdowns.all_pairs(reach), wins @ reach, rtol=0, atol=1e-9)

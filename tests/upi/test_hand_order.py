"""The order of the 1,326 hands."""

import numpy as np
import pytest

from counterpoise.cards import Range
from counterpoise.upi.hand_order import HANDS, in_deck_order, in_upi_order


def test_the_order_is_that_of_the_documentation():
    """UPI documentation, show_hand_order: 2d2c 2h2c 2h2d ... ; it names every hand once."""
    assert HANDS[:7] == ("2d2c", "2h2c", "2h2d", "2s2c", "2s2d", "2s2h", "3c2c")
    assert HANDS[-1] == "AsAh"
    assert len(set(HANDS)) == 1326


def test_the_order_is_that_of_a_public_client():
    blocks = pytest.importorskip("pokersolverquery.building_blocks")
    assert list(HANDS) == blocks.UPI_HAND_ORDER


def test_there_and_back():
    weights = np.random.default_rng(1).random(1326)
    assert np.array_equal(in_upi_order(in_deck_order(weights)), weights)
    aces = in_upi_order(Range.from_string("AA,7s6s:0.5").weights)
    assert {HANDS[at]: aces[at] for at in np.flatnonzero(aces)} == dict.fromkeys(
        ("AdAc", "AhAc", "AhAd", "AsAc", "AsAd", "AsAh"), 1.0
    ) | {"7s6s": 0.5}

"""Encodings of infosets: their sizes, what they say, and that no two infosets look alike."""

from __future__ import annotations

import numpy as np
import pytest

from counterpoise.deep.encoders import encode_infosets, labels as module
from counterpoise.errors import InputError
from counterpoise.tree import enumerate_game

SIZES = {
    "leduc_poker": 31,
    "leduc_poker(merge_suits=False)": 35,
    "one_card_poker(ranks=4)": 4 + 5 + 8 * 3,
    "liars_dice(faces=4)": 4 + 8 + 8 + 2,
    "liars_dice(dice=2, faces=2)": 4 + 8 + 8 + 2,
    "kuhn_poker": 8,
    "goofspiel(cards=3)": None,
}


@pytest.mark.parametrize("name", SIZES)
def test_infosets_differ(name):
    tree = enumerate_game(name)
    found = encode_infosets(tree)
    assert found.dtype == np.float32
    assert found.min() >= 0
    assert found.max() <= 1
    assert SIZES[name] in (None, found.shape[1])
    for player in range(tree.players):
        own = found[tree.table.owner == player]
        assert len(np.unique(own, axis=0)) == len(own)


def test_leduc_reads_cards_and_actions():
    """Own rank, public rank with one number for none, and eight slots of three actions."""
    tree = enumerate_game("leduc_poker")
    row = encode_infosets(tree)[tree.table.find("Q:crc/K:c")]
    ones = set(np.flatnonzero(row).tolist())
    actions = ["c", "f", "r"]
    slots = {7 + 3 * slot + actions.index(action) for slot, action in ((0, "c"), (1, "r"), (2, "c"), (4, "c"))}
    assert ones == {1, 3 + 1 + 2} | slots
    first = encode_infosets(tree)[tree.table.find("J:")]
    assert set(np.flatnonzero(first).tolist()) == {0, 3}


def test_refuses_very_long_labels(monkeypatch):
    monkeypatch.setattr(module, "MOST_INPUTS", 5)
    with pytest.raises(InputError, match="inputs of a network"):
        encode_infosets(enumerate_game("kuhn_poker"))

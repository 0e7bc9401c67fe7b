"""Liar's Dice: own roll, every bid so far, the last bid, and whose turn it is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterpoise.games.liars_dice import LiarsDice
from counterpoise.tree.tree import InfosetTable


def encode_liars_dice(game: LiarsDice, table: InfosetTable) -> NDArray[np.float32]:
    """Return the encodings of all infosets.

    A roll is encoded, for each face and each number k of dice, by whether at least k dice show the face. Bids only
    rise, so that the set of bids determines their order.
    """
    faces, bids = game.face_names, game.ladder(2 * game.dice).places
    rolls = len(faces) * game.dice
    inputs = np.zeros((len(table), rolls + 2 * len(bids) + 2), dtype=np.float32)
    for row, (seat, label) in zip(inputs, table, strict=True):
        roll, _, story = label.partition(":")
        for face in set(roll):
            at = faces.index(face) * game.dice
            row[at : at + roll.count(face)] = 1
        made = [bids[bid] for bid in story.split("/") if bid]
        for bid in made:
            row[rolls + bid] = 1
        if made:
            row[rolls + len(bids) + made[-1]] = 1
        row[rolls + 2 * len(bids) + seat] = 1
    return inputs

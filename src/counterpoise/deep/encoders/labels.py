"""Any other game: the characters of an infoset's label, place by place, and the seat.

The label "K:pb" is four places. Every place has one number for each character that some label has there; those that are
the same in all infosets are left out. The seat has one number per player. Equal prefixes of labels, such as the same
private card or the same first actions, thus share numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.tree.tree import InfosetTable

MOST_INPUTS = 4096
"""The most numbers of an encoding."""


def encode_labels(table: InfosetTable, game: str) -> NDArray[np.float32]:
    """Return the encodings of all infosets; refuse labels that would need more than `MOST_INPUTS` numbers."""
    longest = max(map(len, table.labels), default=0)
    rows = np.array([list(label.ljust(longest, "\0")) for label in table.labels]).reshape(len(table), longest)
    parts = [np.eye(table.players, dtype=np.float32)[table.owner.astype(np.int64)]]
    for place in range(longest):
        letters = [letter for letter in np.unique(rows[:, place]) if letter]
        if len(letters) > 1 or (rows[:, place] == "").any():
            parts.append((rows[:, place, None] == np.array(letters)[None, :]).astype(np.float32))
    width = sum(part.shape[1] for part in parts)
    if width > MOST_INPUTS:
        raise InputError(
            f"the labels of {game}'s infosets need {width:,} inputs of a network, and the most is {MOST_INPUTS:,}: "
            "take a smaller form of the game"
        )
    return np.ascontiguousarray(np.concatenate(parts, axis=1))

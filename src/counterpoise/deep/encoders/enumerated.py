"""The encodings of all infosets of an enumerated game, by the rules it has."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.encoders.dice import encode_liars_dice
from counterpoise.deep.encoders.labels import encode_labels
from counterpoise.deep.encoders.two_rounds import encode_two_rounds
from counterpoise.games.liars_dice import LiarsDice
from counterpoise.games.two_round_poker import TwoRoundPoker
from counterpoise.tree import Tree


def encode_infosets(tree: Tree) -> NDArray[np.float32]:
    """Return one row of numbers from 0 to 1 for every infoset of the game; rows of different infosets differ."""
    game: Any = tree.game
    if isinstance(game, TwoRoundPoker):
        return encode_two_rounds(game, tree.table)
    if isinstance(game, LiarsDice):
        return encode_liars_dice(game, tree.table)
    return encode_labels(tree.table, tree.name)

"""Compiled matches between strategies of one betting tree and abstraction, on the cards of a training."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterpoise.blueprint.blueprint import MOST_LEVELS, table_rows
from counterpoise.blueprint.training import Duel
from counterpoise.sampling.kernels.duel import count_visits, duel
from counterpoise.sampling.kernels.tables import pack_rows
from counterpoise.sampling.lookup import dealt_hand
from counterpoise.sampling.tabular import TabularWalks

Packed = NDArray[np.uint8]
"""The table of a packed blueprint."""


def play_duel(walks: TabularWalks, first: Packed, second: Packed, deals: int, seed: int) -> Duel:
    """Return the first strategy's winnings per hand at one seat with the second at all others, every deal played at all
    seats.

    The unit is mbb per hand, chips without blinds.
    """
    tree = walks.tree
    total, squares = duel(
        walks.cards, walks.walks, walks.layout.start, first, second, dealt_hand(tree), np.uint64(seed), deals
    )
    mean = total / deals
    error = np.sqrt(max(squares / deals - mean**2, 0.0) / deals)
    blind = tree.game.blinds[1]
    unit = 1000 / blind if blind else 1.0
    return Duel(walks.iteration, float(mean * unit), float(1.96 * error * unit))


def packed_average(walks: TabularWalks) -> Packed:
    """Return the average strategy of a training in one byte per probability, as `Blueprint.packed` does."""
    table = np.zeros(walks.layout.size, dtype=np.uint8)
    pack_rows(walks.averages(), table_rows(walks.tree, walks.layout), float(MOST_LEVELS), table)
    return table


def play_visits(walks: TabularWalks, table: Packed, deals: int, seed: int) -> NDArray[np.int64]:
    """Return how often each betting node is met in hands that one strategy plays at all seats."""
    visits = np.zeros(walks.tree.nodes, dtype=np.int64)
    count_visits(
        walks.cards, walks.walks, walks.layout.start, table, dealt_hand(walks.tree), np.uint64(seed), deals, visits
    )
    return visits

"""What walks on full boards are compiled against: betting as sequences, boards with their hands, rows, tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

NOBODY = np.uint64(2)
"""In the place of a player who responds."""
CARDS = 52


class Paths(NamedTuple):
    """The betting of all streets as each player's sequences: row 0 is none, row ``first[n] + a`` action a at node n.

    Player p's nodes are ``node_start[p]:node_start[p + 1]``, parents first. ``column`` is where a node's actions
    stand among those of its street in a bucket's entries. ``leaf_order`` sorts the ends by the opponent's row.
    """

    rows: NDArray[np.uint64]
    node_start: NDArray[np.uint64]
    parent: NDArray[np.uint64]
    first: NDArray[np.uint64]
    actions: NDArray[np.uint64]
    street: NDArray[np.uint64]
    column: NDArray[np.uint64]
    leaf_order: NDArray[np.uint64]
    leaf_row: NDArray[np.uint64]
    leaf_wins: NDArray[np.float64]
    leaf_mass: NDArray[np.float64]
    leaf_decided: NDArray[np.float64]
    leaf_matrix: NDArray[np.uint64]


class FullBoards(NamedTuple):
    """The boards of the last street, one for all that suits make alike, and the hands that live on them.

    ``chance`` is the probability of a board, ``cumulative`` its running sum, ``density`` that of a board with one
    pair of hands. Player p's hands on board b begin at ``begin[p, b]``, weakest first. ``drawn`` is the running sum
    of a hand's probability on its board. Games that are not poker have ``payoffs`` (chance included) and
    probabilities of ``pairs`` instead of cards and levels of strength: matrix m of player p on board b begins at
    ``matrix[p, b]`` plus m times its size, one row of own hands for each of the opponent's.
    """

    chance: NDArray[np.float64]
    cumulative: NDArray[np.float64]
    density: NDArray[np.float64]
    begin: NDArray[np.uint64]
    held: NDArray[np.uint64]
    drawn: NDArray[np.float64]
    card_a: NDArray[np.uint16]
    card_b: NDArray[np.uint16]
    same: NDArray[np.uint16]
    level: NDArray[np.uint16]
    matrix: NDArray[np.uint64]
    payoffs: NDArray[np.float64]
    pair_start: NDArray[np.uint64]
    pairs: NDArray[np.float64]


class HandSelection(NamedTuple):
    """The two sides of a walk: where each player's entries begin in the tables (by street and hand), which hands."""

    places: NDArray[np.uint64]
    slots: NDArray[np.uint64]
    counts: NDArray[np.uint64]


class BoardScratch(NamedTuple):
    """Rows of one walk: strategies and reach of both players, values of one; single rows, and sums per card."""

    strategy: NDArray[np.float64]
    reach: NDArray[np.float64]
    value: NDArray[np.float64]
    wins: NDArray[np.float64]
    decided: NDArray[np.float64]
    mass: NDArray[np.float64]
    sums: NDArray[np.float64]
    shares: NDArray[np.float64]
    by_card: NDArray[np.float64]


class BoardWalk(NamedTuple):
    """What walks of one game read and write: betting, boards, hands on either side, scratch rows."""

    paths: Paths
    boards: FullBoards
    sides: HandSelection
    scratch: BoardScratch


class WalkRule(NamedTuple):
    """What a walk does: what regrets are multiplied by, the weight of the strategy in the average, whether regrets are
    cut at zero, and who responds."""

    scale: float
    weight: float
    floor: bool
    responder: np.uint64


class WalkTables(NamedTuple):
    """Regrets that strategies are matched from, those that are updated (the same array, or a copy), and averages."""

    regrets: NDArray[np.float64]
    updated: NDArray[np.float64]
    average: NDArray[np.float64]


def scratch_rows(rows: int, longest: int) -> BoardScratch:
    """Return scratch for this many rows of hands, the longest of which has `longest`."""
    size = rows * longest
    both = (np.zeros((2, size)), np.zeros((2, size)))
    return BoardScratch(*both, np.zeros(size), *(np.zeros(longest) for _ in range(5)), np.zeros(CARDS))

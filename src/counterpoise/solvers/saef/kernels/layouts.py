"""What the kernels of growing abstractions read and write: a public betting tree, the deals, and the tables of CFR.

A node of the tree is an action or a board, so what belongs to an action is in the row of the node it leads to. Nodes
are numbered parents first and only ever appended; the children of a node are a chain: fold, call, bets by size.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.tree.kernels.layouts import FloatArray

DEAL, SHOWDOWN, FIRST_FOLDED, SECOND_FOLDED, GONE = 2, 3, 4, 5, 6
"""Kinds of nodes; 0 and 1 are decisions of that seat. What has been removed is gone."""
NO_NODE = 0
"""In a chain: its end. The root is nobody's child."""


class BettingTree(NamedTuple):
    """Public nodes; stakes are what each player has paid, in antes."""

    kind: NDArray[np.uint8]
    parent: NDArray[np.uint32]
    first: NDArray[np.uint32]
    """The first child."""
    next: NDArray[np.uint32]
    """The next child of the same parent."""
    board: NDArray[np.uint8]
    """The rank of the public card; as many as there are ranks before it is dealt."""
    bets: NDArray[np.uint8]
    """Bets and raises so far in this round."""
    size: FloatArray
    """Of the bet that leads here, as a share of the pot after a call; 0 if none does."""
    stake: FloatArray
    """Paid by each player once the last bet is called; at a fold, by the one who folds."""


class DealPayoffs(NamedTuple):
    """Chance and payoffs, [board, own rank, opponent's rank]; the last board is the time before it is dealt."""

    weight: FloatArray
    """The probability of both hands and the board."""
    wins: FloatArray
    """The same, times 1, 0 or -1 for the own hand's winning, tying or losing."""


class GrowthTables(NamedTuple):
    """What CFR keeps, [node, rank]; ranks are those of the seat that acts, unless said otherwise."""

    strategy: FloatArray
    """Of the action that leads to the node, as in the next four."""
    regrets: FloatArray
    average: FloatArray
    """The unnormalised average: strategies weighted with the player's own reach."""
    fallback: FloatArray
    """What is played where no regret is positive (a share; Brown 2020, section 4.3.1 leaves it free)."""
    folded: FloatArray
    """F: the value of a bet, summed over iterations, that is due to an immediate fold."""
    value: FloatArray
    """V(I): the counterfactual value of a decision, summed over iterations."""
    faced: FloatArray
    """The opponent's reach of a decision, summed over iterations, by the opponent's rank."""
    reach: FloatArray
    """Working memory, [node, seat, rank]."""
    values: FloatArray
    """Working memory: counterfactual values of the seat whose turn it is."""
    order: NDArray[np.uint32]
    """Working memory, [node]: the nodes of a walk, parents first."""

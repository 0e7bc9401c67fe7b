"""The arrays that kernels of belief subgames work on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
Floats = NDArray[Any]
"""float32 where a network answers, float64 where identities are checked."""

DECISION, VALUE, END = 0, 1, 2
"""What follows an action: another decision, a leaf that has a value, or the end of the game."""


class Forest(NamedTuple):
    """Public trees down to their depth limits, one after the other; every hand of a player is an entry of a vector.

    A *row* is an action of a decision. Decisions stand parents first, the rows of a decision side by side, and the
    first decision of a tree is its root. Numbers of decisions, rows, leaves and ends count from 0 in each tree; the
    arrays ``*_start`` say where a tree begins.
    """

    decision_start: IntArray
    row_start: IntArray
    leaf_start: IntArray
    end_start: IntArray
    actor: IntArray
    """Per decision the player to act."""
    first_row: IntArray
    """Per decision its first row; one entry more per tree says where the last one ends, see `rows_of`."""
    parent: IntArray
    """Per decision the decision before it, -1 at the root."""
    parent_row: IntArray
    """Per decision the row that leads to it, -1 at the root."""
    own_before: IntArray
    """Per decision the last decision of the same player before it, -1 if there is none."""
    own_row: IntArray
    """Per decision the row that this player took there, -1 if there is none."""
    kind: IntArray
    """Per row what follows it."""
    child: IntArray
    """Per row the number of the decision, the leaf or the end that follows it."""
    leaf_decision: IntArray
    """Per leaf the decision before it."""
    leaf_row: IntArray
    """Per leaf the row that leads to it."""
    leaf_state: IntArray
    """Per leaf its public state."""
    end_matrix: IntArray
    """Per end the number of its payoff matrix."""
    end_scale: Floats
    """Per end the factor on its payoff matrix."""


class Payoffs(NamedTuple):
    """What ends pay and which hands can meet, by pairs of hands."""

    matrix: Floats
    """[player, matrix, other's hand, own hand]: what the player wins; 0 for hands that cannot meet."""
    meet: Floats
    """[hand, hand]: 1 if both can be dealt together."""
    blocking: bool
    """Whether any two hands cannot meet."""
    prior: Floats
    """[player, hand]: chances of hands before any action; stands for beliefs that have no mass."""


class Batch(NamedTuple):
    """Subgames that are solved in lock-step."""

    tree: IntArray
    """Per subgame the number of its tree."""
    beliefs: Floats
    """[subgame, player, hand]: what arrives at the root."""
    reach: Floats
    """[subgame, player, decision, hand], beliefs included."""
    own: Floats
    """[subgame, decision, hand]: reach of the player to act by its own actions in the subgame."""
    leaf_reach: Floats
    """[subgame, player, leaf, hand], beliefs included."""
    leaf_value: Floats
    """[subgame, leaf, hand]: counterfactual values of leaves to the player who is updated."""
    value: Floats
    """[subgame, decision, hand]: counterfactual values of decisions to the player who is updated."""
    row_value: Floats
    """[subgame, row, hand]: counterfactual values of its actions."""


class Tables(NamedTuple):
    """What iterations learn, [subgame, row, hand]."""

    policy: Floats
    """The current policies."""
    regret: Floats
    total: Floats
    """Policies so far, weighted by iteration and own reach."""
    mean: Floats
    """[subgame, player, hand]: weighted mean of counterfactual values at the root."""


class Questions(NamedTuple):
    """Public belief states that are put to a value function, and where its answers belong."""

    inputs: Floats
    """[question, input]: features of the public state, then both players' beliefs."""
    state: IntArray
    """Per question its public state."""
    place: IntArray
    """[subgame, leaf]: the number of the question, -1 if no hand of the opponent arrives."""
    features: Floats
    """[public state, feature]: what a value function is told about a public state."""
    unit: Floats
    """Per public state the chips (or points) of one unit of the answers."""
    scale: float
    """Beliefs are multiplied by this, so that inputs have about the size 1."""

"""The three forms of an enumerated game that kernels read, each for one kind of traversal.

`SequenceForm` is what most solvers and every evaluation read: terminals are rows of a payoff table, so that an
iteration is three passes over sequences and never visits a history. `Histories` is the game tree itself, in the order
of its enumeration; the other two are made from it by `counterpoise.tree.flatten`:

- `Preorder` puts every subtree into one range, so that a walk which prunes skips a branch by one jump, and `Branches`
  says what lies below each sequence;
- `SamplingTree` packs what a walk along single paths needs of a node into one row of sixteen bytes, and chance into
  alias tables.

All forms number information sets and sequences alike: player p owns infosets ``first_infoset[p]:first_infoset[p+1]``
and sequences ``first_sequence[p]:first_sequence[p+1]``, parents first, and position k of a flat strategy array is
sequence k.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.uint32]

CHANCE_NODE, TERMINAL_NODE = -1, -2
"""In place of an infoset in `Preorder`."""
KIND, FIRST, BLOCK, WIDTH = 0, 1, 2, 3
"""Columns of `SamplingTree.nodes`."""
CHANCE_KIND, TERMINAL_KIND = 254, 255
"""In place of a seat in the column KIND."""


class SequenceForm(NamedTuple):
    """A finite game as sequences and a payoff table.

    The first sequence of a player is the empty one. Infoset i owns the sequences ``start[i]:stop[i]`` (one per action)
    and follows its player's own sequence ``parent[i]``. Row s of the payoff table, ``row[s]:row[s+1]``, lists the
    terminals whose last sequence of that player is s: the other players' last sequences (``columns``, one row per other
    player) and chance probability times own payoff.
    """

    first_infoset: IndexArray
    first_sequence: IndexArray
    start: IndexArray
    stop: IndexArray
    parent: IndexArray
    row: IndexArray
    columns: IndexArray
    values: FloatArray


class Histories(NamedTuple):
    """Every node of the game tree, parents before children, the children of a node next to each other.

    `player` is a seat, `CHANCE` or `TERMINAL`; `infoset` is the infoset of a decision and the row of `payoffs`
    (one column per seat) of a terminal; `probability` belongs to children of chance nodes (1 elsewhere).
    """

    parent: NDArray[np.int32]
    player: NDArray[np.int8]
    infoset: NDArray[np.int32]
    first_child: NDArray[np.int32]
    children: NDArray[np.int32]
    probability: FloatArray
    payoffs: FloatArray


class Preorder(NamedTuple):
    """The histories in preorder: the subtree of node n is the range ``n:end[n]``.

    `infoset` is that of a decision, or `CHANCE_NODE` or `TERMINAL_NODE`. What a walk needs to know about the past of a
    node is stored with it, so that a walk carries nothing along: ``last[p]`` is the last sequence of player p, `chance`
    the probability of chance, and ``weight[p]`` the same, at a terminal times p's payoff.
    """

    end: IndexArray
    infoset: NDArray[np.int32]
    last: IndexArray
    chance: FloatArray
    weight: FloatArray
    first_infoset: IndexArray


class Branches(NamedTuple):
    """What lies below a sequence s of infoset I, the pair (I,a), in a `Preorder`.

    The histories of infoset i are the nodes ``history[row[i]:row[i+1]]``. The own infosets below s, D(I,a), are
    ``infosets[low[s]:high[s]]``, parents first. `highest` is the largest payoff to the owner below s.
    """

    row: IndexArray
    history: IndexArray
    low: IndexArray
    high: IndexArray
    infosets: IndexArray
    highest: FloatArray


class PruningTree(NamedTuple):
    """What pruning walks read: sequence form, histories in preorder, and what lies below each sequence."""

    form: SequenceForm
    nodes: Preorder
    branches: Branches


class SamplingTree(NamedTuple):
    """Histories in the layout of walks along single paths: one row of `nodes` for each.

    KIND is the seat that acts, `CHANCE_KIND` or `TERMINAL_KIND`; FIRST the first child, or a terminal's row of
    `payoffs`; BLOCK the first sequence of a decision, or where the alias table of a chance node starts; WIDTH the
    number of children. `height` is the largest number of nodes on a path, `widest` the largest number of actions.
    """

    nodes: IndexArray
    payoffs: FloatArray
    accept: FloatArray
    alias: IndexArray
    height: int
    widest: int

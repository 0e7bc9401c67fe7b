"""The histories of a game in preorder, which walks that skip branches read.

The subtree below node n is the range ``n:end[n]``. What a walk needs to know about the past of a node (everybody's last
sequence, the probability of chance) is stored with it, so that a walk carries nothing along.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.games import TERMINAL
from counterpoise.tree import Tree
from counterpoise.tree.kernels.sequence_form import FloatArray, IndexArray

CHANCE_NODE, TERMINAL_NODE = -1, -2
"""In place of an infoset."""


class Nodes(NamedTuple):
    """The histories in preorder.

    `end` is the first node after the subtree; `infoset` that of a decision, or `CHANCE_NODE` or `TERMINAL_NODE`;
    ``last[p]`` the last sequence of player p; `chance` the probability of chance, and ``weight[p]`` the same, at a
    terminal times p's payoff.
    Infosets ``first_infoset[p]:first_infoset[p+1]`` are p's.
    """

    end: IndexArray
    infoset: NDArray[np.int32]
    last: IndexArray
    chance: FloatArray
    weight: FloatArray
    first_infoset: IndexArray


class Branches(NamedTuple):
    """What lies below a sequence s of infoset I, the pair (I,a).

    The histories of infoset i are the nodes ``history[row[i]:row[i+1]]``. The own infosets below s, D(I,a), are
    ``infosets[low[s]:high[s]]``, parents first. `highest` is the largest payoff to the owner below s.
    """

    row: IndexArray
    history: IndexArray
    low: IndexArray
    high: IndexArray
    infosets: IndexArray
    highest: FloatArray


def lay_out(tree: Tree) -> tuple[Nodes, Branches]:
    """The nodes of a tree in preorder, and what lies below each sequence."""
    histories = tree.histories
    end, kind, last, chance, weight, terminals = _nodes(
        tree.form, histories.parent, histories.player, histories.infoset, histories.first_child, histories.children,
        histories.probability, histories.payoffs,
    )  # fmt: skip
    nodes = Nodes(end, kind, last, chance, weight, tree.form.first_infoset)
    return nodes, Branches(*_branches(tree.form, nodes, terminals, histories.payoffs))


@njit(cache=True, nogil=True)
def _nodes(form, parent, player, infoset, first_child, children, probability, payoffs):
    """The arrays of `Nodes`, and which row of the payoffs belongs to each node that is a terminal."""
    players, size = len(form.first_infoset) - 1, len(parent)
    below = np.ones(size, dtype=np.uint32)
    for n in range(size - 1, 0, -1):
        below[parent[n]] += below[n]
    place = np.zeros(size, dtype=np.uint32)
    end = np.empty(size, dtype=np.uint32)
    kind = np.empty(size, dtype=np.int32)
    last = np.empty((players, size), dtype=np.uint32)
    chance, weight = np.ones(size), np.ones((players, size))
    terminals = np.full(size, -1, dtype=np.int32)
    for p in range(players):
        last[p, 0] = form.first_sequence[p]
    for n in range(size):  # parents come before their children
        here, who = np.int64(place[n]), player[n]
        end[here] = here + below[n]
        if who == TERMINAL:
            kind[here], terminals[here] = TERMINAL_NODE, infoset[n]
            for p in range(players):
                weight[p, here] = chance[here] * payoffs[infoset[n], p]
            continue
        kind[here] = infoset[n] if who >= 0 else CHANCE_NODE
        there = here + 1
        for k in range(children[n]):
            child = first_child[n] + k
            place[child] = there
            chance[there] = chance[here] * probability[child]
            for p in range(players):
                last[p, there] = form.start[infoset[n]] + k if p == who else last[p, here]
                weight[p, there] = chance[there]
            there += below[child]
    return end, kind, last, chance, weight, terminals


@njit(cache=True, nogil=True)
def _branches(form, nodes, terminals, payoffs):
    """The arrays of `Branches`."""
    players, infosets, sequences = nodes.last.shape[0], len(form.start), np.int64(form.first_sequence[-1])
    row = np.zeros(infosets + 1, dtype=np.uint32)
    for n in range(len(nodes.end)):
        if nodes.infoset[n] >= 0:
            row[nodes.infoset[n] + 1] += 1
    row = np.cumsum(row).astype(np.uint32)
    history, filled = np.empty(row[-1], dtype=np.uint32), row.copy()
    highest = np.full(sequences, -np.inf)
    for n in range(len(nodes.end)):
        i = nodes.infoset[n]
        if i >= 0:
            history[filled[i]] = n
            filled[i] += 1
        elif i == TERMINAL_NODE:
            for p in range(players):
                s = nodes.last[p, n]
                highest[s] = max(highest[s], payoffs[terminals[n], p])
    size, below = np.ones(infosets, dtype=np.uint32), np.zeros(sequences, dtype=np.uint32)
    for i in range(infosets - 1, -1, -1):
        for s in range(form.start[i], form.stop[i]):
            size[i] += below[s]
            highest[form.parent[i]] = max(highest[form.parent[i]], highest[s])
        below[form.parent[i]] += size[i]
    low, high = np.zeros(sequences, dtype=np.uint32), np.zeros(sequences, dtype=np.uint32)
    for p in range(players):
        low[form.first_sequence[p]] = high[form.first_sequence[p]] = form.first_infoset[p]
    listed = np.empty(infosets, dtype=np.uint32)
    for i in range(infosets):  # parents come before what follows them
        place = high[form.parent[i]]
        high[form.parent[i]] += size[i]
        listed[place] = i
        place += 1
        for s in range(form.start[i], form.stop[i]):
            low[s] = high[s] = place
            place += below[s]
    return row, history, low, high, listed, highest

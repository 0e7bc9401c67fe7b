"""The loops behind `counterpoise.tree.flatten`: histories put into preorder, branches, alias tables."""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.tree.kernels.layouts import BLOCK, CHANCE_KIND, CHANCE_NODE, FIRST, KIND, TERMINAL_NODE, WIDTH


@njit(cache=True, nogil=True)
def preorder_arrays(form, histories):
    """Return the arrays of `Preorder`, and which row of the payoffs belongs to each node that is a terminal."""
    parent, player, infoset, children = histories.parent, histories.player, histories.infoset, histories.children
    players, size = len(form.first_infoset) - 1, len(parent)
    # Size of every subtree, children before parents.
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
        # The subtree of a node is the range from it to `end`.
        end[here] = here + below[n]
        # Terminals: payoffs times the probability of chance.
        if children[n] == 0:
            kind[here], terminals[here] = TERMINAL_NODE, infoset[n]
            for p in range(players):
                weight[p, here] = chance[here] * histories.payoffs[infoset[n], p]
            continue
        # Children follow their parent, each behind its sibling's subtree.
        kind[here] = infoset[n] if who >= 0 else CHANCE_NODE
        there = here + 1
        for k in range(children[n]):
            child = histories.first_child[n] + k
            place[child] = there
            chance[there] = chance[here] * histories.probability[child]
            for p in range(players):
                last[p, there] = form.start[infoset[n]] + k if p == who else last[p, here]
                weight[p, there] = chance[there]
            there += below[child]
    return (end, kind, last, chance, weight), terminals


@njit(cache=True, nogil=True)
def branch_arrays(form, nodes, terminals, payoffs):
    """Return the arrays of `Branches`."""
    players, infosets, sequences = nodes.last.shape[0], len(form.start), np.int64(form.first_sequence[-1])
    # Count the histories of each infoset, then list them.
    row = np.zeros(infosets + 1, dtype=np.uint32)
    for n in range(len(nodes.end)):
        if nodes.infoset[n] >= 0:
            row[nodes.infoset[n] + 1] += 1
    row = np.cumsum(row).astype(np.uint32)
    # The highest payoff right below each sequence.
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
    # Infosets below each sequence, and the highest payoff anywhere below it, last ones first.
    size, below = np.ones(infosets, dtype=np.uint32), np.zeros(sequences, dtype=np.uint32)
    for i in range(infosets - 1, -1, -1):
        for s in range(form.start[i], form.stop[i]):
            size[i] += below[s]
            highest[form.parent[i]] = max(highest[form.parent[i]], highest[s])
        below[form.parent[i]] += size[i]
    # Number infosets so that those below a sequence are neighbours.
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


@njit(cache=True, nogil=True)
def height(parent):
    """Return the largest number of nodes on a path; parents come before children."""
    depth = np.ones(len(parent), dtype=np.int64)
    for node in range(len(parent)):
        if parent[node] >= 0:
            depth[node] = depth[parent[node]] + 1
    return depth.max()


@njit(cache=True, nogil=True)
def alias_tables(nodes, probability, size):
    """Return tables to draw an outcome of each chance node with one random number (Walker 1977, Vose 1991).

    Outcome k of n is drawn by an even draw of a column, which is then kept with `accept` or gives way to `alias`.
    """
    accept, alias = np.ones(size), np.zeros(size, dtype=np.uint32)
    small, large = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    for node in range(len(nodes)):
        if nodes[node, KIND] != CHANCE_KIND:
            continue
        width, block, first = np.int64(nodes[node, WIDTH]), np.int64(nodes[node, BLOCK]), np.int64(nodes[node, FIRST])
        total = probability[first : first + width].sum()
        smalls = larges = 0
        # Scale probabilities so that their mean is 1; tell those below from those above.
        for k in range(width):
            accept[block + k] = probability[first + k] * width / total
            alias[block + k] = k
            if accept[block + k] < 1.0:
                small[smalls] = k
                smalls += 1
            else:
                large[larges] = k
                larges += 1
        # Fill each column that is short of 1 from one that has more.
        while smalls and larges:
            smalls -= 1
            poor, rich = small[smalls], large[larges - 1]
            alias[block + poor] = rich
            accept[block + rich] -= 1.0 - accept[block + poor]
            if accept[block + rich] < 1.0:
                larges -= 1
                small[smalls] = rich
                smalls += 1
        # What rounding leaves is 1.
        for k in range(larges):
            accept[block + large[k]] = 1.0
        for k in range(smalls):
            if accept[block + small[k]] > 0.0:  # short of 1 by rounding only
                accept[block + small[k]] = 1.0
    return accept, alias

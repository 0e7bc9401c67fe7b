"""What the walks of Monte Carlo CFR share: a compact tree, draws, regret matching on the spot, discounts.

Information sets are matched to their regrets when a walk comes by, into a scratch array, from some `slot` on. Their
part of the tables begins at their first sequence or, if kernels are given a `place`, where `block_of` has put it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from counterpoise.games import CHANCE, TERMINAL
from counterpoise.kernels.random import uniform
from counterpoise.tree import Tree
from counterpoise.tree.kernels.sequence_form import FloatArray, IndexArray

KIND, FIRST, BLOCK, WIDTH = 0, 1, 2, 3
"""Columns of `SamplingTree.nodes`."""
CHANCE_KIND, TERMINAL_KIND = 254, 255
LINEAR, INITIAL = 1, 2
NEXT_FREE = 0
"""Sequence 0 is an empty one, without tables: its entry of `place` tells which entry of the tables is free next."""


class SamplingTree(NamedTuple):
    """Histories in the layout of walks: what a node needs lies in one row of sixteen bytes.

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


class Schedule(NamedTuple):
    """What is done to the tables between walks: see the fields of `MonteCarlo`."""

    discount: int
    period: int
    floor: bool
    linear_average: bool


def sampling_tree(tree: Tree) -> SamplingTree:
    """The histories of an enumerated game for walks."""
    histories = tree.histories
    player = histories.player.astype(np.int64)
    chance, terminal = player == CHANCE, player == TERMINAL
    nodes = np.zeros((tree.nodes, 4), dtype=np.uint32)
    nodes[:, KIND] = np.where(chance, CHANCE_KIND, np.where(terminal, TERMINAL_KIND, player))
    nodes[:, FIRST] = np.where(terminal, histories.infoset, histories.first_child)
    nodes[:, WIDTH] = np.where(terminal, 0, histories.children)
    decisions = ~chance & ~terminal
    nodes[decisions, BLOCK] = tree.form.start[histories.infoset[decisions]]
    outcomes = np.cumsum(histories.children[chance])
    nodes[chance, BLOCK] = outcomes - histories.children[chance]
    accept, alias = alias_tables(nodes, histories.probability, int(outcomes[-1]) if len(outcomes) else 0)
    payoffs = np.ascontiguousarray(histories.payoffs, dtype=np.float64)
    widest = int(histories.children[decisions].max(initial=1))
    return SamplingTree(nodes, payoffs, accept, alias, int(height(histories.parent)), widest)


@njit(cache=True, nogil=True)
def height(parent):
    """The largest number of nodes on a path; parents come before children."""
    depth = np.ones(len(parent), dtype=np.int64)
    for node in range(len(parent)):
        if parent[node] >= 0:
            depth[node] = depth[parent[node]] + 1
    return depth.max()


@njit(cache=True, nogil=True)
def alias_tables(nodes, probability, size):
    """Tables to draw an outcome of each chance node with one random number (Walker 1977, Vose 1991).

    Outcome k of n is drawn by an even draw of a column, which is then kept with `accept` or gives way to `alias`.
    """
    accept, alias = np.ones(size), np.zeros(size, dtype=np.uint32)
    small, large = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    for node in range(len(nodes)):
        if nodes[node, KIND] != CHANCE_KIND:
            continue
        width, block, first = np.int64(nodes[node, 3]), np.int64(nodes[node, 2]), np.int64(nodes[node, 1])
        total = probability[first : first + width].sum()
        smalls = larges = 0
        for k in range(width):
            accept[block + k] = probability[first + k] * width / total
            alias[block + k] = k
            if accept[block + k] < 1.0:
                small[smalls] = k
                smalls += 1
            else:
                large[larges] = k
                larges += 1
        while smalls and larges:
            smalls -= 1
            poor, rich = small[smalls], large[larges - 1]
            alias[block + poor] = rich
            accept[block + rich] -= 1.0 - accept[block + poor]
            if accept[block + rich] < 1.0:
                larges -= 1
                small[smalls] = rich
                smalls += 1
        for k in range(larges):
            accept[block + large[k]] = 1.0
        for k in range(smalls):
            if accept[block + small[k]] > 0.0:  # short of 1 by rounding only
                accept[block + small[k]] = 1.0
    return accept, alias


@njit(cache=True, nogil=True, inline="always")
def draw_outcome(tree, node, random):
    """The child of a chance node that a draw gives."""
    block, width = np.uint64(tree.nodes[node, BLOCK]), np.int64(tree.nodes[node, WIDTH])
    scaled = uniform(random) * width
    whole = np.int64(scaled)
    column = np.uint64(whole)
    if scaled - whole >= tree.accept[block + column]:
        column = np.uint64(tree.alias[block + column])
    return tree.nodes[node, FIRST] + column


@njit(cache=True, nogil=True, inline="always")
def draw_action(random, weights, slot, width, total):
    """The number of the action that a draw gives, in proportion to `weights`, which from `slot` on add up to `total`.

    Counting instead of searching costs no mispredicted branch. A draw is always below `total`, summed in the same
    order, so an action of weight 0 is never drawn.
    """
    draw = uniform(random) * total
    passed, drawn = 0.0, 0
    for k in range(width):
        passed += weights[slot + k]
        drawn += draw >= passed
    return np.uint64(drawn)


@njit(cache=True, nogil=True, inline="always")
def block_of(place, sequence, width):
    """The entry of the tables where the information set begins whose first sequence is `sequence`.

    Without `place` it is that sequence. With it, an information set that is met for the first time gets the next free
    entries, one per action; until then its part of `place` is 0.
    """
    block = np.uint64(sequence)
    if place is not None:
        if place[block] == 0:
            for k in range(width):
                place[block + k] = place[NEXT_FREE] + k
            place[NEXT_FREE] += width
        block = np.uint64(place[block])
    return block


@njit(cache=True, nogil=True, inline="always")
def match(regrets, low, width, weights, slot):
    """Write, from `slot` on, weights in proportion to which to act by the regrets from `low` on.

    Gives their sum, and whether any regret was positive; if not, the weights are even.
    """
    total = 0.0
    for k in range(width):
        positive = regrets[low + k] if regrets[low + k] > 0.0 else 0.0
        weights[slot + k] = positive
        total += positive
    decided = total > 0.0
    if not decided:
        for k in range(width):
            weights[slot + k] = 1.0
        total = np.float64(width)
    return total, decided


@njit(cache=True, nogil=True)
def end_iteration(schedule, before, after, regrets, cumulative, place=None):
    """Discount the tables for every period that ended while the nodes touched went from `before` to `after`."""
    if schedule.discount == 0:
        return
    period = np.int64(schedule.period)
    for n in range(before // period + 1, after // period + 1):
        factor = n / (n + 1.0)
        if schedule.discount == INITIAL:
            factor = 0.1 if n == 1 else 1.0
        if factor != 1.0:
            for s in range(len(regrets) if place is None else place[NEXT_FREE]):
                regrets[s] *= factor
                cumulative[s] *= factor


@njit(cache=True, nogil=True)
def average_walk(tree, owner, everything, weight, random, regrets, cumulative, weights, stack, place=None):
    """Add the strategy of `owner` to its average where the walk meets it; returns the nodes touched.

    Chance and `owner` are drawn. The others' actions are all followed (`everything`) or drawn evenly: in either case
    the probability of meeting an information set is the owner's reach times a constant, whatever the others play.
    """
    touched, waiting = 0, 1
    stack[0] = 0
    while waiting:
        waiting -= 1
        node = np.uint64(stack[waiting])
        while True:
            touched += 1
            kind = tree.nodes[node, KIND]
            if kind == TERMINAL_KIND:
                break
            if kind == CHANCE_KIND:
                node = draw_outcome(tree, node, random)
                continue
            first, width = np.uint64(tree.nodes[node, FIRST]), np.uint64(tree.nodes[node, WIDTH])
            if kind == owner:
                low = block_of(place, tree.nodes[node, BLOCK], width)
                total, _ = match(regrets, low, width, weights, np.uint64(0))
                for k in range(width):
                    cumulative[low + k] += weight * weights[k] / total
                node = first + draw_action(random, weights, np.uint64(0), width, total)
            elif everything:
                for k in range(np.uint64(1), width):
                    stack[waiting] = first + k
                    waiting += 1
                node = first
            else:
                node = first + np.uint64(np.int64(uniform(random) * np.float64(width)))
    return touched

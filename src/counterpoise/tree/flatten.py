"""Make the forms of a game that walks read (`counterpoise.tree.kernels.layouts`) from its histories."""

from __future__ import annotations

import numpy as np

from counterpoise.seats import CHANCE, TERMINAL
from counterpoise.tree.kernels.flatten import alias_tables, branch_arrays, height, preorder_arrays
from counterpoise.tree.kernels.layouts import (
    BLOCK,
    CHANCE_KIND,
    FIRST,
    KIND,
    TERMINAL_KIND,
    WIDTH,
    Branches,
    Preorder,
    PruningTree,
    SamplingTree,
)
from counterpoise.tree.tree import Tree


def pruning_tree(tree: Tree) -> PruningTree:
    """Return the histories of a game in preorder, and what lies below each sequence, for walks that skip branches."""
    (end, infoset, last, chance, weight), terminals = preorder_arrays(tree.form, tree.histories)
    nodes = Preorder(end, infoset, last, chance, weight, tree.form.first_infoset)
    return PruningTree(tree.form, nodes, Branches(*branch_arrays(tree.form, nodes, terminals, tree.histories.payoffs)))


def sampling_tree(tree: Tree) -> SamplingTree:
    """Return the histories of a game for walks along single paths."""
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

"""CFR on public betting trees written down plainly, to replay what the kernels did."""

from typing import NamedTuple

import numpy as np

from counterpoise.solvers.saef.kernels.cfr import traverse
from counterpoise.solvers.saef.kernels.layouts import DEAL, FIRST_FOLDED, SHOWDOWN


class Visit(NamedTuple):
    """What a walk found at a decision of the walking seat."""

    actions: np.ndarray  # [child, hand], values of the actions
    value: np.ndarray
    own: np.ndarray  # reach
    other: np.ndarray


def walk(tree, seat, strategy, node=0, own=None, other=None, visits=None):
    """Return a seat's counterfactual values at a node by recursion; `visits` gets what was found at its decisions."""
    arrays, deals = tree.arrays, tree.game.deals
    own = np.ones(tree.game.ranks) if own is None else own
    other = np.ones(tree.game.ranks) if other is None else other
    kind = arrays.kind[node]
    if kind == SHOWDOWN:
        return arrays.stake[node] * deals.wins[arrays.board[node]] @ other
    if kind > SHOWDOWN:
        sign = -1 if kind == FIRST_FOLDED + seat else 1
        return sign * arrays.stake[node] * deals.weight[arrays.board[node]] @ other
    children = tree.children(node)
    if kind == DEAL:
        return sum(walk(tree, seat, strategy, c, own, other, visits) for c in children)
    if kind != seat:
        return sum(walk(tree, seat, strategy, c, own, other * strategy[c], visits) for c in children)
    actions = np.array([walk(tree, seat, strategy, c, own * strategy[c], other, visits) for c in children])
    value = (actions * strategy[children]).sum(axis=0)
    if visits is not None:
        visits[node] = Visit(actions, value, own, other)
    return value


def record(cfr, iterations):
    """Run iterations with the kernel; return, per seat, the strategies that each of its turns met."""
    met = [], []
    for _ in range(iterations):
        for seat in range(2):
            met[seat].append(cfr.tables.strategy.copy())
            cfr.tables.reach[0] = 1.0
            cfr.nodes_touched += traverse(cfr.tree.arrays, cfr.tree.game.deals, cfr.tables, 0, seat, False)
    cfr.iterations += iterations
    cfr.worth += iterations
    return met


def matched(regrets, fallback):
    """Return the strategy that matches regrets, [action, hand]."""
    positive = regrets.clip(0)
    total = positive.sum(axis=0)
    return np.where(total > 0, positive / np.where(total > 0, total, 1), fallback)


def play_recovery(tree, root, faced, value, iterations):
    """Play a recovery game plainly; return, per seat, the strategies below `root` that each of its turns met."""
    bettor = 1 - int(tree.arrays.kind[root])
    below = [node for node in tree.below(root) if tree.arrays.kind[node] < DEAL]
    strategy = np.ones((tree.count, tree.game.ranks))
    regrets = np.zeros_like(strategy)
    for node in below:
        strategy[tree.children(node)] = 1 / len(tree.children(node))
    head, enter = np.zeros((2, tree.game.ranks)), np.full(tree.game.ranks, 0.5)
    met = [], []
    for _ in range(iterations):
        for seat in (bettor, 1 - bettor):
            met[seat].append(strategy.copy())
            visits = {}
            reach = (enter, faced / iterations) if seat == bettor else (faced / iterations, enter)
            entered = walk(tree, seat, strategy, root, *reach, visits)
            for node, found in visits.items():
                children = tree.children(node)
                regrets[children] += found.actions - found.value
                strategy[children] = matched(regrets[children], 1 / len(children))
            if seat == bettor:
                options = np.array([entered, value / iterations])
                mean = enter * options[0] + (1 - enter) * options[1]
                head += options - mean
                enter = matched(head, 0.5)[0]
    return met

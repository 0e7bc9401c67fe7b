"""Add a bet to an abstraction that is being solved, and remove one (Brown 2020, sections 4.3.1, 4.3.2 and 4.3.5).

A new bet is treated as though it had always been there and never been made: regrets outside stay as they are, the
opponent's below it are zero, and the opponent's past play below it may be chosen. Both ways of choosing write the sums
of a game that includes the bet; only its own regrets may be larger than CFR allows, for which the past is discounted.
"""

from __future__ import annotations

from math import ceil

import numpy as np

from counterpoise.errors import InputError
from counterpoise.proportions import proportional
from counterpoise.solvers.saef.cfr import SUMS, GrowingCFR, value_parts
from counterpoise.solvers.saef.kernels.best_response import ABSTRACT, respond
from counterpoise.solvers.saef.kernels.cfr import match, recover, settle
from counterpoise.solvers.saef.kernels.layouts import GONE


def add_by_recovery(cfr: GrowingCFR, node: int, size: float, iterations: int) -> int:
    """Add a bet whose past is that of a recovery game; return its node.

    There the bettor may take V(I) instead of entering, and the opponent plays against that (theorem 18). The totals do
    not depend on the number of iterations; the bound of CFR below the bet needs `summed_reach` squared / T of them.
    """
    root = cfr.tree.add_bet(node, size)
    cfr.make_room()
    cfr.start_uniform(root)
    arrays, tables = cfr.tree.arrays, cfr.tables
    head = np.zeros((3, cfr.tree.game.ranks))
    cfr.nodes_touched += recover(arrays, cfr.tree.game.deals, tables, root, iterations, head)
    tables.regrets[root] -= tables.value[node]
    settle(arrays, tables, root, cfr.tree.count)
    _weigh_average(cfr, node, root)
    _join(cfr, node, root)
    return root


def add_by_transfer(cfr: GrowingCFR, node: int, size: float, like: int) -> int:
    """Add a bet whose past repeats that of another bet of the same decision, at node `like`; return its node.

    What follows is copied with all payoffs but those of immediate folds scaled, and no walk is needed.
    """
    folds, rest = value_parts(cfr)[:, like]
    root, sources = cfr.tree.copy_bet(node, size, like)
    cfr.make_room()
    arrays, tables = cfr.tree.arrays, cfr.tables
    copies = slice(root, cfr.tree.count)
    for name in SUMS:
        getattr(tables, name)[copies] = getattr(tables, name)[sources]
    scale = (1 + 2 * size) / (1 + 2 * arrays.size[like])
    for sums in (tables.regrets, tables.value, tables.folded):
        sums[copies] *= scale
    tables.fallback[copies] = tables.fallback[sources]
    tables.regrets[root] = folds + (1 + 2 * size) * rest - tables.value[node]
    tables.folded[root] = folds
    settle(arrays, tables, root, cfr.tree.count)
    _join(cfr, node, root)
    return root


def check_new_bet(cfr: GrowingCFR, node: int, size: float) -> None:
    """Refuse a bet where none is allowed, outside of the range, or that is there already."""
    tree = cfr.tree
    if not (0 <= node < tree.count and tree.may_bet(node)):
        raise InputError(
            f"no bet is allowed after {tree.history(node)!r}" if 0 <= node < tree.count else "no such node"
        )
    if not tree.game.low <= size <= tree.game.high or size in tree.bets(node):
        raise InputError(
            f"a new bet after {tree.history(node)!r} must be from {tree.game.low:g} to {tree.game.high:g} of the pot"
            f" and none of {', '.join(f'{bet:g}' for bet in tree.bets(node))}, not {size!r}"
        )


def summed_reach(cfr: GrowingCFR, node: int) -> float:
    """Return T_S: how often chance and the opponent have led to a decision, summed over iterations."""
    weight = cfr.tree.game.deals.weight[cfr.tree.arrays.board[node]]
    return float((weight @ cfr.tables.faced[node]).sum())


def recovery_iterations(cfr: GrowingCFR, node: int, least: int, most: int | None) -> int:
    """Return how long to play a recovery game: T_S iterations, within limits (None: no upper one)."""
    wanted = ceil(summed_reach(cfr, node))
    return max(least, wanted if most is None else min(most, wanted))


def remove_hopeless(cfr: GrowingCFR, share: float) -> dict[str, int]:
    """Remove bets for good that are hardly made and could not have done better; return them and their nodes.

    A bet goes if the average strategies reach it with less probability than share / sqrt(T), and even a best response
    to the opponent's average below it would have had negative regret with every hand (Brown 2020, sections 3.5 and
    4.3.5). The smallest and the largest bet stay. If it is needed again, it will be added again.
    """
    tree, arrays, count = cfr.tree, cfr.tree.arrays, cfr.tree.count
    strategy, work = cfr.average_strategy(), np.zeros((2, 3, count, tree.game.ranks))
    for seat in range(2):
        respond(arrays, tree.game.deals, strategy, count, seat, ABSTRACT, work[seat])
    sizes = arrays.size[:count]
    bets = np.flatnonzero((sizes > tree.game.low) & (sizes < tree.game.high) & (arrays.kind[:count] != GONE))
    above, seats = arrays.parent[bets], arrays.kind[arrays.parent[bets]]
    # Reach of both average strategies: each is what the other's best response faces.
    reach = np.einsum("nh,nhk,nk->n", work[1, 0, bets], tree.game.deals.weight[arrays.board[bets]], work[0, 0, bets])
    stakes = 1.0 + 2.0 * sizes[bets, None]
    best = arrays.stake[above, None] * (work[seats, 2, bets] + stakes * work[seats, 1, bets])
    hopeless = np.all(cfr.worth * best < cfr.tables.value[above], axis=1) & (reach * np.sqrt(cfr.worth) < share)
    removed = {}
    for bet in bets[hopeless].tolist():
        if arrays.kind[bet] != GONE:  # it may have been below another
            removed[tree.history(bet)] = _remove(cfr, int(arrays.parent[bet]), bet)
    return removed


def _remove(cfr: GrowingCFR, node: int, child: int) -> int:
    """Remove a bet and let the others take its place; return how many nodes it was."""
    lost = cfr.tree.remove(child)
    for name in (*SUMS, "strategy", "fallback"):
        getattr(cfr.tables, name)[lost] = 0.0
    left = cfr.tree.children(node)
    shares = cfr.tables.fallback[left]
    totals = shares.sum(axis=0)
    cfr.tables.fallback[left] = proportional(shares, totals, 1 / len(left))
    match(cfr.tree.arrays, cfr.tables, node)
    return len(lost)


def _weigh_average(cfr: GrowingCFR, node: int, root: int) -> None:
    """Let the opponent's average below a new bet count as what is above it does.

    In the recovery game the opponent came with the reach that the bettor faced. With alternating updates that is not
    quite what its average is made of: the second seat always faces the first one's next strategy.
    """
    arrays, tables, count = cfr.tree.arrays, cfr.tables, cfr.tree.count
    opponent, faced, last = arrays.kind[root], tables.faced[node], node
    while last and arrays.kind[arrays.parent[last]] != opponent:
        last = int(arrays.parent[last])
    played = tables.average[last] if last else np.full(len(faced), cfr.worth)
    below = np.arange(root + 1, count)
    below = below[arrays.kind[arrays.parent[below]] == opponent]
    tables.average[below] *= np.where(faced > 0.0, played / np.where(faced > 0.0, faced, 1.0), 1.0)


def _join(cfr: GrowingCFR, node: int, root: int) -> None:
    """Let a decision play a new bet as its regret says: it has no past in the average, and is no fallback."""
    cfr.tables.average[root] = cfr.tables.fallback[root] = 0.0
    match(cfr.tree.arrays, cfr.tables, node)

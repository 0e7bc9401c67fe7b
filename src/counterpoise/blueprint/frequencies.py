"""Frequencies of actions that players have names for: limps before the flop, donk bets after it.

See Brown 2020, section 6.6.

A *limp* is a call of the big blind by the first seat that does not fold; the big blind itself cannot limp. A *donk bet*
is the first bet of a round by a seat that acts before the *leader*, the seat that bet or raised last in the round
before. Rates are per opportunity, in hands that the strategy plays at all seats.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import CALL, FOLD, NOBODY
from counterpoise.sampling.betting_tree import BettingTree

Nodes = NDArray[np.int64]


@dataclass(frozen=True)
class Rate:
    """The number of times that something was done, and the number of opportunities."""

    done: int
    opportunities: int

    @property
    def share(self) -> float:
        """Done per opportunity, from 0 to 1; nan without any."""
        return self.done / self.opportunities if self.opportunities else float("nan")

    @property
    def error(self) -> float:
        """The standard error of the share, opportunities taken as independent."""
        share = self.share
        return float(np.sqrt(share * (1 - share) / self.opportunities)) if self.opportunities else float("nan")

    def __add__(self, other: Rate) -> Rate:
        return Rate(self.done + other.done, self.opportunities + other.opportunities)


def limp_rates(tree: BettingTree, visits: Nodes) -> dict[int, Rate]:
    """Return the limp rate of each seat where all seats before it have folded, in the order of acting."""
    rates, node = dict[int, Rate](), 0
    while tree.decisions[node] and tree.arrays.round[node] == 0:
        children = list(tree.children(node))
        if tree.action[children[0]] != FOLD:  # the big blind may check
            break
        limps = [child for child in children if tree.action[child] == CALL]
        rates[int(tree.arrays.player[node])] = Rate(int(visits[limps].sum()), int(visits[node]))
        node = children[0]
    return rates


def donk_rate(tree: BettingTree, visits: Nodes) -> Rate:
    """Return how often a seat that acts before the leader bets first, over all rounds after the first."""
    chances = donk_chances(tree)
    children = np.concatenate([np.array(tree.children(node)) for node in chances.tolist()] or [np.zeros(0, int)])
    bets = children[tree.action[children] > 0]
    return Rate(int(visits[bets].sum()), int(visits[chances].sum()))


def donk_chances(tree: BettingTree) -> Nodes:
    """Return the decisions at which a bet would be a donk bet."""
    leader, aggressor = leaders(tree)
    place = np.empty(tree.players, dtype=np.int64)
    place[tree.ends.order] = np.arange(tree.players)
    asked = np.flatnonzero(tree.decisions & (leader != NOBODY) & (aggressor == NOBODY))
    led, player = leader[asked], tree.arrays.player[asked]
    stacks = np.array(tree.game.betting.stacks)
    waits = (place[player] < place[led]) & (tree.paid[asked, led] < stacks[led])
    found: Nodes = asked[waits]
    return found


def leaders(tree: BettingTree) -> tuple[Nodes, Nodes]:
    """Return, for each node, the last seat to bet or raise in the round before and in this round; `NOBODY` if none
    did."""
    leader = np.full(tree.nodes, NOBODY, dtype=np.int64)
    aggressor = leader.copy()
    arrays, level = tree.arrays, np.zeros(1, dtype=np.int64)
    while len(level := level[tree.decisions[level]]):  # all nodes of one depth at a time
        counts = arrays.actions[level].astype(np.int64)
        above = np.repeat(level, counts)
        inside = np.arange(len(above)) - np.repeat(np.cumsum(counts) - counts, counts)
        below = arrays.first_child[above] + inside
        last = np.where(tree.action[below] > 0, arrays.player[above], aggressor[above])
        later = arrays.round[below] > arrays.round[above]
        leader[below] = np.where(later, last, leader[above])
        aggressor[below] = np.where(later, NOBODY, last)
        level = below
    return leader, aggressor

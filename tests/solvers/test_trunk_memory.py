"""How much memory CFR-BR with a hybrid agent needs in limit hold'em, by the length of the trunk.

See Johanson 2016, section 4.3.2.

In the trunk the responder learns by CFR: four bytes (a regret) for every hand class, own node and action. Below it one
pure best response is kept per thread: one byte for every hand and own node of one betting sequence, on every board.
"""

from math import prod
from typing import NamedTuple

import numpy as np
import pytest

from counterpoise.betting.rules import Betting
from counterpoise.betting.sizes import BetSizes
from counterpoise.cards import HOLDEM_ROUNDS, STANDARD_DECK, isomorphism
from counterpoise.public.street_trees import build_street_trees

REGRET_BYTES, RESPONSE_BYTES = 4, 1
_BETS, _MOST = (2, 2, 4, 4), (4, 4, 4, 4)
_STACK = 2 + sum(size * most for size, most in zip(_BETS, _MOST, strict=True))
LIMIT_HOLDEM = Betting((_STACK, _STACK), blinds=(1, 2), rounds=4, limit=_BETS, max_bets=_MOST)
"""Heads-up limit hold'em: at most four bets per round, the big blind being the first one."""
_ANY = {"bet": ["allin"], "raise": ["allin"]}  # limit betting leaves one legal size, to which all are cut


class TrunkMemory(NamedTuple):
    """Bytes of the trunk's regrets (both seats' nodes) and of one best response below it."""

    trunk: int
    subgame: int

    def total(self, threads: int) -> int:
        """Return the bytes with one subgame per thread."""
        return self.trunk + threads * self.subgame


def estimate_memory(betting, trunk):
    """Return the memory of a hybrid agent in limit hold'em whose trunk has this many rounds; all rounds: CFR itself."""
    rounds = betting.rounds
    names = ("preflop", "flop", "turn", "river")[:rounds]
    trees = build_street_trees(betting, BetSizes.read(dict.fromkeys(names, _ANY), rounds=rounds))
    actions = np.zeros(rounds, dtype=object)  # exact integers
    for tree in trees:
        actions[tree.street] += sum(len(decision.actions) for decision in tree.decisions)
    classes = [isomorphism(HOLDEM_ROUNDS[street]).size for street in range(rounds)]
    regrets = sum(int(actions[street]) * classes[street] for street in range(trunk))
    nodes = 0
    if trunk < rounds:
        start = next(number for number, tree in enumerate(trees) if tree.street == trunk)
        below = _nodes_below(trees, start)
        seen = sum(HOLDEM_ROUNDS[trunk][1:])
        for later, count in enumerate(below):
            nodes += count * prod(STANDARD_DECK.size - seen - dealt for dealt in range(later))
    return TrunkMemory(REGRET_BYTES * regrets, RESPONSE_BYTES * STANDARD_DECK.hand_count * nodes)


def _nodes_below(trees, start):
    """Return one seat's nodes (the larger number) of a tree and of those it leads to, street by street."""
    counts, here = [], {start}
    while here:
        owners = [decision.player for number in here for decision in trees[number].decisions]
        counts.append(max(owners.count(0), owners.count(1)))
        here = {number for number, tree in enumerate(trees) if tree.path[0] in here}
    return counts


PUBLISHED = {  # trunk rounds -> bytes of the trunk and of one subgame (Johanson 2016, table 4.1)
    1: (14.52 * 2**10, 1.18 * 2**30),
    2: (936.33 * 2**20, 2.74 * 2**20),
    3: (359.54 * 2**30, 6.54 * 2**10),
    4: (140.26 * 2**40, 0),
}


@pytest.mark.slow
@pytest.mark.parametrize("rounds", PUBLISHED)
def test_29_published_memory(rounds):
    """Limit hold'em: the trunk within 8 %, a subgame within 1.5 % of the printed sizes."""
    trunk, subgame = PUBLISHED[rounds]
    found = estimate_memory(LIMIT_HOLDEM, rounds)
    assert found.trunk == pytest.approx(trunk, rel=0.08)
    assert found.subgame == pytest.approx(subgame, rel=0.015)
    assert found.total(48) == found.trunk + 48 * found.subgame


@pytest.mark.slow
def test_exact_counts():
    """Nodes of one seat below one betting sequence, times boards, times hands."""
    assert estimate_memory(LIMIT_HOLDEM, 1) == (4 * 21 * 169, 1326 * (5 + 49 * 45 + 49 * 48 * 405))
    assert estimate_memory(LIMIT_HOLDEM, 3).subgame == 1326 * 5

"""Street trees and classes of hands of heads-up limit hold'em, counted against printed sizes of memory.

Johanson 2016, section 4.3.2 and table 4.1, prints what CFR-BR with a hybrid agent needs by the length of its trunk: in
the trunk a regret of four bytes for every class of hands and action of both seats, below it one byte for every hand and
own decision of one betting sequence, on every board.
"""

from collections import Counter

import pytest

from counterpoise.betting.rules import Betting
from counterpoise.betting.sizes import BetSizes
from counterpoise.cards import HOLDEM_ROUNDS, STANDARD_DECK, isomorphism
from counterpoise.public.street_trees import build_street_trees

STREETS = ("preflop", "flop", "turn", "river")
TRUNKS = (14.52 * 2**10, 936.33 * 2**20, 359.54 * 2**30, 140.26 * 2**40)
"""Bytes of a trunk of one to four rounds."""
SUBGAMES = (1.18 * 2**30, 2.74 * 2**20, 6.54 * 2**10)
"""Bytes of one subgame below a trunk of one to three rounds."""
BOARDS = ((1, 49, 49 * 48), (1, 48), (1,))
"""Boards of each street of such a subgame."""


@pytest.fixture(scope="module")
def trees():
    """At most four bets per round, the big blind being the first; one legal size, to which all others are cut."""
    stack = 2 + 4 * (2 + 2 + 4 + 4)
    betting = Betting((stack, stack), blinds=(1, 2), rounds=4, limit=(2, 2, 4, 4), max_bets=(4, 4, 4, 4))
    sizes = {street: {"bet": ["allin"], "raise": ["allin"]} for street in STREETS}
    return build_street_trees(betting, BetSizes.read(sizes, rounds=4))


@pytest.mark.slow
def test_regrets_of_trunks_take_the_printed_memory(trees):
    """Within 8 %."""
    actions, regrets = Counter(), 0
    for tree in trees:
        actions[tree.street] += sum(len(decision.actions) for decision in tree.decisions)
    assert actions[0] == 21
    for street, printed in enumerate(TRUNKS):
        regrets += actions[street] * isomorphism(HOLDEM_ROUNDS[street]).size
        assert 4 * regrets == pytest.approx(printed, rel=0.08), STREETS[street]


@pytest.mark.slow
def test_decisions_of_subgames_take_the_printed_memory(trees):
    """Within 1.5 %: decisions of the seat that has more of them, 9 times as many on every street."""
    for trunk, printed in enumerate(SUBGAMES, start=1):
        below = {next(number for number, tree in enumerate(trees) if tree.street == trunk)}
        nodes = []
        while below:
            owners = Counter(decision.player for number in below for decision in trees[number].decisions)
            nodes.append(max(owners.values()))
            below = {number for number, tree in enumerate(trees) if tree.path[0] in below}
        assert nodes == [5, 45, 405][: len(nodes)]
        on_boards = sum(count * boards for count, boards in zip(nodes, BOARDS[trunk - 1], strict=True))
        assert STANDARD_DECK.hand_count * on_boards == pytest.approx(printed, rel=0.015), STREETS[trunk]

"""Walks with vectors of hands: exact expectation over all boards, threads, ends."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from counterpoise.errors import InputError
from counterpoise.sampling.kernels.vectors import arrange_hands
from counterpoise.sampling.vectors import VectorSampling
from tests.sampling.oracle import Oracle, random_strategy
from tests.sampling.test_external import canonical, setting

ONE_SUIT = "limit_holdem(board=[0, 3], ranks=7, suits=1, max_bets=2)"
"""With one suit nothing is alike, so that a bucket for every hand is the game itself."""
ALL_IN = "no_limit_holdem(board=[0, 3], ranks=7, suits=1, stacks=[300, 400], blinds=[50, 100], whole_chips=True)"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "code", "buckets"), [(ONE_SUIT, canonical(2), ()), (ALL_IN, "IR-PHS-PHS", (5, 4))])
def test_walks_of_all_boards_are_full_width_cfr(name: str, code: str, buckets: tuple[int, ...]) -> None:
    """The mean over all boards of what a walk adds is the counterfactual regret over all deals, and own reach."""
    tree, layout, made, cards = setting(name, code, buckets)
    strategy = random_strategy(tree, layout, np.random.default_rng(1), lambda owner: False)
    sampling = VectorSampling(tree, layout, cards)
    deck = tree.game.deck.cards.tolist()
    boards = list(combinations(deck, 3))
    oracle = Oracle(tree, layout, made, strategy)
    for seat in range(2):
        found, expected, deals = np.zeros((2, layout.size)), np.zeros((2, layout.size)), 0
        for board in boards:
            sampling.put(1024 * strategy, np.zeros(layout.size))
            before = sampling.regrets()
            sampling._dealt.board[0, :3] = board
            arrange_hands(cards, sampling._dealt, sampling._hands)
            sampling.walk(seat)
            found += np.stack([sampling.regrets() - before, sampling.averages()])
            left = [card for card in deck if card not in board]
            for one in combinations(left, 2):
                for other in combinations([card for card in left if card not in one], 2):
                    hands = (one, other)
                    expected += oracle.deal(hands, board, seat)[0], oracle.deal(hands, board, 1 - seat)[1]
                    deals += 1
        np.testing.assert_allclose(found / len(boards), expected / deals, atol=1e-4)
        assert np.count_nonzero(expected) > 50


def test_vectors_need_two_seats() -> None:
    """Three seats are refused with what to do instead."""
    tree, layout, _, cards = setting("no_limit_holdem(seats=3, ranks=4, stack=10)", "IR-PHS-PHS", (4, 4, 4, 4))
    with pytest.raises(InputError, match="use method external"):
        VectorSampling(tree, layout, cards)


def test_threads_change_nothing() -> None:
    """The same seed makes the same tables on any number of threads."""
    tree, layout, _, cards = setting("no_limit_holdem(ranks=4, stack=20)", "IR-PHS-PHS", (8, 6, 6, 6))
    tables = []
    for threads in (1, 2):
        sampling = VectorSampling(tree, layout, cards, seed=5, threads=threads)
        sampling.run(20)
        tables.append(sampling.table)
    assert np.array_equal(*tables)
    assert np.isfinite(tables[0]).all()

"""Games of bidding on dice built from their ladder: the same game as history by history."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.public import build_dense
from counterpoise.public.bidding import build_bidding
from counterpoise.solvers.monte_carlo.pcs import PCS
from counterpoise.solvers.monte_carlo.public_walks import BucketSolver


@pytest.mark.parametrize(
    "name", [pytest.param("bluff", marks=pytest.mark.slow), "liars_dice(faces=3)", "liars_dice(dice=2, faces=2)"]
)
def test_the_same_game_as_history_by_history(name):
    found = []
    for game in (build_dense(name), build_bidding(name)):
        solver = BucketSolver(PCS(), game)
        solver.step(50)
        found.append([game.entries, game.nodes, solver.exploitability(), *solver.values()])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-4)


@pytest.mark.long
def test_bluff_of_three_dice_approaches_its_value():
    """2^17 sequences with a choice, 27 rolls; the value to two dice is in [0.61641, 0.61663]."""
    game = build_bidding("bluff(dice=[2, 1], continuation=-0.02713)")
    solver = BucketSolver(PCS(floor=True, average="linear"), game)
    assert solver.tables.infosets == 3_538_944 // 2  # those after the highest bid have one action
    solver.step(12)
    best = solver.traverser.best_response_values(solver.average)
    assert -best[1] <= 0.61663
    assert best[0] >= 0.61641
    assert solver.exploitability() < 0.15


@pytest.mark.slow
def test_what_is_refused():
    with pytest.raises(cp.InputError, match="no game of bidding"):
        build_bidding("kuhn_poker")
    with pytest.raises(cp.InputError, match="continuation"):
        build_bidding("bluff(dice=[2, 1])")
    with pytest.raises(cp.InputError, match="24 bids, and the most"):
        build_bidding("bluff(dice=[2, 2], continuation=0.6165)")

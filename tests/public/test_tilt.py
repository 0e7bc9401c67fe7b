"""Tilted payoffs on public games: against matrices hand by hand, in every kernel that walks a showdown."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.betting.tilt import PayoffTilt
from counterpoise.cards import strengths
from counterpoise.exploit import tilted
from counterpoise.public import Profile, Traverser, build_dense, mini_holdem
from counterpoise.sampling.boards.walks import BoardWalks
from counterpoise.solvers import make_algorithm
from counterpoise.solvers.matching.cfr import CFR
from counterpoise.solvers.public.bucket_solver import FullBucketSolver
from tests.sampling.boards.test_walks import VARIANTS, expected_regrets, random_regrets

from .holdem_oracle import Oracle
from .test_buckets import table
from .test_holdem import small

TILT = PayoffTilt(win_showdown=30, lose_showdown=-20, lose_fold=10, win_fold=40)


class TiltedOracle(Oracle):
    """An oracle that scales the payoff of each pair of hands by how the hand ended for the player."""

    def _end(self, state, board, player, reach):
        half, alive = self.betting.pot / 2, self.alive(board)
        if len(state.live) == 1:
            pay = np.full(self.apart.shape, TILT.apply(self.betting.payoffs(state)[player] - half, folded=True))
        else:
            first, second = (strengths(board, hands, self.deck).astype(int) for hands in self.hands)
            sign, pay = np.sign(first[:, None] - second[None, :]), np.zeros(self.apart.shape)
            for outcome, shown in ((1, (1, 0)), (-1, (0, 1)), (0, (0, 0))):
                pay[sign == outcome] = TILT.apply(self.betting.payoffs(state, shown)[player] - half, folded=False)
        pay = pay * self.apart * np.outer(*alive)
        return (pay if player == 0 else pay.T) @ reach


def noisy(game, seed=0):
    profile = Profile(game)
    profile.store.wide[:] = np.random.default_rng(seed).random(game.entries, dtype=np.float32)
    return profile


@pytest.mark.parametrize("make", [lambda: mini_holdem(3, (1, 1), isomorphism=False), lambda: small(0)])
def test_tilted_values_equal_matrices(make):
    """What strategies and best responses are worth, to both players, ties included; and in the true game as ever."""
    truth = make()
    game = truth.tilted(TILT)
    traverser, profile = Traverser(game), noisy(game)
    expected = TiltedOracle(profile).totals()
    found = np.array([traverser.root_values(profile), traverser.best_response_values(profile)])
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-4)
    assert not game.zero_sum
    assert game.untilted.zero_sum
    np.testing.assert_array_equal(
        Traverser(game.untilted).root_values(profile), Traverser(truth).root_values(profile.on(truth))
    )


@pytest.mark.parametrize("variant", [name for name in VARIANTS if name != "PCS"])
def test_tilted_samples_are_unbiased(variant):
    """Regrets averaged over all samples of hands are those of a walk with all hands."""
    walks = BoardWalks(mini_holdem(3, (1, 1)).tilted(TILT))
    regrets = random_regrets(walks)
    for player in range(2):
        exact, found = (expected_regrets(walks, *VARIANTS[name], player, regrets) for name in ("PCS", variant))
        np.testing.assert_allclose(found, exact, atol=1e-10 * np.abs(exact).max())


def test_tilted_walks_are_cfr_on_the_public_tree():
    """Walks of full boards find what the traversal of streets finds in the tilted game, and both judge it in truth."""
    truth = mini_holdem(3, (2, 1))
    game = tilted(truth, "tilt(win_showdown=50, win_fold=50)")
    by_walks, by_streets = FullBucketSolver(CFR(), game), make_algorithm("cfr").on(game)
    by_walks.step(2)
    by_streets.step(2)  # later, actions that are worth the same to the last bit are told apart by rounding
    assert by_walks.exploitability() == pytest.approx(by_streets.exploitability(), rel=1e-6)
    by_walks.step(28)
    assert by_walks.exploitability() == Traverser(truth).exploitability(by_walks.average.on(truth))
    assert by_walks.exploitability() != pytest.approx(by_walks.traverser.exploitability(by_walks.average), rel=1e-2)
    untilted = FullBucketSolver(CFR(), truth)
    untilted.step(30)
    assert np.abs(untilted.cumulative - by_walks.cumulative).max() > 0.1


def test_tilt_0_reproduces_the_untilted_strategy():
    """Bit for bit; and (7, 0, 0, 7) never lowers a winner's payoff nor changes a loser's."""
    game = mini_holdem(3, (2, 1))
    none = game.tilted(PayoffTilt())
    runs = [make_algorithm("cfr+").on(one) for one in (game, none)]
    for run in runs:
        run.step(20)
    np.testing.assert_array_equal(*(run.average.numbers for run in runs))
    assert none.zero_sum
    for tree, orange in zip(game.street_trees, game.tilted(PayoffTilt(7, 0, 0, 7)).street_trees, strict=True):
        for leaf, higher in zip(tree.leaves, orange.leaves, strict=True):
            for player in range(2):
                if leaf.wins:
                    assert higher.mass[player] == leaf.mass[player] == 0  # a tie
                    assert higher.decided + higher.wins == pytest.approx(1.07 * leaf.wins)
                    assert higher.decided - higher.wins == pytest.approx(-leaf.wins)
                else:
                    factor = 1.07 if leaf.mass[player] > 0 else 1
                    assert higher.mass[player] == pytest.approx(factor * leaf.mass[player])


def test_a_tilted_public_game_is_solved_and_judged_in_truth():
    """`cp.solve` takes the view; figures, also those inside an abstraction, are of the true game."""
    truth = mini_holdem(3, (2, 1))
    buckets = table("PR-PHS-PHS", (2, 2), ranks=3)
    game = tilted(truth, "tilt(win_showdown=100, win_fold=100)")
    run = cp.solve(game, "cfr", buckets=buckets, iterations=50, progress=False)
    assert run.game == "mini_holdem(3, (2, 1)) under tilt(100, 0, 0, 100)"
    assert "not zero-sum" in run.caveat
    assert run.profile.game is game.untilted
    assert sum(run.value) == pytest.approx(0, abs=1e-5)
    assert run.exploitability == Traverser(truth).exploitability(run.profile.on(truth))
    assert 0 < run.abstract_exploitability <= run.exploitability
    with pytest.raises(cp.InputError, match="without rake and untilted"):
        cp.solve(game, "cfr-br", buckets=buckets, iterations=1, progress=False)


def test_what_cannot_be_tilted():
    with pytest.raises(cp.InputError, match="all-in before the last card"):
        small(1).tilted(TILT)
    with pytest.raises(cp.InputError, match="tilt its rules"):
        tilted(build_dense("kuhn_poker"))
    with pytest.raises(cp.InputError, match="a tilt is written as"):
        tilted("kuhn_poker", "til")

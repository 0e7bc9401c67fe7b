"""CFR with Hedge: reference values, the update rule against a plain rewrite, bounds and edge cases."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.reproduce.brown.thresholding import PLAIN_HEDGE as HEDGE
from counterpoise.reproduce.harness.published import published
from counterpoise.tree import evaluate

from .helpers import HEDGE_TOLERANCE, at, counterfactual


def test_variance_rule_on_leduc():
    """Figures of an independent program, 0.264 / 0.0355 / 0.0106 at 100 / 1,000 / 4,000 iterations [2 %]."""
    values = at("leduc_poker", "hedge", *published("first_order")["reference"][HEDGE])
    assert values == pytest.approx(list(published("first_order")["reference"][HEDGE].values()), rel=HEDGE_TOLERANCE)


def test_constant_and_theory_on_leduc():
    """Constant 1 is faster than 3, the rate of the theory is useless [2 %]."""
    assert at("leduc_poker", "hedge(constant=1)", 1000) == pytest.approx([0.0153], rel=HEDGE_TOLERANCE)
    assert at("leduc_poker", "hedge(rate=theory)", 1000) == pytest.approx([2.07], rel=HEDGE_TOLERANCE)


@pytest.mark.parametrize("settings", ["", ", constant=0.5", ", rate=theory"])
def test_rule_is_the_formula(settings):
    """Every strategy is exp(eta R), over its sum and without a threshold.

    eta comes from the variance of all v(I) so far, computed from scratch.
    """
    solver = cp.solver("kuhn_poker", f"hedge(updates=simultaneous{settings})")
    tree, form, chosen = solver.tree, solver.tree.form, solver.settings
    regrets, seen = np.zeros(tree.table.size), []
    for t in range(1, 31):
        _, values, v = counterfactual(tree, solver.current_profile())
        seen.append(v)
        solver.step()
        for i in range(tree.infosets):
            block = slice(int(form.start[i]), int(form.stop[i]))
            actions = block.stop - block.start
            regrets[block] += values[block] - v[i]
            variance = np.var([earlier[i] for earlier in seen])
            rate = np.sqrt(8 * np.log(actions)) / (tree.payoff_range[i] * np.sqrt(t))
            if chosen.rate == "variance" and t > 1:
                rate = np.sqrt(np.log(actions)) / (chosen.constant * np.sqrt(variance) * np.sqrt(t))
            elif chosen.rate == "variance":
                rate = np.sqrt(np.log(actions)) / (chosen.constant * tree.payoff_range[i])
            expected = np.exp(rate * regrets[block])
            np.testing.assert_allclose(solver.current_profile()[block], expected / expected.sum(), atol=1e-9)


@pytest.mark.parametrize("game", ["rps_plus", "leduc_poker"])
def test_regret_bound_of_the_theory(game):
    """Regret stays below Delta (sqrt(2 ln|A| T) + sqrt(ln|A| / 8)), the bound at any time for this rate."""
    solver = cp.solver(game, "hedge(rate=theory)")
    form, delta = solver.tree.form, solver.tree.payoff_range
    for _ in range(20):
        solver.step(25)
        for i in range(solver.tree.infosets):
            log = np.log(float(form.stop[i] - form.start[i]))
            bound = delta[i] * (np.sqrt(2 * log * solver.iteration) + np.sqrt(log / 8))
            assert solver.regrets[form.start[i] : form.stop[i]].max() <= bound + 1e-12


def test_simultaneous_updates_and_current_strategy():
    """Simultaneous updates touch every history once; the current strategy is an output of its own."""
    alternating = cp.solve("leduc_poker", "hedge", iterations=300, progress=False)
    simultaneous = cp.solve("leduc_poker", "hedge(updates=simultaneous)", iterations=300, progress=False)
    assert alternating.nodes_touched == 2 * simultaneous.nodes_touched == 2 * 300 * 1936
    assert simultaneous.exploitability > alternating.exploitability
    solver = cp.solver("leduc_poker", "hedge(output=current)")
    solver.step(50)
    np.testing.assert_array_equal(solver.strategy.probabilities, solver.current_profile())
    assert (solver.current_profile() > 0).all()


def test_single_actions_and_unreached_infosets():
    """Forced moves (the last bids of Goofspiel) stay at probability 1."""
    solver = cp.solver("goofspiel(cards=4)", "hedge")
    solver.step(200)
    form = solver.tree.form
    forced = form.start[form.stop - form.start == 1]
    assert len(forced) > 0
    assert (solver.current_profile()[forced] == 1.0).all()
    assert evaluate(solver.tree, solver.average_profile()).exploitability < 0.5


def test_constant_payoffs_stay_uniform():
    """No variance and no range: nothing to learn, and no division by zero."""
    solver = cp.solver("matrix(row_payoffs=[[2, 2, 2], [2, 2, 2]])", "hedge")
    solver.step(10)
    np.testing.assert_allclose(solver.current_profile()[1:3], 0.5)


def test_huge_payoffs_do_not_overflow():
    """The largest exponent is made 0, however far apart the payoffs are."""
    for rate in ("variance", "theory"):
        settings = f"hedge(rate={rate}, output=current)"
        run = cp.solve("three_action_bandit", settings, iterations=1000, progress=False)
        assert sum(run.strategy["P1"].values()) == pytest.approx(1.0)
        assert run.strategy["P1"]["a3"] < 1e-6


def test_several_players():
    run = cp.solve("kuhn_poker(players=3)", "hedge", iterations=2000, progress=False)
    assert run.exploitability < 0.02


@pytest.mark.parametrize("wrong", ["constant=0", "constant=-1", "constant=inf", "constant=True", "rate=fast"])
def test_wrong_settings(wrong):
    with pytest.raises(cp.InputError, match=f"hedge: {wrong.partition('=')[0]} must be"):
        cp.solve("kuhn_poker", f"hedge({wrong})")

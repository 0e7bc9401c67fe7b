"""The regret-matching family: reference values, identities between variants, and the theory's bounds."""

import itertools

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.tree import enumerate_game, evaluate


@pytest.fixture(scope="module")
def leduc():
    return cp.load("leduc_poker")


def at(game, algorithm, *iterations):
    """Exploitability after each of the given numbers of iterations."""
    run = cp.solve(game, algorithm, iterations=max(iterations), trace_at=iterations, progress=False)
    return [next(point.exploitability for point in run.trace if point.iteration == t) for t in iterations]


@pytest.mark.parametrize("form", ["leduc_poker", "leduc_poker(merge_suits=False)"])
def test_cfr_on_leduc(form):
    """Check 7: alternating CFR, values confirmed by an independent library [1e-5; 3 % at 1,000]."""
    values = at(cp.load(form), "cfr", 1, 100, 101, 201, 1000)
    assert values[:4] == pytest.approx([2.373611, 0.095716, 0.093949, 0.053338], abs=1e-5)
    assert values[4] == pytest.approx(0.01182, rel=0.03)


def profiles(game, algorithm, iterations=200):
    solver = cp.solver(game, algorithm)
    for _ in range(iterations):
        solver.step()
        yield solver.average_profile()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("dcfr(alpha=1, beta=1, gamma=1)", "lcfr"),
        ("dcfr(alpha=1, beta=-inf, gamma=1)", "lcfr+"),
        ("dcfr(alpha=inf, beta=-inf, gamma=2)", "cfr+(average=quadratic)"),
        ("dcfr(alpha=inf, beta=-inf, gamma=1)", "cfr+"),
        ("dcfr(alpha=inf, beta=inf, gamma=0)", "cfr"),
    ],
)
def test_instances_of_dcfr(leduc, one, other):
    """Check 8: DCFR contains the other variants [relative 1e-9 over 200 iterations]."""
    for a, b in zip(profiles(leduc, one), profiles(leduc, other), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def test_lcfr_is_weighting_by_t(leduc):
    """Check 8: fading sums by t/(t+1) plays exactly as adding regrets with weight t [relative 1e-9]."""

    tree = enumerate_game(leduc)
    solver = cp.solver(leduc, "lcfr(updates=simultaneous)")
    weighted = np.zeros(tree.table.size)
    form = tree.form
    from counterpoise.tree.tree_kernels import counterfactual_values, gradient, realisation_weights

    for t in range(1, 101):
        strategy = solver.current_profile()
        reach, values, v = np.empty_like(strategy), np.empty_like(strategy), np.empty(tree.infosets)
        for player in range(2):
            realisation_weights(form, player, strategy, reach)
        for player in range(2):
            gradient(form, player, reach, values)
            counterfactual_values(form, player, strategy, values, v)
        for i in range(tree.infosets):
            block = slice(int(form.start[i]), int(form.stop[i]))
            weighted[block] += t * (values[block] - v[i])
        solver.step()
        np.testing.assert_allclose(solver.regrets * (t + 1), weighted, rtol=1e-9, atol=1e-9)


def test_regrets_obey_lemma_1(leduc):
    """Check 5: the sum of squared positive regrets stays below Delta^2 |A| sum of squared external reach."""
    tree = enumerate_game(leduc)
    solver = cp.solver(leduc, "cfr(updates=simultaneous)")
    sizes = (tree.form.stop - tree.form.start).astype(float)
    reach_squared = np.zeros(tree.infosets)
    worst = 0.0
    for _ in range(300):
        reach_squared += tree.infoset_reach(solver.current_profile()) ** 2
        solver.step()
        squares = np.maximum(solver.regrets, 0.0) ** 2
        potential = np.array([squares[a:b].sum() for a, b in zip(tree.form.start, tree.form.stop, strict=True)])
        bound = tree.payoff_range**2 * sizes * reach_squared
        assert (potential <= bound + 1e-12).all()
        worst = max(worst, float((potential[bound > 0] / bound[bound > 0]).max()))
    assert worst < 0.5


def test_average_regret_bounds_nash_conv(leduc):
    """Check 6: with simultaneous updates T * NashConv never exceeds the sum of positive infoset regrets."""
    tree = enumerate_game(leduc)
    solver = cp.solver(leduc, "cfr(updates=simultaneous)")
    for t in range(1, 201):
        solver.step()
        positive = np.maximum(solver.regrets, 0.0)
        regret = sum(positive[a:b].max() for a, b in zip(tree.form.start, tree.form.stop, strict=True))
        assert t * evaluate(tree, solver.average_profile()).nash_conv <= regret + 1e-9
    assert t * evaluate(tree, solver.average_profile()).nash_conv == pytest.approx(39.2, rel=0.02)
    assert regret == pytest.approx(94.5, rel=0.02)


@pytest.mark.parametrize(("beta", "floor"), [(0.0, lambda t: 2.0), (0.5, np.sqrt)])
def test_floors_of_discounted_regret(leduc, beta, floor):
    """Check 13: R >= -2 Delta for beta 0 and R >= -Delta sqrt(T) for beta 1/2 at all times (BROWN, Lemma 6)."""
    tree = enumerate_game(leduc)
    solver = cp.solver(leduc, f"dcfr(beta={beta})")
    span = np.ones(tree.table.size)
    for i in range(tree.infosets):
        span[tree.form.start[i] : tree.form.stop[i]] = tree.payoff_range[i]
    for t in range(1, 501):
        solver.step()
        assert (solver.regrets >= -span * floor(t) - 1e-9).all()


def test_theorem_bound(leduc):
    """Check 13: Theorem 4's bound on Leduc is 2,506 at T = 1,000, as loose as expected."""
    tree = enumerate_game(leduc)
    largest = max(len(actions) for actions in tree.table.actions)
    delta = float(np.ptp(tree.histories.payoffs))
    bound = 6 * delta * (tree.infosets / 2) * (np.sqrt(largest) + 1 / np.sqrt(1000)) / np.sqrt(1000)
    assert cp.solve(leduc, "dcfr", iterations=1000, progress=False).nash_conv < bound


def test_alternating_beats_simultaneous(leduc):
    """Check 12: at 1,000 iterations by at least 2 (CFR) and 10 (CFR+)."""
    for name, factor, reference in (("cfr", 2, 0.0398), ("cfr+", 10, 0.00688)):
        (alternating,) = at(leduc, name, 1000)
        (simultaneous,) = at(leduc, f"{name}(updates=simultaneous)", 1000)
        assert simultaneous >= factor * alternating
        assert simultaneous == pytest.approx(reference, rel=0.05)


def test_discount_product():
    """Positive regrets of an early mistake are cut to about 11 % by DCFR, to nothing by LCFR."""
    t = np.arange(1.0, 1e6)
    assert np.prod(cp.make_algorithm("dcfr").discounts(t)[0]) == pytest.approx(0.1087, abs=5e-4)
    assert np.prod(cp.make_algorithm("lcfr").discounts(t)[0]) == pytest.approx(1e-6, rel=1e-3)


def test_predictive_variants_on_a_matrix_game():
    """Independent numpy rendering of PRM+ with alternation on a 3x3 game: same iterates to 1e-12."""
    payoff = np.array([[0.0, -1, 2], [1, 0, -2], [-2, 2, 0]])
    game = cp.load("rps_plus")
    for name, alpha in (("pcfr+", None), ("pdcfr+", 2.3)):
        solver = cp.solver(game, name)
        regret, last = np.zeros((2, 3)), np.zeros((2, 3))
        strategy = np.full((2, 3), 1 / 3)
        for t in range(1, 60):
            for player, matrix in enumerate((payoff, -payoff.T)):
                utility = matrix @ strategy[1 - player]
                last[player] = utility - strategy[player] @ utility
                faded = 1.0 if alpha is None else t**alpha / (t**alpha + 1)
                regret[player] = np.maximum(regret[player] + last[player], 0) * faded
                guess = np.maximum(regret[player] + last[player], 0)
                strategy[player] = guess / guess.sum() if guess.sum() > 0 else 1 / 3
            solver.step()
            ours = np.array([list(d.values()) for d in solver.current.values()])
            np.testing.assert_allclose(ours, strategy, atol=1e-12)


def test_delayed_averaging(leduc):
    """With a delay the first iterations carry no weight: average after delay + 1 iterations is that iterate."""
    solver, plain = cp.solver("kuhn_poker", "cfr+(delay=5)"), cp.solver("kuhn_poker", "cfr+")
    solver.step(5)
    plain.step(5)
    last = plain.current_profile()
    solver.step(1)
    reached = solver.cumulative > 0
    np.testing.assert_allclose(solver.average_profile()[reached], last[reached], atol=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "dcfr(gamma=-1)", "dcfr(alpha=x)", "cfr+(delay=-1)", "cfr+(average=cubic)", "cfr(updates=both)",
        "lcfr(output=last)", "pdcfr+(gamma=1000)",
    ],
)  # fmt: skip
def test_bad_settings(text):
    with pytest.raises(cp.InputError, match="must be"):
        cp.make_algorithm(text)


def test_solver_is_an_iterator():
    points = list(itertools.islice(cp.solver("kuhn_poker", "cfr+"), 5))
    assert [point.iteration for point in points] == [1, 2, 3, 4, 5]
    assert points[-1].nodes_touched == 5 * 2 * 55
    assert points[-1].exploitability < points[0].exploitability

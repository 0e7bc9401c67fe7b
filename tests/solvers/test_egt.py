"""The excessive gap technique: invariant, bound, rate, reference values; responses by the definition."""

import math

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.reproduce.brown.thresholding import EGT
from counterpoise.reproduce.harness.published import published
from counterpoise.solvers.kernels.egt import dilate, respond
from counterpoise.tree import enumerate_game, evaluate
from counterpoise.tree.kernels.sequence_form import gradient, realisation_weights

from .helpers import EGT_TOLERANCE, at

STEPS = ["scheduled", "aggressive"]


def check_invariant(solver, steps, every=1):
    """The excessive gap holds at each step, and bounds NashConv."""
    assert solver.excessive_gap() <= 1e-10
    for step in range(steps):
        solver.step()
        assert solver.excessive_gap() <= 1e-10
        if step % every == 0:
            nash_conv = evaluate(solver.tree, solver.average_profile()).nash_conv
            assert nash_conv <= solver.bound() + solver.excessive_gap() + 1e-10


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker"])
def test_excessive_gap_is_kept(game, steps):
    """Excessive gap <= 1e-10 at each step; NashConv <= mu1 max d1 + mu2 max d2."""
    check_invariant(cp.solver(game, f"egt(steps={steps})"), 1000)


@pytest.mark.parametrize("steps", STEPS)
def test_rate(steps):
    """Log-log slope between 100 and 3,162 steps <= -0.95; Leduc <= 0.004 at 1,000."""
    early, middle, late = at("leduc_poker", f"egt(steps={steps})", 100, 1000, 3162)
    assert math.log(late / early) / math.log(3162 / 100) <= -0.95
    assert middle <= 0.004


def test_reference_values_on_leduc():
    """Rank form, after 10 / 100 / 1,000 / 3,162 steps [5 %, 1 % at 10]."""
    values = at("leduc_poker", "egt", *published("first_order")["reference"][EGT])
    assert values[0] == pytest.approx(published("first_order")["reference"][EGT][10], rel=0.01)
    assert values == pytest.approx(list(published("first_order")["reference"][EGT].values()), rel=EGT_TOLERANCE)


def test_reference_values_of_aggressive_steps_on_leduc():
    """10 / 100 / 1,000 / 3,162 steps [1 % at 10, then 35 %].

    Whether a step is halved hangs on the last bits: payoffs that differ in them move 100 steps by 30 %.
    """
    values = at("leduc_poker", "egt(steps=aggressive)", 10, 100, 1000, 3162)
    assert values[0] == pytest.approx(0.274, rel=0.01)
    assert values[1:] == pytest.approx([0.033, 0.00253, 0.00060], rel=0.35)


def test_reference_value_on_kuhn():
    """1.7e-4 at 1,000 steps [a factor of 2: the curve oscillates]."""
    (value,) = at("kuhn_poker", "egt", 1000)
    assert 1.7e-4 / 2 < value < 1.7e-4 * 2


def test_counts_three_traversals_per_step():
    """5.81 million nodes in 1,000 steps on Leduc; aggressive steps add two traversals per check."""
    assert cp.solve("leduc_poker", "egt", iterations=1000, progress=False).nodes_touched == 5_808_000
    nodes = cp.solve("leduc_poker", "egt(steps=aggressive)", iterations=1000, progress=False).nodes_touched
    assert nodes % (5 * 1936) == 0
    assert nodes > 1000 * 5 * 1936


@pytest.mark.parametrize(
    "game",
    [
        "matrix",
        "matching_pennies",
        "matrix(row_payoffs=[[1, 0], [0, 2]])",
        "matrix(row_payoffs=[[100, -3000], [-70, 10000]])",
        "matrix(row_payoffs=[[0.1, 0.1], [0.1, 0.1]])",
        "goofspiel(cards=3)",
        "liars_dice(dice=1, faces=3)",
    ],
)
def test_aggressive_steps_are_safe_everywhere(game):
    """The bounds also hold on games of other shapes: forced moves, no chance, large and constant payoffs."""
    check_invariant(cp.solver(game, "egt(steps=aggressive)"), 300, every=10)


def test_constant_sum_is_zero_sum():
    """Payoffs that always add up to 5 lead to the plans of the zero-sum game, and to a safe excessive gap."""
    rows = [[3, 1], [2, 5]]
    shifted = f"matrix(row_payoffs={rows}, column_payoffs={[[5 - v for v in row] for row in rows]})"
    constant, zero = cp.solver(shifted, "egt"), cp.solver(f"matrix(row_payoffs={rows})", "egt")
    assert constant.smoothing() == zero.smoothing()
    constant.step(20)
    zero.step(20)
    np.testing.assert_allclose(constant.average_profile(), zero.average_profile(), atol=1e-9)
    assert constant.excessive_gap() == pytest.approx(zero.excessive_gap(), abs=1e-9)
    check_invariant(cp.solver(shifted, "egt(steps=aggressive)"), 300)
    run = cp.solve(shifted, "egt", iterations=1000, progress=False)
    assert run.value == pytest.approx((2.6, 2.4), abs=run.nash_conv)
    assert run.exploitability < 0.01


def test_smoothing_shrinks_in_balance():
    """The product of the two mu falls by k/(k+2) in step k, and neither runs ahead of the other."""
    solver = cp.solver("leduc_poker", "egt")
    start, _ = solver.smoothing()
    solver.step(500)
    one, two = solver.smoothing()
    assert one * two == pytest.approx(start**2 * 2 / (501 * 502), rel=1e-9)
    assert one / two == pytest.approx(1.0, abs=0.01)


def distance(tree, player, strategy, weights):
    """The dilated entropy, by its definition."""
    reach = np.empty_like(strategy)
    realisation_weights(tree.form, player, strategy, reach)
    total = 0.0
    for i in range(int(tree.form.first_infoset[player]), int(tree.form.first_infoset[player + 1])):
        local = strategy[tree.form.start[i] : tree.form.stop[i]]
        entropy = -sum(p * math.log(p) for p in local if p > 0)
        total += weights[i] * reach[tree.form.parent[i]] * (math.log(len(local)) - entropy)
    return total


def random_profile(tree, rng, concentration):
    profile = np.ones(tree.table.size)
    for start, actions in zip(tree.table.start.tolist(), tree.table.actions, strict=True):
        profile[start : start + len(actions)] = rng.dirichlet(np.full(len(actions), concentration))
    return profile


@pytest.mark.parametrize("smoothing", [0.003, 0.1, 10.0])
def test_smoothed_response_is_the_maximum(smoothing):
    """Its value is <g,x> - mu d(x) at the response, and no other strategy has more."""
    tree = enumerate_game(cp.load("leduc_poker"))
    form, rng = tree.form, np.random.default_rng(1)
    size = tree.table.size
    weights, furthest = np.zeros(tree.infosets), np.zeros(2)
    dilate(form, np.zeros(size), np.zeros(size), weights, furthest)
    uniform = cp.Strategy.uniform(tree).probabilities
    faced, values, strategy, plan, gradients = (np.zeros(size) for _ in range(5))

    def objective(player, profile):
        reach = np.zeros(size)
        realisation_weights(form, player, profile, reach)
        own = slice(int(form.first_sequence[player]), int(form.first_sequence[player + 1]))
        return reach[own] @ gradients[own] - smoothing * distance(tree, player, profile, weights)

    for player in range(2):
        realisation_weights(form, 1 - player, random_profile(tree, rng, 0.3), faced)
        gradient(form, player, faced, gradients)
        values[:] = gradients
        value = respond(form, player, smoothing, weights, uniform, values, strategy, plan)
        assert value == pytest.approx(objective(player, strategy), abs=1e-10)
        for _ in range(50):
            other = random_profile(tree, rng, 0.5)
            nudged = np.where(strategy > 0, 0.98 * strategy + 0.02 * other, 0.0)
            assert objective(player, other) <= value + 1e-12
            assert objective(player, nudged) <= value + 1e-12


def test_weights_and_largest_distance():
    """Kuhn: a last infoset has beta 2, one with an infoset below has 2 (1 + 2); max d at a pure strategy."""
    tree = enumerate_game(cp.load("kuhn_poker"))
    size = tree.table.size
    weights, furthest = np.zeros(tree.infosets), np.zeros(2)
    dilate(tree.form, np.zeros(size), np.zeros(size), weights, furthest)
    assert sorted(weights[:6]) == [2, 2, 2, 6, 6, 6]
    assert sorted(weights[6:]) == [2] * 6
    # Player 1: per card 6 ln 2, plus 2 ln 2 after passing. Player 2: two infosets of 2 ln 2 per card.
    assert furthest == pytest.approx([3 * 8 * math.log(2), 6 * 2 * math.log(2)])
    rng = np.random.default_rng(0)
    for player in range(2):
        for concentration in (0.05, 1.0):
            for _ in range(50):
                profile = random_profile(tree, rng, concentration)
                assert distance(tree, player, profile, weights) <= furthest[player] + 1e-12


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        ("kuhn_poker(players=3)", "3 players"),
        ("matrix(row_payoffs=[[1, 2]], column_payoffs=[[1, 1]])", "are not"),
        ("three_action_bandit", "1 players"),
    ],
)
def test_refuses_other_games(game, reason):
    with pytest.raises(cp.InputError, match=f"egt needs a two-player zero-sum game.*{reason}"):
        cp.solver(game, "egt")


def test_long_aggressive_run_at_an_equilibrium():
    """In matching pennies the start is the equilibrium; the smoothing shrinks for ever and stays positive."""
    solver = cp.solver("matching_pennies", "egt(steps=aggressive)")
    solver.step(5000)
    assert min(solver.smoothing()) > 0
    np.testing.assert_allclose(solver.average_profile()[[1, 2, 4, 5]], 0.5)

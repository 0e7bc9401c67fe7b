"""Fictitious play and FLOP: reference values, the recursive form, orderings, instances of one driver."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.tree import evaluate
from counterpoise.tree.kernels.sequence_form import best_response, gradient, realisation_weights

from .helpers import at

FAMILY = ["fp", "lfp", "ofp", "flop"]
ONE_DIE_FOUR, ONE_DIE_FIVE = "liars_dice(dice=1, faces=4)", "liars_dice(dice=1, faces=5)"
ONE_DIE_SIX, TWO_DICE_THREE = "liars_dice(dice=1, faces=6)", "liars_dice(dice=2, faces=3)"


@pytest.mark.parametrize(
    ("updates", "reference"),
    [("simultaneous", [1.17, 0.250, 0.0635, 0.0282]), ("alternating", [0.847, 0.114, 0.0203, 0.0084])],
)
def test_fp_on_leduc(updates, reference):
    """FP with start=1 after 10 / 100 / 1,000 / 4,000 iterations [10 %].

    The reference counts the uniform start as one of the strategies in the average; start=1 does the same and
    reproduces it. The default leaves the start out; ties of the early responses are then broken by rounding,
    which moves it by up to 22 %, so it is only held near the reference [35 %].
    """
    points = (10, 100, 1000, 4000)
    counted = at("leduc_poker", f"fp(updates={updates}, start=1)", *points)
    assert counted == pytest.approx(reference, rel=0.1)
    assert counted[:2] == pytest.approx(reference[:2], rel=0.005)  # to the digits given, before ties matter
    vanishing = at("leduc_poker", f"fp(updates={updates})", *points)
    assert vanishing == pytest.approx(reference, rel=0.35)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "linear_fp", "lcfr"),
    [
        (ONE_DIE_FOUR, 0.012, (0.0003, 0.0008)),
        (ONE_DIE_FIVE, 0.020, (0.0010, 0.0017)),
        pytest.param(ONE_DIE_SIX, 0.037, (0.0015, 0.0024), marks=pytest.mark.slow),
        pytest.param(TWO_DICE_THREE, 0.056, (0.0014, 0.0022), marks=pytest.mark.slow),
    ],
)
def test_published_table_with_half_iterations(game, linear_fp, lcfr):
    """1,024 half-iterations are 512 of ours; linear FP [25 %, ties], LCFR in its interval."""
    assert at(game, "lfp", 512) == pytest.approx([linear_fp], rel=0.25)
    (value,) = at(game, "lcfr", 512)
    assert lcfr[0] <= value <= lcfr[1]


@pytest.mark.parametrize("game", [ONE_DIE_FOUR, ONE_DIE_FIVE])
def test_orderings(game):
    """At 256 FLOP beats linear FP by 1.5, LCFR FLOP by 2, and alternating simultaneous."""
    alternating = {name: at(game, name, 256)[0] for name in [*FAMILY, "lcfr"]}
    simultaneous = {name: at(game, f"{name}(updates=simultaneous)", 256)[0] for name in FAMILY}
    for values in (alternating, simultaneous):
        assert values["lfp"] >= 1.5 * values["flop"]
    assert alternating["flop"] >= 2 * alternating["lcfr"]
    for name in FAMILY:
        assert alternating[name] < simultaneous[name]


def plans(tree, profile):
    reach = np.empty_like(profile)
    for player in range(tree.players):
        realisation_weights(tree.form, player, profile, reach)
    return reach


@pytest.mark.parametrize("updates", ["simultaneous", "alternating"])
def test_flop_recursive_form(updates):
    """The sums equal the recursive averages [1e-12]; responses are near-best: gap < 2M/(t+2)."""
    solver = cp.solver(ONE_DIE_FOUR, f"flop(updates={updates})")
    tree, form = solver.tree, solver.tree.form
    average = last = plans(tree, solver.current_profile())
    spread = float(np.ptp(tree.histories.payoffs))
    second = slice(int(form.first_sequence[1]), int(form.first_sequence[2]))
    for t in range(1, 201):
        faced = solver.arrays()["faced"].copy()
        mixture = t / (t + 2) * average + 2 / (t + 2) * last
        np.testing.assert_allclose(faced / faced[0], mixture, atol=1e-12)
        solver.step()
        before, last = average, plans(tree, solver.current_profile())
        average = (t - 1) / (t + 1) * average + 2 / (t + 1) * last
        sums = solver.arrays()["cumulative"]
        np.testing.assert_allclose(sums / sums[0], average, atol=1e-12)
        if updates == "alternating":
            continue
        values, response = np.empty_like(average), np.empty_like(average)
        gradient(form, 1, before, values)
        reached = last[second] @ values[second]
        assert best_response(form, 1, values, response) - reached < 2 * spread / (t + 2)


def test_alternating_second_player_sees_the_first():
    """With alternating updates the second response of iteration 1 is a best response to the first one."""
    solver = cp.solver("leduc_poker", "fp")
    solver.step()
    values = evaluate(solver.tree, solver.current_profile())
    assert values.best[1] == pytest.approx(values.expected[1])
    assert values.best[0] > values.expected[0]


def test_average_is_the_mean_of_the_plans():
    """FP's average is the plain mean of all responses as plans, not of local strategies."""
    solver = cp.solver("leduc_poker", "fp(updates=simultaneous)")
    total = 0.0
    for t in range(1, 51):
        solver.step()
        total = total + plans(solver.tree, solver.current_profile())
        np.testing.assert_allclose(plans(solver.tree, solver.average_profile()), total / t, atol=1e-12)


@pytest.mark.parametrize(
    ("settings", "name"),
    [("weighting=linear", "lfp"), ("optimistic=True", "ofp"), ("weighting=linear, optimistic=True", "flop")],
)
@pytest.mark.parametrize("updates", ["simultaneous", "alternating"])
def test_named_variants_are_settings_of_fp(settings, name, updates):
    one = cp.solve("leduc_poker", f"fp({settings}, updates={updates})", iterations=100, progress=False)
    other = cp.solve("leduc_poker", f"{name}(updates={updates})", iterations=100, progress=False)
    assert one.strategy == other.strategy


def test_counts_traversals():
    for updates, traversals in (("alternating", 2), ("simultaneous", 1)):
        solver = cp.solver("leduc_poker", f"flop(updates={updates})")
        solver.step(10)
        assert solver.nodes_touched == 10 * traversals * 1936


@pytest.mark.parametrize("name", FAMILY)
def test_three_players(name):
    """Nothing is promised for three players; in Kuhn poker it works, and a profile comes out."""
    solver = cp.solver("kuhn_poker(players=3)", name)
    solver.step(3000)
    assert solver.nodes_touched == 3000 * 3 * solver.tree.nodes
    assert evaluate(solver.tree, solver.average_profile()).exploitability < 0.05


@pytest.mark.parametrize("wrong", ["start=-1", "start=inf", "optimistic=1", "weighting=cubic"])
def test_wrong_settings(wrong):
    with pytest.raises(cp.InputError, match=f"fp: {wrong.partition('=')[0]} must be"):
        cp.solver("kuhn_poker", f"fp({wrong})")

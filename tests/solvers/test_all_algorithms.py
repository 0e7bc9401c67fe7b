"""What every registered algorithm must do: resume bit for bit, repeat itself, converge, describe itself."""

import dataclasses
import typing

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.solvers import ALGORITHMS
from counterpoise.tree import Strategy, evaluate

NAMES = list(ALGORITHMS)
VALUES = {"kuhn_poker": -1 / 18, "leduc_poker": -0.0856064240780}
SAMPLED_ITERATIONS = {
    "cs-mccfr": 10_000, "es-mccfr": 10_000, "linear-es-mccfr": 10_000, "ops": 3_000, "os-mccfr": 300_000
}  # fmt: skip
"""What algorithms that look at a small random part of the game need, where the others have 1000."""


def variants(name):
    """The default settings, and every one that differs in a single word or switch."""
    settings = ALGORITHMS.build(name)
    hints = typing.get_type_hints(type(settings))
    choices = [settings]
    for field in dataclasses.fields(settings):
        kind, chosen = hints[field.name], getattr(settings, field.name)
        words = typing.get_args(kind) if typing.get_origin(kind) is typing.Literal else ()
        words = (False, True) if kind is bool else words
        if field.name == "sampled":
            continue  # refused: drawn boards are for public games
        if field.name == "fallback" and getattr(settings, "predictive", False):
            continue  # refused: a predictive variant does not know where it falls back
        choices += [dataclasses.replace(settings, **{field.name: word}) for word in words if word != chosen]
    return choices


VARIANTS = [variant.name for name in NAMES for variant in variants(name)]


def assert_same_state(one, other):
    assert one.keys() == other.keys()
    for key in one:
        np.testing.assert_array_equal(one[key], other[key], err_msg=key)


@pytest.mark.parametrize("game", VALUES)
@pytest.mark.parametrize("algorithm", VARIANTS)
def test_resumes_bit_for_bit(game, algorithm):
    """20 iterations are 7, a copy of the state into a fresh solver, and 13 more."""
    straight = cp.solver(game, algorithm)
    straight.step(20)
    first, second = cp.solver(game, algorithm), cp.solver(game, algorithm)
    first.step(7)
    state = first.state()
    first.step(1)
    second.restore(state)
    second.step(13)
    assert_same_state(second.state(), straight.state())
    np.testing.assert_array_equal(second.average_profile(), straight.average_profile())
    np.testing.assert_array_equal(second.current_profile(), straight.current_profile())


@pytest.mark.parametrize("algorithm", NAMES)
def test_resumes_from_a_file(tmp_path, algorithm):
    """A saved run goes on as though it had never stopped."""
    straight = cp.solve("leduc_poker", algorithm, iterations=20, seed=4, progress=False)
    cp.solve("leduc_poker", algorithm, iterations=7, seed=4, progress=False).save(tmp_path / "half.cpz")
    resumed = cp.solve("leduc_poker", algorithm, iterations=20, resume=tmp_path / "half.cpz", progress=False)
    assert resumed.strategy == straight.strategy
    assert resumed.nodes_touched == straight.nodes_touched
    assert resumed.seed == 4
    assert resumed.trace[-1][:3] == straight.trace[-1][:3]
    assert_same_state(resumed.state, straight.state)


@pytest.mark.parametrize("algorithm", VARIANTS)
def test_repeats_itself_in_any_batches(algorithm):
    """Same seed, same result; 20 steps at once are 20 single steps."""
    at_once, singly = (cp.solver("leduc_poker", algorithm, seed=9) for _ in range(2))
    at_once.step(20)
    for _ in range(20):
        singly.step()
    assert at_once.iteration == singly.iteration == 20
    assert_same_state(at_once.state(), singly.state())
    again = cp.solver("leduc_poker", algorithm, seed=9)
    again.step(20)
    assert_same_state(again.state(), at_once.state())


@pytest.mark.parametrize("game", VALUES)
@pytest.mark.parametrize("algorithm", NAMES)
def test_converges_to_the_value(game, algorithm):
    """The profile's value is within its NashConv of the value of the game, and NashConv has come down."""
    run = cp.solve(game, algorithm, iterations=SAMPLED_ITERATIONS.get(algorithm, 1000), progress=False)
    assert run.value[0] == pytest.approx(VALUES[game], abs=run.nash_conv + 1e-9)
    assert sum(run.value) == pytest.approx(0, abs=1e-9)
    tree = cp.solver(game, algorithm).tree
    assert run.nash_conv < evaluate(tree, Strategy.uniform(tree).probabilities).nash_conv / 10


@pytest.mark.parametrize("algorithm", VARIANTS)
def test_strategies_are_probabilities(algorithm):
    """Before, at and after the first iteration every infoset's probabilities are in [0, 1] and sum to 1."""
    solver = cp.solver("leduc_poker", algorithm)
    for iterations in (0, 1, 30):
        if iterations:
            solver.step(iterations)
        for profile in (solver.average_profile(), solver.current_profile(), solver.profile()):
            assert (profile >= 0).all()
            blocks = zip(solver.tree.form.start, solver.tree.form.stop, strict=True)
            sums = [profile[low:high].sum() for low, high in blocks]
            np.testing.assert_allclose(sums, 1.0, rtol=1e-12)


@pytest.mark.parametrize("algorithm", NAMES)
def test_iteration_gives_trace_points(algorithm):
    """A solver is an iterator; nodes touched grow."""
    solver = cp.solver("kuhn_poker", algorithm)
    points = [point for _, point in zip(range(3), solver, strict=False)]
    assert [point.iteration for point in points] == [1, 2, 3]
    assert 0 < points[0].nodes_touched < points[2].nodes_touched


@pytest.mark.parametrize("name", NAMES)
def test_describes_itself(name):
    """One line for the list of algorithms, and the section that defines it."""
    settings = ALGORITHMS[name]
    first_line = (settings.__doc__ or "").strip().splitlines()[0]
    assert first_line.endswith(".")
    assert not first_line.startswith(f"{settings.__name__}(")
    assert settings.source
    assert settings.registered_name == name


@pytest.mark.parametrize("algorithm", VARIANTS)
def test_name_builds_the_settings_again(algorithm):
    settings = ALGORITHMS.build(algorithm)
    assert settings.name == algorithm
    assert ALGORITHMS.build(settings.name) == settings


@pytest.mark.parametrize("algorithm", NAMES)
def test_refuses_foreign_states(algorithm):
    """The state of another game, a run of another algorithm, and damaged numbers each get a sentence."""
    solver, leduc = cp.solver("kuhn_poker", algorithm), cp.solver("leduc_poker", algorithm)
    solver.step(2)
    kept = solver.state()
    leduc.step()
    with pytest.raises(cp.InputError, match="another game"):
        solver.restore(leduc.state())
    with pytest.raises(cp.InputError, match="not one of"):
        solver.restore({"counters": kept["counters"]})
    broken = solver.state()
    largest = max(solver.arrays(), key=lambda key: broken[key].size)
    if broken[largest].dtype.kind == "f":
        broken[largest].flat[0] = np.nan
        with pytest.raises(cp.InputError, match="not finite"):
            solver.restore(broken)
    assert_same_state(solver.state(), kept)


@pytest.mark.parametrize(("mine", "other"), list(zip(NAMES, NAMES[1:] + NAMES[:1], strict=True)))
def test_refuses_runs_of_other_algorithms_and_games(mine, other):
    run = cp.solve("kuhn_poker", other, iterations=2, progress=False)
    with pytest.raises(cp.InputError, match="the saved run is a run of"):
        cp.solve("kuhn_poker", mine, iterations=3, resume=run, progress=False)
    with pytest.raises(cp.InputError, match="is a run on kuhn_poker, not on leduc_poker"):
        cp.solve("leduc_poker", other, iterations=3, resume=run, progress=False)
    keys = set(cp.solver("kuhn_poker", mine).arrays())
    if keys != set(run.state) - {"counters"}:
        with pytest.raises(cp.InputError, match="not one of"):
            cp.solver("kuhn_poker", mine).restore(run.state)

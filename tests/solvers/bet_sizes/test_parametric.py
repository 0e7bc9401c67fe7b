"""CFR with regrets that are affine in the parameters, against plain CFR and against a replay in NumPy."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.solvers import make_algorithm
from counterpoise.solvers.bet_sizes import ParametricSolver, enumerate_family, make_family

from .replay import Matrices, replayed_regrets

BOX = ((1.0, 4.0), (2.0, 12.0))


@pytest.fixture(scope="module")
def leduc():
    return enumerate_family(make_family("leduc_poker", ["bets[0]", "bets[1]"]), BOX)


def parametric(game, theta, algorithm="cfr"):
    return ParametricSolver(make_algorithm(algorithm), game, theta)


@pytest.mark.parametrize(("algorithm", "iterations"), [("cfr", 200), ("cfr(updates=simultaneous)", 200), ("lcfr", 40)])
def test_at_its_point_it_is_plain_cfr(leduc, algorithm, iterations):
    """Rounding apart, which LCFR magnifies tenfold every ten iterations."""
    bets = (2.1, 4.1)
    ours, plain = parametric(leduc, bets, algorithm), cp.solver(cp.load("leduc_poker", bets=bets), algorithm)
    ours.step(iterations)
    plain.step(iterations)
    np.testing.assert_allclose(ours.average_profile(), plain.average_profile(), atol=1e-9)
    np.testing.assert_allclose(ours.regrets, plain.regrets, atol=1e-9)
    assert ours.exploitability() == pytest.approx(plain.exploitability(), abs=1e-9)


@pytest.mark.parametrize(("algorithm", "iterations"), [("cfr", 1_000), ("lcfr", 200)])
def test_regrets_elsewhere_are_those_of_a_replay(leduc, algorithm, iterations):
    """Strategies recorded at one point, replayed by NumPy in the game at another."""
    here, there = (2.0, 4.0), (1.3, 9.4)
    solver, profiles = parametric(leduc, here, algorithm), []
    profiles.append(solver.current_profile())
    for _ in range(iterations):
        solver.step()
        profiles.append(solver.current_profile())
    weights = np.ones(iterations) if algorithm == "cfr" else np.arange(1, iterations + 1) / (iterations + 1)
    for theta in (here, there):
        matrices = Matrices(cp.load("leduc_poker", bets=theta), solver.tree.table)
        replayed = replayed_regrets(matrices, np.array(profiles), weights)
        np.testing.assert_allclose(solver.regrets_at(theta), replayed, rtol=1e-9, atol=1e-9 * np.abs(replayed).max())
    solver.move(there)
    np.testing.assert_allclose(solver.regrets, replayed, rtol=1e-9, atol=1e-9 * np.abs(replayed).max())
    np.testing.assert_allclose(solver.current_profile(), matrices.match(replayed[None])[0], atol=1e-6)


def test_state_continues_bit_for_bit(leduc):
    solver, other = parametric(leduc, (2, 4)), parametric(leduc, (3, 5))
    solver.step(20)
    solver.transfer((2.1, 4.1), 0.3)
    state = solver.state()
    other.restore(state)
    for one in (solver, other):
        one.step(5)
        one.move((2.2, 4.5))
        one.step(5)
    np.testing.assert_array_equal(solver.average_profile(), other.average_profile())
    assert solver.worth == other.worth == pytest.approx(0.3 * 20 + 10)
    assert other.exploitability() == solver.exploitability()


def test_settled_solver_continues_like_the_parametric_one(leduc):
    solver = parametric(leduc, (2, 4))
    solver.step(50)
    solver.transfer((2.1, 4.1), "total potential")
    settled = solver.settle()
    settled.step(50)
    solver.step(50)
    np.testing.assert_allclose(settled.average_profile(), solver.average_profile(), atol=1e-9)
    assert settled.tree.name == "leduc_poker(bets=[2.1, 4.1])"


@pytest.mark.parametrize(
    ("algorithm", "sentence"),
    [
        ("cfr+", r"cannot be kept by cfr\+: a floor is not linear; use cfr or lcfr"),
        ("dcfr", "cannot be kept by dcfr: a discount that depends on the sign is not linear"),
        ("pcfr+", r"are kept by cfr and lcfr, not by pcfr\+"),
        ("es-mccfr", "are kept by cfr and lcfr, not by es-mccfr"),
        ("cfr/rbp", "are kept by cfr and lcfr, not by cfr/rbp"),
        ("cfr(fallback=argmax)", "need fallback uniform"),
    ],
)
def test_what_is_not_linear_is_refused(leduc, algorithm, sentence):
    with pytest.raises(cp.InputError, match=sentence):
        parametric(leduc, (2, 4), algorithm)

"""Where theory promises convergence, and where the settings leave it."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.solvers import ALGORITHMS


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("cfr", True), ("cfr(average=linear)", False), ("cfr(output=current)", False),
        ("cfr+", True), ("cfr+(average=quadratic)", True), ("cfr+(output=current)", False),
        ("lcfr", True), ("dcfr", True), ("dcfr(beta=0.5)", True), ("dcfr(alpha=inf, beta=-inf, gamma=7)", True),
        ("dcfr(alpha=inf, beta=inf, gamma=1)", False), ("dcfr(alpha=-inf)", False),
        ("hedge", True), ("hedge(output=current)", False), ("egt", False), ("egt(steps=aggressive)", True),
        ("fp", True), ("flop", True),
    ],
)  # fmt: skip
def test_guarantees(text, covered):
    assert bool(cp.make_algorithm(text).guarantee) == covered


def test_every_algorithm_says_it():
    assert all(isinstance(ALGORITHMS.build(name).guarantee, str) for name in ALGORITHMS)


def test_fallback_where_no_regret_is_positive():
    """Uniform by default; on request the action with the largest regret.

    See Brown 2020, section 2.3.1 leaves the choice free.
    """
    game = "matrix(row_payoffs=[[1, 0], [0, 2]])"
    for fallback, expected in (("uniform", 0.5), ("argmax", 1.0)):
        solver = cp.solver(game, f"cfr(fallback={fallback}, updates=simultaneous)")
        solver.regrets[:] = np.array([0.0, -5.0, -9.0, 0.0, -5.0, -9.0])
        solver.step()
        low = int(solver.tree.form.start[0])
        assert solver.regrets[low : low + 2].max() <= 0
        assert solver.current_profile()[low : low + 2].max() == expected


def test_bad_fallback():
    with pytest.raises(cp.InputError, match="fallback must be 'uniform' or 'argmax'"):
        cp.make_algorithm("cfr(fallback=first)")

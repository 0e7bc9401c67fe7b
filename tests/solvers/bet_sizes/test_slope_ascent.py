"""The ascent on envelope slopes: slopes and optima against exact linear programmes."""

from __future__ import annotations

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.solvers.bet_sizes import SlopeAscent, TreeClimber, climb, enumerate_family, make_family

BOX = ((3.0, 13.0),)
SETTINGS = SlopeAscent(iterations=100, memory=15, share=1.0, growth=1.2, precision=0.01)


@pytest.fixture(scope="module")
def leduc():
    return enumerate_family(make_family("leduc_poker", ["bets[1]"]), BOX)


def value(family, size):
    return cp.exact(family.at([size])).value[1]


def test_slope_is_that_of_the_equilibrium_value(leduc):
    climber = TreeClimber(leduc, 1, cp.make_algorithm("cfr"))
    climber.move(np.array([6.0]), 0)
    climber.step(20_000)
    by_lp = 6.0 * (value(leduc.family, 6.01) - value(leduc.family, 5.99)) / 0.02
    assert climber.slopes()[0] == pytest.approx(by_lp, rel=0.03)
    assert climber.value() == pytest.approx(value(leduc.family, 6.0), abs=0.002)


@pytest.mark.parametrize("start", [3.0, 13.0])
def test_leduc_from_both_ends_reaches_the_best_of_the_sweep(leduc, start):
    """Within 2 % of the value range of the source's 41 sizes, with fewer traversals than the sweep by CFR."""
    climber = TreeClimber(leduc, 1, cp.make_algorithm("cfr"))
    found = climb(climber, [start], BOX, SETTINGS)
    best, worst = 0.1607337, 0.0708790  # by linear programming at 9.75 and 3
    assert value(leduc.family, float(found[0])) >= best - 0.02 * (best - worst)
    assert climber.traversals < 41 * 2 * 1000


def test_past_counts_no_more_than_it_is_worth(leduc):
    climber = TreeClimber(leduc, 1, cp.make_algorithm("cfr"))
    climber.move(np.array([5.0]), 0)
    climber.step(50)
    climber.move(np.array([5.1]), 20)
    assert climber.worth == pytest.approx(20)
    climber.move(np.array([5.2]), 100)
    assert climber.worth == pytest.approx(20)


class Hill:
    """A value with one top, known exactly, over two parameters; the second has its top outside of the box."""

    worth = 1.0

    def __init__(self):
        self.at, self.moves = np.zeros(2), 0

    def move(self, theta, worth):
        self.at, self.moves = theta, self.moves + 1

    def step(self, iterations):
        pass

    def slopes(self):
        return -np.log(self.at / np.array([40.0, 900.0]))


def test_tops_inside_and_at_the_end_of_the_box():
    hill = Hill()
    found = climb(hill, [10, 10], [(10, 300), (10, 300)], SlopeAscent(precision=0.02))
    assert found[0] == pytest.approx(40, rel=0.05)
    assert found[1] == pytest.approx(300)
    assert hill.moves < 40


def test_told_to_stop():
    hill = Hill()
    climb(hill, [10, 10], [(10, 300), (10, 300)], SlopeAscent(), lambda move: False)
    assert hill.moves == 1


def test_settings_are_checked():
    with pytest.raises(cp.InputError, match="iterations must be a whole number"):
        SlopeAscent(iterations=0)
    with pytest.raises(cp.InputError, match="growth"):
        SlopeAscent(growth=0.5)

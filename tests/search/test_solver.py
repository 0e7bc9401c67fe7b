"""The solver of a subgame with its gadget: saved, restored, and run in pieces."""

import numpy as np
import pytest

from counterpoise.public import build_dense
from counterpoise.search import SearchSolver, make_gadget, subgame
from counterpoise.search.alternatives import value_at
from counterpoise.solvers import make_algorithm

from .blueprints import random_strategy

GAME, HISTORY = "leduc_poker", ("c", "r", "c", "Q")
METHODS = {
    "unsafe": {"method": "unsafe"},
    "resolve": {"method": "resolve"},
    "maxmargin": {"method": "maxmargin"},
    "step": {"method": "distributional", "spread": 0.3, "rule": "step"},
    "hedge": {"method": "distributional", "spread": 0.3, "rule": "hedge"},
}


def solver(method, algorithm):
    """A solver of a subgame of Leduc poker before its first iteration."""
    whole, blueprint = build_dense(GAME), random_strategy(GAME, 4)
    part = subgame(whole, HISTORY, blueprint, 1)
    alternative = value_at(whole.find(HISTORY), 0, whole.profile(blueprint))
    return SearchSolver(make_algorithm(algorithm), part, make_gadget(part, alternative=alternative, **METHODS[method]))


def assert_same(one, other):
    """Both solvers are in the same state and have found the same, bit for bit."""
    first, second = one.state(), other.state()
    assert first.keys() == second.keys()
    for key in first:
        np.testing.assert_array_equal(first[key], second[key], err_msg=key)
    assert one.exploitability() == other.exploitability()
    if one.gadget is not None:
        np.testing.assert_array_equal(one.entry, other.entry)


@pytest.mark.parametrize("algorithm", ["cfr+", "dcfr", "pcfr+"])
@pytest.mark.parametrize("method", METHODS)
def test_resumes_bit_for_bit(method, algorithm):
    """20 iterations are 7, a copy of the state into a fresh solver, and 13 more: the gadget is part of the state."""
    straight, first, second = (solver(method, algorithm) for _ in range(3))
    straight.step(20)
    first.step(7)
    state = first.state()
    first.step(1)
    second.restore(state)
    second.step(13)
    assert_same(second, straight)


@pytest.mark.parametrize("method", METHODS)
def test_repeats_itself_in_any_batches(method):
    at_once, singly = solver(method, "cfr+"), solver(method, "cfr+")
    at_once.step(20)
    for _ in range(20):
        singly.step()
    assert_same(at_once, singly)

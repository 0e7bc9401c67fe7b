"""Distributional alternatives in spots: what is minimised, the exploitability to go by, both limits of the spread."""

import numpy as np
import pytest
from scipy.stats import norm

import counterpoise as cp
from counterpoise.spots.engine import settings_of
from counterpoise.spots.search.request import SearchMethod, make_request
from counterpoise.spots.search.run import make_solver
from tests.spots.conftest import RIVER
from tests.spots.gluing import at_random, searched

NODE = "r:0:c:b50"


@pytest.fixture(scope="module")
def solution():
    return at_random(RIVER, 2)


def penalty(found, spread):
    """The mean over the opponent's hands, as they meet the searcher's, of E max(X, value)."""
    met, value, mean = (
        np.array([getattr(hand, name) for hand in found.hands]) for name in ("met", "value", "alternative")
    )
    above = (value - mean) / spread
    best = value * norm.cdf(above) + mean * norm.sf(above) + spread * norm.pdf(above)
    return float(met @ best / met.sum())


@pytest.mark.parametrize("spread", [1, 5, 20])
def test_it_minimises_the_soft_penalty(solution, spread):
    found = searched(solution, NODE, method="distributional", spread=spread, target=0.05)
    assert found.reached
    chips = spread / 100 * found.pot
    least = penalty(found, chips)
    for method in ("resolve", "maxmargin", "unsafe"):
        assert least <= penalty(searched(solution, NODE, method=method), chips) + 2 * 0.05 / 100 * found.pot
    hard = searched(solution, NODE)
    assert hard.mean_loss <= found.mean_loss + 0.1


def test_the_limits_of_the_spread(solution):
    """A tiny spread is the hard limit; with a huge one every hand enters half of the time."""
    tiny = searched(solution, NODE, method="distributional", spread=0.01, target=0.01)
    assert tiny.smallest_margin > -0.5
    huge = searched(solution, NODE, method="distributional", spread=1e7, iterations=200, target=None)
    assert [hand.entry for hand in huge.hands] == pytest.approx([0.5] * len(huge.hands), abs=0.01)


def test_the_exploitability_to_go_by(solution):
    """Twice the measured figure is the distance to the least penalty that any strategy of the searcher has."""
    request = make_request(solution, NODE, SearchMethod("distributional", 5.0))
    solver = make_solver(request, settings_of(None), bits=32)
    least = penalty(searched(solution, NODE, method="distributional", spread=5, target=0.001), 7.5)
    gaps = []
    for iterations in (5, 20, 200):
        solver.step(iterations)
        found = searched(solution, NODE, method="distributional", spread=5, iterations=solver.iteration, target=None)
        assert penalty(found, 7.5) - least <= 2 * solver.exploitability() + 1e-3
        gaps.append(solver.exploitability())
    assert gaps[0] > gaps[1] > gaps[2] > 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": "distributional"}, "needs a spread, in per cent of the pot"),
        ({"method": "distributional", "spread": 0}, "needs a spread above 0"),
        ({"method": "distributional", "spread": float("nan")}, "needs a spread above 0"),
        ({"method": "distributional", "spread": "2%"}, "needs a spread above 0"),
        ({"spread": 2}, "is for the method distributional, not for resolve"),
        ({"gifts": "some"}, "gifts must be none, lower or exact"),
        ({"gifts": "lower", "method": "unsafe"}, "unsafe has none"),
        ({"gifts": "lower", "gift_scale": -1}, "gift_scale must be a number of at least 0"),
        ({"gift_scale": 2}, "needs gifts"),
    ],
)
def test_wrong_input(solution, options, sentence):
    with pytest.raises(cp.InputError, match=sentence):
        searched(solution, NODE, **options)

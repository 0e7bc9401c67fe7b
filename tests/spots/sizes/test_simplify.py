"""Sizes that can be left out, against full solves of every smaller set."""

from __future__ import annotations

from itertools import combinations

import pytest

import counterpoise as cp
from counterpoise.spots.sizes.simplify import estimate_simplification
from counterpoise.spots.sizes.solves import worth_to
from counterpoise.spots.sizes.tables import with_bets
from tests.spots.conftest import WIDE_RIVER

MENU = ["25%", "50%", "100%", "200%"]
SPOT = cp.Spot(
    **WIDE_RIVER,
    river={"bet": MENU, "raise": []},
)
LIMIT = 0.3


@pytest.fixture(scope="module")
def values():
    """What ip wins with every non-empty part of the menu."""
    found = {}
    for count in range(1, len(MENU) + 1):
        for part in combinations(MENU, count):
            solution = cp.solve_spot(with_bets(SPOT, 1, {"river": list(part)}), target=0.02, progress=False, threads=1)
            found[part] = worth_to(solution, 1)[0]
    return found


@pytest.fixture(scope="module")
def simple():
    return cp.simplify_sizes(SPOT, LIMIT, seat="ip", target=0.02, threads=1, progress=False)


def test_the_smallest_set_within_the_limit(values, simple):
    within = [part for part, value in values.items() if values[tuple(MENU)] - value <= LIMIT]
    assert len(simple.found.sizes["river"]) == min(map(len, within))
    assert tuple(simple.found.sizes["river"]) in within
    assert simple.cost_pct == pytest.approx(values[tuple(MENU)] - values[tuple(simple.found.sizes["river"])], abs=0.05)
    assert len(simple.dropped) == len(MENU) - len(simple.found.sizes["river"])


def test_the_other_player_keeps_its_sizes(simple):
    assert simple.spot.river["bet"]["oop"] == MENU


def test_a_limit_below_every_cost_drops_only_what_is_worth_nothing(values):
    tight = cp.simplify_sizes(SPOT, 0.01, seat="ip", threads=1, progress=False)
    assert values[tuple(MENU)] - values[tuple(tight.found.sizes["river"])] <= 0.05


def test_a_menu_in_the_place_of_the_files_sizes(simple):
    single = with_bets(SPOT, 1, {"river": ["10%"]})
    found = cp.simplify_sizes(single, LIMIT, seat="ip", menu=MENU, target=0.02, threads=1, progress=False)
    assert found.found.sizes == simple.found.sizes


def test_json(simple):
    answer = simple.to_json()
    assert answer["cost_pct"] <= answer["limit_pct"] == LIMIT
    assert answer["dropped"] == simple.dropped
    assert answer["sizes"]["river"] == [float(word[:-1]) for word in simple.found.sizes["river"]]


def test_the_cost_and_its_error_are_within_the_limit():
    """Solves with errors of up to nearly half the limit leave out only what is sure to cost no more."""
    found = cp.simplify_sizes(SPOT, LIMIT, seat="ip", target=0.14, threads=1, progress=False)
    assert found.cost_pct + (found.gain_error_pct if found.dropped else 0) <= LIMIT


def test_stopped_at_once_there_is_no_result():
    token = cp.CancelToken()
    token.cancel()
    with pytest.raises(cp.Cancelled):
        cp.simplify_sizes(SPOT, LIMIT, seat="ip", threads=1, progress=False, cancel=token)


def test_wrong_input():
    with pytest.raises(cp.InputError, match="simplify must be a positive number of per cent"):
        cp.simplify_sizes(SPOT, -1, progress=False)
    for target in (0.2, 0, "fine"):
        with pytest.raises(cp.InputError, match="target must be a positive number of at most half of what"):
            cp.simplify_sizes(SPOT, LIMIT, target=target, progress=False)
    with pytest.raises(cp.InputError, match="'half' is not a bet size"):
        cp.simplify_sizes(SPOT, 1, seat="ip", menu=["half"], progress=False)


def test_estimate_counts_a_solve_for_every_size():
    assert estimate_simplification(SPOT, 1, seat="ip").cpu_seconds == pytest.approx(
        5 * cp.estimate(SPOT, target=0.1).cpu_seconds
    )

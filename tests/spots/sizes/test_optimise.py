"""The best sizes of small spots, against grids of independent full solves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.progress import SilentProgress
from counterpoise.spots.sizes.climber import SizeClimber
from counterpoise.spots.sizes.optimise import check_range, estimate_sizes
from counterpoise.spots.sizes.result import FILE
from counterpoise.spots.sizes.solves import worth_to
from counterpoise.spots.sizes.tables import with_bets, words_of
from counterpoise.tree import exact
from tests.spots.conftest import RIVER as SMALL, WIDE_RIVER
from tests.spots.oracle import SpotGame

RIVER = cp.Spot(
    **WIDE_RIVER,
    river={"bet": ["50%"], "raise": ["60%"]},
)
TURN = cp.Spot(
    name="turn",
    board="Ks 7d 4c Jd",
    pot=100,
    stack=250,
    oop="AhKh,QhJh,7c7s,9h9c,AcTc,Th9h",
    ip="KdQd,JhTh,AdAc,6h5h,4d4s,QdTd",
    turn={"bet": ["50%"]},
    river={"bet": ["50%"]},
)
GRID = (10, 20, 35, 50, 75, 100, 150, 200, 300)
TARGET = 0.1


def grid_values(spot, seat, points):
    """What the seat wins with each point's sizes by street, and the traversals of all these solves."""
    found, traversals = {}, 0
    for point in points:
        streets = ("turn", "river")[-len(point) :]
        sizes = {street: words_of([size]) for street, size in zip(streets, point, strict=True)}
        solution = cp.solve_spot(with_bets(spot, seat, sizes), target=TARGET, progress=False, threads=1)
        found[point] = worth_to(solution, seat)[0]
        traversals += 2 * solution.iterations
    return found, traversals


@pytest.fixture(scope="module")
def river_grid():
    return grid_values(RIVER, 1, [(size,) for size in range(10, 301, 10)])


@pytest.fixture(scope="module")
def found():
    return cp.optimise_sizes(RIVER, compare={"75 %": (75,)}, threads=1, progress=False, curves=True)


@pytest.mark.parametrize("start", [10, 300])
def test_river_from_both_ends(river_grid, start):
    """Within 2 % of the value range of the best of a grid of full solves, with fewer traversals than the grid."""
    values, traversals = river_grid
    found = cp.optimise_sizes(RIVER, seat="ip", starts=[(start,)], compare={}, target=TARGET, threads=1, progress=False)
    best, worst = max(values.values()), min(values.values())
    assert found.found.ev_pct >= best - 0.02 * (best - worst)
    assert found.traversals + found.solving_traversals < traversals


@pytest.mark.slow
@pytest.mark.parametrize("start", [10, 250])
def test_turn_from_both_ends(start):
    """The same with two sizes, of the turn and of the river, that move together."""
    points = [(turn, river) for turn in GRID[::2] for river in GRID[::2]]
    values, traversals = grid_values(TURN, 1, points)
    found = cp.optimise_sizes(
        TURN, seat="ip", starts=[(start, start)], compare={}, target=TARGET, threads=1, progress=False
    )
    best, worst = max(values.values()), min(values.values())
    assert found.found.ev_pct >= best - 0.02 * (best - worst)
    assert found.traversals + found.solving_traversals < traversals


@pytest.mark.long
def test_the_example_of_a_turn():
    """No usual set with one size is better."""
    spot = Path(__file__).parents[3] / "examples" / "spots" / "turn.toml"
    found = cp.optimise_sizes(spot, 1, target=0.2, threads=2, progress=False)
    assert found.seat == "ip"
    single = [one for one in found.sets[1:] if all(len(own) == 1 for own in one.sizes.values())]
    assert len(single) == 3
    assert all(found.found.ev_pct >= one.ev_pct for one in single)
    assert found.found.ev_pct == pytest.approx(60.9, abs=0.4)  # the best of a grid of 36 solves is 60.76


def test_slopes_are_those_of_full_solves():
    """The envelope theorem: the slope at one solve against the difference of two solves beside it."""
    climber = SizeClimber(RIVER, 1, 1, threads=1, bits=32)
    values = []
    for size in (28, 30, 32):
        climber.move(np.array([float(size)]), 0)
        value, error = climber.solve_to(0.01, 2000)
        assert error <= 0.01
        values.append(value)
        if size == 30:
            slope = climber.slopes()[0]
    assert slope == pytest.approx(30 * (values[2] - values[0]) / 4, rel=0.1)


def test_sizes_may_become_all_in():
    """No bet of the first sizes ends the betting on the turn: boards still have the run-outs of later all-in bets."""
    climber = SizeClimber(TURN, 1, 1, threads=1, bits=32)
    for turn in (50.0, 250.0, 50.0):
        climber.move(np.array([turn, 80.0]), 10)
        climber.step(3)
    assert climber.worth == 3 * 3


def test_every_set_is_worth_what_linear_programming_says():
    """The value of the spot with each set's bets, as a general game; none of the sets with one size is better."""
    spot = cp.Spot(**SMALL | {"river": {"bet": ["50%"]}})
    found = cp.optimise_sizes(spot, seat="ip", compare={"75 %": (75,)}, target=0.05, threads=1, progress=False)
    values = [50 + exact(SpotGame(with_bets(spot, 1, one.sizes))).value[1] for one in found.sets]  # of a pot of 100
    assert len(values) == 3
    for one, value in zip(found.sets, values, strict=True):
        assert one.ev_pct == pytest.approx(value, abs=one.error_pct + 1e-3)
    assert values[0] >= max(values) - 0.1


def test_answer_is_that_of_real_solves(found):
    assert found.seat == "ip"
    assert found.worth_of_bets["ip"] > found.worth_of_bets["oop"]
    again = cp.solve_spot(found.spot, target=TARGET, progress=False, threads=1)
    assert worth_to(again, 1)[0] == pytest.approx(found.found.ev_pct, abs=2 * TARGET)
    assert found.solution.exploitability_pct <= TARGET
    assert found.spot.river["bet"]["oop"] == ["50%"]
    names = [one.name for one in found.sets]
    assert names[0] == "found"
    assert FILE in names
    assert "75 %" in names
    assert found.gain_pct == pytest.approx(found.found.ev_pct - found.file.ev_pct)
    assert found.gain_error_pct <= 2 * TARGET


def test_no_set_with_as_few_sizes_is_better(found):
    assert found.found.ev_pct >= max(one.ev_pct for one in found.sets if len(one.sizes["river"]) == 1)


def test_curve_has_its_top_at_the_answer(found):
    (points,) = found.curves.values()
    best = max(points, key=lambda point: point.ev_pct)
    assert any(point.size == pytest.approx(float(found.found.sizes["river"][0][:-1])) for point in points)
    assert found.found.ev_pct >= best.ev_pct - best.error_pct - TARGET


def test_json_and_picture(found, tmp_path):
    answer = found.to_json()
    assert answer["sizes"] == {"river": [float(found.found.sizes["river"][0][:-1])]}
    assert answer["gain_pct"] == found.gain_pct
    assert set(answer["ev"]) == {"oop", "ip"}
    assert found.plot(tmp_path / "sizes.png").stat().st_size > 10_000


def test_two_sizes_are_worth_at_least_one(found):
    two = cp.optimise_sizes(RIVER, 2, seat="ip", compare={}, target=TARGET, threads=1, progress=False)
    assert two.found.ev_pct >= found.found.ev_pct - 2 * TARGET
    assert 1 <= len(two.found.sizes["river"]) <= 2


def test_a_better_usual_set_is_taken():
    """One start that may not move, at a bad size: the answer is a better known set, or what an ascent from it finds."""
    settings = cp.solvers.bet_sizes.SlopeAscent(most_moves=1, first_step=0.01)
    found = cp.optimise_sizes(
        RIVER,
        seat="ip",
        starts=[(10,)],
        compare={"100 %": (100,)},
        settings=settings,
        target=TARGET,
        threads=1,
        progress=False,
    )
    assert float(found.found.sizes["river"][0][:-1]) >= 50


class StopAfter(SilentProgress):
    """Cancels after a number of notes."""

    def __init__(self, notes):
        self.token, self.left = cp.CancelToken(), notes

    def note(self, sentence):
        self.left -= 1
        if self.left == 0:
            self.token.cancel()


@pytest.mark.parametrize(("notes", "name"), [(1, FILE), (2, "found")])
def test_stopped_early_it_returns_the_best_so_far(notes, name):
    stop = StopAfter(notes)
    found = cp.optimise_sizes(RIVER, seat="ip", target=TARGET, threads=1, progress=stop, cancel=stop.token)
    assert found.interrupted
    assert found.found.name == name
    assert found.solution.ev["ip"] > 0


@pytest.mark.parametrize(
    ("range_", "sentence"),
    [
        ((0.1, 0.5), "leaves no legal bet: the smallest is 1 chip, 1 %"),
        ((300, 400), "leaves no legal bet: the stack is 300 % of the pot"),
        ((50, 20), "must be two positive numbers, the smaller first"),
        ((0, 20), "must be two positive numbers"),
        ("wide", "must be two positive numbers"),
    ],
)
def test_ranges_without_a_bet_are_refused(range_, sentence):
    with pytest.raises(cp.InputError, match=sentence):
        check_range(RIVER, range_)


@pytest.mark.parametrize("range_", [(20.6, 20.9), (1.1, 1.4)])
def test_a_range_without_whole_numbers(range_):
    found = cp.optimise_sizes(RIVER, seat="ip", size_range=range_, compare={}, target=1, threads=1, progress=False)
    assert found.found.name == "found"
    assert range_[0] <= float(found.found.sizes["river"][0][:-1]) <= range_[1]


def test_stopped_before_a_set_is_solved_there_is_no_result():
    token = cp.CancelToken()
    token.cancel()
    with pytest.raises(cp.Cancelled):
        cp.optimise_sizes(RIVER, seat="ip", threads=1, progress=False, cancel=token)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"starts": [["a"]]}, "starts must be lists"),
        ({"starts": 5}, "starts must be lists"),
        ({"compare": [50]}, "compare must be names with lists"),
        ({"compare": {"x": "50"}}, "compare must be names with lists"),
        ({"compare": {"found by me": [50]}}, "compare: a set cannot be called 'found by me'"),
        ({"settings": {}}, "settings must be a SlopeAscent"),
    ],
)
def test_wrong_fields(wrong, sentence):
    with pytest.raises(cp.InputError, match=sentence):
        cp.optimise_sizes(RIVER, seat="ip", progress=False, **wrong)


def test_wrong_input():
    with pytest.raises(cp.InputError, match="optimise_sizes must be a whole number from 1 to 2"):
        cp.optimise_sizes(RIVER, 3, progress=False)
    with pytest.raises(cp.InputError, match="starts must be lists of 1 positive sizes per street"):
        cp.optimise_sizes(RIVER, starts=[(1, 2, 3)], progress=False)
    with pytest.raises(cp.InputError, match="seat must be oop or ip"):
        cp.optimise_sizes(RIVER, seat="button", progress=False)
    locked = RIVER.to_dict() | {"lock": [{"node": "r:0", "strategy": {"random": {"check": 1.0}}}]}
    with pytest.raises(cp.InputError, match="leave out lock"):
        cp.optimise_sizes(cp.Spot.from_dict(locked), progress=False)


def test_estimate_counts_all_solves():
    once, all_of_it = cp.estimate(RIVER, target=TARGET), estimate_sizes(RIVER, 1)
    assert all_of_it.cpu_seconds > 5 * once.cpu_seconds
    assert all_of_it.nodes >= once.nodes


def test_sizes_at_an_end_of_the_range_are_named():
    """Out of position this spot bets as little as it may, so that the answer depends on the range."""
    narrow = cp.optimise_sizes(RIVER, seat="oop", size_range=(30, 60), compare={}, threads=1, progress=False)
    assert narrow.found.sizes == {"river": ["30%"]}
    assert narrow.at_the_ends == ["river 30%"]
    assert narrow.to_json()["size_range"] == [30, 60]

"""Solving spots: equilibria against the linear programme and the general tree, stopping, resuming, locks, rake."""

from __future__ import annotations

import os
import signal
import sys
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.spots import Solution
from counterpoise.spots.engine import build_game
from tests.spots.conftest import RIVER, TURN
from tests.spots.oracle import SpotGame, as_strategy


def tables(solution):
    """Everything that changes from iteration to iteration."""
    return {name: array.copy() for name, array in solution.solver.arrays().items()}


def same(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("kind", ["river", "turn"])
def test_value_is_that_of_the_linear_programme(kind, request):
    solution = request.getfixturevalue(f"solved_{kind}")
    exact = cp.exact(SpotGame(solution.spot))
    slack = 2 * solution.exploitability_pct  # NashConv in chips: the pot is 100
    assert solution.ev["oop"] == pytest.approx(50 + exact.value[0], abs=slack)
    assert solution.ev["oop"] + solution.ev["ip"] == pytest.approx(100, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    "fields",
    [
        RIVER,
        TURN,
        RIVER | {"rake": {"percent": 5, "cap": 8}},
        TURN | {"rake": {"percent": 4}, "min_bet": 60},
        TURN | {"turn": {"bet": {"oop": [], "ip": ["allin"]}, "donk": ["25%"]}, "river": {"bet": ["e"]}},
    ],
    ids=["river", "turn", "rake", "rake without cap", "sizes by player"],
)
def test_figures_are_those_of_the_general_tree(fields):
    """EV and exploitability after few iterations, far from equilibrium, judged as an enumerated game."""
    spot = cp.Spot(**fields)
    solution = cp.solve_spot(spot, iterations=7, progress=False, threads=1)
    game = SpotGame(spot)
    strategy = as_strategy(solution, game)
    expected = cp.expected_value(game, strategy)
    assert [solution.ev["oop"] - 50, solution.ev["ip"] - 50] == pytest.approx(list(expected), abs=1e-3)
    assert solution.exploitability_pct == pytest.approx(cp.exploitability(game, strategy), abs=1e-3)


def test_short_deck_has_its_own_ranking():
    """A flush beats a full house there: with nothing but these two, the flush wins every showdown."""
    fields = {
        "board": "Ks Kd 9s 8s 7d",
        "pot": 100,
        "stack": 50,
        "oop": "AsQs",
        "ip": "9d9h",
        "river": {"bet": ["allin"]},
    }
    for deck, share in (("short", 1.0), ("standard", 0.0)):
        solution = cp.solve_spot(cp.Spot(**fields, deck=deck), target=0.1, progress=False)
        assert solution.root.equity() == share
        assert solution.ev["oop"] == pytest.approx(100 * share, abs=0.2)


def test_rake_is_what_both_lack():
    spot = cp.Spot(**RIVER | {"rake": {"percent": 5, "cap": 3}})
    solution = cp.solve_spot(spot, iterations=300, progress=False)
    assert solution.ev["oop"] + solution.ev["ip"] == pytest.approx(97, abs=1e-3)  # every pot pays the cap


def test_locked_hands_do_as_told(river):
    lock = [{"node": "r:0", "strategy": {"AhKh": {"check": 1.0}, "QhJh,9h8h": {"b50": 0.25, "allin": 0.75}}}]
    solution = cp.solve_spot(cp.Spot(**RIVER, lock=lock), target=0.05, progress=False)
    assert solution.reached
    assert solution.root.strategy("AhKh") == pytest.approx({"c": 1, "b50": 0, "b150": 0})
    for hand in ("QhJh", "9h8h"):
        assert solution.root.strategy(hand) == pytest.approx({"c": 0, "b50": 0.25, "b150": 0.75})
    free = cp.solve_spot(river, target=0.05, progress=False)
    assert solution.ev["oop"] < free.ev["oop"] - 1  # being held to this costs more than the accuracy of both


def test_figures_with_locks_are_those_of_the_general_tree():
    spot = cp.Spot(**RIVER, lock=[{"node": "r:0", "strategy": {"random": {"check": 1.0}}}])
    game = SpotGame(spot)
    solution = cp.solve_spot(spot, target=0.02, progress=False)
    strategy = as_strategy(solution, game)
    assert all(row["c"] == 1 for name, row in strategy.items() if name.endswith(" r:0"))
    found = cp.expected_value(game, strategy)
    assert [solution.ev["oop"] - 50, solution.ev["ip"] - 50] == pytest.approx(list(found), abs=1e-3)


def test_lock_after_a_card_holds_on_that_card_only():
    lock = [{"node": "r:0:c:c:2h", "strategy": {"random": {"c": 1.0}}}]
    solution = cp.solve_spot(cp.Spot(**TURN, lock=lock), iterations=50, progress=False)
    assert solution.node("r:0:c:c:2h").frequencies == pytest.approx({"c": 1, "b150": 0})
    assert solution.node("r:0:c:c:3h").frequencies["b150"] > 0.01


def test_default_target_and_measured_points(river):
    solution = cp.solve_spot(river, progress=False)
    assert solution.exploitability_pct <= 0.5
    assert solution.trace[-1].exploitability == solution.exploitability_pct
    assert all(point.exploitability > 0.5 for point in solution.trace[:-1])
    assert all(point.iteration % 10 == 0 for point in solution.trace)


def test_iterations_alone_are_done_to_the_end(river):
    solution = cp.solve_spot(river, iterations=73, progress=False)
    assert solution.iterations == 73
    assert solution.reached
    assert not cp.solve_spot(river, iterations=3, target=0.01, progress=False).reached


def test_gives_up_on_a_target_out_of_reach(river, monkeypatch):
    monkeypatch.setattr("counterpoise.spots.solve.MOST_ITERATIONS", 30)
    solution = cp.solve_spot(river, target=1e-9, progress=False)
    assert solution.iterations == 30
    assert not solution.reached


def test_threads_and_batches_change_nothing(turn):
    one = cp.solve_spot(turn, iterations=25, threads=1, progress=False)
    two = cp.solve_spot(turn, iterations=25, threads=2, trace_at=[1, 2, 3, 25], progress=False)
    assert same(tables(one), tables(two))
    assert one.ev == two.ev


@pytest.mark.parametrize("bits", [16, 32])
@pytest.mark.parametrize("algorithm", ["dcfr", "cfr+", "pcfr+"])
def test_resuming_goes_on_bit_for_bit(turn, bits, algorithm, tmp_path):
    options = {"bits": bits, "algorithm": algorithm, "progress": False}
    straight = cp.solve_spot(turn, iterations=24, **options)
    half = cp.solve_spot(turn, iterations=9, checkpoint=tmp_path / "half.cpz", **options)
    before = tables(half)
    for earlier in (half, tmp_path / "half.cpz"):
        more = cp.solve_spot(resume=earlier, iterations=24, progress=False)
        assert more.stored.average is not half.stored.average
        assert same(tables(more), tables(straight))
        assert more.ev == straight.ev
        assert more.trace[0].iteration == 9
    assert same(tables(half), before)


def test_16_bits_find_the_same_value(solved_turn):
    solution = cp.solve_spot(solved_turn.spot, target=0.3, bits=16, progress=False)
    assert solution.reached
    assert solution.ev["oop"] == pytest.approx(solved_turn.ev["oop"], abs=0.7)
    assert solution.memory_mb < solved_turn.memory_mb


def test_ctrl_c_keeps_the_solution(river, tmp_path):
    def press(solver, point):
        if point.iteration >= 20:
            os.kill(os.getpid(), signal.SIGINT)

    path = tmp_path / "c.cpz"
    solution = cp.solve_spot(river, target=1e-9, seconds=60, callback=press, checkpoint=path, progress=False)
    assert solution.interrupted
    more = cp.solve_spot(resume=path, iterations=solution.iterations + 5, progress=False)
    assert more.iterations == solution.iterations + 5


def test_callback_ends_the_run(river):
    solution = cp.solve_spot(river, iterations=1000, callback=lambda solver, point: True, progress=False)
    assert solution.iterations == 10


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"target": 0}, "target must be a positive number, not 0"),
        ({"target": float("nan")}, "target must be a positive number"),
        ({"iterations": 0}, "iterations must be a whole number of at least 1"),
        ({"threads": 0}, "threads must be a whole number from 1 to 1024, not 0"),
        ({"bits": 8}, "bits must be 16 or 32, not 8"),
        ({"algorithm": "egt"}, "egt does not run on spots"),
        ({"algorithm": "dcfrr"}, "unknown algorithm 'dcfrr'"),
        ({"memory_mb": 1e-6}, "needs"),
        ({"memory_mb": -1}, "memory_mb must be a positive number"),
        ({"checkpoint": "/nonexistent/x.cpz"}, "does not exist"),
        ({"trace_at": [0]}, "trace_at must list whole numbers"),
    ],
)
def test_wrong_options(river, options, words):
    with pytest.raises(cp.InputError, match=words):
        cp.solve_spot(river, progress=False, **options)


def test_resuming_refuses_what_does_not_fit(solved_river, turn, tmp_path):
    with pytest.raises(cp.InputError, match="another spot: board is 'Ks 7d 4c Jd 2s' there"):
        cp.solve_spot(turn, resume=solved_river)
    with pytest.raises(cp.InputError, match=r"used dcfr.*, not cfr"):
        cp.solve_spot(resume=solved_river, algorithm="cfr")
    with pytest.raises(cp.InputError, match="has 32 bits, not 16"):
        cp.solve_spot(resume=solved_river, bits=16)
    with pytest.raises(cp.InputError, match="name the spot"):
        cp.solve_spot()


def test_resuming_from_a_file_takes_over_its_tree(solved_turn, tmp_path, monkeypatch):
    """Two trees at once would need twice the memory; what the loaded one takes counts as free."""
    path = tmp_path / "x.cpz"
    solved_turn.save(path)
    built = []
    for module in ("solve", "files"):
        monkeypatch.setattr(f"counterpoise.spots.{module}.build_game", lambda spot: built.append(1) or build_game(spot))
    room = cp.estimate(solved_turn.spot).memory_mb[32] * 1.5
    for module in ("solve", "estimate"):
        monkeypatch.setattr(sys.modules[f"counterpoise.spots.{module}"], "free_memory_mb", lambda: room)
    more = cp.solve_spot(resume=path, iterations=solved_turn.iterations + 1, progress=False)
    assert len(built) == 1
    assert more.iterations == solved_turn.iterations + 1


def test_resuming_under_another_name(solved_river):
    renamed = cp.Spot(**RIVER, name="mine")
    more = cp.solve_spot(renamed, resume=solved_river, iterations=solved_river.iterations + 1, progress=False)
    assert more.spot.name == "mine"


def test_a_second_ctrl_c_does_not_lose_the_solution(river, tmp_path, monkeypatch):
    def press(solver, point):
        if point.iteration >= 20:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    save = Solution.save

    def press_again(self, path, **options):
        os.kill(os.getpid(), signal.SIGINT)
        save(self, path, **options)

    monkeypatch.setattr(Solution, "save", press_again)
    path, before = tmp_path / "c.cpz", signal.getsignal(signal.SIGINT)
    solution = cp.solve_spot(river, target=1e-9, seconds=60, callback=press, checkpoint=path, progress=False)
    assert solution.interrupted
    assert solution.unsaved is None
    assert cp.load_solution(path).interrupted
    assert signal.getsignal(signal.SIGINT) is before, "Ctrl-C means again what it meant"


@pytest.mark.parametrize("river", [True, False])
def test_checkpoints_on_the_way(turn, river, tmp_path, monkeypatch):
    """Also without the last street: what is there after some iterations can be looked at."""
    monkeypatch.setattr("counterpoise.jobs.checkpoints.CHECKPOINT_SECONDS", -1.0)
    seen = []

    def look(solver, point):
        found = cp.load_solution(tmp_path / "c.cpz")
        seen.append((found.whole, 0 < found.iterations <= point.iteration))

    cp.solve_spot(turn, iterations=20, checkpoint=tmp_path / "c.cpz", save_river=river, callback=look, progress=False)
    assert seen == [(river, True)] * 2


def test_saving_takes_a_tenth_of_the_time_at_most(river, tmp_path, monkeypatch):
    """By a clock on which an iteration takes ten seconds and saving a hundred: at most once in a thousand."""
    clock = [0.0]
    saves = []
    time = SimpleNamespace(monotonic=lambda: clock[0], perf_counter=lambda: clock[0], process_time=lambda: clock[0])
    monkeypatch.setattr("counterpoise.jobs.clock.time", time)
    step = PublicSolver.step

    def slow_step(self, iterations=1):
        clock[0] += 10 * iterations
        step(self, iterations)

    def slow_save(self, path, **options):
        saves.append(clock[0])
        clock[0] += 100

    monkeypatch.setattr(PublicSolver, "step", slow_step)
    monkeypatch.setattr(Solution, "save", slow_save)
    cp.solve_spot(river, iterations=500, checkpoint=tmp_path / "x.cpz", progress=False)
    assert len(saves) >= 4
    assert all(later - earlier >= 1000 for earlier, later in pairwise(saves[:-1]))  # the last is at the end

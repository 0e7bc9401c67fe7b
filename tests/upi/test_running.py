"""The solver in the background: limits, reports, commands that are answered meanwhile, stopping."""

import time

import pytest

import counterpoise as cp
from tests.upi.talk import END, RIVER, RIVER_LINES, Talk, spot_of


@pytest.fixture
def talk():
    found = Talk()
    found.describe(RIVER, RIVER_LINES)
    found.do("build_tree")
    found.do("set_threads 1")
    yield found
    found.session.finish()


def wait_for(condition, seconds=20.0):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_run_goes_on_until_it_is_stopped_and_answers_meanwhile(talk):
    talk.do("go")
    assert talk.ask("solver_state") == ["running"]
    talk.do("is_ready")
    wait_for(lambda: int(talk.ask("show_iters")[0]) > 0)
    first = int(talk.ask("show_iters")[0])
    rows = talk.numbers("show_strategy r:0")
    assert len(rows) == 3
    wait_for(lambda: int(talk.ask("show_iters")[0]) > first)  # asking did not end the run
    assert talk.ask("go")[0].startswith("ERROR: go must wait until the solver has stopped")
    assert talk.ask("build_tree")[0].startswith("ERROR: build_tree must wait")
    talk.do("stop")
    assert talk.ask("solver_state") == ["stopped"]
    started, stopped = (talk.said.index(line) for line in ("SOLVER: started", "SOLVER: stopped (requested)"))
    assert talk.said.index("go ok!") < started < stopped < talk.said.index("stop ok!")
    done = int(talk.ask("show_iters")[0])
    assert done > first
    talk.do("go 10")
    talk.do("wait_for_solver")
    assert int(talk.ask("show_iters")[0]) == done + 10


def test_steps_are_the_iterations_of_a_solve_however_often_it_is_interrupted(talk):
    """Bit for bit: 20 steps, then 30 with questions in between, are 50 iterations."""
    talk.do("go 20")
    talk.do("wait_for_solver")
    talk.do("go 30 steps")
    for _ in range(3):
        talk.ask("show_strategy r:0")
    talk.do("wait_for_solver")
    assert talk.ask("show_iters") == ["50"]
    other = cp.solve_spot(spot_of(RIVER, RIVER_LINES), iterations=50, threads=1, progress=False)
    assert (talk.session.tree.solution.root.probabilities == other.root.probabilities).all()


def test_a_run_stops_at_the_accuracy_in_chips_or_as_a_share(talk):
    for setting, most in (("2.7 chips", 2.7), ("0.005 fraction", 0.005 * RIVER["pot"])):
        talk.do(f"set_accuracy {setting}")
        talk.do("go")
        talk.do("wait_for_solver")
        found = dict(line.split(": ") for line in talk.ask("calc_results"))
        assert float(found["Exploitable for"]) <= most
        assert talk.said[-1] == END
    assert talk.said.count("SOLVER: stopped (accuracy reached)") == 2


def test_a_run_of_some_seconds(talk):
    talk.do("go 0.3 seconds")
    began = time.monotonic()
    talk.do("wait_for_solver")
    assert time.monotonic() - began < 20
    assert "SOLVER: stopped (time is up)" in talk.said


def test_reports_are_blocks_that_the_end_string_closes(talk, monkeypatch):
    monkeypatch.setattr("counterpoise.upi.runner.REPORT_SECONDS", 0.0)
    talk.do("set_info_freq 10")
    talk.do("go 40")
    talk.do("wait_for_solver")
    first = talk.said.index("SOLVER:")
    names = [line.split(":")[0] for line in talk.said[first + 1 : first + 7]]
    assert names == ["running time", "EV OOP", "EV IP", "OOP's MES", "IP's MES", "Exploitable for"]
    assert talk.said[first + 7] == END
    assert 2 <= talk.said.count("SOLVER:") <= 4


def test_stop_and_wait_without_a_run():
    talk = Talk()
    talk.do("stop")
    talk.do("wait_for_solver")
    assert talk.ask("go") == ["ERROR: there is no tree: send build_tree or load_tree first"]

"""Jobs in their processes: results, events, stopping, going on, dying, and bounds."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from pydantic import ValidationError

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.games import as_game
from counterpoise.web.jobs import JobLimits, Jobs, OptimiseSizes, RaceGame, SearchNode, SolveSpot
from counterpoise.web.jobs.check import game_name, needs_of
from counterpoise.web.jobs.requests import JobOrder
from counterpoise.web.jobs.state import JobState
from counterpoise.web.library import Library
from counterpoise.web.play.models import SessionOrder
from counterpoise.web.processes import LOG_FILE, start_process
from tests.web.conftest import SOLVED, TURN

SECONDS = 100.0
ENDLESS = {"iterations": 10**9, "threads": 1}


@pytest.fixture
def jobs(tmp_path, solved_bytes):
    library = Library(tmp_path / "library")
    (library.root / SOLVED).write_bytes(solved_bytes)
    made = Jobs(library, JobLimits(at_once=1, queued=2, memory_mb=200.0, seconds=SECONDS))
    yield made
    made.close()


def wait_for_work(jobs, id):
    """Wait until a process has measured something."""
    until = time.monotonic() + SECONDS
    while not jobs.state(id).trace and time.monotonic() < until:
        time.sleep(0.05)
    assert jobs.state(id).status == "running"


def process_of(jobs, id):
    return jobs._processes[id].pid


@pytest.mark.long
def test_solve_is_that_of_the_library_stops_and_goes_on_to_a_finer_target(jobs):
    spot = cp.Spot(**TURN)
    events = jobs.subscribe()
    id = jobs.submit(SolveSpot(spot=spot, target=1.0, threads=1))
    state = jobs.wait(id, SECONDS)
    expected = cp.solve_spot(spot, target=1.0, threads=1, progress=False)
    assert (state.status, state.error) == ("done", None)
    assert state.result["exploitability_pct"] == expected.exploitability_pct
    assert [row.exploitability for row in state.trace] == [point.exploitability for point in expected.trace]
    assert cp.load_solution(jobs.library.path(state.file)).root.frequencies == expected.root.frequencies
    kinds = []
    while (event := events.get(0.0)) is not None:
        kinds.append(event.kind)
    assert [kind for kind in kinds if kind == "state"] == ["state"] * 3  # queued, running, done
    assert kinds.count("trace") == len(expected.trace)
    jobs.resume(id, target=0.2)
    finer = jobs.wait(id, SECONDS)
    assert finer.status == "done"
    assert finer.result["exploitability_pct"] <= 0.2
    again = cp.solve_spot(spot, target=0.2, threads=1, progress=False)
    assert finer.result["iterations"] == again.iterations  # it went on, bit for bit
    measured = [row.iteration for row in finer.trace]
    assert measured == sorted(set(measured))
    assert measured[-1] == again.iterations
    assert JobState.load(jobs.library.root / "jobs" / id) == jobs.state(id)
    jobs.delete(id)
    assert not (jobs.library.root / "jobs" / id).exists()


@pytest.mark.long
def test_stop_die_and_go_on(jobs):
    id = jobs.submit(SolveSpot(spot=cp.Spot(**TURN), **ENDLESS))
    waiting = jobs.submit(SolveSpot(spot=cp.Spot(**TURN), iterations=10))
    assert jobs.state(waiting).status == "queued"  # one at a time
    wait_for_work(jobs, id)
    os.kill(process_of(jobs, id), signal.SIGKILL)
    dead = jobs.wait(id, SECONDS)
    assert dead.status == "failed"
    assert "killed" in dead.error
    assert jobs.wait(waiting, SECONDS).status == "done"  # nothing else died
    jobs.resume(id)
    wait_for_work(jobs, id)
    with pytest.raises(InputError, match="stop it before"):
        jobs.delete(id)
    with pytest.raises(InputError, match="cannot be resumed"):
        jobs.resume(id)
    assert jobs.stop(id).status == "stopping"
    stopped = jobs.wait(id, SECONDS)
    assert stopped.status == "stopped"
    kept = cp.load_solution(jobs.library.path(stopped.file))
    assert kept.iterations == stopped.result["iterations"] > 0


@pytest.mark.long
def test_search_and_race_are_those_of_the_library(jobs, solved):
    search = jobs.submit(SearchNode(solution=SOLVED, node="r:0:b50", iterations=50, threads=1))
    race = jobs.submit(RaceGame(game="kuhn_poker", algorithms=["cfr+", "dcfr"], iterations=50))
    found = jobs.wait(search, SECONDS)
    expected = cp.search_spot(solved, "r:0:b50", iterations=50, threads=1, progress=False)
    assert found.error is None
    assert found.result["verdict"] == expected.verdict
    assert jobs.state(search).resumable
    with pytest.raises(InputError, match="target must be"):
        jobs.resume(search, target=-1.0)
    assert cp.load_search(jobs.library.path(found.file)).root.frequencies == expected.root.frequencies
    raced = jobs.wait(race, SECONDS)
    assert raced.error is None
    for name in ("cfr+", "dcfr"):
        run = cp.solve("kuhn_poker", name, iterations=50, progress=False)
        assert cp.load_run(jobs.library.path(raced.files[name])).exploitability == run.exploitability
        assert [row.exploitability for row in raced.trace if row.series == name] == [
            point.exploitability for point in run.trace
        ]


@pytest.mark.long
def test_best_sizes(jobs):
    spot = cp.Spot(**TURN | {"board": "Ks 7d 4c Jd 2s", "turn": None})
    id = jobs.submit(OptimiseSizes(spot=spot, count=1, seat="oop", target=1.0, threads=1))
    state = jobs.wait(id, SECONDS)
    assert state.error is None
    assert set(state.result["sizes"]) == {"river"}
    assert cp.Spot.load(jobs.library.path(state.files["spot"])).river is not None


@pytest.mark.slow
def test_memory_of_a_process_is_bounded():
    code = (
        "from counterpoise.web.jobs.worker import bound_memory; bound_memory(100.0); print(len(bytearray(4 * 10**9)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "MemoryError" in done.stderr
    assert not done.stdout


@pytest.mark.long
def test_wrong_input_found_by_the_process_is_one_sentence(jobs):
    state = jobs.wait(jobs.submit(SearchNode(solution=SOLVED, node="r:0:b77")), SECONDS)
    assert state.status == "failed"
    assert "b77" in state.error
    assert "\n" not in state.error


def test_refused_before_anything_starts(jobs, tmp_path):
    sizes = {"bet": ["50%", "100%"], "raise": ["60%"]}
    flop = {"board": "Ks 7d 4c", "flop": sizes, "turn": sizes, "river": sizes, "stack": 1000}
    everything = {"oop": "22+,A2+,K8+", "ip": "22+,A2+,K8+"}
    for request, sentence in (
        (SolveSpot(spot=cp.Spot(**TURN | flop | everything)), "of memory"),
        (SolveSpot(spot=cp.Spot(**TURN), warm_start="solutions/none.cpz"), "no file"),
        (SolveSpot(spot=cp.Spot(**TURN), algorithm="nonsense"), "nonsense"),
        (SearchNode(solution="../secret.cpz"), "name in the library"),
        (RaceGame(game="kuhn_poker", algorithms=["cfr", "cfr"]), "twice"),
        (RaceGame(game="kuhn_pokr", algorithms=["cfr"]), "kuhn_poker"),
        (RaceGame(game="/etc/passwd.efg", algorithms=["cfr"]), "name in the library"),
        (RaceGame(game="../a/b", algorithms=["cfr"]), "a game is a name"),
        (RaceGame(game="openspiel:efg_game(filename=a.efg)", algorithms=["cfr"]), "a game is a name"),
    ):
        with pytest.raises(InputError, match=sentence):
            jobs.submit(request)
    assert jobs.list() == []
    assert list((jobs.library.root / "jobs").iterdir()) == []


def test_requests_are_checked():
    for wrong in (
        {"spot": TURN, "target": -1},
        {"spot": TURN, "target": float("nan")},
        {"spot": TURN, "bits": 8},
        {"spot": TURN, "unknown": 1},
        {"spot": TURN | {"pot": 0}},
    ):
        with pytest.raises((ValidationError, InputError)):
            SolveSpot.model_validate(wrong)


def test_memory_is_estimated_and_the_queue_is_bounded(jobs, monkeypatch):
    needs = needs_of(SolveSpot(spot=cp.Spot(**TURN)), jobs.library, 200.0, 100.0)
    assert needs.memory_mb == pytest.approx(cp.estimate(cp.Spot(**TURN)).memory_mb[32])
    monkeypatch.setattr(jobs, "_start_waiting", lambda: None)
    for _ in range(2):
        jobs.submit(SolveSpot(spot=cp.Spot(**TURN)))
    with pytest.raises(InputError, match="no more may"):
        jobs.submit(SolveSpot(spot=cp.Spot(**TURN)))
    first = jobs.list()[-1]
    assert jobs.stop(first.id).status == "stopped"
    with pytest.raises(InputError, match="no job"):
        jobs.state("none")
    found = Jobs(jobs.library, jobs.limits)  # a server that comes later
    assert {state.id: state.status for state in found.list()} == {
        first.id: "stopped",
        jobs.list()[0].id: "interrupted",
    }
    found.close()


def test_games_of_the_library_are_named_by_their_paths(jobs):
    for name in ("uploads/game.efg", "uploads/game (2).efg"):
        path = jobs.library.root / name
        path.write_text('EFG 2 R "" { "a" "b" }\n""\nt "" 1 "" { 1, -1 }')
        assert game_name(jobs.library, name) == str(path)
        assert as_game(str(path)).players == 2
    assert game_name(jobs.library, "liars_dice(dice=1, faces=6)") == "liars_dice(dice=1, faces=6)"


def test_damaged_orders_are_told_in_a_sentence(tmp_path):
    (tmp_path / "order.json").write_bytes(b"")
    with pytest.raises(InputError, match=r"^order\.json is damaged: it is not JSON$"):
        JobOrder.load(tmp_path)
    foreign = os.fsdecode(b"/tmp/caf\xe9")
    with pytest.raises(
        InputError, match=r"^order\.json cannot be written: some name of a file or folder is not UTF-8$"
    ):
        SessionOrder.model_construct(library=foreign).save(tmp_path)
    assert (tmp_path / "order.json").read_bytes() == b""


@pytest.mark.slow
def test_processes_run_no_program_of_the_folder_that_the_server_was_started_in(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit('from the folder of downloads')")
    monkeypatch.chdir(tmp_path)
    job = tmp_path / "job"
    job.mkdir()
    process = start_process("counterpoise.web.jobs.worker", job)
    told, _ = process.communicate(timeout=SECONDS)
    assert "order.json" in told
    assert not (job / LOG_FILE).read_text().startswith("from")


def test_a_job_that_is_deleted_while_it_is_resumed_stays_deleted(jobs, monkeypatch):
    monkeypatch.setattr(jobs, "_start_waiting", lambda: None)
    id = jobs.submit(SolveSpot(spot=cp.Spot(**TURN)))
    jobs.stop(id)
    needs = jobs._needs

    def meanwhile(request):
        jobs.delete(id)
        return needs(request)

    monkeypatch.setattr(jobs, "_needs", meanwhile)
    with pytest.raises(InputError, match="no job"):
        jobs.resume(id)
    assert jobs.list() == []


def test_a_full_disk_and_lines_of_nonsense_do_not_leave_a_job_behind(jobs, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(JobState, "save", full)
    code = 'print(\'{"kind": "trace", "point": {}}\\nnonsense\\n{"kind": "failed", "error": "as it should"}\')'
    monkeypatch.setattr(
        "counterpoise.web.jobs.jobs.start_process",
        lambda *_: subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ),
    )
    state = jobs.wait(jobs.submit(SolveSpot(spot=cp.Spot(**TURN))), SECONDS)
    assert (state.status, state.error) == ("failed", "as it should")
    monkeypatch.setattr("counterpoise.web.jobs.jobs.start_process", full)
    state = jobs.wait(jobs.submit(SolveSpot(spot=cp.Spot(**TURN))), SECONDS)
    assert (state.status, state.error) == ("failed", "no process could be started: No space left on device")


def test_a_job_that_does_not_stop_is_ended_and_says_so(jobs, monkeypatch):
    """It is neither failed nor out of memory; one that is killed by somebody else is."""
    monkeypatch.setattr("counterpoise.web.jobs.jobs.SILENT_SECONDS", 0.2)
    monkeypatch.setattr(
        "counterpoise.web.jobs.jobs.start_process",
        lambda *_: subprocess.Popen(
            [sys.executable, "-c", 'print(\'{"kind": "begin", "phase": "x"}\', flush=True)\nwhile True: pass'],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ),
    )
    id = jobs.submit(SolveSpot(spot=cp.Spot(**TURN)))
    while not jobs.state(id).phase:
        time.sleep(0.02)
    jobs.stop(id)
    state = jobs.wait(id, SECONDS)
    assert (state.status, state.error) == ("stopped", None)
    because = r"it came to no safe point within \d+ seconds after it was to stop"
    assert re.fullmatch(f"the process was ended, as {because}: nothing of it was saved yet", state.notes[-1])
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    jobs._end(id, ended, "it had ended already")  # which must not explain how the next one ends
    jobs.resume(id)
    while jobs.state(id).status != "running":
        time.sleep(0.02)
    os.kill(process_of(jobs, id), signal.SIGKILL)
    assert "most likely because the machine ran out of memory" in jobs.wait(id, SECONDS).error


def test_subscription_is_heard_in_a_loop_and_ends(jobs, monkeypatch):
    monkeypatch.setattr(jobs, "_start_waiting", lambda: None)

    async def listen():
        heard = []
        events = jobs.subscribe()
        asyncio.get_running_loop().call_later(0.05, lambda: jobs.submit(SolveSpot(spot=cp.Spot(**TURN)), "named"))
        async for event in events:
            heard.append((event.kind, event.state.name))
            events.close()
        return heard

    assert asyncio.run(listen()) == [("state", "named")]

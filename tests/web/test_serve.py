"""The command as users start it: a killed server finds its jobs again, a taken port, the token, the missing extra."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice

import httpx
import psutil
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.store.files import being_written
from counterpoise.web.client import ApiError
from tests.test_extensions import MINE
from tests.web.conftest import TURN


def port_of(running):
    return int(running.address.rsplit(":", 1)[1])


SPOT = {"spot": TURN}
FIRST_REQUESTS: list[tuple[str, dict | None]] = [
    ("/api/v1/catalogues", None),
    ("/api/v1/spots/estimate", SPOT),
    ("/api/v1/spots/estimate", SPOT | {"algorithm": "dcfr(gamma=3)"}),
    ("/api/v1/spots/estimate", SPOT | {"algorithm": "dcfr(alpha=1.5, beta=-inf, gamma=2)"}),
    ("/api/v1/spots/estimate", SPOT | {"algorithm": "cfr+(average=uniform)"}),
    ("/api/v1/spots/check", TURN),
    ("/api/v1/spots/read", {"toml": cp.Spot(**TURN).to_toml()}),
    ("/api/v1/jobs", None),
    ("/api/v1/library", None),
    ("/api/v1/play", None),
    ("/api/v1/trainer/statistics", None),
    ("/api/v1/openapi.json", None),
    ("/api/v1/docs", None),
    ("/", None),
    ("/lab", None),
]


def at_once(ask, requests):
    """Return what `ask` returns for each of the requests, all of them sent in the same moment."""
    all_there = threading.Barrier(len(requests))

    def when_all_are_there(request):
        with httpx.Client(timeout=300) as client:
            all_there.wait()
            return ask(client, request)

    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(when_all_are_there, requests))


@pytest.mark.long
def test_fifty_first_requests_at_once(start):
    """A fresh server that has read no catalogue and imported no game answers all of them."""
    running = start("--port", "0")

    def ask(client, request):
        path, body = request
        return client.get(running.address + path) if body is None else client.post(running.address + path, json=body)

    answers = at_once(ask, list(islice(cycle(FIRST_REQUESTS), 50)))
    assert [(one.url.path, one.status_code) for one in answers if one.status_code != 200] == []


@pytest.mark.long
def test_fifty_uploads_of_one_name_at_once(start):
    """Each is kept whole under a name of its own; those that are no spots are refused and leave nothing."""
    running = start("--port", "0")
    spots = [cp.Spot(**TURN | {"pot": 100 + number}).to_toml() if number % 5 else "pot = " for number in range(50)]

    def upload(client, text):
        return client.post(running.address + "/api/v1/uploads", params={"name": "mine.toml"}, content=text.encode())

    answers = at_once(upload, spots)
    assert [one.status_code for one in answers] == [201 if number % 5 else 422 for number in range(50)]
    names = [one.json()["name"] for one in answers if one.status_code == 201]
    client = running.client()
    assert {entry.name for entry in client.library()} == set(names)
    assert len(set(names)) == len(names) == 40
    kept = [client.spot(name).spot["pot"] for name in names]
    assert kept == [100 + number for number in range(50) if number % 5]


@pytest.mark.long
def test_fifty_stops_at_once(start):
    """Of jobs at work, jobs that wait and jobs that have ended: each ends once, and keeps what it has found."""
    running = start("--port", "0")
    client = running.client()
    ids = [client.solve(TURN, iterations=10**9, threads=1).id for _ in range(5)]
    while not client.job(ids[0]).trace:
        time.sleep(0.1)

    def stop(client, id):
        return client.post(f"{running.address}/api/v1/jobs/{id}/stop")

    answers = at_once(stop, ids * 10)
    assert [one.status_code for one in answers] == [200] * 50
    assert {one.json()["status"] for one in answers} <= {"stopping", "stopped"}
    ended = [client.wait(id, 120) for id in ids]
    assert [one.status for one in ended] == ["stopped"] * 5
    assert client.figures(ended[0].id).figures["iterations"] > 0
    assert psutil.Process(running.process.pid).children() == []


@pytest.mark.long
def test_killed_server_finds_its_job_again_and_resumes_it(start):
    first = start("--port", "0")
    client = first.client()
    id = client.solve(TURN, iterations=10**9, threads=1).id
    for event in client.events(id):
        if event.kind == "trace":
            break
    workers = psutil.Process(first.process.pid).children()
    assert len(workers) == 1
    first.kill()
    psutil.wait_procs(workers, timeout=60)
    assert not workers[0].is_running()  # it has saved its work and ended: nothing is left behind
    second = start("--port", "0")
    client = second.client()
    found = client.job(id)
    assert found.status == "interrupted"
    assert found.notes[-1] == "the server ended while it was at work"
    library = second_library(second)
    assert not being_written(library / "jobs" / id)  # nothing half-written
    before = cp.load_solution(library / found.file).iterations
    assert before > 0
    client.resume(id, target=0.2)
    done = client.wait(id, 120)
    assert done.status == "done"
    assert done.result["iterations"] >= before
    assert done.result["exploitability_pct"] <= 0.2
    node = client.node(id, "r:0:c")
    assert node.player == "ip"


@pytest.mark.long
def test_things_of_a_users_file_are_served(start, tmp_path):
    """The pages list them, and jobs, which are processes of their own, know them too."""
    (tmp_path / "helpers_of_mine.py").write_text("PRIZE = 3.0\n")
    (tmp_path / "mine.py").write_text(MINE)
    client = start("--port", "0", "--load", str(tmp_path / "mine.py")).client()
    listed = client.catalogues()
    assert "my_pennies" in [entry["name"] for entry in listed.games]
    assert "my-cfr" in [entry["name"] for entry in listed.algorithms]
    done = client.wait(client.race("my_pennies", ["my-cfr"], iterations=5).id, 300)
    assert done.status == "done", done.error
    assert "my-cfr" in done.files


def second_library(running):
    from pathlib import Path

    line = next(line for line in [*running.lines, running.process.stdout.readline()] if line.startswith("library: "))
    return Path(line.removeprefix("library: ").strip())


@pytest.mark.long
def test_pages_come_from_this_machine_only_and_ctrl_c_keeps_running_jobs(start, tmp_path):
    cp.Spot(**TURN).save(tmp_path / "mine.toml")
    running = start("--port", "0", str(tmp_path / "mine.toml"))
    client = running.client()
    page = httpx.get(running.address + "/?open=opened/mine.toml", follow_redirects=True)
    assert page.status_code == 200
    assert page.url.path == "/spot"
    assert page.url.params["name"] == "opened/mine.toml"
    assert TURN["oop"] in page.text
    for piece in page.text.split('"'):
        assert not piece.startswith(("http://", "https://", "//")) or piece.startswith(running.address)
    assert [entry.name for entry in client.library(kind="spot")] == ["opened/mine.toml"]
    id = client.solve(client.spot("opened/mine.toml").spot, iterations=10**9, threads=1).id
    while not client.job(id).trace:
        time.sleep(0.1)
    client.close()
    said = running.end()
    assert ("Traceback" in said, "error" in said, running.process.returncode) == (False, False, 0)
    again = start("--port", "0").client()
    assert again.job(id).status == "interrupted"
    assert again.figures(id).figures["iterations"] > 0


@pytest.mark.long
def test_taken_port_and_token_of_another_address(start):
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        number = taken.getsockname()[1]
        running = start("--host", "0.0.0.0", "--port", str(number))
        assert port_of(running) != number
        assert f"port {number} is taken" in running.lines[0]
    token = running.lines[-1].split("token=")[1].strip()
    with pytest.raises(ApiError) as refused:
        running.client()
    assert refused.value.status == 401
    assert running.client(token).jobs() == []


@pytest.mark.slow
def test_missing_extra_is_named(tmp_path):
    """Without the packages of the extra, the command says which one to install, and exits with 2."""
    code = (
        "import sys, importlib.util as u; real = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'nicegui' else real(name, *more)\n"
        "sys.argv = ['counterpoise', 'serve', '--headless']\n"
        "from counterpoise.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "HOME": str(tmp_path)}
    )
    assert done.returncode == 2
    assert "the extra [web] installs" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_library_that_cannot_be_written(tmp_path):
    from counterpoise.web.server import Server

    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="library folder"):
        Server(tmp_path / "file" / "library")


def test_without_the_extra_it_says_what_is_missing() -> None:
    """Nothing that the extra installs is imported before it is asked for."""
    hidden = ["fastapi", "nicegui", "starlette", "uvicorn"]
    program = f"import sys; sys.modules.update(dict.fromkeys({hidden})); from counterpoise.cli import main; main()"
    found = subprocess.run([sys.executable, "-c", program, "serve"], capture_output=True, text=True)
    assert found.returncode == 2
    assert found.stderr.count("\n") == 1
    assert "which the extra [web] installs" in found.stderr

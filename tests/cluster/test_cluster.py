"""Work on Ray's workers: the same results as here, also where workers die; wrong addresses are refused."""

from __future__ import annotations

import functools
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import counterpoise as cp
from counterpoise.cli import app
from counterpoise.cluster import Cluster, connect, parse_address
from counterpoise.cluster.identity import source_identity
from counterpoise.jobs.processes import map_in_order
from counterpoise.progress import CancelToken
from counterpoise.reproduce.harness.last_run import read_runs
from counterpoise.reproduce.harness.sweep import SweepWorker
from tests.solvers.out_of_core.small import SMALL, solved


def test_addresses():
    assert parse_address("local:1").workers == 1
    assert parse_address("[::1]:6379").address == "[::1]:6379"
    for wrong in ("local:0", "local:9999", "local", "host", "host:0", "host:99999", "a b:1", "", "x" * 400, ":5"):
        with pytest.raises(cp.InputError, match="cluster"):
            parse_address(wrong)


def test_nobody_listens():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(cp.InputError, match=f"cluster 127.0.0.1:{port} cannot be reached"):
        connect(f"127.0.0.1:{port}")


def test_no_ray(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(cp.InputError, match='clusters need the extra "cluster"'):
        connect("local:1")


@pytest.fixture(scope="module")
def cluster():
    with connect("local:2") as found:
        yield found


def doubler() -> Callable[[int], int]:
    return lambda number: 2 * number


def fragile(folder: str) -> Callable[[int], int]:
    """Return work whose third piece kills the worker that does it, the first time."""

    def work(number: int) -> int:
        mark = Path(folder) / "died"
        if number == 3 and not mark.exists():
            mark.write_text("x")
            os.kill(os.getpid(), signal.SIGKILL)
        return number * number

    return work


def failing() -> Callable[[int], int]:
    def work(number: int) -> int:
        if number == 1:
            raise ZeroDivisionError("a bug")
        raise cp.InputError(f"piece {number} is wrong")

    return work


def slow(folder: str) -> Callable[[int], int]:
    """Return work that can be done two seconds after the worker has started."""
    (Path(folder) / "started").write_text("x")
    time.sleep(2)
    return doubler()


def endless() -> Callable[[int], int]:
    def work(number: int) -> int:
        time.sleep(600)
        return number

    return work


@pytest.mark.long
def test_results_come_in_order(cluster: Cluster):
    found = list(map_in_order(doubler, doubler(), ((k,) for k in range(9)), cluster, CancelToken()))
    assert found == [2 * k for k in range(9)]
    with pytest.raises(cp.InputError, match="piece 0 is wrong"):
        list(map_in_order(failing, failing(), ((k,) for k in range(2)), cluster, CancelToken()))
    with pytest.raises(ZeroDivisionError, match="a bug"):  # as in processes: no wrong input
        list(map_in_order(failing, failing(), iter([(1,)]), cluster, CancelToken()))


@pytest.mark.long
def test_a_dead_worker_is_replaced(cluster: Cluster, tmp_path: Path):
    make, before = functools.partial(fragile, str(tmp_path)), cluster.lost
    found = list(map_in_order(make, make(), ((k,) for k in range(8)), cluster, CancelToken()))
    assert found == [k * k for k in range(8)]
    assert cluster.lost > before


@pytest.mark.long
def test_workers_of_another_version_are_refused(cluster: Cluster, monkeypatch):
    own = source_identity()
    monkeypatch.setattr("counterpoise.cluster.crew.source_identity", lambda: "0" * 64)
    with pytest.raises(cp.InputError, match=f"another version of counterpoise .*{own[:12]}, not 0000"):
        list(map_in_order(doubler, doubler(), iter([(1,)]), cluster, CancelToken()))


@pytest.mark.long
def test_workers_may_take_long_to_get_ready(cluster: Cluster, tmp_path: Path, monkeypatch):
    """Only the time until the first of them has a process is limited."""

    def plan():
        yield (0,)
        while not (tmp_path / "started").exists():
            time.sleep(0.01)
        crew = cluster._crew
        assert crew is not None
        monkeypatch.setattr("counterpoise.cluster.crew.START_SECONDS", time.monotonic() - crew._began + 1)
        yield (1,)

    make = functools.partial(slow, str(tmp_path))
    assert list(map_in_order(make, doubler(), plan(), cluster, CancelToken())) == [0, 2]


@pytest.mark.long
def test_cancelling_does_not_wait(cluster: Cluster):
    token = CancelToken()

    def plan():
        yield (0,)
        token.cancel()

    assert list(map_in_order(endless, endless(), plan(), cluster, token)) == []


@pytest.mark.long
def test_a_match_and_an_out_of_core_run_are_the_same(cluster: Cluster, tmp_path: Path):
    from counterpoise.solvers.out_of_core import solve_out_of_core

    agents, options = ["random", "always-call"], {"block": 20, "duplicate": True, "progress": False}
    here, there = (cp.match("leduc_poker", agents, 100, processes=who, **options) for who in (1, cluster))
    assert [(one.mean, one.ci95, one.decisions) for one in here.agents] == [
        (one.mean, one.ci95, one.decisions) for one in there.agents
    ]
    game, bytes_of = "limit_holdem(board=[0, 3], ranks=3, max_bets=2)", []
    for name, workers in (("one", 1), ("ray", cluster)):
        folder = tmp_path / name
        solve_out_of_core(game, folder, iterations=2, deals_per_part=8, workers=workers, progress=False)
        bytes_of.append([path.read_bytes() for path in sorted(folder.glob("*.regrets"))])
    assert bytes_of[0] == bytes_of[1]


@pytest.mark.long
def test_training_is_the_same_on_ray(cluster: Cluster, tmp_path: Path):
    """Rows of an abstraction, hands of a batch and clusters of flops, a worker killed between two iterations."""
    game = cp.load("no_limit_holdem(ranks=4, stack=4)")
    options = {"deck": game.deck, "public": 3, "progress": False}
    made, again = (
        cp.abstraction("IR-PHS-PHS", (8, 4, 4, 4), processes=who, cache=tmp_path / str(who == 1), **options)
        for who in (1, cluster)
    )
    assert again.digest == made.digest

    class Killer(cp.SilentProgress):
        def show(self, fraction: float | None, figure: str) -> None:
            if "per CPU s" in figure and cluster.lost == before:
                crew = cluster._crew
                assert crew is not None
                cluster._ray.kill(next(iter(crew._actors.values())), no_restart=True)

    for options in ({"iterations": 600, "batch": 50}, {"iterations": 21, "method": "clusters"}):
        before = cluster.lost
        here = cp.train(game, made, threads=1, progress=False, **options)
        there = cp.train(game, made, processes=cluster, progress=Killer(), **options)
        assert here.blueprint.digest == there.blueprint.digest
        assert here.nodes == there.nodes
        assert cluster.lost > before


def timeless(answer: Any) -> Any:
    """Return a JSON answer without what differs from run to run: times, and where files are."""
    if isinstance(answer, list):
        return [timeless(one) for one in answer]
    if not isinstance(answer, dict):
        return answer
    own = ("seconds", "cpu", "memory", "path", "file", "folder", "written", "date")
    return {key: timeless(value) for key, value in answer.items() if not any(word in key for word in own)}


@pytest.mark.long
def test_commands_say_the_same_on_ray(cluster: Cluster, tmp_path: Path, monkeypatch):
    """The JSON of commands with --cluster is what they print without it."""
    monkeypatch.setattr("counterpoise.cluster.connect", lambda where: nullcontext(cluster))
    log = tmp_path / "hands.jsonl"
    cp.match("leduc_poker", ["random", "probe"], 50, duplicate=True, log=log, progress=False)
    small = "limit_holdem(ranks=4)"
    commands: list[tuple[object, ...]] = [
        ("best-response", SMALL, "--agent", f"cepheus:{solved()[0]}"),
        ("arena", "always-call", "probe", "--game", small, "--hands", 20, "--lbr-hands", 4, "--no-memory"),
        ("judge", log),
        ("lbr", "always-call", "--game", small, "--hands", 6, "--actions", "pot"),
    ]
    for words in commands:
        here, there = (json_of(*words, *more) for more in ((), ("--cluster", "local:2")))
        assert timeless(there) == timeless(here)
        assert here


@pytest.mark.long
def test_a_sweep_of_experiments_on_ray(cluster: Cluster, tmp_path: Path, monkeypatch):
    """Experiments that workers of a cluster have run are kept with the claims that they have here."""
    monkeypatch.setattr("counterpoise.cluster.connect", lambda where: nullcontext(cluster))
    kept = tmp_path / "kept.json"
    told = json_of("reproduce", "--all", "--budget", "2s", "--keep", kept, "--cluster", "local:2")
    assert told["done"]
    assert not told["failed"]
    for id in told["done"]:
        _, run, _ = SweepWorker(None).run(id)
        assert run is not None
        assert read_runs(kept).runs[id].claims == run.claims


def json_of(*words: object) -> dict[str, Any]:
    """The JSON answer of a command."""
    result = CliRunner().invoke(app, [*map(str, words), "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert isinstance(answer, dict)
    return answer

"""Open solutions: read once, again when they have changed, let go when memory is short, warmed if they are large."""

from __future__ import annotations

import os
import threading

import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.web import solutions as module
from counterpoise.web.solutions import OpenSolution, Solutions
from tests.web.conftest import SOLVED, TURN


def test_read_once_by_all_who_ask_at_the_same_time(server, monkeypatch):
    read = []
    real = module.load_searchable
    monkeypatch.setattr(module, "load_searchable", lambda path: (read.append(path), real(path))[1])
    found = []
    asking = [threading.Thread(target=lambda: found.append(server.solutions.open(SOLVED))) for _ in range(5)]
    for one in asking:
        one.start()
    for one in asking:
        one.join()
    assert len(read) == 1
    assert all(one is found[0] for one in found)
    assert found[0].node("r:0:c") is found[0].node("r:0:c")


def test_a_file_that_has_changed_is_read_again(server):
    first = server.solutions.open(SOLVED)
    path = server.library.path(SOLVED)
    cp.solve_spot(cp.Spot(**TURN), iterations=7, progress=False, threads=1).save(path)
    os.utime(path, ns=(1, 1))
    again = server.solutions.open(SOLVED)
    assert again is not first
    assert first.closed
    assert again.solved.iterations == 7


def test_the_oldest_is_let_go_when_memory_is_short(server, solved_bytes):
    small = Solutions(server.library, most_mb=1.5 * server.solutions.open(SOLVED).solved.memory_mb)
    (server.library.root / "solutions" / "second.cpz").write_bytes(solved_bytes)
    first = small.open(SOLVED)
    second = small.open("solutions/second.cpz")
    assert first.closed
    assert not second.closed
    assert small.open("solutions/second.cpz") is second
    small.clear()
    assert second.closed


def test_the_first_street_of_a_large_solution_is_computed_beforehand(solved):
    opened = OpenSolution("turn", (0, 0), solved)
    opened.warm()
    for id in ("r:0", "r:0:c", "r:0:b50", "r:0:c:b50"):
        assert "evs" in vars(opened.node(id))
    with pytest.raises(InputError, match="deals a card"):
        opened.decision("r:0:c:c")

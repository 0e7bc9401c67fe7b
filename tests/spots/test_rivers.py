"""Rivers that are solved when they are looked at: once, whoever asks, and without a trace of what was broken off."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.public import Traverser

RIVER = "r:0:b50:c:2h"


@pytest.fixture
def small(solved_turn, tmp_path):
    path = tmp_path / "small.cpz"
    solved_turn.save(path, river=False)
    return path


def test_ctrl_c_leaves_nothing_behind(small, monkeypatch):
    straight = cp.load_solution(small).node(RIVER).rows()
    found, iterate = cp.load_solution(small), Traverser.iterate_below

    def interrupted(self, *arguments):
        iterate(self, *arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Traverser, "iterate_below", interrupted)
        with pytest.raises(KeyboardInterrupt):
            found.node(RIVER)
    np.testing.assert_equal(found.node(RIVER).rows(), straight)


def test_two_threads_solve_a_river_once(small, monkeypatch):
    straight = cp.load_solution(small).node(RIVER).rows()
    found, iterate, solved, rows = cp.load_solution(small), Traverser.iterate_below, [], []

    def slowly(self, *arguments):
        solved.append(arguments[:2])
        time.sleep(0.2)
        iterate(self, *arguments)

    monkeypatch.setattr(Traverser, "iterate_below", slowly)
    threads = [threading.Thread(target=lambda: rows.append(found.node(RIVER).rows())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(solved) == 1
    for seen in rows:
        np.testing.assert_equal(seen, straight)
    assert len(rows) == 2

"""Saved solutions: the same after loading, smaller without the river, refused when anything is wrong."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.store import read_cpz, write_cpz


@pytest.fixture
def saved(solved_turn, tmp_path):
    path = tmp_path / "turn.cpz"
    solved_turn.save(path)
    return path


def test_a_loaded_solution_is_the_same(solved_turn, saved):
    found = cp.load_solution(saved)
    for name in ("spot", "ev", "exploitability_pct", "iterations", "nodes", "seconds", "cpu_seconds", "trace", "bits"):
        assert getattr(found, name) == getattr(solved_turn, name)
    for id in ("r:0", "r:0:b50:c:2h"):
        np.testing.assert_equal(found.node(id).rows(), solved_turn.node(id).rows())


@pytest.mark.parametrize("bits", [16, 32])
def test_without_the_river(turn, bits, tmp_path):
    """Streets before it stay as they were; a river that is solved again is worth the same within the accuracy."""
    whole = cp.solve_spot(turn, target=0.2, bits=bits, progress=False)
    path, small = tmp_path / "whole.cpz", tmp_path / "small.cpz"
    whole.save(path)
    whole.save(small, river=False)
    assert small.stat().st_size < path.stat().st_size / 5
    found = cp.load_solution(small)
    assert found.root.frequencies == pytest.approx(whole.root.frequencies, abs=1e-6)
    assert found.ev == whole.ev
    for id in ("r:0:b50:c:2h", "r:0:b50:c:Ac"):  # a node that is hardly ever reached may be played in many ways
        ours, theirs = found.node(id), whole.node(id)
        assert ours.ev(player="oop") == pytest.approx(theirs.ev(player="oop"), abs=1.0)
    assert found.root.ev() == pytest.approx(whole.root.ev(), abs=0.5)
    found.save(tmp_path / "again.cpz")
    assert cp.load_solution(tmp_path / "again.cpz").root.frequencies == found.root.frequencies
    with pytest.raises(cp.InputError, match="has no river strategies, so that it cannot be resumed"):
        cp.solve_spot(resume=small, iterations=10_000)


def test_a_river_spot_has_no_earlier_street(solved_river, tmp_path):
    with pytest.raises(cp.InputError, match="has no earlier street"):
        solved_river.save(tmp_path / "x.cpz", river=False)
    assert list(tmp_path.iterdir()) == []


def rewritten(path, change_header=None, change_arrays=None):
    header, arrays = read_cpz(path)
    for key in ("format", "version", "kind", "arrays", "checksum"):
        header.pop(key)
    write_cpz(path, "spot", header | (change_header or {}), arrays | (change_arrays or {}))


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ({"spot": {"board": "Ks"}}, "must be given"),
        ({"spot": 3}, "a spot is a table"),
        ({"bits": 8}, "its header is incomplete"),
        ({"bits": 16}, "for another game|holds"),
        ({"river": "yes"}, "its header is incomplete"),
        ({"ev": {"oop": 1}}, "its header is incomplete"),
        ({"exploitability_pct": "x"}, "its header is incomplete"),
        ({"trace": [[1, 2]]}, "its header is incomplete"),
        ({"iterations": None}, "its header is incomplete"),
        ({"iterations": 2.0}, "iterations cannot be 2.0"),
        ({"iterations": -1}, "iterations cannot be -1"),
        ({"iterations": 2**63}, "iterations cannot be 9223372036854775808"),
        ({"iterations": 3}, "its counters are not those of its header"),
        ({"nodes_touched": 2**64}, "nodes_touched cannot be 18446744073709551616"),
        ({"nodes_touched": True}, "nodes_touched cannot be True"),
        ({"trace": [[1, 2.0, -3, 4.0, 5]]}, "trace.0.2 cannot be -3"),
        ({"bits": 32.0}, "bits cannot be 32.0"),
        ({"bits": [32]}, "bits cannot be"),
        ({"reached": 1}, "its header is incomplete"),
        ({"interrupted": None}, "its header is incomplete"),
        ({"digest": "0" * 64}, "its tables are not for this spot as this version builds it"),
        ({"digest": None}, "its tables are not for this spot as this version builds it"),
        ({"algorithm": "magic"}, "unknown algorithm 'magic'"),
        ({"algorithm": "pcfr+"}, "this state is not one of pcfr"),
        ({"river": False}, "array 'average' must have the shape"),
    ],
)
def test_headers_that_lie(saved, header, words):
    rewritten(saved, header)
    with pytest.raises(cp.InputError, match=words) as caught:
        cp.load_solution(saved)
    assert str(saved) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("state.average", lambda array: array[:-1], "for another game"),
        ("state.average", lambda array: array * np.float32("nan"), "not finite"),
        ("state.average", lambda array: array - np.float32(1), "average' holds -.*, and numbers from 0 to"),
        ("state.regrets", lambda array: array.astype(np.float64), "for another game"),
        ("state.counters", lambda array: -array, "counters' holds -.*, and numbers from 0 to"),
        ("state.more", lambda array: np.zeros(3), "not one of dcfr"),
    ],
)
def test_arrays_that_lie(saved, name, change, words):
    arrays = read_cpz(saved)[1]
    rewritten(saved, None, {name: change(arrays.get(name))})
    with pytest.raises(cp.InputError, match=words):
        cp.load_solution(saved)


def test_other_files(saved, tmp_path):
    content = saved.read_bytes()
    saved.write_bytes(content[: len(content) // 2])
    with pytest.raises(cp.InputError, match=r"is not a whole \.cpz file"):
        cp.load_solution(saved)
    run = tmp_path / "run.cpz"
    cp.solve("kuhn_poker", "cfr", iterations=1, progress=False).save(run)
    with pytest.raises(cp.InputError, match="holds a run, not a spot"):
        cp.load_solution(run)
    with pytest.raises(cp.InputError, match="does not exist"):
        cp.load_solution(tmp_path / "missing.cpz")


def test_any_zip_tool_reads_it(saved):
    with zipfile.ZipFile(saved) as file:
        header = json.loads(file.read("header.json"))
        assert header["kind"] == "spot"
        assert header["spot"]["board"] == "Ks 7d 4c Jd"
        assert {"state.average.npy", "state.regrets.npy"} <= set(file.namelist())


def test_tables_of_another_tree_are_refused(saved):
    """A spot that was changed so that every table still has the right shape."""
    header = read_cpz(saved)[0]
    for change in ({"ip": "KdQd,JhTh:0.75,AdTc"}, {"board": "Ks 7d 4c Td"}, {"turn": {"bet": ["60%"]}}):
        rewritten(saved, {"spot": header["spot"] | change})
        with pytest.raises(cp.InputError, match="its tables are not for this spot") as caught:
            cp.load_solution(saved)
        assert str(saved) in str(caught.value)


def test_without_the_river_the_settings_are_checked_too(solved_turn, tmp_path):
    path = tmp_path / "small.cpz"
    solved_turn.save(path, river=False)
    rewritten(path, {"algorithm": "dcfr(updates=simultaneous)"})
    with pytest.raises(cp.InputError, match="does not run on public trees"):
        cp.load_solution(path)
    rewritten(path, {"algorithm": solved_turn.algorithm}, {"state.average": -read_cpz(path)[1]["state.average"]})
    with pytest.raises(cp.InputError, match=r"average' holds -.*, and numbers from 0 to"):
        cp.load_solution(path)


@pytest.mark.parametrize("river", [True, False])
def test_how_the_run_ended_is_saved(turn, river, tmp_path):
    path = tmp_path / "x.cpz"
    solution = cp.solve_spot(turn, iterations=3, target=1e-6, progress=False)
    for interrupted in (True, False):
        replace(solution, interrupted=interrupted).save(path, river=river)
        found = cp.load_solution(path)
        assert (found.reached, found.interrupted) == (False, interrupted)


def test_loaded_to_be_looked_at_only(solved_turn, saved, tmp_path):
    """The same strategies without the regrets, which nothing but resuming and saving needs."""
    found = cp.load_solution(saved, resumable=False)
    assert found.root.rows() == solved_turn.root.rows()
    assert found.node("r:0:b50:c:2h").rows() == solved_turn.node("r:0:b50:c:2h").rows()
    with pytest.raises(cp.InputError, match="looked at only"):
        cp.solve_spot(resume=found, iterations=10_000)
    with pytest.raises(cp.InputError, match="looked at only"):
        found.save(tmp_path / "again.cpz")
    found.save(tmp_path / "small.cpz", river=False)
    assert cp.load_solution(tmp_path / "small.cpz").root.frequencies == found.root.frequencies
    rewritten(saved, None, {"state.average": -read_cpz(saved)[1]["state.average"]})
    with pytest.raises(cp.InputError, match=r"average' holds -.*, and numbers from 0 to"):
        cp.load_solution(saved, resumable=False)

"""Folders of spots: every good file is solved, every bad one reported."""

from __future__ import annotations

import gc
import os
import weakref

import numpy as np
import pytest
from typer.testing import CliRunner

import counterpoise as cp
from counterpoise.cli import app
from counterpoise.spots import Solution, folder, solve_folder
from counterpoise.spots.folder import SolvedFile, solve_files, sort_files, spot_files
from counterpoise.store import read_cpz

COSTS = dict.fromkeys(("seconds", "cpu_seconds", "memory_mb", "trace"))
"""What differs from run to run, and by the number of threads."""


@pytest.mark.slow
def test_good_and_bad_files(river, turn, tmp_path):
    river.save(tmp_path / "b.json")
    turn.save(tmp_path / "a.toml")
    (tmp_path / "bad.toml").write_text("pot = 3")
    (tmp_path / "notes.txt").write_text("not a spot")
    out = tmp_path / "out"
    out.mkdir()
    found = dict(solve_folder(tmp_path, out=out, iterations=5, progress=False))
    assert [path.name for path in found] == ["a.toml", "b.json", "bad.toml"]
    solutions = [value for value in found.values() if isinstance(value, Solution)]
    assert [solution.iterations for solution in solutions] == [5, 5]
    assert "bad.toml: board must be given" in str(found[tmp_path / "bad.toml"])
    assert sorted(path.name for path in out.iterdir()) == ["a.toml.cpz", "b.json.cpz"]
    assert cp.load_solution(out / "a.toml.cpz").ev == solutions[0].ev


def test_files_that_are_plainly_no_spots(river, tmp_path):
    river.save(tmp_path / "river.json")
    (tmp_path / "package.json").write_text('{"name": "something", "version": "1.0"}')
    (tmp_path / "numbers.json").write_text("[1, 2, 3]")
    (tmp_path / "large.json").write_text("[" + "1, " * 2**20 + "1]")
    (tmp_path / "tool.toml").write_text("[tool.ruff]\nline-length = 120")
    (tmp_path / "broken.json").write_text('{"board": ')
    spots, others = sort_files(tmp_path)
    assert [path.name for path in spots] == ["broken.json", "river.json"]
    assert [path.name for path in others] == ["large.json", "numbers.json", "package.json", "tool.toml"]
    (tmp_path / "broken.json").unlink()
    (tmp_path / "river.json").unlink()
    with pytest.raises(cp.InputError, match=r"holds no spot file: none of its \.toml or \.json files has a board"):
        sort_files(tmp_path)


def test_files_are_sorted_once(river, tmp_path, monkeypatch):
    """Telling spots from other files means to parse them."""
    river.save(tmp_path / "a.toml")
    seen, look = [], folder.looks_like_a_spot
    monkeypatch.setattr(folder, "looks_like_a_spot", lambda path: seen.append(path.name) or look(path))
    result = CliRunner().invoke(app, ["spot", str(tmp_path), "-n", "1"], catch_exceptions=False)
    assert result.exit_code == 0
    assert seen == ["a.toml"]


def test_a_spot_on_the_river_is_not_solved_to_be_saved_without_it(river, tmp_path, monkeypatch):
    river.save(tmp_path / "a.toml")
    monkeypatch.setattr("counterpoise.solvers.solver_job.Driver", None)
    ((_, found),) = solve_folder(tmp_path, out=tmp_path, river=False, iterations=1, progress=False)
    assert "has no earlier street" in str(found)


def test_empty_folders(tmp_path):
    with pytest.raises(cp.InputError, match="holds no spot file"):
        list(solve_folder(tmp_path))
    with pytest.raises(cp.InputError, match="is not a folder"):
        list(solve_folder(tmp_path / "missing"))


@pytest.mark.slow
def test_a_solution_is_let_go_before_the_next_is_built(river, tmp_path, monkeypatch):
    for name in ("a", "b", "c"):
        river.save(tmp_path / f"{name}.toml")
    parts = []

    def watch(path, **options):
        assert [part() for part in parts] == [None] * len(parts)
        solution = cp.solve_spot(path, **options)
        parts.extend(weakref.ref(part) for part in (solution.solver, solution.game, solution.stored.average))
        return solution

    monkeypatch.setattr("counterpoise.spots.folder.solve_spot", watch)
    gc.disable()
    try:
        for _, found in solve_folder(tmp_path, iterations=1, progress=False):
            assert found.root.player == "oop"  # a node and its solution know each other
            assert found.root.ev() > 0  # and looking into a game keeps scratch rows for it
            del found
    finally:
        gc.enable()
    assert len(parts) == 9


@pytest.mark.slow
@pytest.mark.parametrize("error", [MemoryError, RecursionError])
def test_limits_of_the_machine_end_one_spot_only(river, tmp_path, monkeypatch, error):
    for name in ("a", "b"):
        river.save(tmp_path / f"{name}.toml")

    def fail_on_a(path, **options):
        if path.stem == "a":
            raise error
        return cp.solve_spot(path, **options)

    monkeypatch.setattr("counterpoise.spots.folder.solve_spot", fail_on_a)
    first, second = (found for _, found in solve_folder(tmp_path, iterations=1, progress=False))
    assert isinstance(first, cp.InputError)
    assert "a.toml: the " in str(first)
    assert isinstance(second, Solution)


class Watched(cp.SilentProgress):
    """Keeps in which order a display is used."""

    def __init__(self):
        self.seen = []

    def __enter__(self):
        self.seen.append("enter")
        return self

    def __exit__(self, *error):
        self.seen.append("exit")

    def begin(self, job):
        self.seen.append("begin")


def test_a_display_of_processes_is_started_and_ended(tmp_path):
    (tmp_path / "a.toml").write_text("pot = 3")
    display = Watched()
    ((_, found),) = solve_files([tmp_path / "a.toml"], processes=2, progress=display)
    assert isinstance(found, cp.InputError)
    assert display.seen == ["enter", "begin", "exit"]


@pytest.mark.long
def test_processes_find_the_same_and_runs_continue(river, turn, tmp_path):
    river.save(tmp_path / "b.json")
    turn.save(tmp_path / "c.toml")
    (tmp_path / "a.toml").write_text("pot = 3")
    (tmp_path / "d.toml").write_text("pot = 3")
    found = {}
    for count in (1, 2):
        out = tmp_path / str(count)
        out.mkdir()
        options = {"out": out, "processes": count, "progress": False}
        list(solve_files(spot_files(tmp_path)[:2], iterations=2, **options))
        found[count] = list(solve_files(spot_files(tmp_path), iterations=4, resume=out, **options))
    for (path, one), (same, two) in zip(*found.values(), strict=True):
        assert path == same
        if isinstance(one, SolvedFile):
            assert {**one.figures, **COSTS} == {**two.figures, **COSTS}
            assert one.figures["iterations"] == 4
        else:
            assert str(one) == str(two)
    for name in ("b.json.cpz", "c.toml.cpz"):
        arrays = [read_cpz(tmp_path / str(count) / name)[1] for count in (1, 2)]
        assert all(np.array_equal(arrays[0][key], arrays[1][key]) for key in arrays[0])


def test_an_earlier_solution_that_is_no_file_is_refused_before_any_work(river, tmp_path):
    """Workers are sent the bytes of earlier solutions: reading a pipe or a device would not end."""
    river.save(tmp_path / "river.toml")
    earlier = tmp_path / "river.toml.cpz"
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        make(earlier)
        ((_, found),) = solve_files(spot_files(tmp_path), iterations=4, resume=tmp_path, processes=2, progress=False)
        assert isinstance(found, cp.InputError)
        assert "is a folder or a device, not a solved spot" in str(found)
        earlier.unlink()

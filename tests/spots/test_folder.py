"""Folders of spots: every good file is solved, every bad one reported."""

from __future__ import annotations

import pytest

import counterpoise as cp
from counterpoise.spots import Solution, solve_folder


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


def test_empty_folders(tmp_path):
    with pytest.raises(cp.InputError, match="holds no spot file"):
        list(solve_folder(tmp_path))
    with pytest.raises(cp.InputError, match="is not a folder"):
        list(solve_folder(tmp_path / "missing"))

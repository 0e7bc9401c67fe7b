"""`counterpoise solve --out-of-core`: the estimate, what is refused, and what is told of the first round."""

from __future__ import annotations

import sys

from tests.solvers.out_of_core.small import SMALL


def test_no_ray_is_a_sentence(tmp_path, monkeypatch, refuse):
    monkeypatch.setitem(sys.modules, "ray", None)
    told = refuse("solve", SMALL, "--out-of-core", tmp_path / "run", "-n", "1", "--cluster", "local:1")
    assert "[cluster]" in told


def test_what_is_not_for_it_is_refused(tmp_path, refuse):
    folder = tmp_path / "run"
    assert "--estimate makes no sense here: it is for --out-of-core" in refuse("solve", "kuhn_poker", "--estimate")
    assert "--iterations makes no sense here: --estimate solves nothing" in refuse(
        "solve", SMALL, "--out-of-core", folder, "--estimate", "-n", "3"
    )
    assert "--out-of-core needs the game too" in refuse("solve", "--out-of-core", folder, "--estimate")


def test_an_estimate_starts_nothing(tmp_path, ask):
    found = ask("solve", SMALL, "--out-of-core", tmp_path / "run", "--estimate")
    assert (found["information_sets"], found["parts"], found["workers"]) == (7_542, 1, 1)
    assert found["free_disk_mb"] > 0
    assert not (tmp_path / "run").exists()


def test_the_command_tells_of_the_first_round(tmp_path, ask, call):
    found = ask("solve", SMALL, "--out-of-core", tmp_path / "run", "-n", 2)
    assert set(found) >= {"value_bracket", "bits_per_regret", "disk_mb", "all_zero", "first_round", "limps", "caps"}
    again = call("solve", SMALL, "--out-of-core", tmp_path / "run", "-n", 2)
    assert "the dealer limps with" in again.stdout

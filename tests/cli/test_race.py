"""`counterpoise race`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.names import split_outside_brackets
from counterpoise.solvers.race import DEFAULT_ALGORITHMS


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("cfr", ["cfr"]),
        ("cfr,cfr+ , lcfr", ["cfr", "cfr+", "lcfr"]),
        ("dcfr(alpha=1.5,beta=0),cfr+/rbp", ["dcfr(alpha=1.5,beta=0)", "cfr+/rbp"]),
        ("a(x=[1,(2,3)]),b", ["a(x=[1,(2,3)])", "b"]),
        ("cfr,", ["cfr", ""]),
    ],
)
def test_only_commas_outside_brackets_separate(text: str, names: list[str]) -> None:
    assert split_outside_brackets(text, ",") == names


def test_ranks_by_exploitability(ask: Any) -> None:
    answer = ask("race", "leduc_poker", "-a", "cfr,cfr+,dcfr(alpha=1.5,beta=0.5)", "-n", 60)
    results = answer["results"]
    assert {result["algorithm"] for result in results} == {"cfr", "cfr+", "dcfr(beta=0.5)"}
    assert [result["exploitability"] for result in results] == sorted(result["exploitability"] for result in results)
    assert all(result["iterations"] == 60 and result["trace"] for result in results)
    run = cp.solve("leduc_poker", "cfr+", iterations=60)
    assert next(r for r in results if r["algorithm"] == "cfr+")["exploitability"] == run.exploitability


def test_table_and_plot(call: Any) -> None:
    result = call("race", "kuhn_poker", "-n", 50, "--plot", "race.svg", "--x", "nodes_touched")
    assert result.exit_code == 0
    for part in ("algorithm", "exploitability", "per second", "cfr+", "lcfr", "dcfr", "plot: race.svg"):
        assert part in result.stdout
    drawing = Path("race.svg").read_text()
    assert "<svg" in drawing


def test_repeated_option(ask: Any) -> None:
    assert len(ask("race", "kuhn_poker", "-a", "cfr", "-a", "cfr+,lcfr", "-n", 5)["results"]) == 3


def test_target_missed_by_one(call: Any) -> None:
    words = ("race", "leduc_poker", "-a", "cfr,cfr+", "-n", 100, "--target", 0.03)
    result = call(*words)
    assert result.exit_code == 1
    assert "reached" in result.stdout
    assert "not reached" in result.stdout
    assert [r["reached"] for r in json.loads(call(*words, "--json").stdout)["results"]] == [True, False]


def test_interrupted_race_keeps_what_it_has(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from counterpoise.jobs import Driver
    from counterpoise.solvers import solver_job

    class Stopped(Driver[Any, Any]):
        def run(self) -> cp.Run:
            run = super().run()
            if run.algorithm != "cfr+":
                return run
            assert self.cancel is not None
            self.cancel.cancel()
            return replace(run, interrupted=True)

    monkeypatch.setattr(solver_job, "Driver", Stopped)
    result = call("race", "kuhn_poker", "-a", "cfr,cfr+,dcfr", "-n", 5, "--plot", "race.png", "--json")
    assert result.exit_code == 1
    answer = json.loads(result.stdout)
    assert answer["interrupted"]
    assert {r["algorithm"] for r in answer["results"]} == {"cfr", "cfr+"}
    assert Path("race.png").exists()
    assert "Ctrl-C" in call("race", "kuhn_poker", "-a", "cfr,cfr+,dcfr", "-n", 5).stdout


def test_help_names_the_default(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert f"Default: {DEFAULT_ALGORITHMS}." in call("race", "--help").stdout

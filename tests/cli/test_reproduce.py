"""`counterpoise reproduce`, with an experiment of its own so that nothing long runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from counterpoise.plots import Curve, Panel
from counterpoise.progress import duration
from counterpoise.reproduce import EXPERIMENTS, Claim, Experiment, NotMeasured, Table
from counterpoise.reproduce.harness.experiment import Registry
from counterpoise.reproduce.harness.report import Figure


def _too_large() -> tuple[bool, str]:
    raise NotMeasured("too large here")


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Registers experiment "toy" and notes the labs in which it runs."""
    labs: list[Any] = []

    def body(lab: Any) -> Any:
        labs.append(lab)
        yield Table("A caption", ["method", "ours", "published"], [["dcfr", "1.0 [x]", 1.1]])
        yield Table("Another", ["method", "ours", "reference"], [["cfr", 1.0, 1.05], ["cfr+", 2.0, 2.5]])
        yield Claim("faster", lambda: (True, "1.0 < 1.1"))
        yield Claim("moon", lambda: (False, ""))
        yield Claim("larger", _too_large)
        yield "A note."
        yield Figure("A figure", [Panel({"ours": Curve([1, 10], [1, 0.1])})])
        lab.interrupted = len(labs) > 1

    claims = {"faster": "dcfr is faster", "moon": "the moon is green", "larger": "larger games"}
    toy = Experiment("toy", "A toy", "Brown 2020, section 0.0", 5.0, body, claims=claims)
    monkeypatch.setattr("counterpoise.reproduce.EXPERIMENTS", Registry({"toy": toy}))
    return labs


def test_list(call: Any, ask: Any) -> None:
    listed = ask("reproduce", "--list")["experiments"]
    assert [entry["id"] for entry in listed] == list(EXPERIMENTS)
    told = call("reproduce", "--list")
    assert told.exit_code == 0
    assert all(entry["id"] in told.stdout and entry["source"] in told.stdout for entry in listed)
    assert all(entry["seconds"] > 0 and duration(entry["seconds"]) in told.stdout for entry in listed)


def test_report_for_people(call: Any, seen: list[Any]) -> None:
    result = call("reproduce", "toy", "--out", "figures/new")
    assert result.exit_code == 0
    for part in ("A toy", "A caption", "1.0 [x]", "published", "A note.", "figures/new/toy.png"):
        assert part in result.stdout
    assert "Another: cfr+ (ours 2 for 2.5)" in result.stdout
    assert "Why: no cause is known" in result.stdout
    verdicts = [
        line.split("  ")[0].strip() for line in result.stdout.splitlines() if "hold" in line or "decided" in line
    ]
    assert "about 5 s" in result.stderr
    assert "does not hold  the moon is green" in result.stdout
    assert "not decided  larger games (not measured: too large here)" in result.stdout
    assert len(verdicts) == 3


def test_report_for_programs(call: Any, seen: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COUNTERPOISE_DATA", str(tmp_path))
    result = call("reproduce", "toy", "--json")
    assert result.exit_code == 0
    answer = json.loads(result.stdout)
    assert [claim["holds"] for claim in answer["claims"]] == [True, False, None]
    assert [claim["id"] for claim in answer["claims"]] == ["faster", "moon", "larger"]
    assert answer["tables"][0]["rows"] == [{"method": "dcfr", "ours": "1.0 [x]", "published": "1.1"}]
    assert answer["figures"] == []
    assert seen[0].folder == tmp_path


def test_interrupted(call: Any, seen: list[Any]) -> None:
    assert call("reproduce", "toy").exit_code == 0
    assert call("reproduce", "toy").exit_code == 1


def test_folders_are_checked_before_it_runs(refuse: Any, seen: list[Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "--data must be a folder, not missing" in refuse("reproduce", "toy", "--data", "missing")
    assert "cannot make the folder" in refuse("reproduce", "toy", "--out", tmp_path / "file")
    assert not seen


def test_seconds_only_where_there_is_a_budget(call: Any, seen: list[Any]) -> None:
    refused = call("reproduce", "toy", "--seconds", "60")
    assert refused.exit_code == 2
    assert "toy has a fixed size: it takes no number of seconds" in refused.stderr
    assert not seen


def test_runs_are_kept_listed_and_not_repeated(call: Any, ask: Any, refuse: Any, seen: list[Any]) -> None:
    """--keep writes a run with commit and machine, --list shows it, and --all goes on where it was."""
    assert call("reproduce", "toy", "--keep", "kept.json").exit_code == 0
    kept = json.loads(Path("kept.json").read_text())["runs"]["toy"]
    assert [(claim["holds"], claim["reason"]) for claim in kept["claims"]] == [
        (True, ""),
        (False, ""),
        (None, "not measured"),
    ]
    assert kept["commit"]
    assert "cores" in kept["machine"]
    assert ask("reproduce", "--list", "--keep", "kept.json")["experiments"][0]["last_run"] == kept
    listed = call("reproduce", "--list", "--keep", "kept.json").stdout
    assert "1 holds, 1 does not hold" in " ".join(listed.split())
    assert "none kept" in call("reproduce", "--list", "--keep", "none.json").stdout
    Path("broken.json").write_text('{"runs": {"toy": {"commit": 1}}}')
    assert "broken.json is not a file of kept runs" in refuse("reproduce", "--list", "--keep", "broken.json")


def test_all_wants_a_budget_and_a_file(refuse: Any, seen: list[Any]) -> None:
    assert "--all needs --budget TIME" in refuse("reproduce", "--all", "--keep", "kept.json")
    assert "--all needs --keep FILE" in refuse("reproduce", "--all", "--budget", "1h")
    assert "'soon' is not a time: write a number with h, min or s" in refuse("reproduce", "--all", "--budget", "soon")
    assert "leave out 'toy'" in refuse("reproduce", "toy", "--all", "--budget", "1h", "--keep", "kept.json")
    assert "--budget says what --all may take" in refuse("reproduce", "toy", "--budget", "1h")
    assert not seen

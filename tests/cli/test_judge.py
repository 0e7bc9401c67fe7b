"""The command `counterpoise judge`."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import counterpoise as cp

GAME = "limit_holdem"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A short log of our own."""
    path = tmp_path / "hands.log"
    cp.match(GAME, ["always-call", "always-raise"], 6, duplicate=True, log=path, progress=False)
    return path


@pytest.mark.slow
def test_judge_json(ask: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    """Agents with their estimates; one option judges one agent, another evaluates a strategy on its hands."""
    path = tmp_path / "leduc.jsonl"
    cp.match("leduc_poker", ["random", "probe"], 50, duplicate=True, log=path, progress=False)
    found = ask("judge", path, "--verdict", "--plot", tmp_path / "a.svg")
    assert [agent["name"] for agent in found["agents"]] == ["random", "probe"]
    assert found["agents"][0]["estimates"][0]["name"] == "money"
    assert found["verdicts"]["random"]["rows"]["money"]
    assert (tmp_path / "a.svg").exists()
    other = ask("judge", path, "--agent", "random=always-call")
    assert [(agent["name"], agent["evaluated"]) for agent in other["agents"]] == [("random", "always-call")]
    assert len(ask("judge", path, "--agent", "probe")["agents"]) == 1
    hidden = ask("judge", path, "--partial", "--agent", "probe")["agents"][0]
    assert "aivat" not in [one["name"] for one in hidden["estimates"]]


def test_judge_tells_people(call: Callable[..., Any], tmp_path: Path) -> None:
    """Tables with a row for each estimator."""
    path = tmp_path / "leduc.jsonl"
    cp.match("leduc_poker", ["random", "probe"], 50, duplicate=True, log=path, progress=False)
    text = call("judge", path, "--verdict").stdout
    assert "leduc_poker · 50 deals in up to 2 rooms · 100 hands" in text
    assert "probe · followed probe" in text
    assert "verdict/significant" in text
    own = cp.judge(path, progress=False)["probe"]
    unbiased = [one for one in own.estimates if not one.biased and one.name != "money, rooms apart"]
    assert own.recommended == min(unbiased, key=lambda one: one.ci95)
    assert f"read {own.recommended.title}: it has the narrowest interval of {len(unbiased)}" in " ".join(text.split())
    money = own.found.series["money"]
    series = {"money": money, "aivat": replace(money, name="aivat", values=2 * money.values)}
    told = replace(own, found=replace(own.found, series=series)).advice()
    assert told[0].startswith("read money: ")
    assert "aivat is wider than money here" in told[1]


def test_judge_refuses_bad_logs(refuse: Callable[..., str], log: Path) -> None:
    """A hand that is missing, a card that cannot be there and payoffs that do not sum to zero: the line is named."""
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[:3] + lines[4:]))
    assert "line 4: hand 2 is missing" in refuse("judge", log)
    cards = lines[1].split(":")[3]
    log.write_text("".join([lines[0], lines[1].replace(cards[:2], cards[2:4], 1), *lines[2:]]))
    assert "line 2" in refuse("judge", log)
    parts = lines[1].split(":")
    parts[4] = "100|100"
    log.write_text("".join([lines[0], ":".join(parts), *lines[2:]]))
    sentence = refuse("judge", log)
    assert "line 2: the payoffs are 100|100, which do not sum to 0" in sentence
    log.write_text("".join(lines[1:]))
    assert "does not say which game it is of" in refuse("judge", log)


def test_judge_refuses_wrong_options(refuse: Callable[..., str], log: Path) -> None:
    """Options that are not as they should be."""
    assert "--known must be NAME=AGENT, not 'probe'" in refuse("judge", log, "--known", "probe")
    assert "bob did not play in these hands" in refuse("judge", log, "--agent", "bob")
    assert "rooms must be sum or mean" in refuse("judge", log, "--verdict", "--rooms", "both")
    assert "must end in .png, .svg or .pdf" in refuse("judge", log, "--plot", "a.txt")
    assert "cannot read" in refuse("judge", "nothing.log")

"""`counterpoise solve`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterpoise as cp


def test_json_has_the_documented_keys(ask: Any) -> None:
    answer = ask("solve", "kuhn_poker", "-a", "cfr+", "-n", 500)
    documented = "game algorithm iterations exploitability nash_conv value seconds cpu_seconds nodes_touched trace"
    assert set(documented.split()) <= set(answer)
    assert answer["game"] == "kuhn_poker"
    assert answer["algorithm"] == "cfr+"
    assert answer["iterations"] == 500
    assert answer["value"][0] == pytest.approx(-1 / 18, abs=1e-3)
    assert answer["nash_conv"] == pytest.approx(2 * answer["exploitability"])
    assert answer["trace"][-1] == {
        "iteration": 500,
        "exploitability": answer["exploitability"],
        "nodes_touched": answer["nodes_touched"],
        "seconds": answer["seconds"],
        "live_bytes": 26 * 4 * 8,  # four tables of 13 sequences per player
    }
    assert answer["guarantee"] is True
    assert not answer["interrupted"]


def test_json_agrees_with_the_library(ask: Any) -> None:
    run = cp.solve("leduc_poker", "dcfr", iterations=50)
    assert ask("solve", "leduc_poker", "-n", 50)["exploitability"] == run.exploitability


def test_default_is_a_thousand_iterations_of_dcfr(ask: Any) -> None:
    answer = ask("solve", "kuhn_poker")
    assert (answer["algorithm"], answer["iterations"]) == ("dcfr", 1000)


def test_target_decides_the_exit_code(call: Any) -> None:
    reached = call("solve", "kuhn_poker", "--target", 0.01, "--json")
    assert reached.exit_code == 0
    assert json.loads(reached.stdout)["exploitability"] <= 0.01
    missed = call("solve", "kuhn_poker", "--target", 1e-9, "-n", 10, "--json")
    assert missed.exit_code == 1
    assert json.loads(missed.stdout)["reached"] is False
    told = call("solve", "kuhn_poker", "--target", 1e-9, "-n", 10)
    assert told.exit_code == 1
    assert "not reached" in told.stdout


def test_table_for_people(call: Any) -> None:
    result = call("solve", "kuhn_poker", "-a", "cfr+", "-n", 100, "--out", "k.cpz", "--plot", "k.png")
    assert result.exit_code == 0
    for part in ("kuhn_poker", "cfr+", "player 1: -0.05", "exploitability", "NashConv", "per second", "k.cpz", "k.png"):
        assert part in result.stdout
    assert "guarantee" not in result.stdout
    assert "55 histories, 12 information sets" in result.stderr
    assert "\x1b" not in result.output
    assert Path("k.png").read_bytes().startswith(b"\x89PNG")
    assert cp.load_run("k.cpz").iterations == 100


def test_says_when_there_is_no_guarantee(call: Any, ask: Any) -> None:
    three = call("solve", "kuhn_poker(players=3)", "-n", 10)
    assert "No equilibrium guarantee" in three.stdout
    assert "3 players" in three.stdout
    modified = call("solve", "kuhn_poker(players=3)", "-a", "cfr/partial-pruning", "-n", 10)
    assert "and cfr/partial-pruning is guaranteed" in " ".join(modified.stdout.split())
    general = "matrix(row_payoffs=[[3, 0], [5, 1]], column_payoffs=[[3, 5], [0, 1]])"
    assert "not zero-sum" in call("solve", general, "-n", 10).stdout
    assert "no theorem covers" in call("solve", "kuhn_poker", "-a", "cfr(output=current)", "-n", 10).stdout
    assert ask("solve", general, "-n", 10)["guarantee"] is False


def test_resumed_equals_uninterrupted(ask: Any) -> None:
    ask("solve", "leduc_poker", "-a", "dcfr(beta=0.5)", "-n", 60, "--out", "half.cpz")
    resumed = ask("solve", "--resume", "half.cpz", "-n", 130, "--out", "half.cpz")
    whole = ask("solve", "leduc_poker", "-a", "dcfr(beta=0.5)", "-n", 130, "--out", "whole.cpz")
    assert resumed["algorithm"] == whole["algorithm"]
    assert resumed["exploitability"] == whole["exploitability"]
    first, second = cp.load_run("half.cpz"), cp.load_run("whole.cpz")
    assert first.strategy == second.strategy
    assert all(np.array_equal(first.state[name], second.state[name]) for name in second.state)


def test_warm_start(call: Any, ask: Any) -> None:
    """The choice goes to standard error and into the JSON; -n counts from there; the file resumes as any other."""
    ask("solve", "leduc_poker", "-a", "dcfr", "-n", 30, "--out", "given.cpz")
    told = call("solve", "leduc_poker", "-a", "cfr", "--warm-start", "given.cpz", "-n", 100, "--out", "warm.cpz")
    assert told.exit_code == 0
    assert "T = 139 iterations, lambda = 7.68e-06" in told.stderr
    assert "(conditions of theorem 6 of Brown 2020, section 3.2 met)" in told.stderr
    assert "worth 139 of the iterations" in told.stdout
    assert re.search(r"iterations +239 ", told.stdout)
    answer = ask("solve", "leduc_poker", "-a", "cfr", "--warm-start", "given.cpz", "-n", 100)
    assert answer["iterations"] == 239
    assert answer["warm_start"]["iterations"] == answer["trace"][0]["iteration"] == 139
    assert answer["warm_start"]["exploitability"] == pytest.approx(answer["trace"][0]["exploitability"])
    assert answer["warm_start"]["covered"] is True
    chosen = ask("solve", "leduc_poker", "-a", "cfr", "--warm-start", "given.cpz", "--warm-iterations", 50, "-n", 1)
    assert chosen["iterations"] == 51
    resumed = ask("solve", "--resume", "warm.cpz", "-n", 101)
    assert (resumed["iterations"], resumed["warm_start"]) == (240, answer["warm_start"])
    again = call("solve", "--resume", "warm.cpz", "-n", 100)
    assert "warm.cpz has 100 iterations already" in again.stderr
    assert ask("solve", "leduc_poker", "--warm-start", "given.cpz", "-n", 1)["algorithm"] == "cfr"
    warned = call("solve", "leduc_poker", "-a", "dcfr", "--warm-start", "given.cpz", "-n", 1).stderr
    assert "no theorem covers warm starts of this algorithm: a good strategy may get worse" in warned
    assert ask("solve", "leduc_poker", "-n", 1)["warm_start"] is None


def test_resume_takes_the_same_game_and_algorithm_named_again(ask: Any) -> None:
    ask("solve", "kuhn_poker", "-a", "cfr+", "-n", 10, "--seed", 4, "--out", "k.cpz")
    answer = ask("solve", "kuhn_poker", "-a", "cfr+", "-n", 20, "--resume", "k.cpz")
    assert (answer["iterations"], answer["seed"]) == (20, 4)
    assert cp.load_run("k.cpz").iterations == 10


def test_resume_past_the_end_says_so(call: Any, ask: Any) -> None:
    ask("solve", "kuhn_poker", "-n", 2000, "--out", "k.cpz")
    result = call("solve", "--resume", "k.cpz")
    assert result.exit_code == 0
    assert "nothing was left to do" in result.stderr


def test_seconds_stop_a_run(ask: Any) -> None:
    answer = ask("solve", "kuhn_poker", "--seconds", 0.2)
    assert answer["iterations"] > 1
    assert answer["reached"]


def test_interrupt_before_the_first_iteration(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("counterpoise.solvers.run.enumerate_game", interrupt)
    result = call("solve", "kuhn_poker", "--out", "k.cpz")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == "error: interrupted before there was a result\n"
    assert not Path("k.cpz").exists()


def test_shows_the_strategy_and_the_first_iterations(call: Any, ask: Any, refuse: Any) -> None:
    told = call("solve", "kuhn_poker", "-a", "cfr", "-n", 3, "--every", 2, "--show").stdout
    assert "kuhn_poker · cfr · iteration 2 · exploitability" in told
    assert "kuhn_poker · cfr · iteration 3 · exploitability" in told
    assert "probabilities in 12 information sets" in told
    answer = ask("solve", "kuhn_poker", "-a", "cfr", "-n", 3, "--every", 2, "--show", "--out", "k.cpz")
    solver = cp.solver("kuhn_poker", "cfr")
    for wanted, seen in zip((2, 3), answer["snapshots"], strict=True):
        solver.step(wanted - solver.iteration)
        assert seen == solver.snapshot().to_json() | {"exploitability": solver.exploitability()}
    assert answer["strategy"] == solver.average.to_json()
    assert ask("evaluate", "k.cpz", "--strategy")["strategy"] == answer["strategy"]
    assert "probabilities in 12 information sets" in call("evaluate", "k.cpz", "--strategy").stdout
    assert "--every needs -n" in refuse("solve", "kuhn_poker", "--every", 1)
    assert "choose a larger N" in refuse("solve", "kuhn_poker", "-n", 5000, "--every", 1)
    assert "--strategy makes no sense here" in refuse("evaluate", "random", "--strategy")

"""`counterpoise best-response`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import counterpoise as cp

KEYS = (
    "agent best_response_value board_count cpu_seconds exploitability finished flops game half_width interrupted "
    "mbb_per_game method seconds unit value value_bracket"
)


def test_json_of_limit_holdem(ask: Callable[..., dict[str, Any]]) -> None:
    found = ask("best-response", "limit_holdem(board=[0, 3], ranks=5)", "--agent", "always-raise", "--threads", 1)
    assert sorted(found) == KEYS.split()
    library = cp.best_response_to("limit_holdem(board=[0, 3], ranks=5)", "always-raise", progress=False)
    assert found["mbb_per_game"] == found["exploitability"] == library.mbb_per_game
    assert (found["unit"], found["method"], found["board_count"]) == ("mbb", "hands alike", 96)
    assert found["value_bracket"] == [-found["best_response_value"][1], found["best_response_value"][0]]


def test_small_games_are_enumerated(ask: Callable[..., dict[str, Any]], call: Callable[..., Result]) -> None:
    found = ask("best-response", "kuhn_poker", "--agent", "always-call")
    assert (found["method"], found["unit"], found["mbb_per_game"], found["board_count"]) == (
        "enumeration",
        "antes",
        None,
        None,
    )
    assert found["best_response_value"] == pytest.approx([1 / 3, 1 / 3])
    result = call("best-response", "kuhn_poker", "--agent", "always-call")
    assert "0.3333333 antes per game" in result.stdout
    assert "the enumerated game" in result.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["no_limit_holdem", "--agent", "probe"], "in no-limit hold'em use counterpoise lbr"),
        (["limit_holdem(seats=3)", "--agent", "probe"], "is computed for two seats; let agents play each other"),
        (["limit_holdem", "--agent", "prob"], "unknown agent 'prob': did you mean probe?"),
        (
            ["limit_holdem", "--agent", "probe", "--threads", "0"],
            "--threads must be a whole number from 1 to 1024, not 0",
        ),
        (["limit_holdem(max_bets=40)", "--agent", "probe"], "take a smaller max_bets"),
        (["limit_holdem(whole_chips=True, rake=5)", "--agent", "probe"], "leave out whole_chips or rake"),
        (
            ["limit_holdem", "--agent", "probe", "--resume", "x.cpz"],
            "--resume must be left out here: probe ignores",
        ),
        (
            ["limit_holdem", "--agent", "probe", "--flops", "60"],
            "--flops must be left out here: probe ignores",
        ),
        (["limit_holdem", "--agent", "probe", "--estimate"], "probe ignores its cards: that takes a minute at most"),
        (
            ["leduc_poker", "--agent", "probe", "--resume", "x.cpz"],
            "--resume must be left out here: the game is",
        ),
        (
            ["leduc_poker", "--agent", "probe", "--processes", "2"],
            "--processes must be left out here: the game is",
        ),
        (
            ["limit_holdem", "--agent", "probe", "--processes", "2"],
            "--processes must be left out here: probe ignores",
        ),
        (["kuhn_poker", "--agent", "human"], "human does not say what it would do with other hands"),
    ],
)
def test_wrong_input(call: Callable[..., Result], words: list[str], sentence: str) -> None:
    result = call("best-response", *words)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_walk_that_is_kept_and_its_estimate(ask: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    game, file = "limit_holdem(board=[0, 3], ranks=4, suits=2, max_bets=1)", tmp_path / "run.cpz"
    cp.solve(game, "cfr+", iterations=2, progress=False).save(file)
    words = ("best-response", game, "--agent", f"strategy:{file}")
    found = ask(*words, "--resume", tmp_path / "walk.cpz")
    assert (found["method"], found["board_count"], found["finished"]) == ("boards", 28, 1.0)
    assert found["mbb_per_game"] == pytest.approx(1000 * cp.evaluate_strategy(file).exploitability / 2)
    assert ask(*words, "--resume", tmp_path / "walk.cpz")["mbb_per_game"] == found["mbb_per_game"]
    estimate = ask(*words, "--estimate", "--threads", 1)
    assert (estimate["board_count"], estimate["line_by_line"], estimate["threads"]) == (28, True, 1)
    assert estimate["cpu_seconds"] > 0

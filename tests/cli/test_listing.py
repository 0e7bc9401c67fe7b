"""`counterpoise games`, `counterpoise algorithms`, and the help texts."""

from __future__ import annotations

from typing import Any

import pytest

from counterpoise.games import GAMES
from counterpoise.solvers import ALGORITHMS


def test_games(call: Any, ask: Any) -> None:
    told = call("games").stdout
    listed = {entry["name"]: entry for entry in ask("games")["games"]}
    assert set(listed) == set(GAMES)
    assert all(entry["description"] for entry in listed.values())
    players = listed["kuhn_poker"]["parameters"]["players"]
    assert (players["default"], players["meaning"][:5]) == (2, "Seats")
    for name in GAMES:
        assert name in told


def test_algorithms(call: Any, ask: Any) -> None:
    told = call("algorithms").stdout
    listed = {entry["name"]: entry for entry in ask("algorithms")["algorithms"]}
    assert set(listed) == set(ALGORITHMS)
    assert all(entry["description"] and entry["source"] for entry in listed.values())
    assert listed["dcfr"]["parameters"]["alpha"]["default"] == 1.5
    assert listed["cfr"]["parameters"]["updates"]["allowed"] == ["alternating", "simultaneous"]
    assert "alpha=1.5" in told
    assert listed["dcfr"]["source"] in told


def test_every_parameter_has_a_meaning(ask: Any) -> None:
    listed = ask("algorithms")
    for entry in [*listed["algorithms"], *listed["modifiers"]]:
        for name, about in entry["parameters"].items():
            assert about.get("meaning", "").endswith("."), f"{entry['name']}: {name}"


def test_explains_one_algorithm_with_its_modifiers(call: Any, ask: Any, refuse: Any) -> None:
    """Settings are explained with default, choices and meaning; inherited ones too."""
    told = call("algorithms", "cfr+/rbp(theta=10)").stdout
    for words in ("theta", "25.0", "expected to stay negative", "alternating, simultaneous", "linear"):
        assert words in told
    parts = ask("algorithms", "cfr+/rbp")["parts"]
    assert [part["name"] for part in parts] == ["cfr+", "rbp"]
    assert parts[0]["parameters"]["updates"]["allowed"] == ["alternating", "simultaneous"]
    assert "this iteration" in parts[0]["parameters"]["updates"]["meaning"]
    assert ask("algorithms", "cfr+/rbp(theta=10)")["parts"][1]["parameters"]["theta"]["value"] == 10
    assert next(line.split()[:3] for line in told.splitlines() if "theta" in line) == ["theta", "10", "25.0"]
    assert [part["name"] for part in ask("algorithms", "threshold")["parts"]] == ["threshold"]
    assert ask("algorithms", "deep-cfr(steps=7)")["parts"][0]["parameters"]["steps"]["value"] == 7
    for wrong, right in {"dcfrr": "dcfr", "tresholt": "threshold", "deep-crf": "deep-cfr", "rebell": "rebel"}.items():
        assert f"did you mean {right}" in refuse("algorithms", wrong)
    assert "unknown modifier" in refuse("algorithms", "cfr/cfr")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("cfr(foo=3)", "algorithm 'cfr' has no parameter 'foo'"),
        ("cfr+/rbp(theta=banana)", "theta must be"),
        ("rbp(theta=banana)", "theta must be"),
        ("rbp(banana=1)", "modifier 'rbp' has no parameter 'banana'"),
        ("egt/rbp", "egt"),
        ("cfr/rbp/rbp", "rbp"),
        ("rbp/cfr", "unknown algorithm 'rbp'"),
        ("cfr/", "a modifier's name is missing after the slash"),
        ("", "unknown algorithm ''"),
    ],
)
def test_settings_that_solve_refuses_are_refused(refuse: Any, name: str, sentence: str) -> None:
    told = refuse("algorithms", name)
    assert sentence in told
    if "rbp" not in name.partition("(")[0].split("/")[0]:
        assert refuse("solve", "kuhn_poker", "-a", name) == told


def test_one_line_per_entry_when_nobody_looks(call: Any) -> None:
    lines = call("algorithms").stdout.splitlines()
    assert len([line for line in lines if line.split()[0] in ALGORITHMS]) == len(list(ALGORITHMS))


@pytest.mark.parametrize("command", ["", "games", "algorithms", "solve", "race", "evaluate", "reproduce"])
def test_help(call: Any, command: str) -> None:
    result = call(*command.split(), "--help")
    assert result.exit_code == 0
    assert "Usage: counterpoise" in result.stdout
    if command:
        assert f"$ counterpoise {command}" in result.stdout


def test_without_a_command_the_help_is_shown(call: Any) -> None:
    result = call()
    assert result.exit_code == 0
    assert "solve" in result.stdout


def test_version(call: Any) -> None:
    import counterpoise

    assert call("--version").stdout == f"counterpoise {counterpoise.__version__}\n"


def test_describes_one_game(call: Any, ask: Any, refuse: Any) -> None:
    told = call("games", "leduc_poker(ranks=2)").stdout
    for words in ("leduc_poker(ranks=2)", "information sets", "by linear programming", "max_raises", "for example at"):
        assert words in told
    assert ask("games", "kuhn_poker")["value"][0] == pytest.approx(-1 / 18)
    assert "did you mean kuhn_poker" in refuse("games", "kuhn")

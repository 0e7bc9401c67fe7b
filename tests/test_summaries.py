"""Results on one screen: what `print` and notebooks show, and the frames with every row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.summaries import LONGEST_CELL, Summarised, Summary
from counterpoise.tree.describe import describe_game

TURN = Path(__file__).parents[1] / "examples/spots/turn.toml"


def results() -> dict[str, tuple[Any, str, int]]:
    """Each kind of result with a line of its text and the number of rows of its frame."""
    run = cp.solve("kuhn_poker", "cfr", iterations=10)
    race = cp.race("kuhn_poker", "cfr,cfr+", iterations=4, target=1e-9)
    solution = cp.solve_spot(cp.Spot.load(TURN), iterations=1)
    root = solution.root
    return {
        "run": (run, f"iterations      10  ({10 / run.seconds:,.0f} per second)", len(run.trace)),
        "race": (race, "not reached", sum(len(one.trace) for one in race.runs)),
        "strategy": (run.strategy, "player  infoset       p       b", 24),
        "tree": (cp.enumerate_game("leduc_poker"), "288: 144 of player 1, 144 of player 2", 288),
        "match": (cp.match("kuhn_poker", ["random", "random"], 20), "kuhn_poker · 20 deals", 2),
        "solution": (solution, f"{100 * root.frequencies['c']:.1f} %", int(root.live[root.place.state.to_act].sum())),
    }


def test_every_result_is_shown_on_one_screen_and_as_a_frame() -> None:
    for kind, (result, line, rows) in results().items():
        text, html = str(result), result._repr_html_()
        assert line in text, (kind, text)
        assert len(text.splitlines()) <= 40, kind
        assert "<tr>" in html, kind
        assert isinstance(result, Summarised)
        assert len(result.to_frame()) == rows, kind


def test_a_caveat_is_shown() -> None:
    assert "No equilibrium guarantee" in str(cp.solve("kuhn_poker(players=3)", iterations=2))


def test_labels_of_any_kind_stay_on_one_line() -> None:
    shown = Summary("<b>", [("name", "value")], ["label", "n"], [["a\nb\0<i>", "1"], ["x" * 200, "12"]], [1], ["note"])
    lines = shown.text().splitlines()
    assert len(lines) == 6
    assert lines[3].startswith("a b <i>")
    assert lines[3].endswith(" 1")
    assert lines[4] == "x" * (LONGEST_CELL - 3) + "...  12"
    assert "<b>&lt;b&gt;</b>" in shown.html()
    assert "a b &lt;i&gt;" in shown.html()


@pytest.mark.parametrize(
    ("name", "histories", "value"),
    [("kuhn_poker", 55, -1 / 18), ("coin_toss", 13, None), ("no_limit_holdem", None, None)],
)
def test_what_a_game_is(name: str, histories: int | None, value: float | None) -> None:
    found = describe_game(name)
    assert found.histories == histories
    assert {one["player"] for one in found.examples} == {0, 1}
    if value is not None:
        assert found.value is not None
        assert found.value[0] == pytest.approx(value)
        assert "Infosets read" in found.labels
        assert found.parameters["players"].items() >= {"value": 2, "default": 2}.items()
    assert found.to_json()["name"] == name

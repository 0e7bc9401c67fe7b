"""`counterpoise tree`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import counterpoise as cp


def test_draws_a_game_and_what_an_algorithm_found(call: Any, ask: Any) -> None:
    done = call("tree", "kuhn_poker", "-a", "cfr+", "-n", 100, "--plot", "kuhn.svg")
    assert done.exit_code == 0
    for part in ("kuhn_poker · cfr+, 100 iterations", "exploitability", "kuhn.svg"):
        assert part in done.stdout
    run = cp.solve("kuhn_poker", "cfr+", iterations=100, progress=False)
    assert Path("kuhn.svg").read_text() == cp.draw_tree("kuhn_poker", run)._repr_svg_()
    run.save("kuhn.cpz")
    answer = ask("tree", "kuhn_poker", "--strategy", "kuhn.cpz", "--plot", "same.svg")
    assert answer["strategy"] == "kuhn.cpz"
    assert answer["plot"] == "same.svg"
    assert answer["nodes"] == cp.draw_tree("kuhn_poker", run).to_json()["nodes"]
    bare = ask("tree", "leduc_poker", "--depth", 2)
    assert (bare["histories"], bare["strategy"], bare["plot"]) == (1936, None, None)
    assert len(bare["nodes"]) == 1 + 9 + 18


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("kuhn_poker", "--plot is missing"),
        ("kuhn_poker --plot kuhn.png", "the file name must end in .svg"),
        ("kuhn_poker --plot no/kuhn.svg", "does not exist"),
        ("kuhn_poker -n 5 --json", "--iterations makes no sense here"),
        ("kuhn_poker --strategy a.cpz -a cfr --json", "--algorithm makes no sense here"),
        ("kuhn_poker --strategy a.cpz --json", "a.cpz does not exist"),
        ("leduc_poker --plot tree.svg", "--depth must be at most 5 for a picture of leduc_poker"),
        ("no_limit_holdem --depth 2 --json", "too large to enumerate"),
    ],
)
def test_wrong_input(refuse: Any, words: str, sentence: str) -> None:
    assert sentence in refuse("tree", *words.split())

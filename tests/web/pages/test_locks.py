"""What locks of the page mean, hand by hand, for the square and for the spot that is solved next."""

from __future__ import annotations

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.web.pages.solution_parts.locks import completed, locked_kinds, merged, previewed, spot_locks
from counterpoise.web.solutions import OpenSolution

RIVER = {
    "board": "Ks 7d 4c Jd 2s",
    "pot": 100,
    "stack": 150,
    "oop": "AhKh,9d8d,7c7s:0.5,QhJh,AcAd",
    "ip": "KdQd,JhTh:0.75,AdQc,5d3d",
    "river": {"bet": ["50%", "allin"]},
}


@pytest.fixture(scope="module")
def opened() -> OpenSolution:
    return OpenSolution("river", (0, 0), cp.solve_spot(cp.Spot(**RIVER), iterations=50, progress=False, threads=1))


def test_a_hand_keeps_its_own_mix_of_what_is_not_said(opened: OpenSolution) -> None:
    node = opened.decision("r:0")
    found = completed(node, {"random": {"c": 0.25}})
    assert sorted(node.hand_names[0][k] for k in found) == sorted(node.range("oop"))
    mixes = set()
    for k, row in found.items():
        own = node.probabilities[:, k]
        assert row.sum() == pytest.approx(1)
        assert row[0] == 0.25
        if own[1:].sum() > 0:
            np.testing.assert_allclose(row[1:] / 0.75, own[1:] / own[1:].sum())
            mixes.add(round(float(row[1]), 6))
    assert len(mixes) > 1  # no mix of the range
    kept = completed(node, {"random": {}})
    for k, row in kept.items():
        np.testing.assert_allclose(row, node.probabilities[:, k])


@pytest.mark.parametrize(
    ("hands", "said", "sentence"),
    [
        ("72o", {"c": 1.0}, "no such hand is in the range of oop: 72o"),
        ("AA", {"c": 1.2}, "no more than 100 % together"),
        ("AA", {"c": 0.7, "b50": 0.7}, "no more than 100 % together"),
        ("AA", {"c": 0.2, "b50": 0.2, "b150": 0.2}, "must be 100 % together, not 60 %"),
        ("AA", {"b60": 1.0}, "'b60' is no action here, only c, b50, b150"),
    ],
)
def test_wrong_locks_are_refused(opened: OpenSolution, hands: str, said: dict[str, float], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        completed(opened.decision("r:0"), {hands: said})
    assert sentence in str(caught.value)


def test_the_square_shows_locks_before_they_are_solved(opened: OpenSolution) -> None:
    view, node = opened.view("r:0"), opened.decision("r:0")
    locks = merged([], "r:0", "AA,QJs", {"b150": 1.0})
    shown = previewed(view, node, locks)
    assert shown.hands is not None
    assert view.hands is not None
    for k, hand in enumerate(shown.hands.hands):
        mix = [column[k] for column in shown.hands.strategy]
        before = [column[k] for column in view.hands.strategy]
        assert mix == ([0.0, 0.0, 1.0] if hand in ("AcAd", "QhJh") else before)
    assert sum(action.frequency or 0.0 for action in shown.actions) == pytest.approx(1)
    assert locked_kinds(node, locks) == ["AA", "QJs"]
    assert previewed(view, node, merged([], "r:0:c", "KQs", {"c": 1.0})) == view


def test_a_spot_that_is_solved_again_keeps_its_locks_and_shows_them(opened: OpenSolution) -> None:
    first = spot_locks(opened, merged([], "r:0", "AA,QJs", {"b50": 1.0}))
    spot = opened.solved.spot.with_only_locks(first)
    again = OpenSolution("locked", (0, 0), cp.solve_spot(spot, iterations=50, progress=False, threads=1))
    node = again.decision("r:0")
    assert node.strategy("AcAd") == pytest.approx({"c": 0.0, "b50": 1.0, "b150": 0.0})
    assert locked_kinds(node, []) == ["AA", "QJs"]
    assert locked_kinds(again.decision("r:0:c"), []) == []
    assert spot_locks(again, [], ["r:0"]) == []
    assert spot_locks(again, merged([], "r:0:c", "KQs", {"c": 1.0}), ["r:0"])[0]["node"] == "r:0:c"
    assert locked_kinds(node, [], ["r:0"]) == []
    (lock,) = spot_locks(again, merged([], "r:0", "AA,98s", {"c": 1.0}))
    assert lock["node"] == "r:0"
    assert {hand: max(said, key=lambda name: said[name]) for hand, said in lock["strategy"].items()} == {
        "QhJh": "b50",
        "AcAd": "c",
        "9d8d": "c",
    }

"""The grid as text and as a picture, and the picture of cards."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

import counterpoise as cp
from counterpoise.plots.grid import action_colours
from counterpoise.spots.grid import _fifths

PNG = b"\x89PNG\r\n\x1a\n"

GOLDEN = """\
r:0   Ks 7d 4c Jd 2s   OOP to act, pot 100

     A     K     Q     J     T     9     8     7     6     5     4     3     2
A    .   ccccc   .     .     .     .     .     .     .     .     .     .     .
K    .     .     .     .     .     .     .     .     .     .     .     .     .
Q    .     .     .   22222   .     .     .     .     .     .     .     .     .
J    .     .     .     .     .     .     .     .     .     .     .     .     .
T    .     .     .     .     .     .     .     .     .     .     .     .     .
9    .     .     .     .     .     .   c1112   .     .     .     .     .     .
8    .     .     .     .     .     .     .     .     .     .     .     .     .
7    .     .     .     .     .     .     .   cc111   .     .     .     .     .
6    .     .     .     .     .     .     .     .     .     .     .     .     .
5    .     .     .     .     .     .     .     .     .     .     .     .     .
4    .     .     .     .     .     .     .     .     .     .     .     .     .
3    .     .     .     .     .     .     .     .     .     .     .     .     .
2    .     .     .     .     .     .     .     .     .     .     .     .     .
"""


@pytest.fixture(scope="module")
def locked():
    """A spot whose root strategy is known: all hands are locked."""
    strategy = {
        "AhKh": {"check": 1.0},
        "QhJh": {"allin": 1.0},
        "9h8h": {"check": 0.2, "b50": 0.6, "b150": 0.2},
        "7c7s": {"check": 0.4, "b50": 0.6},
    }
    spot = cp.Spot(
        board="Ks 7d 4c Jd 2s",
        pot=100,
        stack=150,
        oop="AhKh,QhJh,7c7s:0.5,9h8h",
        ip="KdQd,JcTc",
        river={"bet": ["50%", "allin"]},
        lock=[{"node": "r:0", "strategy": strategy}],
    )
    return cp.solve_spot(spot, iterations=10, progress=False)


def test_plain_text_is_golden(locked):
    text = str(locked.root.grid())
    assert text.startswith(GOLDEN)
    legend = text.splitlines()[-2]
    assert legend.startswith("c = check 4")
    assert "1 = bet 50 " in legend
    assert "2 = all-in 150 " in legend


def test_cells_hold_weights_and_values(locked):
    grid = locked.root.grid()
    cells = {cell.name: cell for row in grid.rows for cell in row}
    assert len(cells) == 169
    assert cells["77"].weight == pytest.approx(0.5 / 3)  # one of three combinations, at half weight
    assert cells["98s"].shares == pytest.approx((0.2, 0.6, 0.2))
    assert cells["AKs"].value == pytest.approx(locked.root.ev("AhKh"))
    assert cells["AA"].weight == 0


def test_colours_carry_the_names_of_hands(locked):
    console = Console(force_terminal=True, color_system="truecolor", width=120, file=io.StringIO(), record=True)
    console.print(locked.root.grid())
    assert "48;2;" in console.export_text(clear=False, styles=True)
    assert " AKs " in console.export_text()


def test_short_deck_has_nine_ranks():
    spot = cp.Spot(board="Ks 7d 8c Jd 6s", pot=10, stack=10, oop="AA", ip="QQ", deck="short", river={"bet": ["allin"]})
    grid = cp.solve_spot(spot, iterations=2, progress=False).root.grid()
    assert [len(row) for row in grid.rows] == [9] * 9
    assert str(grid).splitlines()[2].split() == list("AKQJT9876")


def test_fifths_fill_the_cell():
    assert _fifths((1.0,)) == [0] * 5
    assert _fifths((0.5, 0.5)) in ([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    assert _fifths((0.19, 0.42, 0.39)) == [0, 1, 1, 2, 2]
    assert all(len(_fifths((k / 10, 1 - k / 10))) == 5 for k in range(11))


def test_larger_bets_are_darker():
    fold, call, small, large = action_colours(("fold", "passive", "bet", "bet"))
    assert len({fold, call, small, large}) == 4
    assert sum(bytes.fromhex(small[1:])) > sum(bytes.fromhex(large[1:]))


@pytest.mark.slow
def test_pictures(locked, solved_turn, tmp_path):
    locked.root.plot_grid(tmp_path / "grid.png")
    solved_turn.node("r:0:c:c").plot_over_cards(tmp_path / "cards.png")
    for name in ("grid.png", "cards.png"):
        content = (tmp_path / name).read_bytes()
        assert content.startswith(PNG)
        assert len(content) > 10_000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cards.png", "grid.png"]
    with pytest.raises(cp.InputError, match="must end in"):
        locked.root.plot_grid(tmp_path / "grid.txt")

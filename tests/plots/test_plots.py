"""Figures: the right kind of file, written whole or not at all, whatever the data."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from counterpoise import InputError
from counterpoise.plots import Curve, Panel, check_figure, convergence, curve, panels
from counterpoise.plots.panels import COLOURS, DASHES, _spread, _style

SIGNATURES = {".png": b"\x89PNG\r\n\x1a\n", ".svg": b"<?xml", ".pdf": b"%PDF"}
AXES = ("iteration", "nodes_touched", "seconds")


class Measured(NamedTuple):
    iteration: int
    exploitability: float
    nodes_touched: int
    seconds: float


def trace(power: float, points: int = 12) -> list[Measured]:
    return [Measured(2**k, 2.0 ** (-power * k), 100 * 2**k, 0.01 * 2**k) for k in range(points)]


TRACES = {"cfr": trace(0.5), "cfr+": trace(1.0), "dcfr(alpha=1.5, beta=0.5)": trace(1.02)}


@pytest.mark.parametrize(("suffix", "x"), list(zip(SIGNATURES, AXES, strict=True)))
def test_kind_of_file_follows_the_suffix(tmp_path: Path, suffix: str, x: str) -> None:
    path = convergence(TRACES, tmp_path / f"figure{suffix}", x=x, title="leduc $x_", references={"target": 0.01})  # type: ignore[arg-type]
    content = path.read_bytes()
    assert content.startswith(SIGNATURES[suffix])
    assert len(content) > 5000
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.long
def test_same_data_same_bytes(tmp_path: Path) -> None:
    for suffix in SIGNATURES:
        first, second = (convergence(TRACES, tmp_path / f"{name}{suffix}").read_bytes() for name in "ab")
        assert first == second


@pytest.mark.parametrize("name", ["figure.jpg", "figure", "figure.png.txt", ".png"])
def test_other_suffixes_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"must end in \.png, \.svg or \.pdf"):
        convergence(TRACES, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_places_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    for path in (tmp_path / "missing" / "figure.png", tmp_path / "folder.png"):
        with pytest.raises(InputError, match="cannot write"):
            check_figure(path)


def test_a_failure_leaves_the_old_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "figure.png"
    path.write_text("old")

    def fail(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", fail)
    with pytest.raises(OSError, match="disk full"):
        convergence(TRACES, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("points", "marks"), [(1, 1), (3, 3), (12, 0)])
def test_few_points_are_marked(tmp_path: Path, points: int, marks: int) -> None:
    """A line of one point would not be seen."""
    drawn = convergence({"run": trace(1, points)}, tmp_path / "few.svg").read_text()
    assert len(re.findall("<use [^>]*#0072b2", drawn)) == marks


@pytest.mark.parametrize(
    ("points", "x"),
    [
        ([], "iteration"),
        (trace(1, 1), "iteration"),
        ([Measured(1, 0.0, 1, 0.0)], "seconds"),
        ([Measured(1, -1e-17, 1, 0.0), Measured(2, 0.1, 2, 0.0)], "seconds"),
        ([Measured(1, math.nan, 1, 0.1), Measured(2, math.inf, 1, 0.1)], "iteration"),
    ],
    ids=["empty", "one point", "zero", "below zero", "not finite"],
)
def test_odd_data_still_give_a_figure(tmp_path: Path, points: list[Measured], x: str) -> None:
    assert convergence({"odd": points}, tmp_path / "odd.png", x=x).stat().st_size > 5000  # type: ignore[arg-type]


def test_unknown_axis(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="x must be iteration, nodes_touched or seconds, not 'days'"):
        convergence(TRACES, tmp_path / "figure.png", x="days")  # type: ignore[arg-type]


def test_panels(tmp_path: Path) -> None:
    published = Curve([10, 100], [0.1, 0.01], points=True)
    parts = [
        Panel({name: curve(points) for name, points in TRACES.items()} | {"published": published}, title="left"),
        Panel({"share": Curve([0, 1, 2], [0.0, -0.5, 1.0])}, title="right", x_scale="linear", y_scale="linear"),
        Panel({}, title="empty"),
        Panel({"cfr": curve(trace(0.5))}, title="below", references={"never shown on a log axis": 0.0}),
    ]
    path = panels(parts, tmp_path / "panels.svg", title="Four", columns=2)
    assert path.stat().st_size > 10_000
    many = Panel({f"method {k}": curve(trace(k / 10)) for k in range(20)})
    assert panels([many], tmp_path / "many.png").stat().st_size > 10_000


def test_a_band(tmp_path: Path) -> None:
    """Shades the range of several runs, where the axes can show it."""
    x, mean = [0, 1, 10], [3.0, 2.0, 1.0]
    plain = panels([Panel({"runs": Curve(x, mean)})], tmp_path / "plain.svg").read_text()
    shaded = panels([Panel({"runs": Curve(x, mean, band=([2, 1, 0], [4, 3, 2]))})], tmp_path / "band.svg").read_text()
    assert "FillBetween" in shaded
    assert "FillBetween" not in plain
    with pytest.raises(InputError, match="as many y as x values, not 1 and 3"):
        Curve(x, mean, band=([2, 1, 0], [4]))


def test_panels_need_content(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least one panel"):
        panels([], tmp_path / "none.png")
    with pytest.raises(InputError, match="as many y as x"):
        Curve([1, 2], [1])


def test_no_two_lines_look_the_same() -> None:
    looks = {(style["color"], str(style["linestyle"])) for k in range(28) for style in [_style(k, False)]}
    assert len(looks) == len(COLOURS) * len(DASHES)


@pytest.mark.parametrize(
    ("levels", "spread"),
    [([], []), ([5.0], [5.0]), ([0.0, 10.0], [0.0, 10.0]), ([5.0, 5.0], [4.5, 5.5]), ([0.0, 0.5, 1.5], None)],
)
def test_labels_are_pushed_apart(levels: list[float], spread: list[float] | None) -> None:
    moved = _spread(levels, 1.0)
    assert all(later - earlier >= 1.0 - 1e-12 for earlier, later in pairwise(moved))
    if spread is not None:
        assert moved == spread


def test_no_global_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing neither needs a display nor touches what a user has set up in pyplot."""
    import matplotlib

    settings = dict(matplotlib.rcParams)
    monkeypatch.setenv("DISPLAY", "")
    convergence(TRACES, tmp_path / "figure.png")
    assert dict(matplotlib.rcParams) == settings

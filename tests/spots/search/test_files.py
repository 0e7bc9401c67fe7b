"""Searches in files: read back as they were written; whatever is wrong with one is a sentence that names it."""

import math

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.store import read_cpz, write_cpz
from tests.spots.conftest import TURN
from tests.spots.gluing import searched

WIDE_TURN = TURN | {"oop": "AhKh,9d8d,7c7s:0.5,QhTh,5h5c", "ip": "KdQd,JhTh:0.75,AdQc,8h8c,6s5s"}


@pytest.fixture(scope="module")
def solution():
    return cp.solve_spot(cp.Spot(**WIDE_TURN), target=0.1, progress=False, threads=1)


@pytest.fixture(scope="module")
def contents(solution, tmp_path_factory):
    """Headers and arrays of saved searches, by name."""
    found = {}
    asked = {
        "plain": ("r:0:c", {}),
        "faced": ("r:0:c", {"facing": 30}),
        "gifts": ("r:0:b50:c:8h", {"searcher": "ip", "gifts": "lower"}),
    }
    for name, (node, options) in asked.items():
        path = tmp_path_factory.mktemp("searches") / f"{name}.cpz"
        searched(solution, node, iterations=2, target=None, **options).save(path)
        found[name] = read_cpz(path)
    return found


@pytest.mark.parametrize("bits", [16, 32])
@pytest.mark.parametrize(("node", "facing"), [("r:0:c", None), ("r:0:c:c:8h", 70)])
def test_saved_and_read_back(solution, tmp_path, node, facing, bits):
    found = searched(solution, node, facing=facing, bits=bits, checkpoint=tmp_path / "found.cpz")
    again = cp.load_search(tmp_path / "found.cpz")
    assert (again.hands, again.facing, again.loss, again.trace) == (found.hands, found.facing, found.loss, found.trace)
    assert again.ev_after == found.ev_after
    assert (again.cost, again.guarantee, again.sizes) == (found.cost, found.guarantee, found.sizes)
    assert again.root.rows() == found.root.rows()
    with pytest.raises(cp.InputError, match="holds"):
        cp.load_solution(tmp_path / "found.cpz")


def hand(place, value):
    """A change of the first hand."""

    def change(header):
        rows = [list(row) for row in header["hands"]]
        rows[0][place] = value
        return {"hands": rows}

    return change


@pytest.mark.parametrize(
    ("which", "change"),
    [
        ("plain", {"node": "r:0:x"}),
        ("plain", {"node": "r:0:c:c"}),
        ("plain", {"node": "r:0:b" + "9" * 5000}),
        ("plain", {"spot": {}}),
        ("plain", {"hands": [[1]]}),
        ("plain", {"hands": []}),
        ("plain", {"hands": 3}),
        ("plain", {"method": "none"}),
        ("plain", {"method": "distributional"}),
        ("plain", {"method": "unsafe"}),
        ("plain", {"algorithm": "nonsense"}),
        ("plain", {"algorithm": "egt"}),
        ("plain", {"searcher": "me"}),
        ("plain", {"bits": 8}),
        ("plain", {"sizes": {}}),
        ("plain", {"sizes": {"turn": {"bet": ["half"]}, "river": {}}}),
        ("plain", {"sizes": 3}),
        ("plain", {"ev_after": {}}),
        ("plain", {"spread": -2}),
        ("plain", {"spread": 2}),
        ("plain", {"target": -1}),
        ("plain", {"cost": -1}),
        ("plain", {"cost_before": -1}),
        ("plain", {"cost_before": "no"}),
        ("plain", {"gift_scale": -1}),
        ("plain", {"gift_scale": 2.0}),
        ("plain", {"exploitability_pct": -1}),
        ("plain", {"iterations": -1}),
        ("plain", {"algorithm": ""}),
        ("plain", {"target": 0}),
        ("plain", {"cost": 1e300}),
        ("plain", {"seconds": -1.0}),
        ("plain", {"ev_before": {"oop": 1e300, "ip": 0.0}}),
        ("plain", {"frequencies_before": {"xyz": 0.5}}),
        ("plain", {"frequencies_before": {"b9999": 0.5}}),
        ("plain", {"frequencies_before": {"f": 0.5}}),
        ("plain", {"frequencies_before": {"c": 5}}),
        ("plain", {"frequencies_before": 0}),
        ("plain", {"frequencies_before": None}),
        ("plain", hand(0, "banana")),
        ("plain", hand(0, "KdQd")),
        ("plain", hand(0, 3)),
        ("plain", hand(0, ["AhKh"])),
        ("plain", lambda header: {"hands": [header["hands"][0], *header["hands"]]}),
        ("plain", hand(1, -1)),
        ("plain", hand(1, 1e300)),
        ("plain", hand(2, 0)),
        ("plain", hand(2, -1)),
        ("plain", hand(2, 1e300)),
        ("plain", hand(3, 1e300)),
        ("plain", hand(3, None)),
        ("plain", hand(4, 5.0)),
        ("plain", hand(5, -1e300)),
        ("plain", hand(6, 7)),
        ("plain", hand(6, None)),
        ("gifts", hand(4, -1)),
        ("gifts", {"gifts": "all"}),
        ("faced", {"facing": 3}),
        ("faced", {"facing": "x30"}),
        ("faced", {"facing": "c"}),
        ("faced", {"facing": "b99999"}),
        ("faced", {"facing": "b" + "9" * 5000}),
        ("faced", {"searcher": "ip"}),
        ("faced", {"frequencies_before": {"c": 1.0}}),
        ("faced", {"digest": "0"}),
    ],
    ids=lambda value: "" if callable(value) else str(value)[:40],
)
def test_headers_that_no_search_has(contents, tmp_path, which, change):
    header, arrays = contents[which]
    path = tmp_path / "found.cpz"
    write_cpz(path, "search", header | (change(header) if callable(change) else change), arrays)
    with pytest.raises(cp.InputError, match=r"found\.cpz"):
        cp.load_search(path)


@pytest.mark.parametrize("name", ["reach.oop", "reach.ip", "average"])
@pytest.mark.parametrize(
    "change",
    [
        lambda array: array[1:],
        lambda array: array.astype(str),
        lambda array: array.astype(complex),
        lambda array: array.astype(np.int64),
        lambda array: array * np.array(math.nan, array.dtype),
        lambda array: -1 - array,
        None,
    ],
    ids=["short", "text", "complex", "whole", "nan", "negative", "missing"],
)
def test_arrays_that_no_search_has(contents, tmp_path, name, change):
    header, arrays = contents["plain"]
    rest = {key: array for key, array in arrays.items() if key != name}
    path = tmp_path / "found.cpz"
    write_cpz(path, "search", header, rest if change is None else rest | {name: change(arrays[name])})
    with pytest.raises(cp.InputError, match=r"found\.cpz"):
        cp.load_search(path)


@pytest.mark.parametrize("factor", [0.0, 1e300])
def test_a_range_that_the_spot_does_not_have(contents, tmp_path, factor):
    header, arrays = contents["plain"]
    path = tmp_path / "found.cpz"
    write_cpz(path, "search", header, arrays | {"reach.ip": factor * arrays["reach.ip"]})
    with pytest.raises(cp.InputError, match=r"found\.cpz: the file is damaged"):
        cp.load_search(path)


def test_files_of_an_earlier_version(contents, tmp_path):
    header, arrays = contents["plain"]
    path = tmp_path / "found.cpz"
    write_cpz(path, "search", {key: value for key, value in header.items() if key != "layout"}, arrays)
    with pytest.raises(cp.InputError, match="was written by an earlier version of Counterpoise: search again"):
        cp.load_search(path)
    write_cpz(path, "search", header | {"layout": "new"}, arrays)
    with pytest.raises(cp.InputError, match="by another version"):
        cp.load_search(path)

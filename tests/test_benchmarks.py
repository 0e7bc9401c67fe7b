"""The benchmarks' own arithmetic: published figures carried over to this machine, and what they are measured on."""

import importlib
import math
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture
def published(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("published")


def test_published_seconds_grow_with_the_slowness_of_this_machine(published):
    turn = published.REACHED["turn_srp"][0.5]
    same = published.slowness(0.52, 2.8)
    assert same == pytest.approx((1, 1))
    assert published.expected_seconds(turn, same) == pytest.approx(5.85)
    assert published.expected_seconds(turn, published.slowness(1.04, 5.6)) == pytest.approx(11.7)


def test_the_calibration_kinder_to_the_other_solver_counts(published):
    turn = published.REACHED["turn_srp"][0.5]
    assert published.expected_seconds(turn, published.slowness(1.04, 2.8)) == pytest.approx(5.85)
    assert published.expected_seconds(turn, published.slowness(0.52, 5.6)) == pytest.approx(5.85)
    assert published.expected_seconds(turn, published.slowness(1.04, math.nan)) == pytest.approx(11.7)


def test_published_figures_are_of_spots_that_we_have_and_in_order(published):
    for name, targets in published.REACHED.items():
        assert (BENCHMARKS.parent / "examples" / "spots" / f"{name}.json").exists()
        by_target = [targets[target] for target in sorted(targets, reverse=True)]
        assert [one.iterations for one in by_target] == sorted(one.iterations for one in by_target)
        assert all(0 < low <= high for low, high in (one.seconds for one in by_target))

"""The sizes of limit hold'em (Johanson 2016, section 9.2), and what is said of a run before it begins."""

from __future__ import annotations

from collections import namedtuple
from math import comb, prod

import pytest

import counterpoise as cp
from counterpoise.solvers.out_of_core import Partition, estimate, estimate_out_of_core
from counterpoise.solvers.out_of_core.estimate import Projection
from tests.solvers.out_of_core.small import SMALL, run

WHOLE = Partition.of(cp.load("limit_holdem"))


def test_sizes_of_limit_holdem():
    two = Partition.of(cp.load("limit_holdem(board=[0, 3])"))
    assert two.information_sets == 90_076_792
    assert WHOLE.information_sets == 13_803_249_787_132
    assert (two.deals, two.lines, sum(two.orbits)) == (1755, 7, 22_100)
    assert WHOLE.states == [169, 1_286_792, 55_190_538, 2_428_287_420]
    first, second = WHOLE.trees[0], WHOLE.trees[1]
    assert [len(first.decisions), len(second.decisions)] == [8, 10]
    assert [sum(len(one.actions) for one in tree.decisions) for tree in (first, second)] == [21, 26]
    assert [sum(tree.street == street for tree in WHOLE.trees) for street in range(4)] == [1, 7, 63, 567]
    actions = WHOLE.regrets + 169 * 21
    assert round(actions / 1e13, 6) == 3.588845
    assert round(2 * 4 * actions / 2**40, 1) == 261.1  # regrets and average in single precision, printed 262 TB
    assert round(2 * 8 * actions / 2**40, 1) == 522.2  # in double precision, printed 523 TB


def test_sizes_without_symmetry_and_with_buckets():
    """Information sets with all suits apart, decision states of both hands, and with k buckets on each round."""
    decisions = [sum(len(tree.decisions) for tree in WHOLE.trees if tree.street == street) for street in range(4)]
    cards = [(2, 0), (2, 3), (2, 4), (2, 5)]
    own = [comb(52, hand) * comb(50, board) for hand, board in cards]
    assert own == [1_326, 25_989_600, 305_377_800, 2_809_475_760]
    # What a seat has seen: the flop at once, then turn and river in their order.
    seen = [own[0], own[1], own[1] * 47, own[1] * 47 * 46]
    assert seen[2:] == [1_221_511_200, 56_189_515_200]
    assert sum(map(prod, zip(decisions, seen, strict=True))) == pytest.approx(3.19366e14, rel=1e-5)
    both = [comb(52, 2) * comb(50, 2) * comb(48, 3) * left for left in (1, 45, 45 * 44)]
    states = [comb(52, 2) * comb(50, 2), *both]
    assert sum(map(prod, zip(decisions, states, strict=True))) == pytest.approx(3.16207e17, rel=1e-5)
    buckets = {5: 3_624_290, 8: 23_551_424, 10: 57_337_080, 12: 118_671_936}
    for k, printed in buckets.items():
        assert sum(number * k ** (street + 1) for street, number in enumerate(decisions)) == printed
    turns = [tree for tree in WHOLE.trees if tree.street == 2]
    assert len(turns) * WHOLE.deals == 110_565  # subgames after the flop's betting


def test_parts_of_a_deck_are_all_first_deals():
    """A flop is in one part and no other, and suits that are alike share one."""
    partition = Partition.of(cp.load(SMALL), 4)
    assert sorted(set(partition.orbit_of.values())) == list(range(partition.deals))
    assert len(partition.orbit_of) == sum(partition.orbits) == 220
    assert [deal for part in range(partition.parts) for deal in partition.first_deals(part)] == list(
        range(partition.deals)
    )


def test_an_estimate_is_in_proportion():
    small = estimate_out_of_core(Partition.of(cp.load("limit_holdem(board=[0, 3])")))
    shared = estimate_out_of_core(Partition.of(cp.load("limit_holdem(board=[0, 3])")), 4)
    large = estimate_out_of_core(WHOLE)
    assert shared.seconds_per_iteration == pytest.approx(small.seconds_per_iteration / 4)
    for name in ("disk_mb", "cpu_seconds_per_iteration", "cpu_seconds_per_measurement"):
        assert getattr(large, name) / getattr(small, name) == pytest.approx(WHOLE.regrets / small.regrets)
    assert small.to_json()["seconds_per_iteration"] == small.seconds_per_iteration
    assert "90,076,792 information sets with 234,196,144 regrets in 61 parts" in small.sentence()


def test_machines_share_the_work_until_jobs_run_out():
    one, ten, many = (Projection(1e12, 1_755, 7, 1_326, 100, machines) for machines in (1, 10, 1_000))
    assert one.core_years == ten.core_years == many.core_years
    assert one.days / ten.days == pytest.approx(10, rel=0.1)
    assert many.days == pytest.approx(one.core_years * 365.25 / 1_755)  # one job for each worker, most have none
    assert many.dollars > 10 * one.dollars
    slow = Projection(1e12, 1_755, 7, 1_326, 100, 1_000, network=1e-6)
    assert slow.days == pytest.approx(100 * slow.network_gb / 1e-6 / 86400)  # the head's network is what it waits for
    assert one.dollars == pytest.approx(one.days * 24 * 64 * 0.04)


def test_runs_that_do_not_fit_are_refused_before_they_begin(tmp_path, monkeypatch):
    with pytest.raises(cp.InputError, match=r"a part of 1 first deals takes about .* MB of memory"):
        run(tmp_path / "whole", 1, "limit_holdem", deals_per_part=1)
    usage = namedtuple("usage", ["total", "used", "free"])
    monkeypatch.setattr(estimate.shutil, "disk_usage", lambda path: usage(0, 0, 10_000))
    with pytest.raises(cp.InputError, match=r"a run takes about 0.016 MB of disk, and 0.01 MB are free where"):
        run(tmp_path / "full", 1)
    assert not (tmp_path / "full").exists()
    assert not (tmp_path / "whole").exists()

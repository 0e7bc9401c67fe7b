"""Vectors of eight in LLVM against their twins in plain Python, on random rows."""

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from counterpoise.public.kernels import simd, simd_in_python
from counterpoise.public.kernels.simd import LANES, TOTAL

HANDS, STRIDE, GROUPS = 37, 40, 10
"""The last slots of a row have no hand."""


class Rows(NamedTuple):
    """The part of `Work` that these functions know."""

    block: np.ndarray
    block_wins: np.ndarray
    block_mass: np.ndarray
    totals: np.ndarray
    swept: np.ndarray
    table: np.ndarray


@njit
def interleave(block, rows, offsets, count, totals):
    simd.interleave(block, rows, offsets, count, totals)


@njit
def deinterleave(rows, offsets, block, count):
    simd.deinterleave(rows, offsets, block, count)


@njit
def showdown(ties, bounds, own, cards, met_cards, same, work, count):
    simd.sweep(ties, bounds, own, cards, met_cards, work)
    simd.settle(cards, same, work, count)


@njit
def folds(cards, met_cards, same, work, met, count):
    simd.add_up(met_cards, work, met)
    simd.settle(cards, same, work, count)


@njit
def fetch_add(counter):
    return simd.fetch_add(counter)


@njit
def largest(row, count):
    return simd.largest(row, count)


@njit
def add_matrix(values, matrix, stride, reach, count):
    simd.add_matrix(values, matrix, stride, reach, count)


class Example:
    """Two players' hands in tie groups, with cards, and eight rows of the second one's mass."""

    def __init__(self, seed, zeros):
        self.rng = rng = np.random.default_rng(seed)
        deck = [(a, b) for a in range(12) for b in range(a + 1, 12)]
        level = rng.integers(0, GROUPS, len(deck))
        chosen = [rng.permutation(len(deck))[:HANDS] for _ in range(2)]
        chosen = [own[np.argsort(level[own], kind="stable")] for own in chosen]
        self.levels = [level[own] for own in chosen]
        self.cards, self.same = [], np.full(STRIDE, HANDS, dtype=np.uint16)
        for own in chosen:
            pairs = np.zeros((2, STRIDE), dtype=np.uint16)
            pairs[:, :HANDS] = LANES * np.array([deck[hand] for hand in own]).T
            self.cards.append((pairs[0], pairs[1]))
        for place, hand in enumerate(chosen[0]):
            twins = np.flatnonzero(chosen[1] == hand)
            self.same[place] = twins[0] if len(twins) else HANDS
        edges = [np.searchsorted(own, np.arange(GROUPS + 1)) for own in self.levels]
        self.ties = np.stack([own[k : k + GROUPS] for own in edges for k in range(2)], axis=1).astype(np.uint16).ravel()
        self.bounds = np.uint64(0), np.uint64(GROUPS)
        self.offsets = np.arange(LANES, dtype=np.uint64)[::-1].copy() * np.uint64(STRIDE)
        self.rows = np.zeros((LANES, STRIDE), dtype=np.float32)
        self.rows[:, :HANDS] = rng.random((LANES, HANDS)) * (rng.random((LANES, HANDS)) >= zeros)
        self.rows[3] = 0  # a lane that nobody reaches

    def work(self):
        def floats(count):
            return np.zeros(count, dtype=np.float32)

        size = LANES * STRIDE
        whole = np.zeros(size, dtype=np.int32), np.zeros(TOTAL + LANES, dtype=np.int32)
        found = Rows(floats(size), floats(size), floats(size), floats(LANES), *whole)
        interleave(found.block, self.rows.ravel(), self.offsets, np.uint64(STRIDE), found.totals)
        return found


@pytest.fixture(params=[(seed, zeros) for seed in range(4) for zeros in (0.0, 0.5, 0.95)], ids=str)
def example(request):
    return Example(*request.param)


def assert_same(one, other):
    for name, mine, theirs in zip(Rows._fields, one, other, strict=True):
        np.testing.assert_array_equal(mine, theirs, err_msg=name)


def test_interleaving_and_back(example):
    """Bit for bit, but for the sums of lanes, which are added in another order."""
    ours = example.work()
    theirs = example.work()
    simd_in_python.interleave(theirs.block, example.rows.ravel(), example.offsets, np.uint64(STRIDE), theirs.totals)
    np.testing.assert_array_equal(theirs.block, ours.block)
    np.testing.assert_allclose(theirs.totals, ours.totals, rtol=1e-6)
    for back in (deinterleave, simd_in_python.deinterleave):
        rows = np.zeros(LANES * STRIDE, dtype=np.float32)
        back(rows, example.offsets, ours.block, np.uint64(STRIDE))
        np.testing.assert_array_equal(rows.reshape(LANES, STRIDE), example.rows)


@pytest.mark.parametrize("own", [0, 2])
def test_showdowns(example, own):
    """Sums of whole numbers are the same whatever their order: wins and mass agree bit for bit."""
    ours, theirs = example.work(), example.work()
    cards, met = example.cards
    ties = example.ties if own == 0 else example.ties.reshape(-1, 4)[:, [2, 3, 0, 1]].ravel().copy()
    arguments = ties, example.bounds, np.uint64(own), cards, met
    showdown(*arguments, example.same, ours, np.uint64(HANDS))
    simd_in_python.sweep(*arguments, theirs)
    simd_in_python.settle(cards, example.same, theirs, np.uint64(HANDS))
    assert_same(ours, theirs)
    wins, mass = (part.reshape(STRIDE, LANES)[:HANDS] for part in (ours.block_wins, ours.block_mass))
    expected = brute(example)
    np.testing.assert_allclose(wins, expected[0], atol=1e-5)
    np.testing.assert_allclose(mass, expected[1], atol=1e-5)


def brute(example):
    """Weaker minus stronger mass and all compatible mass, pair by pair, [hand, lane]."""
    reach = example.rows[::-1, :HANDS].astype(np.float64)  # lanes are taken in the order of the offsets
    own, met = (np.stack(pair, axis=1)[:HANDS] for pair in example.cards)
    apart = (own[:, None, :, None] != met[None, :, None, :]).all(axis=(2, 3))
    sign = np.sign(example.levels[0][:, None] - example.levels[1][None, :]) * apart
    return sign @ reach.T, apart @ reach.T


def test_folds(example):
    """Without an order only masses count."""
    ours, theirs = example.work(), example.work()
    cards, met = example.cards
    folds(cards, met, example.same, ours, np.uint64(HANDS), np.uint64(HANDS))
    simd_in_python.add_up(met, theirs, np.uint64(HANDS))
    simd_in_python.settle(cards, example.same, theirs, np.uint64(HANDS))
    assert_same(ours, theirs)
    np.testing.assert_allclose(ours.block_mass.reshape(STRIDE, LANES)[:HANDS], brute(example)[1], atol=1e-5)


def test_matrices(example):
    """Bit for bit on whole numbers, to rounding on others."""
    rng, begin, at, first = example.rng, 8, 16, 3
    for whole in (True, False):
        matrix, reach = rng.random(begin + HANDS * STRIDE), rng.random(first + HANDS)
        values = rng.random(at + STRIDE)
        if whole:
            matrix, reach, values = (np.rint(20 * part - 10) for part in (matrix, reach, values))
        matrix, reach, values = (part.astype(np.float32) for part in (matrix, reach, values))
        found = []
        for function in (add_matrix, simd_in_python.add_matrix):
            found.append(values.copy())
            out, factor, met = (found[-1], np.uint64(at)), (matrix, np.uint64(begin)), (reach, np.uint64(first))
            function(out, factor, np.uint64(STRIDE), met, np.uint64(HANDS))
        assert (found[0][:at] == values[:at]).all()
        np.testing.assert_allclose(*found, rtol=0 if whole else 1e-5)


def test_largest_and_counting(example):
    row = (example.rows[0] * np.where(example.rng.random(STRIDE) < 0.5, -1, 1)).astype(np.float32)
    assert largest(row, np.uint64(STRIDE)) == simd_in_python.largest(row, np.uint64(STRIDE)) == np.abs(row).max()
    for function in (fetch_add, simd_in_python.fetch_add):
        counter = np.array([7], dtype=np.uint64)
        assert [int(function(counter)) for _ in range(3)] == [7, 8, 9]
        assert counter[0] == 10

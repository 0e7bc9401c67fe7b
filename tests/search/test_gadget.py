"""The rules of the gadgets, iteration by iteration, against their formulas in NumPy (Brown 2020, section 5.1)."""

import math

import numpy as np
import pytest

from counterpoise.public.kernels import gadget as kernels
from counterpoise.public.kernels.gadget import HEDGE, MARGIN, RESOLVE, STEP
from counterpoise.public.kernels.layouts import Gadget

MASS = np.array([0.3, 0.05, 0.0, 1.7, 0.4])
ALTERNATIVE = np.array([0.5, -1.0, 0.0, 0.2, 2.0])
SPREAD = np.array([0.4, 1.0, 0.0, 0.0, 2.0])
MET = MASS > 0
AT = 2
"""Where the hands begin in the rows."""


def fresh_gadget(kind):
    floats = [array.astype(np.float32) for array in (ALTERNATIVE, SPREAD, MASS)]
    zeros = np.zeros(len(MASS), dtype=np.float32)
    return Gadget(
        kind,
        np.uint64(0),
        *floats,
        entry=zeros.copy(),
        average=zeros.copy(),
        average_weight=np.zeros(1),
        regret=np.zeros((2, len(MASS)), dtype=np.float32),
        sums=np.zeros((3, len(MASS))),
        seen=np.zeros(1),
    )


@pytest.fixture
def steps(monkeypatch):
    """Run a gadget over given values as Python does, and note entry and reach on every iteration."""
    monkeypatch.setattr(kernels, "_likely", kernels._likely.py_func)

    def run(kind, values, keep=0.5):
        gadget, found = fresh_gadget(kind), []
        for row in values:
            reach = np.full(AT + len(MASS) + 1, 9, dtype=np.float32)
            kernels.apply_entry.py_func(gadget, reach, AT)
            assert (reach[:AT] == 9).all()
            assert reach[-1] == 9
            found.append((gadget.entry.copy(), reach[AT:-1]))
            padded = np.concatenate((np.full(AT, 9), row)).astype(np.float32)
            kernels.update_entry.py_func(gadget, np.float32(keep), padded, AT)
        entries = np.array([entry for entry, _ in found])
        weights = keep ** np.arange(len(entries) - 1, -1, -1)
        np.testing.assert_allclose(gadget.average, weights @ entries, rtol=1e-5)
        assert gadget.average_weight[0] == pytest.approx(weights.sum())
        return entries, np.array([reach for _, reach in found])

    return run


@pytest.fixture
def values():
    """Counterfactual values of entering: those of a hand are around its alternative times its mass."""
    draw = np.random.default_rng(2)
    return MASS * (ALTERNATIVE + draw.normal(size=(12, len(MASS))))


def test_4_resolve_gadget(steps, values):
    """Regret matching+ between v and N times the alternative, from one half."""
    regrets = np.zeros((2, len(MASS)))
    expected = []
    for row in values:
        total = regrets.sum(axis=0)
        entry = np.where(MET, np.where(total > 0, regrets[0] / np.where(total > 0, total, 1), 0.5), 0.0)
        options = np.array([row, ALTERNATIVE * MASS])
        regrets = np.maximum(regrets + options - (entry * row + (1 - entry) * options[1]), 0) * MET
        expected.append(entry)
    entries, reach = steps(RESOLVE, values)
    np.testing.assert_allclose(entries, expected, atol=1e-5)
    np.testing.assert_array_equal(reach, entries)
    assert (entries[0] == np.where(MET, 0.5, 0)).all()


def test_5_margin_gadget(steps, values):
    """Regret matching+ over the hands that meet something, for v / N less the alternative; reach is q / N."""
    regret = np.zeros(len(MASS))
    expected = []
    for row in values:
        share = regret / regret.sum() if regret.sum() > 0 else MET / MET.sum()
        margin = np.where(MET, row / np.where(MET, MASS, 1) - ALTERNATIVE, 0)
        regret = np.maximum(regret + margin - share @ margin, 0) * MET
        expected.append(share)
    entries, reach = steps(MARGIN, values)
    np.testing.assert_allclose(entries, expected, atol=1e-5)
    np.testing.assert_allclose(reach[:, MET], entries[:, MET] / MASS[MET], rtol=1e-5)
    assert (reach[:, ~MET] == 0).all()


def test_8_step_gadget(steps, values):
    """The probability that the alternative is below what entering was worth on the last iteration, conditionally."""
    entries, reach = steps(STEP, values)
    np.testing.assert_array_equal(reach, entries)
    assert (entries[0] == np.where(MET, 0.5, 0)).all()
    for row, entry in zip(values, entries[1:], strict=False):
        for k in np.flatnonzero(MET):
            above = row[k] / MASS[k] - ALTERNATIVE[k]
            likely = float(above > 0) if SPREAD[k] == 0 else 0.5 * (1 + math.erf(above / SPREAD[k] / math.sqrt(2)))
            assert entry[k] == pytest.approx(likely, abs=1e-5)
    assert (entries[:, ~MET] == 0).all()


def test_8_hedge_gadget(steps, values):
    """Hedge over sums of values, averaged over the alternative, with a rate by their variance so far."""
    entries, _ = steps(HEDGE, values)
    grid = np.linspace(-8, 8, 4001)
    density = np.exp(-(grid**2) / 2)
    density /= density.sum()
    conditional = values[:, MET] / MASS[MET]
    for times in range(3, len(values)):  # before, a variance of little or nothing makes Hedge all but a step
        seen = conditional[:times]
        rate = math.sqrt(math.log(2)) / (3 * seen.std(axis=0) * math.sqrt(times))
        for n, k in enumerate(np.flatnonzero(MET)):
            drawn = ALTERNATIVE[k] + SPREAD[k] * grid
            likely = density @ (1 / (1 + np.exp(rate[n] * (times * drawn - seen[:, n].sum()))))
            assert entries[times, k] == pytest.approx(likely, abs=5e-3)

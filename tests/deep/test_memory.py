"""Memories of samples: uniform reservoirs, windows, files that are mapped, and resuming."""

from __future__ import annotations

import resource
from mmap import mmap

import numpy as np
import pytest
from scipy.stats import chisquare

from counterpoise.deep import memory as module
from counterpoise.deep.memory import SampleMemory
from counterpoise.errors import InputError


def offer(memory, first, count, weight=1.0):
    keys = np.arange(first, first + count, dtype=np.int32)[:, None]
    memory.offer(keys, np.repeat(keys, 2, axis=1).astype(np.float64), weight)


def test_reservoir_is_uniform():
    """Of 100,000 offers to a reservoir of 1,000, every decile of offers is in it alike."""
    counts = np.zeros(10)
    for seed in range(20):
        memory = SampleMemory(1000, 1, 2, seed=seed)
        for part in range(40):
            offer(memory, part * 2500, 2500)
        counts += np.bincount(memory.keys[:, 0] // 10_000, minlength=10)
    assert counts.sum() == 20_000
    assert chisquare(counts).pvalue > 0.001


def test_window_keeps_the_newest():
    memory = SampleMemory(100, 1, 2, replacement="window")
    offer(memory, 0, 250)
    assert sorted(memory.keys[:, 0]) == list(range(150, 250))
    np.testing.assert_array_equal(memory.targets[:, 0], memory.keys[:, 0])


@pytest.mark.parametrize("replacement", ["reservoir", "window"])
def test_resumes_bit_for_bit(replacement):
    whole, first, second = (SampleMemory(50, 1, 2, replacement=replacement, seed=3) for _ in range(3))
    offer(whole, 0, 120, 1.0)
    offer(first, 0, 120, 1.0)
    second.restore({name: array.copy() for name, array in first.state().items()})
    offer(whole, 120, 300, 2.0)
    offer(second, 120, 300, 2.0)
    for name, array in whole.state().items():
        np.testing.assert_array_equal(array, second.state()[name])


def test_large_memories_are_mapped(tmp_path, monkeypatch):
    plain = SampleMemory(50, 1, 2, seed=1)
    monkeypatch.setattr(module, "MAPPED_FROM", 1)
    mapped = SampleMemory(50, 1, 2, seed=1, folder=tmp_path)
    assert isinstance(mapped._keys.base, mmap)
    for memory in (plain, mapped):
        offer(memory, 0, 200)
    np.testing.assert_array_equal(plain.targets, mapped.targets)


def test_refuses_what_does_not_fit_the_disk(tmp_path):
    with pytest.raises(InputError, match=r"GB of disk"):
        SampleMemory(10**13, 1, 2, folder=tmp_path)
    assert not list(tmp_path.iterdir())


def test_room_on_disk_is_taken_at_once(tmp_path, monkeypatch):
    """What cannot be had is refused at the start: a mapped page without room behind it would end the process."""
    monkeypatch.setattr(module, "MAPPED_FROM", 1)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**16, limits[1]))
    try:
        with pytest.raises(InputError, match=r"GB of disk"):
            SampleMemory(2**20, 1, 2, folder=tmp_path)
        memory = SampleMemory(2**10, 1, 2, folder=tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    offer(memory, 0, 10)
    assert not list(tmp_path.iterdir())  # nothing is left behind, however the process ends


def test_refuses_records_of_another_shape():
    memory = SampleMemory(50, 1, 2)
    offer(memory, 0, 10)
    with pytest.raises(InputError, match="another game"):
        SampleMemory(50, 1, 3).restore(memory.state())

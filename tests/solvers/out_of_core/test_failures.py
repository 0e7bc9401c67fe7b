"""Runs past memory that meet trouble: killed heads and workers, full disks, files of others."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from random import Random

import psutil
import pytest

import counterpoise as cp
from counterpoise.jobs.processes import KeptProcesses
from counterpoise.solvers.out_of_core.run import OutOfCoreJob
from tests.solvers.out_of_core.small import SMALL, digest, run, solved

WORK = """
import os, signal, sys
from counterpoise.solvers.out_of_core import run, solve_out_of_core

moments = int(sys.argv[4])

def tick():
    global moments
    moments -= 1
    if not moments:
        os.kill(os.getpid(), signal.SIGKILL)

replace, part_done = os.replace, run.OutOfCoreJob._part_done

def renamed(*names):
    tick()
    replace(*names)
    tick()

def done(*told):
    tick()
    part_done(*told)

os.replace, run.OutOfCoreJob._part_done = renamed, done
solve_out_of_core(sys.argv[1], sys.argv[2], iterations=6, deals_per_part=4, workers=int(sys.argv[3]), progress=False,
                  measure_at=[6])
"""
"""A run that kills itself at a moment of its work: before or after a file gets its name, or when a part is done."""
MOST_KILLED = 6
"""Workers of a run that a test kills."""


@pytest.mark.long
@pytest.mark.parametrize(("workers", "most"), [(1, 120), (2, 45)])
def test_killed_heads_end_in_the_same_bytes(tmp_path, workers, most):
    """The head is killed again and again, at any moment of the work, however fast it is."""
    folder, random, kills, ended = tmp_path / "killed", Random(5), 0, 1
    while ended:
        assert kills < 40
        command = [sys.executable, "-c", WORK, SMALL, str(folder), str(workers), str(random.randint(1, most))]
        ended = subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode
        assert ended in (0, -9)
        kills += ended != 0
    assert kills
    assert digest(folder) == digest(solved()[0])
    assert sorted(path.suffix for path in folder.iterdir()) == sorted(path.suffix for path in solved()[0].iterdir())


@pytest.mark.long
def test_killed_workers_end_in_the_same_bytes(tmp_path, monkeypatch):
    """A worker is killed while the others' parts are at work; its part is done again by a new one."""
    random, killed, part_done = Random(3), [], OutOfCoreJob._part_done

    def kill(self, answer, done):
        living = [one for one in psutil.Process().children() if one.status() != psutil.STATUS_ZOMBIE]
        if random.random() < 0.15 and living and len(killed) < MOST_KILLED:
            killed.append(random.choice(living))
            killed[-1].kill()
        part_done(self, answer, done)

    monkeypatch.setattr(OutOfCoreJob, "_part_done", kill)
    found = run(tmp_path, 6, workers=2)
    assert len(killed) >= 3
    assert digest(tmp_path) == digest(solved()[0])
    assert found.exploitability == solved()[1].exploitability


@pytest.mark.long
def test_seven_workers_are_one(tmp_path):
    kept = KeptProcesses(7)
    try:
        found = run(tmp_path, 6, workers=kept)
    finally:
        kept.close()
    assert digest(tmp_path) == digest(solved()[0])
    assert found.first_round == solved()[1].first_round


def test_a_full_disk_is_a_sentence_and_nothing_is_lost(tmp_path, monkeypatch):
    """The disk is full in the middle of an iteration: with room again the run ends in the same bytes."""
    run(tmp_path, 2)
    left, fsync = [3], os.fsync

    def full(file):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(file)

    with monkeypatch.context() as small:
        small.setattr(os, "fsync", full)
        with pytest.raises(cp.InputError, match=r"cannot write .*regrets: No space left on device; the last update is"):
            run(tmp_path, 6)
    assert not list(tmp_path.glob(".*"))
    run(tmp_path, 6)
    assert digest(tmp_path) == digest(solved()[0])


def test_a_block_of_another_run_is_not_read(tmp_path):
    """A file of other settings under the right name: the run goes back to before it."""
    run(tmp_path / "own", 4)
    run(tmp_path / "other", 4, scale=2.0)
    name = "part000001-seat1-00000004.regrets"
    (tmp_path / "own" / name).write_bytes((tmp_path / "other" / name).read_bytes())
    run(tmp_path / "own", 6)
    assert digest(tmp_path / "own") == digest(solved()[0])

"""Runs past memory that meet trouble: killed heads and workers, full disks, files of others."""

from __future__ import annotations

import errno
import fcntl
import multiprocessing
import os
import signal
from pathlib import Path
from random import Random

import psutil
import pytest

import counterpoise as cp
from counterpoise.jobs.processes import KeptProcesses
from counterpoise.solvers.out_of_core.run import OutOfCoreJob
from tests.solvers.out_of_core.small import digest, run, solved

KILLS = 20
"""Processes that a test kills."""


def killed_head(folder: str, workers: int, moments: int) -> None:
    """Solve in a process that kills itself: before or after a file gets its name, or when a part is done."""
    head, left, replace, part_done = os.getpid(), [moments], os.replace, OutOfCoreJob._part_done

    def tick():
        left[0] -= os.getpid() == head  # not in workers, which are copies of the head
        if not left[0]:
            os.kill(head, signal.SIGKILL)

    def renamed(*names):
        tick()
        replace(*names)
        tick()

    def done(*told):
        tick()
        part_done(*told)

    os.replace, OutOfCoreJob._part_done = renamed, done  # type: ignore[assignment, method-assign]
    run(Path(folder), 6, workers=workers)


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_killed_heads_end_in_the_same_bytes(tmp_path, workers):
    """The head is killed again and again, at any moment of the work, until a run has ended after all."""
    whole, random, kills = solved(), Random(5), 0
    for number in range(KILLS):
        folder, ended = tmp_path / str(number), 1
        while ended:
            assert kills < 5 * KILLS
            given = str(folder), workers, random.randint(1, 16)
            head = multiprocessing.get_context("fork").Process(target=killed_head, args=given)
            head.start()
            head.join()
            ended = head.exitcode
            assert ended in (0, -signal.SIGKILL)
            kills += ended != 0
            with open(folder / "lock") as lock:  # which workers of a killed head hold until they have ended
                fcntl.flock(lock, fcntl.LOCK_EX)
        assert digest(folder) == digest(whole[0])
        assert sorted(path.suffix for path in folder.iterdir()) == sorted(path.suffix for path in whole[0].iterdir())
        if kills >= KILLS:
            return
    raise AssertionError(f"only {kills} heads were killed")


@pytest.mark.long
def test_killed_workers_end_in_the_same_bytes(tmp_path, monkeypatch):
    """Workers are killed while the others' parts are at work; their parts are done again by new ones."""
    random, kills, part_done = Random(3), [0], OutOfCoreJob._part_done

    def kill(self, answer, done):
        living = [one for one in psutil.Process().children() if one.status() != psutil.STATUS_ZOMBIE]
        if random.random() < 0.15 and living:
            kills[0] += 1
            random.choice(living).kill()
        part_done(self, answer, done)

    monkeypatch.setattr(OutOfCoreJob, "_part_done", kill)
    for number in range(KILLS):
        found = run(tmp_path / str(number), 6, workers=2)
        assert digest(tmp_path / str(number)) == digest(solved()[0])
        assert found.exploitability == solved()[1].exploitability
        if kills[0] >= KILLS:
            return
    raise AssertionError(f"only {kills[0]} workers were killed")


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

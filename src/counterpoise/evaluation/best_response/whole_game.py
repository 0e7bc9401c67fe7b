"""The walk over all boards as a long job: first deals shared by threads, kept in a file, continued after a stop.

First deals (flops) are independent of each other. Their sums are added in the order of the deals, whatever the order in
which threads finish, so that neither the number of threads nor a stop changes the result. The file holds the sum of all
deals up to one, and those after it that were finished early.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.work import Work
from counterpoise.errors import Cancelled, InputError
from counterpoise.evaluation.best_response.walk import BoardWalk, Pair
from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.files import check_writable
from counterpoise.store.headers import WalkHeader
from counterpoise.store.schemas import SCHEMAS

FloatArray = NDArray[np.float64]
KIND = "best response"
SAVE_EVERY = 5.0
"""Seconds between two states of the file at least."""


@dataclass
class WalkState:
    """The sums so far."""

    sums: Pair
    summed: int = 0
    """How many first deals are in the sums: those up to this number."""
    early: dict[int, Pair] = field(default_factory=dict)
    """First deals after these that are finished."""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    spent_earlier: tuple[float, float] = (0.0, 0.0)
    """Seconds and CPU seconds of earlier calls, which the two figures above include."""

    @property
    def done(self) -> int:
        """How many first deals are finished."""
        return self.summed + len(self.early)

    def add(self, number: int, values: Pair) -> None:
        """Take in a finished deal."""
        self.early[number] = values
        while self.summed in self.early:
            for total, part in zip(self.sums, self.early.pop(self.summed), strict=True):
                total += part
            self.summed += 1


def walk_whole_game(
    walk: BoardWalk, agent: str, work: Work, resume: str | os.PathLike[str] | None = None
) -> tuple[FloatArray | None, WalkState]:
    """Return the values of best responses in chips by seat, None if it was cancelled, and how far the walk is.

    With `resume` the state is kept in that file, and continued if it is there already.
    """
    begun, cpu = time.perf_counter(), time.process_time()
    state, saved = _begin(walk, agent, resume), time.perf_counter()
    earlier = state.spent_earlier
    total = len(walk.deals)

    def keep() -> None:
        state.seconds = earlier[0] + time.perf_counter() - begun
        state.cpu_seconds = earlier[1] + time.process_time() - cpu
        if resume is not None:
            _save(resume, walk, agent, state)

    try:
        for number, values in _finished(walk, state, work):
            state.add(number, values)
            work.progress.show(state.done / total, f"{state.done:,} of {total:,} first deals")
            if time.perf_counter() - saved > SAVE_EVERY:
                keep()
                saved = time.perf_counter()
    finally:
        keep()
    return (walk.total(state.sums) if state.summed == total else None), state


def _finished(walk: BoardWalk, state: WalkState, work: Work) -> Iterator[tuple[int, Pair]]:
    """Yield first deals as threads finish them; after a cancel those that are finished already."""
    todo = iter([number for number in range(state.summed, len(walk.deals)) if number not in state.early])
    assert walk.trunk_reach  # computed before threads need it
    with ThreadPoolExecutor(work.threads) as pool:
        running: dict[Future[Pair], int] = {}
        while True:
            while len(running) < work.threads and not work.cancel.cancelled:
                number = next(todo, None)
                if number is None:
                    break
                running[pool.submit(walk.unit, number, work.cancel)] = number
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                number = running.pop(future)
                try:
                    yield number, future.result()
                except Cancelled:
                    continue


def _begin(walk: BoardWalk, agent: str, resume: str | os.PathLike[str] | None) -> WalkState:
    empty = WalkState((walk.empty(walk.first), walk.empty(walk.first)))
    if resume is None:
        return empty
    check_writable(resume)
    if not Path(resume).exists():
        return empty
    raw, arrays = read_cpz(resume, KIND)
    header = WalkHeader.read(raw, resume)
    here = {"game": walk.game.name, "agent": agent, "suits_alike": len(walk.symmetry) > 1, "deals": len(walk.deals)}
    for name, value in here.items():
        if getattr(header, name) != value:
            raise InputError(f"{resume} is of another walk: its {name} is {getattr(header, name)}, not {value}")
    if header.summed > header.deals:
        raise InputError(f"{resume} is damaged: it has summed up more deals than there are")
    sizes = {
        "values": empty.sums[0].size,
        "finished": arrays["numbers"].size if "numbers" in arrays else 0,
        "first open deal": header.summed + 1,
        "last deal": header.deals - 1,
    }
    (part,) = SCHEMAS[KIND].parts
    sums, numbers, early = part.check(resume, arrays, sizes).values()
    found = {int(number): (values[0], values[1]) for number, values in zip(numbers, early, strict=True)}
    spent = header.seconds, header.cpu_seconds
    return WalkState((sums[0], sums[1]), header.summed, found, *spent, spent_earlier=spent)


def _save(path: str | os.PathLike[str], walk: BoardWalk, agent: str, state: WalkState) -> None:
    header = {
        "game": walk.game.name,
        "agent": agent,
        "suits_alike": len(walk.symmetry) > 1,
        "deals": len(walk.deals),
        "summed": state.summed,
        "seconds": state.seconds,
        "cpu_seconds": state.cpu_seconds,
    }
    early = np.array(list(state.early.values())).reshape(-1, 2, state.sums[0].size)
    numbers = np.array(list(state.early), dtype=np.int64)
    write_cpz(path, KIND, header, {"sums": np.stack(state.sums), "numbers": numbers, "early": early})

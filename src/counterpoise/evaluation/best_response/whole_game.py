"""The walk over boards as a long job: first deals shared by threads, kept in a file, continued after a stop.

First deals (flops) are independent of each other. Their sums are added in the order of the deals, whatever the order in
which threads finish, so that neither the number of threads nor a stop changes the result. The file holds the sum of all
deals up to one, and those after it that were finished early. A walk over a sample of deals keeps each of them apart, as
finished early: a walk over all continues from it.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.evaluation.best_response.elsewhere import WalkElsewhere
from counterpoise.evaluation.best_response.walk import BestResponseWalk, Pair
from counterpoise.jobs import Driver, IteratedResult, JobHistory, Limits, Output, PiecesJob
from counterpoise.jobs.clock import own_cpu
from counterpoise.jobs.pieces import Work
from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.files import check_writable
from counterpoise.store.headers import WalkHeader
from counterpoise.store.schemas import SCHEMAS

FloatArray = NDArray[np.float64]
KIND = "best response"
FILE_LANES = 8
"""How many lines stand side by side in files."""
SAVE_EVERY = 5.0
"""The least number of seconds between two saves of the file."""


@dataclass
class WalkState:
    """The sums so far."""

    sums: Pair
    summed: int = 0
    """The number of first deals in the sums, counted in order."""
    early: dict[int, Pair] = field(default_factory=dict)
    """First deals after these that are finished."""
    spent_earlier: tuple[float, float] = (0.0, 0.0)
    """Seconds and CPU seconds of earlier calls."""

    @property
    def done(self) -> int:
        """The number of first deals that are finished."""
        return self.summed + len(self.early)

    def add_up(self) -> None:
        """Add to the sums what follows them without a gap."""
        while self.summed in self.early:
            for total, part in zip(self.sums, self.early.pop(self.summed), strict=True):
                total += part
            self.summed += 1


@dataclass(frozen=True, kw_only=True)
class WholeWalk(IteratedResult):
    """What a walk has found: its iterations are finished first deals."""

    values: FloatArray | None
    """What best responses win in chips, by seat; None if the walk was cancelled, or did not go over all deals."""
    state: WalkState


def walk_whole_game(
    walk: BestResponseWalk,
    agent: str,
    work: Work,
    resume: str | os.PathLike[str] | None = None,
    elsewhere: WalkElsewhere | None = None,
    chosen: Sequence[int] | None = None,
) -> WholeWalk:
    """Return the values of best responses, or the progress of the walk if it was cancelled.

    With `resume` the state is kept in that file, and continued if it is there already. First deals are done by threads,
    or by processes and machines `elsewhere`. Only the `chosen` ones are walked, and kept apart, if there are any.
    """
    state = _begin(walk, agent, resume)
    if chosen is None:
        state.add_up()
    elif state.summed:
        raise InputError(f"{resume} has summed up first deals of a walk over all: continue it without flops")
    output = None if resume is None else Output(resume, SAVE_EVERY)
    limits = Limits(iterations=len(walk.deals if chosen is None else chosen))
    before = JobHistory([], *state.spent_earlier)
    return Driver(
        WalkJob(walk, agent, state, work, elsewhere, chosen),
        limits,
        work.progress,
        cancel=work.cancel,
        before=before,
        output=output,
    ).run()


class WalkJob(PiecesJob[tuple[int, Pair], WholeWalk]):
    """A walk over all first deals, each of which is a piece of work for a thread."""

    state_beside = True

    def __init__(
        self,
        walk: BestResponseWalk,
        agent: str,
        state: WalkState,
        work: Work,
        elsewhere: WalkElsewhere | None = None,
        chosen: Sequence[int] | None = None,
    ) -> None:
        self.walk, self.agent, self.sums, self.work, self.elsewhere = walk, agent, state, work, elsewhere
        self.chosen = chosen
        assert walk.trunk_reach  # computed before threads need it

    def _open(self) -> Iterator[int]:
        """Yield the first deals that are not finished when the work begins."""
        finished = frozenset(self.sums.early)
        todo = range(self.sums.summed, len(self.walk.deals)) if self.chosen is None else self.chosen
        yield from (number for number in todo if number not in finished)

    @property
    def iteration(self) -> int:
        """First deals that are finished, of those that are walked."""
        return self.sums.done if self.chosen is None else len(self.sums.early.keys() & set(self.chosen))

    def pieces(self) -> Generator[tuple[int, Pair], None, None]:
        """Yield first deals as they are finished."""
        walk, cancel = self.walk, self.work.cancel
        if self.elsewhere is None:
            yield from self.work.as_finished(lambda number: walk.unit(number, cancel), self._open())
        else:
            yield from self.elsewhere.units(self._open(), len(walk.symmetry) > 1, cancel)

    def take(self, found: tuple[int, Pair]) -> None:
        """Take in a first deal that is finished."""
        number, values = found
        self.sums.early[number] = values
        if self.chosen is None:
            self.sums.add_up()

    def cpu(self) -> float:
        """Return the CPU seconds of all processes that walk."""
        return own_cpu() if self.elsewhere is None else self.elsewhere.cpu()

    def state(self) -> WalkState:
        """Return the sums so far."""
        return deepcopy(self.sums)

    def restore(self, state: WalkState) -> None:
        """Continue from the sums of a walk of the same game and agent."""
        self.sums = deepcopy(state)

    def wind_up(self) -> None:
        """Take in the first deals that threads are still finishing."""
        while not self.finished:
            self.step(1)

    def figure(self, latest: None) -> str:
        """Return how many first deals are finished."""
        whole = self.walk.deals if self.chosen is None else self.chosen
        return f"{self.iteration:,} of {len(whole):,} first deals"

    def checkpoint(self, path: str | os.PathLike[str], measured: None, history: JobHistory) -> None:
        """Write the sums so far."""
        _save(path, self.walk, self.agent, self.sums, history)

    def save(self, result: WholeWalk, path: str | os.PathLike[str]) -> None:
        """Do nothing: the last checkpoint has everything."""

    def result(self, measured: None, history: JobHistory) -> WholeWalk:
        """Return the values if all first deals are in the sums."""
        whole = self.sums.summed == len(self.walk.deals)
        values = self.walk.total(self.sums.sums) if whole else None
        return WholeWalk(values=values, state=self.sums, iterations=self.iteration, **history.outcome)


def _begin(walk: BestResponseWalk, agent: str, resume: str | os.PathLike[str] | None) -> WalkState:
    empty, layout = WalkState(walk.no_sums()), walk.rounds[walk.first]
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
        "values": layout.in_blocks(empty.sums[0], FILE_LANES).size,
        "finished": arrays["numbers"].size if "numbers" in arrays else 0,
        "first open deal": header.summed,
        "last deal": header.deals - 1,
    }
    (part,) = SCHEMAS[KIND].parts
    sums, numbers, early = part.check(resume, arrays, sizes).values()

    def by_line(values: FloatArray) -> Pair:
        return layout.by_line(values[0], FILE_LANES), layout.by_line(values[1], FILE_LANES)

    found = {int(number): by_line(values) for number, values in zip(numbers, early, strict=True)}
    spent = header.seconds, header.cpu_seconds
    return WalkState(by_line(sums), header.summed, found, spent)


def _save(
    path: str | os.PathLike[str], walk: BestResponseWalk, agent: str, state: WalkState, history: JobHistory
) -> None:
    header = {
        "game": walk.game.name,
        "agent": agent,
        "suits_alike": len(walk.symmetry) > 1,
        "deals": len(walk.deals),
        "summed": state.summed,
        "seconds": history.seconds,
        "cpu_seconds": history.cpu_seconds,
    }
    layout = walk.rounds[walk.first]

    def in_blocks(values: Pair) -> FloatArray:
        return np.stack([layout.in_blocks(lines, FILE_LANES) for lines in values])

    sums = in_blocks(state.sums)
    early = np.array([in_blocks(values) for values in state.early.values()]).reshape(-1, *sums.shape)
    numbers = np.array(list(state.early), dtype=np.int64)
    write_cpz(path, KIND, header, {"sums": sums, "numbers": numbers, "early": early})

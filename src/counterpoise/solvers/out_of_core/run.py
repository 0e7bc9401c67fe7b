"""Solve a game of limit hold'em out of core and measure its exploitability: `counterpoise solve GAME --out-of-core
DIR`."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import psutil

from counterpoise.errors import Cancelled, InputError
from counterpoise.games import Game, as_game
from counterpoise.games.base import game_name
from counterpoise.games.units import unit_of
from counterpoise.jobs import (
    Driver,
    IteratedResult,
    Job,
    JobHistory,
    Limits,
    Output,
    RunKeywords,
    TracePoint,
    refuse_unknown,
    takes,
)
from counterpoise.jobs.clock import own_cpu
from counterpoise.jobs.processes import KeptProcesses, WorkersLike, check_processes, cpu_elsewhere, worker_count
from counterpoise.progress import Progress, as_progress, cancel_on_interrupt
from counterpoise.solvers.out_of_core.blocks import BlockStore, DamagedBlock, MemoryBlocks
from counterpoise.solvers.out_of_core.estimate import (
    OutOfCoreEstimate,
    estimate_out_of_core,
    free_megabytes,
    size,
)
from counterpoise.solvers.out_of_core.first_round import FirstRound, Grid
from counterpoise.solvers.out_of_core.folder import RunFolder, TrunkState, settings_of_folder
from counterpoise.solvers.out_of_core.partition import Partition
from counterpoise.solvers.out_of_core.parts import SeatSizes
from counterpoise.solvers.out_of_core.regrets import checked_scales, default_scale
from counterpoise.solvers.out_of_core.solver import OutOfCoreSolver
from counterpoise.store.json import JsonResult, plain_json


class Found(NamedTuple):
    """What best responses win from the current strategies."""

    best_responses: tuple[float, float]
    """By seat, in chips."""

    @property
    def exploitability(self) -> float:
        """NashConv / 2, in chips."""
        return max(sum(self.best_responses) / 2, 0.0)


@dataclass(frozen=True, kw_only=True)
class OutOfCoreRun(IteratedResult, JsonResult):
    """The result of a run: the exploitability of the current strategies, and their sizes."""

    game: str
    algorithm: str
    exploitability: float
    """NashConv / 2 of the current strategies in chips, by exact best responses."""
    mbb_per_game: float
    """The exploitability in thousandths of a big blind."""
    value_bracket: tuple[float, float]
    """Bounds on the value of the game to the dealer, in thousandths of a big blind per game."""
    information_sets: int
    parts: int
    regrets: int
    """Regrets that are kept."""
    bits_per_regret: float
    disk_mb: float
    """Megabytes on the disk of the newest generation of both seats."""
    regrets_cut: int
    """Regrets that were too large for their scale, in the last update of each seat."""
    trace: Sequence[TracePoint]
    all_zero: int
    """Information sets after the first round without a positive regret, where every action is taken alike."""
    first_round: dict[str, Grid]
    """The strategy of the first round by kind of hand and action: a grid for each line, "" the dealer's first
    decision and "b4" the other seat's after a raise to 4 chips."""
    limps: float
    """The share of hands in which the dealer's first action is a call."""
    caps: float
    """The share of hands in which the dealer makes the last bet of the first round."""
    folder: str | None

    @property
    def nash_conv(self) -> float:
        """The sum of the winnings of both best responses, in chips."""
        return 2 * self.exploitability

    def plot(self, path: str | os.PathLike[str]) -> Path:
        """Draw exploitability, in chips, against iterations into a PNG, SVG or PDF file; return its path."""
        from counterpoise.plots import convergence

        return convergence({self.algorithm: self.trace}, path, title=self.game)

    def to_json(self) -> dict[str, Any]:
        """Return the figures in the types of JSON."""
        found = {key: plain_json(value) for key, value in self.fields_in_order().items()}
        return found | {"nash_conv": self.nash_conv, "trace": [point._asdict() for point in self.trace]}


@takes(RunKeywords)
def solve_out_of_core(
    game: Game | str,
    folder: str | os.PathLike[str] | None,
    *,
    scale: float | Sequence[float] | None = None,
    deals_per_part: int | None = None,
    workers: WorkersLike = 1,
    measure_at: Sequence[int] | None = None,
    on_point: Callable[[TracePoint], bool | None] | None = None,
    **options: Unpack[RunKeywords],
) -> OutOfCoreRun:
    """Run CFR+ on a game of limit hold'em whose regrets are kept in a folder, and continue a run that is there.

    The strategies are the current ones, as those of Cepheus were (Johanson 2016, chapter 9); no average is kept. Limits
    are those of `solve`: `target` is an exploitability in chips. Regrets are multiplied by `scale`, one power of two or
    one for each round after the first, before they are cut to whole numbers. A part has `deals_per_part` first deals
    that suits tell apart. The result does not depend on the number of `workers` or where they are. Without a folder the
    compressed regrets stay in memory. `measure_at` lists the iterations at which to measure, besides the last;
    `on_point` is called with each measurement and ends the run by returning True.
    """
    refuse_unknown(solve_out_of_core, options)
    check_processes(workers)
    rules = as_game(game)
    earlier = None if folder is None else settings_of_folder(folder)
    if earlier is not None:
        if earlier.game != game_name(rules):
            raise InputError(f"{os.fspath(folder or '')} is of another run: its game is {earlier.game}")
        deals_per_part = earlier.deals_per_part if deals_per_part is None else deals_per_part
        scale = earlier.scales if scale is None else scale
    partition = Partition.of(rules, deals_per_part)
    scale = default_scale(partition.game.deck.hand_count) if scale is None else scale
    scales = checked_scales(scale, len(partition.game.board))
    kept = None if folder is None else RunFolder(Path(folder).absolute(), partition, scales)
    limits = Limits.of(options)
    expected = estimate_out_of_core(partition, worker_count(workers))
    require_memory(partition, workers)
    if kept is not None and earlier is None:
        require_disk(kept, expected)
    if kept is None and workers != 1:
        raise InputError("out of core without a folder runs in one process: name a folder that all workers see")
    display = as_progress(options.get("progress"))
    with ExitStack() as ending:
        ending.enter_context(display)
        if kept is not None:
            ending.enter_context(kept.locked())
        token = ending.enter_context(cancel_on_interrupt(options.get("cancel")))
        display.begin(f"cfr+ on {partition.game.name}")
        display.note(expected.sentence())
        store: BlockStore = MemoryBlocks() if kept is None else kept.blocks
        shared = workers
        if isinstance(workers, int) and workers > 1:
            shared = processes = KeptProcesses(workers)  # which keep the games of parts between updates
            ending.callback(processes.close)
        solver = OutOfCoreSolver(partition, scales, store, shared, token)
        job = OutOfCoreJob(solver, kept, display)
        before = job.resume()
        return Driver(
            job,
            limits,
            display,
            cancel=token,
            before=before,
            on_point=on_point,
            measure_at=measure_at,
            output=None if kept is None else Output(kept.path, every=math.inf),  # every update is saved anyway
        ).run()


def require_memory(partition: Partition, workers: WorkersLike) -> None:
    """Refuse a game of which the parts that this machine works on do not fit the memory that is free."""
    here = workers if isinstance(workers, int) else min(workers.count, os.cpu_count() or 1)  # others have their own
    free = psutil.virtual_memory().available / 1e6
    if here * partition.part_megabytes > free:
        raise InputError(
            f"{partition.game.name}: a part of {len(partition.first_deals(0)):,} first deals takes about "
            f"{partition.part_megabytes:,.0f} MB of memory in each of {here} processes, and {free:,.0f} MB are free: "
            "the smallest part is one first deal"
        )


def require_disk(folder: RunFolder, expected: OutOfCoreEstimate) -> None:
    """Refuse to begin a run that the disk cannot hold."""
    free = free_megabytes(folder.path)
    if expected.disk_mb > free:
        raise InputError(
            f"{expected.game}: a run takes about {size(expected.disk_mb)} of disk, and {size(free)} are free where "
            f"{folder.path} is"
        )


class OutOfCoreJob(Job[Found, OutOfCoreRun]):
    """A run at work: a step is an iteration, an update of each seat."""

    batch_seconds = None
    clocked = "measuring"
    measured_first = False
    state_beside = True

    def __init__(self, solver: OutOfCoreSolver, folder: RunFolder | None, display: Progress) -> None:
        self.solver, self.folder, self.display = solver, folder, display
        self._history = JobHistory()
        self._began = self.cpu()
        self._stopped = False
        self._measured: tuple[int, Found] | None = None  # the iteration of the last measurement, and what it found
        self._told = ""
        solver.part_done = self._part_done  # type: ignore[method-assign]

    def resume(self) -> JobHistory | None:
        """Continue from the newest state in the folder that can be read; None if there is none."""
        if self.folder is None:
            return None
        numbers, wrong = self.folder.numbers(), None
        for number in reversed(numbers):
            try:
                state = self.folder.load(number)
            except InputError as error:
                wrong = wrong or error
                continue
            if wrong is not None:
                self.display.note(f"{wrong}; continuing from update {number:,}")
            self.restore(state)
            self._history = JobHistory(list(state.trace), state.seconds, state.cpu_seconds)
            return self._history
        if wrong is not None:
            raise wrong
        return None

    @property
    def iteration(self) -> int:
        """Complete iterations."""
        return self.solver.iteration

    @property
    def finished(self) -> bool:
        """Whether the work was stopped in the middle of an iteration."""
        return self._stopped

    def cpu(self) -> float:
        """Return the CPU seconds of this process and of the workers."""
        return own_cpu() + cpu_elsewhere(self.solver.workers)

    def step(self, iterations: int) -> None:
        """Do an iteration, or the rest of one; a damaged block takes the run back to the state before it was
        written."""
        goal = self.iteration + 1
        while self.iteration < goal:
            try:
                self.solver.update()
            except Cancelled:
                self._stopped = True
                return
            except DamagedBlock as error:
                self._go_back(error)
                continue
            self._save()

    def _go_back(self, error: DamagedBlock) -> None:
        done = sum(self.solver.generations)
        numbers = [] if self.folder is None else [number for number in self.folder.numbers() if number < done]
        if self.folder is None or not numbers:
            raise error
        state = self.folder.load(numbers[0])
        for number in self.folder.numbers():
            if number > numbers[0]:
                self.folder.forget(number)
        for seat, generation in enumerate(state.generations):
            self.folder.blocks.remove_after(seat, generation)  # made from what is damaged, or damaged itself
        self.display.note(f"{error}; going back to iteration {min(state.generations):,}")
        self.restore(state)

    def measure(self) -> Found:
        """Return the winnings of best responses; after damage, which takes the run back, at the same iteration
        again."""
        goal = self.iteration
        while True:
            try:
                first, second = self.solver.best_responses().tolist()
            except DamagedBlock as error:
                self._go_back(error)
                while self.iteration < goal and not self._stopped:
                    self.step(1)
            except Cancelled:  # measuring takes as long as an iteration: nobody waits for it
                if self._measured is None:
                    raise Cancelled("cancelled before the strategies were measured; the run can be continued") from None
                return self._measured[1]
            else:
                self._measured = self.iteration, Found((first, second))
                return self._measured[1]

    def point(self, measured: Found, seconds: float) -> TracePoint | None:
        """Return a point of the trace, in chips; None if the last measurement is of an earlier iteration."""
        if self._measured is None or self._measured[0] != self.iteration:
            return None
        point = TracePoint(
            self.iteration, measured.exploitability, 0, seconds, sum(one.compressed for one in self.solver.sizes)
        )
        self._history = JobHistory([*self._history.trace, point], seconds, self._history.cpu_seconds)
        return point

    def state(self) -> TrunkState:
        """Return the trunk; the blocks are where all workers see them."""
        history, solver = self._history, self.solver
        generations = (solver.generations[0], solver.generations[1])
        spent = history.seconds, self._history.cpu_seconds + self.cpu() - self._began
        sizes = solver.sizes[0], solver.sizes[1]
        trace = tuple(
            point for point in history.trace if point.iteration <= self.iteration
        )  # the run may be back there
        return TrunkState(generations, solver.regrets.store.wide.copy(), *spent, trace, sizes)

    def restore(self, state: TrunkState) -> None:
        """Continue from a state whose blocks are in the store."""
        self.solver.generations, self.solver.sizes = list(state.generations), list(state.sizes)
        self.solver.regrets.store.wide[...] = state.regrets

    def figure(self, latest: TracePoint | None) -> str:
        """Return the iteration and the exploitability in thousandths of a big blind."""
        told = f"iteration {self.iteration:,}"
        if latest is not None:
            told += f", {self._mbb(latest.exploitability):,.3g} mbb/g"
        return told + self._told

    def _part_done(self, answer: object, done: int) -> None:
        parts = self.solver.partition.parts
        self._told = f", seat {self.solver.next_seat}: part {done:,} of {parts:,}" if done < parts else ""
        if parts >= 8 and done % max(parts // 8, 1) == 0:
            self.display.show(None, self.figure(self._history.trace[-1] if self._history.trace else None))

    def checkpoint(self, path: str | os.PathLike[str], measured: Found, history: JobHistory) -> None:
        """Do nothing: every update is saved when it is done."""

    def save(self, result: OutOfCoreRun, path: str | os.PathLike[str]) -> None:
        """Write the state with the last measurement in its trace."""
        self._history = JobHistory(list(result.trace), result.seconds, result.cpu_seconds)
        self._began = self.cpu()
        self._save()

    def _save(self) -> None:
        if self.folder is not None and any(self.solver.generations):
            self.folder.save(self.state())
        elif self.folder is None:
            for seat, generation in enumerate(self.solver.generations):
                self.solver.store.remove_before(seat, generation)

    def _mbb(self, chips: float) -> float:
        return chips * unit_of(self.solver.partition.game)[1]

    def result(self, measured: Found, history: JobHistory) -> OutOfCoreRun:
        """Return what was found."""
        solver, partition = self.solver, self.solver.partition
        first, second = measured.best_responses
        before_flop = FirstRound(solver.trunk, solver.regrets)
        written = SeatSizes(*map(sum, zip(*solver.sizes, strict=True)))
        return OutOfCoreRun(
            game=partition.game.name,
            algorithm="cfr+",
            exploitability=measured.exploitability,
            mbb_per_game=self._mbb(measured.exploitability),
            value_bracket=(self._mbb(-first), self._mbb(second)),
            information_sets=partition.information_sets,
            parts=partition.parts,
            regrets=written.regrets,
            bits_per_regret=8 * written.compressed / max(written.regrets, 1),
            disk_mb=written.compressed / 1e6,
            regrets_cut=written.cut,
            trace=list(history.trace),
            all_zero=sum(solver.all_zero),
            first_round=before_flop.grids,
            limps=before_flop.limps,
            caps=before_flop.caps,
            folder=None if self.folder is None else str(self.folder.path),
            iterations=self.iteration,
            **history.outcome,
        )

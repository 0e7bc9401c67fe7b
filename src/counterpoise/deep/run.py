"""Train networks for a game: let a learner step, measure it on a schedule, show, save, resume.

Like the training of blueprints there are two files: the result, and beside it a checkpoint from which a killed run
continues as if nothing had happened. Measuring changes nothing, and takes at most about a tenth of the time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, Unpack

import psutil
from numpy.typing import NDArray

from counterpoise.deep.files import Trained
from counterpoise.deep.jax import one_blas_thread, require_jax
from counterpoise.deep.learner import METHODS, Learner, NetworkMethod, Paced
from counterpoise.errors import Cancelled, Diverged, InputError
from counterpoise.games import Game, as_game, game_name
from counterpoise.games.registry import load_saved_game
from counterpoise.jobs import (
    Driver,
    IteratedResult,
    Job,
    JobHistory,
    Limits,
    Output,
    Timing,
    TracePoint,
    TrainingKeywords,
    refuse_unknown,
    takes,
)
from counterpoise.jobs.clock import own_cpu
from counterpoise.parameters import require, require_whole
from counterpoise.progress import CancelToken, Progress, as_progress, duration
from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.files import checkpoint_of, checkpoint_to_resume
from counterpoise.store.headers import NetworkTrainingHeader

KIND, VERSION = "network training", 1
CHECKPOINT_MINUTES = 2.0
MEASURING = 0.1
"""The share of the time that measuring takes at most."""
MEASURED_PER_TENFOLD = 8
"""The number of measurements of exploitability while the time grows tenfold."""


@dataclass(frozen=True, kw_only=True)
class NetworkTraining(IteratedResult):
    """The networks and the figures of a training.

    CPU seconds are those of this process and the workers, measuring and saving included; of earlier runs, until their
    last checkpoint.
    """

    trained: Trained
    seed: int
    nodes_touched: int
    memory_mb: float
    trace: list[TracePoint] = field(repr=False)
    figures: dict[str, float]
    """The last loss and what else the method counts."""
    exploitability: float | None = None
    """By exact best responses, in the game's own unit; None if the game is too large or networks have diverged."""
    checkpoint: Path | None = None

    def to_json(self) -> dict[str, Any]:
        """Return everything but the weights; exploitability only where it was computed."""
        found = {
            "game": self.trained.game,
            "method": self.trained.method,
            "seed": self.seed,
            "iterations": self.iterations,
            "nodes": self.nodes_touched,
            "nodes_per_cpu_second": self.nodes_touched / max(self.cpu_seconds, 1e-9),
            "memory_mb": self.memory_mb,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "weights": sum(network.weight_count for network in self.trained.networks.values()),
            "figures": self.figures,
            "trace": [point._asdict() for point in self.trace],
            "interrupted": self.interrupted,
            "checkpoint": None if self.checkpoint is None else str(self.checkpoint),
            "unsaved": self.unsaved,
        }
        return found if self.exploitability is None else found | {"exploitability": self.exploitability}

    def plot(self, path: str | os.PathLike[str]) -> Path:
        """Draw exploitability against seconds into a PNG, SVG or PDF file; return its path."""
        from counterpoise.plots import convergence

        require(bool(self.trace), "there is nothing to draw: exploitability was not measured")
        return convergence({self.trained.method: self.trace}, path, title=self.trained.game, x="seconds")


@takes(TrainingKeywords)
def train_networks(
    game: Game | str | None = None,
    method: NetworkMethod | str | None = None,
    *,
    seed: int | None = None,
    workers: int = 1,
    **options: Unpack[TrainingKeywords],
) -> NetworkTraining:
    """Train networks for a game by a method until `iterations` in all or for `minutes`, whichever is first.

    The method is deep-cfr if none is given. `workers` is how many processes play; with `resume` the checkpoint says
    game, method and seed. Checkpoints are two minutes apart unless said otherwise. Networks that diverge in training,
    or when the result is made, raise `Diverged`, whose sentence says where the last good checkpoint is; those that
    diverge while they are measured leave out a figure.
    """
    refuse_unknown(train_networks, options)
    limits, resume = Limits.of_training(options), options.get("resume")
    if seed is not None:
        require_whole("seed", seed, 0, 2**32 - 1)
    require_whole("workers", workers, 1, 64)
    output = Output.of_training(options, CHECKPOINT_MINUTES)
    require_jax()
    with as_progress(options.get("progress")) as display, one_blas_thread():
        if resume is None:
            require(game is not None, "game is missing: name one, such as leduc_poker, or resume a training")
            chosen = _as_method("deep-cfr" if method is None else method)
            job, before = NetworkJob.begin(as_game(game), chosen, seed or 0, workers, display), None  # type: ignore[arg-type]
        else:
            require(seed is None, "seed must be left out with resume: the checkpoint has it")
            job, before = _resumed(game, method, resume, workers, display)
        try:
            return job.run(limits, before, output, options.get("cancel"))
        finally:
            job.learner.close()


class NetworkJob(Job[float | None, NetworkTraining]):
    """A learner at work: its steps are the learner's, its points the exploitability where that can be computed."""

    batch_seconds = None
    clocked = "everything"
    first_step_compiles = True
    measured_first = False
    state_beside = True

    def __init__(self, game: Game, method: NetworkMethod, seed: int, learner: Learner, display: Progress) -> None:
        self.game, self.method, self.seed, self.learner, self.display = game, method, seed, learner, display
        self.kept: tuple[Path, int] | None = None
        """The last checkpoint, and the iteration that it has."""
        self.written: Path | None = None

    @classmethod
    def begin(cls, game: Game, method: NetworkMethod, seed: int, workers: int, display: Progress) -> Self:
        """Return a training at its beginning."""
        display.begin(f"{method.name} on {game_name(game)}")
        return cls(game, method, seed, method.on(game, seed, workers), display)

    def run(
        self, limits: Limits, before: JobHistory | None, output: Output | None, cancel: CancelToken | None
    ) -> NetworkTraining:
        """Train until the limit and return the result."""
        most, wanted = self.method.most_iterations, limits.iterations
        if wanted is not None and most is not None and wanted > most:
            raise InputError(f"iterations must be at most {most}, as a file holds no more networks, not {wanted}")
        if wanted is not None and self.iteration >= wanted:
            self.display.note(f"iteration {self.iteration:,} had been reached before; iterations are counted in all")
        else:
            self.display.note("JAX compiles the networks first: about ten seconds")
        found = Driver(
            self, limits, self.display, cancel=cancel, before=before, output=output, on_point=self._show_point
        ).run()
        if self.finished and wanted != most:
            self.display.note(f"iteration {most:,} is the last one whose networks fit a file")
        return found

    @property
    def iteration(self) -> int:
        """The learner's steps so far."""
        return self.learner.iterations

    @property
    def finished(self) -> bool:
        """Whether no further iteration's networks fit a file."""
        most = self.method.most_iterations
        return most is not None and self.iteration >= most

    def step(self, iterations: int) -> None:
        """Take one step of the learner."""
        with self._named():
            self.learner.step()

    def pace(self, share: float) -> None:
        """Let the learner's schedule follow the clock, if it has one."""
        if isinstance(self.learner, Paced):
            self.learner.pace(share)

    def cpu(self) -> float:
        """Return the CPU seconds of this process and of the workers."""
        return own_cpu() + self.learner.cpu_elsewhere

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the learner's state."""
        return self.learner.state()

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from what `state` returned."""
        self.learner.restore(state)

    def next_measurement(self, done: int, to_target: bool) -> int | None:
        """Return None: the clock says when to measure."""
        return None

    def is_due(self, timing: Timing) -> bool:
        """Return whether measuring takes a tenth of the time at most, and the time has grown enough."""
        growth = timing.seconds * (10 ** (1 / MEASURED_PER_TENFOLD) - 1)
        return timing.since >= max(timing.cost / MEASURING, growth)

    def measure(self) -> float | None:
        """Return the exploitability; None in large games, and of networks that diverge while they are measured."""
        if not self.iteration:
            raise Cancelled("cancelled before there was a result")
        try:
            return self.learner.exploitability()
        except Diverged as error:
            self.display.note(f"iteration {self.iteration:,} could not be measured: {error}")
            return None

    def remembered(self, point: TracePoint) -> float | None:
        """Return the exploitability of the point."""
        return point.exploitability

    def point(self, measured: float | None, seconds: float) -> TracePoint | None:
        """Return the point of an exploitability, with the memory of the process."""
        if measured is None:
            return None
        return TracePoint(self.iteration, measured, self.learner.nodes_touched, seconds, _resident_bytes())

    def _show_point(self, point: TracePoint) -> None:
        self.display.note(f"{duration(point.seconds):>8}  {self.figure(point)}")

    def figure(self, latest: TracePoint | None) -> str:
        """Return iteration, exploitability, loss and what else the method counts."""
        parts = [f"iteration {self.iteration:,}"]
        if latest is not None:
            parts.append(f"exploitability {latest.exploitability:.4g}")
        parts += [f"{name} {_shown(value)}" for name, value in self.learner.figures().items()]
        return ", ".join([*parts, f"{self.learner.nodes_touched:,} nodes"])

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Say of networks that diverge in which iteration they do, and what is left of the training."""
        try:
            yield
        except Diverged as error:
            where = f"iteration {self.iteration:,} of {self.method.name} on {game_name(self.game)}"
            kept = "nothing had been saved before"
            if self.kept is not None:
                kept = f"{self.kept[0]} has iteration {self.kept[1]:,}"
            raise Diverged(f"{error} ({where}); {kept}") from None

    def checkpoint(self, path: str | os.PathLike[str], measured: float | None, history: JobHistory) -> None:
        """Write everything that a resumed run needs."""
        file = checkpoint_of(path)
        header = {
            "training_version": VERSION,
            "game": game_name(self.game),
            "method": self.method.name,
            "seed": self.seed,
            "spent": {"seconds": history.seconds, "cpu_seconds": history.cpu_seconds},
            "trace": [list(point) for point in history.trace],
        }
        self.written = None
        write_cpz(file, KIND, header, self.state())
        self.written, self.kept = file, (file, self.iteration)

    def save(self, result: NetworkTraining, path: str | os.PathLike[str]) -> None:
        """Write the networks."""
        result.trained.save(path)

    def result(self, measured: float | None, history: JobHistory) -> NetworkTraining:
        """Return the networks that would be played now."""
        learner = self.learner
        with self._named():
            trained = learner.result()
        return NetworkTraining(
            trained=trained,
            seed=self.seed,
            iterations=learner.iterations,
            nodes_touched=learner.nodes_touched,
            memory_mb=_resident_bytes() / 1e6,
            trace=list(history.trace),
            figures=learner.figures(),
            exploitability=measured,
            checkpoint=self.written,
            **history.outcome,
        )


def _resident_bytes() -> int:
    return int(psutil.Process().memory_info().rss)


def _as_method(method: NetworkMethod | str) -> NetworkMethod:
    """Return a method that is given by its name."""
    found: NetworkMethod = METHODS.build(method) if isinstance(method, str) else method
    return found


def _shown(value: float) -> str:
    """Return a count whole, any other figure to four significant digits."""
    return f"{value:,.0f}" if value.is_integer() else f"{value:.4g}"


def _resumed(
    game: Game | str | None,
    method: NetworkMethod | str | None,
    resume: str | os.PathLike[str],
    workers: int,
    display: Progress,
) -> tuple[NetworkJob, JobHistory]:
    """Return the training of a checkpoint, and its history."""
    file = checkpoint_to_resume(resume)
    raw, arrays = read_cpz(file, KIND, mapped=True)
    header = NetworkTrainingHeader.read(raw, file)
    rules = load_saved_game(file, header.game) if game is None else as_game(game)
    require(game_name(rules) == header.game, f"{resume} is a training of {header.game}, not {game_name(rules)}")
    chosen = _as_method(header.method)
    if method is not None:
        asked = _as_method(method)
        require(asked == chosen, f"{resume} is a training by {chosen.name}, not {asked.name}")
    job = NetworkJob.begin(rules, chosen, header.seed, workers, display)
    try:
        _restore(job.learner, arrays, file)
    except InputError:
        job.learner.close()
        raise
    job.kept = file, job.iteration
    trace = [TracePoint(*row) for row in header.trace]
    return job, JobHistory(trace, header.spent.seconds, header.spent.cpu_seconds)


def _restore(learner: Learner, arrays: Mapping[str, NDArray[Any]], file: Path) -> None:
    try:
        learner.restore(arrays)
    except (KeyError, ValueError, TypeError, IndexError, OverflowError) as error:
        raise InputError(f"{file} is damaged: its arrays do not describe this training ({error})") from None

"""Train networks for a game: let a learner step, measure it on a schedule, show, save, resume.

Like the training of blueprints there are two files: the result, and beside it a checkpoint from which a killed run
continues as if nothing had happened. Measuring changes nothing, and takes at most about a tenth of the time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from numpy.typing import NDArray

from counterpoise.deep.files import Trained
from counterpoise.deep.jax import one_blas_thread, require_jax
from counterpoise.deep.learner import METHODS, Learner, Method
from counterpoise.errors import Diverged, InputError
from counterpoise.games import Game, as_game, game_name
from counterpoise.parameters import require, require_training_limits, require_whole
from counterpoise.progress import CancelToken, Progress, as_progress, duration
from counterpoise.solvers.base import TracePoint
from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.files import check_training_files, checkpoint_of
from counterpoise.store.headers import NetworkTrainingHeader
from counterpoise.tree.evaluation import load_saved_game

KIND, VERSION = "network training", 1
CHECKPOINT_MINUTES = 2.0
MEASURING = 0.1
"""The share of the time that measuring takes at most."""
MEASURED_PER_TENFOLD = 8
"""How often exploitability is measured while the time grows tenfold."""


@dataclass
class NetworkTraining:
    """Networks that were trained, and how that went."""

    trained: Trained
    seed: int
    iterations: int
    nodes_touched: int
    seconds: float
    cpu_seconds: float
    """Of this process and the workers, measuring and saving included."""
    memory_mb: float
    trace: list[TracePoint] = field(repr=False)
    figures: dict[str, float]
    """The last loss and what else the method counts."""
    exploitability: float | None = None
    """By exact best responses, in the game's own unit; None in games too large for it."""
    interrupted: bool = False
    checkpoint: Path | None = None
    unsaved: str | None = None
    """Why the result could not be written, if so."""

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


def train_networks(
    game: Game | str | None = None,
    method: Method | str = "deep-cfr",
    *,
    minutes: float | None = None,
    iterations: int | None = None,
    seed: int | None = None,
    workers: int = 1,
    out: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    checkpoint_minutes: float = CHECKPOINT_MINUTES,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> NetworkTraining:
    """Train networks for a game by a method until `iterations` in all or for `minutes`, whichever is first.

    With `resume` a checkpoint (or a result that has one beside it) says game, method and seed. Networks that diverge
    raise `Diverged`, whose sentence says where the last good checkpoint is.
    """
    require_training_limits(minutes, iterations, checkpoint_minutes)
    if seed is not None:
        require_whole("seed", seed, 0, 2**32 - 1)
    require_whole("workers", workers, 1, 64)
    if out is not None:
        check_training_files(out)
    require_jax()
    shown_by, token = as_progress(progress), cancel or CancelToken()
    with shown_by, one_blas_thread():
        if resume is None:
            require(game is not None, "game is missing: name one, such as leduc_poker, or resume a training")
            run = _TrainingRun(as_game(game), method, seed or 0, workers, shown_by, token)  # type: ignore[arg-type]
        else:
            require(seed is None, "seed must be left out with resume: the checkpoint has it")
            run = _resumed(game, resume, workers, shown_by, token)
        try:
            return run.go(minutes, iterations, out, checkpoint_minutes)
        finally:
            run.learner.close()


class _TrainingRun:
    """A training under way."""

    def __init__(
        self, game: Game, method: Method | str, seed: int, workers: int, progress: Progress, cancel: CancelToken
    ) -> None:
        self.game, self.seed, self.progress, self.cancel = game, seed, progress, cancel
        self.method: Method = METHODS.build(method) if isinstance(method, str) else method
        progress.begin(f"{self.method.name} on {game_name(game)}")
        progress.note("JAX compiles the networks first: about ten seconds")
        self.learner: Learner = self.method.on(game, seed, workers)
        self.trace: list[TracePoint] = []
        self.spent = {"seconds": 0.0, "cpu_seconds": 0.0}
        self.unsaved: str | None = None
        self.saved: int | None = None
        self.exploitability: float | None = None

    def go(
        self,
        minutes: float | None,
        iterations: int | None,
        out: str | os.PathLike[str] | None,
        checkpoint_minutes: float,
    ) -> NetworkTraining:
        """Train until the limit and return what was found."""
        learner, earlier = self.learner, dict(self.spent)
        began = measured = saved = time.monotonic()
        began_cpu, cost, compiled = self._cpu(), 0.0, 0.0
        while not self.cancel.cancelled and (iterations is None or learner.iterations < iterations):
            now = time.monotonic()
            if minutes is not None and now - began - compiled >= 60 * minutes:
                break
            self._step(out)
            if not compiled:
                compiled = time.monotonic() - now  # the first step compiles: `minutes` are of training
            now = time.monotonic()
            spent = now - began, self._cpu() - began_cpu
            self.spent = {"seconds": earlier["seconds"] + spent[0], "cpu_seconds": earlier["cpu_seconds"] + spent[1]}
            due = max(cost / MEASURING, self.spent["seconds"] * (10 ** (1 / MEASURED_PER_TENFOLD) - 1))
            if now - measured >= due:
                self._measure()
                measured = time.monotonic()
                cost = measured - now
            shares = [learner.iterations / iterations] if iterations is not None else []
            shares += [(now - began - compiled) / 60 / minutes] if minutes is not None else []
            self.progress.show(max(shares), self._figure())
            if out is not None and time.monotonic() - saved >= 60 * checkpoint_minutes:
                self._keep(out)
                saved = time.monotonic()
        if not learner.iterations:
            self.cancel.check()  # there is nothing to return before the first step
        if not self.trace or self.trace[-1].iteration < learner.iterations:
            self._measure()
        trained = learner.result()
        checkpoint = None if out is None else self._keep(out, trained)
        return self._result(trained, checkpoint)

    def _step(self, out: str | os.PathLike[str] | None) -> None:
        try:
            self.learner.step()
        except Diverged as error:
            where = f"iteration {self.learner.iterations:,} of {self.method.name} on {game_name(self.game)}"
            kept = "nothing had been saved before"
            if out is not None and self.saved is not None:
                kept = f"{checkpoint_of(out)} has iteration {self.saved:,}"
            raise Diverged(f"{error} ({where}); {kept}") from None

    def _measure(self) -> None:
        found = self.learner.exploitability()
        self.exploitability = found
        if found is None:
            return
        learner, memory = self.learner, psutil.Process().memory_info().rss
        self.trace.append(
            TracePoint(learner.iterations, found, learner.nodes_touched, self.spent["seconds"], int(memory))
        )
        self.progress.note(f"{duration(self.spent['seconds']):>8}  {self._figure()}")

    def _figure(self) -> str:
        learner = self.learner
        parts = [f"iteration {learner.iterations:,}"]
        if self.trace:
            parts.append(f"exploitability {self.trace[-1].exploitability:.4g}")
        parts += [f"{name} {value:.4g}" for name, value in learner.figures().items()]
        return ", ".join([*parts, f"{learner.nodes_touched:,} nodes"])

    def _cpu(self) -> float:
        return time.process_time() + self.learner.cpu_elsewhere

    def _keep(self, out: str | os.PathLike[str], trained: Trained | None = None) -> Path | None:
        """Write the checkpoint, and the result if there is one; None if they cannot be written."""
        path, header = (
            checkpoint_of(out),
            {
                "training_version": VERSION,
                "game": game_name(self.game),
                "method": self.method.name,
                "seed": self.seed,
                "spent": self.spent,
                "trace": [list(point) for point in self.trace],
            },
        )
        try:
            if trained is not None:
                trained.save(out)
            write_cpz(path, KIND, header, self.learner.state())
        except (OSError, ValueError) as error:  # training goes on, and the next checkpoint may fit
            self.unsaved = str(error)
            self.progress.note(f"{out} could not be saved: {error}")
            return None
        self.unsaved, self.saved = None, self.learner.iterations
        return path

    def _result(self, trained: Trained, checkpoint: Path | None) -> NetworkTraining:
        learner = self.learner
        return NetworkTraining(
            trained=trained,
            seed=self.seed,
            iterations=learner.iterations,
            nodes_touched=learner.nodes_touched,
            seconds=self.spent["seconds"],
            cpu_seconds=self.spent["cpu_seconds"],
            memory_mb=psutil.Process().memory_info().rss / 1e6,
            trace=self.trace,
            figures=learner.figures(),
            exploitability=self.exploitability,
            interrupted=self.cancel.cancelled,
            checkpoint=checkpoint,
            unsaved=self.unsaved,
        )


def _resumed(
    game: Game | str | None,
    resume: str | os.PathLike[str],
    workers: int,
    progress: Progress,
    cancel: CancelToken,
) -> _TrainingRun:
    """Return the run of a checkpoint."""
    file = checkpoint_of(resume)
    require(
        file == Path(resume) or file.exists() or not Path(resume).exists(),
        f"{resume} has no checkpoint beside it: {file} does not exist",
    )
    raw, arrays = read_cpz(file, KIND)
    header = NetworkTrainingHeader.read(raw, file)
    if header.training_version != VERSION:
        raise InputError(f"{file} is a training of version {header.training_version}; this program reads {VERSION}")
    if header.spent.keys() != {"seconds", "cpu_seconds"}:
        raise InputError(f"{file} is damaged: what it says of its time cannot be read")
    rules = load_saved_game(file, header.game) if game is None else as_game(game)
    require(game_name(rules) == header.game, f"{resume} is a training of {header.game}, not {game_name(rules)}")
    run = _TrainingRun(rules, header.method, header.seed, workers, progress, cancel)
    try:
        _restore(run.learner, arrays, file)
    except InputError:
        run.learner.close()
        raise
    run.spent, run.saved = dict(header.spent), run.learner.iterations
    run.trace = [TracePoint(*row) for row in header.trace]
    run.exploitability = run.trace[-1].exploitability if run.trace else None
    return run


def _restore(learner: Learner, arrays: Mapping[str, NDArray[Any]], file: Path) -> None:
    try:
        learner.restore(arrays)
    except (KeyError, ValueError, TypeError, IndexError, OverflowError) as error:
        raise InputError(f"{file} is damaged: its arrays do not describe this training ({error})") from None

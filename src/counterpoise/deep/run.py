"""Train networks for a game: let a learner step, measure it on a schedule, show, save, resume.

Like the training of blueprints there are two files: the result, and beside it a checkpoint from which a killed run
continues as if nothing had happened. Measuring changes nothing, and takes at most about a tenth of the time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from numpy.typing import NDArray

from counterpoise.deep.files import Trained
from counterpoise.deep.jax import one_blas_thread, require_jax
from counterpoise.deep.learner import METHODS, Learner, Method, Paced
from counterpoise.errors import Diverged, InputError
from counterpoise.games import Game, as_game, game_name
from counterpoise.parameters import require, require_training_limits, require_whole
from counterpoise.progress import CancelToken, Progress, as_progress, duration
from counterpoise.solvers.base import TracePoint
from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.files import check_training_files, checkpoint_of, checkpoint_to_resume
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
    """Of this process and the workers, measuring and saving included; of earlier runs, until their last checkpoint."""
    memory_mb: float
    trace: list[TracePoint] = field(repr=False)
    figures: dict[str, float]
    """The last loss and what else the method counts."""
    exploitability: float | None = None
    """By exact best responses, in the game's own unit; None in games too large for it, or if networks have diverged."""
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
    method: Method | str | None = None,
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

    The method is deep-cfr if none is given. With `resume` a checkpoint (or a result that has one beside it) says game,
    method and seed. Networks that diverge in training, or when the result is made, raise `Diverged`, whose sentence
    says where the last good checkpoint is; those that diverge while they are measured leave out a figure.
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
            chosen = _as_method("deep-cfr" if method is None else method)
            run = _TrainingRun(as_game(game), chosen, seed or 0, workers, shown_by, token)  # type: ignore[arg-type]
        else:
            require(seed is None, "seed must be left out with resume: the checkpoint has it")
            run = _resumed(game, method, resume, workers, shown_by, token)
        try:
            return run.go(minutes, iterations, out, checkpoint_minutes)
        finally:
            run.learner.close()


class _TrainingRun:
    """A training under way."""

    def __init__(
        self, game: Game, method: Method, seed: int, workers: int, progress: Progress, cancel: CancelToken
    ) -> None:
        self.game, self.method, self.seed, self.progress, self.cancel = game, method, seed, progress, cancel
        progress.begin(f"{self.method.name} on {game_name(game)}")
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
        learner, earlier, most = self.learner, dict(self.spent), self.method.most_iterations
        if iterations is not None and most is not None and iterations > most:
            raise InputError(f"iterations must be at most {most}, as a file holds no more networks, not {iterations}")
        if iterations is not None and learner.iterations >= iterations:
            self.progress.note(
                f"iteration {learner.iterations:,} had been reached before; iterations are counted in all"
            )
        else:
            self.progress.note("JAX compiles the networks first: about ten seconds")
        began = measured = saved = time.monotonic()
        began_cpu, cost, compiled = self._cpu(), 0.0, 0.0

        def count_time() -> None:
            spent = {"seconds": time.monotonic() - began, "cpu_seconds": self._cpu() - began_cpu}
            self.spent = {name: earlier[name] + spent[name] for name in spent}

        while not self.cancel.cancelled and (iterations is None or learner.iterations < iterations):
            now = time.monotonic()
            if minutes is not None and now - began - compiled >= 60 * minutes:
                break
            if most is not None and learner.iterations >= most:
                self.progress.note(f"iteration {most:,} is the last one whose networks fit a file")
                break
            with self._named(out):
                learner.step()
            if not compiled:
                compiled = time.monotonic() - now  # the first step compiles: `minutes` are of training
            now = time.monotonic()
            count_time()
            due = max(cost / MEASURING, self.spent["seconds"] * (10 ** (1 / MEASURED_PER_TENFOLD) - 1))
            if now - measured >= due:
                self._measure()
                measured = time.monotonic()
                cost = measured - now
            shares = [learner.iterations / iterations] if iterations is not None else []
            if minutes is not None:
                shares.append((now - began - compiled) / 60 / minutes)
                if isinstance(learner, Paced):
                    learner.pace(shares[-1])
            self.progress.show(max(shares), self._figure())
            if out is not None and time.monotonic() - saved >= 60 * checkpoint_minutes:
                self._keep(out)
                saved = time.monotonic()
        if not learner.iterations:
            self.cancel.check()  # there is nothing to return before the first step
        if not self.trace or self.trace[-1].iteration < learner.iterations:
            self._measure()
        count_time()
        checkpoint = None if out is None else self._keep(out)  # before the result, which may diverge
        with self._named(out):
            trained = learner.result()
        if out is not None:
            lost = self.unsaved
            self._saved(out, lambda: trained.save(out))
            self.unsaved = self.unsaved or lost
        count_time()
        return self._result(trained, checkpoint)

    @contextmanager
    def _named(self, out: str | os.PathLike[str] | None) -> Iterator[None]:
        """Say of networks that diverge in which iteration they do, and what is left of the training."""
        try:
            yield
        except Diverged as error:
            where = f"iteration {self.learner.iterations:,} of {self.method.name} on {game_name(self.game)}"
            kept = "nothing had been saved before"
            if out is not None and self.saved is not None:
                kept = f"{checkpoint_of(out)} has iteration {self.saved:,}"
            raise Diverged(f"{error} ({where}); {kept}") from None

    def _measure(self) -> None:
        try:
            found = self.learner.exploitability()
        except Diverged as error:
            found = None
            self.progress.note(f"iteration {self.learner.iterations:,} could not be measured: {error}")
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
        parts += [f"{name} {_shown(value)}" for name, value in learner.figures().items()]
        return ", ".join([*parts, f"{learner.nodes_touched:,} nodes"])

    def _cpu(self) -> float:
        return time.process_time() + self.learner.cpu_elsewhere

    def _keep(self, out: str | os.PathLike[str]) -> Path | None:
        """Write the checkpoint and return its path; None if it cannot be written."""
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
        if not self._saved(out, lambda: write_cpz(path, KIND, header, self.learner.state())):
            return None
        self.saved = self.learner.iterations
        return path

    def _saved(self, out: str | os.PathLike[str], write: Callable[[], None]) -> bool:
        """Return whether something could be written; training goes on if not, and the next checkpoint may fit."""
        try:
            write()
        except (OSError, ValueError) as error:
            self.unsaved = str(error)
            self.progress.note(f"{out} could not be saved: {error}")
            return False
        self.unsaved = None
        return True

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


def _as_method(method: Method | str) -> Method:
    """Return a method that is given by its name."""
    found: Method = METHODS.build(method) if isinstance(method, str) else method
    return found


def _shown(value: float) -> str:
    """Return a count whole, any other figure to four significant digits."""
    return f"{value:,.0f}" if value.is_integer() else f"{value:.4g}"


def _resumed(
    game: Game | str | None,
    method: Method | str | None,
    resume: str | os.PathLike[str],
    workers: int,
    progress: Progress,
    cancel: CancelToken,
) -> _TrainingRun:
    """Return the run of a checkpoint."""
    file = checkpoint_to_resume(resume)
    raw, arrays = read_cpz(file, KIND, mapped=True)
    header = NetworkTrainingHeader.read(raw, file)
    rules = load_saved_game(file, header.game) if game is None else as_game(game)
    require(game_name(rules) == header.game, f"{resume} is a training of {header.game}, not {game_name(rules)}")
    chosen = _as_method(header.method)
    if method is not None:
        asked = _as_method(method)
        require(asked == chosen, f"{resume} is a training by {chosen.name}, not {asked.name}")
    run = _TrainingRun(rules, chosen, header.seed, workers, progress, cancel)
    try:
        _restore(run.learner, arrays, file)
    except InputError:
        run.learner.close()
        raise
    run.spent, run.saved = header.spent.model_dump(), run.learner.iterations
    run.trace = [TracePoint(*row) for row in header.trace]
    run.exploitability = run.trace[-1].exploitability if run.trace else None
    return run


def _restore(learner: Learner, arrays: Mapping[str, NDArray[Any]], file: Path) -> None:
    try:
        learner.restore(arrays)
    except (KeyError, ValueError, TypeError, IndexError, OverflowError) as error:
        raise InputError(f"{file} is damaged: its arrays do not describe this training ({error})") from None

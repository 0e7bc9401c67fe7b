"""Train a blueprint: walk hands against tables of regrets, keep the average strategy.

`train` runs until a number of iterations or minutes, and may be stopped at any time: what was found is kept. With `out`
there are two files: the blueprint, and beside it a checkpoint with everything that a resumed run needs, from which it
continues bit for bit as if it had never been stopped, on any number of threads.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from counterpoise.abstraction.table import CardAbstraction
from counterpoise.abstraction.work import Work, available_threads
from counterpoise.blueprint.blueprint import Blueprint, layout_of
from counterpoise.blueprint.duels import play_duel
from counterpoise.blueprint.exact import exact_exploitability, is_small
from counterpoise.blueprint.settings import TrainSettings, default_abstraction, fitting_layout, training_game
from counterpoise.blueprint.training import Duel, Training
from counterpoise.errors import InputError
from counterpoise.games import Game, load
from counterpoise.games.holdem import Holdem
from counterpoise.kernels.compiling import needs_compiling
from counterpoise.parameters import require, require_training_limits, require_whole
from counterpoise.progress import CancelToken, Progress, as_progress, memory_size
from counterpoise.sampling.betting_tree import BettingTree, build_betting_tree
from counterpoise.sampling.clusters import ClusterSampling
from counterpoise.sampling.external import ExternalSampling
from counterpoise.sampling.kernels.dealing import CardArrays
from counterpoise.sampling.lookup import bucket_lookup, lookup_bytes
from counterpoise.sampling.tables import TableLayout
from counterpoise.sampling.tabular import TabularWalks
from counterpoise.sampling.vectors import VectorSampling
from counterpoise.store.files import check_training_files, checkpoint_of, checkpoint_to_resume

SHOW_SECONDS = 0.5
"""Seconds between two looks at the clock."""
CHECKPOINT_MINUTES = 10.0
DUEL_DEALS = 20_000
"""Deals of the match against the last checkpoint."""
SPARE = 0.9
"""Share of the free memory that tables may take."""


def train(
    game: Game | str | None = None,
    abstraction: CardAbstraction | Sequence[CardAbstraction] | str | os.PathLike[str] | None = None,
    *,
    minutes: float | None = None,
    iterations: int | None = None,
    settings: TrainSettings | None = None,
    threads: int | None = None,
    workers: int = 1,
    out: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    checkpoint_minutes: float = CHECKPOINT_MINUTES,
    duels: bool = True,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
    **options: Any,
) -> Training:
    """Train a blueprint for a game of hold'em until `iterations` in all or for `minutes`, whichever is first.

    `abstraction` is one for all seats, one per seat, or a file; without one `default_abstraction` is built. No-limit
    games without a menu of their own get that of `training_game`. Further `options` are fields of `TrainSettings`.
    With `resume` a checkpoint (or a blueprint that has one beside it) says game, abstraction and settings. `workers`
    are processes among which method clusters parts its clusters, instead of threads.
    """
    require_training_limits(minutes, iterations, checkpoint_minutes)
    shown_by, cancel = as_progress(progress), cancel or CancelToken()
    if out is not None:
        check_training_files(out)
    with shown_by:
        run = TrainingRun.begin(game, abstraction, settings, options, resume, threads, workers, shown_by, cancel)
        try:
            return run.go(minutes, iterations, out, checkpoint_minutes, duels)
        finally:
            run.walks.close()


class TrainingRun:
    """A training under way: what `train` makes and goes through."""

    def __init__(
        self,
        tree: BettingTree,
        abstractions: Sequence[CardAbstraction],
        settings: TrainSettings,
        threads: int,
        progress: Progress,
        cancel: CancelToken,
        cards: CardArrays | None = None,
        workers: int = 1,
    ) -> None:
        """`cards` are those of an earlier run of the same game and abstractions, which are not looked up again."""
        self.tree, self.abstractions, self.settings = tree, tuple(abstractions), settings
        self.progress, self.cancel = progress, cancel
        self.layout = layout_of(tree, self.abstractions)
        _check_memory(tree, self.layout, self.abstractions, progress)
        if cards is None:
            progress.begin("buckets")
            cards = bucket_lookup(tree, self.abstractions, Work(threads, progress, cancel))
        self.walks = _walks(tree, self.layout, cards, self.abstractions, settings, threads, workers)
        self.block = settings.block(self.layout.size, self.walks.batch)
        self.spent = {"seconds": 0.0, "cpu_seconds": 0.0}
        self.walked = 0.0
        self.memory = 0
        self.duels: list[Duel] = []
        self.last: NDArray[np.uint8] | None = None
        self.unsaved: str | None = None

    @classmethod
    def begin(
        cls,
        game: Game | str | None,
        abstraction: Any,
        settings: TrainSettings | None,
        options: dict[str, Any],
        resume: str | os.PathLike[str] | None,
        threads: int | None,
        workers: int,
        progress: Progress,
        cancel: CancelToken,
    ) -> TrainingRun:
        """Return a new run, or the one of a checkpoint."""
        threads = available_threads() if threads is None else threads
        require_whole("threads", threads, 1, 256)
        require_whole("workers", workers, 1, 256)
        if resume is not None:
            from counterpoise.blueprint.checkpoint import read_checkpoint

            require(abstraction is None, "abstraction must be left out with resume: the checkpoint has it")
            require(not options and settings is None, "settings must be left out with resume: the checkpoint has them")
            file = checkpoint_to_resume(resume)
            kept = read_checkpoint(file)
            if game is not None:
                named = training_game(_holdem(game))
                require(
                    named.name == kept.tree.game.name,
                    f"{resume} is a training of {kept.tree.game.name}, not {named.name}",
                )
            run = cls(kept.tree, kept.abstractions, kept.settings, threads, progress, cancel, workers=workers)
            run.walks.restore(kept.arrays)
            run.spent, run.duels = kept.spent, [Duel(**one) for one in kept.duels]
            return run
        require(game is not None, "game is missing: name one, such as no_limit_holdem, or resume a training")
        chosen = training_game(_holdem(game))
        progress.begin("betting tree")
        tree = build_betting_tree(chosen, progress=progress)
        given = _abstractions(chosen, abstraction, threads, progress, cancel)
        made = replace(settings or TrainSettings(), **options)
        return cls(tree, given, made, threads, progress, cancel, workers=workers)

    def go(
        self,
        minutes: float | None,
        iterations: int | None,
        out: str | os.PathLike[str] | None,
        checkpoint_minutes: float,
        duels: bool,
    ) -> Training:
        """Train until the limit and return what was found."""
        progress, walks = self.progress, self.walks
        if needs_compiling(type(walks).kernels):
            progress.note("compiling the walks, about half a minute; later runs load them")
        progress.begin(f"training {self.tree.game.name}")
        goal = None if iterations is None else -(-iterations // walks.batch) * walks.batch
        began, began_cpu = time.monotonic(), self._cpu()
        saved, chunk = began, walks.batch
        if goal is None or walks.iteration < goal:
            self._step(walks.batch, goal)  # loads or compiles the walks: not counted as walking
        compiled = time.monotonic() - began  # `minutes` are of training
        began_nodes, self.walked = walks.nodes_touched, 0.0
        earlier = dict(self.spent)

        def spend() -> float:
            now, cpu = time.monotonic() - began, self._cpu() - began_cpu
            self.spent = {"seconds": earlier["seconds"] + now, "cpu_seconds": earlier["cpu_seconds"] + cpu}
            return now - compiled

        spend()
        while not self.cancel.cancelled and (goal is None or walks.iteration < goal):
            if minutes is not None and spend() >= 60 * minutes:
                break
            begin, begin_cpu = time.monotonic(), self._cpu()
            self._step(chunk, goal)
            taken = time.monotonic() - begin
            self.walked += self._cpu() - begin_cpu
            if taken < SHOW_SECONDS / 2:
                chunk *= 2
            elif taken > 2 * SHOW_SECONDS and chunk > walks.batch:
                chunk = max(chunk // 2 // walks.batch, 1) * walks.batch
            self.memory = max(self.memory, _resident())
            trained = spend()
            fractions = [walks.iteration / goal] if goal is not None else []
            fractions += [trained / 60 / minutes] if minutes is not None else []
            rate = (walks.nodes_touched - began_nodes) / max(self.walked, 1e-9)
            progress.show(max(fractions), self._figure(rate))
            if out is not None and time.monotonic() - saved >= 60 * checkpoint_minutes:
                self._keep(out, duels)
                saved = time.monotonic()
        checkpoint = None if out is None else self._keep(out, duels)
        spend()
        rate = (walks.nodes_touched - began_nodes) / self.walked if self.walked else 0.0
        return self._result(rate, checkpoint)

    def walk_until(self, iterations: int) -> None:
        """Walk until so many iterations in all, whole batches, or until cancelled; nothing is measured or saved."""
        goal = -(-iterations // self.walks.batch) * self.walks.batch
        while self.walks.iteration < goal and not self.cancel.cancelled:
            self._step(max(goal // 100 // self.walks.batch, 1) * self.walks.batch, goal)
            self.progress.show(self.walks.iteration / goal, f"{self.walks.iteration:,} hands")

    def _step(self, chunk: int, goal: int | None) -> None:
        """Walk some hands, at most to the end of a block, and discount there."""
        walks = self.walks
        linear = self.settings.discount == "linear"
        until = walks.iteration + chunk
        if goal is not None:
            until = min(until, goal)
        if linear:
            until = min(until, (walks.iteration // self.block + 1) * self.block)
        walks.run(until - walks.iteration)
        if linear and walks.iteration % self.block == 0:
            # Linear MCCFR: after block n multiply by n / (n + 1).
            number = walks.iteration // self.block
            walks.discount(number / (number + 1))

    def _cpu(self) -> float:
        """Return the CPU seconds of all processes of the training."""
        return time.process_time() + self.walks.cpu_elsewhere

    def _figure(self, rate: float) -> str:
        walks, kind = self.walks, "hands" if self.settings.method == "external" else "boards"
        text = f"{walks.iteration:,} {kind}, {rate / 1e6:.2f} million nodes per CPU s, {memory_size(_resident())}"
        if self.duels:
            last = self.duels[-1]
            text += f", {last.won:+.0f} ± {last.ci95:.0f} against the last checkpoint"
        return text

    def blueprint(self) -> Blueprint:
        """Return the average strategy so far."""
        made = {
            "by": "training",
            "iterations": self.walks.iteration,
            "nodes": self.walks.nodes_touched,
            "settings": self.settings.to_json(),
        }
        return Blueprint(self.tree.game, self.abstractions, self.walks.averages(), tree=self.tree, made=made)

    def _keep(self, out: str | os.PathLike[str], duels: bool) -> Path | None:
        """Write the blueprint and the checkpoint, and measure against the last one; None if they cannot be written."""
        from counterpoise.blueprint.checkpoint import write_checkpoint

        blueprint = self.blueprint()
        if duels and self.tree.players <= 10:
            packed = np.asarray(blueprint.packed().table, dtype=np.uint8)
            if self.last is not None:
                self.duels.append(play_duel(self.walks, packed, self.last, DUEL_DEALS, seed=self.walks.iteration))
            self.last = packed
        self.progress.show(None, f"saving {out}")
        path = checkpoint_of(out)
        try:
            blueprint.save(out)
            write_checkpoint(path, self)
        except (OSError, InputError) as error:  # training goes on, and the next checkpoint may fit
            self.unsaved = str(error)
            self.progress.note(f"{out} could not be saved: {error}")
            return None
        self.unsaved, self.memory = None, max(self.memory, _resident())
        return path

    def _result(self, rate: float, checkpoint: Path | None) -> Training:
        walks, blueprint = self.walks, self.blueprint()
        exploitability = exact_exploitability(blueprint) if is_small(self.tree.game, self.tree) else None
        return Training(
            blueprint=blueprint,
            settings=self.settings,
            iterations=walks.iteration,
            nodes=walks.nodes_touched,
            seconds=self.spent["seconds"],
            cpu_seconds=self.spent["cpu_seconds"],
            nodes_per_cpu_second=rate,
            memory_mb=max(self.memory, _resident()) / 1e6,
            decisions_met=walks.met,
            table_mb=walks.allocated / 1e6,
            whole_table_mb=8 * self.layout.size / 1e6,
            interrupted=self.cancel.cancelled,
            exploitability=exploitability,
            duels=self.duels,
            checkpoint=checkpoint,
            unsaved=self.unsaved,
        )


def _walks(
    tree: BettingTree,
    layout: TableLayout,
    cards: Any,
    abstractions: Sequence[CardAbstraction],
    settings: TrainSettings,
    threads: int,
    workers: int,
) -> TabularWalks:
    if settings.method == "clusters":
        return ClusterSampling(
            tree, layout, cards, abstractions, seed=settings.seed, threads=threads, workers=workers, tilt=settings.tilt
        )
    require(workers == 1, "workers are for method clusters: use threads")
    if settings.method == "vector":
        return VectorSampling(tree, layout, cards, seed=settings.seed, threads=threads, tilt=settings.tilt)
    return ExternalSampling(
        tree,
        layout,
        cards,
        skipping=settings.skipping,
        batch=settings.batch,
        seed=settings.seed,
        threads=threads,
        tilt=settings.tilt,
    )


def _holdem(game: Game | str | None) -> Holdem:
    rules = load(game) if isinstance(game, str) else game
    if not isinstance(rules, Holdem):
        raise InputError(
            f"blueprints are trained for hold'em, limit or no-limit, not for {getattr(rules, 'name', rules)}"
        )
    return rules


def _abstractions(
    game: Holdem, given: Any, threads: int, progress: Progress, cancel: CancelToken
) -> tuple[CardAbstraction, ...]:
    if given is None:
        return (default_abstraction(game, threads=threads, progress=progress, cancel=cancel),)
    if isinstance(given, str | os.PathLike):
        return (CardAbstraction.load(given, game.deck),)
    return (given,) if isinstance(given, CardAbstraction) else tuple(given)


def _check_memory(
    tree: BettingTree, layout: TableLayout, abstractions: Sequence[CardAbstraction], progress: Progress
) -> None:
    """Say what training takes, and refuse what does not fit, with the buckets that would."""
    table, lookup = 8 * layout.size, lookup_bytes(tree, abstractions)
    fixed = lookup + 60 * tree.nodes
    progress.note(
        f"{tree.game.name}: {tree.nodes:,} betting nodes, {layout.size:,} regrets and averages in {memory_size(table)} "
        f"at most, {memory_size(lookup)} of buckets"
    )
    free = SPARE * psutil.virtual_memory().available
    if table + fixed > free:
        buckets = ", ".join(str(count) for count in fitting_layout(layout, free - fixed))
        raise InputError(
            f"training {tree.game.name} takes {memory_size(table + fixed)}, and {memory_size(free)} are free: an "
            f"abstraction of at most {buckets} buckets would fit, or a smaller menu of bets"
        )


def _resident() -> int:
    """Return the memory of this process, in bytes."""
    return int(psutil.Process().memory_info().rss)

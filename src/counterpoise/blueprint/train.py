"""Train a blueprint: walk hands against tables of regrets, keep the average strategy.

`train` runs until a number of iterations or minutes, and may be stopped at any time without losing its results. With
`out` there are two files: the blueprint, and beside it a checkpoint with everything that a resumed run needs, from
which it continues bit for bit as if it had never been stopped, on any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import psutil

from counterpoise.abstraction.table import CardAbstraction
from counterpoise.blueprint.blueprint import Blueprint, layout_of
from counterpoise.blueprint.job import PlainWalking, TrainingJob
from counterpoise.blueprint.keywords import BlueprintKeywords
from counterpoise.blueprint.settings import TrainSettings, default_abstraction, fitting_layout, training_game
from counterpoise.blueprint.training import Duel, Training
from counterpoise.errors import InputError
from counterpoise.games import Game, load
from counterpoise.games.holdem import Holdem
from counterpoise.jobs import (
    Driver,
    JobHistory,
    Limits,
    LinearBlocks,
    Output,
    announce_compiling,
    chosen_for,
    refuse_unknown,
    takes,
)
from counterpoise.jobs.pieces import Work, available_threads
from counterpoise.jobs.processes import OtherWorkers, WorkersLike, other_workers
from counterpoise.parameters import require, require_whole
from counterpoise.progress import CancelToken, Progress, as_progress, memory_size
from counterpoise.sampling.betting_tree import BettingTree, build_betting_tree
from counterpoise.sampling.clusters import ClusterSampling
from counterpoise.sampling.external import ExternalSampler
from counterpoise.sampling.kernels.dealing import CardArrays
from counterpoise.sampling.lookup import SPARE, bucket_lookup, lookup_bytes
from counterpoise.sampling.responder import ResponderSampling, responder_bytes
from counterpoise.sampling.tables import TableLayout
from counterpoise.sampling.tabular import TabularWalks
from counterpoise.sampling.vectors import VectorSampling
from counterpoise.store.files import checkpoint_to_resume

CHECKPOINT_MINUTES = 10.0
COMPILE_SECONDS = 30.0
SMALL_BATCH, PARTED = 5_000, 20_000
"""The least batch of hands that is worth sending to workers, and the one that is proposed instead."""


@takes(BlueprintKeywords)
def train(
    game: Game | str | None = None,
    abstraction: CardAbstraction | Sequence[CardAbstraction] | str | os.PathLike[str] | None = None,
    *,
    settings: TrainSettings | None = None,
    threads: int | None = None,
    processes: WorkersLike = 1,
    duels: bool = True,
    **options: Unpack[BlueprintKeywords],
) -> Training:
    """Train a blueprint for a game of hold'em until `iterations` in all or for `minutes`, whichever is first.

    `abstraction` is one for all seats, one per seat, or a file; without one `default_abstraction` is built. No-limit
    games without a menu of their own get that of `training_game`. Options that are fields of `TrainSettings` change
    `settings`, by default those of a `TrainSettings()`. With `resume`, game, abstraction and settings are those of the
    checkpoint. `processes`, a number of them or a cluster, walk instead of threads; the result does not depend on them.
    With `duels` the average strategy plays that of the checkpoint before whenever one is written, which is every ten
    minutes unless said otherwise.
    """
    refuse_unknown(train, options)
    limits, resume = Limits.of_training(options), options.get("resume")
    display, cancel = as_progress(options.get("progress")), options.get("cancel") or CancelToken()
    work = Work(available_threads() if threads is None else threads, display, cancel)
    output = Output.of_training(options, CHECKPOINT_MINUTES)
    changes = chosen_for(TrainSettings, options)
    with work.progress, other_workers(processes) as workers:
        if resume is None:
            run = TrainingRun.begin(game, abstraction, replace(settings or TrainSettings(), **changes), work, workers)
        else:
            require(abstraction is None, "abstraction must be left out with resume: the checkpoint has it")
            require(not changes and settings is None, "settings must be left out with resume: the checkpoint has them")
            run = TrainingRun.resumed(resume, game, work, workers)
        return run.go(limits, output, duels)


class TrainingRun:
    """A training at work: the game's betting tree, its buckets, and the walks with their tables."""

    def __init__(
        self,
        tree: BettingTree,
        abstractions: Sequence[CardAbstraction],
        settings: TrainSettings,
        work: Work,
        cards: CardArrays | None = None,
        workers: OtherWorkers | None = None,
    ) -> None:
        """Make a run; `cards` of an earlier run of the same game and abstractions are reused."""
        self.tree, self.abstractions, self.settings, self.work = tree, tuple(abstractions), settings, work
        self.layout = layout_of(tree, self.abstractions)
        _check_memory(tree, self.layout, self.abstractions, settings, work.progress)
        if cards is None and settings.method != "cfr-br":
            work.progress.begin("buckets")
            cards = bucket_lookup(tree, self.abstractions, work)
        self.walks = _walks(tree, self.layout, cards, self.abstractions, settings, work.threads, workers)
        if workers is not None and settings.method == "external" and self.walks.batch < SMALL_BATCH:
            work.progress.note(
                f"batches of {self.walks.batch:,} hands leave {workers.count} workers little to do: with "
                f"batch={PARTED:,} (--batch) they have more, and other numbers come out"
            )
        size = settings.block(self.layout.size, self.walks.batch)
        self.blocks = LinearBlocks(size) if settings.discount == "linear" else None
        self.before = JobHistory()
        self.duels: list[Duel] = []

    @classmethod
    def begin(
        cls,
        game: Game | str | None,
        abstraction: Any,
        settings: TrainSettings,
        work: Work,
        workers: OtherWorkers | None = None,
    ) -> TrainingRun:
        """Return a new run."""
        require_whole("threads", work.threads, 1, 256)
        require(game is not None, "game is missing: name one, such as no_limit_holdem, or resume a training")
        chosen = training_game(_holdem(game))
        work.progress.begin("betting tree")
        tree = build_betting_tree(chosen, progress=work.progress)
        return cls(tree, _abstractions(chosen, abstraction, work), settings, work, workers=workers)

    @classmethod
    def resumed(
        cls,
        resume: str | os.PathLike[str],
        game: Game | str | None,
        work: Work,
        workers: OtherWorkers | None = None,
        cards: CardArrays | None = None,
    ) -> TrainingRun:
        """Return the run of a checkpoint; `cards` of an earlier run of the same game and abstractions are reused."""
        from counterpoise.blueprint.checkpoint import read_checkpoint

        require_whole("threads", work.threads, 1, 256)
        kept = read_checkpoint(checkpoint_to_resume(resume))
        if game is not None:
            named = training_game(_holdem(game))
            require(
                named.name == kept.tree.game.name,
                f"{resume} is a training of {kept.tree.game.name}, not {named.name}",
            )
        run = cls(kept.tree, kept.abstractions, kept.settings, work, cards, workers)
        run.walks.restore(kept.arrays)
        run.before, run.duels = (
            JobHistory([], kept.spent["seconds"], kept.spent["cpu_seconds"]),
            [Duel(**one) for one in kept.duels],
        )
        return run

    def go(self, limits: Limits, output: Output | None = None, duels: bool = False) -> Training:
        """Train until the limit and return the result."""
        progress = self.work.progress
        announce_compiling(type(self.walks).kernels, COMPILE_SECONDS, progress)
        progress.begin(f"training {self.tree.game.name}")
        job = TrainingJob(self, duels)
        whole = limits if limits.iterations is None else replace(limits, iterations=self._whole(limits.iterations))
        return Driver(job, whole, progress, cancel=self.work.cancel, before=self.before, output=output).run()

    def walk_until(self, iterations: int) -> None:
        """Walk until a total number of iterations, in whole batches, or until cancelled, without measuring or
        saving."""
        if self.walks.iteration < iterations:
            job, limits = PlainWalking(self.walks, self.blocks), Limits(iterations=self._whole(iterations))
            Driver(job, limits, self.work.progress, cancel=self.work.cancel, catch_interrupts=False).run()

    def _whole(self, iterations: int) -> int:
        """Return a number of iterations in whole batches."""
        return -(-iterations // self.walks.batch) * self.walks.batch

    def blueprint(self) -> Blueprint:
        """Return the average strategy so far."""
        made = {
            "by": "training",
            "iterations": self.walks.iteration,
            "nodes": self.walks.nodes_touched,
            "settings": self.settings.to_json(),
        }
        return Blueprint(self.tree.game, self.abstractions, self.walks.averages(), tree=self.tree, made=made)


def _walks(
    tree: BettingTree,
    layout: TableLayout,
    cards: Any,
    abstractions: Sequence[CardAbstraction],
    settings: TrainSettings,
    threads: int,
    workers: OtherWorkers | None,
) -> TabularWalks:
    if settings.method == "clusters":
        return ClusterSampling(
            tree,
            layout,
            cards,
            abstractions,
            skipping=settings.skipping,
            seed=settings.seed,
            threads=threads,
            workers=workers,
            tilt=settings.tilt,
        )
    if settings.method in ("vector", "cfr-br"):
        require(
            workers is None,
            f"method {settings.method} runs in one process, on threads: leave out processes and cluster",
        )
    if settings.method == "cfr-br":
        return ResponderSampling(tree, layout, abstractions, trunk=settings.trunk, seed=settings.seed, threads=threads)
    if settings.method == "vector":
        return VectorSampling(tree, layout, cards, seed=settings.seed, threads=threads, tilt=settings.tilt)
    return ExternalSampler(
        tree,
        layout,
        cards,
        skipping=settings.skipping,
        batch=settings.batch,
        seed=settings.seed,
        threads=threads,
        tilt=settings.tilt,
        workers=workers,
    )


def _holdem(game: Game | str | None) -> Holdem:
    rules = load(game) if isinstance(game, str) else game
    if not isinstance(rules, Holdem):
        raise InputError(
            f"blueprints are trained for hold'em, limit or no-limit, not for {getattr(rules, 'name', rules)}"
        )
    return rules


def _abstractions(game: Holdem, given: Any, work: Work) -> tuple[CardAbstraction, ...]:
    if given is None:
        return (default_abstraction(game, threads=work.threads, progress=work.progress, cancel=work.cancel),)
    if isinstance(given, str | os.PathLike):
        return (CardAbstraction.load(given, game.deck),)
    return (given,) if isinstance(given, CardAbstraction) else tuple(given)


def _check_memory(
    tree: BettingTree,
    layout: TableLayout,
    abstractions: Sequence[CardAbstraction],
    settings: TrainSettings,
    progress: Progress,
) -> None:
    """Report the memory of a training, and refuse one that does not fit, naming buckets that would."""
    table = 8 * layout.size
    if settings.method == "cfr-br":
        trunk, rest = responder_bytes(tree, layout, settings.trunk)
        other, told = trunk + rest, f"{memory_size(trunk)} of the responder's regrets in the trunk"
    else:
        trunk, other = 0, lookup_bytes(tree, abstractions)
        told = f"{memory_size(other)} of buckets"
    fixed = other + 60 * tree.nodes
    progress.note(
        f"{tree.game.name}: {tree.nodes:,} betting nodes, {layout.size:,} regrets and averages in {memory_size(table)} "
        f"at most, {told}"
    )
    free = SPARE * psutil.virtual_memory().available
    if trunk > free:
        raise InputError(
            f"training {tree.game.name} takes {memory_size(table + fixed)} with a trunk of {settings.trunk} rounds, "
            f"and {memory_size(free)} are free: take a smaller trunk"
        )
    if table + fixed > free:
        buckets = ", ".join(str(count) for count in fitting_layout(layout, free - fixed))
        raise InputError(
            f"training {tree.game.name} takes {memory_size(table + fixed)}, and {memory_size(free)} are free: an "
            f"abstraction of at most {buckets} buckets would fit, or a smaller menu of bets"
        )

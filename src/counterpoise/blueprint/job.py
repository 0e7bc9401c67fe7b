"""The training of a blueprint as a job: walks with linear discounting, their checkpoints and their result."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import psutil
from numpy.typing import NDArray

from counterpoise.blueprint.duels import play_duel
from counterpoise.blueprint.exact import exact_exploitability, is_small
from counterpoise.blueprint.training import Training
from counterpoise.jobs import JobHistory, JobResult, LinearBlocks, UnmeasuredJob
from counterpoise.jobs.clock import own_cpu
from counterpoise.jobs.job import Result
from counterpoise.progress import memory_size
from counterpoise.sampling.tabular import TabularWalks
from counterpoise.store.files import checkpoint_of

if TYPE_CHECKING:
    from counterpoise.blueprint.train import TrainingRun

DUEL_DEALS = 20_000
"""Deals of the match against the last checkpoint."""


class Walking(UnmeasuredJob[Result]):
    """Walks over hands in batches, discounted at the ends of blocks if weights are linear."""

    batch_seconds = 0.5

    def __init__(self, walks: TabularWalks, blocks: LinearBlocks | None) -> None:
        self.walks, self.blocks, self.grain = walks, blocks, walks.batch

    @property
    def iteration(self) -> int:
        """Hands or boards walked so far."""
        return self.walks.iteration

    def step(self, iterations: int) -> None:
        """Walk some hands, at most to the end of a block."""
        if self.blocks is None:
            self.walks.run(iterations)
        else:
            self.blocks.advance(self.walks, self.walks.iteration + iterations)

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return the tables and counters of the walks."""
        return self.walks.arrays()

    def restore(self, state: dict[str, NDArray[np.generic]]) -> None:
        """Continue from what `state` returned."""
        self.walks.restore(state)

    def cpu(self) -> float:
        """Return the CPU seconds of all processes of the walks."""
        return own_cpu() + self.walks.cpu_elsewhere

    def figure(self, latest: None) -> str:
        """Return how many hands were walked."""
        return f"{self.iteration:,} hands"


class PlainWalking(Walking[JobResult]):
    """Walks whose only result is the tables."""

    def result(self, measured: None, history: JobHistory) -> JobResult:
        """Return what the walks took."""
        return JobResult(**history.spent)


class TrainingJob(Walking[Training]):
    """The training of a blueprint, with matches against its last checkpoint."""

    clocked = "everything"
    first_step_compiles = True
    state_beside = True

    def __init__(self, run: TrainingRun, duels: bool) -> None:
        super().__init__(run.walks, run.blocks)
        self.run, self.duelling = run, duels
        self.memory = 0
        self.last: NDArray[np.uint8] | None = None
        self.kept: Path | None = None
        self._walked = 0.0
        self._nodes: int | None = None  # those touched before the walks were timed

    @property
    def rate(self) -> float:
        """Nodes per CPU second of the walks, without the first step, which loads or compiles them."""
        return (
            0.0 if self._nodes is None or not self._walked else (self.walks.nodes_touched - self._nodes) / self._walked
        )

    def step(self, iterations: int) -> None:
        """Walk some hands, and count what they take."""
        began = self.cpu()
        super().step(iterations)
        if self._nodes is None:
            self._nodes = self.walks.nodes_touched
        else:
            self._walked += self.cpu() - began
        self.memory = max(self.memory, resident_bytes())

    def figure(self, latest: None) -> str:
        """Return hands, speed, memory, and the result of the last checkpoint against the one before."""
        kind = "hands" if self.run.settings.method == "external" else "boards"
        speed = f"{self.rate / 1e6:.2f} million nodes per CPU s, {memory_size(resident_bytes())}"
        text = f"{self.iteration:,} {kind}, {speed}"
        if self.run.duels:
            last = self.run.duels[-1]
            text += f", {last.won:+.0f} ± {last.ci95:.0f} against the last checkpoint"
        return text

    def checkpoint(self, path: str | os.PathLike[str], measured: None, history: JobHistory) -> None:
        """Write the blueprint and its checkpoint, and measure it against the last one."""
        from counterpoise.blueprint.checkpoint import write_checkpoint

        self.kept, blueprint = None, self.run.blueprint()
        if self.duelling and self.run.tree.players <= 10 and len(self.walks.cards.rows):
            packed = np.asarray(blueprint.packed().table, dtype=np.uint8)
            if self.last is not None:
                self.run.duels.append(play_duel(self.walks, packed, self.last, DUEL_DEALS, seed=self.iteration))
            self.last = packed
        self.run.work.progress.show(None, f"saving {os.fspath(path)}")
        blueprint.save(path)
        file = checkpoint_of(path)
        write_checkpoint(file, self.run, {"seconds": history.seconds, "cpu_seconds": history.cpu_seconds})
        self.kept, self.memory = file, max(self.memory, resident_bytes())

    def save(self, result: Training, path: str | os.PathLike[str]) -> None:
        """Do nothing: the last checkpoint has written the blueprint."""

    def result(self, measured: None, history: JobHistory) -> Training:
        """Return the blueprint so far, and how it was made."""
        run, walks, blueprint = self.run, self.walks, self.run.blueprint()
        small = is_small(run.tree.game, run.tree)
        exploitability = exact_exploitability(blueprint, run.work.progress) if small else None
        return Training(
            blueprint=blueprint,
            settings=run.settings,
            iterations=walks.iteration,
            nodes=walks.nodes_touched,
            nodes_per_cpu_second=self.rate,
            memory_mb=max(self.memory, resident_bytes()) / 1e6,
            decisions_met=walks.met,
            table_mb=walks.allocated / 1e6,
            whole_table_mb=8 * run.layout.size / 1e6,
            exploitability=exploitability,
            duels=run.duels,
            checkpoint=self.kept,
            **history.outcome,
        )


def resident_bytes() -> int:
    """Return the memory of this process."""
    return int(psutil.Process().memory_info().rss)

"""Trainings of ReBeL by the clock, judged after it has stopped: training sees self-play alone, and the checkpoints to
be reported are fixed before it begins.

The clock counts CPU time of all processes on data and on fitting, so that other programs on the machine change nothing.
The schedule of the learning rate follows it, so that only trainings by number of examples repeat bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.jax import one_blas_thread
from counterpoise.deep.networks import Network, zero_network
from counterpoise.deep.rebel.evaluation import agent_exploitability
from counterpoise.deep.rebel.learner import EVALUATION, RebelLearner, play_solvers
from counterpoise.jobs import Driver, JobHistory, JobResult, Limits, UnmeasuredJob
from counterpoise.progress import SilentProgress

LAST = (0.90, 0.95, 1.0)
"""Shares of the time after which the checkpoints stand whose mean is reported, three as in Brown 2020, table 5.7."""


class NetworkCheckpoint(NamedTuple):
    """A value network during training."""

    share: float
    """The share of the time that was spent."""
    examples: int
    network: Network


class Judged(NamedTuple):
    """Exploitability by exact best responses, in the unit of the game."""

    sampled: float
    """That of the mean of some play-throughs of the agent that plays a drawn iteration: an upper bound in
    expectation."""
    unsafe: float
    """That of the agent that plays final averages and whose beliefs follow them."""


def train_for(
    learner: RebelLearner,
    seconds: float,
    shares: Sequence[float] = LAST,
    watch: Callable[[float], Any] = lambda spent: None,
) -> list[NetworkCheckpoint]:
    """Train for some CPU seconds after the first step, which compiles; return checkpoints at shares of the time.

    `watch` is called after every step with the share of the time that is spent.
    """
    with one_blas_thread():
        learner.step()
        learner.pace(0.0)
        job = TimedJob(learner, seconds, shares, watch)
        return Driver(job, Limits(), SilentProgress(), catch_interrupts=False).run().checkpoints


@dataclass(frozen=True, kw_only=True)
class TimedTraining(JobResult):
    """The checkpoints of a training by the clock."""

    checkpoints: list[NetworkCheckpoint]


class TimedState(NamedTuple):
    """What changes while a learner is trained by the clock."""

    learner: dict[str, NDArray[Any]]
    spent: float
    """CPU seconds since the clock began."""
    kept: list[NetworkCheckpoint]


class TimedJob(UnmeasuredJob[TimedTraining]):
    """A learner that is paced by its CPU seconds and keeps a checkpoint at shares of them."""

    batch_seconds = None

    def __init__(
        self, learner: RebelLearner, seconds: float, shares: Sequence[float], watch: Callable[[float], Any]
    ) -> None:
        self.learner, self.seconds, self.shares, self.watch = learner, seconds, shares, watch
        self.began = cpu_seconds(learner)
        self.kept: list[NetworkCheckpoint] = []

    @property
    def iteration(self) -> int:
        """The learner's steps so far."""
        return self.learner.iterations

    @property
    def finished(self) -> bool:
        """Whether all checkpoints have been kept."""
        return len(self.kept) >= len(self.shares)

    def step(self, iterations: int) -> None:
        """Take a step of the learner, and keep the checkpoints whose share of the time is over."""
        learner, kept = self.learner, self.kept
        learner.step()
        spent = (cpu_seconds(learner) - self.began) / self.seconds
        learner.pace(spent)
        self.watch(spent)
        while not self.finished and spent >= self.shares[len(kept)]:
            kept.append(NetworkCheckpoint(self.shares[len(kept)], learner.replay.seen, learner.network))

    def state(self) -> TimedState:
        """Return the learner's state, the CPU seconds of this training and the checkpoints."""
        return TimedState(self.learner.state(), cpu_seconds(self.learner) - self.began, list(self.kept))

    def restore(self, state: TimedState) -> None:
        """Continue from what `state` returned, with a learner of the same game and settings."""
        self.learner.restore(state.learner)
        self.began = cpu_seconds(self.learner) - state.spent
        self.kept = list(state.kept)

    def result(self, measured: None, history: JobHistory) -> TimedTraining:
        """Return the checkpoints."""
        return TimedTraining(checkpoints=self.kept, **history.spent)


def cpu_seconds(learner: RebelLearner) -> float:
    """Return the CPU seconds that all processes have spent on data and on fitting."""
    return learner.generating + learner.cpu_elsewhere + learner.fitting


def judge(learner: RebelLearner, network: Network, share: float, play_throughs: int) -> Judged:
    """Return the exploitability of agents that search as the learner does, with a network."""
    random = np.random.default_rng([learner.seed, EVALUATION, int(1000 * share)])
    solver, endgames = play_solvers(learner.game, network, learner.settings)
    with one_blas_thread():
        return Judged(
            agent_exploitability(learner.whole, solver, play_throughs, random, endgames),
            agent_exploitability(learner.whole, solver, 1, random, endgames, unsafe=True),
        )


def without_values(network: Network) -> Network:
    """Return the network of the same shape whose values are 0: an agent without a network."""
    return zero_network(network.shape)

"""Processes that make data for one trainer: weights go out and examples come in through shared memory.

Each process has a ring of examples that it alone fills and the trainer alone empties; counters that only grow record
the progress of each, so that no lock is needed. Weights are one vector with a version before and after it: a reader
that sees the same version on both sides has read a whole one. Processes wait for the first weights, so that none makes
data with a network that a checkpoint replaces.

Processes are forked, or started afresh if JAX is loaded, because a fork would lose its threads while they hold locks.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
from collections.abc import Iterator
from ctypes import c_byte
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import RawArray
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.jax import one_blas_thread
from counterpoise.deep.networks import Network
from counterpoise.deep.rebel.games import BeliefGame
from counterpoise.deep.rebel.selfplay import BeliefExamples
from counterpoise.deep.rebel.settings import RebelSettings
from counterpoise.errors import InputError
from counterpoise.extensions import Carried
from counterpoise.jobs.processes import end_with_parent

RING = 8192
"""The most examples that wait for the trainer."""
PATIENCE = 20.0
"""Seconds that a process may take to end."""
WROTE, READ, SUBGAMES, QUESTIONS, MICROSECONDS = range(5)


class Shared:
    """Arrays of zeros that this process shares with those it starts, by name; each is an attribute."""

    def __init__(self, **arrays: tuple[tuple[int, ...], type]) -> None:
        sizes = {name: int(np.prod(shape)) * np.dtype(kind).itemsize for name, (shape, kind) in arrays.items()}
        self.__setstate__({name: (RawArray(c_byte, sizes[name]), *arrays[name]) for name in arrays})

    def __getstate__(self) -> dict[str, Any]:
        return self._memory

    def __setstate__(self, memory: dict[str, Any]) -> None:
        self._memory = memory
        for name, (raw, shape, kind) in memory.items():
            setattr(self, name, np.frombuffer(raw, dtype=kind).reshape(shape))


class Weights(Shared):
    """The newest weights, and their version before and after they were written; version 0: there are none yet."""

    vector: NDArray[np.float32]
    versions: NDArray[np.int64]
    iterations: NDArray[np.int64]
    """Iterations of the trainer before the first weights."""

    def __init__(self, network: Network) -> None:
        super().__init__(
            vector=((network.weight_count,), np.float32), versions=((2,), np.int64), iterations=((1,), np.int64)
        )


class Ring(Shared):
    """The shared memory of one generator."""

    counters: NDArray[np.int64]
    state: NDArray[np.int64]
    version: NDArray[np.int64]
    beliefs: NDArray[np.float32]
    targets: NDArray[np.float32]

    def __init__(self, game: BeliefGame) -> None:
        rows = (RING, game.outputs)
        super().__init__(
            counters=((5,), np.int64),
            state=((RING,), np.int64),
            version=((RING,), np.int64),
            beliefs=(rows, np.float32),
            targets=(rows, np.float32),
        )

    def put(self, examples: BeliefExamples, version: int) -> None:
        """Write examples for which there is room."""
        places = (int(self.counters[WROTE]) + np.arange(len(examples.states))) % RING
        self.state[places], self.version[places] = examples.states, version
        self.beliefs[places], self.targets[places] = examples.beliefs, examples.targets
        self.counters[WROTE] += len(places)

    def take(self) -> tuple[BeliefExamples, NDArray[np.int64]]:
        """Return what was written since the last call, with the versions of the weights behind it."""
        places = np.arange(int(self.counters[READ]), int(self.counters[WROTE])) % RING
        found = BeliefExamples(self.state[places], self.beliefs[places], self.targets[places])
        versions = self.version[places]
        self.counters[READ] += len(places)
        return found, versions

    @property
    def room(self) -> int:
        """The number of examples that may be written."""
        return RING - int(self.counters[WROTE] - self.counters[READ])


class Generators:
    """Processes that play against themselves from the first weights on; the trainer publishes and collects."""

    def __init__(self, game: BeliefGame, settings: RebelSettings, network: Network, seed: int, count: int) -> None:
        self._weights = Weights(network)
        self._rings = [Ring(game) for _ in range(count)]
        self._pipes: list[Connection] = []
        self._processes: list[Any] = []
        forked = "jax" not in sys.modules and "fork" in multiprocessing.get_all_start_methods()
        context: Any = multiprocessing.get_context("fork" if forked else "spawn")
        for number, ring in enumerate(self._rings):
            own, theirs = context.Pipe()
            inherited = [*self._pipes, own] if forked else []
            arguments = (theirs, inherited, self._weights, ring, Carried((game, settings, network, seed, number + 1)))
            process = context.Process(target=_generate, args=arguments, daemon=True)
            process.start()
            theirs.close()
            self._pipes.append(own)
            self._processes.append(process)

    @property
    def begun(self) -> bool:
        """Whether weights have been handed out."""
        return bool(self._weights.versions[1])

    def begin(self, network: Network, iterations: int) -> None:
        """Hand out the first weights; random numbers differ by the iterations that were taken before."""
        self._weights.iterations[0] = iterations
        self.publish(network)

    def publish(self, network: Network) -> None:
        """Hand out new weights."""
        shared = self._weights
        shared.versions[0] += 1
        shared.vector[...] = network.flat()
        shared.versions[1] = shared.versions[0]

    def collect(self) -> Iterator[tuple[BeliefExamples, float]]:
        """Yield what each process has made, with the mean age of its weights in published versions."""
        for ring, process in zip(self._rings, self._processes, strict=True):
            if not process.is_alive():
                raise InputError("a generating process has died; the last checkpoint is whole: resume it")
            examples, versions = ring.take()
            if len(versions):
                yield examples, float(self._weights.versions[1] - versions.mean())

    def counts(self) -> NDArray[np.float64]:
        """Return the solved subgames, the evaluated leaves and the CPU seconds of all processes."""
        totals = np.sum([ring.counters for ring in self._rings], axis=0)
        return np.array([totals[SUBGAMES], totals[QUESTIONS], totals[MICROSECONDS] / 1e6])

    def close(self) -> None:
        """End all processes: each finishes its batch of subgames, or is killed if that takes too long."""
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.join(PATIENCE)
            if process.is_alive():
                process.kill()
                process.join()


def _generate(
    pipe: Connection,
    others: list[Connection],
    weights: Weights,
    ring: Ring,
    play: Carried,
) -> None:
    """Play against oneself with the newest weights until the trainer closes its end of the pipe.

    `play` carries the game, the settings, the first network, the seed and the number of this process.
    """
    from counterpoise.deep.rebel.learner import DATA, network_values, new_self_play

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    for other in others:  # the trainer's ends, which would keep a pipe open after its death
        other.close()
    one_blas_thread()  # a process that was started afresh does not inherit it
    game, settings, network, seed, number = play.value
    versions = weights.versions
    self_play = new_self_play(game, network, settings, seed, DATA + 5 * number)
    while not versions[1]:
        if pipe.poll(0.01):
            return
    # A resumed training goes on with other random numbers than it began with.
    self_play.random = np.random.default_rng([seed, DATA + 5 * number, int(weights.iterations[0])])
    version = 0
    while not pipe.poll():  # nothing is ever sent: this is true when the other end is closed
        if versions[1] != version:
            found, vector = int(versions[1]), weights.vector.copy()
            if versions[0] == found:
                version = found
                self_play.use(network_values(network.with_flat(vector)))
        examples = self_play.play()
        for first in range(0, len(examples.states), RING):  # a batch may be larger than the ring
            part = BeliefExamples(*(array[first : first + RING] for array in examples))
            while ring.room < len(part.states):
                if pipe.poll(0.01):
                    return
            ring.put(part, version)
        # Subgames last: whoever sees them sees what they have cost.
        ring.counters[MICROSECONDS] = int(time.process_time() * 1e6)
        ring.counters[QUESTIONS] = self_play.questions_asked
        ring.counters[SUBGAMES] = self_play.subgames

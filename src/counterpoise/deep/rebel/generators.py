"""Processes that make data for one trainer: weights go out, examples come in, through memory that all of them share.

Each process has a ring of examples that it alone fills and the trainer alone empties; counters that only grow say how
far each of them is, so that nothing needs a lock. Weights are one vector with a version before and after it: a reader
that sees the same version on both sides has read a whole one.
"""

from __future__ import annotations

import mmap
import multiprocessing
import signal
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.networks import Network
from counterpoise.deep.rebel.games import BeliefGame
from counterpoise.deep.rebel.selfplay import BeliefExamples
from counterpoise.deep.rebel.settings import RebelSettings
from counterpoise.errors import InputError
from counterpoise.parameters import require

RING = 8192
"""Examples that wait for the trainer at most."""
PATIENCE = 20.0
"""Seconds that a process may take to end."""
WROTE, READ, SUBGAMES, QUESTIONS, MICROSECONDS = range(5)


def _shared(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Return zeros that this process and those forked from it share."""
    size = int(np.prod(shape))
    return np.frombuffer(mmap.mmap(-1, size * np.dtype(dtype).itemsize), dtype=dtype, count=size).reshape(shape)


class Ring:
    """The shared memory of one generator."""

    def __init__(self, game: BeliefGame) -> None:
        self.counters = _shared((5,), np.int64)
        self.state = _shared((RING,), np.int64)
        self.version = _shared((RING,), np.int64)
        self.beliefs = _shared((RING, game.outputs), np.float32)
        self.targets = _shared((RING, game.outputs), np.float32)

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
        """How many examples may be written."""
        return RING - int(self.counters[WROTE] - self.counters[READ])


class Generators:
    """Processes at work on self-play; the trainer publishes weights and collects examples."""

    def __init__(self, game: BeliefGame, settings: RebelSettings, network: Network, seed: int, count: int) -> None:
        require(
            "fork" in multiprocessing.get_all_start_methods(),
            "more than one worker needs processes that can be forked, which this system lacks: train with one",
        )
        self._weights = _shared((network.weight_count,), np.float32)
        self._versions = _shared((2,), np.int64)
        self.publish(network)
        self._rings = [Ring(game) for _ in range(count)]
        self._pipes: list[Connection] = []
        self._processes: list[Any] = []
        context = multiprocessing.get_context("fork")
        for number, ring in enumerate(self._rings):
            own, theirs = context.Pipe()
            shared = self._weights, self._versions, ring
            arguments = (theirs, [*self._pipes, own], shared, game, settings, network, seed, number + 1)
            process = context.Process(target=_generate, args=arguments, daemon=True)
            process.start()
            theirs.close()
            self._pipes.append(own)
            self._processes.append(process)

    def publish(self, network: Network) -> None:
        """Hand out new weights."""
        self._versions[0] += 1
        self._weights[...] = network.flat()
        self._versions[1] = self._versions[0]

    def collect(self) -> Iterator[tuple[BeliefExamples, float]]:
        """Yield what each process has made, with the mean age of its weights in published versions."""
        for ring, process in zip(self._rings, self._processes, strict=True):
            if not process.is_alive():
                raise InputError("a generating process has died; the last checkpoint is whole: resume it")
            examples, versions = ring.take()
            if len(versions):
                yield examples, float(self._versions[1] - versions.mean())

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
    shared: tuple[NDArray[np.float32], NDArray[np.int64], Ring],
    game: BeliefGame,
    settings: RebelSettings,
    network: Network,
    seed: int,
    number: int,
) -> None:
    """Play against oneself with the newest weights until the trainer closes its end of the pipe."""
    from counterpoise.deep.rebel.learner import DATA, network_values, new_self_play

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in others:  # the trainer's ends, which would keep a pipe open after its death
        other.close()
    weights, versions, ring = shared
    self_play = new_self_play(game, network, settings, seed, DATA + 5 * number)
    version = 0
    while not pipe.poll():  # nothing is ever sent: this is true when the other end is closed
        if versions[1] != version:
            found, vector = int(versions[1]), weights.copy()
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
        ring.counters[SUBGAMES] = self_play.subgames
        ring.counters[QUESTIONS] = self_play.questions_asked
        ring.counters[MICROSECONDS] = int(time.process_time() * 1e6)

"""The learner of ReBeL: self-play makes examples, a value network is fitted to them, and self-play uses the network.

With one process everything happens in turn, and the same seed gives the same weights. With more, every other process
generates (`counterpoise.deep.rebel.generators`); this one generates too and trains.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.fitting import FitSettings, Fitter
from counterpoise.deep.networks import FloatRows, MlpShape, Network, new_network
from counterpoise.deep.rebel.beliefs import IntArray
from counterpoise.deep.rebel.evaluation import agent_exploitability
from counterpoise.deep.rebel.games import BeliefGame
from counterpoise.deep.rebel.generators import Generators
from counterpoise.deep.rebel.policy import NetworkPolicy, PolicyNodes, PolicyReplay
from counterpoise.deep.rebel.random_states import RandomStates
from counterpoise.deep.rebel.replay import Replay
from counterpoise.deep.rebel.search import BeliefSolver, endgame_search
from counterpoise.deep.rebel.selfplay import SelfPlay
from counterpoise.deep.rebel.settings import RebelSettings
from counterpoise.deep.rebel.whole import WholeGame
from counterpoise.deep.restoring import checked, part_of, restored_counters
from counterpoise.jobs import Clock
from counterpoise.parameters import require
from counterpoise.store.schemas import MOST_COUNT

WEIGHTS, DATA, MINIBATCHES, EVALUATION, POLICY = range(5)
"""Streams of random numbers; generator k has the stream DATA + 5 k, one for each number of iterations it begins at."""
LEAST_HORIZON = 1000
"""The least number of examples of a run whose length is inferred from a clock."""
WORDS = 6
"""Words of the state of a generator of random numbers."""


class RebelLearner:
    """A training under way on one belief game."""

    def __init__(self, game: BeliefGame, settings: RebelSettings, seed: int = 0, workers: int = 1) -> None:
        require(
            not settings.policy_hidden or workers == 1, "a policy network is trained by one process, not by several"
        )
        self.game, self.settings, self.seed = game, settings, seed
        self.iterations = 0
        self.nodes_touched = 0
        """Value leaves that were evaluated."""
        self.cpu_elsewhere = 0.0
        self.network = new_network(value_shape(game, settings), np.random.default_rng([seed, WEIGHTS]))
        self.generators = Generators(game, settings, self.network, seed, workers - 1) if workers > 1 else None
        self.self_play = new_self_play(game, self.network, settings, seed, DATA)
        self.replay = Replay(game, settings.capacity)
        self._minibatches = np.random.default_rng([seed, MINIBATCHES])
        self.fitter = Fitter(self.network, FitSettings(loss="huber", learning_rate=1.0, clip=settings.clip))
        self.whole = WholeGame(game)
        self.policy = PolicyLearner(game, settings, seed) if settings.policy_hidden else None
        if self.policy is not None:
            self.self_play.policy_nodes = self.policy.nodes
        self.loss, self.age = math.nan, 0.0
        self.purged = False
        self._generating, self._fitting = Clock(), Clock()
        self._paced_from: tuple[float, int] | None = None
        """The share of the run that was over, and the examples that had been seen, when a clock was first followed."""
        self._elsewhere = np.zeros(3)
        """Totals of the other processes: subgames, evaluated leaves and CPU seconds."""
        self._earlier = np.zeros(3)
        """The part of these totals from before the run was resumed."""

    @property
    def generating(self) -> float:
        """CPU seconds of this process for data."""
        return self._generating.cpu_seconds

    @property
    def fitting(self) -> float:
        """CPU seconds of this process for gradient steps."""
        return self._fitting.cpu_seconds

    @property
    def subgames(self) -> int:
        """Solved subgames."""
        return self.self_play.subgames + int(self._elsewhere[0])

    def step(self) -> None:
        """Make some examples, take the gradient steps that they call for, and hand out the new weights."""
        if self.generators is not None and not self.generators.begun:
            self.generators.begin(self.network, self.iterations)
        before = self.replay.seen
        with self._generating:
            self._generate(before)
        with self._fitting:
            self._fit(self.replay.seen - before)
        self.iterations += 1
        self.nodes_touched = self.self_play.questions_asked + int(self._elsewhere[1])
        if self.generators is not None:
            self.generators.publish(self.network)

    def _generate(self, before: int) -> None:
        """Play until there are enough examples beyond those of `before`."""
        while self.replay.seen - before < self.settings.between:
            self.replay.add(self.self_play.play())
            if self.generators is not None:
                self._collect()

    def _fit(self, new: int) -> None:
        """Take the gradient steps that new examples call for."""
        if not self.purged and self.replay.seen >= self.settings.purge * self.settings.horizon:
            self.replay.drop_oldest(0.5)
            self.purged = True
        steps = max(new * self.settings.draws // self.settings.batch, 1)
        self.loss = self.fitter.fit_drawn(
            lambda count: self.replay.draw(count, self.settings.batch, self._minibatches),
            steps,
            self.settings.rate(self.replay.seen),
        )
        self.network = self.fitter.network
        self.self_play.use(network_values(self.network))
        if self.policy is not None:
            self.policy.learn(self.self_play, self.settings.rate(self.replay.seen))

    def pace(self, share: float) -> None:
        """Let the halvings of the learning rate and the purge follow a clock, given the share of the run that is
        over."""
        if self._paced_from is None:
            self._paced_from = share, self.replay.seen
        start, seen = self._paced_from
        if share > start:
            expected = seen + int((self.replay.seen - seen) / (share - start) * (1 - start))
            self.settings = replace(self.settings, horizon=max(expected, LEAST_HORIZON))

    def _collect(self) -> None:
        """Take in what other processes have generated."""
        assert self.generators is not None
        for examples, age in self.generators.collect():
            self.replay.add(examples)
            self.age += 0.05 * (age - self.age)
        self._elsewhere = self._earlier + self.generators.counts()
        self.cpu_elsewhere = float(self._elsewhere[2])

    def figures(self) -> dict[str, float]:
        """Return the loss, solved subgames and their rate per CPU second of generation, the buffer and its age."""
        seconds = self.generating + self.cpu_elsewhere
        return {
            "loss": self.loss,
            "subgames": float(self.subgames),
            "subgames per CPU s": self.subgames / max(seconds, 1e-9),
            "buffer": float(self.replay.size),
            "data age": self.age,
            "rate": self.settings.rate(self.replay.seen),
        }

    def exploitability(self) -> float:
        """Return the exploitability of the agent that plays a drawn iteration, by the settings' play-throughs."""
        return self.measure(self.settings.play_throughs)

    def measure(self, play_throughs: int, unsafe: bool = False) -> float:
        """Return the exploitability of the agent with the network as it is now, in the unit of the game.

        The mean of `play_throughs` play-throughs is an upper bound in expectation; `unsafe` is the agent that plays
        final averages.
        """
        random = np.random.default_rng([self.seed, EVALUATION, self.iterations])
        solver, endgames = play_solvers(self.game, self.network, self.settings)
        if self.policy is not None:
            solver.policy = self.policy.function
        return agent_exploitability(self.whole, solver, play_throughs, random, endgames, unsafe)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return everything that a resumed run needs; of other processes only what has arrived."""
        parts: dict[str, Mapping[str, NDArray[Any]]] = {
            "fitter": self.fitter.state(),
            "replay": self.replay.arrays(),
            "self_play": self.self_play.arrays(),
        }
        if self.policy is not None:
            parts |= {"policy": self.policy.state()}
        found = {f"{part}.{name}": array for part, arrays in parts.items() for name, array in arrays.items()}
        found["random"] = np.stack([random_words(self.self_play.random), random_words(self._minibatches)])
        found["numbers"] = np.array([self.iterations, self.loss, self.purged, self.generating, self.fitting])
        found["elsewhere"] = np.array([*self._elsewhere, self.age])
        found["horizon"] = np.array([self.settings.horizon])
        return found

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue from what `state` returned."""
        self.fitter.restore(part_of(arrays, "fitter"))
        self.replay.restore(part_of(arrays, "replay"))
        self.self_play.restore(part_of(arrays, "self_play"))
        if self.policy is not None:
            self.policy.restore(part_of(arrays, "policy"), self.self_play)
        drawn = checked(arrays, "random", (2, WORDS), np.uint64)
        for words, random in zip(drawn, (self.self_play.random, self._minibatches), strict=True):
            set_random_words(random, words)
        iterations, self.loss, purged, generating, fitting = (float(k) for k in arrays["numbers"])
        self._generating, self._fitting = Clock(cpu_seconds=generating), Clock(cpu_seconds=fitting)
        self.iterations, self.purged = int(iterations), bool(purged)
        require(0 <= self.iterations <= MOST_COUNT, "'numbers' must begin with a number of iterations")
        if "horizon" in arrays:  # files of earlier versions have neither this nor what others had done
            (horizon,) = restored_counters(arrays, "horizon", 1)
            self.settings = replace(self.settings, horizon=max(horizon, 1))
        if "elsewhere" in arrays:
            elsewhere = checked(arrays, "elsewhere", (4,), np.float64, 0, MOST_COUNT)
            self._elsewhere, self._earlier, self.age = elsewhere[:3].copy(), elsewhere[:3].copy(), float(elsewhere[3])
        self.cpu_elsewhere = float(self._elsewhere[2])
        self.nodes_touched = self.self_play.questions_asked + int(self._elsewhere[1])
        self.network = self.fitter.network
        self.self_play.use(network_values(self.network))

    def close(self) -> None:
        """End the other processes."""
        if self.generators is not None:
            self.generators.close()


class PolicyLearner:
    """A policy network that learns from the averages of the subgames that self-play solves."""

    def __init__(self, game: BeliefGame, settings: RebelSettings, seed: int) -> None:
        self.nodes, self.settings = PolicyNodes(game), settings
        self.replay = PolicyReplay(self.nodes, settings.policy_capacity)
        self.random = np.random.default_rng([seed, POLICY])
        network = new_network(self.nodes.shape(settings.policy_hidden), self.random)
        self.fitter = Fitter(network, FitSettings(loss="mse", learning_rate=1.0, clip=settings.clip))
        self.function: NetworkPolicy | None = None
        """The network for warm starts; none before its first steps."""
        self.loss = math.nan

    def learn(self, self_play: SelfPlay, rate: float) -> None:
        """Take in the averages of self-play, take some steps, and let self-play start from the new network."""
        before = self.replay.seen
        for examples in self_play.policy_examples:
            self.replay.add(examples)
        self_play.policy_examples.clear()
        steps = (self.replay.seen - before) * self.settings.policy_draws // self.settings.batch
        if steps:
            self.loss = self.fitter.fit_drawn(
                lambda count: self.replay.draw(count, self.settings.batch, self.random), steps, rate
            )
            self._hand_over(self_play)

    def _hand_over(self, self_play: SelfPlay) -> None:
        self.function = NetworkPolicy(self.nodes, self.fitter.network)
        self_play.solver.policy = self.function

    def state(self) -> dict[str, NDArray[Any]]:
        """Return everything that a resumed run needs."""
        found = {f"fitter.{name}": array for name, array in self.fitter.state().items()}
        found |= {f"replay.{name}": array for name, array in self.replay.arrays().items()}
        return found | {"random": random_words(self.random), "loss": np.array(self.loss)}

    def restore(self, arrays: Mapping[str, NDArray[Any]], self_play: SelfPlay) -> None:
        """Continue from what `state` returned."""
        self.fitter.restore(part_of(arrays, "fitter"))
        self.replay.restore(part_of(arrays, "replay"))
        set_random_words(self.random, checked(arrays, "random", (WORDS,), np.uint64))
        self.loss = float(arrays["loss"])
        if self.fitter.steps:
            self._hand_over(self_play)


def value_shape(game: BeliefGame, settings: RebelSettings) -> MlpShape:
    """Return the shape of a value network: LayerNorm and GELU after each layer, first values near 0.

    See Brown et al. 2020, section 6.
    """
    return MlpShape(
        inputs=game.inputs,
        hidden=settings.hidden,
        outputs=game.outputs,
        activation="gelu",
        normalisation="layer",
        head_scale=0.01,
    )


def network_values(network: Network) -> Any:
    """Return a network as the value function of a solver."""

    def values(inputs: FloatRows, states: IntArray) -> FloatRows:
        return network(inputs)

    return values


def new_self_play(game: BeliefGame, network: Network, settings: RebelSettings, seed: int, stream: int) -> SelfPlay:
    """Return self-play, or the generator of data at random public belief states."""
    kind = RandomStates if settings.random_beliefs else SelfPlay
    return kind(game, network_values(network), settings.search, settings.self_play, seed, stream)


def play_solvers(
    game: BeliefGame, network: Network, settings: RebelSettings, capacity: int = 256
) -> tuple[BeliefSolver, BeliefSolver | None]:
    """Return the solvers of an agent: for subgames with values at their leaves, and for those without, if apart."""
    values = network_values(network)
    if game.hands > 100:
        capacity = 32
    solver, ending = BeliefSolver(game, values, settings.search, capacity), settings.self_play.endgame_iterations
    if ending is None:
        return solver, None
    return solver, BeliefSolver(game, values, endgame_search(ending), capacity)


def random_words(random: np.random.Generator) -> NDArray[np.uint64]:
    """Return the state of a generator of random numbers (PCG64) as words of 64 bits."""
    found: Any = random.bit_generator.state
    low = (1 << 64) - 1
    numbers = [found["state"]["state"], found["state"]["inc"]]
    words = [part for number in numbers for part in (number & low, number >> 64)]
    return np.array([*words, found["has_uint32"], found["uinteger"]], dtype=np.uint64)


def set_random_words(random: np.random.Generator, words: NDArray[np.uint64]) -> None:
    """Put a generator of random numbers into the state of `random_words`."""
    state, state_high, increment, increment_high, has, left = (int(word) for word in words)
    random.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": state | state_high << 64, "inc": increment | increment_high << 64},
        "has_uint32": has,
        "uinteger": left,
    }

"""Deep CFR: counterfactual regret minimisation with a network instead of a table.

See Brown et al. 2019; Brown 2020, section 4.1.

1. Networks V_1, V_2 predict 0 everywhere, memories are empty.
2. In iteration t, for each player i in turn: K external-sampling traversals sample the advantages of i's information
   sets into i's memory, and the strategies of the opponent into a shared one, each with weight t (`SampledGame.walk`).
3. V_i is fitted to i's memory, from new random weights; regret matching on its predictions is i's next strategy.
4. The average strategy is a network fitted to the shared memory; or, without such a network, the mixture of the
   strategies of all iterations, one of which is drawn for a whole hand (Single Deep CFR, Steinberger 2019).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.enumerated import EnumeratedGame
from counterpoise.deep.files import Trained
from counterpoise.deep.fitting import FitSettings
from counterpoise.deep.learner import method
from counterpoise.deep.memory import Replacement, SampleMemory
from counterpoise.deep.mixtures import NetworkMixture
from counterpoise.deep.networks import Network, zero_network
from counterpoise.deep.playing import AVERAGE
from counterpoise.deep.regressors import NetworkRegressor, Regressor, TableRegressor, softmax, strategies
from counterpoise.deep.restoring import checked, part_of, restore_into, restored_counters
from counterpoise.deep.sampled_game import Keys, Rows, SampledGame
from counterpoise.deep.samplers import SamplingMethod, UpToABillion, UpToAMillion, as_sampled
from counterpoise.errors import InputError
from counterpoise.games import Game
from counterpoise.kernels.random import seeded
from counterpoise.solvers.base import FiniteAtLeastZero, Positive, WholeFromOne
from counterpoise.store.headers import MOST_NETWORKS

Arrays = dict[str, NDArray[Any]]


WALKS, FIRST_MEMORY = 0, 1
"""Streams of random numbers: that of traversals, then one for each memory."""


@method("deep-cfr")
@dataclass(frozen=True, kw_only=True)
class DeepCFRSettings(SamplingMethod):
    """Deep CFR: networks fitted to sampled advantages, and one fitted to the average strategy."""

    source: ClassVar[str] = "Brown 2020, section 4.1"

    traversals: UpToAMillion = 1000
    """Traversals per player and iteration, all with the same strategies (K)."""
    steps: UpToAMillion = 300
    """Steps of Adam per player and iteration."""
    batch: UpToAMillion = 4096
    """Samples of a step, drawn evenly from the memory."""
    policy_steps: UpToAMillion = 4000
    """Steps of Adam with which the network of the average strategy is fitted when it is asked for."""
    learning_rate: Positive = 0.003
    """Adam's step size."""
    decay: bool = True
    """Whether steps become smaller in the course of every fit, down to 0."""
    clip: FiniteAtLeastZero = 1.0
    """The longest gradient; 0: any."""
    memory: UpToABillion = 1_000_000
    """Samples that each memory holds: one for the advantages of each player, one for strategies."""
    replacement: Replacement = "reservoir"
    """The sample that a new one replaces in a full memory: any with equal probability, or the oldest."""
    weighting: Literal["linear", "uniform"] = "linear"
    """Whether samples and strategies of iteration t count t times or once."""
    fallback: Literal["argmax", "uniform"] = "argmax"
    """The strategy where no predicted advantage is positive: the action with the largest, or uniform."""
    from_scratch: bool = True
    """Whether each iteration fits a new network, or continues with the last one."""
    regressor: Literal["network", "table"] = "network"
    """The predictor of advantages; an exact table shows the limit of networks without error."""
    batches: Literal["minibatches", "means"] = "minibatches"
    """Whether a step sees drawn samples, or the means of all samples of each infoset (small games only)."""
    average: Literal["network", "mixture"] = "network"
    """The average strategy: a network of its own, or the strategies of all iterations, one drawn for each hand."""
    keep_every: WholeFromOne = 1
    """A mixture keeps the strategy of every n-th iteration, with this n."""

    @property
    def most_iterations(self) -> int | None:
        """A mixture keeps one network of each player from every `keep_every`-th iteration."""
        mixed = self.average == "mixture" and self.regressor == "network"
        return MOST_NETWORKS // 2 * self.keep_every if mixed else None

    def on(self, game: Game | SampledGame, seed: int = 0, workers: int = 1) -> DeepCFR:
        """Return a fresh learner for a game; one process works."""
        self.require_one_process(workers)
        return DeepCFR(self, as_sampled(game), seed)


@method("single-deep-cfr")
@dataclass(frozen=True, kw_only=True)
class SingleDeepCFRSettings(DeepCFRSettings):
    """Deep CFR without a network of the average strategy: the value networks of all iterations are kept and played."""

    average: Literal["network", "mixture"] = "mixture"


class DeepCFR:
    """Deep CFR at work on a game; nodes touched count chance nodes and terminals too."""

    def __init__(self, settings: DeepCFRSettings, game: SampledGame, seed: int = 0) -> None:
        enumerated = isinstance(game, EnumeratedGame)
        for field, value in (("regressor", "table"), ("batches", "means")):
            if getattr(settings, field) == value and not enumerated:
                raise InputError(f"{settings.registered_name}: {field}={value} needs a game that can be enumerated")
        self.settings, self.game, self.seed = settings, game, seed
        self.cpu_elsewhere = 0.0
        self.iterations = self.nodes_touched = 0
        self.random = seeded(seed, WALKS)
        self.regressors = [self._regressor(player) for player in (0, 1)]
        self.memories = [self._memory(stream) for stream in range(3)]
        self.losses = [0.0, 0.0]
        self.mixture = NetworkMixture(game, settings.shape(game), settings.fallback == "argmax")
        self.tracked = np.zeros(game.tree.table.size) if isinstance(game, EnumeratedGame) else None
        """The exact average strategy of an enumerated game as an unnormalised realisation plan, for reports."""
        self._average: tuple[int, Regressor] | None = None
        self._judged: tuple[int, float] | None = None
        """An iteration, and the exploitability of the exact average after it."""

    def step(self) -> None:
        """Take one iteration: traversals and a fit for each player in turn."""
        t = self.iterations + 1
        for player in (0, 1):
            self._traverse(player, t)
            random = self._generator(t, player)
            self.losses[player] = self.regressors[player].fit(self.memories[player], self._scale(t), random)
        self.iterations = t

    def policy(self, player: int, keys: Keys) -> Rows:
        """Return the current strategy: regret matching on the predictions of the player's regressor."""
        predictions = self.regressors[player].predict(keys)
        return strategies(self.game, predictions, keys, self.settings.fallback == "argmax")

    def average_policy(self, player: int, keys: Keys) -> Rows:
        """Return the average strategy by the network or table that is fitted to stored strategies."""
        found = self._fitted_average().predict(keys)
        legal = self.game.legal(keys)
        if self.settings.regressor == "network":
            return softmax(found, legal)
        known = found.sum(axis=1, keepdims=True) > 0
        return np.where(known, found, legal / legal.sum(axis=1, keepdims=True))

    def average_profile(self) -> NDArray[np.float64]:
        """Return the strategy that would be played now in an enumerated game, as a flat array (see `InfosetTable`)."""
        game = self.game
        assert isinstance(game, EnumeratedGame)
        if self.settings.average == "mixture" and self.settings.regressor == "network":
            return self.mixture.profile()
        if self.settings.average == "mixture":
            return self.exact_average()
        return game.profile(self.average_policy)

    def exact_average(self) -> NDArray[np.float64]:
        """Return the average of the strategies of all iterations of an enumerated game, each weighted by its reach."""
        game = self.game
        assert isinstance(game, EnumeratedGame)
        assert self.tracked is not None
        return game.tree.behaviour(self.tracked)

    def exploitability(self) -> float | None:
        """Return the exploitability of the strategy that would be played now; None if it is too expensive."""
        if isinstance(self.game, EnumeratedGame):
            return self.game.exploitability_of(self.average_profile())
        return None if self.settings.average == "mixture" else self.game.exploitability(self.average_policy)

    def figures(self) -> dict[str, float]:
        """Return losses, the fill of memories and, in enumerated games, the exploitability of the exact average."""
        found = {
            "loss": float(np.mean(self.losses)),
            "samples": float(sum(len(memory) for memory in self.memories)),
            "samples in MB": sum(memory.bytes for memory in self.memories) / 1e6,
        }
        if isinstance(self.game, EnumeratedGame):
            if self._judged is None or self._judged[0] != self.iterations:
                self._judged = self.iterations, self.game.exploitability_of(self.exact_average())
            found["exact average"] = self._judged[1]
        return found

    def state(self) -> Arrays:
        """Return everything that changes; memories as views."""
        found = {
            "counters": np.array([self.iterations, self.nodes_touched], dtype=np.int64),
            "random": self.random.copy(),
            "losses": np.array(self.losses),
        }
        if self.tracked is not None:
            found["tracked"] = self.tracked.copy()
        for name, part in self._parts().items():
            found |= {f"{name}.{key}": array for key, array in part.state().items()}
        return found

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state` of the same settings on the same game."""
        for name, part in self._parts().items():
            part.restore(part_of(arrays, name))
        for memory in self.memories:
            self.game.require_keys(memory.keys)
        self.iterations, self.nodes_touched = restored_counters(arrays, "counters", 2)
        restore_into(self.random, arrays, "random")
        self.losses = checked(arrays, "losses", (2,), np.float64).tolist()
        if self.tracked is not None:
            restore_into(self.tracked, arrays, "tracked")
        self._average = self._judged = None

    def close(self) -> None:
        """Do nothing: no other process runs."""

    def result(self) -> Trained:
        """Return the present result: the network of the average or those of the mixture, and the strategy as a
        table."""
        made: dict[str, Any] = {"iterations": self.iterations, "seed": self.seed, "fallback": self.settings.fallback}
        networks: Mapping[str, Network] = {}
        if self.settings.regressor == "network" and self.settings.average == "mixture":
            networks, made = self.mixture.networks(), made | self.mixture.header()
        elif self.settings.regressor == "network":
            average = self._fitted_average()
            assert isinstance(average, NetworkRegressor)
            networks = {AVERAGE: average.network or zero_network(self.settings.shape(self.game))}
        strategy = self.game.strategy(self.average_profile()) if isinstance(self.game, EnumeratedGame) else None
        return Trained(self.game.name, self.settings.name, networks, made, strategy)

    def _traverse(self, player: int, t: int) -> None:
        """Sample the advantages of a player, and the strategies of the other, which join the average."""
        other, weight = 1 - player, float(t) if self.settings.weighting == "linear" else 1.0
        found = self.game.walk(player, self.settings.traversals, self.policy, self.random)
        self.memories[player].offer(found.keys, found.advantages, weight)
        self.memories[2].offer(found.other_keys, found.strategies, weight)
        self.nodes_touched += found.touched
        if self.tracked is not None:
            game = self.game
            assert isinstance(game, EnumeratedGame)
            self.tracked += weight * game.reach(game.profile(self.policy, (other,)), other)
        regressor = self.regressors[other]
        if self.settings.average == "mixture" and isinstance(regressor, NetworkRegressor):
            kept = (t - 1) % self.settings.keep_every == 0
            if kept:
                self.mixture.add(other, weight, regressor.network)

    def _fitted_average(self) -> Regressor:
        """Return the regressor fitted to the stored strategies, once for each iteration; it is not part of the
        state."""
        if self._average is None or self._average[0] != self.iterations:
            if not self.iterations:
                raise InputError(f"{self.settings.registered_name} has no average strategy before its first iteration")
            average = self._regressor(None)
            average.fit(self.memories[2], self._scale(self.iterations), self._generator(self.iterations, 2))
            self._average = self.iterations, average
        return self._average[1]

    def _parts(self) -> dict[str, Any]:
        players = {f"player{player}": part for player, part in enumerate(self.regressors)}
        memories = {f"memory{number}": part for number, part in enumerate(self.memories)}
        return players | memories | {"mixture": self.mixture}

    def _scale(self, t: int) -> float:
        """Return the factor that makes the mean weight about 1 (Brown 2020, section 4.1.3)."""
        return 2.0 / t if self.settings.weighting == "linear" else 1.0

    def _generator(self, t: int, part: int) -> np.random.Generator:
        """Return the random numbers of one fit, which depend on nothing but the seed, the iteration and the part."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(FIRST_MEMORY + 3, t, part)))

    def _memory(self, number: int) -> SampleMemory:
        exact = self.settings.regressor == "table"
        return SampleMemory(
            self.settings.memory,
            self.game.key_width,
            len(self.game.actions),
            replacement=self.settings.replacement,
            seed=self.seed,
            stream=FIRST_MEMORY + number,
            key_type=self.game.key_type,
            target_type=np.float64 if exact else np.float32,
        )

    def _regressor(self, player: int | None) -> Regressor:
        """Return the regressor of the advantages of a player or, for None, of the average strategy."""
        settings, game = self.settings, self.game
        if settings.regressor == "table":
            assert isinstance(game, EnumeratedGame)
            return TableRegressor(game)
        fit = FitSettings(
            loss="mse" if player is not None else "softmax-mse",
            learning_rate=float(settings.learning_rate),
            clip=float(settings.clip),
        )
        infosets = None
        if isinstance(game, EnumeratedGame):
            own = [game.infosets_of(k) for k in (0, 1) if player in (None, k)]
            infosets = np.concatenate(own)
        return NetworkRegressor(
            game,
            settings.shape(game),
            fit,
            steps=settings.steps if player is not None else settings.policy_steps,
            batch=settings.batch,
            infosets=infosets,
            everything=settings.batches == "means",
            from_scratch=settings.from_scratch or player is None,
            decay=settings.decay,
        )

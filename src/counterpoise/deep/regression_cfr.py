"""Regression CFR, the ancestor of Deep CFR: full traversals, regrets from a regressor.

See Waugh et al. 2015; Brown 2020, section 4.1.1.

Every iteration computes the counterfactual regrets of all information sets and adds them to cumulative ones; a
regressor is fitted to the cumulative regrets per iteration, and regret matching on its predictions is the next
strategy. The error of the predictions bounds how far the result stays from an equilibrium (Brown 2020, section 4.1.4).

Features of an information set and an action are the encoding of the set and which action it is; a linear regressor is
a function of the encoding for each action.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.enumerated import EnumeratedGame
from counterpoise.deep.files import Trained
from counterpoise.deep.fitting import Examples, FitSettings, Fitter
from counterpoise.deep.kernels.regression_tree import grow, look_up
from counterpoise.deep.learner import method
from counterpoise.deep.networks import new_network
from counterpoise.deep.regressors import strategies
from counterpoise.deep.restoring import part_of, restore_into, restored_counters
from counterpoise.deep.sampled_game import Keys, Rows, SampledGame
from counterpoise.deep.samplers import SamplingMethod, as_sampled
from counterpoise.errors import InputError
from counterpoise.games import Game
from counterpoise.solvers.base import Positive, WholeFromOne
from counterpoise.tree import Strategy
from counterpoise.tree.kernels.layouts import FloatArray
from counterpoise.tree.kernels.sequence_form import counterfactual_values, gradient, realisation_weights

Arrays = dict[str, NDArray[Any]]


@method("regression-cfr")
@dataclass(frozen=True, kw_only=True)
class RegressionCFRSettings(SamplingMethod):
    """Regression CFR: full traversals, and strategies from regrets that a regressor predicts."""

    source: ClassVar[str] = "Brown 2020, section 4.1.1"

    regressor: Literal["table", "linear", "tree", "mlp"] = "tree"
    """The predictor of regrets: the regrets themselves, a linear function of features, a regression tree, a network."""
    leaves: WholeFromOne = 100
    """The most leaves of a regression tree, for each player."""
    smallest: WholeFromOne = 1
    """The fewest pairs of an information set and an action in a leaf."""
    ridge: Positive = 1e-6
    """The number added to the diagonal when a linear function is fitted."""
    hidden: tuple[int, ...] = (64, 64)
    steps: WholeFromOne = 100
    """Steps of Adam per player and iteration, on all information sets at once."""
    learning_rate: Positive = 0.003
    """Adam's step size."""
    weighting: Literal["linear", "uniform"] = "uniform"
    """Whether iteration t counts t times or once."""

    def on(self, game: Game | SampledGame, seed: int = 0, workers: int = 1) -> RegressionCFR:
        """Return a fresh learner for an enumerated game; one process works."""
        self.require_one_process(workers)
        sampled = as_sampled(game)
        if not isinstance(sampled, EnumeratedGame):
            raise InputError(f"{self.registered_name} traverses the whole game: {sampled.name} is not enumerated")
        return RegressionCFR(self, sampled, seed)


class PairRegressor(ABC):
    """Predicts one number for each pair of an infoset and an action of one player."""

    @abstractmethod
    def fit(self, targets: FloatArray) -> FloatArray:
        """Return predictions for all pairs after learning from the targets of all pairs."""


class ExactPairs(PairRegressor):
    """Repeats what it is told: tabular CFR."""

    def fit(self, targets: FloatArray) -> FloatArray:
        """Return the targets."""
        return targets


class LinearPairs(PairRegressor):
    """The least-squares linear function of the features of pairs."""

    def __init__(self, features: FloatArray, ridge: float) -> None:
        self._features = features
        square = self._features.T @ self._features + ridge * np.eye(self._features.shape[1])
        self._solve = np.linalg.solve(square, self._features.T)

    def fit(self, targets: FloatArray) -> FloatArray:
        """Return the fitted values."""
        return np.asarray(self._features @ (self._solve @ targets))


class TreePairs(PairRegressor):
    """A regression tree on the features of pairs."""

    def __init__(self, features: FloatArray, leaves: int, smallest: int) -> None:
        self._features, self._smallest = features, smallest
        self._leaves = min(leaves, max(len(features), 1))  # no leaf is empty

    def fit(self, targets: FloatArray) -> FloatArray:
        """Return the value of the leaf of each pair."""
        weights, found = np.ones(len(targets)), np.empty(len(targets))
        feature, threshold, left, value = grow(self._features, targets, weights, self._smallest, self._leaves)
        look_up(feature, threshold, left, value, self._features, found)
        return found


class NetworkPairs(PairRegressor):
    """A network with an output for each action; every iteration continues from its last weights."""

    def __init__(self, game: EnumeratedGame, player: int, settings: RegressionCFRSettings, seed: int) -> None:
        keys = game.infosets_of(player)
        random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(player,)))
        rule = FitSettings(learning_rate=float(settings.learning_rate))
        self.fitter = Fitter(new_network(settings.shape(game), random), rule)
        self._inputs, self._legal, self._steps = game.encode(keys), game.legal(keys), settings.steps

    def fit(self, targets: FloatArray) -> FloatArray:
        """Return the outputs for legal actions after some steps, in units of the largest target."""
        scale = float(np.abs(targets).max()) or 1.0
        rows = np.zeros(self._legal.shape, dtype=np.float32)
        rows[self._legal] = targets / scale
        even = np.ones(len(rows), dtype=np.float32)
        examples = Examples(self._inputs, rows, self._legal.astype(np.float32), even)
        self.fitter.fit_repeatedly(examples, self._steps)
        return np.asarray(self.fitter.network(self._inputs)[self._legal] * scale, dtype=np.float64)


class RegressionCFR:
    """Regression CFR at work on a game, players in turn; nodes touched are all histories of every traversal."""

    def __init__(self, settings: RegressionCFRSettings, game: EnumeratedGame, seed: int = 0) -> None:
        self.settings, self.game, self.seed = settings, game, seed
        self.cpu_elsewhere = 0.0
        self.iterations = self.nodes_touched = 0
        size = game.tree.table.size
        self.regrets, self.predicted, self.cumulative = np.zeros((3, size))
        self._pairs = [self._pairs_of(player) for player in (0, 1)]
        self._regressors = [self._regressor(player) for player in (0, 1)]

    def step(self) -> None:
        """Take one iteration: a full traversal, a fit and a new strategy for each player in turn."""
        t, form = self.iterations + 1, self.game.tree.form
        weight = float(t) if self.settings.weighting == "linear" else 1.0
        total = t * (t + 1) / 2 if self.settings.weighting == "linear" else t
        for player in (0, 1):
            profile = self.game.profile(self.policy)
            reach, values = np.empty_like(profile), np.empty_like(profile)
            infoset_values = np.zeros(self.game.tree.infosets)
            for seat in (0, 1):
                realisation_weights(form, seat, profile, reach)
            gradient(form, player, reach, values)
            counterfactual_values(form, player, profile, values, infoset_values)
            pairs = self._pairs[player]
            self.regrets[pairs] += weight * (values[pairs] - infoset_values[self.game.infoset_of[pairs]])
            self.cumulative += weight * self.game.reach(profile, player)
            self.predicted[pairs] = self._regressors[player].fit(self.regrets[pairs] / total)
            self.nodes_touched += self.game.tree.nodes
        self.iterations = t

    def policy(self, player: int, keys: Keys) -> Rows:
        """Return the current strategy: regret matching on predicted regrets, all actions alike if none is positive."""
        return strategies(self.game, self.game.rows_of(self.predicted)[keys[:, 0]], keys, argmax=False)

    def average_profile(self) -> FloatArray:
        """Return the average strategy as a flat array."""
        return self.game.tree.behaviour(self.cumulative)

    @property
    def average(self) -> Strategy:
        """The average strategy."""
        return self.game.strategy(self.average_profile())

    def exploitability(self) -> float:
        """Return the exploitability of the average strategy, by exact best responses."""
        return self.game.exploitability_of(self.average_profile())

    def figures(self) -> dict[str, float]:
        """Return the mean squared error of the predicted regrets, per iteration."""
        known = self.game.sequences
        count = self.iterations * (self.iterations + 1) / 2 if self.settings.weighting == "linear" else self.iterations
        error = self.predicted[known] - self.regrets[known] / max(count, 1)
        return {"loss": float((error**2).mean())}

    def state(self) -> Arrays:
        """Return everything that changes."""
        found = {
            "counters": np.array([self.iterations, self.nodes_touched], dtype=np.int64),
            "regrets": self.regrets.copy(),
            "predicted": self.predicted.copy(),
            "cumulative": self.cumulative.copy(),
        }
        for player, part in enumerate(self._regressors):
            if isinstance(part, NetworkPairs):
                found |= {f"network{player}.{key}": array for key, array in part.fitter.state().items()}
        return found

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state` of the same settings on the same game."""
        self.iterations, self.nodes_touched = restored_counters(arrays, "counters", 2)
        for name in ("regrets", "predicted", "cumulative"):
            restore_into(getattr(self, name), arrays, name)
        for player, part in enumerate(self._regressors):
            if isinstance(part, NetworkPairs):
                part.fitter.restore(part_of(arrays, f"network{player}"))

    def close(self) -> None:
        """Do nothing: no other process runs."""

    def result(self) -> Trained:
        """Return the average strategy, which is a table whatever predicts the regrets."""
        made = {"iterations": self.iterations, "seed": self.seed}
        return Trained(self.game.name, self.settings.name, {}, made, self.game.strategy(self.average_profile()))

    def _pairs_of(self, player: int) -> NDArray[np.int64]:
        """Return the own sequences, in the order in which rows of legal actions have them."""
        keys = self.game.infosets_of(player)[:, 0]
        own = np.flatnonzero(np.isin(self.game.infoset_of, keys))
        own = own[np.isin(own, self.game.sequences)]
        return own[np.lexsort((self.game.column_of[own], self.game.infoset_of[own]))]

    def _regressor(self, player: int) -> PairRegressor:
        settings, game, pairs = self.settings, self.game, self._pairs[player]
        if settings.regressor == "table":
            return ExactPairs()
        if settings.regressor == "mlp":
            return NetworkPairs(game, player, settings, self.seed)
        actions = np.eye(len(game.actions))[game.column_of[pairs]]
        infosets = game.encodings[game.infoset_of[pairs]].astype(np.float64)
        if settings.regressor == "linear":
            own = (actions[:, :, None] * infosets[:, None, :]).reshape(len(pairs), -1)
            return LinearPairs(np.concatenate([own, actions], axis=1), float(settings.ridge))
        return TreePairs(np.concatenate([infosets, actions], axis=1), settings.leaves, settings.smallest)

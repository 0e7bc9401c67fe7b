"""Regressors of the advantages of information sets from samples: an exact table, or a network.

The targets of a regressor are the stored samples, weighted by the iteration of each; any predictor in proportion to the
mean of an information set's samples plays as the table of its cumulative regrets would (Brown 2020, section 4.1.2).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.enumerated import EnumeratedGame
from counterpoise.deep.fitting import STEPS, Examples, FitSettings, Fitter
from counterpoise.deep.kernels.matching import match_rows
from counterpoise.deep.kernels.memory import sum_batches, sum_by_key
from counterpoise.deep.memory import SampleMemory
from counterpoise.deep.networks import Network, Shape, count_weights, network_of, new_network
from counterpoise.deep.restoring import checked, part_of, restore_into
from counterpoise.deep.sampled_game import Keys, Rows, SampledGame


class Regressor(ABC):
    """Predicts one number for every action of an infoset."""

    @abstractmethod
    def fit(self, memory: SampleMemory, scale: float, random: np.random.Generator) -> float:
        """Learn from the records of a memory, whose weights are multiplied by `scale`; return the mean loss.

        With an empty memory predictions stay as they are, and the loss is 0.
        """

    @abstractmethod
    def predict(self, keys: Keys) -> Rows:
        """Return predictions [key, action]; 0 everywhere before the first `fit`."""

    @abstractmethod
    def state(self) -> dict[str, NDArray[Any]]:
        """Return copies of everything that changes."""

    @abstractmethod
    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state`."""


class TableRegressor(Regressor):
    """The weighted mean of the samples of every infoset: no error of approximation is left.

    While a memory has room, a fit adds what is new in it; once records are replaced, it adds up all of them.
    """

    def __init__(self, game: EnumeratedGame) -> None:
        self.means: Rows = np.zeros((game.tree.infosets, len(game.actions)))
        self._sums, self._totals = np.zeros_like(self.means), np.zeros(len(self.means))
        self._squares, self._read = 0.0, 0

    def fit(self, memory: SampleMemory, scale: float, random: np.random.Generator) -> float:
        """Take the means of a memory; the loss is the remaining variance of the samples."""
        if not len(memory):
            return 0.0
        if memory.seen > memory.capacity:
            self._start_over()
        new = slice(self._read, None)
        records = memory.keys[new], memory.targets[new], memory.weights[new]
        self._squares = float(sum_by_key(*records, self._sums, self._totals, self._squares))
        self._read = len(memory)
        self.means = means_of(self._sums, self._totals)
        explained = float((self._totals[:, None] * self.means**2).sum())
        return scale * max(self._squares - explained, 0.0) / len(memory)

    def predict(self, keys: Keys) -> Rows:
        """Return the means of infosets."""
        return np.asarray(self.means[keys[:, 0]])

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the means; the sums are those of the memory."""
        return {"means": self.means.copy()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Take means over."""
        restore_into(self.means, state, "means")
        self._start_over()

    def _start_over(self) -> None:
        """Forget all sums, and which records are in them."""
        self._sums[:], self._totals[:] = 0.0, 0.0
        self._squares, self._read = 0.0, 0


class NetworkRegressor(Regressor):
    """A network that is fitted to minibatches of a memory.

    `infosets` are the keys of all infosets that may be in it, if they are known. Then the records of a minibatch that
    are of one infoset become one row, their mean with the sum of their weights: squared errors have the same gradient,
    and a minibatch of thousands costs as much as one of as many rows as there are infosets. With `everything` every
    step sees the whole memory in this way.

    With `from_scratch` every fit begins with new random weights and a new state of the optimiser; otherwise it
    continues from those of the last one. With `decay` the size of steps falls to 0 in the course of a fit.
    """

    def __init__(
        self,
        game: SampledGame,
        shape: Shape,
        settings: FitSettings,
        *,
        steps: int,
        batch: int,
        infosets: Keys | None = None,
        everything: bool = False,
        from_scratch: bool = True,
        decay: bool = True,
    ) -> None:
        self.game, self.shape, self.settings = game, shape, settings
        self.steps, self.batch, self.infosets, self.from_scratch = steps, batch, infosets, from_scratch
        self.everything, self.decay = everything, decay
        self.network: Network | None = None
        """None before the first record: zero everywhere."""
        self._fitter: Fitter | None = None

    def fit(self, memory: SampleMemory, scale: float, random: np.random.Generator) -> float:
        """Take `steps` steps of Adam on the records of a memory."""
        if not len(memory):
            return 0.0
        if self._fitter is None:
            self._fitter = Fitter(new_network(self.shape, random), self.settings)
        elif self.from_scratch:
            self._fitter.start(new_network(self.shape, random))
        everything = self._all_means(memory) if self.everything else None
        total, done = 0.0, 0
        while done < self.steps:
            count = min(STEPS, self.steps - done)
            rate = self.settings.learning_rate * (1.0 - done / self.steps if self.decay else 1.0)
            if everything is not None:
                loss = self._fitter.fit_repeatedly(everything, count, rate)
            else:
                loss = self._fitter.fit(self._draw(memory, scale, count, random), rate)
            total, done = total + loss * count, done + count
        self.network = self._fitter.network
        return total / self.steps

    def predict(self, keys: Keys) -> Rows:
        """Return the outputs of the network."""
        if self.network is None:
            return np.zeros((len(keys), len(self.game.actions)), dtype=np.float32)
        return self.network(self.game.encode(keys))

    def _draw(self, memory: SampleMemory, scale: float, count: int, random: np.random.Generator) -> Examples:
        """Draw minibatches, all records with the same probability; their weights are those of linear averaging."""
        rows = random.integers(0, len(memory), (count, self.batch))
        if self.infosets is not None and len(self.infosets) < self.batch:
            return self._summed(memory, scale, rows)
        keys = memory.keys[rows.ravel()]
        return Examples(
            self.game.encode(keys).reshape(count, self.batch, -1),
            memory.targets[rows].astype(np.float32),
            self.game.legal(keys).astype(np.float32).reshape(count, self.batch, -1),
            memory.weights[rows] * np.float32(scale),
        )

    def _summed(self, memory: SampleMemory, scale: float, rows: NDArray[np.int64]) -> Examples:
        """Return minibatches with one row for each infoset."""
        game, keys = self.game, self.infosets
        assert isinstance(game, EnumeratedGame)
        assert keys is not None
        place = np.zeros(game.tree.infosets, dtype=np.int64)
        place[keys[:, 0]] = np.arange(len(keys))
        shape = len(rows), len(keys)
        sums, totals = np.zeros((*shape, len(game.actions))), np.zeros(shape)
        sum_batches(rows, memory.keys, memory.targets, memory.weights, place, sums, totals)
        return Examples(
            np.broadcast_to(game.encode(keys), (*shape, game.inputs)),
            (sums / np.where(totals > 0, totals, 1.0)[:, :, None]).astype(np.float32),
            np.broadcast_to(game.legal(keys).astype(np.float32), sums.shape),
            (totals * (scale * len(keys) / self.batch)).astype(np.float32),
        )

    def _all_means(self, memory: SampleMemory) -> Examples:
        """Return the means of every infoset: their gradient is that of all records at once."""
        game, keys = self.game, self.infosets
        assert isinstance(game, EnumeratedGame)
        assert keys is not None
        means, totals = means_by_key(memory, game.tree.infosets)
        found = totals[keys[:, 0]]
        return Examples(
            game.encode(keys),
            means[keys[:, 0]].astype(np.float32),
            game.legal(keys).astype(np.float32),
            (found / found.sum() * len(found)).astype(np.float32),
        )

    def state(self) -> dict[str, NDArray[Any]]:
        """Return weights and, if it is fine-tuned, the state of the optimiser."""
        if self.network is None:
            return {}
        found = {"network": self.network.flat()}
        if not self.from_scratch and self._fitter is not None:
            found |= {f"fitter.{name}": array for name, array in self._fitter.state().items()}
        return found

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Take weights over, and the state of the optimiser if there is one."""
        if "network" not in state:
            self.network, self._fitter = None, None
            return
        vector = checked(state, "network", (count_weights(self.shape),), np.float32)
        self.network = network_of(self.shape, vector)
        if not self.from_scratch:
            self._fitter = Fitter(self.network, self.settings)
            self._fitter.restore(part_of(state, "fitter"))


def means_by_key(memory: SampleMemory, infosets: int) -> tuple[Rows, Rows]:
    """Return the weighted means of the targets of every infoset [infoset, action], and the sums of weights."""
    sums, totals = np.zeros((infosets, memory.targets.shape[1])), np.zeros(infosets)
    sum_by_key(memory.keys, memory.targets, memory.weights, sums, totals, 0.0)
    return means_of(sums, totals), totals


def means_of(sums: Rows, totals: Rows) -> Rows:
    """Return weighted sums divided by their weights; 0 where there is no weight."""
    return np.asarray(sums / np.where(totals > 0, totals, 1.0)[:, None])


def strategies(game: SampledGame, predictions: Rows, keys: Keys, argmax: bool = True) -> Rows:
    """Return the strategies that match predicted advantages; see `match_rows` for where none is positive."""
    found = np.empty(predictions.shape)
    match_rows(predictions, game.legal(keys), argmax, found)
    return found


def softmax(outputs: Rows, legal: NDArray[np.bool_]) -> Rows:
    """Return the probabilities of legal actions that outputs are the logits of."""
    masked = np.where(legal, outputs.astype(np.float64), -np.inf)
    powers = np.exp(masked - masked.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))

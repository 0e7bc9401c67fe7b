"""The examples that a value network learns from: a ring in which new ones take the place of the oldest."""

from __future__ import annotations

import numpy as np

from counterpoise.deep.fitting import Examples
from counterpoise.deep.rebel.beliefs import Floats, IntArray
from counterpoise.deep.rebel.games import BeliefGame
from counterpoise.deep.rebel.selfplay import BeliefExamples
from counterpoise.deep.restoring import check_indices, restore_into, restored_counters
from counterpoise.errors import InputError


class Replay:
    """Up to `capacity` examples of a game; memory grows with them."""

    def __init__(self, game: BeliefGame, capacity: int) -> None:
        self.game, self.capacity = game, capacity
        self.size = 0
        """Examples that are held."""
        self.seen = 0
        """Examples that were ever added."""
        self._next = 0
        self._state: IntArray = np.zeros(0, dtype=np.int64)
        self._beliefs: Floats = np.zeros((0, game.outputs), dtype=np.float32)
        self._targets: Floats = np.zeros((0, game.outputs), dtype=np.float32)

    def add(self, examples: BeliefExamples) -> None:
        """Take examples in; each replaces the oldest one when the ring is full."""
        count = len(examples.states)
        self._grow(min(self.size + count, self.capacity))
        places = (self._next + np.arange(count)) % self.capacity
        self._state[places] = examples.states
        self._beliefs[places] = examples.beliefs
        self._targets[places] = examples.targets
        self._next = int((self._next + count) % self.capacity)
        self.size = min(self.size + count, self.capacity)
        self.seen += count

    def drop_oldest(self, share: float) -> None:
        """Forget a share of the examples, the oldest first."""
        kept = self.size - int(self.size * share)
        order = (self._next - kept + np.arange(kept)) % (self.capacity if self.size == self.capacity else self.size)
        for array in (self._state, self._beliefs, self._targets):
            array[:kept] = array[order]
        self.size, self._next = kept, kept % self.capacity

    def draw(self, steps: int, rows: int, random: np.random.Generator) -> Examples:
        """Draw minibatches uniformly with replacement, [step, row, ...]."""
        chosen = random.integers(self.size, size=(steps, rows))
        states = self._state[chosen]
        inputs = np.concatenate([self.game.features[states], self._beliefs[chosen] * self.game.scale], axis=-1)
        live = self.game.live_of[states].astype(np.float32)
        return Examples(
            inputs.astype(np.float32, copy=False),
            self._targets[chosen],
            np.concatenate([live, live], axis=-1),
            np.ones((steps, rows), dtype=np.float32),
        )

    def arrays(self) -> dict[str, np.ndarray]:
        """Return everything that is held, to be saved."""
        return {
            "state": self._state[: self.size],
            "beliefs": self._beliefs[: self.size],
            "targets": self._targets[: self.size],
            "counts": np.array([self.size, self.seen, self._next], dtype=np.int64),
        }

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Continue with what `arrays` returned."""
        size, seen, following = restored_counters(arrays, "counts", 3)
        full = size == self.capacity
        if size > min(seen, self.capacity) or (following >= size if full else following != size):
            raise InputError("'counts' cannot be those of a ring of examples")
        self._grow(size)
        for name, own in (("state", self._state), ("beliefs", self._beliefs), ("targets", self._targets)):
            restore_into(own[:size], arrays, name)
        check_indices(self._state[:size], len(self.game.tree_of), "state")
        self.size, self.seen, self._next = size, seen, following

    def _grow(self, wanted: int) -> None:
        if wanted <= len(self._state):
            return
        size = min(max(2 * len(self._state), wanted, 1024), self.capacity)
        self._state = np.resize(self._state, size)
        for name in ("_beliefs", "_targets"):
            fresh = np.zeros((size, self.game.outputs), dtype=np.float32)
            old = getattr(self, name)
            fresh[: len(old)] = old
            setattr(self, name, fresh)

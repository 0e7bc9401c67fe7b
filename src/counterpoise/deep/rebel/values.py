"""Value functions that are no networks: zero, and a dictionary of what was seen (Brown 2020, theorem 25)."""

from __future__ import annotations

import numpy as np

from counterpoise.deep.rebel.beliefs import Floats, IntArray
from counterpoise.deep.rebel.games import BeliefGame
from counterpoise.deep.rebel.selfplay import BeliefExamples

DIGITS = 12
"""Beliefs that agree to this many digits are the same public belief state."""


class ZeroValues:
    """The value 0 for every hand at every public belief state, for agents without a network."""

    def __init__(self, game: BeliefGame) -> None:
        self.outputs = game.outputs

    def __call__(self, inputs: Floats, states: IntArray) -> Floats:
        """Return zeros."""
        return np.zeros((len(inputs), self.outputs), dtype=inputs.dtype)


class TableValues:
    """A dictionary from public belief states to the latest values found there; 0 where there are none."""

    def __init__(self, game: BeliefGame) -> None:
        self.game = game
        self.known: dict[tuple[int, bytes], Floats] = {}

    def __call__(self, inputs: Floats, states: IntArray) -> Floats:
        """Return the values of both players' hands for each question."""
        beliefs = self.game.decode(inputs)
        found = np.zeros((len(states), self.game.outputs), dtype=inputs.dtype)
        for number, state in enumerate(states):
            found[number] = self.known.get(key(int(state), beliefs[number]), 0.0)
        return found

    def learn(self, examples: BeliefExamples) -> float:
        """Take in examples and return the largest change of a value; a new entry changes from 0."""
        largest = 0.0
        for state, beliefs, target in zip(*examples, strict=True):
            place = key(int(state), beliefs)
            change = np.abs(np.asarray(target, dtype=np.float64) - self.known.get(place, 0.0)).max()
            largest = max(largest, float(change))
            self.known[place] = np.array(target, dtype=np.float64)
        return largest


def key(state: int, beliefs: Floats) -> tuple[int, bytes]:
    """Return the key of a public belief state: its public state and its rounded beliefs."""
    return state, (np.round(np.asarray(beliefs, dtype=np.float64).ravel(), DIGITS) + 0.0).tobytes()

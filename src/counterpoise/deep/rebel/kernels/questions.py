"""Questions to a value function: public belief states at leaves at which hands of the opponent arrive, and answers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.options import KERNEL

TINY = 1e-30
"""A range whose weights sum to less has no mass (the zero-mass rule)."""


class Told(NamedTuple):
    """What a value function is told about a public state, besides beliefs."""

    features: NDArray[Any]
    """[public state, feature]"""
    prior: NDArray[Any]
    """[player, hand]: what stands for beliefs that have no mass."""
    unit: NDArray[np.float64]
    """Per public state how much one unit of the answers is."""
    scale: float
    """Factor on beliefs, so that inputs have about the size 1."""
    worth: float
    """What reach is divided by, and payoffs with it."""


@njit(**KERNEL)
def ask(told, reach, player, state, inputs, asked, mass):
    """Write a question for every leaf at which hands of the opponent arrive; return how many there are.

    ``reach[player][leaf, hand]`` is what arrives and ``state[leaf]`` the public state. ``asked`` receives the leaf of
    each question and ``mass`` the opponent's mass there, in units of the answers. Where none arrives the counterfactual
    value is 0 whatever the answer.
    """
    hands, width, count = reach[0].shape[1], told.features.shape[1], 0
    for leaf in range(reach[0].shape[0]):
        total = 0.0
        for h in range(hands):
            total += reach[1 - player][leaf, h]
        if total * told.worth <= TINY:
            continue
        here = state[leaf]
        asked[count] = leaf
        mass[count] = total * told.worth * told.unit[here]
        # The public state, then both players' beliefs: ranges that sum to 1, or the prior without mass.
        for f in range(width):
            inputs[count, f] = told.features[here, f]
        for side in range(2):
            total = 0.0
            for h in range(hands):
                total += reach[side][leaf, h]
            at = width + side * hands
            if total * told.worth > TINY:
                factor = told.scale / total
                for h in range(hands):
                    inputs[count, at + h] = reach[side][leaf, h] * factor
            else:
                for h in range(hands):
                    inputs[count, at + h] = told.prior[side, h] * told.scale
        count += 1
    return count


@njit(**KERNEL)
def take_answers(answers, player, asked, mass, out):
    """Write counterfactual values: conditional ones of a player's hands, times the mass that each hand meets.

    ``mass[question, hand]`` may have one column for all hands.
    """
    hands, columns = out.shape[1], mass.shape[1]
    for q in range(asked.size):
        for h in range(hands):
            out[asked[q], h] = answers[q, player * hands + h] * mass[q, h if columns > 1 else 0]

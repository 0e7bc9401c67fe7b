"""Draws inside kernels: an action by its weight, a place by running sums, cards from the beginning of a deck."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN
from counterpoise.kernels.random import uniform

INLINE: dict[str, Any] = LEAN | {"inline": "always"}
_0, _1 = np.uint64(0), np.uint64(1)


@njit(cache=True, nogil=True, inline="always")
def draw_action(random, weights, slot, width, total):
    """Draw an action in proportion to `weights`, which from `slot` on add up to `total`, and return its number.

    Counting instead of searching costs no mispredicted branch. A draw is always below `total`, summed in the same
    order, so an action of weight 0 is never drawn. The last running sum is not looked at: if the weights add up to
    infinity, some action is drawn.
    """
    draw = uniform(random) * total
    passed, drawn = 0.0, 0
    for k in range(np.uint64(width) - _1):
        passed += weights[slot + k]
        drawn += draw >= passed
    return np.uint64(drawn)


@njit(**INLINE)
def action_at(draw, weights, slot, count):
    """Return the number of the action at which `draw`, from 0 to the sum of the weights, is used up.

    The sum may be off by rounding: an action of weight 0 is not drawn, and the last of the others takes what is left.
    """
    chosen = _0
    for a in range(count):
        weight = np.float64(weights[slot + a])
        if weight > 0.0 and draw >= 0.0:
            chosen = np.uint64(a)
            draw -= weight
    return chosen


@njit(**LEAN)
def find_draw(cumulative, begin, count, draw):
    """Return the first position (from 0 to count - 1) whose running sum exceeds `draw`; positions count from `begin`.

    A position of weight 0 has the same running sum as the one before and is never found.
    """
    low, high = _0, np.uint64(count) - _1
    while low < high:
        middle = (low + high) >> _1
        if cumulative[begin + middle] > draw:
            high = middle
        else:
            low = middle + _1
    return low


@njit(**LEAN)
def draw_cards_first(deck, left, count, random):
    """Draw `count` of the first `left` cards of a deck and put them at its beginning, in the order drawn."""
    for k in range(count):
        other = k + np.int64(uniform(random) * (left - k))
        deck[k], deck[other] = deck[other], deck[k]

"""How many nodes and actions a betting definition makes, without walking every path: equal states count once.

Good for any tree, also for one far too large to build.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import Betting, BettingState
from counterpoise.betting.sizes import BetSizes
from counterpoise.errors import InputError
from counterpoise.seats import CHANCE

MOST_STATES = 100_000
"""Different betting states beyond which a tree is refused uncounted: no machine holds it."""

MOST_TRIED = 500_000
"""Sizes, one by one at all those states, beyond which it is refused too: what few chips make of very many sizes."""

Counts = NDArray[np.float64]


@dataclass(frozen=True)
class BettingCount:
    """How many nodes (decisions and ends of the hand) and actions of each player a round has on one board."""

    nodes: Counts
    actions: Counts


def count_betting(betting: Betting, sizes: BetSizes, start: BettingState | None = None) -> BettingCount:
    """Return the size of the betting tree from the spot's first round, or from a later state, on."""
    root = start or betting.initial()
    seen = {root}
    children: dict[BettingState, list[BettingState]] = {}
    found: dict[BettingState, Counts] = {}
    stack, tried = [root], 0
    while stack:
        state = stack[-1]
        if state not in children:
            tried += len(sizes.sizes_at(betting, state)) if state.max_raise else 0
            if tried > MOST_TRIED:
                raise InputError("the bet sizes are too many to count the tree that they make: give fewer sizes")
            children[state] = _after(betting, sizes, state)
            seen.update(children[state])
            if len(seen) > MOST_STATES:
                raise InputError(
                    f"the bet sizes make more than {MOST_STATES:,} different betting situations: "
                    "give fewer sizes, or larger ones for so deep a stack"
                )
            stack += [child for child in children[state] if child not in children]
            continue
        stack.pop()
        if state not in found:
            found[state] = sum((found[child] for child in children[state]), _own(betting, state, children[state]))
    total = found[root]
    return BettingCount(total[:, 0], total[:, 1:])


def _after(betting: Betting, sizes: BetSizes, state: BettingState) -> list[BettingState]:
    """Return the states that an action or a deal leads to."""
    if state.to_act == CHANCE:
        return [betting.deal(state)]
    if state.to_act < 0:
        return []
    return [betting.apply(state, action) for action in sizes.actions(betting, state)]


def _own(betting: Betting, state: BettingState, children: list[BettingState]) -> Counts:
    """Return what a state itself counts: a row per round with nodes, actions of player 0, actions of player 1."""
    counts = np.zeros((betting.rounds, 3))
    if state.to_act != CHANCE:
        counts[state.round, 0] = 1
    if state.to_act >= 0:
        counts[state.round, 1 + state.to_act] = len(children)
    return counts

"""The size of a betting tree before it is built.

`count_betting` counts nodes and actions without walking every path: equal states are counted once, and what no machine
can hold is refused early. Good for any tree, also for one far too large to build. `walk_betting` yields node after
node, for a caller who leaves as soon as a budget is spent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import Betting, BettingState
from counterpoise.betting.sizes import BetSizes, BettingMenu
from counterpoise.errors import InputError
from counterpoise.seats import CHANCE

MOST_STATES = 100_000
"""Different betting states beyond which a tree is refused uncounted: no machine holds it."""

MOST_TRIED = 500_000
"""Sizes, one by one at all those states, beyond which it is refused too: what few chips make of very many sizes."""

Counts = NDArray[np.float64]


@dataclass(frozen=True)
class BettingCount:
    """How many nodes (decisions and ends of the hand), decisions, and actions of each seat a round has on one board."""

    nodes: Counts
    decisions: Counts
    actions: Counts
    """[round, seat]"""


def count_betting(betting: Betting, sizes: BettingMenu, start: BettingState | None = None) -> BettingCount:
    """Return the size of the betting tree from its first round, or from a later state, on.

    Raise `InputError` if it has too many different states, or too many sizes to try at them, to be counted.
    """
    root = start or betting.initial()
    seen = {root}
    children: dict[BettingState, list[BettingState]] = {}
    found: dict[BettingState, Counts] = {}
    stack, tried = [root], 0
    while stack:
        state = stack[-1]
        if state not in children:
            tried += len(sizes.sizes_at(betting, state)) if state.max_raise and isinstance(sizes, BetSizes) else 0
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
    return BettingCount(total[:, 0], total[:, 1], total[:, 2:])


def walk_betting(betting: Betting, sizes: BettingMenu, start: BettingState) -> Iterator[tuple[int, bool]]:
    """Yield the street of every decision and end of a spot's betting, 0 being the first, and whether it is a run-out.

    Every path is walked, so that a caller may leave at any time; no cut is known here.
    """
    stack = [start]
    while stack:
        state = stack.pop()
        if state.to_act == CHANCE:
            state = betting.deal(state)
        yield state.round - start.round, betting.rounds_due(state) > 0
        if state.to_act >= 0:
            stack += [betting.apply(state, action) for action in sizes.actions(betting, state)]


def _after(betting: Betting, sizes: BettingMenu, state: BettingState) -> list[BettingState]:
    """Return the states that an action or a deal leads to."""
    if state.to_act == CHANCE:
        return [betting.deal(state)]
    if state.to_act < 0:
        return []
    return [betting.apply(state, action) for action in sizes.actions(betting, state)]


def _own(betting: Betting, state: BettingState, children: list[BettingState]) -> Counts:
    """Return what a state itself counts: a row per round with nodes, decisions and the actions of each seat."""
    counts = np.zeros((betting.rounds, 2 + len(betting.stacks)))
    if state.to_act != CHANCE:
        counts[state.round, 0] = 1
    if state.to_act >= 0:
        counts[state.round, 1] = 1
        counts[state.round, 2 + state.to_act] = len(children)
    return counts

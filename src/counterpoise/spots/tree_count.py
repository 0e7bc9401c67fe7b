"""How many nodes and actions a betting definition makes, without walking every path: equal states count once.

Good for any tree, also for one far too large to build.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import CHANCE
from counterpoise.games.bet_sizes import BetSizes
from counterpoise.games.betting import Betting, BettingState

MOST_STATES = 100_000
"""Different betting states beyond which a tree is refused uncounted: no machine holds it."""

Counts = NDArray[np.float64]


@dataclass(frozen=True)
class BettingCount:
    """Per round of the hand: decisions plus ends of the hand, and actions by player; one board per round."""

    nodes: Counts
    actions: Counts


def count_betting(betting: Betting, sizes: BetSizes) -> BettingCount:
    """Count the betting tree from the spot's first round on."""
    return _Counter(betting, sizes).count()


class _Counter:
    def __init__(self, betting: Betting, sizes: BetSizes) -> None:
        self.betting, self.sizes = betting, sizes
        self.found: dict[BettingState, Counts] = {}

    def count(self) -> BettingCount:
        total = self._below(self.betting.initial())
        return BettingCount(total[:, 0], total[:, 1:])

    def _below(self, state: BettingState) -> Counts:
        """Rows: rounds; columns: nodes, actions of player 0, actions of player 1."""
        known = self.found.get(state)
        if known is not None:
            return known
        total = np.zeros((self.betting.rounds, 3))
        if state.to_act == CHANCE:
            total += self._below(self.betting.deal(state))
        else:
            total[state.round, 0] += 1
            if state.to_act >= 0:
                actions = self.sizes.actions(self.betting, state)
                total[state.round, 1 + state.to_act] += len(actions)
                for action in actions:
                    total += self._below(self.betting.apply(state, action))
        self.found[state] = total
        if len(self.found) > MOST_STATES:
            raise InputError(
                f"the bet sizes make more than {MOST_STATES:,} different betting situations: "
                "give fewer sizes, or larger ones for so deep a stack"
            )
        return total

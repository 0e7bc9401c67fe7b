"""Data at random public belief states instead of those of self-play: the comparison of BROWN 5.3.7 (figure 5.9).

The public state is uniform among those at which a subgame begins, and both beliefs are uniform on the simplex.
"""

from __future__ import annotations

import numpy as np

from counterpoise.deep.rebel.beliefs import BeliefState, normalised
from counterpoise.deep.rebel.selfplay import BeliefExamples, SelfPlay


class RandomStates(SelfPlay):
    """Solves subgames at random public belief states."""

    def play(self) -> BeliefExamples:
        """Solve one batch of subgames and return the examples that come of it."""
        game = self.game
        starts = np.flatnonzero(game.tree_of >= 0)
        self._queue.clear()
        self._endings.clear()
        final = bool(self._apart and self.random.random() < 0.5)
        starts = starts[game.final[starts] == final] if self._apart else starts
        solver = self._endgames if final else self.solver
        batch = []
        for state in self.random.choice(starts, solver.capacity):
            beliefs = self.random.dirichlet(np.ones(game.hands), 2)
            batch.append(BeliefState(int(state), normalised(beliefs, game.payoffs.prior, game.live(int(state)))))
        return self._solve(solver, batch)

"""Data at random public belief states instead of those of self-play: the comparison of Brown 2020, section 5.3.7
(figure 5.9).

The public state is uniform among those that search asks about: those at which a subgame begins and those at which a
card is dealt, each kind equally often. Both beliefs are uniform on the simplex.
"""

from __future__ import annotations

import numpy as np

from counterpoise.deep.rebel.beliefs import BeliefState, Floats, IntArray, normalised
from counterpoise.deep.rebel.search import BeliefSolver, Solved
from counterpoise.deep.rebel.selfplay import BeliefExamples, SelfPlay


class RandomStates(SelfPlay):
    """Solves subgames at random public belief states."""

    def play(self) -> BeliefExamples:
        """Return the examples of one batch of public belief states of one kind."""
        game = self.game
        asked = np.flatnonzero(game.asked)
        begins, final = game.tree_of[asked] >= 0, game.final[asked] & self._apart
        kinds = [asked[~begins], asked[begins & final], asked[begins & ~final]]
        states = [kind for kind in kinds if kind.size]
        chosen = states[int(self.random.integers(len(states)))]
        if game.tree_of[chosen[0]] < 0:
            return self._deal_examples(self._drawn(chosen, self._endgames.capacity))
        solver = self._endgames if self._apart and game.final[chosen[0]] else self.solver
        return self._solve(solver, self._drawn(chosen, solver.capacity))

    def _drawn(self, states: IntArray, count: int) -> list[BeliefState]:
        """Draw public belief states."""
        game, found = self.game, []
        for state in self.random.choice(states, count):
            beliefs = self.random.dirichlet(np.ones(game.hands), 2)
            found.append(BeliefState(int(state), normalised(beliefs, game.prior, game.live(int(state)))))
        return found

    def _go_on(
        self, solver: BeliefSolver, solved: Solved, ranges: Floats, g: int, root: BeliefState
    ) -> list[BeliefState]:
        """Do nothing after a solved subgame: the next states are drawn anew."""
        return []

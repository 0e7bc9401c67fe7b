"""Self-play: solve a subgame, keep its values as an example, and continue from a leaf that play may reach.

See Brown et al. 2020, algorithm 1.

Public belief states that wait to be solved stand in a queue, which new games fill up, so that every call solves a whole
batch. Only one player explores, with one coin per action; beliefs follow the policies, never the exploration.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from counterpoise.deep.rebel.beliefs import BeliefState, Floats, IntArray, conditional, met, normalised
from counterpoise.deep.rebel.games import START, BeliefGame, NextCards
from counterpoise.deep.rebel.policy import PolicyExamples, PolicyNodes
from counterpoise.deep.rebel.search import BeliefSolver, SearchSettings, Solved, ValueFunction, endgame_search
from counterpoise.deep.restoring import check_indices, checked, restored_counters
from counterpoise.errors import InputError


class BeliefExamples(NamedTuple):
    """Examples for a value network."""

    states: IntArray
    """Per example its public state."""
    beliefs: Floats
    """[example, 2 x hands]: both players' beliefs."""
    targets: Floats
    """[example, 2 x hands]: values of both players' hands, in the units of the public state."""


@dataclass(frozen=True)
class SelfPlaySettings:
    """How data is made."""

    games: int = 128
    """Subgames that are solved in lock-step; published: one game per thread."""
    leaves: int = 1
    """Leaves that are drawn from every solved subgame; published: 1, and more are allowed (Brown et al. 2020,
    appendix).
    """
    attempts: int = 1
    """The most attempts of play from the root of a subgame, per leaf, to reach one from which the game continues;
    published: 1. More attempts make more examples of a subgame that is expensive to solve."""
    exploration: float = 0.25
    """The probability with which the exploring player draws an action uniformly; published: 0.25."""
    endgame_iterations: int | None = None
    """Iterations for subgames that reach the end of the game; None: as many as for others, all in one batch."""


class SelfPlay:
    """Games of self-play, with the values of leaves that `values` returns."""

    def __init__(
        self,
        game: BeliefGame,
        values: ValueFunction,
        search: SearchSettings,
        settings: SelfPlaySettings | None = None,
        seed: int = 0,
        stream: int = 0,
        dtype: type = np.float32,
    ) -> None:
        self.game, self.settings = game, settings or SelfPlaySettings()
        self.values = values
        self.random = np.random.default_rng([seed, stream])
        self.dtype = dtype
        self.solver = BeliefSolver(game, values, search, self.settings.games, dtype)
        self._apart = self.settings.endgame_iterations is not None
        self._endgames = self.solver
        if self.settings.endgame_iterations is not None:
            ending = endgame_search(self.settings.endgame_iterations)
            self._endgames = BeliefSolver(game, values, ending, self.settings.games * self.settings.leaves, dtype)
        self._queue: deque[BeliefState] = deque()
        self._endings: deque[BeliefState] = deque()
        self.games = 0
        self.subgames = 0
        self.policy_nodes: PolicyNodes | None = None
        """If given, the averages of solved subgames are kept as examples for a policy network."""
        self.policy_examples: list[PolicyExamples] = []

    def use(self, values: ValueFunction) -> None:
        """Use another value function from now on."""
        self.values = values
        self.solver.values = self._endgames.values = values

    @property
    def questions_asked(self) -> int:
        """Value leaves that were evaluated."""
        apart = self._endgames.questions_asked if self._apart else 0
        return self.solver.questions_asked + apart

    def play(self) -> BeliefExamples:
        """Solve one batch of subgames and return its examples."""
        if self._apart and len(self._endings) >= self._endgames.capacity:
            batch = [self._endings.popleft() for _ in range(self._endgames.capacity)]
            return self._solve(self._endgames, batch)
        while len(self._queue) < self.settings.games:
            self._queue.append(BeliefState(START, self.game.prior))
            self.games += 1
        return self._solve(self.solver, [self._queue.popleft() for _ in range(self.settings.games)])

    def _solve(self, solver: BeliefSolver, batch: list[BeliefState]) -> BeliefExamples:
        states = np.array([root.state for root in batch])
        beliefs = np.stack([root.beliefs for root in batch])
        before = solver.solved
        solved = solver.solve(states, beliefs, solver.draw(self.random, len(batch)))
        self.subgames += solver.solved - before
        if self.policy_nodes is not None and solver is self.solver:
            self.policy_examples.append(self.policy_nodes.examples(solver, solver.average()))
        asked = self.game.asked[states]
        examples = [self._examples(states[asked], beliefs[asked], solved.values[asked])]
        if not self.game.final[states].all():
            ranges = self._ranges_at_leaves(solver, solved)
            dealt = [leaf for g, root in enumerate(batch) for leaf in self._go_on(solver, solved, ranges, g, root)]
            if dealt:
                examples.append(self._deal_examples(dealt))
        return BeliefExamples(*(np.concatenate(parts) for parts in zip(*examples, strict=True)))

    def _ranges_at_leaves(self, solver: BeliefSolver, solved: Solved) -> Floats:
        """Return both players' ranges at all leaves under the policies that beliefs follow."""
        return solver.at_leaves(solver.reach(solver.numbers(solved.believed)))

    def _go_on(
        self, solver: BeliefSolver, solved: Solved, ranges: Floats, g: int, root: BeliefState
    ) -> list[BeliefState]:
        """Draw leaves of a subgame and queue what follows; return the public belief states before a card."""
        game, before_card = self.game, []
        pairs = game.pairs.joint(root.beliefs)
        sums = np.cumsum(pairs.ravel(), dtype=np.float64)
        left = self.settings.leaves
        for _ in range(self.settings.leaves * self.settings.attempts):
            hands = np.unravel_index(_placed(sums, self.random.random()), pairs.shape)
            found = self._leaf(solver, solved, g, (int(hands[0]), int(hands[1])))
            if found is None:
                continue
            state = int(game.following[root.state, found])
            leaf = BeliefState(state, normalised(ranges[g, :, found], game.prior, game.live(root.state)))
            if game.tree_of[state] >= 0:
                self._wait(leaf)
            else:
                deals = game.deals[state]
                possible = np.flatnonzero(deals.live[:, hands[0]] & deals.live[:, hands[1]])
                card = int(possible[self.random.integers(len(possible))])
                after = normalised(leaf.beliefs, game.prior, deals.live[card])
                self._wait(BeliefState(int(deals.states[card]), after))
                before_card.append(leaf)
            left -= 1
            if not left:
                break
        return before_card

    def _leaf(self, solver: BeliefSolver, solved: Solved, g: int, hands: tuple[int, int]) -> int | None:
        """Play a subgame once; return the leaf that is reached by its number, None at the end of the game."""
        game, number, u = self.game, int(solver.batch.trees[g]), self.random.random
        tree, policy = game.public.street_trees[number], solved.played[g]
        explorer = int(self.random.integers(2))
        # In fictitious play one player responds, the other plays its average.
        mixed = solver.settings.responds
        responder = int(self.random.integers(2)) if mixed else -1
        kind, at = "decision", 0
        while kind == "decision":
            decision, rows = tree.decisions[at], game.rows_of(number, at)
            if decision.player == explorer and u() < self.settings.exploration:
                taken = int(self.random.integers(len(decision.actions)))
            else:
                own = policy if not mixed or decision.player == responder else solved.believed[g]
                taken = _drawn(own[rows, hands[decision.player]], u())
            kind, at = tree.children[at, decision.actions[taken]]
        return game.slot(number, at)

    def _wait(self, root: BeliefState) -> None:
        (self._endings if self._apart and self.game.final[root.state] else self._queue).append(root)

    def _deal_examples(self, leaves: list[BeliefState]) -> BeliefExamples:
        """Return examples of public belief states before a card: the expectation of the network after it."""
        states = np.array([leaf.state for leaf in leaves])
        beliefs = np.stack([leaf.beliefs for leaf in leaves])
        return self._examples(states, beliefs, deal_values(self.game, self.values, states, beliefs))

    def _examples(self, states: IntArray, beliefs: Floats, values: Floats) -> BeliefExamples:
        """Return examples of public belief states with the values of their hands in the unit of the game."""
        targets = values / self.game.unit[states][:, None, None]
        shape = (len(states), self.game.outputs)
        return BeliefExamples(
            states, beliefs.reshape(shape).astype(self.dtype), targets.reshape(shape).astype(self.dtype)
        )

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the public belief states that wait, and the counts, to be saved."""
        waiting = [*self._queue, *self._endings]
        return {
            "states": np.array([root.state for root in waiting], dtype=np.int64),
            "beliefs": np.array([root.beliefs for root in waiting]).reshape(len(waiting), 2, self.game.hands),
            "counts": np.array([self.games, self.subgames, self.questions_asked], dtype=np.int64),
        }

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Continue with what `arrays` returned."""
        states = checked(arrays, "states", (arrays["states"].size,), np.int64)
        beliefs = checked(arrays, "beliefs", (len(states), 2, self.game.hands), np.float64)
        check_indices(states, len(self.game.tree_of), "states")
        if (self.game.tree_of[states] < 0).any() or (beliefs < 0).any() or not np.allclose(beliefs.sum(axis=2), 1):
            raise InputError("what waits to be solved must be public belief states at which a subgame begins")
        self._queue.clear()
        self._endings.clear()
        for state, belief in zip(states, beliefs, strict=True):
            self._wait(BeliefState(int(state), belief))
        self.games, self.subgames, self.solver.questions_asked = restored_counters(arrays, "counts", 3)


def deal_values(game: BeliefGame, values: ValueFunction, states: IntArray, beliefs: Floats) -> Floats:
    """Return the conditional values before a card is dealt, [state, player, hand], by the values after it.

    A card has the same probability for all pairs of hands without it; a hand that holds it gets no value from it.
    """
    asked, masses, shares, owners = [], [], [], []
    for number, state in enumerate(states):
        deals: NextCards = game.deals[int(state)]
        live = deals.live[:, None, :]
        after = beliefs[number] * live
        masses.append(met(after, game.pairs) * live)
        asked.append(game.encode(deals.states, normalised(after, game.prior, live)))
        shares.append(deals.chance * game.unit[deals.states])
        owners.append(np.full(len(deals.states), number))
    inputs, following = np.concatenate(asked), np.concatenate([game.deals[int(state)].states for state in states])
    answers = np.asarray(values(inputs, following), dtype=np.float64).reshape(len(inputs), 2, game.hands)
    won = np.zeros((len(states), 2, game.hands))
    np.add.at(won, np.concatenate(owners), answers * np.concatenate(masses) * np.concatenate(shares)[:, None, None])
    return conditional(won, beliefs, game.pairs)


def _drawn(weights: Floats, number: float) -> int:
    """Return the place in which a number from 0 to 1 falls, by weights of places."""
    return _placed(np.cumsum(weights, dtype=np.float64), number)


def _placed(sums: Floats, number: float) -> int:
    """Return the place in which a number from 0 to 1 falls, by running sums of weights."""
    return min(int(np.searchsorted(sums, number * sums[-1], side="right")), len(sums) - 1)

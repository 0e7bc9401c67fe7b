"""How ReBeL plays: safe search by a random iteration, and the unsafe search beside it.

See Brown 2020, section 5.3.6, theorem 26.

At each new subgame an iteration is drawn with the weights of the average, the subgame is solved up to it, and its
policies are played until the subgame ends; everybody is believed to play them. What one holds oneself never enters the
search, only the beliefs about it do.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

import numpy as np

from counterpoise.deep.rebel.beliefs import BeliefState, normalised
from counterpoise.deep.rebel.games import START, BeliefGame
from counterpoise.deep.rebel.kernels.layouts import Floats
from counterpoise.deep.rebel.solver import BeliefSolver, SearchSettings, ValueFunction, endgame_search
from counterpoise.deep.rebel.trees import Choice, Leaf, Tree, rows_of
from counterpoise.deep.rebel.values import key
from counterpoise.errors import InputError

KEPT = 64
"""Solutions that are kept, so that the same root is not solved twice (the cache of preflop subgames)."""


class RebelPlayer:
    """Follows one game: both players' actions and public cards go in, policies for the player to act come out."""

    def __init__(
        self,
        game: BeliefGame,
        values: ValueFunction,
        search: SearchSettings,
        random: np.random.Generator,
        endgame_iterations: int | None = None,
        unsafe: bool = False,
    ) -> None:
        self.game, self.values, self.search, self.random = game, values, search, random
        self.endgame, self.unsafe = endgame_iterations, unsafe
        self.solved = 0
        """Subgames that were solved; those found in the cache are not counted."""
        self._kept: OrderedDict[tuple[tuple[int, bytes], int, Choice], tuple[Floats, Floats]] = OrderedDict()
        self._at: Tree
        self._decision: int
        self.begin()

    def begin(self) -> None:
        """Start a new game."""
        self.root = BeliefState(START, np.asarray(self.game.payoffs.prior, dtype=np.float64))
        self._enter(self.game.trees[self.game.tree_of[START]])

    @property
    def actor(self) -> int:
        """The player to act; -1 if a card is dealt or the game is over."""
        return self._at.actor if isinstance(self._at, Choice) else -1

    @property
    def labels(self) -> tuple[str, ...]:
        """The actions of the player to act, in words."""
        return self._at.labels if isinstance(self._at, Choice) else ()

    @property
    def waits_for_card(self) -> bool:
        """Whether a public card must be said next."""
        return isinstance(self._at, Leaf)

    def policy(self) -> Floats:
        """Return the probabilities of all actions for every hand of the player to act, [action, hand]."""
        if not isinstance(self._at, Choice):
            raise InputError("nobody is to act")
        return np.asarray(self._played[rows_of(self._forest, self._tree, self._decision)], dtype=np.float64)

    def act(self, hand: int) -> int:
        """Draw an action for a hand of the player to act."""
        shares = self.policy()[:, hand]
        return int(self.random.choice(len(shares), p=shares / shares.sum()))

    def observe(self, action: int) -> None:
        """Follow an action of either player, by its number; at a leaf the next subgame is solved."""
        if not isinstance(self._at, Choice):
            raise InputError("nobody is to act")
        after = self._at.after[action]
        rows = rows_of(self._forest, self._tree, self._decision)
        number = int(self._forest.child[self._forest.row_start[self._tree] + rows.start + action])
        self._at = after
        if isinstance(after, Choice):
            self._decision = number
        elif isinstance(after, Leaf):
            ranges = self._leaf_ranges(number)
            live = self.game.live(self.root.state)
            self.root = BeliefState(after.state, normalised(ranges, self.game.payoffs.prior, live))
            if self.game.tree_of[after.state] >= 0:
                self._enter(self.game.trees[self.game.tree_of[after.state]])

    def observe_new(self, label: str, action: int, after: Tree) -> None:
        """Follow an action that the tree does not have: add it before action `action`, solve again from the same root.

        The tree of the subgame gains the action with what follows it; a new iteration is drawn, and play continues
        after the action.
        """
        if not isinstance(self._at, Choice):
            raise InputError("nobody is to act")
        path = self._path()
        tree = _grown(self._subgame, path, label, action, after)
        self._enter(tree)
        for step in [*path, action]:
            self.observe(step)

    def deal(self, card: int) -> None:
        """Follow a public card, by its number among those that may be dealt."""
        deals = self.game.deals.get(self.root.state)
        if deals is None or not self.waits_for_card:
            raise InputError("no card is dealt here")
        beliefs = normalised(self.root.beliefs, self.game.payoffs.prior, deals.live[card])
        self.root = BeliefState(int(deals.states[card]), beliefs)
        self._enter(self.game.trees[self.game.tree_of[self.root.state]])

    def _enter(self, tree: Choice) -> None:
        """Solve the subgame at the root and stand at its first decision."""
        final = bool(self.game.final[self.root.state])
        search = self.search
        if final and self.endgame is not None:
            search = endgame_search(self.endgame)
        drawn = search.iterations if self.unsafe else int(search.draw(self.random, 1)[0])
        place = key(self.root.state, self.root.beliefs), drawn, tree
        if place not in self._kept:
            self._kept[place] = self._solve(tree, search, drawn)
            self.solved += 1
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._played, self._believed = self._kept[place]
        game = self._game_of(tree)
        self._forest, self._tree = game.forest, int(game.tree_of[self.root.state])
        self._subgame = self._at = tree
        self._decision = 0

    def _game_of(self, tree: Choice) -> BeliefGame:
        """The game with another tree at the root, if that has actions of its own."""
        number = int(self.game.tree_of[self.root.state])
        if tree is self.game.trees[number]:
            return self.game
        return replace(self.game, trees=(*self.game.trees[:number], tree, *self.game.trees[number + 1 :]))

    def _solve(self, tree: Choice, search: SearchSettings, drawn: int) -> tuple[Floats, Floats]:
        solver = BeliefSolver(self._game_of(tree), self.values, search, 1)
        states, beliefs = np.array([self.root.state]), self.root.beliefs[None]
        if self.unsafe:
            solver.solve(states, beliefs)
            average = solver.average()[0]
            return average, average
        solved = solver.solve(states, beliefs, np.array([drawn]), with_values=False)
        return solved.played[0].copy(), solved.believed[0].copy()

    def _leaf_ranges(self, leaf: int) -> Floats:
        """Return both players' ranges at a leaf of the subgame under the policies that are believed."""
        forest, ranges = self._forest, np.array(self.root.beliefs)
        at = int(forest.leaf_start[self._tree]) + leaf
        decision, row = int(forest.leaf_decision[at]), int(forest.leaf_row[at])
        first = int(forest.decision_start[self._tree])
        while decision >= 0:
            ranges[forest.actor[first + decision]] *= self._believed[row]
            decision, row = int(forest.parent[first + decision]), int(forest.parent_row[first + decision])
        return ranges

    def _path(self) -> list[int]:
        """The actions from the root of the subgame to where it is."""
        forest, first = self._forest, int(self._forest.decision_start[self._tree])
        decision, path = self._decision, []
        while forest.parent[first + decision] >= 0:
            before, row = int(forest.parent[first + decision]), int(forest.parent_row[first + decision])
            path.append(row - rows_of(forest, self._tree, before).start)
            decision = before
        return path[::-1]


def _grown(tree: Choice, path: list[int], label: str, place: int, after: Tree) -> Choice:
    """Return a tree with one action more at the decision to which a path leads."""
    if path:
        below = tree.after[path[0]]
        assert isinstance(below, Choice)
        following = [*tree.after]
        following[path[0]] = _grown(below, path[1:], label, place, after)
        return Choice(tree.actor, tuple(following), tree.labels)
    labels = (*tree.labels[:place], label, *tree.labels[place:])
    return Choice(tree.actor, (*tree.after[:place], after, *tree.after[place:]), labels)

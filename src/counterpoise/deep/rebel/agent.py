"""ReBeL's play: safe search by a random iteration, and unsafe search for comparison.

See Brown 2020, section 5.3.6, theorem 26.

At each new subgame an iteration is drawn with the weights of the average, the subgame is solved up to it, and its
policies are played until the subgame ends; all players are assumed to play them. The player's own hand never enters the
search, only the beliefs about it do.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from counterpoise.deep.rebel.beliefs import BeliefState, Floats, normalised
from counterpoise.deep.rebel.games import START, BeliefGame
from counterpoise.deep.rebel.search import BeliefSolver, SearchSettings, ValueFunction, endgame_search
from counterpoise.deep.rebel.values import key
from counterpoise.errors import InputError
from counterpoise.public.street_trees import Following

KEPT = 64
"""The number of solutions that are kept, so that the same root is not solved twice (the cache of preflop subgames)."""


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
        self._kept: OrderedDict[tuple[tuple[int, bytes], int, BeliefGame], tuple[Floats, Floats]] = OrderedDict()
        self._at: Following
        self.begin()

    def begin(self) -> None:
        """Start a new game."""
        self.root = BeliefState(START, np.asarray(self.game.prior, dtype=np.float64))
        self._enter()

    @property
    def actor(self) -> int:
        """The player to act; -1 if a card is dealt or the game is over."""
        kind, number = self._at
        return self.game.public.street_trees[self._tree].decisions[number].player if kind == "decision" else -1

    @property
    def labels(self) -> tuple[str, ...]:
        """The actions of the player to act, in words."""
        kind, number = self._at
        return self.game.labels(self._tree, number) if kind == "decision" else ()

    @property
    def waits_for_card(self) -> bool:
        """Whether a public card must be given next."""
        return self._at[0] == "leaf" and self.root.state in self.game.deals

    def policy(self) -> Floats:
        """Return the probabilities of all actions for every hand of the player to act, [action, hand]."""
        return np.asarray(self._played[self.game.rows_of(self._tree, self._decision())], dtype=np.float64)

    def _decision(self) -> int:
        kind, number = self._at
        if kind != "decision":
            raise InputError("nobody is to act")
        return number

    def act(self, hand: int) -> int:
        """Draw an action for a hand of the player to act."""
        shares = self.policy()[:, hand]
        return int(self.random.choice(len(shares), p=shares / shares.sum()))

    def observe(self, action: int) -> None:
        """Follow an action of either player, by its number; at a leaf the next subgame is solved."""
        game, decision = self.game, self._decision()
        tree = game.public.street_trees[self._tree]
        self._at = tree.children[decision, tree.decisions[decision].actions[action]]
        slot = game.slot(self._tree, self._at[1]) if self._at[0] == "leaf" else None
        if slot is not None:
            ranges, live = self._leaf_ranges(self._at[1]), game.live(self.root.state)
            state = int(game.following[self.root.state, slot])
            self.root = BeliefState(state, normalised(ranges, game.prior, live))
            if game.tree_of[state] >= 0:
                self._enter()

    def offer(self, game: BeliefGame) -> None:
        """Continue in a game that offers more actions in this subgame, which is solved again from the same root.

        A new iteration is drawn, and play continues where it was.
        """
        self._decision()
        path = [self.game.word(action) for _, action in self.game.public.street_trees[self._tree].way_to(self._at)]
        self.game = game
        self._enter()
        for word in path:
            self.observe(self.labels.index(word))

    def deal(self, card: int) -> None:
        """Follow a public card, by its number among those that may be dealt."""
        if not self.waits_for_card:
            raise InputError("no card is dealt here")
        deals = self.game.deals[self.root.state]
        beliefs = normalised(self.root.beliefs, self.game.prior, deals.live[card])
        self.root = BeliefState(int(deals.states[card]), beliefs)
        self._enter()

    def _enter(self) -> None:
        """Solve the subgame at the root and stand at its first decision."""
        search = self.search
        if self.endgame is not None and self.game.final[self.root.state]:
            search = endgame_search(self.endgame)
        drawn = search.iterations if self.unsafe else int(search.draw(self.random, 1)[0])
        place = key(self.root.state, self.root.beliefs), drawn, self.game
        if place not in self._kept:
            self._kept[place] = self._solve(search, drawn)
            self.solved += 1
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._played, self._believed = self._kept[place]
        self._tree, self._at = int(self.game.tree_of[self.root.state]), ("decision", 0)

    def _solve(self, search: SearchSettings, drawn: int) -> tuple[Floats, Floats]:
        solver = BeliefSolver(self.game, self.values, search, 1)
        states, beliefs = np.array([self.root.state]), self.root.beliefs[None]
        if self.unsafe:
            solver.solve(states, beliefs)
            average = solver.average()[0]
            return average, average
        solved = solver.solve(states, beliefs, np.array([drawn]), with_values=False)
        return solved.played[0], solved.believed[0]

    def _leaf_ranges(self, leaf: int) -> Floats:
        """Return both players' ranges at a leaf of the subgame under the policies that beliefs follow."""
        tree, ranges = self.game.public.street_trees[self._tree], np.array(self.root.beliefs)
        for number, action in tree.way_to(("leaf", leaf)):
            decision, rows = tree.decisions[number], self.game.rows_of(self._tree, number)
            ranges[decision.player] *= self._believed[rows.start + decision.actions.index(action)]
        return ranges

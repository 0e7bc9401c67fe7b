"""The whole game behind belief subgames: every public history at which a subgame begins, and exact best responses.

Beliefs differ between histories that lead to the same public state, so that the policy of a searching agent is a table
over histories (`WholeGame`). Exploitability is exact: (best response of player 1 + best response of player 2) / 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from counterpoise.deep.rebel.beliefs import Floats, IntArray
from counterpoise.deep.rebel.games import START, BeliefGame
from counterpoise.deep.rebel.subgames import Subgames
from counterpoise.errors import InputError
from counterpoise.public import BatchTraverser

MOST_HISTORIES = 1_000_000


class WholeDecision(NamedTuple):
    """A decision of the whole game."""

    actor: int
    labels: tuple[str, ...]
    """Its actions in words."""
    path: tuple[str, ...]
    """The actions and public cards before it."""
    rows: slice
    """The rows of its actions in tables of the whole game."""


@dataclass(frozen=True, eq=False)
class Level:
    """Histories of the same depth: those at which players act, and those at which a card is dealt."""

    acting: IntArray
    dealing: IntArray


class WholeGame:
    """All histories of a game at which subgames begin or cards are dealt, parents first."""

    def __init__(self, game: BeliefGame) -> None:
        self.game = game
        states, firsts, children = [START], [], []
        rows, at = 0, 0
        depths = [0]
        while at < len(states):
            state = states[at]
            tree = int(game.tree_of[state])
            firsts.append(rows)
            if tree >= 0:
                following = game.following[state][: game.leaves_of[state]]
                rows += len(game.rows_in[tree])
            else:
                following = game.deals[state].states
            children.append(len(states))
            states += following.tolist()
            depths += [depths[at] + 1] * len(following)
            if len(states) > MOST_HISTORIES:
                raise InputError(f"{game.name} has more than {MOST_HISTORIES:,} public histories")
            at += 1
        self.states: IntArray = np.array(states, dtype=np.int64)
        self.first_row: IntArray = np.array(firsts, dtype=np.int64)
        self.rows = rows
        self.first_child: IntArray = np.array(children, dtype=np.int64)
        """Per history the first one that follows it: by the leaves of its tree, or by cards."""
        depth = np.array(depths)
        acting = game.tree_of[self.states] >= 0
        self.levels = [
            Level(np.flatnonzero((depth == k) & acting), np.flatnonzero((depth == k) & ~acting))
            for k in range(int(depth.max()) + 1)
        ]

    def new_table(self) -> Floats:
        """Return zeros for every row of every history, [row, hand]."""
        return np.zeros((self.rows, self.game.hands))

    def decisions(self) -> Iterator[WholeDecision]:
        """Yield all decisions, with the words of their actions and of what came before."""
        game = self.game
        waiting: list[tuple[int, tuple[str, ...]]] = [(0, ())]
        for node, start in waiting:  # grows while it is walked
            first, child, state = int(self.first_row[node]), int(self.first_child[node]), int(self.states[node])
            if state in game.deals:
                waiting += [(child + card, (*start, name)) for card, name in enumerate(game.deals[state].names)]
                continue
            number = int(game.tree_of[state])
            tree, place = game.public.street_trees[number], {int(row): k for k, row in enumerate(game.rows_in[number])}
            for decision, own in enumerate(tree.decisions):
                path = (*start, *(game.word(action) for _, action in tree.way_to(("decision", decision))))
                row = first + place[game.rows_of(number, decision).start]
                labels = game.labels(number, decision)
                yield WholeDecision(own.player, labels, path, slice(row, row + len(labels)))
            for slot, leaf in enumerate(game.layout.value_leaves[number]):
                words = (game.word(action) for _, action in tree.way_to(("leaf", leaf)))
                waiting.append((child + slot, (*start, *words)))

    def add_played(self, table: Floats, nodes: IntArray, arrived: Floats, reach: tuple[Floats, Floats]) -> None:
        """Add policies of subgames at histories to a table, by own reach.

        The own reach is what `arrived` at their roots by actions [subgame, player, hand], times `reach` inside
        (`Subgames.own_reach`).
        """
        own = np.concatenate([arrived[:, [player]] * reach[player][:, 1:] for player in range(2)], axis=1)
        trees = self.game.tree_of[self.states[nodes]]
        for tree in np.unique(trees):
            here, rows = np.flatnonzero(trees == tree), self.game.rows_in[tree]
            places = self.first_row[nodes[here]][:, None] + np.arange(len(rows))
            np.add.at(table, places, own[here][:, rows])

    def policies(self, table: Floats, nodes: IntArray) -> Floats:
        """Return the rows of a table for subgames at histories, [subgame, row, hand]."""
        found = np.zeros((len(nodes), self.game.rows, self.game.hands))
        trees = self.game.tree_of[self.states[nodes]]
        for tree in np.unique(trees):
            here, rows = np.flatnonzero(trees == tree), self.game.rows_in[tree]
            places = self.first_row[nodes[here]][:, None] + np.arange(len(rows))
            found[here[:, None], rows] = table[places]
        return found

    def exploitability(self, policy: Floats) -> float:
        """Return the exploitability of policies, [row, hand], or of sums in proportion to them, in the game's unit."""
        return float(self.values(policy, best=True).sum() / 2)

    def values(self, policy: Floats, best: bool = False) -> Floats:
        """Return the value of policies to each player or, with `best`, that of a best response to them."""
        game, prior = self.game, np.asarray(self.game.prior, dtype=np.float64)
        pairs = float((prior[0] * game.pairs.met(prior[1])).sum())
        reach = np.zeros((len(self.states), 2, game.hands))
        reach[0] = prior
        batches: list[tuple[Subgames, Floats] | None] = []
        for level in self.levels:
            batches.append(self._reach_children(level, reach, policy) if len(level.acting) else None)
            for node in level.dealing:
                deals, first = game.deals[int(self.states[node])], self.first_child[node]
                reach[first : first + len(deals.states)] = reach[node] * deals.live[:, None, :]
        found = []
        for player in range(2):
            value = np.zeros((len(self.states), game.hands))
            for level, batch in zip(reversed(self.levels), reversed(batches), strict=True):
                for node in level.dealing:
                    deals, first = game.deals[int(self.states[node])], self.first_child[node]
                    value[node] = (value[first : first + len(deals.states)] * deals.live).sum(axis=0) * deals.chance
                if batch is not None:
                    subgames, numbers = batch
                    places, some = self._children(level.acting)
                    after = value[places] * some[:, :, None]
                    value[level.acting] = subgames.judged(numbers, player, best, after)
            found.append(float((value[0] * prior[player]).sum()) / pairs)
        return np.array(found)

    def _children(self, nodes: IntArray) -> tuple[IntArray, Floats]:
        """Return the histories after the leaves of subgames, [subgame, leaf], and which of them there are."""
        counts, slots = self.game.leaves_of[self.states[nodes]], np.arange(self.game.layout.slots)
        some = slots < counts[:, None]
        return np.where(some, self.first_child[nodes][:, None] + slots, 0), some

    @cached_property
    def _traverser(self) -> BatchTraverser:
        """A traverser in double precision where the game has no showdowns."""
        public = self.game.public
        return BatchTraverser(public, dtype=np.float32 if public.arrays.trees.valued_row.size else np.float64)

    def _reach_children(self, level: Level, reach: Floats, policy: Floats) -> tuple[Subgames, Floats]:
        """Return the subgames of a level and the numbers of their policies; pass the reach on to what follows."""
        subgames = Subgames(self.game, traverser=self._traverser)
        subgames.enter(self.states[level.acting], reach[level.acting])
        numbers = subgames.numbers(self.policies(policy, level.acting))
        arriving = subgames.at_leaves(subgames.reach(numbers)).transpose(0, 2, 1, 3)
        places, some = self._children(level.acting)
        reach[places[some]] = arriving[some]
        return subgames, numbers

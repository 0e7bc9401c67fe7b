"""The whole game behind belief subgames: every public history at which a subgame begins, and exact best responses.

Beliefs differ between histories that lead to the same public state, so that the policy of a searching agent is a table
over histories (`WholeGame`). Exploitability is exact: (best response of player 1 + best response of player 2) / 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from counterpoise.deep.rebel.games import START, BeliefGame
from counterpoise.deep.rebel.kernels import subgame as kernels
from counterpoise.deep.rebel.kernels.layouts import Batch, Floats, IntArray
from counterpoise.deep.rebel.solver import new_batch
from counterpoise.deep.rebel.trees import Choice, Leaf
from counterpoise.errors import InputError

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
        self.game, forest = game, game.forest
        states, firsts, children = [START], [], []
        rows, at = 0, 0
        depths = [0]
        while at < len(states):
            state = states[at]
            tree = int(game.tree_of[state])
            firsts.append(rows)
            if tree >= 0:
                following = forest.leaf_state[forest.leaf_start[tree] : forest.leaf_start[tree + 1]]
                rows += int(forest.row_start[tree + 1] - forest.row_start[tree])
            else:
                following = game.deals[state].states
            children.append(len(states))
            states += [int(next_state) for next_state in following]
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
        waiting: list[tuple[int, tuple[str, ...]]] = [(0, ())]
        for node, start in waiting:  # grows while it is walked
            rows, leaf, state = int(self.first_row[node]), int(self.first_child[node]), int(self.states[node])
            if state in self.game.deals:
                waiting += [(leaf + card, (*start, name)) for card, name in enumerate(self.game.deals[state].names)]
                continue
            queue = [(self.game.trees[self.game.tree_of[state]], start)]
            for choice, path in queue:  # breadth first, as trees are laid out
                yield WholeDecision(choice.actor, choice.labels, path, slice(rows, rows + len(choice.after)))
                rows += len(choice.after)
                for after, label in zip(choice.after, choice.labels, strict=True):
                    if isinstance(after, Choice):
                        queue.append((after, (*path, label)))
                    elif isinstance(after, Leaf):
                        waiting.append((leaf, (*path, label)))
                        leaf += 1

    def exploitability(self, policy: Floats) -> float:
        """Return the exploitability of policies, [row, hand], or of sums in proportion to them, in the game's unit."""
        return float(self.values(policy, best=True).sum() / 2)

    def values(self, policy: Floats, best: bool = False) -> Floats:
        """Return what policies are worth to each player or, with `best`, what a best response to them is worth."""
        game, prior = self.game, np.asarray(self.game.payoffs.prior, dtype=np.float64)
        payoffs = game.payoffs._replace(
            matrix=game.payoffs.matrix.astype(np.float64), meet=game.payoffs.meet.astype(np.float64)
        )
        pairs = float((np.outer(prior[0], prior[1]) * payoffs.meet).sum())
        reach = np.zeros((len(self.states), 2, game.hands))
        reach[0] = prior
        batches: list[tuple[Batch, Floats] | None] = []
        for level in self.levels:
            batches.append(self._spread(level, reach, policy) if len(level.acting) else None)
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
                    arrays, behaviour = batch
                    for g, node in enumerate(level.acting):
                        count, first = self._leaves(node), self.first_child[node]
                        arrays.leaf_value[g, :count] = value[first : first + count]
                    kernels.gather(game.forest, payoffs, arrays, behaviour, player, best)
                    value[level.acting] = arrays.value[:, 0]
            found.append(float((value[0] * prior[player]).sum()) / pairs)
        return np.array(found)

    def _leaves(self, node: int) -> int:
        tree = self.game.tree_of[self.states[node]]
        return int(self.game.forest.leaf_start[tree + 1] - self.game.forest.leaf_start[tree])

    def _spread(self, level: Level, reach: Floats, policy: Floats) -> tuple[Batch, Floats]:
        """Return arrays for the histories of a level with reach set, and behaviour; pass the reach on to children."""
        game, forest = self.game, self.game.forest
        batch = new_batch(game, len(level.acting), np.float64)
        batch.tree[...] = game.tree_of[self.states[level.acting]]
        batch.beliefs[...] = reach[level.acting]
        total = np.zeros((len(level.acting), game.largest()[1], game.hands))
        for g, node in enumerate(level.acting):
            count = int(forest.row_start[batch.tree[g] + 1] - forest.row_start[batch.tree[g]])
            total[g, :count] = policy[self.first_row[node] : self.first_row[node] + count]
        behaviour = np.zeros_like(total)
        kernels.average(forest, batch.tree, total, behaviour)
        kernels.spread(forest, batch, behaviour)
        for g, node in enumerate(level.acting):
            count, first = self._leaves(node), self.first_child[node]
            reach[first : first + count] = batch.leaf_reach[g, :, :count].transpose(1, 0, 2)
        return batch, behaviour

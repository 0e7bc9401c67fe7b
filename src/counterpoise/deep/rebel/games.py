"""Games of public belief states: their subgames, what follows the leaves of these, and the inputs of networks.

A `BeliefGame` has numbered *public states*, told apart only if values depend on it. At some of them a player acts: a
street tree of a public game begins there, on a board, and ends at its deals and value leaves. At others a public card
is dealt next. Games differ in nothing else, so that search, self-play and evaluation are written once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.rebel.beliefs import Floats, HandPairs, IntArray
from counterpoise.public import PublicGame
from counterpoise.public.batch_layout import BatchLayout
from counterpoise.public.street_trees import StreetTree

START = 0
"""The public state in which every game begins."""


@dataclass(frozen=True, eq=False)
class NextCards:
    """Public cards that may come next."""

    states: IntArray
    """Per card the public state after it."""
    live: NDArray[np.bool_]
    """[card, hand]: whether the hand does not hold the card."""
    chance: float
    """The probability of each card for any pair of hands that leaves it."""
    names: tuple[str, ...] = ()
    """The name of each card in the rule book."""


@dataclass(frozen=True, eq=False)
class BeliefGame:
    """A two-player zero-sum game as public states with street trees between them.

    A *row* is an action of a decision of a street tree: those of the first player stand before those of the second, so
    that policies are arrays [subgame, row, hand].
    """

    name: str
    public: PublicGame
    """Its street trees are the subgames; both players' hands are numbered alike."""
    tree_of: IntArray
    """Per public state the street tree that begins there, -1 where a card is dealt."""
    board_of: IntArray
    """Per public state the board of the public game."""
    following: IntArray
    """[public state, number of a value leaf of its street tree]: the public state there."""
    deals: dict[int, NextCards]
    """The cards dealt at public states without a tree."""
    pairs: HandPairs
    features: Floats
    """[public state, feature]: the inputs of a network besides the beliefs."""
    unit: Floats
    """Per public state the unit of a network's values, in the unit of the game."""
    scale: float = 1.0
    """Factor on the beliefs in a network's inputs, so that they have about the size 1."""
    hand_names: tuple[str, ...] = ()
    """The name of each hand in the rule book."""
    worth: float = 1.0
    """The unit of the game, in the unit of the public game."""
    word: Callable[[Any], str] = str
    """A function from an action of a street tree to its name in the rule book."""

    @cached_property
    def layout(self) -> BatchLayout:
        """The layout of rows."""
        return BatchLayout(self.public)

    @property
    def prior(self) -> Floats:
        """[player, hand]: the beliefs at the beginning of the game."""
        return self.pairs.prior

    @property
    def hands(self) -> int:
        """The number of hands of each player."""
        return int(self.pairs.prior.shape[1])

    @property
    def rows(self) -> int:
        """The number of rows of policies."""
        return sum(self.layout.rows)

    @property
    def rows_of_player(self) -> tuple[slice, slice]:
        """The rows of each player."""
        return slice(0, self.layout.rows[0]), slice(self.layout.rows[0], self.rows)

    def tree(self, state: int) -> StreetTree:
        """Return the street tree that begins at a public state."""
        found: StreetTree = self.public.street_trees[self.tree_of[state]]
        return found

    @cached_property
    def rows_in(self) -> list[IntArray]:
        """Per street tree the rows that it has."""
        first, counts = self.layout.rows[0], self.public.arrays.trees.rows.astype(np.int64) - 1
        return [np.concatenate([np.arange(one), first + np.arange(other)]) for one, other in counts.T]

    def rows_of(self, tree: int, decision: int) -> slice:
        """Return the rows of a decision."""
        own = self.public.street_trees[tree].decisions[decision]
        first = own.first_row - 1 + (self.layout.rows[0] if own.player == 1 else 0)
        return slice(first, first + len(own.actions))

    @cached_property
    def rows_before_leaves(self) -> IntArray:
        """[street tree, player, value leaf]: the player's own row before the leaf, 0 at the beginning."""
        found = np.zeros((len(self.public.street_trees), 2, self.layout.slots), dtype=np.int64)
        for tree, leaves in enumerate(self.layout.value_leaves):
            for slot, leaf in enumerate(leaves):
                found[tree, :, slot] = self.public.street_trees[tree].leaves[leaf].rows
        return found

    def rows_before(self, tree: int, decision: int) -> tuple[int, int]:
        """Return each player's own row before a decision, 0 at the beginning."""
        if (tree, decision) not in self._rows_before:
            street_tree = self.public.street_trees[tree]
            first, second = (street_tree.row_before(("decision", decision), player) for player in range(2))
            self._rows_before[tree, decision] = first, second
        return self._rows_before[tree, decision]

    @cached_property
    def _rows_before(self) -> dict[tuple[int, int], tuple[int, int]]:
        return {}

    def labels(self, tree: int, decision: int) -> tuple[str, ...]:
        """Return the actions of a decision in words."""
        return tuple(self.word(action) for action in self.public.street_trees[tree].decisions[decision].actions)

    def slot(self, tree: int, leaf: int) -> int | None:
        """Return the number of a leaf among the value leaves; None at the end of the game."""
        known = self.layout.value_leaves[tree]
        return known.index(leaf) if leaf in known else None

    @property
    def inputs(self) -> int:
        """The number of inputs of a network: features of the public state, then both players' beliefs."""
        return int(self.features.shape[1]) + 2 * self.hands

    @property
    def outputs(self) -> int:
        """The number of outputs: the values of both players' hands."""
        return 2 * self.hands

    @cached_property
    def leaves_of(self) -> IntArray:
        """Per public state the number of value leaves of its street tree; 0 without a tree."""
        counts = np.array([len(leaves) for leaves in self.layout.value_leaves], dtype=np.int64)
        return np.where(self.tree_of >= 0, counts[self.tree_of], 0)

    @cached_property
    def final(self) -> NDArray[np.bool_]:
        """Per public state whether a tree begins there that reaches the end of the game everywhere."""
        return np.asarray((self.tree_of >= 0) & (self.leaves_of == 0))

    def live(self, state: int) -> NDArray[np.bool_]:
        """Return which hands are possible in a public state."""
        return np.asarray(self.live_of[state])

    @cached_property
    def live_of(self) -> NDArray[np.bool_]:
        """[public state, hand]: which hands are possible."""
        found = np.ones((len(self.tree_of), self.hands), dtype=np.bool_)
        for deals in self.deals.values():
            found[deals.states] = deals.live
        return found

    @cached_property
    def asked(self) -> NDArray[np.bool_]:
        """Per public state whether search asks for its values, at a leaf or after a card. Those of the start of the
        game are never asked for, and a network may have the same inputs for another public state, whose values they
        would spoil."""
        found = np.zeros(len(self.tree_of), dtype=np.bool_)
        found[self.following[self.following >= 0]] = True
        for deals in self.deals.values():
            found[deals.states] = True
        return found

    def encode(self, states: IntArray, beliefs: Floats) -> Floats:
        """Return the inputs of a network, [state, input], for public belief states; beliefs: [state, player, hand]."""
        shares = beliefs.reshape(len(states), -1) * self.scale
        return np.concatenate([self.features[states], shares], axis=1).astype(np.float32)

    def decode(self, inputs: Floats) -> Floats:
        """Return the beliefs in a network's inputs, [state, player, hand]."""
        shares = np.asarray(inputs[:, self.features.shape[1] :], dtype=np.float64)
        return shares.reshape(len(inputs), 2, self.hands) / self.scale


def following_array(leaves: list[list[int]]) -> IntArray:
    """Return lists of public states, one for each public state, as rows of one array, -1 where a list has ended."""
    found = np.full((len(leaves), max(1, *map(len, leaves))), -1, dtype=np.int64)
    for state, after in enumerate(leaves):
        found[state, : len(after)] = after
    return found

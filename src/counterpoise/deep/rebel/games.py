"""Games of public belief states: which subgames there are, what follows their leaves, what a network is told.

A `BeliefGame` has numbered *public states*, as far as values depend on them. At some of them a player acts, and a tree
down to the depth limit begins there; at others a public card is dealt next. Games differ in nothing else, so that
search, self-play and evaluation are written once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.rebel.kernels.layouts import Floats, Forest, IntArray, Payoffs
from counterpoise.deep.rebel.trees import Choice, plant

START = 0
"""The public state in which every game begins."""


@dataclass(frozen=True, eq=False)
class Deals:
    """Public cards that may come next."""

    states: IntArray
    """Per card the public state after it."""
    live: NDArray[np.bool_]
    """[card, hand]: which hands do not hold the card."""
    chance: float
    """The probability of each card for any pair of hands that leaves it."""
    names: tuple[str, ...] = ()
    """What the rule book calls each card."""


@dataclass(frozen=True, eq=False)
class BeliefGame:
    """A two-player zero-sum game as public states with trees between them."""

    name: str
    trees: tuple[Choice, ...]
    tree_of: IntArray
    """Per public state the number of its tree, -1 where a card is dealt."""
    deals: dict[int, Deals]
    """What is dealt at the other public states."""
    payoffs: Payoffs
    features: Floats
    """[public state, feature]: what a network is told besides the beliefs."""
    unit: Floats
    """Per public state how much one unit of a network's values is, in the unit of the game."""
    scale: float = 1.0
    """Factor on the beliefs in a network's inputs, so that they have about the size 1."""
    hand_names: tuple[str, ...] = ()
    """What the rule book calls each hand."""

    @cached_property
    def forest(self) -> Forest:
        """All trees in flat arrays."""
        return plant(self.trees)

    @property
    def hands(self) -> int:
        """The number of hands of each player."""
        return int(self.payoffs.prior.shape[1])

    @property
    def inputs(self) -> int:
        """The number of inputs of a network: features of the public state, then both players' beliefs."""
        return int(self.features.shape[1]) + 2 * self.hands

    @property
    def outputs(self) -> int:
        """The number of outputs: the values of both players' hands."""
        return 2 * self.hands

    @cached_property
    def final(self) -> NDArray[np.bool_]:
        """Per public state whether a tree begins there that reaches the end of the game everywhere."""
        leaves = np.diff(self.forest.leaf_start)
        return np.asarray((self.tree_of >= 0) & (leaves[self.tree_of] == 0))

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
        """Per public state whether search asks for its values: at a leaf or after a card. Those of the start of the
        game teach nothing, and a network may be told the same about another public state, whose values they would
        spoil."""
        found = np.zeros(len(self.tree_of), dtype=np.bool_)
        found[self.forest.leaf_state] = True
        for deals in self.deals.values():
            found[deals.states] = True
        return found

    @cached_property
    def rows_of_player(self) -> list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
        """Per tree which of its rows are actions of each player."""
        found = []
        for tree in range(len(self.trees)):
            first, last = self.forest.decision_start[tree : tree + 2]
            sizes = np.diff(self.forest.first_row[first + tree : last + tree + 1])
            actor = np.repeat(self.forest.actor[first:last], sizes)
            found.append((actor == 0, actor == 1))
        return found

    def largest(self) -> tuple[int, int, int]:
        """Return the most decisions, rows and leaves of a tree."""
        forest = self.forest
        starts = forest.decision_start, forest.row_start, forest.leaf_start
        decisions, rows, leaves = (int(np.diff(start).max()) for start in starts)
        return decisions, rows, max(leaves, 1)

    def encode(self, states: IntArray, beliefs: Floats) -> Floats:
        """Return the inputs of a network, [state, input], for public belief states; beliefs: [state, player, hand]."""
        shares = beliefs.reshape(len(states), -1) * self.scale
        return np.concatenate([self.features[states], shares], axis=1).astype(np.float32)

    def decode(self, inputs: Floats) -> Floats:
        """Return the beliefs in a network's inputs, [state, player, hand]."""
        shares = np.asarray(inputs[:, self.features.shape[1] :], dtype=np.float64)
        return shares.reshape(len(inputs), 2, self.hands) / self.scale

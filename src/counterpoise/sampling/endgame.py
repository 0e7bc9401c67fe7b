"""The rest of a hand in the last round, solved in the buckets of an abstraction (Claudico; Brown 2020, section 6.2).

One board, both seats with ranges of any weights: linear CFR with vectors of hands (`counterpoise.sampling.vectors`),
without sampling. Hands of one bucket share a strategy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BettingState
from counterpoise.cards import strength_tables
from counterpoise.cards.kernels.evaluator import board_strengths
from counterpoise.games.holdem import Holdem
from counterpoise.parameters import require
from counterpoise.sampling.betting_tree import BettingTree, build_betting_tree
from counterpoise.sampling.kernels import vectors as kernels
from counterpoise.sampling.kernels.blocks import scale_table
from counterpoise.sampling.kernels.vectors import BELOW, BoardHands
from counterpoise.sampling.tables import TableLayout
from counterpoise.sampling.tabular import Arrays, place_all, walk_tree
from counterpoise.sampling.vectors import (
    board_hands,
    frames_of,
    frontier_of,
    require_two_seats,
    slots_of,
    vector_tree,
)


class Endgame:
    """The last round from a moment of the betting on, with one board, two ranges and the bucket of every hand.

    `ranges` [seat, hand] and `buckets` [hand], -1 for hands that the board blocks, are in the order of the deck. The
    menu is that of `game`.
    """

    def __init__(
        self, game: Holdem, start: BettingState, board: Sequence[int], ranges: NDArray[Any], buckets: NDArray[Any]
    ) -> None:
        require(start.round == len(game.board) - 1, "an endgame is of the last round of a game")
        self.tree: BettingTree = build_betting_tree(game, start=start)
        require_two_seats(self.tree)
        self.iteration = 0
        live = np.flatnonzero(buckets >= 0)
        self.buckets = np.full(len(buckets), -1, dtype=np.int64)
        different, self.buckets[live] = np.unique(buckets[live], return_inverse=True)
        self.layout = TableLayout.of(self.tree, [1] * start.round + [len(different)])
        walks = walk_tree(self.tree, self.layout)
        place_all(walks, self.layout)
        self._table = np.zeros(2 * self.layout.size, dtype=np.float32)
        root = np.zeros(1, dtype=np.int64)
        self._vectors = vector_tree(self.tree, walks.nodes, self.layout.buckets, slots_of(self.tree, root))
        self._frontier, self._frames = frontier_of(self.tree, root), frames_of(self.tree, self.layout.buckets)
        self._hands, order = self._arranged(game, board)
        self._frontier.reach[0, :, : len(order)] = ranges[:, order]

    def step(self, iterations: int) -> None:
        """Improve the strategies of both seats `iterations` times."""
        for _ in range(iterations):
            for seat in range(2):
                arguments = (self._vectors, self._table, self._hands, self._frames, self._frontier)
                kernels.walk_vectors(*arguments, seat, BELOW, 0, None)
            self.iteration += 1
            # Linear CFR: after iteration n multiply by n / (n + 1).
            scale_table(self._table, np.float32(self.iteration / (self.iteration + 1)))

    def state(self) -> Arrays:
        """Return a copy of everything that changes."""
        return {"iteration": np.array(self.iteration), "table": self._table.copy()}

    def restore(self, state: Arrays) -> None:
        """Continue from a `state` of the same endgame."""
        self.iteration = int(state["iteration"])
        self._table[:] = state["table"]

    def weights(self, node: int) -> NDArray[np.float32]:
        """Return the sums of the average strategy of every hand of the deck at a decision, [hand, action]."""
        actions = int(self.tree.arrays.actions[node])
        first, rows = 2 * int(self.layout.start[node]), int(self.layout.buckets[0, -1])
        block = self._table[first : first + 2 * rows * actions].reshape(rows, 2 * actions)[:, actions:]
        found = block[np.maximum(self.buckets, 0)]
        found[self.buckets < 0] = 0.0
        return found

    def _arranged(self, game: Holdem, board: Sequence[int]) -> tuple[BoardHands, NDArray[np.int64]]:
        """Return the hands that the board leaves, from weak to strong, and their numbers in that order."""
        deck = game.deck
        strengths = np.empty((1, deck.hand_count), dtype=np.uint16)
        board_strengths(np.array([board], dtype=np.uint8), deck.hands, strength_tables(deck.ranking), strengths)
        order = np.argsort(strengths[0], kind="stable")[int((strengths[0] == 0).sum()) :]
        hands, count = board_hands(self.tree), len(order)
        hands.live[0] = count
        hands.card[:, :count] = deck.hands[order].T
        hands.end[:count] = np.searchsorted(strengths[0, order], strengths[0, order], side="right")
        hands.buckets[:, -1, :count] = self.buckets[order]
        return hands, order

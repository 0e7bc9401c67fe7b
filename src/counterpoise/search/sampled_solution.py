"""What a sampled search of the rest of a hand has found, asked by public history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.table import CardAbstraction
from counterpoise.errors import InputError
from counterpoise.games.events import ActionEvent, read_event
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour, public_cards
from counterpoise.proportions import proportional
from counterpoise.sampling.subtree import Subtree
from counterpoise.sampling.tables import TableLayout

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SampledSolution:
    """Strategies of all seats in the rest of a hand; hands are in the order of the deck.

    Histories are the real ones, from the start of the hand. Decisions of the root's round are known for every hand,
    those of later rounds by bucket.
    """

    game: Holdem
    public: tuple[str, ...]
    """The history of the root."""
    tree: Subtree
    layout: TableLayout
    abstractions: tuple[CardAbstraction, ...]
    root_ranges: FloatArray
    """[seat, hand], hands that the board rules out 0."""
    averages: NDArray[np.float32]
    regrets: NDArray[np.float32]
    frozen: Mapping[int, FloatArray]
    """By node the strategy that was given and not learned, [hand, action]; rows of 0 were learned."""
    iterations: int
    """Hands that were dealt."""
    nodes_touched: int
    """Betting nodes that walks met, those of roll-outs included."""
    seconds: float
    cut_short: bool = False
    """Whether the time ran out before all hands were dealt."""

    def knows(self, public: tuple[str, ...]) -> bool:
        """Return whether a history leads to a decision of the tree."""
        if public[: len(self.public)] != self.public:
            return False
        rest = public[len(self.public) :]
        return self.tree.knows(rest) and bool(self.tree.decisions[self.tree.node_after(rest)])

    def knows_line(self, public: tuple[str, ...]) -> bool:
        """Return whether all actions of a history since the root are in the tree."""
        rest = public[len(self.public) :]
        return public[: len(self.public)] == self.public and self.tree.knows(rest)

    def average(self, public: tuple[str, ...]) -> Behaviour:
        """Return the average strategy of the seat to act with every hand, which ranges are updated by."""
        return self._behaviour(public, self.averages)

    def current(self, public: tuple[str, ...]) -> Behaviour:
        """Return the strategy of the last iteration of the seat to act, with every hand."""
        return self._behaviour(public, np.maximum(self.regrets, 0.0))

    def ranges(self, public: tuple[str, ...]) -> FloatArray:
        """Return the probability of each hand for each seat after a history by the average strategies, [seat, hand].

        It is the root's range times the seat's own probabilities, not normalised.
        """
        found = self.root_ranges.copy()
        for place in range(len(self.public), len(public)):
            if isinstance(read_event(public[place]), ActionEvent):
                seat = self.seat(public[:place])
                known = self.average(public[:place])
                found[seat] *= known.table[:, known.actions.index(public[place])]
        return np.where(self.game.deck.live_hands(public_cards(public)), found, 0.0)

    def visited(self, public: tuple[str, ...]) -> NDArray[np.bool_]:
        """Return the hands with which the decision after a history was sampled; with all others it plays uniformly."""
        found = [self._rows(public, weights).any(axis=1) for weights in (self.averages, self.regrets)]
        return np.asarray((found[0] | found[1]) & self.game.deck.live_hands(public_cards(public)))

    def seat(self, public: tuple[str, ...]) -> int:
        """Return who is to act after a history."""
        return int(self.tree.arrays.player[self._node(public)])

    def picks(self, public: tuple[str, ...], seat: int) -> FloatArray:
        """Return the average strategy of a seat's picks at the leaf after a history, [hand, continuation]."""
        leaf = self.tree.node_after(public[len(self.public) :])
        for node in self.tree.children(leaf):
            if self.tree.arrays.player[node] == seat:
                return _shares(self.layout.block(self.tree, node, self.averages))
        raise InputError(f"seat {seat} picks no continuation after {':'.join(public)}")

    def _node(self, public: tuple[str, ...]) -> int:
        if not self.knows(public):
            raise InputError(f"the solution has no decision after {':'.join(public) or 'the deal'}")
        return self.tree.node_after(public[len(self.public) :])

    def _behaviour(self, public: tuple[str, ...], weights: NDArray[np.float32]) -> Behaviour:
        table = _shares(self._rows(public, weights))
        table[~self.game.deck.live_hands(public_cards(public))] = 0.0
        return Behaviour(self.game.deck.hand_names, self.tree.labels(self._node(public)), table)

    def _rows(self, public: tuple[str, ...], weights: NDArray[np.float32]) -> FloatArray:
        """Return the weights of a decision with every hand, [hand, action]."""
        node = self._node(public)
        rows = self.layout.block(self.tree, node, weights).astype(np.float64)
        if node in self.frozen:
            rows = np.where(self.frozen[node].sum(axis=1, keepdims=True) > 0, self.frozen[node], rows)
        if int(self.tree.arrays.round[node]) == self.tree.root.round:
            return rows
        seat = int(self.tree.arrays.player[node])
        own = self.abstractions[seat if len(self.abstractions) > 1 else 0]
        return np.asarray(rows[np.maximum(own.row(public_cards(public)), 0)])


def _shares(weights: NDArray[Any]) -> FloatArray:
    """Return rows of weights as probabilities; rows of 0 become even."""
    rows = weights.astype(np.float64)
    return proportional(rows, rows.sum(axis=1, keepdims=True), 1 / rows.shape[1])

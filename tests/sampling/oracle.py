"""What a walk must find, from the rules of the game and `CardAbstraction.row`, without any kernel of walks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction import CardAbstraction
from counterpoise.cards.deck import format_cards
from counterpoise.games.base import CHANCE, TERMINAL
from counterpoise.games.holdem import Holdem
from counterpoise.sampling import BettingTree, TableLayout


class Oracle:
    """Regrets and averages of one deal: the betting is walked by `Holdem.next`, every seat's whole strategy counts."""

    def __init__(self, tree: BettingTree, layout: TableLayout, abstraction: CardAbstraction, strategy: Any) -> None:
        self.tree, self.layout, self.abstraction, self.strategy = tree, layout, abstraction, strategy
        self.game: Holdem = tree.game

    def deal(
        self, hands: Sequence[Sequence[int]], board: Sequence[int], seat: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what is added, on average over actions drawn, to regrets of a seat and averages of the others."""
        self.hands, self.board, self.seat = hands, board, seat
        self.regrets, self.averages = np.zeros(self.layout.size), np.zeros(self.layout.size)
        rows = {count: self.abstraction.row(list(board[:count])) for count in set(self.tree.board_cards)}
        numbers = [int(self.game.deck.hand_table[one[0], one[1]]) for one in hands]
        self.buckets = [[int(rows[count][number]) for number in numbers] for count in self.tree.board_cards]
        state = self.game.initial()
        for hand in hands:
            state = self.game.next(state, format_cards(sorted(hand, reverse=True), separator=""))
        self._visit(state, 0, np.ones(len(hands)))
        return self.regrets, self.averages

    def _visit(self, state: Any, node: int, reach: NDArray[np.float64]) -> float:
        """Return the value to the seat; `reach` has the probability with which each seat plays to here."""
        game = self.game
        while game.player(state) == CHANCE:
            dealt = sum(len(cards) // 2 for cards in state.board)
            count = game.board[len(state.board)]
            cards = sorted(self.board[dealt : dealt + count], reverse=True)
            state = game.next(state, format_cards(cards, separator=""))
        owner = game.player(state)
        if owner == TERMINAL:
            return float(game.payoffs(state)[self.seat])
        bucket = self.buckets[state.betting.round][owner]
        actions = game.actions(state)
        assert actions == self.tree.labels(node)
        at = int(self.layout.start[node]) + bucket * len(actions)
        shares = self.strategy[at : at + len(actions)]
        values = []
        for action, share, child in zip(actions, shares, self.tree.children(node), strict=True):
            after = reach.copy()
            after[owner] *= share
            values.append(self._visit(game.next(state, action), child, after))
        value = float(np.dot(shares, values))
        others = float(np.prod(np.delete(reach, self.seat)))
        if owner == self.seat:
            self.regrets[at : at + len(actions)] += others * (np.array(values) - value)
        else:
            self.averages[at : at + len(actions)] += others * shares
        return value


def random_strategy(
    tree: BettingTree, layout: TableLayout, random: np.random.Generator, pure: Callable[[int], bool]
) -> NDArray[np.float64]:
    """Return a strategy of all seats in the order of a layout, certain for the seats that `pure` says."""
    found = np.zeros(layout.size)
    for node in np.flatnonzero(tree.decisions).tolist():
        block = layout.block(tree, node, found)
        weights = random.integers(1, 10, block.shape).astype(np.float64)
        if pure(int(tree.arrays.player[node])):
            weights = np.eye(block.shape[1])[random.integers(0, block.shape[1], len(block))]
        block[:] = weights / weights.sum(axis=1, keepdims=True)
    return found

"""Exact values behind an end of the flop's betting, by enumeration of all boards and actions, without any kernel."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from typing import Any

import numpy as np

from counterpoise.blueprint import Blueprint
from counterpoise.cards import board_strengths, disjoint_hands

Matrix = np.ndarray[Any, np.dtype[np.float64]]


def exact_values(blueprint: Blueprint, end: int, flop: tuple[int, ...], factors: tuple[Matrix, Matrix]) -> Matrix:
    """Return what seat 0 wins with each pair of hands, in chips; nan for pairs that cannot be.

    `factors` are those of the continuations of both seats, on folds, calls and raises.
    """
    deck, due = blueprint.game.deck, blueprint.tree.board_cards[-1] - 3
    left = [card for card in deck.cards.tolist() if card not in flop]
    total, count = np.zeros((deck.hand_count,) * 2), np.zeros((deck.hand_count,) * 2)
    apart = disjoint_hands(deck.hands, deck.hands)
    for later in permutations(left, due):
        board = (*flop, *later)
        live = deck.live_hands(list(board))
        both = apart & np.outer(live, live)
        total += np.where(both, values_on_board(blueprint, end, board, factors), 0.0)
        count += both
    return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)


def values_on_board(blueprint: Blueprint, end: int, board: tuple[int, ...], factors: tuple[Matrix, Matrix]) -> Matrix:
    """Return what seat 0 wins with each pair of hands on a full board, in chips; anything for pairs that cannot be."""
    tree, deck = blueprint.tree, blueprint.game.deck
    strength = board_strengths([board], deck=deck)[0].astype(np.int64)
    sign = np.sign(strength[:, None] - strength)
    won = np.zeros((deck.hand_count,) * 2)

    def play(node: int, reach: tuple[Matrix, Matrix]) -> None:
        if not tree.decisions[node]:
            nonlocal won
            stake = float(min(tree.paid[node]))
            if tree.action[node] < 0:  # whoever acted before has folded
                lost = tree.arrays.player[tree.parent[node]] == 0
                won += np.outer(*reach) * (-stake if lost else stake)
            else:
                won += np.outer(*reach) * sign * stake
            return
        seat = int(tree.arrays.player[node])
        shares = _shares(blueprint, node, board, factors[seat])
        for place, child in enumerate(tree.children(node)):
            own = reach[seat] * shares[:, place]
            play(child, (own, reach[1]) if seat == 0 else (reach[0], own))

    play(end, (np.ones(deck.hand_count), np.ones(deck.hand_count)))
    return won


@lru_cache(maxsize=1000)
def _rows(blueprint: Blueprint, seat: int, board: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return the bucket of every hand."""
    return np.asarray(blueprint.abstraction_of(seat).row(board))


def _shares(blueprint: Blueprint, node: int, board: tuple[int, ...], factors: Matrix) -> Matrix:
    """Return how often each hand takes each action of a decision."""
    tree = blueprint.tree
    seen = board[: tree.board_cards[tree.arrays.round[node]]]
    rows = _rows(blueprint, int(tree.arrays.player[node]), seen)
    block = blueprint.layout.block(tree, node, blueprint.table).astype(np.float64)
    block = np.where(block.sum(axis=1, keepdims=True) > 0, block, 1.0)
    kinds = [int(np.sign(tree.action[child])) + 1 for child in tree.children(node)]
    block = block * factors[kinds]
    return np.asarray((block / block.sum(axis=1, keepdims=True))[np.maximum(rows, 0)])

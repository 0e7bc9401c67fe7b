"""The chance of a hand of hold'em to win against every other hand if no more is bet: exact, or over sampled boards."""

from __future__ import annotations

import numpy as np

from counterpoise.cards import STANDARD_DECK, Deck, board_strengths
from counterpoise.cards.equity import BOARD, FloatArray, count_run_outs, preflop_shares, run_outs


def win_shares(deck: Deck, hand: int, board: tuple[int, ...], due: int, *, drawn: int, seed: int = 0) -> FloatArray:
    """Return the share of the pot that a hand wins from each hand of the deck on average, after `due` more cards.

    A tie is half the pot. All run-outs are counted; where another deck than the full one has too many, `drawn` boards
    stand for them, which follow from (seed, hand, board). 0 for hands that share a card with this one or the board.
    """
    own = deck.hands[hand]
    apart = ~np.isin(deck.hands, [*own.tolist(), *board]).any(axis=1)
    if deck == STANDARD_DECK and not board and due == BOARD:
        return np.where(apart, 1 - preflop_shares(hand), 0.0)
    if count_run_outs(deck, board, (hand,), (), due):
        return np.where(apart, 1 - run_outs(deck, board, (hand,), (), due).before, 0.0)
    left = np.array([card for card in deck.cards.tolist() if card not in {*own.tolist(), *board}], dtype=np.uint8)
    chance = np.random.default_rng([seed, hand, *board])
    dealt = left[np.argsort(chance.random((drawn, len(left))), axis=1)[:, :due]]
    boards = np.concatenate([np.tile(np.array(board, dtype=np.uint8), (drawn, 1)), dealt], axis=1)
    met = board_strengths(boards, deck=deck)
    mine, alive = met[:, hand : hand + 1], met > 0
    won = ((mine > met) & alive).sum(axis=0) + 0.5 * (mine == met).sum(axis=0)
    return np.where(apart, won / np.maximum(alive.sum(axis=0), 1), 0.0)

"""Values of hold'em hands if no more chips go in: showdowns on every board that may still come."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from counterpoise.cards import board_strengths
from counterpoise.cards.kernels.equity import count_wins
from counterpoise.errors import InputError
from counterpoise.public.boards import MOST_RUNOUTS
from counterpoise.public.game import FloatArray, Rows
from counterpoise.public.holdem import HoldemGame


def showdown_equities(game: HoldemGame, cards: tuple[int, ...], reach: Rows) -> Rows:
    """Return the share of the pot that each hand wins on average if no more chips go in; nan if it meets none."""
    alive = [~np.isin(own, cards).any(axis=1) for own in game.hands]
    meet = game.pairs_apart * np.outer(alive[0], alive[1])
    share = (meet + showdown_margin(game, cards)) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return (share @ reach[1]) / (meet @ reach[1]), ((meet - share).T @ reach[0]) / (meet.T @ reach[0])


def showdown_margin(game: HoldemGame, cards: tuple[int, ...]) -> FloatArray:
    """Return, by pair of hands, the first player's chance to win minus the second's if no more chips go in.

    0 for pairs that share a card with one another or with the board.
    """
    left = [card for card in game.deck.cards.tolist() if card not in cards]
    due = sum(game.rules.to_come) - (len(cards) - len(game.rules.board))
    full = [(*cards, *dealt) for dealt in combinations(left, due)]
    if len(full) > MOST_RUNOUTS:
        raise InputError(f"wins cannot be counted on {len(full):,} boards to come, only on {MOST_RUNOUTS:,}")
    lead = np.zeros(game.hand_counts, dtype=np.int16)
    first, second = (board_strengths(full, own, game.deck).astype(np.int16) for own in game.hands)
    count_wins(first, second, lead)
    return np.asarray(game.pairs_apart * lead / comb(len(left) - 4, due))

"""Luck in hold'em by DIVAT and BC-DIVAT (Johanson 2016, section 7.2.3), for every hand that a seat could hold at once.

The luck of public cards is the change of Phi, the share of the pot that the hand wins over all run-outs times the pot
to come. In BC-DIVAT every remaining round has one bet and a call. In DIVAT the round that begins is instead bet by
thresholds on the hands' strength if one card is dealt; over the 19,600 flops no mean is taken, and their luck is
measured as in BC-DIVAT. Any Phi leaves estimates unbiased.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from counterpoise.cards.deck import Card, Deck
from counterpoise.cards.equity import RunOuts
from counterpoise.cards.evaluator import board_strengths
from counterpoise.evaluation.estimators.baselines import Surrogate, Thresholds
from counterpoise.evaluation.estimators.holdem_line import HoldemLine, LineStep, first_stake, future_stake
from counterpoise.evaluation.estimators.layers import FloatArray
from counterpoise.games.base import CHANCE

MOST_BETS = 2
"""A bet and a raise in the round that DIVAT bets by thresholds."""


def deal_luck(line: HoldemLine, seat: int) -> FloatArray:
    """Return the luck of the first deal for every hand of a seat, whose mean is 0 by symmetry between two seats.

    In a spot, where ranges are not symmetric, none is measured.
    """
    even = line.game.seats == 2 and line.game.from_the_deal
    found = line.shares(seat, line.game.betting_after(()), ()) if even else None
    if found is None:
        return np.zeros(line.game.deck.hand_count)
    return np.asarray((found.before - 0.5) * first_stake(line.game).pot)


def total_luck(line: HoldemLine, seat: int, kind: Surrogate, thresholds: Thresholds) -> list[FloatArray]:
    """Return the luck so far for every hand of a seat, in chips: after the deal and after each step."""
    luck = np.zeros(line.game.deck.hand_count) if kind == "money" else deal_luck(line, seat)
    found = [luck]
    for step in line.steps:
        if step.mover == CHANCE and kind != "money":
            luck = luck + card_luck(line, seat, step, kind, thresholds)
        found.append(luck)
    return found


def card_luck(line: HoldemLine, seat: int, step: LineStep, kind: Surrogate, thresholds: Thresholds) -> FloatArray:
    """Return the luck of public cards for every hand of a seat, in chips; 0 where it cannot be counted."""
    nothing = np.zeros(line.game.deck.hand_count)
    before = line.shares(seat, step.before, step.board)
    if before is None:
        return nothing
    if (
        kind == "divat"
        and before.cards
        and len(step.cards) == 1
        and len(step.before.live) == 2
        and step.before.to_act < 0
    ):
        return _threshold_luck(line, seat, step, before, thresholds)
    after = shares_after(line, seat, step, before)
    return np.asarray((after - before.before) * future_stake(line.game, step.before).pot)


def shares_after(line: HoldemLine, seat: int, step: LineStep, before: RunOuts) -> FloatArray:
    """Return the shares of the pot after public cards, from those before the cards if they determine them."""
    if before.cards and len(step.cards) == 1:
        return np.asarray(before.after[before.cards.index(step.cards[0])])
    found = line.shares(seat, step.before, (*step.board, *step.cards))
    assert found is not None
    return found.before


def _threshold_luck(line: HoldemLine, seat: int, step: LineStep, before: RunOuts, thresholds: Thresholds) -> FloatArray:
    """Return DIVAT's luck of one card: Phi of it minus the mean of Phi over all cards that may come."""
    game = line.game
    other = next(one for one in step.before.live if one != seat)
    hand = line.held[other]
    assert hand is not None
    cards, strength = _percentiles(game.deck, step.board)
    strength = strength[np.isin(cards, before.cards)]
    own, met = strength, np.broadcast_to(strength[:, hand : hand + 1], strength.shape)
    round_ = step.before.round + 1
    pots = [future_stake(game, step.before, bets).pot for bets in range(MOST_BETS + 1)]
    now = float(sum(step.before.paid)) + game.betting.pot
    first, second = (own, met) if seat < other else (met, own)
    bets, folder = _bet(first, second, thresholds.at(round_))
    folds = np.where(folder == 0, seat < other, other < seat)  # whether it is this seat that folds
    stake = np.array(pots)[bets]
    phi = np.where(folder < 0, (before.after - 0.5) * stake, np.where(folds, -now / 2, now / 2))
    count = before.possible.sum(axis=0)
    mean = (phi * before.possible).sum(axis=0) / np.maximum(count, 1)
    return np.asarray(phi[before.cards.index(step.cards[0])] - mean)


def _bet(
    first: FloatArray, second: FloatArray, thresholds: tuple[float, float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return the number of bets called in a round bet by thresholds, and the seat that folds (-1: neither)."""
    fold, bet, raise_ = thresholds
    opens, stabs = first >= bet, second >= bet
    asked = np.where(opens, second, first)  # who faces the bet, if there is one
    there = opens | stabs
    bets = np.where(there, np.where(asked >= raise_, 2, 1), 0)
    folder = np.where(there & (asked < fold), np.where(opens, 1, 0), -1)
    return bets, folder


@lru_cache(maxsize=32)
def _percentiles(deck: Deck, board: tuple[Card, ...]) -> tuple[tuple[Card, ...], FloatArray]:
    """Return the cards that may come next, and the share of hands that each hand beats then, ties by half; 0 if dead.

    The shares are [card, hand].
    """
    cards = tuple([card for card in deck.cards.tolist() if card not in board])
    strength = board_strengths(np.array([(*board, card) for card in cards], dtype=np.uint8), deck=deck)
    found = np.zeros(strength.shape)
    for row, own in enumerate(strength):
        counts = np.bincount(own)
        counts[0] = 0
        below = np.cumsum(counts)
        found[row] = (below[own] - counts[own] / 2) / below[-1]
    return cards, found * (strength > 0)

"""AIVAT in hold'em between two known players as a walk through what everybody sees, with the ranges of both.

See Burch et al. 2018.

1. Both seats hold ranges: all hands, each as likely as the seat would have played so with it. How likely every public
   event is follows from both, exactly: hands that share cards with each other or with the board are left out.
2. Any function of the public history may be the guess. Here it is what the blueprint's values (`ValuesOfHands`) say of
   both ranges; where the hand is over, the mean winnings of both ranges are exact.
3. Every deal and every action adds the mean guess over all that could have happened minus the guess after what did.
   The hand is worth the mean winnings at its end and these corrections: a function of the public history alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.boards import BoardClasses, board_classes, renamings
from counterpoise.betting.rules import BettingState
from counterpoise.cards.deck import Card, Deck, compatible_mass
from counterpoise.cards.evaluator import board_strengths, strengths
from counterpoise.evaluation.estimators.holdem_line import HoldemLine, LineStep
from counterpoise.evaluation.estimators.layers import FloatArray
from counterpoise.games.base import CHANCE, TERMINAL
from counterpoise.games.events import read_action
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import KnownPlayer, Line, ValuesOfHands, line_of

FEW_BOARDS = 100
"""Boards up to which each one of a deal is looked at by itself; more are taken together up to their suits."""
MOST_DEALS = 256
"""Deals of many boards whose mean guess is remembered: before the flop the same ranges return."""
ANY = 52
"""One more than the highest card."""
LEAST = 1e-12
"""The share of a mass below which it is taken to be rounding."""


class PublicAivat:
    """AIVAT for hands of one game of hold'em for two seats without rake, by the values of some blueprint."""

    def __init__(self, game: Holdem, values: ValuesOfHands) -> None:
        self.game, self.values, self.deck = game, values, game.deck
        self._flops = lru_cache(maxsize=MOST_DEALS)(self._by_class)

    def line(self, line: HoldemLine, players: Sequence[KnownPlayer]) -> FloatArray | None:
        """Return what each seat won without luck; None if the players cannot have played so."""
        luck, reach = 0.0, [np.ones(self.deck.hand_count) for _ in range(2)]
        for step in line.steps:
            if step.mover == CHANCE:
                luck += self._deal(step, reach)
                live = self.deck.live_hands((*step.board, *step.cards))
                reach = [np.where(live, own, 0.0) for own in reach]
            else:
                told = players[step.mover].probabilities(step.public)
                if step.event not in told.actions:
                    return None
                shares = told.table.T * reach[step.mover]
                luck += self._act(step, told.actions, shares, reach)
                reach[step.mover] = shares[told.actions.index(step.event)]
            if not self._possible(line, reach):
                return None
        last = line.steps[-1]
        won = self._worth(line.end, (*last.public, last.event), line.board, reach) - luck
        return np.array([won, -won])

    def _act(self, step: LineStep, actions: Sequence[str], shares: FloatArray, reach: Sequence[FloatArray]) -> float:
        """Return the guess after the action that was taken minus its mean; `shares` is the reach after each action."""
        met = compatible_mass(self.deck.hands, self.deck.hands, reach[1 - step.mover])
        weights, worth, taken = shares @ met, np.zeros(len(actions)), actions.index(step.event)
        for place in np.flatnonzero(weights > LEAST * weights.sum()).tolist():
            state = self.game.betting.apply(step.before, read_action(actions[place]).bet)
            after = [shares[place] if seat == step.mover else other for seat, other in enumerate(reach)]
            worth[place] = self._worth(state, (*step.public, actions[place]), step.board, after)
        return float(worth[taken] - np.average(worth, weights=weights)) if weights.any() else 0.0

    def _worth(
        self, state: BettingState, public: tuple[str, ...], board: tuple[Card, ...], reach: Sequence[FloatArray]
    ) -> float:
        """Return what seat 0 wins on average in a public state: exactly if the hand is over, else the guess."""
        if len(state.live) == 1:
            return float(self.game.settle(state, (0, 0))[0])
        if state.to_act == TERMINAL and len(board) == sum(self.game.board):
            return self._showdown(state, board, reach)
        ranges, betting = _ranges(self.deck, reach), state.to_act != TERMINAL
        share = self.values.pot_shares(self.game, line_of(public), [board], ranges[None], betting)[0]
        return float(share) * sum(state.paid) - state.paid[0]

    def _showdown(self, state: BettingState, board: tuple[Card, ...], reach: Sequence[FloatArray]) -> float:
        """Return what seat 0 wins on average at a showdown, over all pairs of hands without a common card."""
        own, other = reach
        levels, level = np.unique(strengths(board, deck=self.deck), return_inverse=True)
        cards = self.deck.hands.astype(np.int64)
        columns = np.concatenate([cards.T, np.full((1, len(cards)), ANY)])
        weights = np.bincount((level * (ANY + 1) + columns).ravel(), np.tile(other, 3), len(levels) * (ANY + 1))
        below = np.concatenate([np.zeros((1, ANY + 1)), weights.reshape(len(levels), ANY + 1).cumsum(axis=0)])
        most = below[-1] - below
        low, high, both = cards[:, 0], cards[:, 1], compatible_mass(self.deck.hands, self.deck.hands, other)
        beats = below[level, ANY] - below[level, low] - below[level, high]
        loses = most[level + 1, ANY] - most[level + 1, low] - most[level + 1, high]
        masses = [float(own @ each) for each in (loses, both - beats - loses, beats)]
        won = [float(self.game.settle(state, (result, 1))[0]) for result in range(3)]
        return sum(mass * each for mass, each in zip(masses, won, strict=True)) / sum(masses)

    def _deal(self, step: LineStep, reach: Sequence[FloatArray]) -> float:
        """Return the guess after public cards were dealt minus its mean over all cards."""
        left, due = np.setdiff1d(self.deck.cards, step.board), len(step.cards)
        pot, betting = float(sum(step.before.paid)), step.after.to_act != TERMINAL
        line = line_of((*step.public, step.event))
        if comb(len(left), due) > FEW_BOARDS:
            if step.board:
                return 0.0
            told = self._flops(line, _Key(reach), due, betting)
            return pot * float(told.shares[told.number(step.cards)] - told.mean)
        new = np.array(list(combinations(left.tolist(), due)))
        masses = _masses_without(reach, self.deck, new)
        boards = [(*step.board, *cards) for cards in new.tolist()]
        ranges = _ranges(self.deck, reach)
        if len(boards[0]) == sum(self.game.board):
            shares = _showdown_shares(self.deck, boards, ranges)
        else:
            ranges = _on_boards(self.deck, boards, ranges)
            shares = self.values.pot_shares(self.game, line, boards, ranges, betting)
        seen = int(np.flatnonzero((new == np.sort(step.cards)).all(axis=1))[0])
        return pot * float(shares[seen] - np.average(shares, weights=masses))

    def _by_class(self, line: Line, reach: _Key, due: int, betting: bool) -> _Flops:
        """Return the guess on all boards of the first deal, alike for boards that differ by their suits alone."""
        classes = board_classes(self.deck, due)
        maps = renamings(self.deck).hand_maps
        alike = _ranges(self.deck, [own[maps].mean(axis=0) for own in reach.reach])
        boards = list(map(tuple, classes.cards.tolist()))
        shares = self.values.pot_shares(self.game, line, boards, _on_boards(self.deck, boards, alike), betting)
        every = np.array(list(combinations(self.deck.cards.tolist(), due)), dtype=np.uint8)
        masses = _masses_without(reach.reach, self.deck, every.astype(np.int64))
        mean = np.average(shares[classes.locate(every)[0]], weights=masses)
        return _Flops(classes, shares, float(mean))

    def _possible(self, line: HoldemLine, reach: Sequence[FloatArray]) -> bool:
        """Return whether the players can have played so, with the hands that were seen."""
        met = float(reach[0] @ compatible_mass(self.deck.hands, self.deck.hands, reach[1]))
        played = all(hand is None or own[hand] > 0 for hand, own in zip(line.held, reach, strict=True))
        return played and met > LEAST * float(reach[0].sum() * reach[1].sum())


class _Key:
    """The reach of both seats as the key of a cache."""

    def __init__(self, reach: Sequence[FloatArray]) -> None:
        self.reach = tuple(reach)
        self._bytes = b"".join(own.tobytes() for own in reach)

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._bytes == other._bytes


class _Flops(NamedTuple):
    """The guesses on all boards of a deal, and their mean."""

    classes: BoardClasses
    shares: FloatArray
    mean: float

    def number(self, cards: Sequence[Card]) -> int:
        """Return the class of a board."""
        return int(self.classes.locate_one(cards)[0])


def _ranges(deck: Deck, reach: Sequence[FloatArray]) -> FloatArray:
    """Return how likely each hand of both seats is, [seat, hand]; every row sums to 1."""
    hands = deck.hands
    found = [own * compatible_mass(hands, hands, other) for own, other in zip(reach, reach[::-1], strict=True)]
    return np.stack([own / own.sum() for own in found])


def _masses_without(reach: Sequence[FloatArray], deck: Deck, cards: NDArray[np.int64]) -> FloatArray:
    """Return the sum of reach over all pairs of hands that share no card with each other or with some others.

    `cards` are [case, card]. Of all pairs those with a common card are taken off card by card, and equal hands, which
    have two, are added once.
    """
    low, high = deck.hands.T.astype(np.int64)
    rest = []
    for weights in (reach[0], reach[1], reach[0] * reach[1]):
        pairs = np.zeros((ANY, ANY))
        pairs[low, high] = pairs[high, low] = weights
        by_card = pairs.sum(axis=1) - pairs[cards].sum(axis=1)
        np.put_along_axis(by_card, cards, 0.0, axis=1)
        rest.append(by_card)
    first, second, same = (own.sum(axis=1) / 2 for own in rest)
    return np.asarray(np.maximum(first * second - (rest[0] * rest[1]).sum(axis=1) + same, 0.0))


def _on_boards(deck: Deck, boards: Sequence[tuple[Card, ...]], shares: FloatArray) -> FloatArray:
    """Return ranges on each board, [board, seat, hand], each with the sum 1; 0 where a range has no hand left."""
    dealt = np.zeros((len(boards), ANY), dtype=np.bool_)
    np.put_along_axis(dealt, np.array(boards, dtype=np.int64), True, axis=1)
    low, high = deck.hands.T.astype(np.int64)
    live = ~(dealt[:, low] | dealt[:, high])
    found = shares[None] * live[:, None]
    total = found.sum(axis=2, keepdims=True)
    return np.asarray(found / np.where(total > 0, total, 1.0))


def _showdown_shares(deck: Deck, boards: Sequence[tuple[Card, ...]], shares: FloatArray) -> FloatArray:
    """Return the share of the pot that seat 0 gets at a showdown on each full board; hands may share cards."""
    strength = board_strengths(boards, deck=deck).astype(np.int64)
    own, other = (np.where(strength > 0, range_, 0.0) for range_ in shares)
    levels = int(strength.max()) + 1
    places = strength + np.arange(len(boards))[:, None] * levels
    weights = np.bincount(places.ravel(), other.ravel(), len(boards) * levels).reshape(len(boards), levels)
    below = weights.cumsum(axis=1) - weights / 2
    won = (own * below.ravel()[places]).sum(axis=1)
    total = own.sum(axis=1) * other.sum(axis=1)
    return np.asarray(won / np.where(total > 0, total, 1.0))

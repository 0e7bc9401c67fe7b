"""Imagined histories beside one hand of hold'em: the same public events with every hand that a seat could have held.

The others' cards and the public cards stay as they were. A layer has one history for each hand of the deck and, after
an own decision, those in which a fold or a call would have ended the game, so that estimators are sums over vectors of
1,326 numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import FOLD
from counterpoise.betting.sizes import label
from counterpoise.evaluation.estimators.holdem_line import HoldemLine, LineStep
from counterpoise.evaluation.estimators.layers import CLOSED, FOLDED, OPEN, FloatArray, Layer
from counterpoise.games.base import CHANCE
from counterpoise.games.known import KnownPlayer

CALLED, FOLDS = "c", label(FOLD)


class HoldemHands:
    """One hand as seen by all but one seat."""

    def __init__(self, line: HoldemLine, seat: int, only: int | None = None) -> None:
        """Imagine all hands of a seat, or `only` one."""
        self.line, self.seat, self.only = line, seat, only
        self.pick: slice = slice(None) if only is None else slice(only, only + 1)
        self.start = line.weights(seat)[self.pick]

    def first_layers(self, columns: int) -> list[Layer]:
        """Return the layer before the deal and the one after it."""
        size = len(self.start)
        root = new_layer(np.zeros(1, dtype=np.int64), np.ones(1), columns)
        return [root, new_layer(np.zeros(size, dtype=np.int64), self.start, columns)]

    def alive(self, step: LineStep) -> FloatArray:
        """Return 1 for every hand that the public cards leave possible, else 0."""
        deck = self.line.game.deck
        return np.asarray(~np.isin(deck.hands[self.pick], step.cards).any(axis=1), dtype=np.float64)


def imagined_layers(
    hands: HoldemHands,
    player: KnownPlayer,
    evaluated: KnownPlayer,
    lucks: Sequence[Sequence[FloatArray]],
    hidden: bool,
    payoff: float | None = None,
) -> list[Layer]:
    """Return the layers of importance sampling over imagined hands; columns are 1 and then one for each kind of luck.

    `lucks` has the luck to take off after the deal and after each step. Where the others' cards are `hidden` no call is
    imagined; `payoff` is what was won where no hand says it.
    """
    line, seat, pick = hands.line, hands.seat, hands.pick
    columns, size = 1 + len(lucks), len(hands.start)
    layers = hands.first_layers(columns)
    last = len(line.steps) - 1
    for place, step in enumerate(line.steps):
        chance, shares, blocks = np.ones(size), [np.ones(size)] * 2, list[tuple[str, int, FloatArray]]()
        if step.mover == CHANCE:
            chance = hands.alive(step)
        elif step.mover == seat:
            told = [player.probabilities(step.public)]
            told += told if evaluated is player else [evaluated.probabilities(step.public)]
            columns_of = [dict(zip(one.actions, one.table[pick].T, strict=True)) for one in told]
            shares = [own.get(step.event, np.zeros(size)) for own in columns_of]
            blocks = _closings(line, seat, step, hidden)
        luck = np.stack([np.zeros(size), *(own[place + 1][pick] for own in lucks)], axis=1)
        values = -luck
        if place == last:
            worth = np.full(size, payoff) if payoff is not None else line.showdown(seat, line.end, line.board)[pick]
            values = values + _money(worth, columns)
        closes = OPEN
        for action, kind, worth in blocks:
            if action == step.event:
                closes = kind
                values = _money(worth[pick], columns) - luck
        layer = new_layer(np.arange(size), chance, columns, shares[0], shares[1], values, closes, place == last)
        others = [block for block in blocks if block[0] != step.event]
        if step.mover == seat and others:
            layer = _with_siblings(layer, others, columns_of, luck, pick)
        layers.append(layer)
    return layers


def _closings(line: HoldemLine, seat: int, step: LineStep, hidden: bool) -> list[tuple[str, int, FloatArray]]:
    """Return the own actions that would end the game at a decision, and their values to each hand."""
    found = []
    if step.before.to_call:
        lost = float(step.before.paid[seat]) + line.stake
        found.append((FOLDS, FOLDED, np.full(line.game.deck.hand_count, -lost)))
    worth = None if hidden else line.called(seat, step.before, step.board)
    if worth is not None:
        found.append((CALLED, CLOSED, worth))
    return found


def _with_siblings(
    layer: Layer,
    blocks: Sequence[tuple[str, int, FloatArray]],
    shares: Sequence[dict[str, FloatArray]],
    luck: FloatArray,
    pick: slice,
) -> Layer:
    """Return a layer with the histories of other actions behind those that continue, a group for each action."""
    parts = [layer]
    for number, (action, kind, worth) in enumerate(blocks, start=1):
        size = len(luck)
        played, evaluated = (own.get(action, np.zeros(size)) for own in shares)
        values = _money(worth[pick], luck.shape[1]) - luck
        own = new_layer(np.arange(size), np.ones(size), luck.shape[1], played, evaluated, values, kind, False)
        parts.append(own._replace(group=own.group + number, end=own.end + number))
    return Layer(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _money(worth: FloatArray, columns: int) -> FloatArray:
    """Return a column of 1 and columns of what was won."""
    return np.stack([np.ones(len(worth)), *([worth] * (columns - 1))], axis=1)


def new_layer(
    above: NDArray[np.int64],
    chance: FloatArray,
    columns: int,
    played: FloatArray | None = None,
    evaluated: FloatArray | None = None,
    values: FloatArray | None = None,
    closes: int = OPEN,
    over: bool = False,
    known: bool = True,
) -> Layer:
    """Return a layer in which all hands of a seat are alike."""
    size = len(above)
    group, ones = np.zeros(size, dtype=np.int64), np.ones(size)
    return Layer(
        above,
        group,
        group,
        chance,
        ones if played is None else played,
        ones if evaluated is None else evaluated,
        np.full(size, known),
        np.full(size, closes, dtype=np.int8),
        np.full(size, over),
        np.zeros((size, columns)) if values is None else values,
    )

"""Layers of histories imagined beside the one that was seen, and the averages over them that estimators are made of.

A player's winnings are estimated from a hand by also looking at other histories: those with other cards in its hand,
and those with its own actions that would have ended the game (Johanson 2016, chapter 7, "imaginary observations"). They
are arranged in *layers*, one for each length. Histories of one *group* look alike to the players whose strategy is not
known; all parents of a group are in one group, so that groups never mix what was told apart before.

A layer may hold all histories of a game (`enumerated.py`) or those beside one hand of hold'em (`holdem_hands.py`): the
estimators are the same functions over layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

OPEN, FOLDED, CLOSED = 0, 1, 2
"""What an own action leads to: more play; the end by a fold; the end by another action, perhaps after run-outs."""


class Layer(NamedTuple):
    """Histories of one length; probabilities belong to the last step of each, values are in the game's unit."""

    above: IndexArray
    """The history before the last step, in the layer before."""
    group: IndexArray
    """Histories with the same number look alike to the players that are not known."""
    end: IndexArray
    """Terminal histories with the same number ended alike for those players, and are averaged over."""
    chance: FloatArray
    """Probability of the step if chance made it, else 1."""
    played: FloatArray
    """Probability of the step by the strategy that was played, where a known player made it, else 1."""
    evaluated: FloatArray
    """Probability of the step by the strategy that is evaluated, where a known player made it, else 1."""
    known: BoolArray
    """Whether chance or a known player made the step."""
    closes: NDArray[np.int8]
    """What the step leads to if the evaluated player made it: `OPEN`, `FOLDED` or `CLOSED`."""
    over: BoolArray
    values: FloatArray
    """[history, column] the values of histories that are over or that an own step has closed; arbitrary elsewhere."""


class HistoryEnds(NamedTuple):
    """The contributions of each terminal history, [history, column], layer by layer in their order."""

    folds: FloatArray
    """From own folds on its path, taken or not."""
    closings: FloatArray
    """From other own actions on its path that would have ended the game, taken or not."""
    whole: FloatArray
    """From its end, whoever made it."""
    unfolded: FloatArray
    """From its end, if that was not an own fold."""
    unclosed: FloatArray
    """From its end, if it was not made by an own action."""


def importance_sampled_values(layers: Sequence[Layer]) -> HistoryEnds:
    """Return the value of every end by importance sampling over its groups (Johanson 2016, section 7.3).

    A sum over imagined histories of evaluated reach times value is divided by the played reach of the group that was
    certain to be seen with them; what has no played reach is dropped. Evaluated player's reach times chance are the
    only weights: the others' reach is equal in a group and cancels.
    """
    first, columns = layers[0], layers[0].values.shape[1]
    played, evaluated = first.chance * first.played, first.chance * first.evaluated
    closed = first.closes
    groups = _count(first.group)
    folds = closings = np.zeros((groups, columns))
    found = []
    before = first
    for layer in layers[1:]:
        above = layer.above
        seen = _pool(before.group, groups, played[:, None])
        played, evaluated = (
            reach[above] * layer.chance * own for reach, own in ((played, layer.played), (evaluated, layer.evaluated))
        )
        parent = before.group[above]
        weighted = evaluated[:, None] * layer.values
        # Johanson 2016, equation 7.25: an action that ends the game counts once, with the played reach of its
        # decision's group
        first_closes = np.where(closed[above] == OPEN, layer.closes, OPEN)
        parts = [
            total + _share(_pool(parent, groups, weighted * (first_closes == kind)[:, None]), seen)
            for kind, total in ((FOLDED, folds), (CLOSED, closings))
        ]
        closed = np.where(closed[above] == OPEN, layer.closes, closed[above])
        groups, before = _count(layer.group), layer
        origin = np.zeros(groups, dtype=np.int64)
        origin[layer.group] = parent
        folds, closings = (total[origin] for total in parts)
        if layer.over.any():
            found.append(_end(layer, played, weighted, closed, folds, closings))
    return HistoryEnds(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _end(
    layer: Layer,
    played: FloatArray,
    weighted: FloatArray,
    closed: NDArray[np.int8],
    folds: FloatArray,
    closings: FloatArray,
) -> HistoryEnds:
    """Return the contributions of the ends in one layer."""
    over = np.flatnonzero(layer.over)
    end, own, how = layer.end[over], layer.group[over], closed[over]
    groups = _count(end)
    seen = _pool(end, groups, played[over, None])
    parts = [
        _share(_pool(end, groups, weighted[over] * counted[:, None]), seen)[end]
        for counted in (how >= OPEN, how != FOLDED, how == OPEN)
    ]
    return HistoryEnds(folds[own], closings[own], *parts)


class Guess(NamedTuple):
    """The guessed values of histories of a layer, [history, column], fixed before the data were seen."""

    after: FloatArray
    """After the step of each history in the layer."""
    expected: FloatArray | None = None
    """Its mean over the steps that were possible, for each history in the layer *before*; None to take it from `after`,
    if the layer holds all of them."""


def aivat_values(layers: Sequence[Layer], guesses: Sequence[Guess]) -> FloatArray:
    """Return the AIVAT value of every end, [end, column]: its payoff less the luck of chance and of known players.

    Every step by chance or by a known player adds the expected guess before it minus the guess after it, averaged over
    the groups; both have the same mean, so that any guess leaves the estimate unbiased. Values are nan where the known
    players cannot have played so. `guesses` has one entry for each layer but the first.
    """
    first = layers[0]
    reach = first.chance * first.played
    total = np.zeros((_count(first.group), first.values.shape[1]))
    found = []
    before = first
    for layer, guess in zip(layers[1:], guesses, strict=True):
        above = layer.above
        groups, parent = len(total), before.group[above]
        step = layer.chance * layer.played
        expected = guess.expected
        if expected is None:
            expected = _pool(above, len(before.group), (step * layer.known)[:, None] * guess.after)
        prior = _mean(before.group, groups, reach, expected)
        reach = reach[above] * step
        own = _count(layer.group)
        origin, known = np.zeros(own, dtype=np.int64), np.zeros(own, dtype=np.bool_)
        origin[layer.group], known[layer.group] = parent, layer.known
        luck = _mean(layer.group, own, reach, guess.after) - prior[origin]
        total = total[origin] - np.where(known[:, None], luck, 0.0)
        before = layer
        if layer.over.any():
            over = np.flatnonzero(layer.over)
            end = _mean(layer.end[over], _count(layer.end[over]), reach[over], layer.values[over])
            found.append(end[layer.end[over]] + total[layer.group[over]])
    return np.concatenate(found)


def _count(group: IndexArray) -> int:
    return int(group.max(initial=-1)) + 1


def _pool(group: IndexArray, groups: int, values: FloatArray) -> FloatArray:
    """Return the sum over every group, [group, column]."""
    if groups == 1:
        return np.asarray(values.sum(axis=0, keepdims=True))
    return np.stack([np.bincount(group, column, groups) for column in values.T], axis=1)


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Return parts divided by their wholes, 0 where the whole is 0."""
    return np.asarray(np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), 0.0))


def _mean(group: IndexArray, groups: int, reach: FloatArray, values: FloatArray) -> FloatArray:
    """Return the mean of every group, nan where it is never reached."""
    weight = _pool(group, groups, reach[:, None])
    return np.asarray(
        np.where(weight > 0, _pool(group, groups, reach[:, None] * values) / np.where(weight > 0, weight, 1), np.nan)
    )

"""Litmus tests of a blueprint: what every sensible strategy does, checked at the decisions that matter.

A finished strategy is asked three things. Only decisions that are reached count, each weighted by how likely the hand
plays to it; where training never came every action is equally likely, and that says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.blueprint.blueprint import Blueprint, normalised
from counterpoise.cards import board_strengths
from counterpoise.cards.kinds import kinds_of_hands

SELDOM = 0.02
"""How often on average a strategy may do what it should never do."""
DISORDER = 0.05
"""The share of pairs of hands that may be in the wrong order."""
CLEARLY = 0.1
"""By how much a weaker hand must call more often to count as out of order."""
BOARDS = 40
DEPTH = 400
"""Decisions of the last round that are looked at, the likeliest lines first."""


@dataclass(frozen=True)
class Litmus:
    """One test: what should hold, the figure that was measured, its bound, and whether it held.

    `passed` is None where the blueprint has no decision of the kind.
    """

    name: str
    figure: float
    bound: float
    decisions: int
    passed: bool | None

    def to_json(self) -> dict[str, Any]:
        """Return the fields."""
        return vars(self)


def litmus_tests(blueprint: Blueprint, seed: int = 0) -> list[Litmus]:
    """Return what the tests say about a blueprint; boards are drawn by `seed`."""
    found = []
    if blueprint.tree.board_cards[0] == 0 and blueprint.game.suits > 1:
        found.append(_aces(blueprint))
    boards = _boards(blueprint, seed)
    decisions = _last_decisions(blueprint)
    return [*found, _nuts(blueprint, boards, decisions), _order(blueprint, boards, decisions)]


def _aces(blueprint: Blueprint) -> Litmus:
    """How often the best pair folds before the flop, over all decisions weighted by how likely it gets there."""
    tree = blueprint.tree
    best = next(iter(next(iter(kinds_of_hands(blueprint.game.deck)))))[1]
    hand = int(best[0])
    total, folded, count = 0.0, 0.0, 0
    for node in np.flatnonzero(tree.decisions & (tree.arrays.round == 0)).tolist():
        labels = tree.labels(node)
        line = tree.line(node)
        if "f" not in labels:
            continue
        seat = int(tree.arrays.player[node])
        bucket = blueprint.abstraction_of(seat).row(())[hand]
        weights = blueprint.block(node)[bucket]
        reach = _line_reach(blueprint, line, seat, hand)
        if weights.sum() > 0 and reach > 0:
            total, count = total + reach, count + 1
            folded += reach * float(weights[labels.index("f")]) / float(weights.sum())
    return _judged("aces are never folded before the flop", folded, total, count, SELDOM)


def _line_reach(blueprint: Blueprint, line: Sequence[str], seat: int, hand: int) -> float:
    """Return how likely a hand plays the seat's own actions of a line before the flop."""
    tree, node, reach = blueprint.tree, 0, 1.0
    for action in line:
        labels = tree.labels(node)
        if tree.arrays.player[node] == seat:
            bucket = blueprint.abstraction_of(seat).row(())[hand]
            weights = blueprint.block(node)[bucket].astype(np.float64)
            reach *= float(weights[labels.index(action)] / weights.sum()) if weights.sum() > 0 else 1 / len(labels)
        node = tree.child(node, action)
    return reach


def _boards(blueprint: Blueprint, seed: int) -> list[list[int]]:
    random = np.random.default_rng(seed)
    cards, count = blueprint.game.deck.cards, blueprint.tree.board_cards[-1]
    return [random.choice(cards, count, replace=False).tolist() for _ in range(BOARDS)]


def _last_decisions(blueprint: Blueprint) -> list[int]:
    """Return decisions of the last round that face a bet, those with most weight in the table first."""
    tree = blueprint.tree
    last = np.flatnonzero(tree.decisions & (tree.arrays.round == tree.rounds - 1)).tolist()
    facing = [node for node in last if "f" in tree.labels(node)]
    weight = [float(blueprint.block(node).sum(dtype=np.float64)) for node in facing]
    order = np.argsort([-one for one in weight], kind="stable")
    return [facing[place] for place in order.tolist()[:DEPTH] if weight[place] > 0]


def _rows(blueprint: Blueprint, node: int, board: Sequence[int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how much each hand folds at a decision, and how often its bucket was there; 0 for dead hands."""
    tree = blueprint.tree
    buckets = blueprint._row(tuple(board), int(tree.arrays.player[node]) if len(blueprint.abstractions) > 1 else 0)
    block = blueprint.block(node)[np.maximum(buckets, 0)]
    seen = np.where(buckets >= 0, block.sum(axis=1, dtype=np.float64), 0.0)
    return normalised(block)[:, tree.labels(node).index("f")], seen


def _nuts(blueprint: Blueprint, boards: Sequence[Sequence[int]], decisions: Sequence[int]) -> Litmus:
    """How often the best hand of a full board folds to a bet in the last round."""
    total, folded, count = 0.0, 0.0, 0
    strengths = board_strengths(np.array(boards), deck=blueprint.game.deck)
    for board, row in zip(boards, strengths, strict=True):
        best = np.flatnonzero(row == row.max())
        for node in decisions:
            fold, seen = _rows(blueprint, node, board)
            if seen[best].any():
                count += 1
                total += float(seen[best].sum())
                folded += float((fold * seen)[best].sum())
    return _judged("the nuts never fold in the last round", folded, total, count, SELDOM)


def _order(blueprint: Blueprint, boards: Sequence[Sequence[int]], decisions: Sequence[int]) -> Litmus:
    """How often, when only calling or folding is left, a clearly weaker hand calls clearly more.

    Stronger hands win whatever weaker ones win, up to the cards that they block, so calling is monotone.
    """
    tree, random = blueprint.tree, np.random.default_rng(1)
    last = [node for node in decisions if len(tree.labels(node)) == 2]
    wrong = pairs = 0
    strengths = board_strengths(np.array(boards), deck=blueprint.game.deck).astype(np.int64)
    for board, row in zip(boards, strengths, strict=True):
        for node in last[:100]:
            fold, seen = _rows(blueprint, node, board)
            often = np.flatnonzero(seen >= max(seen.mean(), 1e-12))
            if len(often) < 2:
                continue
            one, other = random.choice(often, (2, 50))
            stronger = row[one] > row[other]
            wrong += int((stronger & (fold[one] > fold[other] + CLEARLY)).sum())
            pairs += int(stronger.sum())
    return _judged("stronger hands call more when only a call is left", float(wrong), float(pairs), pairs, DISORDER)


def _judged(name: str, wrong: float, total: float, count: int, bound: float) -> Litmus:
    figure = wrong / total if total else 0.0
    return Litmus(name, figure, bound, count, None if not count else figure <= bound)

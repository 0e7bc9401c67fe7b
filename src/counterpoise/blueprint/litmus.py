"""Litmus tests of a blueprint: properties of every sensible strategy, checked at the decisions that matter.

There are three tests. Only decisions that are reached count, each weighted by the hand's own reach under the strategy,
so that sums of a training and packed probabilities are judged alike; where training never came all actions are equally
likely, which means nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import FOLD as FOLD_ACTION
from counterpoise.blueprint.blueprint import Blueprint, normalised
from counterpoise.cards import board_strengths
from counterpoise.cards.kinds import kinds_of_hands

SELDOM = 0.02
"""The mean frequency with which a strategy may do what it should never do."""
DISORDER = 0.05
"""The share of pairs of hands that may be in the wrong order."""
CLEARLY = 0.1
"""A weaker hand is out of order if it calls more often by at least this probability."""
BOARDS = 40
DEPTH = 400
"""The number of decisions of the last round that are looked at, the likeliest lines first."""


@dataclass(frozen=True)
class Litmus:
    """One test: the property, the figure that was measured, its bound, and whether it held.

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
    """Return the results of the tests on a blueprint; boards are drawn by `seed`."""
    found = []
    if blueprint.tree.board_cards[0] == 0 and blueprint.game.suits > 1:
        found.append(_aces(blueprint))
    boards = _boards(blueprint, seed)
    decisions = _last_decisions(blueprint)
    played = [_OnBoard(blueprint, board) for board in boards]
    return [*found, _nuts(blueprint, played, decisions), _order(blueprint, played, decisions)]


def _aces(blueprint: Blueprint) -> Litmus:
    """Return how often the best pair folds before the flop, over all decisions weighted by its reach."""
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
    """Return the probability that a hand plays the seat's own actions of a line before the flop."""
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
    """Return decisions of the last round that face a bet, ordered by the seat's own reach.

    The reach of the others does not matter. All buckets weigh the same.
    """
    tree = blueprint.tree
    likely = np.zeros((tree.nodes, tree.players))
    likely[0] = 1.0
    for node in np.flatnonzero(tree.decisions).tolist():  # parents first
        block, children = blueprint.block(node), tree.children(node)
        met = block[block.any(axis=1)]
        likely[children] = likely[node]
        likely[children, int(tree.arrays.player[node])] *= normalised(met).mean(axis=0) if len(met) else 0.0
    last = np.flatnonzero(tree.decisions & (tree.arrays.round == tree.rounds - 1))
    facing = last[tree.action[tree.arrays.first_child[last]] == FOLD_ACTION]
    own = likely[facing, tree.arrays.player[facing]]
    order = np.argsort(-own, kind="stable")[:DEPTH]
    return [int(facing[place]) for place in order if own[place] > 0]


class _OnBoard:
    """The strategy of every hand on one full board, and its reach of a decision."""

    def __init__(self, blueprint: Blueprint, board: Sequence[int]) -> None:
        self.blueprint, self.board = blueprint, tuple(board)
        live = blueprint.game.deck.live_hands(list(board)).astype(np.float64)
        self._reach: dict[tuple[str, ...], tuple[int, NDArray[np.float64]]] = {
            (): (0, np.tile(live, (blueprint.players, 1)))
        }

    def folds(self, node: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the fold probability of each hand at a decision, and its own reach of it.

        The reach is 0 for hands that the board rules out and where training never came.
        """
        tree = self.blueprint.tree
        _, reach = self._after(tuple(tree.line(node)))
        fold, met = self._play(node, "f")
        return fold, np.where(met, reach[int(tree.arrays.player[node])], 0.0)

    def _after(self, line: tuple[str, ...]) -> tuple[int, NDArray[np.float64]]:
        """Return the node after a line and the reach of each seat along it with each hand, [seat, hand]."""
        if line not in self._reach:
            tree = self.blueprint.tree
            node, reach = self._after(line[:-1])
            after = reach.copy()
            after[int(tree.arrays.player[node])] *= self._play(node, line[-1])[0]
            self._reach[line] = tree.child(node, line[-1]), after
        return self._reach[line]

    def _play(self, node: int, action: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the probability of an action with each hand, and whether training has met its bucket at the
        decision."""
        blueprint, tree = self.blueprint, self.blueprint.tree
        board = self.board[: tree.board_cards[tree.arrays.round[node]]]
        buckets = blueprint._row(board, int(tree.arrays.player[node]) if len(blueprint.abstractions) > 1 else 0)
        block = blueprint.block(node)
        column = normalised(block)[:, tree.labels(node).index(action)]
        met = np.asarray(block.any(axis=1))
        return column[buckets], met[buckets]  # hands that the board rules out have no reach


def _nuts(blueprint: Blueprint, played: Sequence[_OnBoard], decisions: Sequence[int]) -> Litmus:
    """Return how often the best hand of a full board folds to a bet in the last round."""
    total, folded, count = 0.0, 0.0, 0
    strengths = board_strengths(np.array([there.board for there in played]), deck=blueprint.game.deck)
    for there, row in zip(played, strengths, strict=True):
        best = np.flatnonzero(row == row.max())
        for node in decisions:
            fold, seen = there.folds(node)
            if seen[best].any():
                count += 1
                total += float(seen[best].sum())
                folded += float((fold * seen)[best].sum())
    return _judged("the nuts never fold in the last round", folded, total, count, SELDOM)


def _order(blueprint: Blueprint, played: Sequence[_OnBoard], decisions: Sequence[int]) -> Litmus:
    """Return how often, when only calling or folding is left, a clearly weaker hand calls clearly more.

    Stronger hands win whatever weaker ones win, up to the cards that they block, so calling is monotone.
    """
    tree, random = blueprint.tree, np.random.default_rng(1)
    last = [node for node in decisions if len(tree.labels(node)) == 2]
    wrong = pairs = 0
    strengths = board_strengths(np.array([there.board for there in played]), deck=blueprint.game.deck).astype(np.int64)
    for there, row in zip(played, strengths, strict=True):
        for node in last[:100]:
            fold, seen = there.folds(node)
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

"""Depth-limited hold'em with multi-valued states (BROWN 5.2, DLS 4): play to the end of a street, then pick.

The tree has the betting of one street. Where it would deal, the players pick among their continuations: one decision
per class of hands for each player who has several, neither seeing the other's pick; then the leaf is a matrix of values
(`counterpoise.search.leaves_holdem`). Folds and all-ins are matrices too, so that a tree of hundreds of boards becomes
some dozens of small matrices. It is a `PublicTree`: search solves it as any other, behind any gate.

`self_generated_leaves` makes continuations of the searcher's opponent (DLS 5):

1. begin with the blueprint;
2. solve the depth-limited game from the root with the continuations so far;
3. add a best response to [what was found above the leaves, the searcher's blueprint below]; go to 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.parameters import require_seat, require_whole
from counterpoise.public import HoldemTree, PublicTree
from counterpoise.public.dense import matrix_boards
from counterpoise.public.engine import Rows
from counterpoise.public.kernels.street import DEAL, MATRIX, RUNOUT
from counterpoise.public.lines import Decision, Leaf, Line
from counterpoise.public.tables import copied
from counterpoise.search.leaves_holdem import HandClasses, LeafMatrices, leaf_matrices
from counterpoise.search.search import search
from counterpoise.search.subgame import FloatArray, Subgame


class DepthLimitedHoldem(PublicTree):
    """The first street of `lines`, then picks; hands are the classes of those of the `whole` tree.

    `lines` may have other bets than the whole tree, and begin after some (`build_lines`); by default they are the whole
    tree's. `leaves` must have values for the lines that follow deals of the first one. `reach` is what of each hand of
    the whole tree comes to the root; by default its ranges.
    """

    def __init__(
        self, whole: HoldemTree, leaves: LeafMatrices, lines: Sequence[Line] | None = None, reach: Rows | None = None
    ) -> None:
        self.whole, self.classes = whole, HandClasses(whole)
        first = (lines or whole.lines)[0]
        cut = _Cut(first, leaves, _all_in(whole, self.classes, first))
        self.pairs, self.ends = leaves.pairs, cut.ends
        boards = matrix_boards(self.classes.counts, [[(end, -end) for end in cut.ends]])
        ranges = np.zeros((2, int(boards.stride.max())), dtype=np.float32)
        for seat, count in enumerate(self.classes.counts):
            arriving = whole.ranges[seat][: len(whole.hands[seat])] if reach is None else reach[seat]
            ranges[seat, :count] = self.classes.of_hands(seat, arriving)
        own = [ranges[seat, :count].astype(np.float64) for seat, count in enumerate(self.classes.counts)]
        super().__init__([cut.line], boards, [0], ranges, float(own[0] @ self.pairs @ own[1]))

    def behaviour(self, decision: int) -> FloatArray:
        """The average strategy at a decision, [action, hand of the whole tree]."""
        player = self.lines[0].decisions[decision].player
        return self.average_strategy(0, decision, 0)[:, self.classes.of[player]]

    def meeting_chances(self) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
        """Where the numbers of pairs of hands begin, counted from 1, and these."""
        parts = [np.zeros((self.pairs.shape[1 - seat], int(self.boards.stride[seat, 0]))) for seat in range(2)]
        for seat, part in enumerate(parts):
            part[:, : self.pairs.shape[seat]] = self.pairs.T if seat == 0 else self.pairs
        starts = np.array([[1], [1 + parts[0].size]], dtype=np.uint64)
        return starts, np.concatenate([part.astype(np.float32).ravel() for part in parts])

    def payoff_range(self, street: int, leaf: Leaf) -> FloatArray:
        """The least and the most that each player may win at a leaf on average over pairs of hands."""
        some = self.pairs > 0
        won = self.ends[leaf.matrix][some] / self.pairs[some]
        return np.array([[won.min(), -won.max()], [won.max(), -won.min()]])


class _Cut:
    """The line of a street with picks in the place of deals, and the payoff matrices of its leaves."""

    def __init__(self, first: Line, leaves: LeafMatrices, all_in: FloatArray) -> None:
        self.line = Line(0, first.state, (-1, -1), list(first.decisions))
        self.ends: list[FloatArray] = []
        rows = [1 + sum(len(node.actions) for node in first.decisions if node.player == seat) for seat in range(2)]
        places: list[tuple[str, int]] = []
        for leaf in first.leaves:
            if leaf.kind != DEAL:
                places.append(("leaf", len(self.line.leaves)))
                won = leaf.mass[0] * leaves.pairs
                self._end(leaf.rows, won + leaf.wins * all_in if leaf.kind == RUNOUT else won)
            elif leaf.line not in leaves.won:
                raise InputError(f"there are no leaf values for line {leaf.line}")
            else:
                places.append(self._picks(leaf, leaves.won[leaf.line], rows))
        for edge, (kind, number) in first.children.items():
            self.line.children[edge] = places[number] if kind == "leaf" else (kind, number)

    def _picks(self, leaf: Leaf, won: FloatArray, rows: list[int]) -> tuple[str, int]:
        begun, nodes = (len(self.line.decisions), len(self.line.leaves)), []
        after: list[Sequence[int]] = [[row] for row in leaf.rows]
        for seat, count in enumerate(won.shape[:2]):
            if count > 1:
                nodes.append(len(self.line.decisions))
                after[seat] = range(rows[seat], rows[seat] + count)
                self.line.decisions.append(Decision(seat, tuple(range(count)), leaf.rows[seat], rows[seat]))
                rows[seat] += count
        for j, first in enumerate(after[0]):
            for k, second in enumerate(after[1]):
                self._end((first, second), won[j, k])
        for number, node in enumerate(nodes):
            for pick in self.line.decisions[node].actions:
                more = nodes[number + 1 :]  # if both pick, the leaf after the second pick is one of several
                self.line.children[node, pick] = ("decision", more[0]) if more else ("leaf", begun[1] + pick)
        return ("decision", begun[0]) if nodes else ("leaf", begun[1])

    def _end(self, rows: tuple[int, int], won: FloatArray) -> None:
        self.line.leaves.append(Leaf(int(MATRIX), rows, matrix=len(self.ends)))
        self.ends.append(won)


def _all_in(whole: HoldemTree, classes: HandClasses, line: Line) -> FloatArray:
    """Wins less losses of seat 0 over the boards to come, over pairs of hands; 0 if nobody can be all-in."""
    if not any(leaf.kind == RUNOUT for leaf in line.leaves):
        return np.zeros(classes.counts)
    if not whole.boards.runout[0]:  # nobody can be all-in in the whole tree
        return classes.sums(whole.leads(whole.board))
    begin, shape = int(whole.boards.runout[0]), tuple(len(own) for own in whole.hands)
    wins = whole.boards.equities[begin : begin + shape[0] * shape[1]].reshape(shape).astype(np.float64)
    return classes.sums(wins * float(whole.boards.runout_weight[0]))


class GeneratedLeaves(NamedTuple):
    """Leaves with continuations of the searcher's opponent, and what each best response won when it was made."""

    leaves: LeafMatrices
    won: list[float]


def self_generated_leaves(whole: HoldemTree, searcher: int, count: int, iterations: int = 200) -> GeneratedLeaves:
    """So many continuations of the searcher's opponent, the whole tree's average strategies being the blueprint.

    A set of fewer is the beginning of the list: `LeafMatrices.first`.
    """
    require_seat("searcher", searcher)
    require_whole("count", count)
    require_whole("iterations", iterations)
    opponent, blueprint, won = 1 - searcher, whole.tables.average, list[float]()
    leaves = leaf_matrices(whole, ([blueprint], [blueprint]))
    while leaves.counts[opponent] < count:
        limited = DepthLimitedHoldem(whole, leaves)
        search(Subgame(limited, searcher), "unsafe", iterations=iterations)
        target = copied(blueprint)
        for number, decision in enumerate(whole.lines[0].decisions):
            if decision.player == searcher:
                whole.set_strategy_in(target, 0, number, 0, limited.behaviour(number))
        won.append(float(whole.best_response_values(store=target)[opponent]))
        response = whole.best_response(opponent, target)
        pair = ([blueprint], [response]) if opponent == 1 else ([response], [blueprint])
        leaves = leaves.and_more(opponent, leaf_matrices(whole, pair))
    return GeneratedLeaves(leaves, won)


def side_by_side(one: Line, other: Line, start: int = 0) -> tuple[dict[int, int], dict[int, int]]:
    """Decisions and leaves of a line and those of another, from a decision on, after actions of the same rank.

    The first raise stands for the first one and so on, whatever their sizes; the lines must have the same shape.
    """
    decisions, leaves, stack = dict[int, int](), dict[int, int](), [(0, start)]
    while stack:
        here, there = stack.pop()
        decisions[here] = there
        nodes = one.decisions[here], other.decisions[there]
        alike = nodes[0].player == nodes[1].player and len(nodes[0].actions) == len(nodes[1].actions)
        for pair in zip(nodes[0].actions, nodes[1].actions, strict=True) if alike else ():
            (kind, child), (other_kind, other_child) = one.children[here, pair[0]], other.children[there, pair[1]]
            alike = alike and kind == other_kind
            if kind == "decision":
                stack.append((child, other_child))
            else:
                leaves[child] = other_child
                alike = alike and one.leaves[child].kind == other.leaves[other_child].kind
        if not alike:
            raise InputError(
                "the betting after a bet that is not in the tree has not the shape of that after the others"
            )
    return decisions, leaves

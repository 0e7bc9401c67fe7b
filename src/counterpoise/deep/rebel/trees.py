"""Public trees in words, and the flat arrays (`Forest`) that kernels read.

A tree is written down with `Choice`, `Leaf` and `End`; `plant` lays many of them out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterpoise.deep.rebel.kernels.layouts import DECISION, END, VALUE, Forest


@dataclass(frozen=True)
class Leaf:
    """A public state at which the tree stops although the game goes on."""

    state: int


@dataclass(frozen=True)
class End:
    """The end of the game: the first player wins `scale` times a payoff matrix of the game."""

    matrix: int
    scale: float


@dataclass(frozen=True)
class Choice:
    """A decision of a player, with what follows each of its actions."""

    actor: int
    after: tuple[Tree, ...]
    labels: tuple[str, ...] = ()
    """Words for the actions, for those who want to know."""


Tree = Choice | Leaf | End


def plant(trees: Sequence[Choice]) -> Forest:
    """Return trees as flat arrays, in their order."""
    starts: list[list[int]] = [[0], [0], [0], [0]]
    actors: list[int] = []
    first_row: list[int] = []
    before: list[tuple[int, int, int, int]] = []
    kinds: list[int] = []
    children: list[int] = []
    leaves: list[tuple[int, int, int]] = []
    ends: list[tuple[int, float]] = []
    for root in trees:
        # Breadth first: each entry is a decision, its parent, the row to it, and per player its last decision and row.
        queue: list[tuple[Choice, int, int, tuple[tuple[int, int], tuple[int, int]]]] = [
            (root, -1, -1, ((-1, -1), (-1, -1)))
        ]
        rows = leaf_count = end_count = 0
        for number, (choice, parent, row_to, last) in enumerate(queue):
            actors.append(choice.actor)
            first_row.append(rows)
            before.append((parent, row_to, *last[choice.actor]))
            for child in choice.after:
                if isinstance(child, Choice):
                    kinds.append(DECISION)
                    children.append(len(queue))
                    mine = (number, rows)
                    following = (mine, last[1]) if choice.actor == 0 else (last[0], mine)
                    queue.append((child, number, rows, following))
                elif isinstance(child, Leaf):
                    kinds.append(VALUE)
                    children.append(leaf_count)
                    leaves.append((number, rows, child.state))
                    leaf_count += 1
                else:
                    kinds.append(END)
                    children.append(end_count)
                    ends.append((child.matrix, child.scale))
                    end_count += 1
                rows += 1
        first_row.append(rows)
        for start, count in zip(starts, (len(queue), rows, leaf_count, end_count), strict=True):
            start.append(start[-1] + count)
    own = np.array(before, dtype=np.int64).reshape(-1, 4).T.copy()
    at_leaves = np.array(leaves, dtype=np.int64).reshape(-1, 3).T.copy()
    decision_start, row_start, leaf_start, end_start = (np.array(start, dtype=np.int64) for start in starts)
    return Forest(
        decision_start,
        row_start,
        leaf_start,
        end_start,
        np.array(actors, dtype=np.int64),
        np.array(first_row, dtype=np.int64),
        own[0],
        own[1],
        own[2],
        own[3],
        np.array(kinds, dtype=np.int64),
        np.array(children, dtype=np.int64),
        at_leaves[0],
        at_leaves[1],
        at_leaves[2],
        np.array([matrix for matrix, _ in ends], dtype=np.int64),
        np.array([scale for _, scale in ends], dtype=np.float64),
    )


def rows_of(forest: Forest, tree: int, decision: int) -> slice:
    """Return the rows of a decision, numbered within its tree."""
    at = int(forest.decision_start[tree]) + decision + tree
    return slice(int(forest.first_row[at]), int(forest.first_row[at + 1]))

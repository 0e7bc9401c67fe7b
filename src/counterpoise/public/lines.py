"""From betting rules to the flat betting trees that the street kernels walk.

A *line* is the betting of one street from a given state on; a path that ends the street with chips behind leads to
a line of the next street. Each player's rows of a line are its own actions on the path, numbered from 1 in the
order of its nodes; row 0 is the beginning.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BetAction, Betting, BettingState
from counterpoise.betting.sizes import BetSizes
from counterpoise.games import CHANCE, TERMINAL
from counterpoise.public.kernels.layouts import Lines
from counterpoise.public.kernels.street import DEAL, FIXED, RUNOUT


@dataclass
class Decision:
    """A node of a line: who acts, the own row before it and the row after its first action."""

    player: int
    actions: tuple[BetAction, ...]
    parent_row: int
    first_row: int


@dataclass
class Leaf:
    """An end of a line: both players' rows, and what weaker-minus-stronger mass and compatible mass are worth."""

    kind: int
    rows: tuple[int, int]
    wins: float = 0.0
    mass: tuple[float, float] = (0.0, 0.0)
    line: int = 0
    matrix: int = 0


@dataclass
class Line:
    """The betting of one street: where it starts, its decisions (parents first) and its leaves."""

    street: int
    state: BettingState
    path: tuple[int, int]
    """The line before this one and the number of the deal leaf there; (-1, -1) for the first."""
    decisions: list[Decision] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    children: dict[tuple[int, BetAction], tuple[str, int]] = field(default_factory=dict)
    """(decision, action) -> ("decision" or "leaf", number)."""


def build_lines(betting: Betting, sizes: BetSizes, start: BettingState | None = None) -> list[Line]:
    """All lines of a two-player spot, the first street's first; payoffs are in chips, half the pot each as zero.

    With a `start` they begin there, perhaps in the middle of a street; the zero stays that of the whole spot.
    """
    lines = [Line(0, start or betting.initial(), (-1, -1))]
    for number, line in enumerate(lines):  # grows while it is walked
        rows = [1, 1]
        stack: list[tuple[BettingState, tuple[int, int], tuple[int, BetAction] | None]] = [(line.state, (0, 0), None)]
        while stack:
            state, at, edge = stack.pop()
            if state.to_act >= 0:
                player, actions = state.to_act, sizes.actions(betting, state)
                if edge is not None:
                    line.children[edge] = ("decision", len(line.decisions))
                line.decisions.append(Decision(player, actions, at[player], rows[player]))
                for k in range(len(actions) - 1, -1, -1):
                    row = rows[player] + k
                    after = (row, at[1]) if player == 0 else (at[0], row)
                    where = (len(line.decisions) - 1, actions[k])
                    stack.append((betting.apply(state, actions[k]), after, where))
                rows[player] += len(actions)
                continue
            if edge is not None:
                line.children[edge] = ("leaf", len(line.leaves))
            if state.to_act == CHANCE:
                line.leaves.append(Leaf(int(DEAL), at, line=len(lines)))
                lines.append(Line(line.street + 1, betting.deal(state), (number, len(line.leaves) - 1)))
            else:
                line.leaves.append(_ending(betting, state, at))
    return lines


def _ending(betting: Betting, state: BettingState, rows: tuple[int, int]) -> Leaf:
    assert state.to_act == TERMINAL
    half = betting.pot / 2
    if len(state.live) == 1:
        first, second = betting.payoffs(state)
        return Leaf(int(FIXED), rows, mass=(first - half, second - half))
    won, lost = (betting.payoffs(state, strengths)[0] for strengths in ((1, 0), (0, 1)))
    split = betting.payoffs(state, (0, 0))
    kind = RUNOUT if betting.rounds_due(state) else FIXED
    # With a split worth the mean of win and loss, win, loss and tie are worth this much of wins and of mass.
    return Leaf(int(kind), rows, wins=(won - lost) / 2, mass=(split[0] - half, split[1] - half))


def flatten(lines: list[Line], strides: NDArray[np.uint64], boards: NDArray[np.int64]) -> Lines:
    """The kernels' view; `strides[player, street]` sums the row lengths of the `boards[street]` boards of a street."""
    node_start = np.zeros((2, len(lines) + 1), dtype=np.uint64)
    parent: list[int] = []
    first: list[int] = []
    actions: list[int] = []
    rows = np.ones((2, len(lines)), dtype=np.uint64)
    store, number_of = np.zeros((2, len(lines)), dtype=np.uint64), np.zeros((2, len(lines)), dtype=np.uint64)
    valued_start = np.zeros((2, len(lines) + 1), dtype=np.uint64)
    valued: list[int] = []
    showdowns = np.zeros((2, len(lines)), dtype=np.uint64)
    stored = numbered = 0
    for player in range(2):
        for number, line in enumerate(lines):
            node_start[player, number] = len(parent)
            valued_start[player, number] = len(valued)
            for decision in line.decisions:
                if decision.player == player:
                    parent.append(decision.parent_row)
                    first.append(decision.first_row)
                    actions.append(len(decision.actions))
                    rows[player, number] += len(decision.actions)
            shown = {leaf.rows[player] for leaf in line.leaves if leaf.kind == FIXED and leaf.wins}
            massed = {leaf.rows[player] for leaf in line.leaves if any(leaf.mass)} - shown
            valued += [*sorted(shown), *sorted(massed)]
            showdowns[player, number] = len(shown)
            store[player, number], number_of[player, number] = stored, numbered
            stored += (int(rows[player, number]) - 1) * int(strides[player, line.street])
            numbered += (int(rows[player, number]) - 1) * int(boards[line.street])
        node_start[player, len(lines)] = len(parent)
        valued_start[player, len(lines)] = len(valued)
    leaves = [leaf for line in lines for leaf in line.leaves]
    return Lines(
        np.array([line.street for line in lines], dtype=np.uint64),
        node_start,
        np.array(parent, dtype=np.uint64),
        np.array(first, dtype=np.uint64),
        np.array(actions, dtype=np.uint64),
        np.zeros(len(actions), dtype=np.uint64),
        rows,
        store,
        number_of,
        np.concatenate(([0], np.cumsum([len(line.leaves) for line in lines]))).astype(np.uint64),
        np.array([leaf.kind for leaf in leaves], dtype=np.uint64),
        np.array([leaf.rows for leaf in leaves], dtype=np.uint64).reshape(-1, 2).T.copy(),
        np.array([leaf.wins for leaf in leaves], dtype=np.float32),
        np.array([leaf.mass for leaf in leaves], dtype=np.float32).reshape(-1, 2).T.copy(),
        np.array([leaf.line for leaf in leaves], dtype=np.uint64),
        np.array([leaf.matrix for leaf in leaves], dtype=np.uint64),
        valued_start,
        np.array(valued, dtype=np.uint64),
        showdowns,
    )

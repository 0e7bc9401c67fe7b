"""The arrays that the street kernels walk: betting lines, boards, tables, and what one traversal is told and uses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Lines(NamedTuple):
    """The betting trees of all streets. Player p's nodes of line l are ``node_start[p, l]:node_start[p, l + 1]``,
    parents first; row 0 of a line is its beginning and row ``first_row[n] + a`` follows action a at node n.
    ``store`` and ``number`` say where a line's entries and rows begin in a `Store`."""

    street: NDArray[np.uint64]
    node_start: NDArray[np.uint64]
    parent_row: NDArray[np.uint64]
    first_row: NDArray[np.uint64]
    actions: NDArray[np.uint64]
    locked: NDArray[np.uint64]
    rows: NDArray[np.uint64]
    store: NDArray[np.uint64]
    number: NDArray[np.uint64]
    leaf_start: NDArray[np.uint64]
    leaf_kind: NDArray[np.uint64]
    leaf_row: NDArray[np.uint64]
    leaf_wins: NDArray[np.float32]
    leaf_mass: NDArray[np.float32]
    leaf_line: NDArray[np.uint64]
    leaf_matrix: NDArray[np.uint64]
    valued_start: NDArray[np.uint64]
    valued_row: NDArray[np.uint64]
    showdowns: NDArray[np.uint64]


class Boards(NamedTuple):
    """The boards of all streets. Player p's hands on board b begin at ``begin[p, b]`` in the hand arrays;
    ``parent_hand`` is where a hand stands in the vectors of the street before (a zero slot if it is blocked).
    ``mirror`` is 0, or one more than where ``twin`` begins: per hand the first one that a symmetry of the board
    makes its equal. ``matrix`` is where a board's payoff matrices for a player begin."""

    held: NDArray[np.uint64]
    stride: NDArray[np.uint64]
    stored: NDArray[np.uint64]
    ordinal: NDArray[np.uint64]
    begin: NDArray[np.uint64]
    parent_hand: NDArray[np.uint16]
    card_a: NDArray[np.uint16]
    card_b: NDArray[np.uint16]
    same: NDArray[np.uint16]
    tie_start: NDArray[np.uint64]
    ties: NDArray[np.uint16]
    child_start: NDArray[np.uint64]
    child: NDArray[np.uint64]
    child_weight: NDArray[np.float32]
    image_start: NDArray[np.uint64]
    image_begin: NDArray[np.uint64]
    image_hand: NDArray[np.uint16]
    mirror: NDArray[np.uint64]
    twin: NDArray[np.uint16]
    runout: NDArray[np.uint64]
    runout_weight: NDArray[np.float32]
    equities: NDArray[np.int16]
    matrix: NDArray[np.uint64]
    payoffs: NDArray[np.float32]


class Store(NamedTuple):
    """One number per hand, action and node of both players: float32, or int16 roots with a scale per row."""

    wide: NDArray[np.float32]
    narrow: NDArray[np.int16]
    scale: NDArray[np.float32]


class Tables(NamedTuple):
    """Regrets, what strategies are matched from (the regrets themselves, or regrets with a prediction), average."""

    regrets: Store
    basis: Store
    average: Store


class Substitute(NamedTuple):
    """What regrets are made of when they are to fit a given average (see `substitute`).

    Per node ``met_row`` is the opponent's row before it and ``spread`` the square of the range of payoffs below it
    times its actions. ``unlikely`` is per hand of a board one over its own probability and the board's, or nothing
    where mass is to count squared. Mass is that of hands without a common card or, where ``meeting`` is not 0, by a
    matrix of ``chances`` that begins one before. Regrets are multiplied by ``positive`` or ``negative``. If ``steady``
    is not 0, those of a hand are turned to the direction of its strategy and made so many times as long.
    """

    met_row: NDArray[np.uint64]
    spread: NDArray[np.float32]
    unlikely: NDArray[np.float32]
    meeting: NDArray[np.uint64]
    chances: NDArray[np.float32]
    factor: np.float32
    positive: np.float32
    negative: np.float32
    steady: np.float32


class NoSubstitute(NamedTuple):
    """Nothing of the kind: what all other traversals are given."""

    nothing: np.uint64 = np.uint64(0)


class Rule(NamedTuple):
    """What a traversal does: mode, the player of a single phase (or who is first), averaging by own reach or plainly,
    prediction.

    The ``responder`` (2: nobody) learns as ever on the ``trunk``, the streets before a given one, and answers the
    other's strategy by a best response on all later ones; its average is not kept.
    Iteration t multiplies old regrets by ``positive[t]`` or ``negative[t]`` and the old average by ``keep[t]``;
    the regret factors have one entry more, which a prediction looks at.
    """

    mode: np.uint64
    player: np.uint64
    responder: np.uint64
    trunk: np.uint64
    weighted: np.uint64
    predictive: np.uint64
    positive: NDArray[np.float32]
    negative: NDArray[np.float32]
    keep: NDArray[np.float32]
    substitute: Substitute | NoSubstitute


class Gate(NamedTuple):
    """How a player, the `entrant`, gets into a subgame: see `kernels.gadget`.

    Per hand its `alternative` (conditional, with a `spread` where it is random), the `mass` of what it can meet, the
    probability of `entry` in force and the faded sum of those so far (`average`, of `average_weight` iterations).
    `regret` of entering and of staying out; `sums` of the values of entering, of their squares, and the last value,
    `seen` on so many iterations.
    """

    kind: np.uint64
    entrant: np.uint64
    alternative: NDArray[np.float32]
    spread: NDArray[np.float32]
    mass: NDArray[np.float32]
    entry: NDArray[np.float32]
    average: NDArray[np.float32]
    average_weight: NDArray[np.float64]
    regret: NDArray[np.float32]
    sums: NDArray[np.float64]
    seen: NDArray[np.float64]


class Root(NamedTuple):
    """Where a traversal starts, with which reach or through which gate, and what hands weigh in the average.

    Only opponent rows inside a non-empty window count.
    """

    line: np.uint64
    board: np.uint64
    reach: NDArray[np.float32]
    weight: NDArray[np.float32]
    gate: Gate
    window: NDArray[np.uint64]


class Locks(NamedTuple):
    """Entries of a (wide) store that keep their value: strategies that the user has fixed."""

    entry: NDArray[np.uint64]
    value: NDArray[np.float32]


class Tasks(NamedTuple):
    """The deals of the root line, in the order in which their values are added and in the order of work."""

    leaf: NDArray[np.uint64]
    edge: NDArray[np.uint64]
    order: NDArray[np.uint64]
    next: NDArray[np.uint64]
    value: NDArray[np.float32]
    sums: NDArray[np.float64]


class Work(NamedTuple):
    """Scratch rows of one traversal, one part per street: reach, own reach, own strategy, values, leaf values."""

    size: NDArray[np.uint64]
    reach: NDArray[np.float32]
    own_reach: NDArray[np.float32]
    strategy: NDArray[np.float32]
    value: NDArray[np.float32]
    wins: NDArray[np.float32]
    mass: NDArray[np.float32]
    scale: NDArray[np.float32]
    spare: NDArray[np.float32]
    row: NDArray[np.float32]
    block: NDArray[np.float32]
    block_wins: NDArray[np.float32]
    block_mass: NDArray[np.float32]
    totals: NDArray[np.float32]
    swept: NDArray[np.int32]
    table: NDArray[np.int32]
    offsets: NDArray[np.uint64]
    stack: NDArray[np.uint64]
    no_window: NDArray[np.uint64]

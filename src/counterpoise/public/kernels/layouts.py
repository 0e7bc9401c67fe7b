"""The arrays that kernels of public trees are compiled against: street trees, boards, tables, rules, scratch rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class StreetArrays(NamedTuple):
    """The betting trees of all streets. Player p's nodes of tree s are ``node_start[p, s]:node_start[p, s + 1]``,
    parents first; row 0 of a tree is its beginning and row ``first_row[n] + a`` follows action a at node n.
    ``leaf_decided`` is what hands that do not tie are worth at a tilted showdown, beyond wins and mass.
    ``store`` and ``number`` say where a tree's entries and rows begin in a `Store`. ``leaf_number`` is the number of a
    leaf's payoff matrix, or that of its first slot among the values of value leaves."""

    street: NDArray[np.uint64]
    node_start: NDArray[np.uint64]
    parent_row: NDArray[np.uint64]
    first_row: NDArray[np.uint64]
    actions: NDArray[np.uint64]
    rows: NDArray[np.uint64]
    store: NDArray[np.uint64]
    number: NDArray[np.uint64]
    leaf_start: NDArray[np.uint64]
    leaf_kind: NDArray[np.uint64]
    leaf_row: NDArray[np.uint64]
    leaf_wins: NDArray[np.float32]
    leaf_mass: NDArray[np.float32]
    leaf_decided: NDArray[np.float32]
    leaf_tree: NDArray[np.uint64]
    leaf_number: NDArray[np.uint64]
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


class GameArrays(NamedTuple):
    """Everything about a public game that kernels read."""

    trees: StreetArrays
    boards: Boards


class At(NamedTuple):
    """A visit: a street tree on a board, for one player, with its rows from ``base`` on in the scratch arrays."""

    tree: np.uint64
    board: np.uint64
    player: np.uint64
    base: np.uint64


class Store(NamedTuple):
    """One number per hand, action and node of both players: float32, or int16 roots with a scale per row."""

    wide: NDArray[np.float32]
    narrow: NDArray[np.int16]
    scale: NDArray[np.float32]


class Locks(NamedTuple):
    """Entries of a wide store that keep their value, strategies that the user has fixed, and their nodes' flags."""

    entry: NDArray[np.uint64]
    value: NDArray[np.float32]
    locked: NDArray[np.uint64]


class Tables(NamedTuple):
    """Regrets, what strategies are matched from (the regrets themselves or regrets with a prediction), the average
    strategy, and the entries of all three that keep their value."""

    regrets: Store
    matched_regrets: Store
    average: Store
    locks: Locks


class WarmStartArrays(NamedTuple):
    """What regrets are made of when they are to fit a given average (see `counterpoise.public.warm_start`).

    Per node ``met_row`` is the opponent's row before it and ``spread`` the square of the range of payoffs below it
    times its actions. ``unlikely`` is, per hand of a board, one over its own probability times the board's, or empty
    where mass is to count squared. Mass is that of hands without a common card or, where ``meeting`` is not 0, by a
    matrix of ``chances`` that begins at the entry before. Regrets are multiplied by ``positive`` or ``negative``. If
    ``keep_direction`` is not 0, the regrets of a hand get the direction of its strategy and that multiple of their
    length.
    """

    met_row: NDArray[np.uint64]
    spread: NDArray[np.float32]
    unlikely: NDArray[np.float32]
    meeting: NDArray[np.uint64]
    chances: NDArray[np.float32]
    factor: np.float32
    positive: np.float32
    negative: np.float32
    keep_direction: np.float32


class NoWarmStart(NamedTuple):
    """What all traversals but those of a warm start are given: they contain no code for one."""

    nothing: np.uint64 = np.uint64(0)


NO_WARM_START = NoWarmStart()


class LeafTables(NamedTuple):
    """Matrices by which values of value leaves follow from the opponent's reach, hands of a group being alike.

    On a board the hands of a player have ``groups[player, board]`` groups: ``group`` is that of each row and ``member``
    a row of each, both from ``boards.begin`` on. The matrix of a slot for a player begins at ``begin[player, slot]``:
    one row of ``length[player, board]`` own groups for each group of the opponent.
    """

    groups: NDArray[np.uint64]
    length: NDArray[np.uint64]
    group: NDArray[np.uint16]
    member: NDArray[np.uint16]
    begin: NDArray[np.uint64]
    values: NDArray[np.float32]


NO_LEAF_TABLES = LeafTables(
    *(np.zeros((2, 0), dtype=np.uint64),) * 2,
    *(np.zeros(0, dtype=np.uint16),) * 2,
    np.zeros((2, 0), dtype=np.uint64),
    np.zeros(0, dtype=np.float32),
)


class Rule(NamedTuple):
    """What a traversal does: mode, the player of a single phase (or who is first), averaging by own reach or plainly,
    prediction.

    The ``responder`` (2: neither player) learns as usual on the ``trunk``, the streets before a given one, and answers
    the other's strategy by a best response on all later ones; its average is not kept. Iteration t multiplies old
    regrets by ``positive[t]`` or ``negative[t]`` and the old average by ``average_decay[t]``; the regret factors have
    one entry more, which a prediction looks at. ``leaf_values`` are the values of value leaves to the player,
    ``leaf_stride`` numbers for each slot; without them the values are linear in the opponent's reach and follow from
    ``leaf_tables``.
    """

    mode: np.uint64
    player: np.uint64
    responder: np.uint64
    trunk: np.uint64
    weighted: np.uint64
    predictive: np.uint64
    positive: NDArray[np.float32]
    negative: NDArray[np.float32]
    average_decay: NDArray[np.float32]
    warm_start: WarmStartArrays | NoWarmStart
    leaf_values: NDArray[np.float32]
    leaf_stride: np.uint64
    leaf_tables: LeafTables


class Gadget(NamedTuple):
    """How a player, the `chooser`, gets into a subgame: see `kernels.gadget`.

    Per hand its `alternative` (conditional, with a `spread` where it is random), the `mass` of what it can meet, the
    probability of `entry` in force and the faded sum of those so far (`average`, of `average_weight` iterations).
    `regret` of entering and of staying out; `sums` of the values of entering, of their squares, and the last value;
    `seen` counts the iterations of these sums.
    """

    kind: np.uint64
    chooser: np.uint64
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
    """Where a traversal starts, with which reach or through which gadget, and what hands weigh in the average.

    Only opponent rows inside a non-empty window count.
    """

    tree: np.uint64
    board: np.uint64
    reach: NDArray[np.float32]
    weight: NDArray[np.float32]
    gadget: Gadget
    window: NDArray[np.uint64]


class Tasks(NamedTuple):
    """The deals of the root's street tree, in the order in which their values are added and in the order of work."""

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

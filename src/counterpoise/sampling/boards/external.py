"""A hold'em game made ready for external sampling: its nodes for walkers, its deals, places of hands in tables.

A walker visits one hand at a time, so its tables are `BucketTables`: the actions of a bucket stand next to each other
(in a `PublicGame`: the hands of an action). Deals are drawn one by one, isomorphic ones included: hands are renamed to
those on the board that stands for them. Tables are float64, precise enough for sums over very many walks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public.boards import strength_levels
from counterpoise.public.buckets import BucketsLike
from counterpoise.public.holdem import HoldemGame
from counterpoise.public.kernels.street import DEAL
from counterpoise.public.street_trees import Leaf
from counterpoise.sampling.boards.bucket_tables import BucketTables
from counterpoise.sampling.kernels.board_external import BLOCKED, DECISION, Hands, Sampler, Stack, WalkArrays

GUIDES = 2
"""Places at which to begin to look for a draw, for each hand."""


class ExternalWalks(NamedTuple):
    """The arrays that kernels of external sampling walk, and the order of their tables."""

    sampler: Sampler
    tables: BucketTables


def external_walks(game: HoldemGame, buckets: BucketsLike | None = None) -> ExternalWalks:
    """Flatten a game for walkers whose hands share `buckets` (default: only those that suits make alike)."""
    if game.locks or game.value_leaves:
        raise InputError("external sampling needs a game without locked strategies and without value leaves")
    tables = BucketTables(game, buckets)
    walk = _walk(tables)
    depth, width = int((walk.kind == DECISION).sum()) + 1, int(walk.actions.max())
    node, entry, action, board, first, second = (_indices(depth) for _ in range(6))
    strategy, value = np.zeros(depth * width), np.zeros(depth * width)
    stack = Stack(_indices(2), node, entry, action, board, first, second, strategy, value, np.uint64(width))
    return ExternalWalks(Sampler(walk, _hands(tables), game.boards, stack), tables)


def _indices(count: int) -> NDArray[np.uint64]:
    return np.zeros(count, dtype=np.uint64)


def _walk(tables: BucketTables) -> WalkArrays:
    """Return the nodes of all trees, breadth first."""
    game = tables.game
    nodes: list[tuple[int, int | Leaf]] = [(0, 0)]  # a tree and a decision of it, by number, or a leaf
    rows: list[tuple[int, int, int, int, int]] = []
    pays: list[tuple[float, float, float, float]] = []
    for tree, what in nodes:  # grows while it is walked
        street_tree = game.street_trees[tree]
        if isinstance(what, Leaf):
            rows.append((what.kind, 0, 0, len(nodes), 0))
            pays.append((what.wins, what.decided, *what.mass))
            if what.kind == DEAL:
                nodes.append((what.tree, 0))
            continue
        decision = street_tree.decisions[what]
        column = int(tables.columns[decision.player, tree]) + decision.first_row - 1
        rows.append((int(DECISION), decision.player, len(decision.actions), len(nodes), column))
        pays.append((0.0,) * 4)
        for action in decision.actions:
            sort, number = street_tree.children[what, action]
            nodes.append((tree, number if sort == "decision" else street_tree.leaves[number]))
    kind, player, actions, child, column_of = np.array(rows, dtype=np.uint64).T.copy()
    wins, decided, *mass = np.array(pays).T
    return WalkArrays(kind, player, actions, child, column_of, wins.copy(), np.array(mass), decided.copy())


def _hands(tables: BucketTables) -> Hands:
    game = tables.game
    assert isinstance(game, HoldemGame)
    start, boards, size = [0], list[int](), 0
    slots, begins = [np.zeros(0, dtype=np.uint16)], list[NDArray[np.uint64]]()
    for node in game.board_nodes:
        maps, cards = node.symmetry.card_maps, [game.hands[p][node.hands[p]].astype(np.int64) for p in range(2)]
        for child, image in node.children.values():
            boards.append(child)
            begins.append(np.zeros(2, dtype=np.uint64))
            for player in range(2):
                renamed = maps[image].astype(np.int64)[cards[player]]
                place = game.row_of_deck(player, child)[game.deck.hand_table[renamed[:, 0], renamed[:, 1]]]
                begins[-1][player] = size
                blocked = (place < 0) | np.isin(renamed, game.board_nodes[child].cards).any(axis=1)
                slots.append(np.where(blocked, BLOCKED, place).astype(np.uint16))
                size += len(place)
        start.append(len(boards))
    longest = int(game.boards.held[:, 0].max())
    weight = np.cumsum(game.ranges[:, :longest].astype(np.float64), axis=1)
    parts_of_all = np.arange(GUIDES * longest) / (GUIDES * longest)
    guide = np.stack([np.searchsorted(own, parts_of_all * own[-1], side="right") for own in weight])
    return Hands(
        weight=weight,
        guide=guide.astype(np.uint64),
        strength=strength_levels(game.boards),
        place=tables.places_of_hands,
        deal_start=np.array(start, dtype=np.uint64),
        deal_board=np.array(boards, dtype=np.uint64),
        slot_begin=np.array(begins, dtype=np.uint64).reshape(-1, 2).T.copy(),
        slot=np.concatenate(slots),
    )

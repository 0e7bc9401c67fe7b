"""A hold'em game made ready for external sampling: its nodes for walkers, and tables in the order of their visits.

A walker visits one hand at a time, so here the actions of a hand stand next to each other (in a `PublicGame`: the
hands of an action). Tables are float64, in which sums over very many walks lose nothing that matters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public.boards import strength_levels
from counterpoise.public.holdem import HoldemGame
from counterpoise.public.kernels.external import BLOCKED, DECISION, Hands, Sampler, Stack, WalkArrays
from counterpoise.public.kernels.street import DEAL
from counterpoise.public.street_trees import Leaf

GUIDES = 2
"""Places at which to begin to look for a draw, for each hand."""


@dataclass(frozen=True)
class SampledTree:
    """What the kernels of external sampling walk; entry k of their tables is entry ``place[k]`` of the game's."""

    sampler: Sampler
    place: NDArray[np.uint64]


def sampled(game: HoldemGame) -> SampledTree:
    """Flatten a game for walkers; refuses trees on which single hands and deals have no entries of their own."""
    if game.locks or game.value_leaves:
        raise InputError("external sampling needs a game without locked strategies and without value leaves")
    if (np.diff(game.boards.image_start.astype(np.int64)) != 1).any():
        raise InputError(
            "external sampling draws single deals, and here suits that are alike are treated as one: use pcs, or "
            "isomorphism=False in a game of your own"
        )
    walk, place = _walk(game)
    depth, width = int((walk.kind == DECISION).sum()) + 1, int(walk.actions.max())
    node, entry, action, board, first, second = (_indices(depth) for _ in range(6))
    strategy, value = np.zeros(depth * width), np.zeros(depth * width)
    stack = Stack(_indices(2), node, entry, action, board, first, second, strategy, value, np.uint64(width))
    return SampledTree(Sampler(walk, _hands(game), game.boards, stack), place)


def _indices(count: int) -> NDArray[np.uint64]:
    return np.zeros(count, dtype=np.uint64)


def _walk(game: HoldemGame) -> tuple[WalkArrays, NDArray[np.uint64]]:
    """The nodes of all trees, breadth first, and the places of the decisions' entries."""
    nodes: list[tuple[int, int | Leaf]] = [(0, 0)]  # a tree and a decision of it, by number, or a leaf
    rows: list[tuple[int, int, int, int, int]] = []
    pays: list[tuple[float, float, float]] = []
    places: list[NDArray[np.uint64]] = []
    size = 0
    for tree, what in nodes:  # grows while it is walked
        street_tree = game.street_trees[tree]
        if isinstance(what, Leaf):
            rows.append((what.kind, 0, 0, len(nodes), 0))
            pays.append((what.wins, *what.mass))
            if what.kind == DEAL:
                nodes.append((what.tree, 0))
            continue
        decision = street_tree.decisions[what]
        rows.append((int(DECISION), decision.player, len(decision.actions), len(nodes), size))
        pays.append((0.0, 0.0, 0.0))
        for action in decision.actions:
            sort, number = street_tree.children[what, action]
            nodes.append((tree, number if sort == "decision" else street_tree.leaves[number]))
        places.append(_places(game, tree, what))
        size += len(places[-1])
    kind, player, actions, child, entry = np.array(rows, dtype=np.uint64).T.copy()
    wins, *mass = np.array(pays).T
    return WalkArrays(kind, player, actions, child, entry, wins.copy(), np.array(mass)), np.concatenate(places)


def _places(game: HoldemGame, tree: int, number: int) -> NDArray[np.uint64]:
    """Where the game keeps the entries of a decision: all boards of its street, hand by hand, action by action."""
    actions, parts = np.arange(len(game.street_trees[tree].decisions[number].actions)), []
    for board in np.flatnonzero(game.street_of == game.street_trees[tree].street).tolist():
        place = game.place(tree, number, board)
        parts.append(np.add.outer(np.arange(place.stride), place.entry + actions * place.stride).ravel())
    return np.concatenate(parts).astype(np.uint64)


def _hands(game: HoldemGame) -> Hands:
    boards = game.boards
    held, begin = boards.held.astype(np.int64), boards.begin.astype(np.int64)
    slot_begin = np.zeros((2, len(boards.child)), dtype=np.uint64)
    parts, size = [np.zeros(0, dtype=np.uint16)], 0
    for edge, board in enumerate(boards.child.tolist()):
        for player in range(2):
            above = game.board_nodes[board].parent
            slots = np.full(int(boards.stride[player, above]), BLOCKED)
            stands = boards.parent_hand[begin[player, board] :][: held[player, board]]
            slots[stands] = np.arange(held[player, board])
            slots[held[player, above] :] = BLOCKED  # where blocked hands point
            slot_begin[player, edge] = size
            parts.append(slots)
            size += len(slots)
    longest = int(held[:, 0].max())
    weight = np.cumsum(game.ranges[:, :longest].astype(np.float64), axis=1)
    parts_of_all = np.arange(GUIDES * longest) / (GUIDES * longest)
    guide = np.stack([np.searchsorted(own, parts_of_all * own[-1], side="right") for own in weight])
    return Hands(weight, guide.astype(np.uint64), strength_levels(boards), slot_begin, np.concatenate(parts))

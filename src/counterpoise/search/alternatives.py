"""What the opponent can have without entering a subgame, hand by hand: alternatives and their estimates.

See Brown 2020, section 5.1.

All are conditional values in the opponent's units. Against a blueprint of the searcher,

- CBV(I) is the value to the opponent of its infoset I under a counterfactual best response, which is best in every
  infoset, reached or not. The alternative of a hand is its CBV at the root.
- An *estimate* is that value when the opponent is held to the abstraction in which the blueprint was made: it chooses
  once for all infosets that the abstraction gathers. It is a better measure than CBV of what good play would leave the
  opponent.
- The *spread* of an estimate, for distributional alternatives, is its distance from CBV.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public import DenseGame, HoldemGame, LeafEvaluator, Profile, PublicGame, PublicNode, Traverser
from counterpoise.public.buckets import Buckets, BucketsLike, as_buckets
from counterpoise.public.thresholds import LEAST_REACH
from counterpoise.search.subgame import FloatArray

InfosetGroups = NDArray[np.int64]
"""Per infoset of a small game the number of its group: infosets of one group are played alike."""


class Abstraction(NamedTuple):
    """Which hands act alike: per hand of the player to act at a node the number of its group."""

    groups_at: Callable[[PublicNode], NDArray[np.int64]]
    across_decisions: bool
    """Whether a group may have hands at several decisions of the betting, not only on several boards."""


def conditional_at(node: PublicNode, player: int, profile: Profile, values: FloatArray) -> FloatArray:
    """Return conditional values: a player's counterfactual values at a node over the mass each hand meets, nan if
    none."""
    reach = node.reach(profile)[1 - player]
    mass = node.mass(player, reach)
    # Half of what counts in a subgame: there every hand that counts must have a value.
    least = max(node.game.least_met / 2 * float(reach.sum()), LEAST_REACH)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(mass > least, values / mass, np.nan)


def value_at(
    node: PublicNode, player: int, profile: Profile, *, best: bool = True, leaves: LeafEvaluator | None = None
) -> FloatArray:
    """Return what each hand of a player has at a decision: CBV or, unless `best`, by the strategies of a profile."""
    traverser = None if leaves is None else Traverser(node.game, leaves=leaves)
    values = node.best_values(player, profile, traverser) if best else node.values(profile, traverser).node[player]
    return conditional_at(node, player, profile, values)


def held_response(game: PublicGame, profile: Profile, player: int, abstraction: Abstraction) -> Profile:
    """Return a profile in which a player answers the other's strategy, held to one choice for all hands of a group.

    It is found from the last decisions to the first: each group takes the action of the largest sum of counterfactual
    values. All hands of a group must have equally many own decisions before them, and the same actions. If groups
    forget what they knew (imperfect recall), the response is the best from the end backwards, not necessarily the best
    of all.
    """
    found = profile.copy()
    for level in own_decisions(game, player):
        together: dict[Any, list[PublicNode]] = defaultdict(list)
        for node in level:
            together[None if abstraction.across_decisions else (node.tree, node.at)].append(node)
        for nodes in together.values():
            _respond_alike(nodes, found, abstraction)
    return found


def _respond_alike(nodes: list[PublicNode], profile: Profile, abstraction: Abstraction) -> None:
    """Let each group of hands at some decisions take its best action, given what follows."""
    values = [node.action_values(profile) * _boards_alike(node) for node in nodes]
    groups = np.concatenate([abstraction.groups_at(node) for node in nodes])
    widths = np.concatenate([np.full(rows.shape[1], len(rows)) for rows in values])
    _require_alike(groups, widths)
    table = np.full((int(widths.max()), len(groups)), -np.inf)
    ends = np.cumsum([0, *(rows.shape[1] for rows in values)]).tolist()
    for rows, begin, end in zip(values, ends, ends[1:], strict=False):
        table[: len(rows), begin:end] = rows
    chosen = best_actions(table, np.unique(groups, return_inverse=True)[1])
    for node, begin, end in zip(nodes, ends, ends[1:], strict=False):
        node.set_strategy(profile, chosen[: len(node.actions), begin:end])


def own_decisions(game: PublicGame, player: int) -> list[list[PublicNode]]:
    """Return a player's decisions on all expanded boards by how many own ones precede them, the last ones first."""
    levels: dict[int, list[PublicNode]] = defaultdict(list)
    for node in game.root.decisions_below():
        if node.player == player:
            levels[sum(at.kind == "decision" and at.player == player for at in node.path()[:-1])].append(node)
    return [levels[level] for level in sorted(levels, reverse=True)]


def best_actions(values: FloatArray, groups: NDArray[Any]) -> FloatArray:
    """Return certainty for the best action of every group, [action, hand]: that of the largest sum over its hands."""
    sums = np.stack([np.bincount(groups, row) for row in values])
    return np.asarray(np.arange(len(values))[:, None] == sums.argmax(axis=0)[groups], dtype=np.float64)


def abstraction_of(game: PublicGame, alike: InfosetGroups | BucketsLike) -> Abstraction:
    """Return which hands act alike, from groups of infosets (small games), or from buckets or an abstraction."""
    if not isinstance(alike, np.ndarray | list):
        buckets = as_buckets(game, alike)
        return Abstraction(lambda node: _bucket_groups(node, buckets), across_decisions=False)
    if not isinstance(game, DenseGame):
        raise InputError("groups of infosets are for games with infosets: in hold'em give buckets")
    if np.shape(alike) != (len(game.infosets),):
        raise InputError(f"groups must be {len(game.infosets)} numbers, one per infoset, not {np.shape(alike)}")
    unknown = int(np.max(alike, initial=0)) + 1
    known: dict[tuple[int, int, int], NDArray[np.int64]] = {}
    for number, place in enumerate(game.infosets):
        row = known.setdefault(
            (place.tree, place.decision, place.board),
            unknown + np.arange(game.hand_counts[place.player]),  # hands that cannot be there choose by themselves
        )
        row[int(game.deals.hands[place.player][place.deal])] = alike[number]
    return Abstraction(lambda node: known[node.tree, node.at[1], node.board], across_decisions=True)


def _bucket_groups(node: PublicNode, buckets: Buckets) -> NDArray[np.int64]:
    """Return the bucket of each hand at a decision: on all boards the same numbers, which no other decision has."""
    game, player = node.game, node.player
    begin, held = int(game.boards.begin[player, node.board]), int(game.boards.held[player, node.board])
    rows = buckets.bucket_of_hand[begin : begin + held].astype(np.float64)
    first = (node.tree * 10_000 + node.at[1]) * (int(buckets.count.max()) + 1)
    return first + game.from_rows(player, rows, node.located).astype(np.int64)


def _require_alike(groups: NDArray[np.int64], widths: NDArray[np.int64]) -> None:
    order = np.lexsort((widths, groups))
    same = groups[order][1:] == groups[order][:-1]
    if (same & (widths[order][1:] != widths[order][:-1])).any():
        raise InputError("infosets of a group must have as many own decisions before them, and the same actions")


def _boards_alike(node: PublicNode) -> float:
    """Return how many boards the expanded board of a node stands for; chance is in the values of small games."""
    game, board, count = node.game, node.board, 1.0
    while isinstance(game, HoldemGame) and board:
        count *= len(game.board_nodes[board].images)
        board = int(game.board_above[board])
    return count

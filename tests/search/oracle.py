"""Counterfactual best responses on enumerated games, in float64, to check values and gifts of public games by."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterpoise.errors import InputError
from counterpoise.games import CHANCE
from counterpoise.public.histories import deals
from counterpoise.tree import Strategy, Tree
from counterpoise.tree.kernels.sequence_form import best_response, counterfactual_values, gradient, realisation_weights

LEAST_CHANCE = 1e-200
"""What is met with a smaller probability has no conditional value: rounding would make it up."""


@dataclass(frozen=True, eq=False)
class Response:
    """A counterfactual best response of a player: the whole profile with it, and what every action is worth."""

    tree: Tree
    player: int
    strategy: Strategy
    action_values: np.ndarray
    """CBV(I, a) in the places of a flat strategy; not a number where the other player never lets I happen."""

    @cached_property
    def ends(self) -> np.ndarray:
        """Which actions end the game at once, whatever is hidden, in the places of a flat strategy."""
        histories, start = self.tree.histories, np.asarray(self.tree.form.start, dtype=np.int64)
        above = histories.parent.astype(np.int64)
        after = np.flatnonzero((above >= 0) & (histories.player[above] >= 0))
        above = above[after]
        place = start[histories.infoset[above]] + after - histories.first_child[above]
        going_on = np.bincount(place, histories.children[after] > 0, self.tree.table.size)
        return np.asarray(going_on == 0)

    def given_up(self, infoset: int, action: str, kind: str) -> float:
        """What the player loses at one of its infosets by an action: the gift, exact or its lower bound."""
        start, actions = int(self.tree.table.start[infoset]), self.tree.table.actions[infoset]
        values = self.action_values[start : start + len(actions)]
        counts = np.ones(len(actions), dtype=bool)
        if kind == "lower":
            counts = self.ends[start : start + len(actions)].copy()
        taken = actions.index(action)
        counts[taken] = True
        return float(values[counts].max() - values[taken])


def respond(tree: Tree, strategy: Strategy, player: int, groups: np.ndarray | None = None) -> Response:
    """A counterfactual best response of `player`, held to one choice for all infosets of a group, if groups are given.

    Infosets of a group must come after equally many own decisions. If they forget what they knew (imperfect recall),
    the response is the best from the end of the game backwards, not necessarily the best of all.
    """
    profile = strategy.on(tree).copy()
    reach, values = np.empty_like(profile), np.empty_like(profile)
    for seat in range(tree.players):
        realisation_weights(tree.form, seat, profile, reach)
    gradient(tree.form, player, reach, values)
    if groups is None:
        best_response(tree.form, player, values, profile)
    else:
        direct = values.copy()
        _respond_alike(tree, player, values, profile, groups)
        values = direct
        counterfactual_values(tree.form, player, profile, values, np.zeros(tree.infosets))
    conditional = np.full_like(values, np.nan)
    mass = tree.infoset_reach(profile)
    for infoset in np.flatnonzero((tree.table.owner == player) & (mass > LEAST_CHANCE)):
        block = slice(int(tree.form.start[infoset]), int(tree.form.stop[infoset]))
        conditional[block] = values[block] / mass[infoset]
    return Response(tree, player, Strategy(tree.name, tree.table, profile), conditional)


def own_depth(tree: Tree, player: int) -> np.ndarray:
    """How many own decisions come before each infoset of a player."""
    form = tree.form
    low, high = (int(n) for n in form.first_infoset[player : player + 2])
    depth = np.zeros(high - low, dtype=np.int64)
    after = np.zeros(tree.table.size, dtype=np.int64)  # per sequence, own decisions up to and including it
    for infoset in range(low, high):
        depth[infoset - low] = after[form.parent[infoset]]
        after[form.start[infoset] : form.stop[infoset]] = depth[infoset - low] + 1
    return depth


def _respond_alike(tree: Tree, player: int, values: np.ndarray, profile: np.ndarray, groups: np.ndarray) -> None:
    """From the last decisions to the first: sum the values of a group's infosets and let all take the best action."""
    form = tree.form
    if groups.shape != (tree.infosets,):
        raise InputError(f"groups must be {tree.infosets} numbers, one per infoset, not {groups.shape}")
    low, high = (int(n) for n in form.first_infoset[player : player + 2])
    start, stop = (np.asarray(part[low:high], dtype=np.int64) for part in (form.start, form.stop))
    parent, depth = np.asarray(form.parent[low:high], dtype=np.int64), own_depth(tree, player)
    _, group = np.unique(groups[low:high], return_inverse=True)
    first = np.full(group.max() + 1, -1)
    first[group[::-1]] = np.arange(high - low)[::-1]
    if (depth != depth[first[group]]).any() or (stop - start != (stop - start)[first[group]]).any():
        raise InputError("infosets of a group must have as many own decisions before them, and the same actions")
    for level in range(int(depth.max(initial=-1)), -1, -1):
        members = np.flatnonzero(depth == level)
        own, widest = group[members], int((stop - start)[members].max())
        table = np.full((len(first), widest), -np.inf)
        for action in range(widest):
            there = start[members] + action < stop[members]
            sums = np.bincount(own[there], values[start[members[there]] + action], len(first))
            table[np.unique(own[there]), action] = sums[np.unique(own[there])]
        best = table.argmax(axis=1)[own]
        for action in range(widest):
            there = start[members] + action < stop[members]
            profile[start[members[there]] + action] = best[there] == action
        np.add.at(values, parent[members], values[start[members] + best])


def gifts(found, game, response, kind="lower"):
    """What each hand of the opponent has given up on its way to a subgame, infoset by infoset."""
    total, known = np.zeros(len(found.mass)), set()
    hands = found.dense.deals.hands[found.opponent]
    for deal, state in enumerate(deals(game)):
        hand, given = int(hands[deal]), 0.0
        if hand in known or found.mass[hand] <= 0:
            continue
        for step in found.history:
            if game.player(state) == found.opponent:
                infoset = response.tree.table.find((found.opponent, game.infoset(state)))
                given += response.given_up(infoset, step, kind)
            elif game.player(state) == CHANCE and not dict(game.chance(state)).get(step):
                break  # the history needs a card that somebody holds in this deal: another one tells
            state = game.next(state, step)
        else:
            known.add(hand)
            total[hand] = given
    return total

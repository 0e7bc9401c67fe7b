"""What the opponent can have without entering a subgame, hand by hand: alternatives, gifts and spreads (BROWN 5.1).

All are conditional values in the opponent's units. Against a blueprint of the searcher,

- CBV(I) is the value to the opponent of its infoset I under a counterfactual best response, which is best in every
  infoset, reached or not; CBV(I, a) the same after action a. The alternative of a hand is its CBV at the root.
- An *estimate* is that value when the opponent is held to the abstraction in which the blueprint was made: it chooses
  once for all infosets that the abstraction gathers. It says better than CBV what good play would leave the opponent.
- A *gift* is what the opponent gave up on its way to the subgame, the sum over its own decisions of CBV(I) - CBV(I, a).
  The lower bound looks only at actions that end the game at once, whose values no search can change. Added to the
  alternative as it is (scale 1) it is split rightly between all subgames behind the same action; not to split it is to
  multiply it by the number of outcomes of the chance events in between (`branching`), which loses the guarantee.
- The *spread* of an estimate, for distributional alternatives, is its distance from CBV.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, Game
from counterpoise.search.subgame import FloatArray, Subgame, deals
from counterpoise.tree import Strategy, Tree
from counterpoise.tree.kernels.sequence_form import best_response, counterfactual_values, gradient, realisation_weights

GiftKind = Literal["none", "lower", "exact"]
Groups = NDArray[np.int64]
"""Per infoset of a tree the number of its group: infosets of one group are played alike."""
NEVER = 1e-200
"""What is met with a smaller probability has no conditional value: rounding would make it up."""


@dataclass(frozen=True, eq=False)
class Response:
    """A counterfactual best response of a player: the whole profile with it, and what every action is worth."""

    tree: Tree
    player: int
    strategy: Strategy
    action_values: FloatArray
    """CBV(I, a) in the places of a flat strategy; not a number where the other player never lets I happen."""

    @cached_property
    def ends(self) -> NDArray[np.bool_]:
        """Which actions end the game at once, whatever is hidden, in the places of a flat strategy."""
        histories, start = self.tree.histories, np.asarray(self.tree.form.start, dtype=np.int64)
        above = histories.parent.astype(np.int64)
        after = np.flatnonzero((above >= 0) & (histories.player[above] >= 0))
        above = above[after]
        place = start[histories.infoset[above]] + after - histories.first_child[above]
        going_on = np.bincount(place, histories.children[after] > 0, self.tree.table.size)
        return np.asarray(going_on == 0)

    def given_up(self, infoset: int, action: str, kind: GiftKind) -> float:
        """What the player loses at one of its infosets by an action: the gift, exact or its lower bound."""
        start, actions = int(self.tree.table.start[infoset]), self.tree.table.actions[infoset]
        values = self.action_values[start : start + len(actions)]
        counts = np.ones(len(actions), dtype=bool)
        if kind == "lower":
            counts = self.ends[start : start + len(actions)].copy()
        taken = actions.index(action)
        counts[taken] = True
        return float(values[counts].max() - values[taken])


def respond(tree: Tree, strategy: Strategy, player: int, groups: Groups | None = None) -> Response:
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
    for infoset in np.flatnonzero((tree.table.owner == player) & (mass > NEVER)):
        block = slice(int(tree.form.start[infoset]), int(tree.form.stop[infoset]))
        conditional[block] = values[block] / mass[infoset]
    return Response(tree, player, Strategy(tree.name, tree.table, profile), conditional)


def best_value(found: Subgame, blueprint: Strategy) -> FloatArray:
    """CBV of every hand of the opponent at the root of a subgame, against a blueprint."""
    found.play(_for_all_hands(found, blueprint))
    return found.best_values()


def estimated_value(found: Subgame, response: Response) -> FloatArray:
    """What every hand of the opponent has at the root under a given response, such as one held to an abstraction."""
    found.play(_for_all_hands(found, response.strategy))
    return found.values()


def gifts(found: Subgame, game: Game, response: Response, kind: GiftKind = "lower") -> FloatArray:
    """What each hand of the opponent has given up on its way to a subgame; 0 for hands that meet nothing there."""
    if kind not in ("none", "lower", "exact"):
        raise InputError(f"gifts must be none, lower or exact, not {kind!r}")
    if response.player != found.opponent:
        raise InputError(f"gifts are the opponent's: the response must be that of seat {found.opponent}")
    total = np.zeros(len(found.mass))
    if kind == "none":
        return total
    hands = found.dense.deals.hands[found.opponent]
    known: set[int] = set()
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


def branching(game: Game, history: Sequence[str]) -> float:
    """The number of outcomes of all public chance events of a history: one over the probability of the rarest."""
    product, states = 1.0, deals(game)
    for step in history:
        if game.player(states[0]) < 0:
            product /= min(likely for state in states for _, likely in game.chance(state) if likely > 0)
            states = [state for state in states if dict(game.chance(state)).get(step, 0.0) > 0]
        states = [game.next(state, step) for state in states]
    return product


def _for_all_hands(found: Subgame, strategy: Strategy) -> dict[tuple[int, str], dict[str, float]]:
    """A strategy for the whole game at the infosets of a subgame; even for hands that its cards rule out."""
    table = found.dense.table
    return {
        key: strategy[key] if key in strategy else dict.fromkeys(actions, 1 / len(actions))
        for key, actions in zip(table, table.actions, strict=True)
    }


def own_depth(tree: Tree, player: int) -> NDArray[np.int64]:
    """How many own decisions come before each infoset of a player."""
    form = tree.form
    low, high = (int(n) for n in form.first_infoset[player : player + 2])
    depth = np.zeros(high - low, dtype=np.int64)
    after = np.zeros(tree.table.size, dtype=np.int64)  # per sequence, own decisions up to and including it
    for infoset in range(low, high):
        depth[infoset - low] = after[form.parent[infoset]]
        after[form.start[infoset] : form.stop[infoset]] = depth[infoset - low] + 1
    return depth


def _respond_alike(tree: Tree, player: int, values: FloatArray, profile: FloatArray, groups: Groups) -> None:
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

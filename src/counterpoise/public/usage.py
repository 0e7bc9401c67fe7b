"""Action counts: the expected number of actions per hand, by one traversal for each kind of action.

It is the value of the strategies in a game whose every end pays the number of times that the action was taken on its
path. So the game gets such payoffs in place of its own, and is then judged as usual.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from counterpoise.betting.rules import BetAction, BettingState
from counterpoise.public.game import game_arrays
from counterpoise.public.holdem import HoldemGame
from counterpoise.public.kernels.street import DEAL
from counterpoise.public.profile import Profile
from counterpoise.public.street_trees import Leaf, StreetTree
from counterpoise.public.traverser import Traverser

Kind = TypeVar("Kind")


def action_counts(
    profile: Profile, kinds_of: Callable[[BettingState, BetAction], Iterable[Kind]], threads: int = 1
) -> dict[Kind, float]:
    """Return the expected number per hand of actions of each kind; `kinds_of` returns the kinds of an action."""
    game = profile.game
    assert isinstance(game, HoldemGame)
    before: dict[int, list[Kind]] = {0: []}  # the kinds of what was done before each street tree
    at_leaves: list[list[list[Kind]]] = []
    for number, tree in enumerate(game.street_trees):  # earlier streets first
        taken = _kinds_taken(game, tree, before[number], kinds_of)
        at_leaves.append(taken)
        before |= {leaf.tree: taken[k] for k, leaf in enumerate(tree.leaves) if leaf.kind == DEAL}
    found: dict[Kind, float] = {}
    for kind in dict.fromkeys(kind for tree_kinds in at_leaves for taken in tree_kinds for kind in taken):
        trees = tuple(
            replace(
                tree, leaves=[_paying(leaf, taken.count(kind)) for leaf, taken in zip(tree.leaves, ends, strict=True)]
            )
            for tree, ends in zip(game.street_trees, at_leaves, strict=True)
        )
        counting = replace(game, street_trees=trees, arrays=game_arrays(trees, game.boards, game.street_of))
        found[kind] = float(Traverser(counting, threads).root_values(profile)[0])
    return found


def _kinds_taken(
    game: HoldemGame,
    tree: StreetTree,
    before: list[Kind],
    kinds_of: Callable[[BettingState, BetAction], Iterable[Kind]],
) -> list[list[Kind]]:
    """Return the kinds of all actions on the path to each leaf of a street tree."""
    assert tree.state is not None
    states = {0: (tree.state, before)}
    found: list[list[Kind]] = [before] * len(tree.leaves)
    for place, decision in enumerate(tree.decisions):  # parents first
        state, taken = states[place]
        for action in decision.actions:
            kind, child = tree.children[place, action]
            now = [*taken, *kinds_of(state, action)]
            if kind == "leaf":
                found[child] = now
            else:
                states[child] = game.betting.apply(state, action), now
    return found


def _paying(leaf: Leaf, count: int) -> Leaf:
    """Return the leaf with a count as the payoff of both players."""
    return leaf if leaf.kind == DEAL else replace(leaf, wins=0.0, mass=(float(count), float(count)))

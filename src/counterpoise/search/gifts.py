"""Gifts: what the opponent gave up on its way to a subgame (Reach search, Brown 2020, section 5.1.3).

Let CBV(h, a) be the conditional value to hand h of a counterfactual best response after action a. A hand that took a'
at one of its decisions has given up

    max over counted actions a and a' of CBV(h, a)  -  CBV(h, a').

The *exact* gift counts all actions. The *lower* bound counts those that end the game at once, whose values no search
can change: to fold, and to call where only cards follow. The gifts of a path are summed over the opponent's decisions
on it.

Added to the alternative as it is (scale 1), a gift is split correctly among all subgames behind the same action.
Without the split it is multiplied by the number of outcomes of the chance events in between (`branching`), which loses
the guarantee.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from counterpoise.parameters import require_choice
from counterpoise.public import DenseGame, HoldemGame, Profile, PublicNode, Step
from counterpoise.public.histories import deals
from counterpoise.search.alternatives import conditional_at, value_at
from counterpoise.search.subgame import FloatArray

GiftKind = Literal["none", "lower", "exact"]


def gift_at(
    node: PublicNode,
    action: Step,
    profile: Profile,
    *,
    kind: GiftKind = "lower",
    best: bool = True,
    led_to: tuple[PublicNode, Profile] | None = None,
) -> FloatArray:
    """Return what each hand of the player to act gives up by an action; 0 for hands that meet nothing.

    Values are those of a best response to `profile` or, unless `best`, of the player's strategy in it. `led_to` is the
    node of another game, with its strategies, to which an action has led that this game does not know.
    """
    require_choice("gifts", kind, get_args(GiftKind))
    player = node.player
    if kind == "none":
        return np.zeros(node.game.hand_counts[player])
    values = node.best_action_values(profile) if best else node.action_values(profile)
    values = conditional_at(node, player, profile, values)
    counted = np.ones(len(values), dtype=bool) if kind == "exact" else node.ends_at_once()
    if led_to is None:
        taken = values[node.actions.index(action)]
    else:
        after, played = led_to
        taken = node.game.from_hands_of(after.game, player, value_at(after, player, played))
    gains = values[counted] - taken
    return np.asarray(np.fmax.reduce(np.concatenate((np.zeros((1, len(taken))), gains))))


def gifts_on_the_way(
    node: PublicNode,
    player: int,
    profile: Profile,
    kind: GiftKind,
    *,
    best: bool = True,
    known: dict[PublicNode, FloatArray] | None = None,
) -> FloatArray:
    """Return what each hand of a player has given up in all on its way to a node of one game.

    `known` caches the gifts of single actions by the node after them, for paths that begin alike.
    """
    require_choice("gifts", kind, get_args(GiftKind))
    total = np.zeros(node.game.hand_counts[player])
    known = {} if known is None else known
    for above, after in pairwise(node.path()):
        if kind != "none" and above.kind == "decision" and above.player == player:
            if after not in known:
                taken = next(action for action, child in above.children() if child == after)
                known[after] = gift_at(above, taken, profile, kind=kind, best=best)
            total += known[after]
    return total


def branching(node: PublicNode) -> float:
    """Return the number of outcomes of the chance events on the way to a node.

    In hold'em that of the boards that suits leave different: 1,755 flops with 52 cards, 166 with 24. In small games it
    is one over the probability of the rarest outcomes.
    """
    game = node.game
    if isinstance(game, HoldemGame):
        return float(game.boards_of[node.street_tree.street])
    assert isinstance(game, DenseGame)
    product, rules = 1.0, game.rules
    states = deals(rules)
    for step in game.history(node):
        if rules.player(states[0]) < 0:
            product /= min(likely for state in states for _, likely in rules.chance(state) if likely > 0)
            states = [state for state in states if dict(rules.chance(state)).get(step, 0.0) > 0]
        states = [rules.next(state, step) for state in states]
    return product

"""The node of a blueprint's betting tree that stands for a line of play (Brown 2020, section 5.2.3).

The blueprint's line follows the real one action by action: a fold or a call is the same, all-in is all-in, and any
other bet the blueprint's bet with the nearest share of the pot. Where the blueprint cannot bet it calls. A seat that
acts out of turn for the blueprint, because the bet was translated to a check, is passed over. At the end of a round all
seats that are still to act in the blueprint's line check or call.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from counterpoise.betting.rules import CALL, BetAction, BettingState
from counterpoise.games.events import ActionEvent, read_event
from counterpoise.games.holdem import Holdem
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.subtree import Subtree
from counterpoise.search.action_translation import ChipBets, check_down, chip_scale, similar_actions
from counterpoise.seats import CHANCE


class BlueprintNode(NamedTuple):
    """A node of a blueprint's tree and the betting there."""

    node: int
    state: BettingState


def blueprint_node_after(blueprint: BettingTree, game: Holdem, public: Iterable[str]) -> BlueprintNode:
    """Return where the blueprint is after a real public history."""
    at, real = begin(blueprint), game.betting_after(())
    for event in public:
        if isinstance(told := read_event(event), ActionEvent):
            at = follow(blueprint, at, game, real, told.bet)
        real = game.betting_next(real, event)
        at = catch_up(blueprint, at, real.round)
    return at


def far_bets(blueprint: BettingTree, game: Holdem, public: Iterable[str]) -> int | Fraction:
    """Return by how many chips a bet of a real line differs most from the one that stands for it in the blueprint."""
    at, real = begin(blueprint), game.betting_after(())
    most: int | Fraction = 0
    scale = chip_scale(blueprint.game.betting, game.betting)
    for event in public:
        if isinstance(told := read_event(event), ActionEvent):
            after = follow(blueprint, at, game, real, told.bet)
            if after.node != at.node and told.bet > CALL:
                meant = int(blueprint.action[after.node])
                most = max(most, abs(told.bet - scale * meant) if meant > CALL else told.bet - real.stake)
            at = after
        real = game.betting_next(real, event)
        at = catch_up(blueprint, at, real.round)
    return most


def leaf_blueprint_nodes(blueprint: BettingTree, at: BlueprintNode, tree: Subtree) -> list[int]:
    """Return the node of the blueprint that stands for each leaf of a subtree, whose root is at `at`."""
    found: dict[int, tuple[BlueprintNode, BettingState]] = {0: (at, tree.root)}

    def reached(node: int) -> tuple[BlueprintNode, BettingState]:
        if node not in found:
            before, real = reached(int(tree.parent[node]))
            action = int(tree.action[node])
            after = tree.game.betting.apply(real, action)
            found[node] = follow(blueprint, before, tree.game, real, action), after
        return found[node]

    nodes = []
    for node, state in tree.leaves:
        ended = state.to_act == CHANCE
        nodes.append(catch_up(blueprint, reached(node)[0], state.round + ended).node)
    return nodes


def follow(
    blueprint: BettingTree, at: BlueprintNode, game: Holdem, real: BettingState, action: BetAction
) -> BlueprintNode:
    """Return where the blueprint is after a real action."""
    return neighbours(blueprint, at, game, real, action)[0]


def neighbours(
    blueprint: BettingTree, at: BlueprintNode, game: Holdem, real: BettingState, action: BetAction
) -> list[BlueprintNode]:
    """Return where the blueprint may be after a real action, the most similar first.

    There are two where a bet is between two of the blueprint's: Brown et al. 2018, section 6 averages the values of
    both.
    """
    if at.state.to_act != real.to_act or at.state.round != real.round:
        return [at]
    own = [int(blueprint.action[child]) for child in blueprint.children(at.node)]
    bets, table = ChipBets(blueprint.game.betting, at.state), ChipBets(game.betting, real)
    return [_play(blueprint, at, one) for one in similar_actions(own, bets, table, action)]


def catch_up(blueprint: BettingTree, at: BlueprintNode, number: int) -> BlueprintNode:
    """Return where the blueprint is when round `number` begins: players still to act before it check or call."""
    return check_down(
        at,
        lambda one: one.state.to_act >= 0 and one.state.round < number,
        lambda one: _play(blueprint, one, CALL),
    )


def begin(blueprint: BettingTree) -> BlueprintNode:
    """Return where the blueprint begins."""
    return BlueprintNode(0, _asked(blueprint.game, blueprint.game.betting.initial()))


def _play(blueprint: BettingTree, at: BlueprintNode, action: BetAction) -> BlueprintNode:
    children = blueprint.children(at.node)
    node = next(child for child in children if int(blueprint.action[child]) == action)
    return BlueprintNode(node, _asked(blueprint.game, blueprint.game.betting.apply(at.state, action)))


def _asked(game: Holdem, state: BettingState) -> BettingState:
    """Return the next decision or the end: the trees of blueprints have no nodes for cards."""
    while state.to_act == CHANCE:
        state = game.betting.deal(state)
    return state

"""Which node of a blueprint's betting tree stands for a line that it may not have (Brown 2020, section 5.2.3).

The blueprint's line follows the real one action by action: a fold or a call is the same, all-in is all-in, and any
other bet the blueprint's bet with the nearest share of the pot. Where the blueprint cannot bet it calls. A seat that
acts out of turn for the blueprint (because a bet was none to it) is passed over, and at the end of a round everybody
who is still to act in the blueprint's line checks or calls.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from counterpoise.betting.rules import CALL, FOLD, BetAction, BettingState
from counterpoise.betting.sizes import read_label
from counterpoise.games.holdem import Holdem
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.subtree import Subtree
from counterpoise.search.translation import pot_share
from counterpoise.seats import CHANCE


class Home(NamedTuple):
    """A node of a blueprint's tree and the betting there."""

    node: int
    state: BettingState


def home_after(blueprint: BettingTree, game: Holdem, public: Iterable[str]) -> Home:
    """Return where the blueprint is after a real public history."""
    home, real = begin(blueprint), game.betting_after(())
    for event in public:
        if event[:1] in ("f", "c", "b"):
            home = follow(blueprint, home, game, real, read_label(event))
        real = game.betting_next(real, event)
        home = catch_up(blueprint, home, real.round)
    return home


def far_bets(blueprint: BettingTree, game: Holdem, public: Iterable[str]) -> int:
    """Return by how many chips a bet of a real line differs most from the one that stands for it in the blueprint."""
    home, real, most = begin(blueprint), game.betting_after(()), 0
    for event in public:
        if event[:1] in ("f", "c", "b"):
            after = follow(blueprint, home, game, real, read_label(event))
            if after.node != home.node and read_label(event) > CALL:
                meant = int(blueprint.action[after.node])
                most = max(most, abs(read_label(event) - meant) if meant > CALL else read_label(event) - real.stake)
            home = after
        real = game.betting_next(real, event)
        home = catch_up(blueprint, home, real.round)
    return most


def leaf_homes(blueprint: BettingTree, home: Home, tree: Subtree) -> list[int]:
    """Return the node of the blueprint that stands for each leaf of a subtree, whose root stands at `home`."""
    found: dict[int, tuple[Home, BettingState]] = {0: (home, tree.root)}

    def at(node: int) -> tuple[Home, BettingState]:
        if node not in found:
            before, real = at(int(tree.parent[node]))
            action = int(tree.action[node])
            after = tree.game.betting.apply(real, action)
            found[node] = follow(blueprint, before, tree.game, real, action), after
        return found[node]

    homes = []
    for node, state in tree.leaves:
        ended = state.to_act == CHANCE
        homes.append(catch_up(blueprint, at(node)[0], state.round + ended).node)
    return homes


def follow(blueprint: BettingTree, home: Home, game: Holdem, real: BettingState, action: BetAction) -> Home:
    """Return where the blueprint is after a real action."""
    return neighbours(blueprint, home, game, real, action)[0]


def neighbours(blueprint: BettingTree, home: Home, game: Holdem, real: BettingState, action: BetAction) -> list[Home]:
    """Return where the blueprint may be after a real action, the most similar first.

    There are two where a bet is between two of the blueprint's: Brown et al. 2018, section 6 averages the values of
    both.
    """
    if home.state.to_act != real.to_act or home.state.round != real.round:
        return [home]
    menu = [int(blueprint.action[child]) for child in blueprint.children(home.node)]
    return [_play(blueprint, home, one) for one in _alike(blueprint, home, game, real, action, menu)]


def catch_up(blueprint: BettingTree, home: Home, number: int) -> Home:
    """Return where the blueprint is when round `number` begins: whoever is still to act before it checks or calls."""
    while home.state.to_act >= 0 and home.state.round < number:
        home = _play(blueprint, home, CALL)
    return home


def _alike(
    blueprint: BettingTree, home: Home, game: Holdem, real: BettingState, action: BetAction, menu: list[BetAction]
) -> list[BetAction]:
    """Return the actions of the blueprint that stand for a real one: one, or both neighbours, the nearer first."""
    if action in (FOLD, CALL) or (action in menu and home.state == real):
        return [action if action in menu else CALL]
    bets = [bet for bet in menu if bet > CALL]
    if not bets:
        return [CALL]
    own, other = blueprint.game.betting, game.betting
    if action >= min(real.max_raise, other.reachable(real)):
        return bets[-1:]
    share = pot_share(other, real, action)
    apart = {bet: pot_share(own, home.state, bet) - share for bet in bets}
    nearest = min(bets, key=lambda bet: abs(apart[bet]))
    pot = min(own.total_pot(home.state), other.total_pot(real))
    second = [bet for bet in bets if apart[bet] * apart[nearest] < 0]
    if abs(apart[nearest]) * pot <= 1 or not second:  # the same but for the rounding to chips, or outside all bets
        return [nearest]
    return [nearest, min(second, key=lambda bet: abs(apart[bet]))]


def begin(blueprint: BettingTree) -> Home:
    """Return where the blueprint begins."""
    return Home(0, _asked(blueprint.game, blueprint.game.betting.initial()))


def _play(blueprint: BettingTree, home: Home, action: BetAction) -> Home:
    children = blueprint.children(home.node)
    node = next(child for child in children if int(blueprint.action[child]) == action)
    return Home(node, _asked(blueprint.game, blueprint.game.betting.apply(home.state, action)))


def _asked(game: Holdem, state: BettingState) -> BettingState:
    """Return the next decision or the end: the trees of blueprints have no nodes for cards."""
    while state.to_act == CHANCE:
        state = game.betting.deal(state)
    return state

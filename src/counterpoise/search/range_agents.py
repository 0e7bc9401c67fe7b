"""Players who search or translate while they play, and the tabulation of their strategies.

Such a player has no table of its strategy. To judge it, every path of play on every board is played through: at each of
its decisions its strategy with all its hands is recorded, and after each action of either player and each deal it
observes what it would in play.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeVar

from counterpoise.errors import InputError
from counterpoise.public import HoldemGame, Profile, PublicGame, PublicNode, Step
from counterpoise.search.subgame import FloatArray

Belief = TypeVar("Belief")
"""What a player knows of play so far, such as a place in the tree that it has solved."""


class RangeAgent(Protocol[Belief]):
    """A player who says what it does with each of its hands, given a `Belief` about play so far."""

    def start(self, root: PublicNode) -> Belief:
        """Return what it knows at the beginning, which is the root of the tree at the table."""
        ...

    def strategy(self, at: PublicNode, belief: Belief) -> FloatArray:
        """Return what it does at one of its decisions, [action, hand], both as in the game of `at`."""
        ...

    def after(self, at: PublicNode, belief: Belief, action: Step) -> Belief | None:
        """Return what it knows after an action of either player; None if it never gets there."""
        ...

    def dealt(self, belief: Belief, to: PublicNode) -> Belief:
        """Return what it knows when chance has dealt; `to` is the next decision."""
        ...


def tabulate_agent(game: PublicGame, player: int, agent: RangeAgent[Belief]) -> Profile:
    """Return an agent's strategy as `player` in the whole game, uniform where it never arrives."""
    found = Profile(game)
    for node, strategy in walk_agent(game, player, agent):
        node.set_strategy(found, strategy)
    return found


def walk_agent(game: PublicGame, player: int, agent: RangeAgent[Belief]) -> Iterator[tuple[PublicNode, FloatArray]]:
    """Yield every decision that an agent gets to as `player`, with what it does there, [action, hand]."""
    stack = [(game.root, agent.start(game.root))]
    while stack:
        at, belief = stack.pop()
        if at.kind == "deal":
            stack += [(node, agent.dealt(belief, node)) for node in at.deals()]
            continue
        if at.player == player:
            yield at, agent.strategy(at, belief)
        for action, following in at.children():
            after = None if following.kind == "end" else agent.after(at, belief, action)
            if after is not None:
                stack.append((following, after))


def require_same_game(whole: PublicGame, blueprint: PublicGame) -> None:
    """Refuse a blueprint whose cards or betting are not those of the whole game; only bet sizes may differ."""
    if not isinstance(whole, HoldemGame) or not isinstance(blueprint, HoldemGame):
        if whole.hand_counts != blueprint.hand_counts or type(whole) is not type(blueprint):
            raise InputError(f"the blueprint must be of {whole.name} but for some actions, not of {blueprint.name}")
        return
    wrong = whole.rules.differences(blueprint.rules)
    if whole.betting != blueprint.betting:
        wrong.append("betting")
    if wrong:
        raise InputError(
            f"the blueprint must be of the same game but for bet sizes; it has another {' and another '.join(wrong)}"
        )

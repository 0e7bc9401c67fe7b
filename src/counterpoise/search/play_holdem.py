"""The complete strategy of a player in a hold'em tree, made by following play everywhere.

A player who searches or translates while it plays has no table of its strategy. To judge it, every line of betting on
every board is played through: at each of its decisions what it does with all its hands is written down, and after each
action, of either player, and each deal it sees what it would see in play. The strategies end up as the averages of the
tree, where best responses can be computed.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BetAction, Betting, BettingState
from counterpoise.betting.sizes import BetSizes
from counterpoise.errors import InputError
from counterpoise.public import HoldemTree
from counterpoise.public.holdem import met_weight
from counterpoise.public.kernels.street import DEAL
from counterpoise.public.lines import Decision, Leaf, Line
from counterpoise.search.subgame import FloatArray

View = TypeVar("View")
"""What a player knows of where play is, such as a decision of a smaller tree."""


@dataclass(frozen=True, eq=False)
class Place:
    """A decision of a hold'em tree on a board, whose average strategies do not change any more."""

    tree: HoldemTree
    line: int
    decision: int
    cards: tuple[int, ...]

    @property
    def node(self) -> Decision:
        """Who acts, and how."""
        return self.tree.lines[self.line].decisions[self.decision]

    @cached_property
    def state(self) -> BettingState:
        """The betting at the decision."""
        line, steps, at = self.tree.lines[self.line], [], self.decision
        before = {child: edge for edge, (kind, child) in line.children.items() if kind == "decision"}
        while at in before:
            at, action = before[at]
            steps.append(action)
        state = line.state
        for action in reversed(steps):
            state = self.tree.betting.apply(state, action)
        return state

    @property
    def strategy(self) -> FloatArray:
        """What the player to act does on average, [action, hand of the deck]; 0 for hands that the board blocks."""
        return self.tree.by_deck(self.node.player, self.tree.behaviour(self.line, self.decision, self.cards))

    @cached_property
    def reaches(self) -> tuple[FloatArray, FloatArray]:
        """What of both players' hands arrives, by hand of the deck."""
        first, second = self.tree.reaches(self.line, self.decision, self.cards)
        return self.tree.by_deck(0, first), self.tree.by_deck(1, second)

    @cached_property
    def met(self) -> tuple[FloatArray, FloatArray]:
        """How much of what arrives of the other's hands each hand of either player can meet, by hand of the deck."""
        first, second = self.reaches
        return met_weight(second, self.tree.deck), met_weight(first, self.tree.deck)

    def after(self, action: BetAction) -> Place | Leaf:
        """The decision after an action of the tree, or the end of the round."""
        line = self.tree.lines[self.line]
        kind, number = line.children[self.decision, action]
        return replace(self, decision=number) if kind == "decision" else line.leaves[number]


def ending(line: Line, decision: int) -> NDArray[np.bool_]:
    """Which actions of a decision end the game at once: nothing but cards may come after them."""
    after = [line.children[decision, action] for action in line.decisions[decision].actions]
    return np.array([kind == "leaf" and line.leaves[number].kind != DEAL for kind, number in after])


@dataclass(frozen=True)
class WithBet(BetSizes):
    """Bet sizes and one bet more in a single state."""

    state: BettingState | None = None
    bet: BetAction = 0

    @classmethod
    def made(cls, sizes: BetSizes, state: BettingState, bet: BetAction) -> WithBet:
        """From bet sizes that may have had such a bet already, in a state that is over."""
        known = {part.name: getattr(sizes, part.name) for part in fields(BetSizes)}
        return cls(**known, state=state, bet=bet)

    def actions(self, betting: Betting, state: BettingState) -> tuple[BetAction, ...]:
        """With the bet where it is possible."""
        known = super().actions(betting, state)
        return tuple(sorted({*known, self.bet})) if state == self.state else known


def require_same_game(whole: HoldemTree, blueprint: HoldemTree) -> None:
    """Insist on a blueprint for the cards and the betting of the whole tree; only bet sizes may differ."""
    wrong = whole.differences(blueprint)
    if whole.betting != blueprint.betting:
        wrong.append("betting")
    if wrong:
        raise InputError(
            f"the blueprint must be of the same game but for bet sizes; it has another {' and another '.join(wrong)}"
        )


class Follower(Protocol[View]):
    """A player who follows play: `view` is what it makes of play so far."""

    def strategy(self, at: Place, view: View) -> FloatArray:
        """What it does at one of its decisions, [action, hand of the deck]."""
        ...

    def after(self, at: Place, view: View, action: BetAction) -> View | None:
        """What it knows after an action of either player; None if it never comes there."""
        ...

    def dealt(self, view: View, cards: tuple[int, ...]) -> View:
        """What it knows when the next cards are on the board."""
        ...


class _Step(NamedTuple, Generic[View]):
    at: Place
    board: int
    view: View


def play_everywhere(tree: HoldemTree, player: int, follower: Follower[View], view: View) -> None:
    """Make the averages of a tree what a follower does as `player`, which begins with `view`.

    Where it never comes all actions are alike.
    """
    tree.clear()
    stack = [_Step(Place(tree, 0, 0, tree.board), 0, view)]
    while stack:
        at, board, view = stack.pop()
        if at.node.player == player:
            rows = tree.in_rows(player, board, follower.strategy(at, view))
            tree.set_average(at.line, at.decision, board, rows)
        for action in at.node.actions:
            following = at.after(action)
            if isinstance(following, Leaf) and following.kind != DEAL:
                continue
            after = follower.after(at, view, action)
            if after is None:
                continue
            if isinstance(following, Place):
                stack.append(_Step(following, board, after))
                continue
            for child in sorted({child for child, _ in tree.tables_of[board].children.values()}):
                cards = tree.tables_of[child].cards
                stack.append(_Step(Place(tree, following.line, 0, cards), child, follower.dealt(after, cards)))

"""Where play is in a game: after a public history of hold'em, or in a public tree.

A `Place` says who acts, which bets there are and what follows an action or a deal. It never changes. At the table it is
a `TablePlace`, or a `TreePlace` where the table is a public tree. In the game of a strategy that a player follows it is
a `LinePlace`, whose strategy is asked by public history, or a `SolvedPlace` in a public tree with a profile, which also
remembers what the opponent has done, across the solutions in which its actions were answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BetAction, BettingState
from counterpoise.betting.sizes import label, read_label
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour
from counterpoise.search.action_translation import Bets, ChipBets, NamedBets, SizeOf, Step, bet_size
from counterpoise.seats import CHANCE, TERMINAL

if TYPE_CHECKING:
    from counterpoise.public import HoldemGame, Profile, PublicNode
    from counterpoise.search.nested_problem import Answer

FloatArray = NDArray[np.float64]


class Place(Protocol):
    """Where play is in a game."""

    @property
    def to_act(self) -> int:
        """The seat to act; `CHANCE` where cards are dealt, `TERMINAL` where nothing follows."""

    @property
    def bets(self) -> Any:
        """The bets of the seat to act: `ChipBets` or `NamedBets`."""

    @property
    def last_round(self) -> bool:
        """Whether no more public cards are dealt."""

    def play(self, action: Step) -> Self:
        """Return where play is after an action."""

    def deal(self, dealt: Any) -> Self:
        """Return where play is after public cards."""


class StrategyPlace(Place, Protocol):
    """Where play is in the game of a strategy."""

    def strategy(self) -> tuple[Sequence[Step], FloatArray]:
        """Return the actions of the seat to act, and what it does with each hand, [action, hand]."""


class RangeStrategy(Protocol):
    """A strategy of all seats of hold'em from a public history on."""

    @property
    def game(self) -> Holdem:
        """The game of the strategy, which may have other bets and larger stacks than the table."""

    def behaviour(self, line: tuple[str, ...]) -> Behaviour:
        """Return what the seat to act does with every hand of the deck after a history of the strategy's game."""


@dataclass(frozen=True)
class TablePlace:
    """Where play is in a game of hold'em: the public history, and the betting after it."""

    game: Holdem
    public: tuple[str, ...]
    betting: BettingState

    @property
    def to_act(self) -> int:
        """The seat to act; `CHANCE` where cards are dealt, `TERMINAL` where nothing follows."""
        return self.betting.to_act

    @property
    def bets(self) -> ChipBets:
        """The bets of the seat to act, any that the rules allow."""
        return ChipBets(self.game.betting, self.betting)

    @property
    def last_round(self) -> bool:
        """Whether no more public cards are dealt."""
        return self.betting.round == len(self.game.board) - 1

    def play(self, action: BetAction) -> Self:
        """Return where play is after an action."""
        return self.deal(label(action))

    def deal(self, dealt: str) -> Self:
        """Return where play is after a public event."""
        betting = self.game.betting_next(self.betting, dealt)
        return replace(self, public=(*self.public, dealt), betting=betting)


@dataclass(frozen=True)
class LinePlace(TablePlace):
    """A place in the game of a strategy that is asked by public history."""

    of: RangeStrategy

    def strategy(self) -> tuple[Sequence[BetAction], FloatArray]:
        """Return the actions of the seat to act, and what it does with each hand, [action, hand]."""
        known = self.of.behaviour(self.public)
        return [read_label(action) for action in known.actions], known.table.T


@dataclass(frozen=True)
class TreePlace:
    """Where play is in a public tree."""

    node: PublicNode
    size_of: SizeOf = field(default=bet_size, kw_only=True)
    """How large the bets of a game other than hold'em are."""

    @property
    def to_act(self) -> int:
        """The seat to act; `CHANCE` where cards are dealt, `TERMINAL` where nothing follows."""
        return self.node.player if self.node.kind == "decision" else CHANCE if self.node.kind == "deal" else TERMINAL

    @property
    def bets(self) -> Bets:
        """The bets of the seat to act, those that the tree has."""
        game = self.node.game
        if game.has_infosets:
            return NamedBets(self.node.actions, self.size_of)
        return ChipBets(cast("HoldemGame", game).betting, self.node.state, self.node.actions)

    @property
    def last_round(self) -> bool:
        """Whether no more public cards are dealt."""
        return self.node.street_tree.street + 1 == self.node.game.streets

    def play(self, action: Step) -> Self:
        """Return where play is after an action that the tree knows."""
        return replace(self, node=self.node.child(action))

    def deal(self, dealt: Any) -> Self:
        """Return where play is after public cards."""
        return replace(self, node=self.node.deal(dealt))


@dataclass(frozen=True, eq=False)
class OpponentPath:
    """The opponent's actions so far: the last one, where it was taken and, if search has answered it, the answer."""

    before: OpponentPath | None
    node: PublicNode
    profile: Profile
    action: Step
    answered: Answer | None

    @cached_property
    def gifts(self) -> FloatArray:
        """What each hand of the opponent has given up in all, in the order of the hands of `node`."""
        from counterpoise.search.gifts import gift_at  # few ask for it: most play follows no public tree

        new = None if self.answered is None else (self.answered.node, self.answered.profile)
        known = self.action in self.node.actions
        given = gift_at(self.node, self.action, self.profile, led_to=None if known else new)
        return given if self.before is None else given + self.before.gifts_in(self.node)

    def gifts_in(self, node: PublicNode) -> FloatArray:
        """Return the gifts in the order of the hands of another node's game."""
        return node.game.from_hands_of(self.node.game, self.node.player, self.gifts)


@dataclass(frozen=True)
class SolvedPlace(TreePlace):
    """A place in a public tree, with the strategies of both seats there and what the opponent did on the way."""

    profile: Profile
    path: OpponentPath | None = None
    """The opponent's actions so far, including those in the trees of earlier solutions."""
    opponent: int | None = None
    """The seat whose actions are recorded in `path`."""

    def strategy(self) -> tuple[tuple[Step, ...], FloatArray]:
        """Return the actions of the seat to act, and what it does with each hand, [action, hand]."""
        return self.node.actions, self.node.strategy(self.profile)

    def play(self, action: Step) -> Self:
        """Return where play is after an action that the tree knows."""
        if self.node.player != self.opponent:
            return super().play(action)
        path = OpponentPath(self.path, self.node, self.profile, action, None)
        return replace(self, node=self.node.child(action), path=path)

    def answered(self, action: Step, found: Answer) -> Self:
        """Return where play is after an action of the opponent in the tree that answers it."""
        path = OpponentPath(self.path, self.node, self.profile, action, found)
        return replace(self, node=found.node, profile=found.profile, path=path)

    @property
    def gifts(self) -> FloatArray:
        """What each hand of the opponent, who is to act, has given up on its path."""
        nothing = np.zeros(self.node.game.hand_counts[self.node.player])
        return nothing if self.path is None else self.path.gifts_in(self.node)

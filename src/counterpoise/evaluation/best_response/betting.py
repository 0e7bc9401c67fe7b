"""The betting of limit hold'em for two seats: one street tree for every path to a round.

A *line* lists the actions of each round so far: ``(("b4", "c"), ("c",))`` is a raise and a call before the flop and a
check on it. With the cards of each round it is a public history.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

from counterpoise.betting.sizes import EveryAction, label
from counterpoise.cards import format_cards
from counterpoise.errors import InputError
from counterpoise.games.base import Game, game_name
from counterpoise.games.holdem import Holdem, LimitHoldem
from counterpoise.games.known import Line
from counterpoise.public.street_trees import Following, StreetDecision, StreetTree, build_street_trees

MOST_LINES = 100_000


@dataclass(frozen=True)
class LimitBetting:
    """The actions and payoffs of a game of limit hold'em for two seats."""

    game: LimitHoldem

    def __post_init__(self) -> None:
        bets = self.game.betting.max_bets or ()
        lines = prod(2 * most + 1 for most in bets)
        if lines > MOST_LINES:
            raise InputError(
                f"{self.game.name} has about {lines:,} lines of betting, and a best response takes at most "
                f"{MOST_LINES:,}: take a smaller max_bets"
            )
        if self.game.whole_chips and self.game.rake:
            raise InputError(
                f"{self.game.name}: a best response needs pots that are split in halves: leave out whole_chips or rake"
            )

    @classmethod
    def of(cls, game: Game) -> LimitBetting:
        """Return the betting of a game; refuse any but limit hold'em for two seats."""
        if isinstance(game, LimitHoldem) and game.seats == 2:
            return cls(game)
        raise InputError(f"{game_name(game)}: {refusal(game)}")

    @cached_property
    def trees(self) -> tuple[StreetTree, ...]:
        """The street trees, a tree after the one that leads to it.

        After an all-in trees without decisions lead to the showdown.
        """
        trees = build_street_trees(self.game.betting, EveryAction())
        last = len(self.game.board) - 1
        for number, tree in enumerate(trees):  # grows while it is walked
            for place, leaf in enumerate(tree.leaves):
                if leaf.is_runout and tree.street < last:
                    later = StreetTree(tree.street + 1, None, (number, place), leaves=[replace(leaf, rows=(0, 0))])
                    tree.leaves[place] = leaf.followed_by(len(trees))
                    trees.append(later)
        return tuple(trees)

    @cached_property
    def dealt(self) -> tuple[int, ...]:
        """The number of public cards on the board in each round."""
        board = self.game.board
        return tuple(sum(board[: number + 1]) for number in range(len(board)))

    def line(self, tree: int, end: Following) -> Line:
        """Return the line that leads to a decision or leaf of a street tree."""
        street = self.trees[tree]
        here = tuple(label(action) for _, action in street.way_to(end))
        above, leaf = street.path
        return (here,) if above < 0 else (*self.line(above, ("leaf", leaf)), here)

    def public(self, line: Line, board: Sequence[int]) -> tuple[str, ...]:
        """Return the public history of a line on a board, whose cards are in the order in which they were dealt."""
        events: list[str] = []
        for number, actions in enumerate(line):
            begin = self.dealt[number] - self.game.board[number]
            cards = sorted(board[begin : self.dealt[number]], reverse=True)
            events += [format_cards(cards, separator="")] if cards else []
            events += actions
        return tuple(events)

    def menu(self, decision: StreetDecision) -> tuple[str, ...]:
        """Return the labels of the actions at a decision."""
        return tuple(label(action) for action in decision.actions)


def refusal(game: Game) -> str:
    """Return why the best response to a player of a large game cannot be computed, and what can be done instead."""
    if isinstance(game, Holdem) and game.seats == 2:
        return (
            "an exact best response is computed for limit hold'em and for small decks or few rounds, as with ranks=3 "
            "and board=[0, 3]; in no-limit hold'em use counterpoise lbr, whose figure is a lower bound"
        )
    return (
        "an exact best response to an agent is computed for two seats; let agents play each other: counterpoise match"
    )

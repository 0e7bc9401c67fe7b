"""A game of limit hold'em in parts: the trunk before the first deal, and some first deals each with all that follows.

Johanson 2016, chapter 9, cuts after the flop's betting; here the flop's betting is below the cut, so that a part needs
nothing but the reach at the end of the first round. Which deals make a part depends on the game and on the number of
deals in a part, never on the workers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from counterpoise.betting.sizes import limit_sizes
from counterpoise.cards import Range
from counterpoise.cards.symmetry import Orbits
from counterpoise.errors import InputError
from counterpoise.games.base import Game, game_name
from counterpoise.games.holdem import LimitHoldem
from counterpoise.parameters import require_whole
from counterpoise.public import Cut, HoldemGame, HoldemRules, build_holdem
from counterpoise.public.street_trees import StreetTree

MOST_LINES = 100_000
"""The most lines of betting."""
PART_REGRETS = 4_000_000
"""The approximate number of regrets of a part, unless another is asked for."""


@dataclass(frozen=True)
class Partition:
    """Where a game is cut, and which first deals each part has.

    >>> from counterpoise.games import load
    >>> found = Partition.of(load("limit_holdem(board=[0, 3], ranks=3, max_bets=2)"), deals=4)
    >>> found.parts, found.lines, found.first_deals(1)
    (5, 3, (4, 5, 6, 7))
    """

    game: LimitHoldem
    deals_per_part: int

    @classmethod
    def of(cls, game: Game, deals: int | None = None) -> Partition:
        """Return the partition of a game with some first deals in each part; refuse unsuitable games."""
        if not isinstance(game, LimitHoldem) or game.seats != 2 or game.board[0] != 0 or len(game.board) < 2:
            raise InputError(
                f"{game_name(game)}: out of core are games of limit hold'em for two seats with a deal after the first "
                "round, such as limit_holdem(board=[0, 3])"
            )
        if game.rake or game.whole_chips:
            raise InputError(f"{game.name}: out of core one seat must win what the other loses, so without rake")
        lines = prod(2 * most + 1 for most in game.betting.max_bets or ())
        if lines > MOST_LINES:
            raise InputError(f"{game.name} has about {lines:,} lines of betting, and the most is {MOST_LINES:,}")
        if deals is not None:
            require_whole("deals", deals, 1, 100_000)
            return cls(game, deals)
        one = cls(game, 1)
        return cls(game, max(1, min(int(PART_REGRETS / one.regrets * one.deals), one.deals)))

    @cached_property
    def rules(self) -> HoldemRules:
        """The rules of the whole game."""
        game = self.game
        sizes = limit_sizes(len(game.board))
        everything = Range(np.ones(game.deck.hand_count), game.deck)
        return HoldemRules((), (everything, everything), game.betting, sizes, game.deck, game.board[1:], name=game.name)

    @cached_property
    def trunk(self) -> HoldemGame:
        """The game up to its first deal, where it has a value leaf for each line that leads on."""
        return build_holdem(replace(self.rules, cut=Cut(deals=1)))

    @cached_property
    def _first_deals(self) -> Orbits:
        return self.rules.symmetry.orbits(self.rules.to_come[0])

    @cached_property
    def orbits(self) -> list[int]:
        """The number of isomorphic deals of each first deal that suits tell apart."""
        return [int(count) for count in self._first_deals.multiplicity]

    @cached_property
    def orbit_of(self) -> dict[tuple[int, ...], int]:
        """The number, among those that suits tell apart, of every first deal, its cards in rising order."""
        numbers = np.repeat(np.arange(self.deals), self.orbits).tolist()
        return dict(zip(map(tuple, self._first_deals.members.tolist()), numbers, strict=True))

    @property
    def deals(self) -> int:
        """The number of first deals that suits tell apart."""
        return len(self.orbits)

    @property
    def parts(self) -> int:
        """The number of parts."""
        return -(-self.deals // self.deals_per_part)

    @cached_property
    def trees(self) -> tuple[StreetTree, ...]:
        """The betting of all rounds."""
        return self.rules.street_trees

    @cached_property
    def lines(self) -> int:
        """The number of lines that lead on from the first round."""
        return sum(tree.street == 1 for tree in self.trees)

    def first_deals(self, part: int) -> tuple[int, ...]:
        """Return the numbers of the first deals of a part."""
        begin = part * self.deals_per_part
        return tuple(range(begin, min(begin + self.deals_per_part, self.deals)))

    def build(self, part: int) -> HoldemGame:
        """Return the game of a part: the whole game with its first deals alone."""
        return build_holdem(replace(self.rules, first_deals=self.first_deals(part)))

    @cached_property
    def part_megabytes(self) -> float:
        """The approximate megabytes of memory of a part at work: regrets, their code and the boards."""
        size = replace(self.rules, first_deals=self.first_deals(0)).size()
        return size.megabytes[32] + 4 * size.entries / 1e6

    @cached_property
    def states(self) -> list[int]:
        """The number of hands and boards of each round that suits tell apart, from the view of one seat."""
        from counterpoise.cards.isomorphism import isomorphism

        board = self.game.board
        return [isomorphism((2, *board[1 : number + 1]), self.game.deck).size for number in range(len(board))]

    @cached_property
    def information_sets(self) -> int:
        """Information sets of the whole game, counting isomorphic ones once."""
        return sum(len(tree.decisions) * self.states[tree.street] for tree in self.trees)

    @cached_property
    def regrets(self) -> int:
        """Regrets below the trunk: one for each information set and action."""
        return sum(
            len(decision.actions) * self.states[tree.street]
            for tree in self.trees
            if tree.street
            for decision in tree.decisions
        )

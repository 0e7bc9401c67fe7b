"""The rules of a public game of hold'em, from which everything about it follows before it is built, such as its
size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from counterpoise.betting.rules import CALL, Betting, BettingState
from counterpoise.betting.sizes import BetSizes
from counterpoise.betting.tilt import PayoffTilt
from counterpoise.betting.tree_count import walk_betting
from counterpoise.cards import STANDARD_DECK, Deck, Range, SuitSymmetry, suit_symmetry
from counterpoise.errors import InputError
from counterpoise.public.boards import NOBODY_WATCHES, BoardNode, BuildWatch, deal_boards, row_length
from counterpoise.public.game import FloatArray, Rows
from counterpoise.public.kernels.street import DEAL, RUNOUT, VALUE
from counterpoise.public.street_trees import Cut, StreetTree, build_street_trees
from counterpoise.seats import CHANCE, TERMINAL

PAIR_EFFORT = 0.1
"""The cost of looking up a pair of hands at an all-in end, in nodes x hands."""


@dataclass(frozen=True)
class Start:
    """The beginning of a game that is a part of a larger one, perhaps in the middle of a street."""

    state: BettingState
    """The betting there: a player is to act, or cards are to be dealt."""
    deals: tuple[int, ...] = ()
    """The number of cards of each deal since the larger game began, in order."""
    reach: Rows | None = None
    """The reach of each hand of the deck, range weights included; None: the ranges as they are.

    Hands of the ranges that never arrive stay in the game, with weight 0."""
    history: tuple[Any, ...] = ()
    """Actions and deals since the larger game began."""


@dataclass(frozen=True)
class TreeSize:
    """The size of a tree, known before it is built: public nodes, table entries, memory per `bits`, work per
    iteration."""

    nodes: int
    entries: int
    megabytes: Mapping[int, float]
    work: int
    """Nodes x hands of one traversal for each player."""
    pairs: int
    """Pairs of hands at all-in ends before the last card, whose wins a traversal looks up."""

    @property
    def effort(self) -> float:
        """Work including these pairs, in proportion to the time of a traversal."""
        return self.work + PAIR_EFFORT * self.pairs


@dataclass(frozen=True)
class HoldemRules:
    """Everything that defines the game: cards, ranges, betting, bet sizes, deals to come."""

    board: tuple[int, ...]
    ranges: tuple[Range, Range]
    betting: Betting
    sizes: BetSizes
    deck: Deck = STANDARD_DECK
    deals: tuple[int, ...] | None = None
    """The number of cards that each later street deals; by default one card each up to five."""
    isomorphism: bool = True
    """Whether suits that board and ranges do not tell apart are treated alike."""
    start: Start | None = None
    """Where the game begins if it is a part of a larger one; values keep the zero of the larger one, half its pot."""
    cut: Cut | None = None
    """Where play stops at value leaves."""
    tilt: PayoffTilt | None = None
    """The factors on each player's payoffs, counted from half the starting pot."""
    first_deals: tuple[int, ...] | None = None
    """The numbers of those first deals, among all that suits tell apart, which are part of the game; by default all.

    A game with some of them is a part of the whole one: each deal keeps the probability that it has there."""
    name: str = "the hold'em game"
    """Its name in messages and results."""

    def __post_init__(self) -> None:
        if self.deals is None:
            if not 3 <= len(self.board) <= 5:
                raise InputError(f"board must have 3 to 5 cards, not {len(self.board)}")
            object.__setattr__(self, "deals", (1,) * (5 - len(self.board)))

    @property
    def to_come(self) -> tuple[int, ...]:
        """The number of cards that each later street deals."""
        assert self.deals is not None
        return self.deals

    @cached_property
    def street_trees(self) -> tuple[StreetTree, ...]:
        """The betting of all streets."""
        start = None if self.start is None else self.start.state
        return tuple(build_street_trees(self.betting, self.sizes, start, self.cut, self.tilt))

    @property
    def value_leaves(self) -> int:
        """The number of value leaves at which the cut stops the betting, on one board of each street."""
        return sum(leaf.kind == VALUE for tree in self.street_trees for leaf in tree.leaves)

    @cached_property
    def streets(self) -> int:
        """The number of streets that are played."""
        if self.cut is not None:
            return max(tree.street for tree in self.street_trees) + 1
        count, state = 1, self._first_state
        while state.to_act != TERMINAL:  # no line has more streets than the one of checks and calls
            count += state.to_act == CHANCE
            state = self.betting.deal(state) if state.to_act == CHANCE else self.betting.apply(state, CALL)
        return count

    @property
    def runout_streets(self) -> set[int]:
        """The streets on which players may be all-in before the last card."""
        return {tree.street for tree in self.street_trees for leaf in tree.leaves if leaf.kind == RUNOUT}

    @property
    def board_sizes(self) -> list[int]:
        """The number of cards on the board at the start and after each deal."""
        return list(accumulate(self.to_come, initial=len(self.board)))

    @property
    def _first_state(self) -> BettingState:
        return self.betting.initial() if self.start is None else self.start.state

    @cached_property
    def board_nodes(self) -> list[BoardNode]:
        """All boards of these streets, without hands: a game has copies of its own with the hands of each in order."""
        return self._deal_boards(NOBODY_WATCHES)

    def watched_board_nodes(self, watch: BuildWatch) -> list[BoardNode]:
        """Return all boards of these streets, shown to `watch` if they must be dealt first."""
        if "board_nodes" not in self.__dict__:
            self.__dict__["board_nodes"] = self._deal_boards(watch)
        return self.board_nodes

    def _deal_boards(self, watch: BuildWatch) -> list[BoardNode]:
        return deal_boards(self.symmetry, self.to_come, self.streets, watch, self.first_deals)

    @cached_property
    def live_weights(self) -> tuple[FloatArray, FloatArray]:
        """The weights of the hands that the board leaves, by hand of the deck."""
        first, second = (own.live(self.board).weights for own in self.ranges)
        return first, second

    @property
    def _live_counts(self) -> list[int]:
        return [int(np.count_nonzero(weight)) for weight in self.live_weights]

    @cached_property
    def symmetry(self) -> SuitSymmetry:
        """The symmetries of board and ranges.

        A part of a larger game has those symmetries of that game which the cards dealt since leave, and no others: the
        order of the deals matters, and so do ranges at the beginning.
        """
        board, deck = self.board, self.deck
        dealt = () if self.start is None else self.start.deals
        before = len(board) - sum(dealt)
        symmetry = suit_symmetry([board[:before]], [own.live(board[:before]).weights for own in self.ranges], deck)
        if not self.isomorphism:
            symmetry = SuitSymmetry(deck, symmetry.board, symmetry.permutations[:1])
        for count in dealt:
            symmetry = symmetry.deal(board[before : before + count])
            before += count
        return symmetry

    def differences(self, other: HoldemRules) -> list[str]:
        """Return what differs from the cards of other rules: deck, board, ranges, deals (made or to come)."""
        made = [() if rules.start is None else rules.start.deals for rules in (self, other)]
        pairs = zip(self.ranges, other.ranges, strict=True)
        differ = {
            "deck": self.deck != other.deck,
            "board": self.board != other.board,
            "range": not all(np.array_equal(own.weights, theirs.weights) for own, theirs in pairs),
            "deal": (made[0], self.deals, self.first_deals) != (made[1], other.deals, other.first_deals),
        }
        return [name for name, found in differ.items() if found]

    def with_sizes(self, sizes: BetSizes) -> HoldemRules:
        """Return the rules with other bet sizes, which keep what was computed about the cards."""
        return replace(self, sizes=sizes).knowing_cards_of(self)

    def knowing_cards_of(self, other: HoldemRules) -> HoldemRules:
        """Return these rules, which take over what others of the same board, ranges and deals have computed about
        them."""
        names = ["symmetry", "live_weights"]
        if self.cut is None and other.cut is None and self.streets == other.streets:
            names.append("board_nodes")
        self.__dict__.update({name: other.__dict__[name] for name in names if name in other.__dict__})
        return self

    def takes_at_most(self, effort: float) -> bool:
        """Return whether the effort of the game, as `size` counts it, is at most this.

        It stops counting where that is passed, which may be long before the end. Rules must have no cut.
        """
        boards, hands = self._boards_and_hands
        for street, runout in walk_betting(self.betting, self.sizes, self._first_state):
            first, second = hands[street]
            effort -= boards[street] * (first + second + runout * PAIR_EFFORT * first * second)
            if effort < 0:
                return False
        return True

    @property
    def _boards_and_hands(self) -> tuple[list[int], list[list[float]]]:
        """The number of boards of each street and about how many hands they leave each player."""
        streets = self.streets
        boards = np.bincount([node.street for node in self.board_nodes], minlength=streets).tolist()
        known, dealt = len(self.board), sum(self.to_come[: streets - 1])
        # On the last street a board of `dealt` cards more leaves about this share of the hands.
        share = [1.0] * (streets - 1) + [(1 - dealt / (self.deck.size - known)) ** 2]
        return boards, [[part * own for own in self._live_counts] for part in share]

    def size(self) -> TreeSize:
        """Return nodes, memory and work of the game, without ordering the hands of its boards."""
        live = self._live_counts
        boards, held = self._boards_and_hands
        nodes = entries = rows = work = pairs = 0
        for tree in self.street_trees:
            count, hands = boards[tree.street], held[tree.street]
            here = count * (len(tree.decisions) + sum(leaf.kind != DEAL for leaf in tree.leaves))
            nodes += here
            work += int(here * sum(hands))
            pairs += count * live[0] * live[1] * sum(leaf.kind == RUNOUT for leaf in tree.leaves)
            for decision in tree.decisions:
                entries += count * len(decision.actions) * row_length(int(hands[decision.player]))
                rows += count * len(decision.actions)
        matrices = 2 * live[0] * live[1] * sum(boards[street] for street in self.runout_streets)
        other = 16 * sum(live) * sum(boards) + matrices
        memory = {32: (8 * entries + other) / 1e6, 16: (4 * entries + 8 * rows + other) / 1e6}
        return TreeSize(nodes, entries, memory, work, pairs)

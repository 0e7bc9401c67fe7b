"""Hold'em as a public tree of hand vectors: two players with ranges, a board, one betting definition, bet sizes.

The board may have three to five cards (a spot), or none for games whose later deals are named, such as the [2-4]
hold'em of JOHANSON, which deals a flop and ends there. Values are in chips with half the starting pot as zero,
weighted over all pairs of hands that can meet. Suits that board and ranges do not tell apart are treated alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import Betting, BettingState
from counterpoise.betting.sizes import BetSizes
from counterpoise.cards import STANDARD_DECK, Deck, Range, SuitSymmetry, board_strengths, suit_symmetry
from counterpoise.errors import InputError
from counterpoise.public.boards import MOST_RUNOUTS, Table, build_boards, deal_boards, row_length
from counterpoise.public.engine import NodeValues, PublicTree, Rows, Schedule
from counterpoise.public.kernels.equity import count_wins
from counterpoise.public.kernels.street import DEAL, RUNOUT
from counterpoise.public.lines import Line, build_lines
from counterpoise.public.tables import Lock


@dataclass(frozen=True)
class HandLock:
    """A fixed strategy in the words of a spot: at a decision on a board, one hand's probabilities per action."""

    line: int
    decision: int
    cards: tuple[int, ...]
    hand: int
    """Place among the live hands of the player to act."""
    probabilities: tuple[float, ...]


@dataclass(frozen=True)
class Start:
    """Where a tree begins that is a part of a larger one, perhaps in the middle of a street."""

    state: BettingState
    """Somebody is to act."""
    deals: tuple[int, ...] = ()
    """How many cards each deal since the larger tree began has put on the board, the first deal first."""
    reach: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    """What of each hand of the deck arrives, range weights included; without it the ranges as they are.

    Hands of the ranges that never arrive stay in the tree, with weight 0."""


@dataclass(frozen=True)
class TreeSize:
    """What a tree needs before it is built: public nodes, table entries, memory per `bits`, work per iteration."""

    nodes: int
    entries: int
    megabytes: Mapping[int, float]
    work: int
    """Nodes x hands of one traversal for each player."""


class HoldemTree(PublicTree):
    """The public tree of a hold'em spot; hands are named by their place among a player's live hands."""

    def __init__(
        self,
        board: tuple[int, ...],
        ranges: tuple[Range, Range],
        betting: Betting,
        sizes: BetSizes,
        deck: Deck = STANDARD_DECK,
        *,
        deals: tuple[int, ...] | None = None,
        bits: int = 32,
        locks: Sequence[HandLock] = (),
        isomorphism: bool = True,
        start: Start | None = None,
        like: HoldemTree | None = None,
    ) -> None:
        """With a `start` the tree is what follows it; values keep the zero of the whole spot, half its pot.

        `like` is a tree with the same cards, ranges and deals to come, whose boards are used again.
        """
        self.board, self.betting, self.deck, self._deals = board, betting, deck, _deals(board, deals)
        self.sizes, self._given, self._start, self._isomorphism = sizes, ranges, start, isomorphism and not locks
        if like is not None:
            wrong = self.differences(like)
            if like._isomorphism != self._isomorphism:
                wrong.append("use of isomorphism")
            if wrong:
                raise InputError(f"like must be a tree of the same cards; it has another {' and another '.join(wrong)}")
        self._symmetry: SuitSymmetry
        self._live: list[NDArray[np.float64]]
        if like is None:
            self._symmetry, self._live = _prepare(board, ranges, deck, self._isomorphism, start)
        else:
            self._symmetry, self._live = like._symmetry, like._live
        weights = self._live
        numbers = tuple(np.flatnonzero(weight).astype(np.uint16) for weight in weights)
        self.hands = tuple(deck.hands[own] for own in numbers)
        if start is None or start.reach is None:
            arriving = _that_meet(weights, deck)
        else:
            weights = arriving = [own * deck.live_hands(board) for own in start.reach]
        self.weights: Rows = (weights[0][numbers[0]], weights[1][numbers[1]])
        lines = build_lines(betting, sizes, None if start is None else start.state)
        self._runouts = {line.street for line in lines for leaf in line.leaves if leaf.kind == RUNOUT}

        def strength(full: list[tuple[int, ...]], hands: NDArray[np.uint8]) -> NDArray[np.int16]:
            return board_strengths(full, hands, deck).astype(np.int16)

        self.tables_of: list[Table]
        if like is not None and like._runouts >= self._runouts:
            self.tables_of, boards, self._runouts = like.tables_of, like.boards, like._runouts
            self._apart = like._apart
        else:
            self.tables_of, boards = build_boards(
                deck, self._symmetry, self._deals, (numbers[0], numbers[1]), strength, self._runouts
            )
        self._numbers = numbers
        rows = np.zeros((2, int(boards.stride.max())), dtype=np.float32)
        self._unit = tuple(float(own.max(initial=0)) or 1.0 for own in self.weights)  # tables know shares of it
        for player, meeting in enumerate(arriving):
            own = numbers[player][self.tables_of[0].hands[player]]
            rows[player, : len(own)] = meeting[own] / self._unit[player]
        streets = [table.street for table in self.tables_of]
        places = self._slots(lines, locks)
        self.pair_mass = float(self.weights[0] @ self._apart @ self.weights[1])
        mass = self.pair_mass / (self._unit[0] * self._unit[1])
        super().__init__(lines, boards, streets, rows, mass, bits, places)

    @staticmethod
    def size(
        board: tuple[int, ...], ranges: tuple[Range, Range], betting: Betting, sizes: BetSizes,
        deck: Deck = STANDARD_DECK, *, deals: tuple[int, ...] | None = None, isomorphism: bool = True,
        start: Start | None = None,
    ) -> TreeSize:  # fmt: skip
        """Nodes, memory and work of the tree, without building its boards."""
        symmetry, weights = _prepare(board, ranges, deck, isomorphism, start)
        lines = build_lines(betting, sizes, None if start is None else start.state)
        return _size(lines, deal_boards(symmetry, _deals(board, deals)), weights, deck)

    def part(
        self,
        state: BettingState,
        cards: tuple[int, ...],
        reach: Rows,
        sizes: BetSizes | None = None,
        like: HoldemTree | None = None,
    ) -> HoldemTree:
        """The tree of what follows a betting state on a board, where so much of each hand of the deck arrives.

        Its bets may have other sizes than those of this tree; `like` is an earlier part on the same board.
        """
        counts = np.cumsum([len(self.board), *self._deals]).tolist()
        if cards[: len(self.board)] != self.board or len(cards) not in counts:
            known = " or ".join(map(str, counts))
            raise InputError(f"cards must be the {known} on the board after a deal, its own first, not {cards!r}")
        dealt = counts.index(len(cards))
        before = () if self._start is None else self._start.deals
        start = Start(state, before + self._deals[:dealt], reach)
        return HoldemTree(
            cards, self._given, self.betting, sizes or self.sizes, self.deck, deals=self._deals[dealt:],
            bits=self.bits, isomorphism=self._isomorphism, start=start, like=like if dealt else like or self,
        )  # fmt: skip

    def differences(self, other: HoldemTree) -> list[str]:
        """What of the cards differs from another tree: deck, board, ranges, deals (made or to come)."""
        made = [() if tree._start is None else tree._start.deals for tree in (self, other)]
        pairs = zip(self._given, other._given, strict=True)
        differ = {
            "deck": self.deck != other.deck,
            "board": self.board != other.board,
            "range": not all(np.array_equal(one.weights, two.weights) for one, two in pairs),
            "deal": (made[0], self._deals) != (made[1], other._deals),
        }
        return [name for name, found in differ.items() if found]

    def with_ranges(self, own: Mapping[int, NDArray[Any]]) -> Self:
        """With other weights of some seats' hands at the root, as shares of what was the largest weight there."""
        tree = super().with_ranges(own)
        weights = [old.copy() for old in self.weights]
        for seat, reach in own.items():
            weights[seat][self.tables_of[0].hands[seat]] = np.asarray(reach) * self._unit[seat]
        tree.weights = (weights[0], weights[1])
        tree.pair_mass = tree.mass * self._unit[0] * self._unit[1]
        return tree

    def behaviour(self, line: int, decision: int, cards: tuple[int, ...]) -> NDArray[np.float64]:
        """The average strategy of the player to act, [action, live hand]; zero for hands that `cards` block."""
        board, renamed = self.find(cards)
        player = self.lines[line].decisions[decision].player
        return self._spread(self.average_strategy(line, decision, board), player, board, renamed)

    def reaches(self, line: int, decision: int, cards: tuple[int, ...]) -> Rows:
        """Both players' reach at a decision under the average strategies, range weights included."""
        board, renamed = self.find(cards)
        found = self.reach_at(line, decision, board, self._line_reach(line, cards))
        first, second = (self._spread(own, p, board, renamed) * self._unit[p] for p, own in enumerate(found))
        return first, second

    def values(self, line: int, decision: int, cards: tuple[int, ...]) -> NodeValues:
        """Counterfactual values of the average strategies at a decision, in chips, summed over the reach there."""
        board, renamed = self.find(cards)
        found = self.node_values(line, decision, board, self._line_reach(line, cards))
        actor = self.lines[line].decisions[decision].player
        first, second = (self._spread(own, p, board, renamed) * self._unit[1 - p] for p, own in enumerate(found.node))
        actions = self._spread(found.actions, actor, board, renamed) * self._unit[1 - actor]
        return NodeValues(actions, (first, second))

    def best_values(self, player: int, line: int, decision: int, cards: tuple[int, ...]) -> NDArray[np.float64]:
        """What a best response from a decision on is worth to each live hand of a player, counterfactual, in chips.

        Against the other's average strategy, and summed over what of the other's hands arrives.
        """
        return np.asarray(self._responses(player, line, decision, cards).max(axis=0))

    def best_action_values(self, line: int, decision: int, cards: tuple[int, ...]) -> NDArray[np.float64]:
        """The same of the player to act after each of its actions, [action, live hand]."""
        return self._responses(self.lines[line].decisions[decision].player, line, decision, cards)

    def _responses(self, player: int, line: int, decision: int, cards: tuple[int, ...]) -> NDArray[np.float64]:
        board, renamed = self.find(cards)
        rows = self.respond_rows(player, line, decision, board, self._line_reach(line, cards))
        return self._spread(rows, player, board, renamed) * self._unit[1 - player]

    def equities(self, cards: tuple[int, ...], reach: Rows) -> Rows:
        """The share of the pot that each live hand wins on average if no more chips go in; nan against nobody."""
        alive = [~np.isin(own, cards).any(axis=1) for own in self.hands]
        meet = self._apart * np.outer(alive[0], alive[1])
        share = (meet + self.leads(cards)) / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            return (share @ reach[1]) / (meet @ reach[1]), ((meet - share).T @ reach[0]) / (meet.T @ reach[0])

    def leads(self, cards: tuple[int, ...]) -> NDArray[np.float64]:
        """How much more often the first player's hand wins than the second's if no more chips go in, pair by pair.

        0 for pairs that share a card with one another or with the board.
        """
        left = [card for card in self.deck.cards.tolist() if card not in cards]
        due = sum(self._deals) - (len(cards) - len(self.board))
        full = [(*cards, *dealt) for dealt in combinations(left, due)]
        if len(full) > MOST_RUNOUTS:
            raise InputError(f"wins cannot be counted on {len(full):,} boards to come, only on {MOST_RUNOUTS:,}")
        lead = np.zeros((len(self.hands[0]), len(self.hands[1])), dtype=np.int16)
        first, second = (board_strengths(full, own, self.deck).astype(np.int16) for own in self.hands)
        count_wins(first, second, lead)
        return np.asarray(self._apart * lead / comb(len(left) - 4, due))

    def solve_below(self, line: int, cards: tuple[int, ...], schedule: Schedule) -> None:
        """Solve one line on one board again, for the reach that the average strategies above it give."""
        board, _ = self.find(cards)
        reach = self._line_reach(line, cards)
        most = reach.max(axis=1, keepdims=True)
        self.iterate_below(line, board, (reach / np.where(most > 0, most, 1)).astype(np.float32), schedule)

    def find(self, cards: tuple[int, ...]) -> tuple[int, NDArray[np.int64]]:
        """The expanded board that stands for one, and per card of the deck the card it is there."""
        if tuple(cards[: len(self.board)]) != self.board:
            raise InputError("the cards dealt do not follow the board of this tree")
        number, renamed, left = 0, np.arange(52), list(cards[len(self.board) :])
        while left:
            table = self.tables_of[number]
            count = len(next(iter(table.children), ()))
            dealt = tuple(sorted(int(renamed[card]) for card in left[:count])) if count else ()
            if dealt not in table.children:
                raise InputError("the cards dealt are not possible on this board")
            number, image = table.children[dealt]
            renamed = table.symmetry.card_maps[image].astype(np.int64)[renamed]
            left = left[count:]
        return number, renamed

    def _line_reach(self, line: int, cards: tuple[int, ...]) -> NDArray[np.float32]:
        """Both players' reach at the beginning of a line, in the order of the expanded board's rows."""
        board, _ = self.find(cards)
        path = []
        at = line
        while self.lines[at].path[0] >= 0:
            path.append(self.lines[at].path)
            at = self.lines[at].path[0]
        boards = [board]
        while self.tables_of[boards[-1]].parent >= 0:
            boards.append(self.tables_of[boards[-1]].parent)
        reach = self.ranges
        for (above, leaf), parent, child in zip(reversed(path), boards[:0:-1], boards[-2::-1], strict=True):
            found = self.reach_of_rows(above, parent, reach, self.lines[above].leaves[leaf].rows)
            reach = np.zeros_like(self.ranges)
            for player in range(2):
                begin, held = int(self.boards.begin[player, child]), int(self.boards.held[player, child])
                places = self.boards.parent_hand[begin : begin + held]
                reach[player, :held] = np.append(found[player], 0.0)[places]
        return reach

    def _spread(
        self, rows: NDArray[np.float64], player: int, board: int, renamed: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """From the rows of an expanded board to live hands: each takes what the hand it is renamed to has."""
        cards = renamed[self.hands[player].astype(np.int64)]
        table = self.tables_of[board]
        at = self.slots(player, board)[self.deck.hand_table[cards[:, 0], cards[:, 1]]]
        blocked = (at < 0) | np.isin(cards, table.cards).any(axis=1)
        nobody = np.zeros((*rows.shape[:-1], 1))
        return np.where(blocked, 0.0, np.concatenate((rows, nobody), axis=-1)[..., at])

    def by_deck(self, player: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Figures of a player's live hands (last axis) as figures of all hands of the deck, 0 for the others."""
        found = np.zeros((*values.shape[:-1], self.deck.hand_count))
        found[..., self._numbers[player]] = values
        return found

    def in_rows(self, player: int, board: int, values: NDArray[Any]) -> NDArray[Any]:
        """Figures of all hands of the deck (last axis) in the order of a player's rows on an expanded board."""
        return np.asarray(values[..., self._numbers[player][self.tables_of[board].hands[player]]])

    def slots(self, player: int, board: int) -> NDArray[np.int64]:
        """Per hand of the deck its place in a player's rows on an expanded board; -1 if it has none."""
        table = self.tables_of[board]
        slot = np.full(self.deck.hand_count + 1, -1)
        slot[self._numbers[player][table.hands[player]]] = np.arange(len(table.hands[player]))
        return slot

    @cached_property
    def _apart(self) -> NDArray[np.bool_]:
        """Which pairs of live hands share no card."""
        first, second = self.hands
        return np.asarray((first[:, None, :, None] != second[None, :, None, :]).all(axis=(2, 3)))

    def _slots(self, lines: list[Line], locks: Sequence[HandLock]) -> list[Lock]:
        places = []
        for lock in locks:
            board, _ = self.find(lock.cards)
            player = lines[lock.line].decisions[lock.decision].player
            slots = np.flatnonzero(self.tables_of[board].hands[player] == lock.hand)
            if len(slots):  # else the board blocks the hand
                places.append(Lock(lock.line, lock.decision, board, int(slots[0]), lock.probabilities))
        return places


def _deals(board: tuple[int, ...], deals: tuple[int, ...] | None) -> tuple[int, ...]:
    if deals is None:
        if not 3 <= len(board) <= 5:
            raise InputError(f"board must have 3 to 5 cards, not {len(board)}")
        return (1,) * (5 - len(board))
    return deals


def _prepare(
    board: tuple[int, ...], ranges: tuple[Range, Range], deck: Deck, isomorphism: bool, start: Start | None = None
) -> tuple[SuitSymmetry, list[NDArray[np.float64]]]:
    """The symmetries of board and ranges, and the weights of the hands that the board leaves.

    A part of a larger tree has those symmetries of that tree which the cards dealt since leave, and no others: the
    order of the deals matters, and so do ranges at the beginning.
    """
    dealt = () if start is None else start.deals
    before = len(board) - sum(dealt)
    symmetry = suit_symmetry([board[:before]], [own.live(board[:before]).weights for own in ranges], deck)
    if not isomorphism:
        symmetry = SuitSymmetry(deck, symmetry.board, symmetry.permutations[:1])
    for count in dealt:
        symmetry = symmetry.deal(board[before : before + count])
        before += count
    return symmetry, [own.live(board).weights for own in ranges]


def _that_meet(weights: list[NDArray[np.float64]], deck: Deck) -> list[NDArray[np.float64]]:
    """The weights of hands that can meet one of the opponent's; the others never come, and get weight 0."""
    return [np.where(met_weight(other, deck) > 1e-9 * other.sum(), own, 0.0) for own, other in (weights, weights[::-1])]


def met_weight(weights: NDArray[np.float64], deck: Deck) -> NDArray[np.float64]:
    """How much of a range, given by hand of the deck, each hand of the deck can meet."""
    low, high = deck.hands.T
    by_card = np.bincount(low, weights, 52) + np.bincount(high, weights, 52)
    return np.asarray(weights.sum() - by_card[low] - by_card[high] + weights)


def _size(lines: list[Line], tables: list[Table], weights: list[NDArray[np.float64]], deck: Deck) -> TreeSize:
    streets = max(table.street for table in tables) + 1
    boards = np.bincount([table.street for table in tables], minlength=streets)
    live = [len(np.flatnonzero(weight)) for weight in weights]
    # On the last street a board of k cards more leaves about this share of the hands.
    cards = [len(next(table for table in tables if table.street == street).cards) for street in range(streets)]
    known, ahead = cards[0], [count - cards[0] for count in cards]
    share = [
        1.0 if street < streets - 1 else (1 - ahead[street] / (deck.size - known)) ** 2 for street in range(streets)
    ]
    nodes = entries = rows = work = 0
    for line in lines:
        count = int(boards[line.street])
        hands = [share[line.street] * own for own in live]
        ends = sum(leaf.kind != DEAL for leaf in line.leaves)
        nodes += count * (len(line.decisions) + ends)
        work += int(count * (len(line.decisions) + ends) * sum(hands))
        for decision in line.decisions:
            entries += count * len(decision.actions) * row_length(int(hands[decision.player]))
            rows += count * len(decision.actions)
    hand_arrays = sum(int(boards[street]) * 16 * sum(live) for street in range(streets))
    matrices = 2 * live[0] * live[1] * sum(int(boards[s]) for s in {line.street for line in lines if _runs_out(line)})
    other = hand_arrays + matrices
    memory = {32: (8 * entries + other) / 1e6, 16: (4 * entries + 8 * rows + other) / 1e6}
    return TreeSize(nodes, entries, memory, work)


def _runs_out(line: Line) -> bool:
    return any(leaf.kind == RUNOUT for leaf in line.leaves)

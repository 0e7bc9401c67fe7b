"""Hold'em as a public game of hand vectors: two players with ranges, a board, one betting definition, bet sizes.

The board may have three to five cards (a spot), or none for games whose later deals are named, such as the [2-4]
hold'em of JOHANSON, which deals a flop and ends there. Values are in chips with half the starting pot as zero,
weighted over all pairs of hands that can meet. Suits that board and ranges do not tell apart are treated alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import CALL, BetAction, Betting, BettingState
from counterpoise.betting.sizes import BetSizes
from counterpoise.betting.tilt import PayoffTilt
from counterpoise.cards import STANDARD_DECK, Deck, Range, SuitSymmetry, board_strengths, disjoint_hands, suit_symmetry
from counterpoise.cards.kernels.equity import count_wins
from counterpoise.errors import InputError
from counterpoise.public.boards import (
    MOST_RUNOUTS,
    NOBODY_WATCHES,
    BoardNode,
    Watch,
    build_boards,
    deal_boards,
    row_length,
)
from counterpoise.public.game import FloatArray, Located, Lock, PublicGame, Rows, game_arrays
from counterpoise.public.kernels.street import DEAL, RUNOUT, VALUE
from counterpoise.public.node import PublicNode
from counterpoise.public.street_trees import Cut, StreetTree, build_street_trees, walk_betting
from counterpoise.public.thresholds import LEAST_MATCHED, LEAST_MET
from counterpoise.seats import CHANCE, TERMINAL

PAIR_EFFORT = 0.1
"""What looking up a pair of hands at an all-in end takes, measured in nodes x hands."""


@dataclass(frozen=True)
class HandLock:
    """A fixed strategy in the words of a spot: at a decision on a board, one hand's probabilities per action."""

    tree: int
    decision: int
    cards: tuple[int, ...]
    hand: int
    probabilities: tuple[float, ...]


@dataclass(frozen=True)
class Start:
    """Where a game begins that is a part of a larger one, perhaps in the middle of a street."""

    state: BettingState
    """Somebody is to act, or cards are to be dealt."""
    deals: tuple[int, ...] = ()
    """How many cards each deal since the larger game began has put on the board, the first deal first."""
    reach: Rows | None = None
    """What of each hand of the deck arrives, range weights included; without it the ranges as they are.

    Hands of the ranges that never arrive stay in the game, with weight 0."""
    history: tuple[Any, ...] = ()
    """Actions and deals since the larger game began."""


@dataclass(frozen=True)
class TreeSize:
    """What a tree needs before it is built: public nodes, table entries, memory per `bits`, work per iteration."""

    nodes: int
    entries: int
    megabytes: Mapping[int, float]
    work: int
    """Nodes x hands of one traversal for each player."""
    pairs: int
    """Pairs of hands at all-in ends before the last card, whose wins a traversal looks up."""

    @property
    def effort(self) -> float:
        """Work with such pairs, in proportion to the time of a traversal."""
        return self.work + PAIR_EFFORT * self.pairs


@dataclass(frozen=True)
class HoldemRules:
    """Everything that says which game it is: cards, ranges, betting, bet sizes, deals to come."""

    board: tuple[int, ...]
    ranges: tuple[Range, Range]
    betting: Betting
    sizes: BetSizes
    deck: Deck = STANDARD_DECK
    deals: tuple[int, ...] | None = None
    """How many cards each later street deals; by default one card each until five are out."""
    isomorphism: bool = True
    """Whether suits that board and ranges do not tell apart are treated alike."""
    start: Start | None = None
    """Where the game begins if it is a part of a larger one; values keep the zero of the larger one, half its pot."""
    cut: Cut | None = None
    """Where play stops at value leaves."""
    tilt: PayoffTilt | None = None
    """By how much payoffs, counted from half the starting pot, are scaled for the player to whom they happen."""
    name: str = "the hold'em game"
    """What messages and results call it."""

    def __post_init__(self) -> None:
        if self.deals is None:
            if not 3 <= len(self.board) <= 5:
                raise InputError(f"board must have 3 to 5 cards, not {len(self.board)}")
            object.__setattr__(self, "deals", (1,) * (5 - len(self.board)))

    @property
    def to_come(self) -> tuple[int, ...]:
        """How many cards each later street deals."""
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
    def _first_state(self) -> BettingState:
        return self.betting.initial() if self.start is None else self.start.state

    @cached_property
    def board_nodes(self) -> list[BoardNode]:
        """All boards of these streets, without hands: a game has copies of its own with the hands of each in order."""
        return self._deal_boards(NOBODY_WATCHES)

    def watched_board_nodes(self, watch: Watch) -> list[BoardNode]:
        """Return all boards of these streets; somebody watches if they must be dealt first."""
        if "board_nodes" not in self.__dict__:
            self.__dict__["board_nodes"] = self._deal_boards(watch)
        return self.board_nodes

    def _deal_boards(self, watch: Watch) -> list[BoardNode]:
        return deal_boards(self.symmetry, self.to_come, self.streets, watch)

    @cached_property
    def live_weights(self) -> tuple[FloatArray, FloatArray]:
        """The weights of the hands that the board leaves, by hand of the deck."""
        first, second = (own.live(self.board).weights for own in self.ranges)
        return first, second

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
        """Return what of the cards differs from other rules: deck, board, ranges, deals (made or to come)."""
        made = [() if rules.start is None else rules.start.deals for rules in (self, other)]
        pairs = zip(self.ranges, other.ranges, strict=True)
        differ = {
            "deck": self.deck != other.deck,
            "board": self.board != other.board,
            "range": not all(np.array_equal(own.weights, theirs.weights) for own, theirs in pairs),
            "deal": (made[0], self.deals) != (made[1], other.deals),
        }
        return [name for name, found in differ.items() if found]

    def with_sizes(self, sizes: BetSizes) -> HoldemRules:
        """Return the rules with other bet sizes; what is known of the cards need not be found again."""
        return replace(self, sizes=sizes).knowing_cards_of(self)

    def knowing_cards_of(self, other: HoldemRules) -> HoldemRules:
        """Return these rules, which take from others of the same board, ranges and deals what those know of them."""
        names = ["symmetry", "live_weights"]
        if self.cut is None and other.cut is None and self.streets == other.streets:
            names.append("board_nodes")
        self.__dict__.update({name: other.__dict__[name] for name in names if name in other.__dict__})
        return self

    def takes_at_most(self, effort: float) -> bool:
        """Return whether the effort of the game, as `size` counts it, is at most this.

        It stops counting where that is passed, which may be long before the end. Rules with a cut are not for it.
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
        streets, live = self.streets, [int(np.count_nonzero(weight)) for weight in self.live_weights]
        boards = np.bincount([node.street for node in self.board_nodes], minlength=streets).tolist()
        known, dealt = len(self.board), sum(self.to_come[: streets - 1])
        # On the last street a board of `dealt` cards more leaves about this share of the hands.
        share = [1.0] * (streets - 1) + [(1 - dealt / (self.deck.size - known)) ** 2]
        return boards, [[part * own for own in live] for part in share]

    def size(self) -> TreeSize:
        """Return nodes, memory and work of the game, without ordering the hands of its boards."""
        live = [int(np.count_nonzero(weight)) for weight in self.live_weights]
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
        with_runouts = {tree.street for tree in self.street_trees for leaf in tree.leaves if leaf.kind == RUNOUT}
        matrices = 2 * live[0] * live[1] * sum(boards[street] for street in with_runouts)
        other = 16 * sum(live) * sum(boards) + matrices
        memory = {32: (8 * entries + other) / 1e6, 16: (4 * entries + 8 * rows + other) / 1e6}
        return TreeSize(nodes, entries, memory, work, pairs)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class HoldemGame(PublicGame):
    """The public tree of a hold'em spot; hands are numbered by their place among a player's live hands."""

    rules: HoldemRules
    board_nodes: list[BoardNode]
    runouts: set[int]
    hand_numbers: tuple[NDArray[np.uint16], NDArray[np.uint16]]
    """The live hands of each player, as numbers of the deck."""
    weights: Rows
    """What each hand weighs at the root."""
    pairs_apart: NDArray[np.bool_] = field(hash=False)
    """Which pairs of live hands have no card in common."""

    least_met = LEAST_MET

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.rules.name

    @cached_property
    def truth(self) -> HoldemGame:
        """The game in which strategies of this one are judged: itself, unless its payoffs are tilted."""
        return self if self.rules.tilt is None else self.tilted(None)

    def tilted(self, tilt: PayoffTilt | None) -> HoldemGame:
        """Return the game with payoffs tilted as said, or with none; its profiles fit this game and the reverse."""
        name = self.name.split(" under ", maxsplit=1)[0] + ("" if tilt is None else f" under tilt{tuple(tilt)}")
        game = build_holdem(replace(self.rules, tilt=tilt, name=name), share_boards_with=self)
        return replace(game, locks=self.locks, ranges=self.ranges, weights=self.weights, mass=self.mass, unit=self.unit)

    @property
    def deck(self) -> Deck:
        """The deck."""
        return self.rules.deck

    @property
    def betting(self) -> Betting:
        """The rules of betting."""
        return self.rules.betting

    @property
    def sizes(self) -> BetSizes:
        """The bet sizes."""
        return self.rules.sizes

    @cached_property
    def hands(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The live hands of each player, rows of two cards."""
        return self.deck.hands[self.hand_numbers[0]], self.deck.hands[self.hand_numbers[1]]

    @cached_property
    def pair_mass(self) -> float:
        """The weight of all pairs of hands that can meet at the root."""
        return self.mass * self.unit[0] * self.unit[1]

    def with_ranges(self, own: Mapping[int, NDArray[Any]]) -> Self:
        """Return the game with other weights of some seats' hands at the root, one number per hand."""
        game = super().with_ranges(own)
        first, second = (np.asarray(own.get(seat, self.weights[seat]), dtype=np.float64) for seat in range(2))
        return replace(game, weights=(first, second))

    def locate(self, dealt: tuple[Any, ...]) -> Located:
        """Return the expanded board that stands for the cards dealt, and the names that suits have there."""
        board = self.rules.board
        if tuple(dealt[: len(board)]) != board:
            raise InputError("the cards dealt do not follow the board of this tree")
        number, renamed, left = 0, np.arange(52), list(dealt[len(board) :])
        while left:
            node = self.board_nodes[number]
            count = len(next(iter(node.children), ()))
            cards = tuple(sorted(int(renamed[card]) for card in left[:count])) if count else ()
            if cards not in node.children:
                raise InputError("the cards dealt are not possible on this board")
            number, image = node.children[cards]
            renamed = node.symmetry.card_maps[image].astype(np.int64)[renamed]
            left = left[count:]
        return Located(number, renamed)

    def after_deal(self, dealt: tuple[Any, ...], following: Any) -> tuple[Any, ...]:
        """Return the board after the next cards."""
        cards = (following,) if isinstance(following, int | np.integer) else tuple(following)
        return (*dealt, *(int(card) for card in cards))

    def before_deal(self, dealt: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the board before its last cards."""
        counts = np.cumsum([len(self.rules.board), *self.rules.to_come]).tolist()
        return dealt[: counts[counts.index(len(dealt)) - 1]]

    def last_deal(self, dealt: tuple[Any, ...]) -> tuple[int, ...]:
        """Return the cards of the last deal."""
        return dealt[len(self.before_deal(dealt)) :]

    def from_hands_of(self, other: PublicGame, player: int, values: NDArray[Any]) -> FloatArray:
        """Return figures by hand of another game of the same deck by hand of this one, 0 for hands it lacks."""
        assert isinstance(other, HoldemGame)
        return self.gather_from_deck(player, other.scatter_to_deck(player, values))

    def deals_after(self, dealt: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Return the expanded boards after the next deal, as cards."""
        children = self.board_nodes[self.locate(dealt).board].children
        return [self.board_nodes[child].cards for child in sorted({child for child, _ in children.values()})]

    def deals_alike(self, dealt: tuple[int, ...]) -> int:
        """Return how many deals suits make the same as the cards dealt, these included."""
        board, found = self.locate(dealt).board, 1
        while board:
            found *= len(self.board_nodes[board].images)
            board = int(self.board_above[board])
        return found

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the actions of every street tree, the cards and hands of every board, the order of hands."""
        found = hashlib.sha256()
        for tree in self.street_trees:
            decisions = [(decision.player, [int(action) for action in decision.actions]) for decision in tree.decisions]
            ends = [(int(leaf.kind), leaf.rows, leaf.tree) for leaf in tree.leaves]
            found.update(repr((tree.street, tree.path, decisions, ends)).encode())
        for node in self.board_nodes:
            found.update(repr((node.street, node.parent, [int(card) for card in node.cards])).encode())
            for hands in node.hands:
                found.update(np.ascontiguousarray(hands, dtype="<u2").tobytes())
        for own in self.hands:
            found.update(np.ascontiguousarray(own, dtype=np.uint8).tobytes())
        return found.hexdigest()

    def row_places(self, player: int, at: Located) -> NDArray[np.int64]:
        """Return the row of each hand on a board, that of the hand it is renamed to; -1 for blocked hands."""
        cards = self.hands[player].astype(np.int64)
        cards = cards if at.renamed is None else at.renamed[cards]
        place = self.row_of_deck(player, at.board)[self.deck.hand_table[cards[:, 0], cards[:, 1]]]
        return np.where(np.isin(cards, self.board_nodes[at.board].cards).any(axis=1), -1, place)

    def to_rows(self, player: int, board: int, values: NDArray[Any]) -> NDArray[Any]:
        """Return figures by hand in the order of a player's rows on an expanded board."""
        return np.asarray(values[..., self.board_nodes[board].hands[player]])

    def hand_groups(self, board: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return per player the group of each hand on an expanded board: hands that differ in suits alike are one."""
        maps = self.board_nodes[board].symmetry.hand_maps
        first, second = (np.unique(maps[:, own].min(axis=0), return_inverse=True)[1] for own in self.hand_numbers)
        return first, second

    def scatter_to_deck(self, player: int, values: NDArray[Any]) -> FloatArray:
        """Return figures by hand (last axis) as figures of all hands of the deck, 0 for the others."""
        found = np.zeros((*values.shape[:-1], self.deck.hand_count))
        found[..., self.hand_numbers[player]] = values
        return found

    def gather_from_deck(self, player: int, values: NDArray[Any]) -> NDArray[Any]:
        """Return figures of all hands of the deck (last axis) by hand of a player."""
        return np.asarray(values[..., self.hand_numbers[player]])

    def mass_at(self, player: int, reach: FloatArray, node: PublicNode) -> FloatArray:
        """Return, per hand of a player, how much of a reach of the other's hands it can meet at a node."""
        alive = ~np.isin(self.hands[player], list(node.dealt)).any(axis=1)
        return np.where(alive, compatible_mass(self.hands[player], self.hands[1 - player], reach), 0.0)

    def equities(self, cards: tuple[int, ...], reach: Rows) -> Rows:
        """Return the share of the pot that each hand wins on average if no more chips go in; nan if it meets none."""
        alive = [~np.isin(own, cards).any(axis=1) for own in self.hands]
        meet = self.pairs_apart * np.outer(alive[0], alive[1])
        share = (meet + self.showdown_margin(cards)) / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            return (share @ reach[1]) / (meet @ reach[1]), ((meet - share).T @ reach[0]) / (meet.T @ reach[0])

    def showdown_margin(self, cards: tuple[int, ...]) -> FloatArray:
        """Return how much more often the first player's hand wins than the second's if no more chips go in, by pair.

        0 for pairs that share a card with one another or with the board.
        """
        left = [card for card in self.deck.cards.tolist() if card not in cards]
        due = sum(self.rules.to_come) - (len(cards) - len(self.rules.board))
        full = [(*cards, *dealt) for dealt in combinations(left, due)]
        if len(full) > MOST_RUNOUTS:
            raise InputError(f"wins cannot be counted on {len(full):,} boards to come, only on {MOST_RUNOUTS:,}")
        lead = np.zeros(self.hand_counts, dtype=np.int16)
        first, second = (board_strengths(full, own, self.deck).astype(np.int16) for own in self.hands)
        count_wins(first, second, lead)
        return np.asarray(self.pairs_apart * lead / comb(len(left) - 4, due))

    def subtree(
        self,
        node: PublicNode,
        reach: Rows,
        *,
        after: BetAction | None = None,
        deal: tuple[int, ...] = (),
        extra: Sequence[tuple[PublicNode, BetAction]] = (),
        sizes: BetSizes | None = None,
        cut: Cut | None = None,
        isomorphism: bool | None = None,
        share_boards_with: HoldemGame | None = None,
    ) -> HoldemGame:
        """Return the game that follows a node, or an action `after` it, for the hands that arrive.

        `deal` are the cards after which play continues at a value leaf. `reach` has one number per hand of this game
        for each player. Bets may have other `sizes`, and at some nodes of this street there are `extra` ones, which
        this game need not know. `share_boards_with` is an earlier subtree on the same board.
        """
        part = self.subtree_rules(node, reach, after=after, deal=deal, extra=extra, sizes=sizes, cut=cut)
        if isomorphism is not None and isomorphism != part.isomorphism:
            part = replace(part, isomorphism=isomorphism)
        shared = share_boards_with if part.board != self.rules.board else share_boards_with or self
        if shared is not None and shared.rules.isomorphism != part.isomorphism:
            shared = None
        return build_holdem(part, share_boards_with=shared)

    def subtree_rules(
        self,
        node: PublicNode,
        reach: Rows,
        *,
        after: BetAction | None = None,
        deal: tuple[int, ...] = (),
        extra: Sequence[tuple[PublicNode, BetAction]] = (),
        sizes: BetSizes | None = None,
        cut: Cut | None = None,
    ) -> HoldemRules:
        """Return the rules of the game that `subtree` makes."""
        rules, cards = self.rules, (*node.dealt, *deal)
        state = node.state if after is None else rules.betting.apply(node.state, after)
        state = rules.betting.deal(state) if deal else state
        counts = np.cumsum([len(rules.board), *rules.to_come]).tolist()
        dealt = counts.index(len(cards))
        before = () if rules.start is None else rules.start.deals
        sizes = sizes or rules.sizes
        for at, bet in extra:
            sizes = sizes.with_bet(at.state, bet)
        part = replace(
            rules,
            board=cards,
            sizes=sizes,
            deals=rules.to_come[dealt:],
            start=Start(
                state,
                before + rules.to_come[:dealt],
                (self.scatter_to_deck(0, reach[0]), self.scatter_to_deck(1, reach[1])),
                (*self.history(node), *(() if after is None else (after,)), *([deal] if deal else [])),
            ),
            cut=cut,
        )
        return part if dealt else part.knowing_cards_of(rules)

    def row_of_deck(self, player: int, board: int) -> NDArray[np.int64]:
        """Return, per hand of the deck (and one more, none), its row on an expanded board; -1 if it has none."""
        own = self.board_nodes[board].hands[player]
        row = np.full(self.deck.hand_count + 1, -1)
        row[self.hand_numbers[player][own]] = np.arange(len(own))
        return row


def build_holdem(
    rules: HoldemRules, *, share_boards_with: HoldemGame | None = None, watch: Watch = NOBODY_WATCHES
) -> HoldemGame:
    """Return the public game of hold'em rules.

    `share_boards_with` is a game with the same cards, ranges and deals to come, whose boards are used again. `watch`
    sees how many boards are done.
    """
    shared, deck = share_boards_with, rules.deck
    if shared is not None:
        wrong = rules.differences(shared.rules)
        if shared.rules.isomorphism != rules.isomorphism:
            wrong.append("use of isomorphism")
        if wrong:
            raise InputError(f"boards can be shared by games of the same cards; they differ in {' and '.join(wrong)}")
    live = rules.live_weights if shared is None else shared.rules.live_weights
    first, second = (np.flatnonzero(weight).astype(np.uint16) for weight in live)
    numbers = (first, second)
    arriving, weights = _drop_unmatched(live, deck), live
    if rules.start is not None and rules.start.reach is not None:
        alive = deck.live_hands(rules.board)
        weights = arriving = (rules.start.reach[0] * alive, rules.start.reach[1] * alive)
    trees = rules.street_trees
    runouts = {tree.street for tree in trees for leaf in tree.leaves if leaf.kind == RUNOUT}
    if shared is not None and shared.runouts >= runouts and shared.streets == rules.streets:
        nodes, boards, runouts, apart = shared.board_nodes, shared.boards, shared.runouts, shared.pairs_apart
    else:
        nodes, boards = build_boards(deck, rules.watched_board_nodes(watch), rules.to_come, numbers, runouts, watch)
        apart = disjoint_hands(deck.hands[first], deck.hands[second]) if shared is None else shared.pairs_apart
    by_hand = (weights[0][first], weights[1][second])
    unit = (float(by_hand[0].max(initial=0)) or 1.0, float(by_hand[1].max(initial=0)) or 1.0)
    rows = np.zeros((2, int(boards.stride.max())), dtype=np.float32)
    for player, meeting in enumerate(arriving):
        own = numbers[player][nodes[0].hands[player]]
        rows[player, : len(own)] = meeting[own] / unit[player]
    street_of = np.array([node.street for node in nodes])
    return HoldemGame(
        street_trees=trees,
        arrays=game_arrays(trees, boards, street_of),
        street_of=street_of,
        ranges=rows,
        mass=float(by_hand[0] @ apart @ by_hand[1]) / (unit[0] * unit[1]),
        rules=rules,
        board_nodes=nodes,
        runouts=runouts,
        hand_numbers=numbers,
        weights=by_hand,
        unit=unit,
        first_deal=rules.board,
        history_before=() if rules.start is None else rules.start.history,
        pairs_apart=apart,
    )


def lock_rows(game: HoldemGame, locks: Sequence[HandLock]) -> list[Lock]:
    """Return locks by hand as locks of rows; those of hands that the board blocks are left out."""
    found = []
    for lock in locks:
        board = game.locate(lock.cards).board
        player = game.street_trees[lock.tree].decisions[lock.decision].player
        rows = np.flatnonzero(game.board_nodes[board].hands[player] == lock.hand)
        if len(rows):  # else the board blocks the hand
            found.append(Lock(lock.tree, lock.decision, board, int(rows[0]), lock.probabilities))
    return found


def compatible_mass(own: NDArray[np.uint8], other: NDArray[np.uint8], reach: FloatArray) -> FloatArray:
    """Return, for each own hand, the sum of a reach over the other's hands that share no card with it."""
    low, high = other.T.astype(np.int64)
    by_card = np.bincount(low, reach, 52) + np.bincount(high, reach, 52)
    same = np.zeros((52, 52))
    same[low, high] = reach
    mine = own.astype(np.int64)
    left = reach.sum() - by_card[mine[:, 0]] - by_card[mine[:, 1]] + same[mine[:, 0], mine[:, 1]]
    return np.asarray(left)


def _drop_unmatched(weights: tuple[FloatArray, FloatArray], deck: Deck) -> tuple[FloatArray, FloatArray]:
    """The weights of hands that can meet one of the opponent's; the others never come, and get weight 0."""
    first, second = (
        np.where(compatible_mass(deck.hands, deck.hands, other) > LEAST_MATCHED * other.sum(), own, 0.0)
        for own, other in (weights, weights[::-1])
    )
    return first, second

"""Hold'em as a public game of hand vectors: two players with ranges, a board, one betting definition, bet sizes.

The board may have three to five cards (a spot), or none for games whose later deals are named, such as the [2-4]
hold'em of Johanson 2016, which deals a flop and ends there. Values are in chips with half the starting pot as zero,
weighted over all pairs of hands that can meet. Suits that board and ranges do not tell apart are treated alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BetAction, Betting
from counterpoise.betting.sizes import BetSizes
from counterpoise.betting.tilt import PayoffTilt
from counterpoise.cards import Deck, compatible_mass, disjoint_hands
from counterpoise.errors import InputError
from counterpoise.public.boards import NOBODY_WATCHES, BoardNode, BuildWatch, build_boards
from counterpoise.public.game import BoardImage, FloatArray, Lock, PublicGame, Rows, game_arrays
from counterpoise.public.holdem_rules import HoldemRules, Start
from counterpoise.public.node import PublicNode
from counterpoise.public.street_trees import Cut
from counterpoise.public.thresholds import LEAST_MATCHED, LEAST_MET


@dataclass(frozen=True)
class HandLock:
    """A fixed strategy in the words of a spot: at a decision on a board, one hand's probabilities per action."""

    tree: int
    decision: int
    cards: tuple[int, ...]
    hand: int
    probabilities: tuple[float, ...]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class HoldemGame(PublicGame):
    """The public tree of a hold'em spot; hands are numbered by their place among a player's live hands."""

    rules: HoldemRules
    board_nodes: list[BoardNode]
    runouts: set[int]
    hand_numbers: tuple[NDArray[np.uint16], NDArray[np.uint16]]
    """The live hands of each player, as numbers of the deck."""
    weights: Rows
    """The weight of each hand at the root."""
    pairs_apart: NDArray[np.bool_] = field(hash=False)
    """Which pairs of live hands have no card in common."""

    least_met = LEAST_MET

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self.rules.name

    @cached_property
    def untilted(self) -> HoldemGame:
        """The game in which strategies of this one are judged: itself, unless its payoffs are tilted."""
        return self if self.rules.tilt is None else self.tilted(None)

    def tilted(self, tilt: PayoffTilt | None) -> HoldemGame:
        """Return the game with payoffs tilted, or untilted for None; profiles of both games fit each other."""
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

    def with_hand_locks(self, locks: Sequence[HandLock]) -> Self:
        """Return the game with locks of single hands; those of hands that the board blocks are left out."""
        found = []
        for lock in locks:
            board = self.locate(lock.cards).board
            player = self.street_trees[lock.tree].decisions[lock.decision].player
            rows = np.flatnonzero(self.board_nodes[board].hands[player] == lock.hand)
            if len(rows):  # else the board blocks the hand
                found.append(Lock(lock.tree, lock.decision, board, int(rows[0]), lock.probabilities))
        return self.with_locks(found)

    def locate(self, dealt: tuple[Any, ...]) -> BoardImage:
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
        return BoardImage(number, renamed)

    def after_deal(self, dealt: tuple[Any, ...], following: Any) -> tuple[Any, ...]:
        """Return the board after the next cards."""
        cards = (following,) if isinstance(following, int | np.integer) else tuple(following)
        return (*dealt, *(int(card) for card in cards))

    def before_deal(self, dealt: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the board before its last cards."""
        sizes = self.rules.board_sizes
        return dealt[: sizes[sizes.index(len(dealt)) - 1]]

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
        """Return the number of deals that are isomorphic to the cards dealt, including these."""
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

    def row_places(self, player: int, at: BoardImage) -> NDArray[np.int64]:
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
        """Return, per hand of a player, the mass of the other's reach that it can meet at a node."""
        alive = ~np.isin(self.hands[player], list(node.dealt)).any(axis=1)
        return np.where(alive, compatible_mass(self.hands[player], self.hands[1 - player], reach), 0.0)

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
        whole = self.rules
        part = self.rules_after(node, reach, after, deal)
        for at, bet in extra:
            sizes = (sizes or whole.sizes).with_bet(at.state, bet)
        part = replace(part, sizes=sizes or whole.sizes, cut=cut).knowing_cards_of(part)
        if isomorphism is not None and isomorphism != part.isomorphism:
            part = replace(part, isomorphism=isomorphism)
        shared = share_boards_with or (self if part.board == whole.board else None)
        if shared is not None and shared.rules.isomorphism != part.isomorphism:
            shared = None
        return build_holdem(part, share_boards_with=shared)

    def rules_after(
        self, node: PublicNode, reach: Rows, after: BetAction | None = None, deal: tuple[int, ...] = ()
    ) -> HoldemRules:
        """Return the rules of the game that follows a node, as `subtree` makes it, without a cut."""
        rules, cards = self.rules, (*node.dealt, *deal)
        state = node.state if after is None else rules.betting.apply(node.state, after)
        state = rules.betting.deal(state) if deal else state
        dealt = rules.board_sizes.index(len(cards))
        before = () if rules.start is None else rules.start.deals
        start = Start(
            state,
            before + rules.to_come[:dealt],
            (self.scatter_to_deck(0, reach[0]), self.scatter_to_deck(1, reach[1])),
            (*self.history(node), *(() if after is None else (after,)), *([deal] if deal else [])),
        )
        part = replace(rules, board=cards, deals=rules.to_come[dealt:], start=start, cut=None)
        return part if dealt else part.knowing_cards_of(rules)

    def row_of_deck(self, player: int, board: int) -> NDArray[np.int64]:
        """Return, per hand of the deck (and one more, none), its row on an expanded board; -1 if it has none."""
        own = self.board_nodes[board].hands[player]
        row = np.full(self.deck.hand_count + 1, -1)
        row[self.hand_numbers[player][own]] = np.arange(len(own))
        return row


def build_holdem(
    rules: HoldemRules, *, share_boards_with: HoldemGame | None = None, watch: BuildWatch = NOBODY_WATCHES
) -> HoldemGame:
    """Return the public game of hold'em rules.

    `share_boards_with` is a game with the same cards, ranges and deals to come, whose boards are reused. `watch` shows
    how many boards are done.
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
    runouts = rules.runout_streets
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


def _drop_unmatched(weights: tuple[FloatArray, FloatArray], deck: Deck) -> tuple[FloatArray, FloatArray]:
    """Return the weights of hands that can meet one of the opponent's; those of others become 0."""
    first, second = (
        np.where(compatible_mass(deck.hands, deck.hands, other) > LEAST_MATCHED * other.sum(), own, 0.0)
        for own, other in (weights, weights[::-1])
    )
    return first, second

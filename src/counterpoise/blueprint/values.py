"""What the hands of both seats are worth after any public history if both play a blueprint from there on.

1. The blueprint's game is taken in buckets alone (`bucket_cards`): the cards of each round are a step from bucket to
   bucket, and a showdown compares two buckets.
2. Top-down, each seat's reach of each bucket at each node; bottom-up, what each bucket of either seat wins on average
   from the other's range there (its counterfactual value over the other's reach). Both are sums over whole levels of
   the betting tree at once.
3. Against other ranges the value is taken to first order: with v the mean over both of the blueprint's ranges, and v(a)
   and v(b) with a bucket of one seat, a pair of buckets is worth v(a) + v(b) - v.

Values are kept as shares of the pot of seat 0, so that they also stand for similar bets and other stacks. A line of
play that the blueprint lacks has the values of the line that stands for it (`counterpoise.search.blueprint_nodes`).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BettingState
from counterpoise.blueprint.bucket_cards import BucketCards, deal_bucket_cards
from counterpoise.cards import Card
from counterpoise.games.events import ActionEvent, read_event
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Line, events_of
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.vectors import paid_by_result
from counterpoise.search.blueprint_nodes import BlueprintNode, begin, catch_up, follow

if TYPE_CHECKING:
    from counterpoise.blueprint.blueprint import Blueprint

FloatArray = NDArray[np.float32]
IndexArray = NDArray[np.int64]
Rows = list[list[FloatArray]]
"""[round][seat][place in the round, bucket]"""
LOGGER = logging.getLogger(__name__)

MOST_WEIGHTS = 40_000_000
"""The most weights of a blueprint whose values are computed: some 700 MB of memory and ten seconds."""
DEALING_SECONDS, WEIGHTS_PER_SECOND = 1.5, 1e7
"""CPU time: of dealing boards, and of each weight."""
MOST_BUCKETS = 1500
"""The most buckets of a round: pairs of them are compared."""
TREMBLE = 1e-3
"""How often every seat is taken to act at random, so that there are ranges at all nodes."""


class _Group(NamedTuple):
    """Decisions of one seat and round with as many actions, all at the same depth."""

    nodes: IndexArray
    player: int
    round: int
    actions: int


class BlueprintValues:
    """The values of a blueprint for two seats; see the module docstring."""

    def __init__(self, blueprint: Blueprint) -> None:
        seconds = DEALING_SECONDS + blueprint.layout.size / WEIGHTS_PER_SECOND
        LOGGER.warning("aivat: computing what hands are worth by the blueprint, about %.0f s", seconds)
        self.blueprint, self.tree = blueprint, blueprint.tree
        self.cards = deal_bucket_cards(blueprint.abstractions, self.tree.board_cards)
        self._nodes = _Nodes(self.tree)
        reach = _reach(blueprint, self.cards, self._nodes)
        won = _winnings(blueprint, self.cards, self._nodes, reach)
        self._shares, self._mean = _pot_shares(self.tree, self._nodes, reach, won)
        self._after = lru_cache(maxsize=1024)(self._follow)
        self._rows = lru_cache(maxsize=16)(self._read_rows)

    @classmethod
    def possible(cls, blueprint: Blueprint) -> bool:
        """Return whether values can be computed: two seats, no rake, not too many weights and
        buckets, and none that tell flops apart."""
        layout = blueprint.layout
        small = layout.size <= MOST_WEIGHTS and int(layout.buckets.max()) <= MOST_BUCKETS
        apart = any(one.config.public for one in blueprint.abstractions)  # buckets of the seats that never meet
        return small and not apart and blueprint.players == 2 and not blueprint.game.betting.rake.percent

    def pot_shares(
        self,
        game: Holdem,
        line: Line,
        boards: Sequence[tuple[Card, ...]],
        ranges: NDArray[np.float64],
        betting: bool = True,
    ) -> NDArray[np.float64]:
        """Return the share of the pot that seat 0 gets on average after a line of betting, for each of some boards.

        `ranges` are how likely each seat's hands are, [board, seat, hand]. Boards may lack the cards of the last round.
        Without `betting` no more chips go in.
        """
        seats = range(2)
        rows = [self._rows(tuple(boards), min(seat, len(self.blueprint.abstractions) - 1)) for seat in seats]
        number = self.tree.board_cards.index(len(boards[0]))
        node = self._after(game, events_of(line))[0].node if betting else 0
        if not betting or not self.tree.decisions[node]:
            first, second = (_by_bucket(rows[k], ranges[:, k], self.cards.ahead[number].shape[k]) for k in seats)
            return np.asarray((1 + ((first @ self.cards.ahead[number]) * second).sum(axis=1)) / 2)
        ahead, place = int(self.tree.arrays.round[node]), self._nodes.place[node]
        found = np.full(len(boards), -float(self._mean[node]))
        for seat in seats:
            values = self._shares[ahead][seat][place]
            for step in reversed(self.cards.follows[seat][number:ahead]):
                values = step @ values
            found += (values[np.maximum(rows[seat], 0)] * ranges[:, seat]).sum(axis=1)
        return found

    def _read_rows(self, boards: tuple[tuple[Card, ...], ...], seat: int) -> NDArray[np.signedinteger]:
        """Return the bucket of every hand of a seat on each board, -1 for those that it blocks."""
        return np.array([self.blueprint.board_row(board, seat) for board in boards])

    def _follow(self, game: Holdem, public: tuple[str, ...]) -> tuple[BlueprintNode, BettingState]:
        """Return where the blueprint and the table are after a public history, in which cards may be left blank."""
        if not public:
            return begin(self.tree), game.betting_after(())
        (at, real), event = self._after(game, public[:-1]), public[-1]
        if isinstance(told := read_event(event), ActionEvent):
            at = follow(self.tree, at, game, real, told.bet)
        real = game.betting_next(real, event)
        return catch_up(self.tree, at, real.round), real


class _Nodes:
    """The nodes of a betting tree by depth, and where their rows are among those of their round.

    The end of a hand belongs to the round of its last action.
    """

    def __init__(self, tree: BettingTree) -> None:
        arrays = tree.arrays
        self.round = np.where(tree.decisions, arrays.round, arrays.round[tree.parent]).astype(np.int64)
        self.place = np.zeros(tree.nodes, dtype=np.int64)
        for number in range(tree.rounds):
            own = np.flatnonzero(self.round == number)
            self.place[own] = np.arange(len(own))
        self.groups: list[_Group] = []
        level = np.zeros(1, dtype=np.int64)
        while len(level):
            level = level[tree.decisions[level]]
            kinds = np.stack([arrays.player[level], arrays.round[level], arrays.actions[level]], axis=1).astype(
                np.int64
            )
            for kind in np.unique(kinds, axis=0):
                own = level[(kinds == kind).all(axis=1)]
                self.groups.append(_Group(own, *kind.tolist()))
            firsts, counts = arrays.first_child[level].astype(np.int64), arrays.actions[level].astype(np.int64)
            level = np.concatenate(
                [np.arange(one, one + count) for one, count in zip(firsts, counts, strict=True)] or [level]
            )

    def tables(self, tree: BettingTree, blueprint: Blueprint) -> Rows:
        """Return zeros for every node, [round][seat][place in the round, bucket]."""
        buckets = blueprint.layout.buckets.astype(int)
        sizes = np.bincount(self.round, minlength=tree.rounds)
        return [
            [np.zeros((size, buckets[seat, number]), dtype=np.float32) for seat in range(2)]
            for number, size in enumerate(sizes.tolist())
        ]

    def children(self, tree: BettingTree, group: _Group, action: int) -> Iterator[tuple[IndexArray, int, IndexArray]]:
        """Yield the nodes after an action of a group that belong to one round: their parents' places in the group, the
        round, and their rows in it."""
        following = tree.arrays.first_child[group.nodes].astype(np.int64) + action
        rounds = self.round[following]
        for number in np.unique(rounds).tolist():
            chosen = np.flatnonzero(rounds == number)
            yield chosen, number, self.place[following[chosen]]


def _strategy(blueprint: Blueprint, group: _Group) -> FloatArray:
    """Return the probabilities of a group, [decision, bucket, action]."""
    buckets = int(blueprint.layout.buckets[group.player, group.round])
    first = blueprint.layout.start[group.nodes].astype(np.int64)
    weights = blueprint.table[first[:, None] + np.arange(buckets * group.actions)].astype(np.float32)
    weights = weights.reshape(len(first), buckets, group.actions)
    total = weights.sum(axis=2, keepdims=True)
    shares = np.where(total > 0, weights / np.where(total > 0, total, 1), 1 / group.actions)
    return np.asarray((1 - TREMBLE) * shares + TREMBLE / group.actions, dtype=np.float32)


def _reach(blueprint: Blueprint, cards: BucketCards, nodes: _Nodes) -> Rows:
    """Return each seat's reach of each bucket at each node, [round][seat][place in the round, bucket]."""
    tree = blueprint.tree
    reach = nodes.tables(tree, blueprint)
    for seat in range(2):
        reach[0][seat][0] = cards.first[seat]
    for group in nodes.groups:
        strategy, at = _strategy(blueprint, group), nodes.place[group.nodes]
        for action in range(group.actions):
            for chosen, number, rows in nodes.children(tree, group, action):
                for seat in range(2):
                    found = reach[group.round][seat][at[chosen]]
                    if seat == group.player:
                        found = found * strategy[chosen, :, action]
                    for step in cards.follows[seat][group.round : number]:
                        found = found @ step
                    reach[number][seat][rows] = found
    return reach


def _winnings(blueprint: Blueprint, cards: BucketCards, nodes: _Nodes, reach: Rows) -> Rows:
    """Return what seat 0 wins with each bucket of either seat, times the other seat's reach, as `_reach` does."""
    tree = blueprint.tree
    won = nodes.tables(tree, blueprint)
    paid, shown = paid_by_result(tree)
    lose, tie, win = paid[:, 0].T.astype(np.float32)
    middle, margin = np.where(shown, (win + lose) / 2, tie), np.where(shown, (win - lose) / 2, 0)
    for number in range(tree.rounds):
        ends = np.flatnonzero(~tree.decisions & (nodes.round == number))
        at, rows = nodes.place[ends], tree.arrays.end[ends].astype(np.int64)
        for seat, ahead in enumerate((cards.ahead[number].T, cards.ahead[number])):
            other = reach[number][1 - seat][at]
            mass = other.sum(axis=1, keepdims=True)
            won[number][seat][at] = middle[rows, None] * mass + margin[rows, None] * (other @ ahead)
    for group in reversed(nodes.groups):
        strategy, at = _strategy(blueprint, group), nodes.place[group.nodes]
        for action in range(group.actions):
            for chosen, number, rows in nodes.children(tree, group, action):
                for seat in range(2):
                    found = won[number][seat][rows]
                    for step in reversed(cards.follows[seat][group.round : number]):
                        found = found @ step.T
                    if seat == group.player:
                        found = found * strategy[chosen, :, action]
                    won[group.round][seat][at[chosen]] += found
    return won


def _pot_shares(tree: BettingTree, nodes: _Nodes, reach: Rows, won: Rows) -> tuple[Rows, FloatArray]:
    """Return what each bucket gets as a share of the pot, as `_reach` does, and the mean over a range at each node."""
    mean = np.zeros(tree.nodes, dtype=np.float32)
    for number in range(tree.rounds):
        own = np.flatnonzero(nodes.round == number)
        paid = tree.paid[own].astype(np.float32)
        pot = paid.sum(axis=1)
        mass = [reach[number][seat].sum(axis=1) for seat in range(2)]
        total = (reach[number][0] * won[number][0]).sum(axis=1) / (mass[0] * mass[1])
        mean[own] = (total + paid[:, 0]) / pot
        for seat in range(2):
            won[number][seat] /= mass[1 - seat][:, None]
            won[number][seat] += paid[:, :1]
            won[number][seat] /= pot[:, None]
    return won, mean


def _by_bucket(rows: NDArray[np.signedinteger], ranges: NDArray[np.float64], buckets: int) -> NDArray[np.float64]:
    """Return the weight of each bucket, [board, bucket]."""
    boards = len(rows)
    places = np.maximum(rows, 0) + np.arange(boards)[:, None] * buckets
    found = np.bincount(places.ravel(), ranges.ravel(), boards * buckets).reshape(boards, buckets)
    return np.asarray(found, dtype=np.float64)

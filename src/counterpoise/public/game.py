"""A game of private hands and public actions as one public tree, without any strategy.

A `PublicGame` is frozen: the betting tree of each street, the boards it is played on, how hands are numbered, what they
weigh at the root and what is paid. `counterpoise.public.dense.build_dense` makes one of any small game,
`counterpoise.public.holdem.build_holdem` one of hold'em. Strategies and regrets for it are `Profile`s, a `Traverser`
iterates and judges them, and a `PublicNode` is the cursor with which other packages look into the tree.

*Hands* are numbered alike on all boards: vectors over hands that leave this package are in that order. *Rows* are the
order in which kernels keep the hands of a board.

Values are in the game's unit, summed over the opponent's hands with their reach; totals are divided by the mass of all
pairs of hands.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public.kernels.layouts import Boards, GameArrays, Locks
from counterpoise.public.kernels.street import DEAL, VALUE
from counterpoise.public.street_trees import Cut, Following, Leaf, StreetTree, flatten

if TYPE_CHECKING:
    from counterpoise.public.node import PublicNode

FloatRow = NDArray[np.float32]
FloatArray = NDArray[np.float64]
Rows = tuple[FloatArray, FloatArray]
"""One vector over hands for each player."""


@dataclass(frozen=True)
class Lock:
    """A fixed strategy: what the player to act at a decision does with one hand (its row on that board)."""

    tree: int
    decision: int
    board: int
    row: int
    probabilities: tuple[float, ...]


class EntryPlace(NamedTuple):
    """Where the entries of a decision are in a store: the player to act, first entry, first row number, row length."""

    player: int
    entry: int
    number: int
    stride: int


class BoardImage(NamedTuple):
    """The stored board that a dealt board is isomorphic to, and for each card of the deck its image there."""

    board: int
    renamed: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PublicGame(ABC):
    """The arrays of one game: immutable, so that threads may share it.

    `ranges[player]` are the weights of the hands at the root, in the order of the first board's rows, and `mass` is the
    weight of all pairs that can meet.
    """

    street_trees: tuple[StreetTree, ...]
    arrays: GameArrays
    street_of: NDArray[np.int64]
    """The street of every board."""
    ranges: FloatRow
    mass: float
    unit: tuple[float, float] = (1.0, 1.0)
    """The unit of weights in `ranges`, per player."""
    first_deal: tuple[Any, ...] = ()
    """The public deals before the root."""
    history_before: tuple[Any, ...] = ()
    """Actions and deals since the beginning of the larger game of which this is a part; nothing if it is whole."""
    locks: tuple[Lock, ...] = ()
    representation: ClassVar[str] = "public"
    """What algorithms call such problems."""
    has_infosets: ClassVar[bool] = False
    """Whether strategies can be listed by information set, as those of `DenseGame` can."""
    least_met: ClassVar[float] = 0.0
    """The share of a range that a hand must meet to have a conditional value; 0 where nothing is rounded away."""

    def __post_init__(self) -> None:
        self.ranges.flags.writeable = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {self.nodes:,} public nodes, {self.streets} streets>"

    @property
    def name(self) -> str:
        """Its name in messages."""
        return "a public game"

    @property
    def untilted(self) -> PublicGame:
        """The game in which strategies of this one are judged: itself, unless its payoffs are tilted."""
        return self

    @property
    def boards(self) -> Boards:
        """The arrays of the boards."""
        return self.arrays.boards

    @cached_property
    def streets(self) -> int:
        """The number of streets."""
        return int(self.street_of.max()) + 1

    @cached_property
    def boards_of(self) -> NDArray[np.int64]:
        """The number of boards of each street."""
        return np.bincount(self.street_of, minlength=self.streets)

    @cached_property
    def board_above(self) -> NDArray[np.int64]:
        """The board before every board; the first one's is itself."""
        starts = self.boards.child_start.astype(np.int64)
        return np.append(0, np.repeat(np.arange(len(starts) - 1), starts[1:] - starts[:-1]))

    @cached_property
    def entries(self) -> int:
        """Numbers of a profile: one per hand, action and node of both players."""
        return self._sum_over_trees(row_totals(self.boards, self.street_of))

    @cached_property
    def stored_rows(self) -> int:
        """Rows of hands of a profile."""
        return self._sum_over_trees(np.stack([self.boards_of, self.boards_of]))

    @cached_property
    def nodes(self) -> int:
        """Public decision and terminal nodes, every expanded board counted."""
        ends = self._count_leaves(lambda leaf: leaf.kind != DEAL)
        return ends + sum(len(tree.decisions) * int(self.boards_of[tree.street]) for tree in self.street_trees)

    @cached_property
    def value_leaves(self) -> int:
        """The number of value leaves, every expanded board counted."""
        return self._count_leaves(lambda leaf: leaf.kind == VALUE)

    def _count_leaves(self, counts: Callable[[Leaf], bool]) -> int:
        trees = self.street_trees
        return sum(sum(map(counts, tree.leaves)) * int(self.boards_of[tree.street]) for tree in trees)

    @property
    def bytes(self) -> int:
        """Memory of the arrays, in bytes."""
        return sum(array.nbytes for part in self.arrays for array in part)

    @cached_property
    def root(self) -> PublicNode:
        """The cursor at the beginning."""
        from counterpoise.public.node import PublicNode

        first: Following = ("decision", 0) if self.street_trees[0].decisions else ("leaf", 0)
        return PublicNode(self, 0, first, self.first_deal)

    @cached_property
    def of_thread(self) -> threading.local:
        """The traverser of each thread (see `counterpoise.public.node.traverser_of`)."""
        return threading.local()

    def locate(self, dealt: tuple[Any, ...]) -> BoardImage:
        """Return the expanded board that stands for what chance has dealt publicly; refused if it is impossible."""
        raise InputError(f"{self.name}: {dealt!r} cannot be dealt")

    def deals_after(self, dealt: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Return what may have been dealt after the next public event of chance, one for each expanded board."""
        raise InputError(f"{self.name}: nothing is dealt after {dealt!r}")

    def after_deal(self, dealt: tuple[Any, ...], following: Any) -> tuple[Any, ...]:
        """Return everything that was dealt publicly, after one more event of chance."""
        return (*dealt, following)

    def before_deal(self, dealt: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return what had been dealt publicly before the last event of chance."""
        return dealt[:-1]

    def last_deal(self, dealt: tuple[Any, ...]) -> Any:
        """Return the last public event of chance, as `PublicNode.deal` takes it."""
        return dealt[-1]

    def from_hands_of(self, other: PublicGame, player: int, values: NDArray[Any]) -> FloatArray:
        """Return figures by hand of another game of the same cards (last axis) by hand of this game."""
        return np.asarray(values, dtype=np.float64)

    def history(self, node: PublicNode) -> tuple[Any, ...]:
        """Return the actions and deals that lead to a node, those before the root included."""
        return (*self.history_before, *node.trail)

    def find(self, history: Sequence[Any]) -> PublicNode:
        """Return the node after actions and deals since the root."""
        node = self.root
        for step in history:
            node = node.deal(step) if node.kind == "deal" else node.child(step)
        return node

    def mass_at(self, player: int, reach: FloatArray, node: PublicNode) -> FloatArray:
        """Return, per hand of a player, the mass of the other's reach that it can meet at a node."""
        raise InputError(f"{self.name}: the mass of hands is known at the root only")

    @property
    def hand_counts(self) -> tuple[int, int]:
        """The number of hands of each player."""
        return int(self.boards.held[0, 0]), int(self.boards.held[1, 0])

    def row_places(self, player: int, at: BoardImage) -> NDArray[np.int64]:
        """Return the row of each hand on a board; -1 for hands that the cards there block."""
        return np.arange(self.hand_counts[player])

    def from_rows(self, player: int, rows: NDArray[Any], at: BoardImage) -> FloatArray:
        """Return figures of the rows of a board (last axis) by hand; 0 for hands that the cards there block."""
        held = int(self.boards.held[player, at.board])
        padded = np.concatenate((rows[..., :held], np.zeros((*rows.shape[:-1], 1))), axis=-1)
        return np.asarray(padded[..., self.row_places(player, at)], dtype=np.float64)

    def hand_groups(self, board: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return per player the group of each hand on an expanded board: hands of a group are played alike."""
        return np.arange(self.hand_counts[0]), np.arange(self.hand_counts[1])

    def to_rows(self, player: int, board: int, values: NDArray[Any]) -> NDArray[Any]:
        """Return figures by hand (last axis) in the order of a player's rows on an expanded board."""
        return values

    def with_ranges(self, own: Mapping[int, NDArray[Any]]) -> Self:
        """Return the game with other weights of some seats' hands at the root, one number per hand."""
        ranges = self.ranges.copy()
        for seat, reach in own.items():
            row = self.to_rows(seat, 0, np.asarray(reach, dtype=np.float64)) / self.unit[seat]
            ranges[seat] = 0
            ranges[seat, : len(row)] = row
        return replace(self, ranges=ranges, mass=self._pair_weight(ranges))

    def reach_at_root(self, player: int) -> FloatArray:
        """Return the weight of each hand of a player at the root."""
        return self.from_rows(player, self.ranges[player], BoardImage(0)) * self.unit[player]

    def with_locks(self, locks: Sequence[Lock]) -> Self:
        """Return the game in which given strategies are fixed, and no others."""
        return replace(self, locks=tuple(locks))

    @cached_property
    def lock_arrays(self) -> Locks:
        """The locks as kernels read them."""
        trees = self.arrays.trees
        entries: list[int] = []
        values: list[float] = []
        locked = np.zeros(len(trees.actions), dtype=np.uint64)
        for lock in self.locks:
            place = self.place(lock.tree, lock.decision, lock.board)
            entries += [place.entry + action * place.stride + lock.row for action in range(len(lock.probabilities))]
            values += lock.probabilities
            node = self.street_trees[lock.tree].decisions[lock.decision]
            nodes = range(*trees.node_start[place.player, lock.tree : lock.tree + 2].tolist())
            locked[next(n for n in nodes if trees.first_row[n] == node.first_row)] = 1
        return Locks(np.array(entries, dtype=np.uint64), np.array(values, dtype=np.float32), locked)

    def place(self, tree: int, decision: int, board: int) -> EntryPlace:
        """Return where the entries of a decision on a board are in a store."""
        node = self.street_trees[tree].decisions[decision]
        stride = int(self.boards.stride[node.player, board])
        entries, rows = self.stored_on(node.player, tree, board)
        above = node.first_row - 1
        return EntryPlace(node.player, entries.start + above * stride, rows.start + above, stride)

    def stored_on(self, player: int, tree: int, board: int) -> tuple[slice, slice]:
        """Return the entries and the rows of a store that a player's decisions of a street tree have on a board."""
        trees, boards = self.arrays.trees, self.boards
        count = int(trees.rows[player, tree]) - 1
        entry = int(trees.store[player, tree]) + count * int(boards.stored[player, board])
        row = int(trees.number[player, tree]) + count * int(boards.ordinal[board])
        return slice(entry, entry + count * int(boards.stride[player, board])), slice(row, row + count)

    def stored_before(self, street: int) -> list[tuple[slice, slice]]:
        """Return per player the entries and the rows of a store that belong to the streets before one."""
        first = next(number for number, tree in enumerate(self.street_trees) if tree.street == street)
        entries, rows = self.arrays.trees.store, self.arrays.trees.number
        return [
            (
                slice(int(entries[player, 0]), int(entries[player, first])),
                slice(int(rows[player, 0]), int(rows[player, first])),
            )
            for player in range(2)
        ]

    @cached_property
    def zero_sum(self) -> bool:
        """Whether the payoffs sum to zero, which they do without rake and without a tilt."""
        return all(sum(leaf.mass) == 0 == leaf.decided for tree in self.street_trees for leaf in tree.leaves)

    @property
    def constant_sum(self) -> bool:
        """Whether the payoffs of both players have the same sum at every end."""
        return self.zero_sum

    @abstractmethod
    def subtree(
        self,
        node: PublicNode,
        reach: Rows,
        *,
        after: Any = None,
        deal: Any = (),
        extra: Sequence[tuple[PublicNode, Any]] = (),
        cut: Cut | None = None,
    ) -> Self:
        """Return the game that follows a node, or an action `after` it, for the hands that arrive with `reach`."""

    def payoff_range(self, street: int, leaf: Leaf) -> FloatArray:
        """Return the least and the most that each player may win at a leaf of a street, [least or most, player]."""
        return np.array(leaf.mass) + leaf.decided + np.array([[-1.0], [1.0]]) * abs(leaf.wins)

    @cached_property
    def meeting_chances(self) -> tuple[NDArray[np.uint64], FloatRow]:
        """Where, per player and board, the chances of pairs of hands begin, counted from 1, and these matrices.

        0 where pairs of hands without a common card are equally likely.
        """
        return np.zeros_like(self.boards.begin), np.zeros(0, dtype=np.float32)

    def met_mass(self, player: int, reach: NDArray[Any]) -> FloatArray:
        """Return, per hand of a player, the mass of the other's hands that it can meet at the root.

        `reach` is that of the other's hands; with the probabilities of chance where a game has them in its payoffs.
        """
        rows = self._met_rows(player, self.to_rows(1 - player, 0, np.asarray(reach, dtype=np.float64)))
        return self.from_rows(player, rows, BoardImage(0))

    def _met_rows(self, player: int, reach: FloatArray) -> FloatArray:
        starts, chances = self.meeting_chances
        boards = self.boards
        held, met = int(boards.held[player, 0]), int(boards.held[1 - player, 0])
        reach = reach[:met]
        if starts[player, 0] > 0:
            begin, stride = int(starts[player, 0]) - 1, int(boards.stride[player, 0])
            matrix = chances[begin : begin + met * stride].reshape(met, stride)[:, :held]
            return np.asarray(reach @ matrix.astype(np.float64))
        own, other = int(boards.begin[player, 0]), int(boards.begin[1 - player, 0])
        cards = [array.astype(np.int64) for array in (boards.card_a, boards.card_b)]
        by_card = np.zeros(1 + max(int(array.max(initial=0)) for array in cards))
        for array in cards:
            np.add.at(by_card, array[other : other + met], reach)
        shared = sum(by_card[array[own : own + held]] for array in cards)
        same = np.append(reach, np.zeros(int(boards.stride[1 - player, 0]) - met + 1))
        again = same[boards.same[own : own + held].astype(np.int64)]
        return np.asarray(np.maximum(reach.sum() - shared + again, 0.0))

    def _pair_weight(self, ranges: FloatRow) -> float:
        """Return the weight of all pairs of hands which can meet at the root."""
        first, second = ranges.astype(np.float64)
        met = self._met_rows(0, second)
        return float(first[: len(met)] @ met)

    def _sum_over_trees(self, totals: NDArray[Any]) -> int:
        return sum(
            (int(self.arrays.trees.rows[player, number]) - 1) * int(totals[player, tree.street])
            for player in range(2)
            for number, tree in enumerate(self.street_trees)
        )


def game_arrays(trees: Sequence[StreetTree], boards: Boards, street_of: NDArray[np.int64]) -> GameArrays:
    """Return street trees and boards as kernels read them."""
    streets = int(street_of.max()) + 1
    totals = row_totals(boards, street_of)
    return GameArrays(flatten(trees, totals, np.bincount(street_of, minlength=streets)), boards)


def row_totals(boards: Boards, street_of: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return, per player and street, the sum of the row lengths of all boards."""
    streets = range(int(street_of.max()) + 1)
    return np.array([[boards.stride[p][street_of == k].sum() for k in streets] for p in range(2)], dtype=np.uint64)

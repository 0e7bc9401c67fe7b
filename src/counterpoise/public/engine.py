"""A public tree of hand vectors at work: its tables of regrets and average strategy (`tables`), iterated and judged.

What the hands are is the business of those who build it (`holdem`, `dense`): here a game is lines of betting, boards
with rows of hands, and a weight per hand. Values are in the game's unit, summed over the opponent's hands with their
reach; totals are divided by the mass of all pairs of hands.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from counterpoise.public.kernels.gadget import OPEN
from counterpoise.public.kernels.layouts import (
    Boards,
    Gate,
    NoSubstitute,
    Root,
    Rule,
    Store,
    Substitute,
    Tables,
    Tasks,
    Work,
)
from counterpoise.public.kernels.simd import LANES, TOTAL
from counterpoise.public.kernels.street import (
    BEGIN,
    DEAL,
    DEPTH,
    EVALUATE,
    EVERYTHING,
    FINISH,
    NOBODY,
    RESPOND,
    SUBSTITUTE,
    TASKS,
    UPDATE,
    WEIGH,
    traverse,
)
from counterpoise.public.lines import Decision, Leaf, Line
from counterpoise.public.tables import Lock, PublicTables, copied

FloatRow = NDArray[np.float32]
Rows = tuple[NDArray[np.float64], NDArray[np.float64]]
"""One vector over hands for each player."""

LeafValues = Callable[[int, Leaf, FloatRow], NDArray[Any]]
"""What is beyond a deal: (player, leaf, the opponent's reach there) -> counterfactual value of each own hand.

Hands are in the order of the root board's rows, values in the tree's unit, summed over the opponent's reach.
"""

_ALL = np.zeros(2, dtype=np.uint64)


@dataclass(frozen=True)
class Schedule:
    """What iterations t = 1, 2, ... do to old numbers: factors on positive and negative regrets and on the average.

    The factors act before the regrets and the strategy of iteration t are added. The regret factors may go one
    iteration further, for `predictive` rules, which play as though the last regrets came once more. `weighted` says
    whether the strategy enters the average with its own reach.
    """

    positive: FloatRow
    negative: FloatRow
    keep: FloatRow
    weighted: bool = True
    predictive: bool = False


@dataclass(frozen=True)
class Answers:
    """Who meets the other's strategy with a best response instead of learning: on streets from `trunk` on."""

    player: int
    trunk: int = 0


@dataclass(frozen=True)
class NodeValues:
    """Counterfactual values at a decision: per action and hand of the player to act, and per hand of both players."""

    actions: NDArray[np.float64]
    node: Rows


class PublicTree(PublicTables):
    """The arrays of one game, and its tables at work.

    It has scratch rows of its own, so only one call at a time: threads of the caller must take turns.
    `ranges[player]` are the weights of the hands at the root, in the order of the first board's rows, and `mass` is the
    weight of all pairs that can meet.
    """

    def __init__(
        self,
        lines: list[Line],
        boards: Boards,
        street_of: Sequence[int],
        ranges: FloatRow,
        mass: float,
        bits: int = 32,
        locks: Sequence[Lock] = (),
    ) -> None:
        super().__init__(lines, boards, street_of, bits, locks)
        self.ranges, self.mass = ranges, mass
        self._works: list[Work] = [self._scratch()]
        self._tasks: dict[tuple[int, int], Tasks] = {}
        self.leaf_values: LeafValues | None = None
        """If set, traversals go no further than the deals of their first line and ask this instead."""

    @property
    def megabytes(self) -> float:
        """Memory of tables, boards and scratch rows, in units of 10^6 bytes."""
        stores = {id(store.wide): store for store in self.tables}.values()
        arrays = [array for part in (*stores, self.boards, self.flat, *self._works) for array in part]
        return sum(array.nbytes for array in arrays) / 1e6

    def with_ranges(self, own: Mapping[int, NDArray[Any]]) -> Self:
        """With other weights of some seats' hands at the root, and with the same tables: for one use at a time."""
        tree = copy(self)
        tree.ranges = self.ranges.copy()
        for seat, reach in own.items():
            tree.ranges[seat] = 0
            tree.ranges[seat, : len(reach)] = reach
        tree.mass = tree.weight_of_pairs()
        return tree

    def weight_of_pairs(self) -> float:
        """That of all pairs of hands which can meet at the root."""
        first, second = self.ranges.astype(np.float64)
        met = self.met_mass(0, second)
        return float(first[: len(met)] @ met)

    def iterate(
        self, schedule: Schedule, threads: int = 1, answers: Answers | None = None, gate: Gate | None = None
    ) -> None:
        """Run ``len(schedule.keep)`` iterations with alternating updates; a player who answers is the first.

        With a `gate` one player decides at the root how to get in, whatever its range (see `kernels.gadget`), after the
        other has been updated against its last decision.
        """
        root = self._root(0, 0, self.ranges)
        if gate is not None:
            root = root._replace(gate=gate, weight=np.ones_like(self.ranges))
        self._iterate(root, schedule, threads, answers, 0 if gate is None else 1 - int(gate.entrant))

    def iterate_below(self, line: int, board: int, reach: FloatRow, schedule: Schedule) -> None:
        """Iterations of one line on one board and everything below it, for given reach at its beginning."""
        self._iterate(self._root(line, board, reach), schedule, 1)

    def root_values(self, threads: int = 1) -> NDArray[np.float64]:
        """What each player's average strategy is worth against the other's."""
        return self._totals(lambda player: _reading(EVALUATE, player), threads)

    def best_response_values(self, threads: int = 1, store: Store | None = None) -> NDArray[np.float64]:
        """What each player's best response is worth against the other's average strategy, or that of a store."""
        kept, self.tables = self.tables, self.tables if store is None else self.tables._replace(average=store)
        try:
            return self._totals(lambda player: _reading(RESPOND, player), threads)
        finally:
            self.tables = kept

    def best_response(self, player: int, store: Store | None = None) -> Store:
        """A best response of a player to the other's average strategy, or that of a store; beside it in a new store.

        It is pure, and best at every decision, reached or not.
        """
        store = copied(store or self.tables.average)
        kept, self.tables = self.tables, Tables(store, store, store)
        try:
            rule = _reading(UPDATE, player)._replace(responder=np.uint64(player))
            self._in_parts(self._root(0, 0, self.ranges), rule, 1)
        finally:
            self.tables = kept
        return store

    def substitute(self, substitute: Substitute, threads: int = 1) -> NDArray[np.float64]:
        """Make regrets that fit the average strategies, which stay as they are.

        Gives the substitute value of each player; see `counterpoise.public.substitute`.
        """
        return self._totals(lambda player: _reading(SUBSTITUTE, player)._replace(substitute=substitute), threads)

    def weigh_average(self, weight: float, by_reach: bool = True, threads: int = 1) -> None:
        """Let the average strategies count as though they had been played, by own reach or plainly, so many times."""
        rule, none = _reading(WEIGH, 0), np.zeros(1, dtype=np.float32)
        rule = rule._replace(weighted=np.uint64(by_reach), keep=none)
        self._totals(lambda player: rule._replace(player=np.uint64(player)), threads)
        store = self.tables.average
        for array in (store.wide, store.scale):
            array *= np.float32(weight)
        self._keep_locks(store)

    def hand_values(self, best: bool = False, threads: int = 1) -> Rows:
        """What each hand of each player is worth at the root, counterfactual, against the other's average strategy.

        Under the player's own average strategy or, with `best`, under a best response.
        """
        root, mode = self._root(0, 0, self.ranges), RESPOND if best else EVALUATE
        rows = []
        for player in range(2):
            values = self._in_parts(root, _reading(mode, player), threads)[player]
            rows.append(values[: int(self.boards.held[player, 0])].astype(np.float64))
        return rows[0], rows[1]

    def met_mass(self, player: int, reach: NDArray[Any]) -> NDArray[np.float64]:
        """Per hand of a player the mass of the other's hands that it can meet at the root, for their given reach."""
        starts, chances = self.meeting_chances()
        held, met = int(self.boards.held[player, 0]), int(self.boards.held[1 - player, 0])
        reach = np.asarray(reach, dtype=np.float64)[:met]
        if starts[player, 0] > 0:
            begin, stride = int(starts[player, 0]) - 1, int(self.boards.stride[player, 0])
            matrix = chances[begin : begin + met * stride].reshape(met, stride)[:, :held]
            return np.asarray(reach @ matrix.astype(np.float64))
        own, other = int(self.boards.begin[player, 0]), int(self.boards.begin[1 - player, 0])
        cards = [array.astype(np.int64) for array in (self.boards.card_a, self.boards.card_b)]
        by_card = np.zeros(1 + max(int(array.max(initial=0)) for array in cards))
        for array in cards:
            np.add.at(by_card, array[other : other + met], reach)
        shared = sum(by_card[array[own : own + held]] for array in cards)
        same = np.append(reach, np.zeros(int(self.boards.stride[1 - player, 0]) - met + 1))
        again = same[self.boards.same[own : own + held].astype(np.int64)]
        return np.asarray(np.maximum(reach.sum() - shared + again, 0.0))

    def exploitability(self, threads: int = 1) -> float:
        """NashConv / 2 of the average strategies, by exact best responses."""
        best = float(self.best_response_values(threads).sum())
        gain = best if self.zero_sum else best - float(self.root_values(threads).sum())
        return max(gain / 2, 0.0)  # rounding may take it below

    @cached_property
    def zero_sum(self) -> bool:
        """Whether what one player wins the other loses: true without rake."""
        return all(sum(leaf.mass) == 0 for line in self.lines for leaf in line.leaves)

    @property
    def constant_sum(self) -> bool:
        """Whether what both players win adds up to the same at every end."""
        return self.zero_sum

    def payoff_range(self, street: int, leaf: Leaf) -> NDArray[np.float64]:
        """The least and the most that each player may win at a leaf of a street, [least or most, player]."""
        return np.array(leaf.mass) + np.array([[-1.0], [1.0]]) * abs(leaf.wins)

    def meeting_chances(self) -> tuple[NDArray[np.uint64], FloatRow]:
        """Per player and board where the chances of pairs of hands begin, counted from 1, and all of these matrices.

        0 where pairs of hands without a common card are equally likely.
        """
        return np.zeros_like(self.boards.begin), np.zeros(0, dtype=np.float32)

    def node_values(self, line: int, decision: int, board: int, reach: FloatRow) -> NodeValues:
        """Values of the average strategies at a decision, for given reach of both at the beginning of its line."""
        actor = self.lines[line].decisions[decision].player
        actions = self._decision_rows(EVALUATE, actor, line, decision, board, reach)
        mixed = (actions * self.average_strategy(line, decision, board)).sum(axis=0)
        (other,) = self._decision_rows(EVALUATE, 1 - actor, line, decision, board, reach)
        return NodeValues(actions, (mixed, other) if actor == 0 else (other, mixed))

    def respond_rows(self, player: int, line: int, decision: int, board: int, reach: FloatRow) -> NDArray[np.float64]:
        """What a best response is worth to each hand of a player at a decision, against the other's average strategy.

        For given reach at the beginning of the line. If the player acts there one row per action, else a single one.
        """
        return self._decision_rows(RESPOND, player, line, decision, board, reach)

    def reach_at(self, line: int, decision: int, board: int, reach: FloatRow) -> Rows:
        """Both players' reach at a decision under the average strategies, from that at the beginning of its line."""
        return self.reach_of_rows(
            line, board, reach, tuple(self._row_before(line, decision, player) for player in range(2))
        )

    def reach_of_rows(self, line: int, board: int, reach: FloatRow, rows: tuple[int, ...]) -> Rows:
        """Both players' reach after own rows of a line (such as those of a leaf), from that at its beginning."""
        out = []
        for player, row in enumerate(rows):
            held = int(self.boards.held[player, board])
            own = reach[player, :held].astype(np.float64)
            while row > 0:
                number, decision = next(
                    (n, d) for n, d in enumerate(self.lines[line].decisions)
                    if d.player == player and d.first_row <= row < d.first_row + len(d.actions)
                )  # fmt: skip
                own = own * self.average_strategy(line, number, board)[row - decision.first_row]
                row = decision.parent_row
            out.append(own)
        return out[0], out[1]

    def _iterate(
        self, root: Root, schedule: Schedule, threads: int, answers: Answers | None = None, first: int = 0
    ) -> None:
        if schedule.predictive:
            self.predict()
        elif self.tables.basis is not self.tables.regrets:  # an earlier run was predictive
            self.tables = self.tables._replace(basis=self.tables.regrets)
        first = first if answers is None else answers.player
        responder = (NOBODY, np.uint64(0)) if answers is None else (np.uint64(first), np.uint64(answers.trunk))
        flags = (*responder, np.uint64(schedule.weighted), np.uint64(schedule.predictive))
        ahead = (_extended(schedule.positive), _extended(schedule.negative))
        if self._in_one_call(root, threads):
            self._call(EVERYTHING, root, Rule(UPDATE, np.uint64(first), *flags, *ahead, schedule.keep, NoSubstitute()))
            return
        for t in range(len(schedule.keep)):
            factors = (ahead[0][t : t + 2], ahead[1][t : t + 2], schedule.keep[t : t + 1])
            for player in (first, 1 - first):
                self._in_parts(root, Rule(UPDATE, np.uint64(player), *flags, *factors, NoSubstitute()), threads)

    def _in_one_call(self, root: Root, threads: int) -> bool:
        return self.leaf_values is None and (threads <= 1 or not self._tasks_of(root).leaf.size)

    def _in_parts(self, root: Root, rule: Rule, threads: int) -> FloatRow:
        """One traversal for one player, its deals shared by threads or valued by `leaf_values`."""
        self._call(BEGIN, root, rule)
        if self.leaf_values is not None:
            self._ask_leaf_values(root, int(rule.player))
            return self._call(FINISH, root, rule)
        while len(self._works) < threads:
            self._works.append(self._scratch())
        jobs = [_pool(threads).submit(self._call, TASKS, root, rule, self._works[k]) for k in range(1, threads)]
        self._call(TASKS, root, rule)
        for job in jobs:
            job.result()
        return self._call(FINISH, root, rule)

    def _ask_leaf_values(self, root: Root, player: int) -> None:
        assert self.leaf_values is not None
        work, board = self._works[0], int(root.board)
        held, stride = self.boards.held[:, board].tolist(), self.boards.stride[:, board].tolist()
        for leaf in self.lines[int(root.line)].leaves:
            if leaf.kind == DEAL:
                at, own = leaf.rows[1 - player] * stride[1 - player], leaf.rows[player] * stride[player]
                reach = work.reach[at : at + held[1 - player]].copy()
                work.value[own : own + held[player]] += self.leaf_values(player, leaf, reach)

    def _decision_rows(
        self, mode: np.uint64, player: int, line: int, decision: int, board: int, reach: FloatRow
    ) -> NDArray[np.float64]:
        """Values of a player's hands at a decision: after each of its actions, or before the other's."""
        node = self.lines[line].decisions[decision]
        window, begin, end = _ALL, node.first_row, node.first_row + len(node.actions)
        if node.player != player:  # what it has after its last action, if the other comes by this decision
            own = [below for below in self._below(line, decision) if below.player == node.player]
            window = np.array([begin, max(at.first_row + len(at.actions) for at in own)], dtype=np.uint64)
            begin = self._row_before(line, decision, player)
            end = begin + 1
        self._in_parts(self._root(line, board, reach, window), _reading(mode, player), 1)
        return self._value_rows(line, board, player)[begin:end]

    def _totals(self, rule: Callable[[int], Rule], threads: int) -> NDArray[np.float64]:
        root = self._root(0, 0, self.ranges)
        if self._in_one_call(root, threads):
            values = self._call(EVERYTHING, root, rule(0))
        else:
            values = np.stack([self._in_parts(root, rule(player), threads)[player] for player in range(2)])
        return np.asarray((self.ranges.astype(np.float64) * values).sum(axis=1) / self.mass)

    def _call(self, phase: np.uint64, root: Root, rule: Rule, work: Work | None = None) -> FloatRow:
        out = np.zeros_like(self.ranges)
        trunk = self._works[0]
        traverse(
            phase, self.flat, self.boards, root, rule, self.tables, self._locks, self._tasks_of(root), trunk,
            work or trunk, out,
        )  # fmt: skip
        return out

    def _root(self, line: int, board: int, reach: FloatRow, window: NDArray[np.uint64] = _ALL) -> Root:
        padded = np.zeros_like(self.ranges)
        padded[:, : reach.shape[1]] = reach
        return Root(np.uint64(line), np.uint64(board), padded, padded, _OPEN_GATE, window)

    def _tasks_of(self, root: Root) -> Tasks:
        line, board = int(root.line), int(root.board)
        if self.leaf_values is not None:
            return _NO_TASKS
        if (line, board) not in self._tasks:
            leaves = np.arange(self.flat.leaf_start[line], self.flat.leaf_start[line + 1], dtype=np.uint64)
            deals = leaves[self.flat.leaf_kind[leaves] == DEAL]
            edges = np.arange(self.boards.child_start[board], self.boards.child_start[board + 1], dtype=np.uint64)
            leaf, edge = np.repeat(deals, len(edges)), np.tile(edges, len(deals))
            size = np.array([self._rows_below(int(self.flat.leaf_line[k])) for k in leaf], dtype=np.int64)
            order = np.argsort(-size, kind="stable").astype(np.uint64)  # large ones first, so that threads end together
            value = np.zeros(len(leaf) * self.ranges.shape[1], dtype=np.float32)
            sums = np.zeros(self.ranges.shape[1])
            self._tasks = {(line, board): Tasks(leaf, edge, order, np.zeros(1, dtype=np.uint64), value, sums)}
        return self._tasks[line, board]

    def _rows_below(self, line: int) -> int:
        """Rows of a line and of those it leads to, each once per child board: a measure of work."""
        below = [leaf.line for leaf in self.lines[line].leaves if leaf.kind == DEAL]
        return int(self.flat.rows[:, line].sum()) + sum(10 * self._rows_below(child) for child in below)

    def _value_rows(self, line: int, board: int, player: int) -> NDArray[np.float64]:
        """The values that the last traversal from this line left, [own row, hand]."""
        stride, held = int(self.boards.stride[player, board]), int(self.boards.held[player, board])
        rows = int(self.flat.rows[player, line])
        block = self._works[0].value[: rows * stride].reshape(rows, stride)
        return np.asarray(block[:, :held], dtype=np.float64)

    def _row_before(self, line: int, decision: int, player: int) -> int:
        """The own row of a player at a decision: its last action before it, on this line."""
        spot = self.lines[line]
        if spot.decisions[decision].player == player:
            return spot.decisions[decision].parent_row
        parents = {child: edge for edge, (kind, child) in spot.children.items() if kind == "decision"}
        while decision in parents:
            decision, action = parents[decision]
            node = spot.decisions[decision]
            if node.player == player:
                return node.first_row + node.actions.index(action)
        return 0

    def _below(self, line: int, decision: int) -> list[Decision]:
        """A decision and all decisions after it on its line."""
        spot, found, stack = self.lines[line], [], [decision]
        while stack:
            at = stack.pop()
            found.append(spot.decisions[at])
            ends = (spot.children[at, action] for action in spot.decisions[at].actions)
            stack += [number for kind, number in ends if kind == "decision"]
        return found

    def _scratch(self) -> Work:
        longest = int(self.boards.stride.max())
        rows = [1] * DEPTH
        for number, line in enumerate(self.lines):
            rows[line.street] = max(rows[line.street], int(self.flat.rows[:, number].max()))
        first = [max(rows), *rows[1:]]  # any line may be the root of a traversal
        begins = np.concatenate(([0], np.cumsum(first) * longest)).astype(np.uint64)

        def floats(count: int) -> FloatRow:
            return np.zeros(count, dtype=np.float32)

        size = int(begins[-1])
        return Work(
            size=begins,
            reach=floats(size),
            own_reach=floats(size),
            strategy=floats(size),
            value=floats(size),
            wins=floats(size),
            mass=floats(size),
            scale=floats(longest),
            spare=floats(longest),
            row=floats(longest),
            block=floats(LANES * longest),
            block_wins=floats(LANES * longest),
            block_mass=floats(LANES * longest),
            totals=floats(LANES),
            swept=np.zeros(LANES * longest, dtype=np.int32),
            table=np.zeros(TOTAL + LANES, dtype=np.int32),
            offsets=np.zeros(LANES, dtype=np.uint64),
            stack=np.zeros(4 * DEPTH, dtype=np.uint64),
            no_window=np.zeros(2, dtype=np.uint64),
        )


_NOTHING = np.zeros(0, dtype=np.uint64)
_NO_TASKS = Tasks(
    _NOTHING, _NOTHING, _NOTHING, np.zeros(1, dtype=np.uint64), np.zeros(0, dtype=np.float32), np.zeros(0)
)  # fmt: skip
_OPEN_GATE = Gate(
    OPEN,
    NOBODY,
    *(np.zeros(0, dtype=np.float32),) * 5,
    np.zeros(1),
    np.zeros((2, 0), dtype=np.float32),
    np.zeros((3, 0)),
    np.zeros(1),
)
_POOLS: dict[tuple[int, int], ThreadPoolExecutor] = {}


def _pool(threads: int) -> ThreadPoolExecutor:
    key = (os.getpid(), threads)
    if key not in _POOLS:
        _POOLS[key] = ThreadPoolExecutor(threads - 1, thread_name_prefix="counterpoise")
    return _POOLS[key]


def _reading(mode: np.uint64, player: int) -> Rule:
    one = np.ones(1, dtype=np.float32)
    return Rule(mode, np.uint64(player), NOBODY, *(np.uint64(0),) * 3, one, one, one, NoSubstitute())


def _extended(factors: FloatRow) -> FloatRow:
    """With one entry more than there are iterations; only predictions look at it."""
    return np.append(factors, factors[-1:]).astype(np.float32)

"""A traverser iterates and judges profiles of a public game. It owns scratch rows and threads, and nothing else.

Two traversers never disturb each other: threads of a caller take one each, on the same game.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numba import typeof
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.jobs.pieces import kept_threads
from counterpoise.public.game import BoardImage, FloatArray, FloatRow, PublicGame, Rows
from counterpoise.public.kernels.gadget import OPEN
from counterpoise.public.kernels.layouts import (
    NO_LEAF_TABLES,
    NO_WARM_START,
    Gadget,
    Root,
    Rule,
    Tables,
    Tasks,
    WarmStartArrays,
    Work,
)
from counterpoise.public.kernels.reach import entry_reach
from counterpoise.public.kernels.simd import LANES, TOTAL
from counterpoise.public.kernels.street import DEAL, EVALUATE, RESPOND, UPDATE, WARM_START, WEIGH
from counterpoise.public.kernels.traverse import (
    BEGIN,
    DEPTH,
    EVERYTHING,
    FINISH,
    NOBODY,
    TASKS,
    gather_deals,
    traverse,
)
from counterpoise.public.leaves import LeafEvaluator, ValueLeaves
from counterpoise.public.profile import Learning, Profile

_ALL = np.zeros(2, dtype=np.uint64)
_ONE = np.ones(1, dtype=np.float32)


@dataclass(frozen=True)
class UpdateSchedule:
    """The factors of iterations t = 1, 2, ... on old numbers: on positive and negative regrets and on the average.

    The factors act before the regrets and the strategy of iteration t are added. The regret factors may go one
    iteration further, for `predictive` rules, which play as if the last regrets were added once more. `weighted` says
    whether the strategy enters the average with its own reach.
    """

    positive: FloatRow
    negative: FloatRow
    average_decay: FloatRow
    weighted: bool = True
    predictive: bool = False


@dataclass(frozen=True)
class Answers:
    """The player who plays a best response instead of learning, on streets from `trunk` on."""

    player: int
    trunk: int = 0


class Traverser:
    """Scratch rows for traversals of one game, by one caller at a time, on `threads` threads.

    `leaves` evaluates value leaves; a game without any needs none.
    """

    def __init__(self, game: PublicGame, threads: int = 1, leaves: LeafEvaluator | None = None) -> None:
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
            raise InputError(f"threads must be at least 1, not {threads!r}")
        self.game, self.threads = game, threads
        self._leaves = ValueLeaves(game, leaves)
        self._works: list[Work] = [scratch(game)]
        self._tasks: dict[tuple[int, int], Tasks] = {}

    @property
    def bytes(self) -> int:
        """Memory of the scratch rows, in bytes."""
        return sum(array.nbytes for work in self._works for array in work)

    def prepare(self, profiles: Learning) -> None:
        """Load or compile the kernel of iterations and measurements, without running it."""
        arguments = self._arguments(BEGIN, self._root(self.game.ranges), reading_rule(EVALUATE, 0), profiles)
        if hasattr(traverse, "compile"):  # not where Numba's compiler is switched off
            traverse.compile(tuple(typeof(argument) for argument in arguments))  # type: ignore[no-untyped-call]

    def iterate(
        self, profiles: Learning, schedule: UpdateSchedule, answers: Answers | None = None, gadget: Gadget | None = None
    ) -> None:
        """Run ``len(schedule.average_decay)`` iterations with alternating updates; a player who answers is the first.

        With a `gadget` one player decides at the root with which hands to enter, whatever its range (see
        `kernels.gadget`), after the other has been updated against its last decision.
        """
        root = self._root(self.game.ranges)
        if gadget is not None:
            root = root._replace(gadget=gadget, weight=np.ones_like(self.game.ranges))
        self._iterate(root, profiles, schedule, answers, 0 if gadget is None else 1 - int(gadget.chooser))

    def update(self, profiles: Learning, schedule: UpdateSchedule, player: int) -> None:
        """Run one player's half of the first iteration of a schedule."""
        self._require_fit(profiles)
        self._in_parts(self._root(self.game.ranges), _updating(schedule, player, 0), profiles)

    def iterate_below(
        self,
        tree: int,
        board: int,
        reach: FloatRow,
        profiles: Learning,
        schedule: UpdateSchedule,
        every_hand: bool = False,
    ) -> None:
        """Run iterations of one street tree on one board and everything below it, for given reach at its beginning.

        Hands that do not arrive have no average strategy unless `every_hand` is set.
        """
        root = self._root(reach, tree, board)
        self._iterate(root._replace(weight=np.ones_like(root.weight)) if every_hand else root, profiles, schedule)

    def update_below_deals(
        self, profiles: Learning, schedule: UpdateSchedule, player: int, reach: FloatArray
    ) -> FloatArray:
        """Run one player's half of an iteration below the deals of the first street; return their values.

        `reach` is that of the other's hands at each deal of the first street tree, [leaf, hand], at most 1 of each; the
        values are those of the player, in the same form. The first street itself is neither read nor changed. Values of
        games that have the same betting and some of the deals each add up to those of all, to the bit.
        """
        self._require_fit(profiles)
        return self._below_deals(_updating(schedule, player, 0), profiles, reach)

    def values_below_deals(self, average: Profile, player: int, reach: FloatArray, best: bool = False) -> FloatArray:
        """Return the values of the first street's deals to a player's hands, [leaf, hand], as `update_below_deals`
        does.

        Under the strategies of a profile or, with `best`, under a best response of the player.
        """
        return self._below_deals(reading_rule(RESPOND if best else EVALUATE, player), self._reads(average), reach)

    def _below_deals(self, rule: Rule, profiles: Learning, reach: FloatArray) -> FloatArray:
        game, player, opponent, work = self.game, int(rule.player), 1 - int(rule.player), self._works[0]
        root = self._root(np.zeros((2, 1), dtype=np.float32))
        tasks, trees = self._tasks_of(root), game.arrays.trees
        leaves, stride = np.unique(tasks.leaf), int(game.boards.stride[opponent, 0])
        if reach.shape != (len(leaves), game.hand_counts[opponent]):
            raise InputError(
                f"reach must have the shape {(len(leaves), game.hand_counts[opponent])}, [deal, hand], "
                f"not {reach.shape}"
            )
        for number, leaf in enumerate(leaves.tolist()):
            begin = int(trees.leaf_row[opponent, leaf]) * stride
            work.reach[begin : begin + stride] = 0
            work.reach[begin : begin + reach.shape[1]] = game.to_rows(opponent, 0, reach[number])
        tasks.next[0] = 0
        self._share(root, rule, profiles)
        found, grid = np.zeros((len(leaves), game.hand_counts[player])), self._grid(opponent)
        weights = grid * game.boards.child_weight[tasks.edge].astype(np.float64)
        exact: NDArray[Any] = tasks.value.reshape(len(weights), -1) * weights[:, None]
        np.rint(exact, out=exact)
        unweighted = game.boards._replace(child_weight=np.ones_like(game.boards.child_weight))
        gather_deals(unweighted, tasks._replace(value=exact.ravel()), np.uint64(player), found)
        return game.from_rows(player, found / grid, BoardImage(0))

    def _grid(self, opponent: int) -> float:
        """Return the power of two to whose whole parts values below deals are rounded.

        Double precision adds those up exactly, so that a sum is the same in whatever parts deals are added.
        """
        trees = self.game.arrays.trees
        most = float(np.abs(trees.leaf_wins).max() + np.abs(trees.leaf_mass).max()) * self.game.hand_counts[opponent]
        return float(2.0 ** (51 - int(np.ceil(np.log2(most)))))

    def root_values(self, average: Profile) -> FloatArray:
        """Return the value of each player's strategy against the other's."""
        return self._totals(EVALUATE, self._reads(average))

    def best_response_values(self, average: Profile) -> FloatArray:
        """Return the value of each player's best response to the other's strategy."""
        return self._totals(RESPOND, self._reads(average))

    def exploitability(self, average: Profile) -> float:
        """Return NashConv / 2 of both strategies, by exact best responses.

        The values of value leaves to both players need not sum to 0.
        """
        best = float(self.best_response_values(average).sum())
        opposed = self.game.zero_sum and not self.game.value_leaves
        gain = best if opposed else best - float(self.root_values(average).sum())
        return max(gain / 2, 0.0)  # rounding may take it below

    def best_response(self, player: int, profile: Profile) -> Profile:
        """Return a best response of a player to the other's strategy, beside that strategy in a new profile.

        It is pure, and best at every decision, reached or not.
        """
        profile.require_fit(self.game)
        found = profile.copy()
        rule = reading_rule(UPDATE, player)._replace(responder=np.uint64(player))
        self._in_parts(self._root(self.game.ranges), rule, Learning(found, found, found))
        return found

    def add_to_average(
        self,
        played: Profile,
        average: Profile,
        decay: float,
        by_reach: bool = True,
        players: tuple[int, ...] = (0, 1),
    ) -> None:
        """Multiply players' averages by a factor, then add their strategies of a profile, by own reach or plainly."""
        rule = reading_rule(WEIGH, 0)._replace(
            weighted=np.uint64(by_reach), average_decay=np.array([decay], dtype=np.float32)
        )
        profiles = Learning(played, played, average)
        self._require_fit(profiles)
        for player in players:
            self._in_parts(self._root(self.game.ranges), rule._replace(player=np.uint64(player)), profiles)

    def fit_regrets(self, arrays: WarmStartArrays, profiles: Learning) -> FloatArray:
        """Make regrets that fit the average strategies, which are not changed, and return the substitute values.

        See `counterpoise.public.warm_start`.
        """
        self._require_fit(profiles)
        return self._totals(WARM_START, profiles, arrays)

    def hand_values(self, average: Profile, best: bool = False, ranges: FloatRow | None = None) -> Rows:
        """Return the counterfactual value of each player's hands at the root against the other's strategy.

        The player follows its own strategy or, with `best`, a best response. `ranges` are other weights at the root, in
        the order of its rows.
        """
        root = self._root(self.game.ranges if ranges is None else ranges)
        profiles, found = self._reads(average), []
        for player in range(2):
            values = self._in_parts(root, reading_rule(RESPOND if best else EVALUATE, player), profiles)[player]
            rows = values[: int(self.game.boards.held[player, 0])].astype(np.float64)
            found.append(self.game.from_rows(player, rows, BoardImage(0)) * self.game.unit[1 - player])
        return found[0], found[1]

    def deal_rows(
        self,
        average: Profile,
        player: int,
        where: tuple[int, int, int],
        reach: FloatRow,
        drawn: tuple[NDArray[np.int64], FloatArray] | None = None,
    ) -> FloatArray:
        """Return the values of a player's rows at a deal, (street tree, number of the leaf, board).

        `reach` is that of the other's rows. Without `drawn` all boards that may follow count; with it only some of
        them, by their numbers among these, each with a weight. Value leaves below must have matrices, because no other
        evaluator works with the reach of one player alone.
        """
        if self._asks:
            raise InputError(
                f"{self.game.name}: what a deal is worth for one player's reach is known only if the values of its "
                "leaves are linear in it, by a leaf evaluator with matrices"
            )
        tree, leaf, board = where
        trees, boards, work = self.game.arrays.trees, self.game.boards, self._works[0]
        number = int(trees.leaf_start[tree]) + leaf
        rows = [int(trees.leaf_row[seat, number]) * int(boards.stride[seat, board]) for seat in range(2)]
        root = self._root(np.zeros((2, 1), dtype=np.float32), tree, board)
        edges = np.arange(boards.child_start[board], boards.child_start[board + 1], dtype=np.uint64)
        edges = edges if drawn is None else edges[drawn[0]]
        tasks = _tasks(np.full(len(edges), number, dtype=np.uint64), edges, self.game.ranges.shape[1])
        begin = rows[1 - player]
        work.reach[begin : begin + int(boards.stride[1 - player, board])] = 0
        work.reach[begin : begin + len(reach)] = reach
        work.value[: int(trees.rows[player, tree]) * int(boards.stride[player, board])] = 0
        rule, profiles = reading_rule(EVALUATE, player), self._reads(average)
        self._share(root, rule, profiles, tasks)
        if drawn is not None:
            tasks.value.reshape(len(edges), -1)[...] *= drawn[1][:, None]
        self._call(FINISH, root, rule, profiles, None, tasks)
        begin = rows[player]
        return work.value[begin : begin + int(boards.held[player, board])].astype(np.float64)

    def dealt_values(self, average: Profile, player: int, tree: int, board: int, reach: FloatRow) -> FloatRow:
        """Return the values of all deals of a street tree on one board to a player's rows, for `decision_rows`.

        This traverses everything below the street.
        """
        root = self._root(reach, tree, board)
        self._in_parts(root, reading_rule(EVALUATE, player), self._reads(average))
        return self._tasks_of(root).value.copy()

    def decision_rows(
        self,
        average: Profile,
        player: int,
        where: tuple[int, int, int],
        reach: FloatRow,
        best: bool = False,
        dealt: FloatRow | None = None,
    ) -> FloatArray:
        """Return the values of a player's rows at a decision, (street tree, number, board).

        There is one row after each of its actions or, if the other acts, one before the decision. `reach` is that of
        both at the beginning of the street tree. Under the strategies of a profile or, with `best`, under a best
        response of the player. With `dealt_values` of the street nothing below it is visited.
        """
        tree, decision, board = where
        street_tree = self.game.street_trees[tree]
        node = street_tree.decisions[decision]
        window, begin, end = _ALL, node.first_row, node.first_row + len(node.actions)
        if node.player != player:  # what it has after its last action if the other reaches this decision
            below = list(street_tree.below(decision))
            own = [node, *(street_tree.decisions[k] for kind, k in below if kind == "decision")]
            rows = [at.first_row + len(at.actions) for at in own if at.player == node.player]
            window = np.array([begin, max(rows)], dtype=np.uint64)
            begin = street_tree.row_before(("decision", decision), player)
            end = begin + 1
            if dealt is not None:
                dealt = self._only_below(dealt, tree, board, [k for kind, k in below if kind == "leaf"])
        rule = reading_rule(RESPOND if best else EVALUATE, player)
        self._in_parts(self._root(reach, tree, board, window), rule, self._reads(average), dealt)
        stride, held = int(self.game.boards.stride[player, board]), int(self.game.boards.held[player, board])
        count = int(self.game.arrays.trees.rows[player, tree])
        block = self._works[0].value[: count * stride].reshape(count, stride)
        return np.asarray(block[begin:end, :held], dtype=np.float64)

    def _only_below(self, dealt: FloatRow, tree: int, board: int, leaves: list[int]) -> FloatRow:
        """Return the values of deals, 0 for those that are not at some leaves of the street tree."""
        deals = self._tasks_of(self._root(self.game.ranges, tree, board)).leaf
        chosen = np.isin(deals, int(self.game.arrays.trees.leaf_start[tree]) + np.array(leaves, dtype=np.int64))
        return np.where(np.repeat(chosen, len(dealt) // max(len(deals), 1)), dealt, np.float32(0))

    def _iterate(
        self, root: Root, profiles: Learning, schedule: UpdateSchedule, answers: Answers | None = None, first: int = 0
    ) -> None:
        self._require_fit(profiles)
        if schedule.predictive and profiles.matched is profiles.regrets:
            raise InputError("predictive rules need a profile of their own to match strategies from")
        first = first if answers is None else answers.player
        if self._in_one_call(root):
            self._call(EVERYTHING, root, _updating(schedule, first, None, answers), profiles)
            return
        for t in range(len(schedule.average_decay)):
            for player in (first, 1 - first):
                self._in_parts(root, _updating(schedule, player, t, answers), profiles)

    def _reads(self, average: Profile) -> Learning:
        """Return one profile of this game in the place of all profiles, for a rule that changes none."""
        average.require_fit(self.game)
        return Learning(average, average, average)

    def _require_fit(self, profiles: Learning) -> None:
        for profile in profiles:
            profile.require_fit(self.game)

    def _in_one_call(self, root: Root) -> bool:
        return not self._asks and (self.threads <= 1 or not self._tasks_of(root).leaf.size)

    @cached_property
    def _asks(self) -> bool:
        """Whether value leaves must be evaluated before each traversal."""
        return bool(self.game.value_leaves) and not self._leaves.tables.values.size

    def _in_parts(self, root: Root, rule: Rule, profiles: Learning, dealt: FloatRow | None = None) -> FloatRow:
        """Run one traversal for one player, its deals shared by threads; return the values at the root.

        The values of deals that are known already are `dealt`: nothing below the root's street tree is visited then.
        """
        if self._asks:
            rule = rule._replace(
                leaf_values=self._leaf_values(root, rule, profiles), leaf_stride=np.uint64(self._leaves.stride)
            )
        self._call(BEGIN, root, rule, profiles)
        if dealt is None:
            self._share(root, rule, profiles)
        else:
            self._tasks_of(root).value[:] = dealt
        return self._call(FINISH, root, rule, profiles)

    def _share(self, root: Root, rule: Rule, profiles: Learning, tasks: Tasks | None = None) -> None:
        """Visit the deals of the root's street tree, shared by threads."""
        while len(self._works) < self.threads:
            self._works.append(scratch(self.game))
        more = self._works[1 : self.threads]
        jobs = [kept_threads(len(more)).submit(self._call, TASKS, root, rule, profiles, work, tasks) for work in more]
        self._call(TASKS, root, rule, profiles, None, tasks)
        for job in jobs:
            job.result()

    def _leaf_values(self, root: Root, rule: Rule, profiles: Learning) -> FloatRow:
        """Return the values of value leaves to the player of a traversal."""
        player = int(rule.player)
        store = (profiles.matched if rule.mode == UPDATE else profiles.average).store
        if root.gadget.kind != OPEN:
            root = root._replace(reach=root.reach.copy())
            entry_reach(root.gadget, root.reach[int(root.gadget.chooser)])
        windows = [_ALL if seat == player else root.window for seat in range(2)]
        return self._leaves.values(store, root, windows, self._works[0], player)

    def _totals(self, mode: np.uint64, profiles: Learning, arrays: WarmStartArrays | None = None) -> FloatArray:
        root = self._root(self.game.ranges)
        rule = reading_rule(mode, 0) if arrays is None else reading_rule(mode, 0)._replace(warm_start=arrays)
        if self._in_one_call(root):
            values = self._call(EVERYTHING, root, rule, profiles)
        else:
            turns = (rule._replace(player=np.uint64(player)) for player in range(2))
            values = np.stack([self._in_parts(root, turn, profiles)[p] for p, turn in enumerate(turns)])
        return np.asarray((self.game.ranges.astype(np.float64) * values).sum(axis=1) / self.game.mass)

    def _call(self, phase: np.uint64, root: Root, rule: Rule, profiles: Learning, *shared: Any) -> FloatRow:
        arguments = self._arguments(phase, root, rule, profiles, *shared)
        traverse(*arguments)
        return cast(FloatRow, arguments[-1])

    def _arguments(
        self,
        phase: np.uint64,
        root: Root,
        rule: Rule,
        profiles: Learning,
        work: Work | None = None,
        tasks: Tasks | None = None,
    ) -> tuple[Any, ...]:
        """Return the arguments of the kernel; the last one receives the values at the root."""
        regrets, matched, average = (profile.store for profile in profiles)
        tables = Tables(regrets, matched, average, self.game.lock_arrays)
        if self.game.value_leaves and not self._asks:
            rule = rule._replace(leaf_tables=self._leaves.tables)
        works, out = (self._works[0], work or self._works[0]), np.zeros_like(self.game.ranges)
        return phase, self.game.arrays, root, rule, tables, tasks or self._tasks_of(root), works, out

    def _root(self, reach: FloatRow, tree: int = 0, board: int = 0, window: NDArray[np.uint64] = _ALL) -> Root:
        padded = np.zeros_like(self.game.ranges)
        padded[:, : reach.shape[1]] = reach
        return Root(np.uint64(tree), np.uint64(board), padded, padded, _NO_GADGET, window)

    def _tasks_of(self, root: Root) -> Tasks:
        tree, board = int(root.tree), int(root.board)
        if (tree, board) not in self._tasks:
            trees, boards, longest = self.game.arrays.trees, self.game.boards, self.game.ranges.shape[1]
            leaves = np.arange(trees.leaf_start[tree], trees.leaf_start[tree + 1], dtype=np.uint64)
            deals = leaves[trees.leaf_kind[leaves] == DEAL]
            edges = np.arange(boards.child_start[board], boards.child_start[board + 1], dtype=np.uint64)
            leaf, edge = np.repeat(deals, len(edges)), np.tile(edges, len(deals))
            size = np.array([self._rows_below(int(trees.leaf_tree[k])) for k in leaf], dtype=np.int64)
            order = np.argsort(-size, kind="stable").astype(np.uint64)  # large ones first, so that threads end together
            self._tasks = {(tree, board): _tasks(leaf, edge, longest)._replace(order=order)}
        return self._tasks[tree, board]

    def _rows_below(self, tree: int) -> int:
        """Return the number of rows of a street tree and of those below it, once per child board, as a measure of
        work."""
        below = [leaf.tree for leaf in self.game.street_trees[tree].leaves if leaf.kind == DEAL]
        return int(self.game.arrays.trees.rows[:, tree].sum()) + sum(10 * self._rows_below(child) for child in below)


def _tasks(leaf: NDArray[np.uint64], edge: NDArray[np.uint64], longest: int) -> Tasks:
    order, value = np.arange(len(leaf), dtype=np.uint64), np.zeros(len(leaf) * longest, dtype=np.float32)
    return Tasks(leaf, edge, order, np.zeros(1, dtype=np.uint64), value, np.zeros(longest))


def scratch(game: PublicGame) -> Work:
    """Return scratch rows for traversals of a game by one thread."""
    longest = int(game.boards.stride.max())
    rows = [1] * DEPTH
    for number, tree in enumerate(game.street_trees):
        rows[tree.street] = max(rows[tree.street], int(game.arrays.trees.rows[:, number].max()))
    first = [max(rows), *rows[1:]]  # any street tree may be the root of a traversal
    begins = np.concatenate(([0], np.cumsum(first) * longest)).astype(np.uint64)
    streets = ("reach", "own_reach", "strategy", "value", "wins", "mass")
    blocks = ("block", "block_wins", "block_mass")
    sizes = dict.fromkeys(streets, int(begins[-1])) | dict.fromkeys(("scale", "spare", "row"), longest)
    sizes |= dict.fromkeys(blocks, LANES * longest) | {"totals": LANES}
    return Work(
        size=begins,
        **{name: np.zeros(count, dtype=np.float32) for name, count in sizes.items()},
        swept=np.zeros(LANES * longest, dtype=np.int32),
        table=np.zeros(TOTAL + LANES, dtype=np.int32),
        offsets=np.zeros(LANES, dtype=np.uint64),
        stack=np.zeros(4 * DEPTH, dtype=np.uint64),
        no_window=np.zeros(2, dtype=np.uint64),
    )


_NO_GADGET = Gadget(
    OPEN,
    NOBODY,
    *(np.zeros(0, dtype=np.float32),) * 5,
    np.zeros(1),
    np.zeros((2, 0), dtype=np.float32),
    np.zeros((3, 0)),
    np.zeros(1),
)
_READING = Rule(
    mode=EVALUATE,
    player=np.uint64(0),
    responder=NOBODY,
    trunk=np.uint64(0),
    weighted=np.uint64(0),
    predictive=np.uint64(0),
    positive=_ONE,
    negative=_ONE,
    average_decay=_ONE,
    warm_start=NO_WARM_START,
    leaf_values=np.zeros(0, dtype=np.float32),
    leaf_stride=np.uint64(0),
    leaf_tables=NO_LEAF_TABLES,
)


def reading_rule(mode: np.uint64, player: int) -> Rule:
    """Return the rule of a traversal for one player that changes nothing in a mode that only reads."""
    return _READING._replace(mode=mode, player=np.uint64(player))


def _updating(schedule: UpdateSchedule, player: int, t: int | None, answers: Answers | None = None) -> Rule:
    """Return the rule of all iterations of a schedule, or of number t of it."""
    # The last factors once more: only predictions look one iteration ahead.
    factors = [np.append(own, own[-1:]).astype(np.float32) for own in (schedule.positive, schedule.negative)]
    which = slice(None) if t is None else slice(t, t + 2)
    return reading_rule(UPDATE, player)._replace(
        responder=NOBODY if answers is None else np.uint64(answers.player),
        trunk=np.uint64(0 if answers is None else answers.trunk),
        weighted=np.uint64(schedule.weighted),
        predictive=np.uint64(schedule.predictive),
        positive=factors[0][which],
        negative=factors[1][which],
        average_decay=schedule.average_decay if t is None else schedule.average_decay[t : t + 1],
    )

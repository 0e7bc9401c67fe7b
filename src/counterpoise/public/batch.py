"""Many belief states of one public game, iterated in lock-step: street trees on boards, each with ranges of its own.

A *belief state* is the beginning of a street tree on a board together with the reach of both players' hands there. It
is played to the end of the street: deals are value leaves, as those of a `Cut` are. Before every traversal a
`LeafEvaluator` is asked once, with the reach of both players at the value leaves of all states, so that one evaluation
of a network serves all of them. What happens inside a state is what a `Traverser` does (`kernels.street`).

Profiles of a batch are arrays [state, entry]: float32 or, for games whose ends are matrices, float64.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterpoise.errors import InputError
from counterpoise.kernels.direct import Direct
from counterpoise.parameters import shown
from counterpoise.public.batch_layout import BatchLayout, IntArray, Numbers, StateLeaves
from counterpoise.public.game import PublicGame, Rows
from counterpoise.public.kernels.batch import (
    States,
    StateTables,
    match_states,
    place_leaf_values,
    reach_leaves,
    reach_states,
    visit_states,
)
from counterpoise.public.kernels.layouts import Locks, Rule
from counterpoise.public.kernels.street import EVALUATE, RESPOND, UPDATE, WEIGH
from counterpoise.public.leaves import LeafBatch, LeafEvaluator, checked_values
from counterpoise.public.traverser import UpdateSchedule, reading_rule, scratch


class BatchLearning(NamedTuple):
    """The profiles that iterations change, [state, entry], as in `Learning`."""

    regrets: Numbers
    matched: Numbers
    average: Numbers


class Stopped(NamedTuple):
    """The strategies of belief states at their own stopping iterations, as profiles [state, entry]."""

    played: Numbers
    """The profile that strategies of the iteration were matched from."""
    average: Numbers
    """The average strategies up to and including the iteration."""


@dataclass(frozen=True, eq=False)
class BeliefBatch:
    """Belief states of one game; `BatchTraverser.batch` makes them."""

    layout: BatchLayout
    trees: IntArray
    boards: IntArray
    states: States

    def __len__(self) -> int:
        return len(self.trees)

    def reach(self, player: int) -> Numbers:
        """Return what arrives of a player's hands at the roots, [state, hand]."""
        rows = self.states.reach[:, player, : self.layout.strides[player]]
        return self.layout.to_hands(player, self.boards, rows)

    @cached_property
    def count(self) -> int:
        """The number of belief states."""
        return len(self.trees)

    @cached_property
    def leaf_buffer(self) -> Numbers:
        """A buffer for the values of value leaves as kernels read them, [state, slot times row]."""
        return np.zeros((self.count, self.layout.slots * self.layout.width), dtype=self.layout.dtype)

    @cached_property
    def answered(self) -> set[int]:
        """The players whose leaf values have been checked once; those of others are checked."""
        return set()

    @cached_property
    def leaves(self) -> StateLeaves:
        """The value leaves of all states."""
        return StateLeaves(self.layout, self.trees, self.boards)


class BatchTraverser:
    """Scratch rows for traversals of batches of one game, by one caller at a time.

    `leaves` evaluates value leaves and deals; street trees without any need none.
    """

    def __init__(
        self, game: PublicGame, leaves: LeafEvaluator | None = None, dtype: type[np.floating[Any]] = np.float32
    ) -> None:
        if leaves is not None and not callable(getattr(leaves, "values", None)):
            raise InputError(f"leaves must have a method values(batch), which {shown(leaves)} has not")
        self.game, self.evaluator, self.layout = game, leaves, BatchLayout(game, dtype)
        work = scratch(game)
        floats = {name: array.astype(dtype) for name, array in work._asdict().items() if array.dtype == np.float32}
        self._work = work._replace(**floats)
        self._known_tables: StateTables | None = None
        self._rules: dict[tuple[np.uint64, int], Rule] = {}
        self._updates: tuple[UpdateSchedule, dict[tuple[int, int], Rule]] | None = None
        # All arrays of these calls are contiguous and of the layout's kind of float.
        self._visit_states, self._reach_leaves, self._place = map(
            Direct, (visit_states, reach_leaves, place_leaf_values)
        )
        self._player, self._width = (np.uint64(0), np.uint64(1)), np.uint64(self.layout.width)
        self._no_tables = np.zeros(0, dtype=np.int16), np.zeros(0, dtype=np.float32)
        nodes = len(game.arrays.trees.actions)
        self._no_locks = Locks(
            np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.float32), np.zeros(nodes, dtype=np.uint64)
        )

    def batch(self, trees: Sequence[int] | IntArray, boards: Sequence[int] | IntArray, reach: Rows) -> BeliefBatch:
        """Return belief states: the street tree and the board of each, and ``reach[player][state, hand]`` there."""
        tree, board = np.asarray(trees, dtype=np.int64), np.asarray(boards, dtype=np.int64)
        game, layout = self.game, self.layout
        if tree.ndim != 1 or tree.shape != board.shape or not len(tree):
            raise InputError("belief states must have a street tree and a board each, in two lists of the same length")
        if tree.min() < 0 or tree.max() >= len(game.street_trees):
            raise InputError(f"{game.name} has street trees 0 to {len(game.street_trees) - 1}, not {shown(trees)}")
        if board.min() < 0 or board.max() >= len(game.street_of):
            raise InputError(f"{game.name} has boards 0 to {len(game.street_of) - 1}, not {shown(boards)}")
        if (game.street_of[board] != game.arrays.trees.street[tree].astype(np.int64)).any():
            raise InputError("a street tree must be played on a board of its street")
        rows = np.zeros((len(tree), 2, layout.width), dtype=layout.dtype)
        for player, own in enumerate(reach):
            wanted = (len(tree), game.hand_counts[player])
            weights = np.asarray(own, dtype=np.float64)
            if weights.shape != wanted or not (np.isfinite(weights).all() and (weights >= 0).all()):
                raise InputError(
                    f"the reach of player {player} must be numbers from 0 on [state, hand] of shape {wanted}"
                )
            rows[:, player, : layout.strides[player]] = layout.to_rows(player, board, weights)
        return BeliefBatch(layout, tree, board, States(tree.astype(np.uint64), board.astype(np.uint64), rows))

    def profile(self, batch: BeliefBatch) -> Numbers:
        """Return a profile of zeros."""
        return np.zeros((len(batch), self.layout.entries), dtype=self.layout.dtype)

    def learning(self, batch: BeliefBatch) -> BatchLearning:
        """Return fresh profiles for iterations that are not predictive."""
        regrets = self.profile(batch)
        return BatchLearning(regrets, regrets, self.profile(batch))

    def iterate(
        self, batch: BeliefBatch, learning: BatchLearning, schedule: UpdateSchedule, stops: IntArray | None = None
    ) -> Stopped:
        """Run ``len(schedule.average_decay)`` iterations of all states, with alternating updates.

        Each state may have a number in `stops`, counted from 1 with this call: its strategies of that iteration, and
        their average up to then, are returned; without `stops` those of the last iteration.
        """
        count = len(schedule.average_decay)
        wanted = np.full(len(batch), count) if stops is None else np.asarray(stops, dtype=np.int64)
        if wanted.shape != (len(batch),) or (wanted < 1).any() or (wanted > count).any():
            raise InputError(f"every belief state must stop at an iteration from 1 to {count}, not {shown(stops)}")
        stopped = Stopped(self.profile(batch), self.profile(batch))
        for t in range(count):
            here = wanted == t + 1
            stopped.played[here] = learning.matched[here]
            for player in range(2):
                self.update(batch, learning, schedule, player, t)
            stopped.average[here] = learning.average[here]
        return stopped

    def update(
        self,
        batch: BeliefBatch,
        learning: BatchLearning,
        schedule: UpdateSchedule,
        player: int,
        t: int = 0,
        leaf_values: Numbers | None = None,
        means: tuple[Numbers, float] | None = None,
    ) -> Numbers:
        """Run a player's half of iteration t of a schedule; return its values at the roots, [state, hand].

        Values are counterfactual, under the strategies before the update. `leaf_values`, as `leaf_values` returns them,
        stand for those of the evaluator at the current strategies. With `means`, made by `root_rows`, these move
        towards the values by a share and are returned instead.
        """
        return self._visit(batch, self._update_rule(schedule, player, t), learning, leaf_values, means)

    def _update_rule(self, schedule: UpdateSchedule, player: int, t: int) -> Rule:
        """Return the rule of a player's half of iteration t; those of the last schedule are kept."""
        if self._updates is None or self._updates[0] is not schedule:
            self._updates = schedule, {}
        rules = self._updates[1]
        if (player, t) not in rules:
            dtype, now = self.layout.dtype, slice(t, t + 2)  # only predictions look one iteration ahead
            positive, negative = schedule.positive[now], schedule.negative[now]
            if schedule.predictive and len(positive) == 1:
                positive, negative = positive[[0, 0]], negative[[0, 0]]
            rules[player, t] = self._rule(UPDATE, player)._replace(
                weighted=np.uint64(schedule.weighted),
                predictive=np.uint64(schedule.predictive),
                positive=np.array(positive, dtype=dtype),
                negative=np.array(negative, dtype=dtype),
                average_decay=np.array(schedule.average_decay[t : t + 1], dtype=dtype),
            )
        return rules[player, t]

    def root_rows(self, batch: BeliefBatch, player: int) -> Numbers:
        """Return zeros for values of a player at the roots, by row of the boards."""
        return np.zeros((batch.count, self.layout.strides[player]), dtype=self.layout.dtype)

    def values(
        self,
        batch: BeliefBatch,
        profile: Numbers,
        player: int,
        best: bool = False,
        leaf_values: Numbers | None = None,
    ) -> Numbers:
        """Return a player's counterfactual values at the roots, [state, hand], under the strategies of a profile.

        With `best` the player responds to the other's strategy.
        """
        learning = BatchLearning(profile, profile, profile)
        return self._visit(batch, self._rule(RESPOND if best else EVALUATE, player), learning, leaf_values)

    def respond(self, batch: BeliefBatch, profile: Numbers, player: int, leaf_values: Numbers | None = None) -> Numbers:
        """Put a best response of a player in place of its strategies in a profile; return its values at the roots.

        It is pure, and best at every decision, reached or not.
        """
        rule = self._rule(UPDATE, player)._replace(responder=np.uint64(player))
        return self._visit(batch, rule, BatchLearning(profile, profile, profile), leaf_values)

    def add_to_average(
        self, batch: BeliefBatch, played: Numbers, average: Numbers, decay: float, players: Sequence[int] = (0, 1)
    ) -> None:
        """Multiply players' averages by a factor, then add their strategies of a profile by own reach."""
        nothing = self._leaf_rows(batch)
        for player in players:
            rule = self._rule(WEIGH, player)._replace(
                weighted=np.uint64(1), average_decay=np.array([decay], dtype=self.layout.dtype)
            )
            self._visit(batch, rule, BatchLearning(played, played, average), nothing)

    def reach(self, batch: BeliefBatch, profile: Numbers, player: int) -> Numbers:
        """Return a player's reach after each of its actions, [state, 1 + action, hand]; at 0 that at the root."""
        rows = self._filled_rows(reach_states, batch, profile, player, 1 + self.layout.rows[player])
        return self.layout.to_hands(player, batch.boards, rows)

    def strategies(self, batch: BeliefBatch, profile: Numbers, player: int) -> Numbers:
        """Return a player's strategies that are matched from a profile, [state, action, hand].

        Actions are numbered as in the street tree, from 0; a tree that has fewer than others leaves zeros.
        """
        out = self._filled_rows(match_states, batch, profile, player, self.layout.rows[player])
        return self.layout.to_hands(player, batch.boards, out)

    def set_strategies(self, batch: BeliefBatch, profile: Numbers, player: int, strategies: Numbers) -> None:
        """Write strategies of a player, [state, action, hand], or numbers in proportion to them, into a profile."""
        own = self.layout.of_player(profile, player)
        own[...] = self.layout.to_rows(player, batch.boards, strategies)

    def leaf_values(self, batch: BeliefBatch, profile: Numbers, player: int) -> Numbers:
        """Return the values of value leaves to a player for the reach of a profile's strategies, as kernels read
        them: [state, slot, row of the board]."""
        found = self._leaf_values(batch, self._tables(profile, profile, profile), player)
        return found.reshape(batch.count, self.layout.slots, self.layout.width).copy()

    def _leaf_values(self, batch: BeliefBatch, tables: StateTables, player: int) -> Numbers:
        """Return the values of leaves in the buffer of a batch, [state, slot times row]."""
        layout, leaves, found = self.layout, batch.leaves, batch.leaf_buffer
        count = len(leaves)
        if not count:
            return found
        if self.evaluator is None:
            raise InputError(f"{self.game.name} stops at {count:,} value leaves: say what they are worth")
        reach = np.empty((2, count, max(layout.hands)), dtype=layout.dtype)
        self._reach_leaves(layout.arrays, batch.states, leaves.arrays, tables, self._work, reach)
        first, second = reach[0, :, : layout.hands[0]], reach[1, :, : layout.hands[1]]
        asked = LeafBatch(self.game, leaves, leaves.picks, (first, second), leaves.state, player)
        wanted, seen = (count, layout.hands[player]), player in batch.answered
        values = checked_values(self.evaluator.values(asked), player, wanted, finite=not seen)
        batch.answered.add(player)
        rows = np.ascontiguousarray(values)
        self._place(batch.states, leaves.arrays, self._player[player], rows, self._width, found)
        return found

    def leaf_rows(self, batch: BeliefBatch, player: int, values: Numbers) -> Numbers:
        """Return values of a player's hands at value leaves, [state, slot, hand], as `leaf_values` returns them."""
        found = self._leaf_rows(batch)
        found[:, :, : self.layout.strides[player]] = self.layout.to_rows(player, batch.boards, values)
        return found

    def _leaf_rows(self, batch: BeliefBatch) -> Numbers:
        return np.zeros((len(batch), self.layout.slots, self.layout.width), dtype=self.layout.dtype)

    def _filled_rows(
        self, fill: Callable[..., None], batch: BeliefBatch, profile: Numbers, player: int, rows: int
    ) -> Numbers:
        """Return a number of rows per state that a kernel fills from a profile of a player."""
        out = np.zeros((len(batch), rows, self.layout.strides[player]), dtype=self.layout.dtype)
        tables = self._tables(profile, profile, profile)
        fill(self.layout.arrays, batch.states, np.uint64(player), tables, self._work, out)
        return out

    def _rule(self, mode: np.uint64, player: int) -> Rule:
        if (mode, player) not in self._rules:
            one = np.ones(1, dtype=self.layout.dtype)
            self._rules[mode, player] = reading_rule(mode, player)._replace(
                positive=one,
                negative=one,
                average_decay=one,
                leaf_stride=np.uint64(self.layout.width),
                leaf_values=np.zeros(0, dtype=self.layout.dtype),
            )
        return self._rules[mode, player]

    def _tables(self, regrets: Numbers, matched: Numbers, average: Numbers) -> StateTables:
        known = self._known_tables
        if known is not None and known[0] is regrets and known[1] is matched and known[2] is average:
            return known
        for profile in (regrets, matched, average):
            if profile.shape[1:] != (self.layout.entries,) or not self._fits(profile):
                raise InputError(
                    f"a profile of belief states of {self.game.name} must have {self.layout.entries} numbers each, "
                    f"{np.dtype(self.layout.dtype).name} in one piece"
                )
        found = StateTables(regrets, matched, average, *self._no_tables, self._no_locks)
        self._known_tables = found
        return found

    def _visit(
        self,
        batch: BeliefBatch,
        rule: Rule,
        learning: BatchLearning,
        leaf_values: Numbers | None,
        means: tuple[Numbers, float] | None = None,
    ) -> Numbers:
        player = int(rule.player)
        if not batch.count == len(learning.regrets) == len(learning.matched) == len(learning.average):
            raise InputError(f"profiles of {batch.count} belief states are needed, not of {len(learning.regrets)}")
        tables = self._tables(learning.regrets, learning.matched, learning.average)
        if leaf_values is None:
            flat = self._leaf_values(batch, tables, player)
        else:
            flat = np.ascontiguousarray(leaf_values, dtype=self.layout.dtype).reshape(batch.count, -1)
            if flat.shape[1] != batch.leaf_buffer.shape[1]:
                raise InputError("values of leaves must be as `leaf_values` or `leaf_rows` returns them")
        out, share = (self.root_rows(batch, player), 1.0) if means is None else means
        if out.shape != (batch.count, self.layout.strides[player]) or not self._fits(out):
            raise InputError("means of values must be as `root_rows` returns them")
        factor = self.layout.dtype(share)
        self._visit_states(self.layout.arrays, batch.states, rule, tables, flat, factor, self._work, out)
        return self.layout.to_hands(player, batch.boards, out)

    def _fits(self, numbers: Numbers) -> bool:
        """Return whether numbers are contiguous and of the layout's type, which kernels do not check."""
        return bool(numbers.dtype == self.layout.dtype and numbers.flags.c_contiguous)

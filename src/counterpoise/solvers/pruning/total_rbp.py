"""Total regret-based pruning, also called best-response pruning: ``cfr/total-rbp(C=0.01)``.

See Brown and Sandholm 2017; Brown 2020, section 3.5.

An action is pruned if its regret would be negative even had a best response been played below it all along; then its
branch need not be remembered, because it can be set up again from the opponent's average alone:

1. An iteration for player i walks the histories as partial pruning does and leaves out the branches of pruned actions.
2. At every infoset met, unpruned actions gain regret as usual; the bound of a pruned action grows by
   pi_{-i}(I) * (largest payoff below it) - v(I) (3.31).
3. When a bound is positive, a best response in the branch to all that the opponent has played is worth
   N psi(I,a) - V(I). If that is negative for long enough again, it is the new bound. If not, it is the action's regret
   and the branch is restored with R(J,b) = N psi(J,b) - N psi(J) and V(J) = N psi(J) (3.29, 3.30); bad actions
   inside are pruned at once.
4. Actions that are not played and have negative regret are checked in the same way now and then, and pruned if
   N psi(I,a) - V(I) < 0 and that is expected to last more than `theta` iterations (3.27). Their branch's regrets are
   given up, and its averages too once the action's share of the average is at most C / sqrt(t).

The tables are packed: infosets in pruned branches take no room, and between batches the arrays are made as small as
what is left (`live_bytes`). `TotalRBPSolver.stored` tells the share of regrets and averages that are stored. An entry
takes more room than one of plain CFR, because where it is has to be known: on Leduc-5 the tables begin 1.28 times as
large as those of plain CFR, and after 1,000 iterations with C = 0.1 they are 0.97 times as large and still falling.

Where no regret is positive the largest is played, whatever the `fallback`: after step 3 none is. The average is that of
the strategies the opponent has faced; when players take turns that leaves out the first player's first strategy. With
CFR+ regrets are kept as in `interval_rbp`; ``cfr+(average=uniform)/total-rbp`` is the one to use, because for a linear
average nothing is proven and a second sum has to be stored. The best response is exact (x = 0 in Brown and Sandholm
2017, section 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.solvers.base import (
    Algorithm,
    Arrays,
    AtLeastZero,
    FiniteAtLeastZero,
    Modified,
    Modifier,
    modifier,
    restore_arrays,
)
from counterpoise.solvers.kernels.layouts import PackedTables
from counterpoise.solvers.kernels.total_rbp import UPDATE, iterate, matched
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.solvers.pruning.interval_rbp import require_prunable, require_two_players
from counterpoise.solvers.pruning.partial import Traversals, require_possible_traversals
from counterpoise.solvers.tree_solver import TreeSolver, pruning_work
from counterpoise.tree import Tree
from counterpoise.tree.kernels.layouts import FloatArray

SPARE = 1 / 32
"""Room for branches that are restored, as a share of what is stored."""


@modifier("total-rbp")
@dataclass(frozen=True, kw_only=True)
class TotalRBP(Modifier):
    """Total regret-based pruning: pruned branches are forgotten and set up again by a best response."""

    source = "Brown and Sandholm 2017; Brown 2020, section 3.5"

    theta: AtLeastZero = 25.0
    """An action is pruned if its bound is expected to stay negative for more iterations than this."""
    C: FiniteAtLeastZero = 0.0
    """The average of a pruned action is discarded at a share of at most C / sqrt(t) (LCFR: C / t); 0 keeps all."""
    best_response: bool = True
    """Whether branches that own play does not reach get a best response even when they are walked."""
    traversals: Traversals = "two"
    """With simultaneous updates: a walk for each player, or one for both that skips what neither needs."""

    def check(self, base: Algorithm) -> None:
        _require_one_discount(self, base)
        require_possible_traversals(self, base, self.traversals)

    def guarantee(self, base: Algorithm) -> str:
        return base.guarantee if _require_one_discount(self, base).average_like_regrets else ""

    def on_tree(self, settings: Modified, tree: Tree, seed: int) -> TotalRBPSolver:
        return TotalRBPSolver(settings, tree, seed)


def _require_one_discount(change: Modifier, base: Algorithm) -> RegretMatching:
    regret_matching = require_prunable(change, base)
    if regret_matching.discounting == "by sign":
        reason = "positive and negative regrets fade differently, so that no best response can restore them (use rbp)"
        change.refuse(base, reason)
    return regret_matching


class Stored(NamedTuple):
    """The share of regret entries and of average entries that take up room."""

    regrets: float
    averages: float


class TotalRBPSolver(TreeSolver):
    """CFR, CFR+ or LCFR with total RBP, in tables that shrink as branches are pruned."""

    kernels = (iterate,)
    compile_seconds = 19.0

    def __init__(self, settings: Modified, tree: Tree, seed: int = 0) -> None:
        change = settings.modifier
        assert isinstance(change, TotalRBP)
        self.variant = _require_one_discount(change, settings.base)
        require_two_players(change, tree)
        super().__init__(settings, tree, seed)
        self._work = pruning_work(tree)
        self._separate = not self.variant.average_like_regrets
        self._tables_by_index = {
            "place": ("regrets", "reach", "recheck", "pruned"),
            "slot": ("value", "seen"),
            "average_place": ("faced", "average") if self._separate else ("faced",),
        }
        self._rules = self.variant.rules(
            together=change.traversals == "one",
            best=bool(change.best_response),
            jump=self.variant.floored,
            separate=self._separate,
            theta=float(change.theta),
            discard=float(change.C),
            discard_power=0.5 if self.variant.discounting == "none" else 1.0,
        )
        self._pack(self._fresh())

    def step(self, iterations: int = 1) -> None:
        """Advance by this many iterations; the tables grow when they must, and are made small afterwards."""
        factors = self.variant.factors(np.arange(self.iteration + 1, self.iteration + iterations + 1, dtype=np.float64))
        position, first = (0, 0, UPDATE), self.iteration + 1
        while True:
            position = iterate(self.pruning_tree, self._rules, first, factors, position, self.tables, self._work)
            self.nodes_touched += int(self.tables.touched[0])
            self.tables.touched[0] = 0
            if position[0] == iterations:
                break
            self._repack(self.tables.need.copy(), SPARE)
        self.iteration += iterations
        if self.tables.regrets.size + self.tables.faced.size > (1 + 2 * SPARE) * sum(self._entries()):
            self._repack()

    @property
    def stored(self) -> Stored:
        """How much of the full tables is stored."""
        regrets, averages = self._entries()
        return Stored(regrets / self.tree.table.size, averages / self.tree.table.size)

    def _entries(self) -> tuple[int, int]:
        return int(np.count_nonzero(self.tables.place)), int(np.count_nonzero(self.tables.average_place))

    def average_profile(self) -> FloatArray:
        """Return the average of the strategies that were faced; uniform where nothing is stored."""
        plan = self.tables.average if self._separate else self.tables.faced
        return self.tree.behaviour(plan[self.tables.average_place])

    def current_profile(self) -> FloatArray:
        """Return the latest iterate; uniform in pruned branches."""
        return self.tree.behaviour(matched(self.tree.form, self.tables))

    def arrays(self) -> Arrays:
        counters = ("used", "need", "touched")
        return {name: table for name, table in self.tables._asdict().items() if name not in counters}

    def state(self) -> Arrays:
        """Return a copy of everything that changes, with an entry for every sequence or infoset."""
        tables = self.tables
        found: Arrays = {"counters": np.array([self.iteration, self.nodes_touched], dtype=np.int64)}
        found |= {"average": tables.average.copy(), "elapsed": tables.elapsed.copy()}
        found |= {"stored": tables.slot > 0, "averaged": tables.average_place > 0}
        for index, names in self._tables_by_index.items():
            found |= {name: getattr(tables, name)[getattr(tables, index)] for name in names}
        return found

    def restore(self, state: Arrays) -> None:
        tables = self._fresh()
        self.iteration, self.nodes_touched = restore_arrays(state, tables, self.settings.name)
        self._pack(tables)

    def _fresh(self) -> Arrays:
        """Return the tables of iteration 0, one entry for every sequence or infoset."""
        _, reach = self.uniform_profile()
        sequences, infosets = len(reach), self.tree.infosets
        sizes = {"regrets": sequences, "faced": sequences, "value": infosets, "seen": infosets, "elapsed": 2}
        sizes["average"] = sequences if self._separate else 1
        return {name: np.zeros(size) for name, size in sizes.items()} | {
            "reach": reach,
            "recheck": np.zeros(sequences, dtype=np.uint8),
            "pruned": np.zeros(sequences, dtype=np.bool_),
            "stored": np.ones(infosets, dtype=np.bool_),
            "averaged": np.ones(sequences, dtype=np.bool_),
        }

    def _pack(self, full: Arrays) -> None:
        """Store what is marked in tables that have an entry for everything."""
        form, stored = self.tree.form, np.ones(self.tree.table.size, dtype=np.bool_)
        for i in np.flatnonzero(~full["stored"]):
            stored[form.start[i] : form.stop[i]] = False
        marks = [stored, full["stored"], full["averaged"]]
        self._move(full, marks, [np.flatnonzero(each) for each in marks], np.zeros(3, dtype=np.int64), 0.0)

    def _repack(self, need: NDArray[np.int64] | None = None, spare: float = 0.0) -> None:
        """Close the gaps; make room for `need` more entries of each kind and some to spare."""
        indices = [getattr(self.tables, index) for index in self._tables_by_index]
        marks = [index > 0 for index in indices]
        places = [index[mark] for index, mark in zip(indices, marks, strict=True)]
        self._move(self.tables._asdict(), marks, places, np.zeros(3, dtype=np.int64) if need is None else need, spare)

    def _move(
        self,
        tables: Arrays,
        marks: list[NDArray[np.bool_]],
        places: list[NDArray[Any]],
        room: NDArray[np.int64],
        spare: float,
    ) -> None:
        """Give what is marked (regrets, infosets, averages) new places in a row; `places` is where it is now."""
        used = np.array([1 + len(each) for each in places], dtype=np.int64)
        size = used + room + (used * spare).astype(np.int64)
        moved = {"average": tables["average"].copy(), "elapsed": tables["elapsed"].copy()}
        for kind, (index, names) in enumerate(self._tables_by_index.items()):
            moved[index] = np.where(marks[kind], np.cumsum(marks[kind], dtype=np.uint32), np.uint32(0))
            for name in names:
                moved[name] = np.zeros(size[kind], dtype=tables[name].dtype)
                moved[name][1 : used[kind]] = tables[name][places[kind]]
        self.tables = PackedTables(**moved, used=used, need=room, touched=np.zeros(1, dtype=np.int64))

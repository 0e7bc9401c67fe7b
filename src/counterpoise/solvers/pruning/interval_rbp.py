"""Interval regret-based pruning: ``cfr/rbp``, ``cfr+/rbp(theta=10)``.

See Brown and Sandholm 2015; Brown 2020, section 3.3.

An action whose regret is negative is not played, and its branch cannot matter before the regret is positive again.
So the branch is left alone for a while, and made up for with one best response to what the opponent played meanwhile:

1. An iteration for player i walks the histories as partial pruning does and leaves out the branches of pruned actions.
2. At every infoset met, unpruned actions gain regret as usual (values are under the unpruned actions' strategy); the
   bound of a pruned action grows by pi_{-i}(I) * (largest payoff below it) - v(I) (3.19).
3. When a bound is positive, the branch is walked against the sum of what the opponent has played; less what the branch
   was worth when it was left, that is what the skipped iterations were worth. A best response to it is declared to
   have been played there: regrets in the branch gain w(J,b) - max_b w(J,b) and the action gains w(I,a) - sum of v(I).
4. An unplayed action with negative regret is pruned if that is expected to last more than `theta` iterations (3.20).
   Pruned actions inside its branch are made up for first, so that prunes never nest.

Leaving a branch needs no walk: each player keeps the sum of the gradients of his own walks, which stands still for a
branch that is left. Besides CFR: with CFR+ regrets may fall below zero and jump back to it when they rise, which
changes nothing in what is played; with LCFR and DCFR (beta > 0) all sums fade as negative regrets do.

``traversals=one`` with simultaneous updates makes one walk per iteration for both players, which is what the figures of
Brown 2020, section 3.3 count; ``best_response=False`` leaves out the best response where own play does not lead
(3.3.1), which suits CFR+ better: on Leduc-5 NashConv after 69 million histories is 0.021 without and 0.057 with it (CFR
gains by it). With CFR+ and linear averaging actions that return late make the average noisy: report the best profile so
far.

Hedge (Brown 2020, section 3.4.2): ``hedge/threshold/rbp``, ``hedge/threshold(d=1)/rbp(theta=10)``. With dynamic
thresholding Hedge does not play actions that are hopeless enough, so their branches can be left alone as above. What
differs is when a pruned action may matter again: not when its regret can be positive, but when its probability can
reach the threshold (3.21),

    exp(eta_T bound(a)) / sum_b exp(eta_T R(b)) >= threshold_T,

where bound(a) is its regret when it was pruned plus, for every iteration since, pi_{-i}(I) times the largest payoff
below it less v(I). The learning rate and the threshold change with T, so this is tested on every iteration. Then
one best response to the sum of what the opponent played meanwhile makes up for the skipped iterations. An action is
pruned if its probability would still be below the threshold in `theta` iterations were its bound to grow as it has on
average.

The variance of v(I) behind the learning rate is that of the iterations in which I was not in a pruned branch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from counterpoise.errors import InputError
from counterpoise.solvers.base import Algorithm, Arrays, AtLeastZero, Modified, Modifier, modifier
from counterpoise.solvers.kernels.hedge_rbp import iterate as iterate_hedge
from counterpoise.solvers.kernels.interval_rbp import empty_tables, iterate
from counterpoise.solvers.kernels.layouts import HedgeState
from counterpoise.solvers.matching.hedge import Hedge, HedgeSolver
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.solvers.matching.tree_matching import RegretMatchingSolver
from counterpoise.solvers.pruning.partial import Traversals, require_possible_traversals, require_regret_matching
from counterpoise.solvers.pruning.threshold import Threshold
from counterpoise.solvers.tree_solver import TreeSolver, pruning_work
from counterpoise.tree import Tree


@modifier("rbp")
@dataclass(frozen=True, kw_only=True)
class IntervalRBP(Modifier):
    """Interval regret-based pruning: skip branches of actions with negative regret, make up for them later."""

    source = "Brown 2020, section 3.3"

    theta: AtLeastZero = 25.0
    """An action is pruned if its regret is expected to stay negative for more iterations than this."""
    best_response: bool = True
    """Whether branches that own play does not reach get a best response even when they are walked."""
    traversals: Traversals = "two"
    """With simultaneous updates: a walk for each player, or one for both that skips what neither needs."""

    def check(self, base: Algorithm) -> None:
        if threshold_of_hedge(base) is None:
            require_prunable(self, base)
        else:
            _require_average(self, base)
        require_possible_traversals(self, base, self.traversals)

    def guarantee(self, base: Algorithm) -> str:
        """Return that of the base, but for weighted averages of CFR+, which late returns of actions may break.

        Nothing is known either where regrets fade by sign: what was skipped fades like negative ones, whatever its sign
        would have been.
        """
        if threshold_of_hedge(base) is not None:
            return base.guarantee
        variant = require_prunable(self, base)
        kept = variant.average_like_regrets if variant.floored else variant.discounting != "by sign"
        return base.guarantee if kept else ""

    def on_tree(self, settings: Modified, tree: Tree, seed: int) -> TreeSolver:
        require_two_players(self, tree)
        threshold, together, best = (
            threshold_of_hedge(settings.base),
            self.traversals == "one",
            bool(self.best_response),
        )
        rules = {"theta": float(self.theta), "together": together, "best": best}
        if threshold is None:
            return IntervalRBPSolver(settings, tree, seed, **rules)
        return HedgeRBPSolver(settings, tree, seed, excess=float(threshold.d), **rules)


def threshold_of_hedge(base: Algorithm) -> Threshold | None:
    """Return the threshold if `base` is ``hedge/threshold``, else None."""
    if isinstance(base, Modified) and isinstance(base.modifier, Threshold) and isinstance(base.base, Hedge):
        return base.modifier
    return None


def require_prunable(change: Modifier, base: Algorithm) -> RegretMatching:
    """Return the base as one whose regrets of bad actions fall without bound, or refuse it and say why it is not."""
    regret_matching = require_regret_matching(change, base)
    regret_matching.check_declarations()
    if regret_matching.predictive:
        change.refuse(base, "a predictive variant needs the last regrets of every action")
    _require_average(change, base)
    if regret_matching.floored and regret_matching.discounting != "none":
        change.refuse(base, "negative regrets are cut while positive ones fade, for which nothing is proven")
    if regret_matching.negative_bounded and not regret_matching.floored:
        change.refuse(base, "its negative regrets stay bounded, so it would never prune (dcfr needs beta > 0)")
    return regret_matching


def _require_average(change: Modifier, base: Algorithm) -> None:
    if getattr(base.unmodified, "output", "average") != "average":
        change.refuse(base, "it keeps the average close to an equilibrium, not the current strategy")


def require_two_players(change: Modifier, tree: Tree) -> None:
    """Refuse other games: what one opponent played can be summed up in one plan, what several played cannot."""
    if tree.players != 2:
        raise InputError(f"{change.registered_name} needs two players; {tree.name} has {tree.players}")


class IntervalRBPSolver(RegretMatchingSolver):
    """CFR, CFR+, LCFR or DCFR with interval RBP: nine floats per sequence, two per infoset."""

    kernels = (iterate,)
    compile_seconds = 14.0

    def __init__(self, settings: Modified, tree: Tree, seed: int = 0, **changes: Any) -> None:
        super().__init__(settings, tree, seed, **changes)
        self._rules = self._rules._replace(jump=self.variant.floored)
        self.tables = empty_tables(self._strategy, self._reach, self.cumulative, tree.infosets)
        self._work = pruning_work(tree)

    def step(self, iterations: int = 1) -> None:
        factors = self.factors(iterations)
        if self.variant.floored:  # jumps take the place of the floor
            factors = factors._replace(negative=np.ones(iterations))
        self.tables.touched[0] = 0
        iterate(self.pruning_tree, self._rules, factors, self.tables, self._work)
        self.count(iterations, self.tables.touched[0])

    def arrays(self) -> Arrays:
        return {name: table for name, table in self.tables._asdict().items() if name != "touched"}


class HedgeRBPSolver(HedgeSolver):
    """Thresholded Hedge with interval RBP: the tables of `IntervalRBPSolver` and the statistics of v(I)."""

    kernels = (iterate_hedge,)
    compile_seconds = 23.0

    def __init__(self, settings: Modified, tree: Tree, seed: int = 0, **changes: Any) -> None:
        super().__init__(settings, tree, seed, **changes)
        self.tables = empty_tables(self._strategy, self._reach, self.cumulative, tree.infosets)
        self.regrets = self.tables.regrets
        self._state = HedgeState(self.tables, self._statistics, pruning_work(tree))

    def step(self, iterations: int = 1) -> None:
        self.tables.touched[0] = 0
        iterate_hedge(self.pruning_tree, self._rules, (self.iteration + 1, self.iteration + iterations), self._state)
        self.count(iterations, self.tables.touched[0])

    def arrays(self) -> Arrays:
        tables = self.tables._asdict() | self._statistics._asdict()
        return {name: table for name, table in tables.items() if name != "touched"}

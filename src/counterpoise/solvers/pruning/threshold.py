"""Dynamic thresholding (Brown 2020, section 3.4; Brown, Kroer and Sandholm 2017): too small probabilities become 0.

Hedge and the excessive gap technique play every action with a positive probability, so that nothing can be pruned. This
modifier takes away what is too small to matter, less and less with every iteration, and the traversal of the tree
then skips every branch that the opponents play with probability 0. `nodes_touched` counts what is really visited.

* CFR with Hedge: before iteration t, probabilities below d sqrt(ln|A|) / (sqrt(2) |A|^2 sqrt(t)) become 0 and the rest
  is renormalised; the largest always stays. Values, regrets and the average see the thresholded strategy. With
  d = C - 1 regret grows by the factor C at most (Theorem 8). A large d means a late guarantee: up to iteration
  2 d^2 ln|A| / |A|^4 the threshold is above 1/2 and only the largest probability is played, which is to follow the
  leader, whose regret may grow as fast as t.
* CFR with regret matching: the same with (C^2 - 1) / (2 C |A|^2 sqrt(t)) (Theorem 9). Regret matching hardly ever plays
  anything so rarely: there is next to nothing to gain. The proof follows the potential of the regrets, so it covers
  weights that grow with t (LCFR, DCFR) and the floor of CFR+, but no predictions.
* Excessive gap technique: the gradients of step T leave out branches whose probability under chance and the opponent is
  below c / T. There is no theory for this.
"""

from __future__ import annotations

from dataclasses import dataclass

from counterpoise.errors import InputError
from counterpoise.solvers.base import Algorithm, FiniteAtLeastZero, Modified, Modifier, modifier
from counterpoise.solvers.first_order.egt import EGT, EGTSolver
from counterpoise.solvers.kernels.threshold import iterate_hedge, iterate_matching
from counterpoise.solvers.matching.hedge import Hedge, HedgeSolver
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.solvers.matching.tree_matching import RegretMatchingSolver
from counterpoise.solvers.tree_solver import TreeSolver
from counterpoise.tree import Tree


@modifier("threshold")
@dataclass(frozen=True, kw_only=True)
class Threshold(Modifier):
    """Small probabilities become 0, so that the branches behind them can be skipped."""

    source = "Brown 2020, section 3.4"

    d: FiniteAtLeastZero = 0.5
    """For CFR: how much regret may grow, as a share (C - 1 in the source); 0 removes nothing."""
    c: FiniteAtLeastZero = 0.01
    """For EGT: step T skips branches less likely than c / T; 0.05 is already too many."""

    def check(self, base: Algorithm) -> None:
        if isinstance(base, RegretMatching) and base.predictive:
            raise InputError(
                f"threshold: not for {base.name}, which plays what it predicts: the bound holds for strategies "
                "proportional to positive regrets"
            )
        if isinstance(base, EGT) and base.steps == "aggressive":
            raise InputError(
                "threshold: not for egt(steps=aggressive), whose steps depend on exact gradients: use scheduled steps"
            )
        if not isinstance(base, Hedge | RegretMatching | EGT):
            raise InputError(f"threshold: goes with hedge, egt and the regret-matching family, not with {base.name}")
        mine, other = ("c", "d") if isinstance(base, EGT) else ("d", "c")
        if getattr(self, other) != getattr(type(self), other):
            raise InputError(f"threshold: {other} means nothing to {base.name}: set {mine}")

    def guarantee(self, base: Algorithm) -> str:
        return "" if isinstance(base, EGT) else base.guarantee

    def on_tree(self, settings: Modified, tree: Tree, seed: int) -> TreeSolver:
        if isinstance(settings.base, EGT):
            return EGTSolver(settings, tree, seed, threshold=self.c)
        solver = ThresholdedHedge if isinstance(settings.base, Hedge) else ThresholdedMatching
        return solver(settings, tree, seed, excess=float(self.d), together=True)


class ThresholdedHedge(HedgeSolver):
    """CFR with Hedge whose small probabilities are 0."""

    kernels = (iterate_hedge,)
    compile_seconds = 8.0

    def step(self, iterations: int = 1) -> None:
        steps = self.iteration + 1, self.iteration + iterations
        state = self._walked, self._infoset_values, self._tables, self._statistics
        self.count(iterations, iterate_hedge(self.pruning_tree, self._rules, steps, *state))


class ThresholdedMatching(RegretMatchingSolver):
    """CFR with regret matching (or a relative) whose small probabilities are 0."""

    kernels = (iterate_matching,)
    compile_seconds = 8.0

    def step(self, iterations: int = 1) -> None:
        factors, first, state = self.factors(iterations), self.iteration + 1, (self._tables, self._walked)
        self.count(iterations, iterate_matching(self.pruning_tree, self._rules, factors, first, *state))

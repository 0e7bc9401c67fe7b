"""Excessive gap technique (Nesterov 2005) with dilated entropy (Hoda et al. 2010, Kroer et al. 2020).

A first-order method: both players' plans x, y and smoothing parameters mu1, mu2 keep the excessive-gap
condition S1(y, mu1) + S2(x, mu2) <= 0, where S is a best-response value less mu times the dilated entropy of
the response. While it holds NashConv is at most mu1 max d1 + mu2 max d2, and the mu shrink like 1/k. Scheduled
steps from the small mu of step 1 may break it; aggressive steps look and never do.

1. Start with the smallest mu1 = mu2 whose smoothed responses to each other satisfy the condition.
2. Step k shrinks the larger mu (of player 1, say) by the factor 1 - tau, tau = 2/(k+2):
   x1 = smoothed response to y; y1 = smoothed response to (1-tau) x + tau x1;
   x2 = prox step from x1 along the gradient against y1; x <- (1-tau) x + tau x2, y <- (1-tau) y + tau y1.

One step reads the payoffs three times, which is counted as three traversals of the tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from counterpoise.solvers.base import ZERO_SUM, Algorithm, Arrays, algorithm
from counterpoise.solvers.kernels.egt import dilate, excessive_gap, iterate, starting_point
from counterpoise.solvers.kernels.layouts import Gap, GapWork, Prox
from counterpoise.solvers.tree_solver import TreeSolver
from counterpoise.tree import Tree
from counterpoise.tree.kernels.layouts import FloatArray

Steps = Literal["scheduled", "aggressive"]


@algorithm("egt")
@dataclass(frozen=True, kw_only=True)
class EGT(Algorithm):
    """Excessive gap technique with dilated entropy, O(1/T); the first-order alternative to CFR."""

    source = "Hoda et al. 2010, Kroer et al. 2020; Brown 2020, section 3.4.3"

    steps: Steps = "scheduled"
    """Step sizes 2/(k+2), or as large as the excessive-gap condition allows: from 1/2, halved when it fails.

    The schedule does not look at the condition and breaks it in many games (in Goofspiel at nearly every step,
    where it still converges), so that only aggressive steps carry a guarantee.
    """

    @property
    def guarantee(self) -> str:
        return ZERO_SUM if self.steps == "aggressive" else ""  # only these steps keep the excessive-gap condition

    def on_tree(self, tree: Tree, seed: int) -> EGTSolver:
        return EGTSolver(self, tree, seed)


class EGTSolver(TreeSolver):
    """Realisation plans of both players and the two smoothing parameters; the plans are the output."""

    kernels = (dilate, starting_point, iterate, excessive_gap)
    compile_seconds = 8.0

    def __init__(self, settings: Algorithm, tree: Tree, seed: int = 0, threshold: float = 0.0) -> None:
        """`threshold` is the c of Brown 2020, section 3.4.3: step T reads no branch less likely than c / T (0: reads
        all).
        """
        tree.require_two_player_zero_sum("egt")
        super().__init__(settings, tree, seed)
        self._aggressive = getattr(settings.unmodified, "steps", "") == "aggressive"
        self._threshold = threshold
        uniform, plan = self.uniform_profile()
        self._furthest = np.zeros(2)
        self._prox = Prox(
            weights=np.zeros(tree.infosets),
            uniform=uniform,
            payoff_sum=float(tree.payoff_sum or 0.0),
            tolerance=1e-13 * float(np.abs(tree.histories.payoffs).max(initial=0.0)),
        )
        self._gap = Gap(np.zeros(2), plan, np.full(1, 0.5))  # smoothing is zero until the starting point is known
        self._work = GapWork(np.zeros(2), *np.zeros((4, len(plan))))

    def step(self, iterations: int = 1) -> None:
        """Advance by this many steps; the first call also searches the starting point.

        That search, a few dozen gradients, is set-up and not counted in `nodes_touched`.
        """
        self._start()
        steps = self.iteration + 1, self.iteration + iterations
        form, rule = self.tree.form, (self._threshold, self._aggressive)
        self.nodes_touched += iterate(form, self.pruning_tree.nodes, self._prox, *rule, steps, self._gap, self._work)
        self.iteration += iterations

    def smoothing(self) -> tuple[float, float]:
        """Return the smoothing parameters mu1 and mu2 of the players."""
        self._start()
        return float(self._gap.smoothing[0]), float(self._gap.smoothing[1])

    def excessive_gap(self) -> float:
        """Return S1(y, mu1) + S2(x, mu2) - (sum of both payoffs); while it is at most 0, `bound` holds."""
        self._start()
        return float(excessive_gap(self.tree.form, self._prox, self._gap.smoothing, self._gap.plan, self._work))

    def bound(self) -> float:
        """Return mu1 max d1 + mu2 max d2, which NashConv does not exceed while the excessive gap is at most 0."""
        self._start()
        return float(self._gap.smoothing @ self._furthest)

    def average_profile(self) -> FloatArray:
        """Return both plans as behaviour strategies; uniform at infosets they never reach."""
        return self.tree.behaviour(self._gap.plan)

    def arrays(self) -> Arrays:
        return {"plan": self._gap.plan, "smoothing": self._gap.smoothing, "step_size": self._gap.step_size}

    def _start(self) -> None:
        if not self._prox.weights.any():
            below, distance = np.zeros((2, len(self._gap.plan)))
            dilate(self.tree.form, below, distance, self._prox.weights, self._furthest)
        if not self._gap.smoothing.any():
            starting_point(self.tree.form, self._prox, self._gap, self._work)

"""Search step by step: the solver of a subgame behind its gate, with the exploitability of the game that it solves.

With a gate that game is the subgame plus the opponent's decision at the root: enter, or take the alternative
(`resolve`); or with which hand to enter (`maxmargin`). Hands of the opponent count there as often as they meet the
searcher's range, whatever the opponent has done before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public.arrays import Gate
from counterpoise.public.gate_kernels import MARGIN, RESOLVE
from counterpoise.search.subgame import FloatArray, Subgame
from counterpoise.solvers.base import Algorithm
from counterpoise.solvers.public import PublicSolver, public_schedule


class SearchSolver(PublicSolver):
    """A variant of CFR at work in a subgame; without a gate both players come with the tree's ranges."""

    def __init__(self, settings: Algorithm, subgame: Subgame, gate: Gate | None, threads: int = 1) -> None:
        super().__init__(settings, subgame.tree, threads)
        if gate is not None and gate.kind not in (RESOLVE, MARGIN):
            raise InputError("only resolve and maxmargin have an exploitability to go by")
        self.subgame, self.gate = subgame, gate

    def step(self, iterations: int = 1) -> None:
        """Advance by so many iterations."""
        self.tree.iterate(public_schedule(self.settings, self.iteration, iterations), self.threads, gate=self.gate)
        self.iteration += iterations
        self.nodes_touched += 2 * iterations * int(self.tree.nodes)

    @property
    def entry(self) -> FloatArray | None:
        """How often each hand of the opponent enters, on average (maxmargin: with which hand)."""
        if self.gate is None:
            return None
        average = self.gate.average[: len(self.subgame.mass)].astype(np.float64)
        return np.asarray(average / max(float(self.gate.average_weight[0]), 1e-300))

    def exploitability(self) -> float:
        """NashConv / 2 of the average strategies in the game that is solved, its gate included."""
        if self.gate is None:
            return super().exploitability()
        best = self._totals(best=True)
        gain = sum(best) if self.tree.zero_sum else sum(best) - sum(self._totals(best=False))
        return max(gain / 2, 0.0)

    def _totals(self, best: bool) -> tuple[float, float]:
        """What the opponent and the searcher win, on average or by best responses."""
        gate, entry, subgame = self.gate, self.entry, self.subgame
        assert gate is not None
        assert entry is not None
        met = subgame.mass > 0
        mass, entry = subgame.mass[met], entry[met]
        alternative = gate.alternative[: len(met)][met].astype(np.float64)
        reach = np.zeros(len(met))
        reach[met] = entry if gate.kind == RESOLVE else entry / mass
        theirs, ours = self._hand_values(reach, best)
        entering = theirs[met]
        own = self.tree.ranges[subgame.searcher][: len(ours)].astype(np.float64)
        won = float(own @ ours)
        if gate.kind == MARGIN:
            gains = entering / mass - alternative
            return float(gains.max() if best else entry @ gains), won + float(entry @ alternative)
        outside = mass * alternative
        mixed = np.maximum(entering, outside) if best else entry * entering + (1 - entry) * outside
        return float(mixed.sum() / mass.sum()), (won - float((1 - entry) @ outside)) / float(mass.sum())

    def _hand_values(self, reach: FloatArray, best: bool) -> tuple[FloatArray, FloatArray]:
        """Counterfactual values of the opponent's and the searcher's hands, the opponent coming with a given reach."""
        tree, kept, opponent = self.tree, self.tree.ranges, self.subgame.opponent
        entering: NDArray[np.float32] = kept.copy()
        entering[opponent] = 0
        entering[opponent, : len(reach)] = reach
        tree.ranges = entering
        try:
            values = tree.hand_values(best, self.threads)
        finally:
            tree.ranges = kept
        return values[opponent], values[1 - opponent]

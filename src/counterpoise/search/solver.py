"""Search step by step: the solver of a subgame behind its gate, with the exploitability of the game that it solves.

With a gate that game is the subgame plus the opponent's decision at the root: enter, or take the alternative
(`resolve`); or with which hand to enter (`maxmargin`). Hands of the opponent count there as often as they meet the
searcher's range, whatever the opponent has done before. Under `distributional` alternatives the opponent sees a draw
X from N(m, d^2) before it decides: a hand that is worth v inside has E max(X, v) by a best response, and one that
enters with probability p has the most outside, m (1 - p) + d f(F^-1(p)) with f, F of the standard normal law, if it
enters on the lowest draws. That is the strategy by which the opponent is judged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from counterpoise.public.kernels.gadget import MARGIN
from counterpoise.public.kernels.layouts import Gate
from counterpoise.search.search import average_entry
from counterpoise.search.subgame import FloatArray, Subgame
from counterpoise.solvers.base import Algorithm
from counterpoise.solvers.public.solver import PublicSolver, public_schedule


class SearchSolver(PublicSolver):
    """A variant of CFR at work in a subgame; without a gate both players come with the tree's ranges."""

    def __init__(self, settings: Algorithm, subgame: Subgame, gate: Gate | None, threads: int = 1) -> None:
        super().__init__(settings, subgame.tree, threads)
        self.subgame, self.gate = subgame, gate

    def step(self, iterations: int = 1) -> None:
        """Advance by so many iterations."""
        self.tree.iterate(public_schedule(self.settings, self.iteration, iterations), self.threads, gate=self.gate)
        self.iteration += iterations
        self.nodes_touched += 2 * iterations * int(self.tree.nodes)

    @property
    def entry(self) -> FloatArray | None:
        """How often each hand of the opponent enters, on average (maxmargin: with which hand)."""
        return None if self.gate is None else average_entry(self.subgame, self.gate)

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
        reach[met] = entry / mass if gate.kind == MARGIN else entry
        theirs, ours = self._hand_values(reach, best)
        entering = theirs[met]
        own = self.tree.ranges[subgame.searcher][: len(ours)].astype(np.float64)
        won = float(own @ ours)
        if gate.kind == MARGIN:
            gains = entering / mass - alternative
            return float(gains.max() if best else entry @ gains), won + float(entry @ alternative)
        spread = gate.spread[: len(met)][met].astype(np.float64)
        outside = mass * _taken(entry, alternative, spread)
        inside = mass * _best_of_both(entering / mass, alternative, spread) if best else entry * entering + outside
        return float(inside.sum() / mass.sum()), (won - float(outside.sum())) / float(mass.sum())

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


def _taken(entry: FloatArray, mean: FloatArray, spread: FloatArray) -> FloatArray:
    """What alternatives bring to hands that enter with given probabilities, if they do so on the lowest draws."""
    return np.asarray((1 - entry) * mean + spread * _density(ndtri(np.clip(entry, 0.0, 1.0))))


def _best_of_both(value: FloatArray, mean: FloatArray, spread: FloatArray) -> FloatArray:
    """E max(X, value) for alternatives X with given means and spreads."""
    drawn = spread > 0
    above = (value - mean) / np.where(drawn, spread, 1.0)
    expected = value * ndtr(above) + mean * ndtr(-above) + spread * _density(above)
    return np.where(drawn, expected, np.maximum(value, mean))


def _density(draw: FloatArray) -> FloatArray:
    """Of the standard normal law."""
    return np.asarray(np.exp(-(draw**2) / 2) / np.sqrt(2 * np.pi))

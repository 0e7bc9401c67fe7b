"""Search step by step: the solver of a subgame with its gadget, and the exploitability of the game that it solves.

With a gadget that game is the subgame plus the opponent's decision at the root: enter, or take the alternative
(`resolve`); or with which hand to enter (`maxmargin`). Hands of the opponent count there as often as they meet the
searcher's range, whatever the opponent has done before. Under `distributional` alternatives the opponent sees a draw X
from N(m, d^2) before it decides: a best response gives a hand that is worth v inside E max(X, v). A hand that enters
with probability p keeps most outside if it enters on the lowest draws: m (1 - p) + d f(F^-1(p)), with f and F of the
standard normal distribution. The opponent's strategy is judged as if it entered so.
"""

from __future__ import annotations

import numpy as np

from counterpoise.jobs import run_steps
from counterpoise.progress import CancelToken, Progress, SilentProgress
from counterpoise.public.gadget import MARGIN, Gadget
from counterpoise.search.gadget import average_entry
from counterpoise.search.subgame import FloatArray, Subgame
from counterpoise.solvers.base import Algorithm, Arrays
from counterpoise.solvers.public.solver import PublicSolver, public_schedule

GADGET_STATE = ("entry", "average", "average_weight", "regret", "sums", "seen")
"""The arrays of a gadget that change from step to step."""


class SearchSolver(PublicSolver):
    """A variant of CFR at work in a subgame; without a gadget both players arrive with the ranges of the game."""

    def __init__(
        self, settings: Algorithm, subgame: Subgame, gadget: Gadget | None, threads: int = 1, bits: int = 32
    ) -> None:
        super().__init__(settings, subgame.game, threads, bits, subgame.leaves)
        self.subgame, self.gadget = subgame, gadget

    def step(self, iterations: int = 1) -> None:
        """Advance by this many iterations."""
        schedule = public_schedule(self.settings, self.iteration, iterations)
        self.traverser.iterate(self.learning, schedule, gadget=self.gadget)
        self.iteration += iterations
        self.touch(2 * iterations)

    def arrays(self) -> Arrays:
        """Return the live arrays of the strategies, and of the gadget if there is one."""
        learned = super().arrays()
        if self.gadget is None:
            return learned
        return learned | {f"gadget_{name}": getattr(self.gadget, name) for name in GADGET_STATE}

    @property
    def entry(self) -> FloatArray | None:
        """How often each hand of the opponent enters, on average (maxmargin: with which hand)."""
        return None if self.gadget is None else average_entry(self.subgame, self.gadget)

    def exploitability(self) -> float:
        """Return NashConv / 2 of the average strategies in the game that is solved, its gadget included."""
        if self.gadget is None:
            return super().exploitability()
        best = self._totals(best=True)
        gain = sum(best) if self.game.zero_sum else sum(best) - sum(self._totals(best=False))
        return max(gain / 2, 0.0)

    def _totals(self, best: bool) -> tuple[float, float]:
        """Return what the opponent and the searcher win, on average or by best responses."""
        gadget, entry, subgame, game = self.gadget, self.entry, self.subgame, self.game
        assert gadget is not None
        assert entry is not None
        met, opponent = subgame.mass > 0, subgame.opponent

        def by_hand(row: np.ndarray) -> FloatArray:
            return game.from_rows(opponent, row, game.root.located)[met]

        mass, entry = subgame.mass[met], entry[met]
        alternative = by_hand(gadget.alternative)
        reach = np.zeros(len(met))
        reach[met] = entry / mass if gadget.kind == MARGIN else entry
        theirs, ours = self._hand_values(reach, best)
        entering = theirs[met]
        won = float(game.reach_at_root(subgame.searcher) @ ours)
        if gadget.kind == MARGIN:
            gains = entering / mass - alternative
            return float(gains.max() if best else entry @ gains), won + float(entry @ alternative)
        spread = by_hand(gadget.spread)
        outside = mass * _taken(entry, alternative, spread)
        inside = mass * _best_of_both(entering / mass, alternative, spread) if best else entry * entering + outside
        return float(inside.sum() / mass.sum()), (won - float(outside.sum())) / float(mass.sum())

    def _hand_values(self, reach: FloatArray, best: bool) -> tuple[FloatArray, FloatArray]:
        """Return counterfactual values of the opponent's and the searcher's hands, for a reach of the opponent."""
        game, opponent = self.game, self.subgame.opponent
        unit, row = game.unit[opponent], game.to_rows(opponent, 0, reach)
        entering = game.ranges.copy()
        entering[opponent] = 0
        entering[opponent, : len(row)] = row / unit
        values = self.traverser.hand_values(self.learning.average, best, entering)
        return values[opponent], values[1 - opponent]


def run_watched(solver: PublicSolver, iterations: int, display: Progress, cancel: CancelToken | None) -> None:
    """Advance a solver by this many iterations, or by fewer, but at least one, if it is cancelled meanwhile."""
    if cancel is None and type(display) is SilentProgress:
        solver.step(iterations)
        return
    cancel = cancel or CancelToken()
    cancel.check()
    run_steps(solver, iterations, cancel, display)


def _taken(entry: FloatArray, mean: FloatArray, spread: FloatArray) -> FloatArray:
    """Return the value of the alternatives of hands that enter on the lowest draws with given probabilities."""
    from scipy.special import ndtri

    return np.asarray((1 - entry) * mean + spread * _density(ndtri(np.clip(entry, 0.0, 1.0))))


def _best_of_both(value: FloatArray, mean: FloatArray, spread: FloatArray) -> FloatArray:
    """Return E max(X, value) for alternatives X with given means and spreads."""
    from scipy.special import ndtr

    drawn = spread > 0
    above = (value - mean) / np.where(drawn, spread, 1.0)
    expected = value * ndtr(above) + mean * ndtr(-above) + spread * _density(above)
    return np.where(drawn, expected, np.maximum(value, mean))


def _density(draw: FloatArray) -> FloatArray:
    """Return the density of the standard normal law."""
    return np.asarray(np.exp(-(draw**2) / 2) / np.sqrt(2 * np.pi))

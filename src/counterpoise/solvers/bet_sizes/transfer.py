"""Regret transfer: how much past iterations may count when the payoffs change (Brown 2020, sections 4.2.1 to 4.2.3).

T iterations of regret matching had the regrets R; in the changed game the same strategies have R'. If the past counts w
times, with w at most L^2 |A| T / Phi(R') at every infoset (Phi: the sum of the squared positive regrets), then w T + T2
iterations keep the bound of as many fresh ones (theorem 16, corollary 5). One weight serves the whole game: the
smallest over all infosets of both players.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from counterpoise.parameters import is_number, require_choice
from counterpoise.tree.kernels.layouts import FloatArray

if TYPE_CHECKING:
    from counterpoise.solvers.bet_sizes.affine import AffineGame

WeightRule = Literal["largest", "potential", "total potential", "change"]


@dataclass(frozen=True, eq=False)
class Transfer:
    """The regrets of the same iterations before and after the payoffs changed, and the weights that follow."""

    game: AffineGame
    iterations: float
    before: FloatArray
    after: FloatArray

    def weight(self, rule: WeightRule | float, scale: float | None = None) -> float:
        """Return the weight of the past by one of the rules below, or a number from 0 to 1 as it is.

        `scale` is the U of the rule "change".
        """
        check_weight(rule)
        if not isinstance(rule, str):
            return float(rule)
        if self.iterations == 0:
            return 1.0
        if rule == "change":
            return self.change_bound(scale)
        return {
            "largest": self.largest_valid,
            "potential": self.potential_ratio,
            "total potential": self.total_potential_ratio,
        }[rule]()

    def largest_valid(self) -> float:
        """Return the largest weight that the theorem allows, at most 1: L^2 |A| T / Phi(R')."""
        return _smallest(self.game.payoff_range**2 * self._actions * self.iterations, self._potentials[1])

    def potential_ratio(self) -> float:
        """Return the smallest Phi(R) / Phi(R') of an infoset, at most 1: the past loses what it did worse."""
        return _smallest(*self._potentials)

    def total_potential_ratio(self) -> float:
        """Return the smaller of both players' ratios of Phi summed over their infosets, as in theorem 19; at most 1.

        Milder than the smallest ratio of an infoset, and covered by the sum of the bounds instead of each of them.
        """
        players = list(pairwise(self.game.structure.form.first_infoset.tolist()))
        before, after = (np.array([row[low:high].sum() for low, high in players]) for row in self._potentials)
        return _smallest(before, after)

    def change_bound(self, scale: float | None = None) -> float:
        """Return a weight that needs only the largest increase of a regret per iteration, l (proposition 1).

        It is 1 / (1 + 2 l sqrt(|A| T) / U + l^2 T / U^2) where `scale` is U, an estimate of the average payoff, as in
        the source's experiments; without one it is the smallest over the infosets with their payoff range L as U.
        """
        if scale is not None:
            return float(change_weight(self.increase, self.iterations, self._actions.max(), scale))
        grown = self._increases > 0.0
        numbers = self._increases[grown], self.iterations, self._actions[grown], self.game.payoff_range[grown]
        return float(np.min(change_weight(*numbers), initial=1.0))

    @property
    def increase(self) -> float:
        """The largest increase of a regret per iteration; 0 if none increases."""
        return float(self._increases.max(initial=0.0))

    @cached_property
    def _increases(self) -> FloatArray:
        """The largest increase per iteration at each infoset."""
        return self._per_infoset(np.maximum, (self.after - self.before) / self.iterations).clip(0.0)

    @cached_property
    def _potentials(self) -> tuple[FloatArray, FloatArray]:
        """Phi of each infoset before and after."""
        before, after = (self._per_infoset(np.add, regrets.clip(0.0) ** 2) for regrets in (self.before, self.after))
        return before, after

    def _per_infoset(self, reduction: np.ufunc, numbers: FloatArray) -> FloatArray:
        """Return the sum, or the maximum, of the numbers of each infoset's sequences, which lie side by side."""
        form = self.game.structure.form
        actions = self._actions.astype(np.intp)
        nonempty = np.delete(numbers, form.first_sequence[:-1])
        found: FloatArray = reduction.reduceat(nonempty, np.cumsum(actions) - actions)
        return found

    @cached_property
    def _actions(self) -> FloatArray:
        """The number of actions of each infoset."""
        form = self.game.structure.form
        return np.subtract(form.stop, form.start, dtype=np.float64)


def check_weight(rule: WeightRule | float) -> None:
    """Refuse what is neither a rule nor a number from 0 to 1."""
    if not (is_number(rule) and 0 <= rule <= 1):  # type: ignore[operator]
        require_choice("weight", rule, (*get_args(WeightRule), "a number from 0 to 1"))


def change_weight(
    increase: FloatArray | float, iterations: float, actions: FloatArray | float, scale: FloatArray | float
) -> FloatArray:
    """Return the weight of proposition 1 for regrets that increase by at most `increase` per iteration."""
    growth = np.asarray(increase) * np.sqrt(iterations) / scale
    return np.asarray(1.0 / (1.0 + 2.0 * growth * np.sqrt(actions) + growth**2))


def _smallest(allowed: FloatArray, potentials: FloatArray) -> float:
    """Return the smallest ratio, at most 1; an infoset without positive regrets allows every weight."""
    some = potentials > 0.0
    return float(np.min(allowed[some] / potentials[some], initial=1.0))

"""CFR with regrets for all points of a family at once (Brown 2020, section 4.2.1).

Regrets are sums of payoffs, so those of affine payoffs are affine in the parameters: every (I,a) keeps one number per
term. Strategies are matched at the solver's point; moving it replays all past iterations in another game at the cost
of one pass. That needs sums that are linear in the regrets of an iteration: a floor or discounts by sign are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.solvers.base import Algorithm, Arrays
from counterpoise.solvers.bet_sizes.affine import AffineGame
from counterpoise.solvers.bet_sizes.transfer import Transfer, WeightRule
from counterpoise.solvers.kernels.parametric import PayoffTables, iterate_parametric, move_point
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.solvers.tree_solver import AveragingSolver, TreeSolver
from counterpoise.tree.kernels.layouts import FloatArray


class ParametricSolver(AveragingSolver):
    """CFR or LCFR in the game at one point of a family, `theta`, with regret sums for every point.

    With `draw`, each iteration draws one deal (chance sampling); two solvers with equal generators meet the same deals.
    """

    kernels: ClassVar[tuple[Any, ...]] = (iterate_parametric, move_point)

    def __init__(
        self,
        settings: Algorithm,
        game: AffineGame,
        theta: Sequence[float] | FloatArray,
        *,
        seat: int = 0,
        draw: np.random.Generator | None = None,
    ) -> None:
        variant = linear_variant(settings)
        super().__init__(settings, game.at(theta))
        self.game, self.theta = game, np.array(theta, dtype=np.float64)
        self._worth = np.zeros(1)
        self._variant, self._rules = variant, variant.rules()
        self._sums = np.zeros((len(game.table), self.tree.table.size))
        self._term_values = np.zeros_like(self._sums)
        self.seat, self.draw = seat, draw
        self._seen: list[FloatArray] = []
        self._payoffs = self._tables_at(self.theta)

    @property
    def worth(self) -> float:
        """The number of iterations that those done are worth after all discounts."""
        return float(self._worth[0])

    def step(self, iterations: int = 1) -> None:
        factors = self._variant.factors(self.next_iterations(iterations))
        seen = np.zeros(iterations)
        iterate_parametric(
            self.tree.form,
            PayoffTables(self._payoffs, self._drawn(iterations), self.seat, seen),
            multipliers(self.theta),
            self._rules,
            factors,
            self._tables,
            self._sums,
            self._term_values,
        )
        if self.draw is not None:
            self._seen.append(seen)
        self._worth += iterations
        self.count(iterations)

    def take_worth(self) -> FloatArray:
        """Return what each iteration with a drawn deal has been worth to `seat` since this was last asked."""
        found = np.concatenate([np.zeros(0), *self._seen])
        self._seen.clear()
        return found

    def regrets_at(self, theta: Sequence[float] | FloatArray) -> FloatArray:
        """Return the regret sums that the strategies so far have in the game at a point."""
        return np.asarray((multipliers(theta)[:, None] * self._sums).sum(axis=0))

    def move(self, theta: Sequence[float] | FloatArray) -> None:
        """Continue in the game at another point, with the regrets that the past has there (weight 1)."""
        self.tree, self.theta[:] = self.game.at(theta), theta
        self._payoffs = self._tables_at(self.theta)
        move_point(self.tree.form, multipliers(self.theta), self._tables, self._sums)

    def discount(self, weight: float) -> None:
        """Multiply all past iterations by `weight`: in the regrets, in the average and in their number."""
        for sums in (self._sums, self.regrets, self.cumulative, self._worth):
            sums *= weight
        if weight == 0.0:
            self.move(self.theta)  # nothing is left to match: all actions alike

    def compare(self, theta: Sequence[float] | FloatArray) -> Transfer:
        """Return the regrets of the past here and at another point, from which the weight of the past follows."""
        return Transfer(self.game, self.worth, self.regrets.copy(), self.regrets_at(theta))

    def transfer(
        self, theta: Sequence[float] | FloatArray, weight: WeightRule | float = "potential", scale: float | None = None
    ) -> float:
        """Move to another point and discount the past by a rule of `Transfer` or by a number; return the weight."""
        if isinstance(weight, str):
            check_iterations_alike(self.settings, f"the weight {weight!r}")
        chosen = self.compare(theta).weight(weight, scale)
        self.move(theta)
        self.discount(chosen)
        return chosen

    def arrays(self) -> Arrays:
        """Return point, iterate, its reach, regrets with all their terms, the average, and what the past is worth."""
        return super().arrays() | {"theta": self.theta, "sums": self._sums, "worth": self._worth}

    def restore(self, state: Arrays) -> None:
        super().restore(state)
        self.tree, self._payoffs = self.game.at(self.theta), self._tables_at(self.theta)

    def _tables_at(self, theta: FloatArray) -> FloatArray:
        return self.game.terms(theta)[None] if self.draw is None else self.game.terms_by_deal(theta)

    def _drawn(self, iterations: int) -> NDArray[np.int64]:
        """Return the deals of the next iterations; the same generator draws the same, whatever the batches."""
        if self.draw is None:
            return np.zeros((iterations, self.tree.players), dtype=np.int64)
        bounds = np.cumsum(self.game.terminals.deals[0])
        points = self.draw.random((iterations, self.tree.players))
        return np.searchsorted(bounds[:-1], points, side="right").astype(np.int64)

    def settle(self) -> TreeSolver:
        """Return an ordinary solver that continues from here in the game at `theta`, without the terms and faster."""
        solver = self.settings.on(self.tree)
        needed = ("counters", *solver.arrays())
        solver.restore({name: array for name, array in self.state().items() if name in needed})
        return solver


def linear_variant(settings: Algorithm) -> RegretMatching:
    """Return the settings if they add up regrets linearly; refuse those with which sums are no affine functions."""
    if not isinstance(settings, RegretMatching) or settings.predictive or not settings.reach_weighted:
        raise InputError(f"regrets for all parameters are kept by cfr and lcfr, not by {settings.name}")
    if settings.floored or settings.discounting == "by sign":
        cause = "a floor" if settings.floored else "a discount that depends on the sign"
        raise InputError(
            f"regrets for all parameters cannot be kept by {settings.name}: {cause} is not linear; use cfr or lcfr"
        )
    if settings.fallback != "uniform" or settings.output != "average":
        raise InputError(f"regrets for all parameters need fallback uniform and output average, not {settings.name}")
    return settings


def check_iterations_alike(settings: Algorithm, method: str) -> None:
    """Refuse settings that weigh iterations differently, for a method whose theory counts them alike."""
    variant = linear_variant(settings)
    if variant.discounting != "none" or not variant.average_like_regrets:
        raise InputError(f"{method} counts all iterations alike: use cfr, not {settings.name}")


def multipliers(theta: Sequence[float] | FloatArray) -> FloatArray:
    """Return what the terms of an affine function are multiplied by: 1 and the parameters."""
    return np.concatenate(([1.0], np.asarray(theta, dtype=np.float64)))

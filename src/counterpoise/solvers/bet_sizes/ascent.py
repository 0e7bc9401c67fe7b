"""Algorithm 3 of Brown 2020, section 4.2.5: climb to parameters of the highest equilibrium value while the games are
being solved.

1. On both sides of the point theta, in each of N dimensions, lies a probe at the distance s^(-1/4); each of the 2N has
   regrets and an average strategy of its own.
2. In step s all probes run CFR until their iterations are worth s K.
3. The difference of the average strategies' values, each in the game of its probe, is the slope; theta moves by
   alpha / s^(3/4) times it and stays in its box.
4. The probes move with theta. Their past counts less, by one weight for all of them (`Transfer`), and s grows by 1.

A weight of 0 starts anew in each step, which is the naive gradient ascent of the source.

With `sampled`, as in games too large to visit whole (Brown 2020, section 4.2.6, hold'em): iterations draw their deal,
the same for all probes. Instead of 2 and 3 the slope is the mean difference of the values of the iterations themselves,
with the past weighted as in regrets; theta moves as soon as the sign is significant, or after the most iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from counterpoise.games import TERMINAL
from counterpoise.parameters import is_number, require, require_choice, require_number, require_whole, shown
from counterpoise.solvers.base import Algorithm
from counterpoise.solvers.bet_sizes.affine import AffineGame
from counterpoise.solvers.bet_sizes.parametric import ParametricSolver
from counterpoise.solvers.bet_sizes.result import OptimisationStep
from counterpoise.solvers.bet_sizes.transfer import WeightRule, check_weight
from counterpoise.tree import Tree, evaluate
from counterpoise.tree.kernels.layouts import FloatArray

FEWEST_BATCHES = 5
"""The error of a slope is judged from this many batches on."""


@dataclass(frozen=True, kw_only=True)
class Ascent:
    """Settings of Algorithm 3; the defaults are those of the published experiments (Brown 2020, section 4.2.6)."""

    iterations_per_step: int = 100
    """K: after step s the iterations are worth K s."""
    step_size: float = 50.0
    """alpha: how far the parameters move for a slope of 1, in the first step."""
    decay: float = 0.75
    """Step s is divided by s to this power; from 0.5 to 1, so that steps shrink fast enough and still lead anywhere."""
    probe: float = 1.0
    """Distance of the probes in the first step, in the unit of the parameters; it falls like s^(-1/4)."""
    weight: WeightRule | float = "change"
    """The weight of the past after a move: a rule of `Transfer`, or a number (0: start anew in every step)."""
    scale: float | None = None
    """U of the rule "change": an estimate of the average payoff; None: the mean size of payoffs (`mean_payoff`)."""
    sampled: bool = False
    """Whether each iteration draws one deal of chance, the same at all probes; K then plays no role."""
    fewest: int = 5_000
    """Iterations with drawn deals before each move, at least; errors are judged from batches of this length."""
    most: int = 200_000
    """Iterations with drawn deals after which a move is made anyway."""
    confidence: float = 2.0
    """The sign of a slope is significant if it differs from 0 by this many standard errors."""
    seed: int = 0
    """Seed of the drawn deals."""

    def __post_init__(self) -> None:
        require_whole("iterations_per_step", self.iterations_per_step, 1)
        require_choice("sampled", self.sampled, (True, False))
        require_whole("fewest", self.fewest, 1)
        require_whole("most", self.most, self.fewest)
        require_number("confidence", self.confidence, 0)
        require_whole("seed", self.seed, 0)
        for field in ("step_size", "probe"):
            _require_positive(field, getattr(self, field))
        require_number("decay", self.decay, 0.5, 1)
        check_weight(self.weight)
        if self.scale is not None:
            _require_positive("scale", self.scale)


def _require_positive(field: str, value: float) -> None:
    require(is_number(value) and value > 0, f"{field} must be a positive number, not {shown(value)}")


class ParameterAscent:
    """Algorithm 3 at work for one seat: the point `theta`, its probes and the `trace` of the steps done."""

    def __init__(
        self, game: AffineGame, seat: int, theta: Sequence[float], algorithm: Algorithm, settings: Ascent
    ) -> None:
        self.game, self.seat, self.settings = game, seat, settings
        self.theta = np.array(theta, dtype=np.float64)
        self.probes = [
            ParametricSolver(algorithm, game, point, seat=seat, draw=self._generator())
            for point in self._probe_points(1)
        ]
        self.trace: list[OptimisationStep] = []
        self.iterations = 0
        self._missing: list[int] = []  # iterations of each probe that are left of the present round
        self._drawn = 0  # iterations with drawn deals since the last move
        self._plans = np.zeros(game.structure.table.size)
        self._batches = np.zeros((0, 1 + len(self.probes)))  # weight and mean worth at each probe of batches of deals
        self._slopes = np.zeros((0, len(self.theta)))
        self._scale = mean_payoff(game.at(theta)) if settings.scale is None else settings.scale

    def run(self, iterations: int) -> int:
        """Run at most `iterations` iterations of the next unfinished probe and return how many were run.

        When no probe lacks any, the point moves: that is a step.
        """
        if not any(self._missing):
            self._missing = self._next_round()
        number = next(k for k, missing in enumerate(self._missing) if missing)
        count = min(iterations, self._missing[number])
        self.probes[number].step(count)
        self._missing[number] -= count
        if not any(self._missing) and self._round_decides():
            self._move()
        return count

    def _move(self) -> None:
        """Go up the slope that the probes have found."""
        step = len(self.trace) + 1
        self._plans = np.sum([probe.cumulative for probe in self.probes], axis=0)
        found = [evaluate(probe.tree, probe.average_profile()) for probe in self.probes]
        if self.settings.sampled:
            weights = self._batches[:, 0] / self._batches[:, 0].sum()
            values, slope = weights @ self._batches[:, 1:], weights @ self._slopes
        else:
            values = np.array([value.expected[self.seat] for value in found])
            slope = self._slope(values)
        before = self.theta
        way = self.settings.step_size * slope / step**self.settings.decay
        if self.settings.sampled:  # a noisy slope between two probes says nothing beyond them
            way = way.clip(-self._probe_distance(step), self._probe_distance(step))
        self.theta = self._clip(before + way)
        weight = self._move_probes(step + 1)
        self._batches[:, 0] *= weight
        exploitability = max(value.exploitability for value in found)
        self.trace.append(
            OptimisationStep(
                step,
                tuple(before.tolist()),
                float(values.mean()),
                tuple(slope.tolist()),
                self.iterations,
                weight,
                exploitability,
            )
        )

    def _next_round(self) -> list[int]:
        """Return how many iterations each probe runs before the slopes are looked at.

        With all deals: until the iterations of all probes are worth K times the number of the step.
        """
        if self.settings.sampled:
            missing = self.settings.fewest
        else:
            wanted = (len(self.trace) + 1) * self.settings.iterations_per_step
            missing = max(ceil(wanted - self.probes[0].worth - 1e-9), 1)
            self.iterations += missing
        return [missing] * len(self.probes)

    def _round_decides(self) -> bool:
        """Return whether a move follows; with drawn deals once the signs of all slopes are significant."""
        if not self.settings.sampled:
            return True
        self._drawn += self.settings.fewest
        self.iterations += self.settings.fewest
        self._batches = np.append(self._batches, [[1.0, *(probe.take_worth().mean() for probe in self.probes)]], 0)
        self._slopes = np.append(self._slopes, [self._slope(self._batches[-1, 1:])], axis=0)
        if self._drawn < self.settings.most and not self._beyond_doubt():
            return False
        self._drawn = 0
        return True

    def _beyond_doubt(self) -> bool:
        """Return whether the mean slope of the batches, with their weights, differs from 0 in every dimension."""
        weights = self._batches[:, :1]
        mean = (weights * self._slopes).sum(axis=0) / weights.sum()
        error = np.sqrt((weights**2 * (self._slopes - mean) ** 2).sum(axis=0)) / weights.sum()
        return len(weights) >= FEWEST_BATCHES and bool((np.abs(mean) > self.settings.confidence * error).all())

    def _generator(self) -> np.random.Generator | None:
        """Return the generator of a probe's deals: equal ones, so that all probes meet the same."""
        return np.random.default_rng(self.settings.seed) if self.settings.sampled else None

    def average_profile(self) -> FloatArray:
        """Return the average strategy of all probes in the last step: near an equilibrium at `theta`."""
        return self.game.structure.behaviour(self._plans)

    def _move_probes(self, step: int) -> float:
        """Put the probes around `theta`, with the past discounted by one weight for all; return it."""
        points = self._probe_points(step)
        changes = [probe.compare(point) for probe, point in zip(self.probes, points, strict=True)]
        weight = min(change.weight(self.settings.weight, self._scale) for change in changes)
        for probe, point in zip(self.probes, points, strict=True):
            probe.move(point)
            probe.discount(weight)
        return weight

    def _probe_points(self, step: int) -> list[FloatArray]:
        """Return the points below and above `theta` in each dimension, inside the box."""
        axes = self._probe_distance(step) * np.eye(len(self.theta))
        return [self._clip(self.theta + side) for axis in axes for side in (-axis, axis)]

    def _probe_distance(self, step: int) -> float:
        return float(self.settings.probe * step**-0.25)

    def _slope(self, values: FloatArray) -> FloatArray:
        """Return the slope in each dimension from the values of the probes on both sides."""
        pairs = zip(self.probes[::2], self.probes[1::2], strict=True)
        distances = np.array([np.sum(above.theta - below.theta) for below, above in pairs])
        return np.asarray((values[1::2] - values[::2]) / distances)

    def _clip(self, theta: FloatArray) -> FloatArray:
        low, high = np.array(self.game.box).T
        return np.clip(theta, low, high)


def mean_payoff(tree: Tree) -> float:
    """Return the mean size of the payoffs at all terminals, weighted by chance alone, in the game's own unit."""
    histories = tree.histories
    chance = histories.probability.tolist()
    for node, parent in enumerate(histories.parent.tolist()[1:], start=1):
        chance[node] *= chance[parent]  # parents come first
    ends = histories.player == TERMINAL
    sizes = np.abs(histories.payoffs[histories.infoset[ends]]).mean(axis=1)
    return float(np.average(sizes, weights=np.array(chance)[ends]))

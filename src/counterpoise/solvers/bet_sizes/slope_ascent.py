"""Climb to parameters of the highest equilibrium value while one game is being solved: slopes without probes.

Algorithm 3 of Brown 2020, section 4.2.5 solves 2N games beside the point theta to see N slopes. In a two-player
zero-sum game the slope of the equilibrium value is that of the payoffs while both players keep their equilibrium
strategies (the envelope theorem; Mills 1956), so one game is enough, and a slope costs two evaluations of its average
strategies.

1. Solve the game at theta for some iterations, then look at the slope of each parameter, on a log scale.
2. Only its sign counts: a parameter moves by its own step, which grows while the sign stays and is halved when the
   sign changes or the parameter is at an end of its box. So no step size depends on the unit of the payoffs.
3. Regrets and averages move along (regret transfer); the smaller the steps are, the more iterations the past is worth,
   and the more are run before the next move.

It ends when all steps are small. The equilibrium value need not be concave, so the end is a local optimum; where a
parameter changes nothing, as a bet that is never made, slopes are noise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from counterpoise.parameters import require_number, require_whole
from counterpoise.tree.kernels.layouts import FloatArray

LAST = 3
"""The end of an ascent is the mean of this many places, between which it oscillates."""


class Climber(Protocol):
    """A game of a family that is being solved, at one point of its parameters, which are positive."""

    @property
    def worth(self) -> float:
        """The number of iterations that those done so far are worth."""
        ...

    def move(self, theta: FloatArray, worth: int) -> None:
        """Continue at another point; the past is worth this many iterations at most."""
        ...

    def step(self, iterations: int) -> None:
        """Run iterations at the point."""
        ...

    def slopes(self) -> FloatArray:
        """Return how the value changes with the logarithm of each parameter while strategies stay as they are."""
        ...


@dataclass(frozen=True, kw_only=True)
class SlopeAscent:
    """Settings of the ascent; steps are differences of logarithms."""

    first_step: float = 0.5
    largest_step: float = 0.7
    precision: float = 0.04
    """It ends when no step is larger."""
    growth: float = 1.1
    iterations: int = 15
    """Iterations between two moves at least, and in the first game half as many again."""
    memory: float = 10.0
    """The past is worth this many iterations, divided by the largest step."""
    share: float = 0.15
    """Iterations between two moves, at least this share of what the past is worth."""
    most_moves: int = 40

    def __post_init__(self) -> None:
        for name in ("first_step", "largest_step", "precision", "memory", "share"):
            require_number(name, getattr(self, name), 0)
        require_number("growth", self.growth, 1)
        require_whole("iterations", self.iterations)
        require_whole("most_moves", self.most_moves)


class Move(NamedTuple):
    """One move of the ascent: where it was, what the slopes were, and how many iterations had been run in all."""

    theta: tuple[float, ...]
    slopes: tuple[float, ...]
    iterations: int
    largest_step: float


def climb(
    climber: Climber,
    start: Sequence[float] | FloatArray,
    box: Sequence[tuple[float, float]],
    settings: SlopeAscent,
    go_on: Callable[[Move], bool] = lambda move: True,
) -> FloatArray:
    """Return the end of the ascent from `start` inside the box; `go_on` gets every move and ends the ascent by
    returning False."""
    low, high = np.log(np.array(box, dtype=np.float64)).T
    at = np.clip(np.log(np.asarray(start, dtype=np.float64)), low, high)
    steps, signs = np.full(len(at), settings.first_step), np.zeros(len(at))
    climber.move(np.exp(at), 0)
    done, wanted, places = 0, settings.iterations + settings.iterations // 2, [at]
    for _ in range(settings.most_moves):
        climber.step(wanted)
        done += wanted
        slopes = climber.slopes()
        move = Move(tuple(np.exp(at).tolist()), tuple(slopes.tolist()), done, float(steps.max()))
        now = np.sign(slopes)
        aim = np.clip(at + now * steps, low, high)
        turned = (now * signs < 0) | (aim == at)
        steps = np.where(turned, steps / 2, np.minimum(steps * settings.growth, settings.largest_step))
        signs = np.where(turned, 0.0, now)  # after a turn the next sign is new, so that noise halves no step twice
        at = np.clip(at + now * steps, low, high)
        places.append(at)
        if not go_on(move) or steps.max() < settings.precision:
            break
        worth = int(settings.memory / steps.max())
        climber.move(np.exp(at), worth)
        wanted = max(settings.iterations, int(settings.share * climber.worth))
    return np.asarray(np.exp(np.mean(places[-LAST:], axis=0)))

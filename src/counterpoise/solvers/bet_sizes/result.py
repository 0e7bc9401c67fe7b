"""The result of an optimisation of parameters: the point, the path to it, and a strategy near an equilibrium."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from counterpoise.jobs import JobResult
from counterpoise.store.json import JsonResult, plain_json
from counterpoise.tree import Strategy


class OptimisationStep(NamedTuple):
    """One step of Algorithm 3: where the probes stood, what they found, and how much of it was kept afterwards."""

    step: int
    parameters: tuple[float, ...]
    value: float
    """The mean value of the probes' average strategies to the seat, each in its own game."""
    slope: tuple[float, ...]
    """Change of the value with each parameter, as the probes see it."""
    iterations: int
    """Iterations of every probe so far."""
    weight: float
    """The weight of the past after the move that followed."""
    exploitability: float
    """The largest of the probes', each in its own game."""


@dataclass(frozen=True, kw_only=True)
class OptimisedParameters(JobResult, JsonResult):
    """Parameters that are locally best for a seat, in the game's own unit. Nothing is random: a run repeats exactly."""

    game: str
    """The game at the point found."""
    seat: int
    parameters: Mapping[str, float]
    value: float
    """What the strategy is worth to the seat at that point."""
    exploitability: float
    """The exploitability of the strategy at that point, by exact best responses: the equilibrium value is within
    twice that of `value`."""
    start: Mapping[str, float]
    box: Mapping[str, tuple[float, float]]
    algorithm: str
    steps: int
    iterations: int
    """Iterations of every probe; there are two probes per parameter."""
    trace: list[OptimisationStep] = field(repr=False)
    strategy: Strategy = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return the figures in the types of JSON, without the strategy."""
        return {key: plain_json(figure) for key, figure in self.fields_in_order().items() if key != "strategy"}

    def plot(self, path: str | os.PathLike[str]) -> Path:
        """Draw parameters and value against iterations into a PNG, SVG or PDF file; return its path."""
        from counterpoise.plots import Curve, Panel, panels

        iterations = [point.iterations for point in self.trace]
        ways = {
            name: Curve(iterations, [point.parameters[k] for point in self.trace])
            for k, name in enumerate(self.parameters)
        }
        values = {f"value to seat {self.seat}": Curve(iterations, [point.value for point in self.trace])}
        return panels(
            [Panel(curves, x_label="iterations", y_scale="linear") for curves in (ways, values)], path, title=self.game
        )

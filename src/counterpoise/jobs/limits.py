"""When a job ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from counterpoise.parameters import is_number, require, require_training_limits, require_whole, shown

DEFAULT_ITERATIONS = 1000


@dataclass(frozen=True)
class Limits:
    """When a job ends: at the first of the limits that are set.

    >>> Limits(iterations=0)
    Traceback (most recent call last):
        ...
    counterpoise.errors.InputError: iterations must be a whole number of at least 1, not 0
    """

    iterations: int | None = None
    """Iterations in all, those of the runs that this one continues included; a warm start does not count."""
    target: float | None = None
    """The exploitability, or whatever else the job measures, at which it has succeeded."""
    seconds: float | None = None
    """Seconds of this run."""
    others: Mapping[str, float] = field(default_factory=dict)
    """What else the job counts, such as nodes touched; `Job.count` says how much of it is done."""

    def __post_init__(self) -> None:
        if self.iterations is not None:
            require_whole("iterations", self.iterations, 1)
        for name, value in (("target", self.target), ("seconds", self.seconds)):
            require_positive(name, value)

    @classmethod
    def first_of(cls, iterations: int | None, target: float | None, seconds: float | None) -> Self:
        """Return limits of which the first ends the job; without any, 1,000 iterations."""
        if iterations is None and target is None and seconds is None:
            iterations = DEFAULT_ITERATIONS
        return cls(iterations, target, seconds)

    @classmethod
    def of_training(cls, minutes: float | None, iterations: int | None, checkpoint_minutes: float) -> Self:
        """Return the limits of a training, of which one must be set."""
        require_training_limits(minutes, iterations, checkpoint_minutes)
        return cls(iterations, seconds=None if minutes is None else 60 * minutes)


def require_positive(field: str, value: Any) -> None:
    """Insist on a positive number, or on None."""
    require(value is None or (is_number(value) and value > 0), f"{field} must be a positive number, not {shown(value)}")

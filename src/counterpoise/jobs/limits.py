"""When a job ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from counterpoise.parameters import is_number, require, require_training_limits, require_whole, shown

if TYPE_CHECKING:
    from counterpoise.jobs.keywords import LimitKeywords, TrainingKeywords

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
    def of(cls, options: LimitKeywords) -> Self:
        """Return limits of which the first ends the job; without any, 1,000 iterations."""
        given = options.get("iterations"), options.get("target"), options.get("seconds")
        return cls(*given) if given != (None, None, None) else cls(DEFAULT_ITERATIONS)

    @classmethod
    def of_training(cls, options: TrainingKeywords) -> Self:
        """Return the limits of a training, of which one must be set."""
        minutes, iterations = options.get("minutes"), options.get("iterations")
        require_training_limits(minutes, iterations, options.get("checkpoint_minutes"))
        return cls(iterations, seconds=None if minutes is None else 60 * minutes)


def require_positive(field: str, value: Any) -> None:
    """Insist on a positive number, or on None."""
    require(value is None or (is_number(value) and value > 0), f"{field} must be a positive number, not {shown(value)}")

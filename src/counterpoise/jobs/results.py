"""What the results of all long jobs say alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, kw_only=True)
class JobResult:
    """What every long job says of its end; results inherit these fields."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    interrupted: bool = False
    """Whether Ctrl-C or a cancel token ended it."""

    @property
    def spent(self) -> dict[str, Any]:
        """The fields that all results have, for one that this is a part of."""
        return {entry.name: getattr(self, entry.name) for entry in fields(JobResult)}

    def fields_in_order(self) -> dict[str, Any]:
        """Return all fields by name, those that all jobs share last."""
        common = {entry.name for entry in fields(IteratedResult)}
        return dict(sorted(vars(self).items(), key=lambda item: item[0] in common))


@dataclass(frozen=True, kw_only=True)
class KeptResult(JobResult):
    """What jobs say of their end that run until a limit and keep what they find in a file."""

    reached: bool = True
    """False if a target was set and the run ended before it."""
    unsaved: str | None = None
    """Why the file could not be written, if so; the result itself is whole."""


@dataclass(frozen=True, kw_only=True)
class IteratedResult(KeptResult):
    """What such jobs say of their end that count iterations."""

    iterations: int


@dataclass(frozen=True)
class JobHistory:
    """How a job has gone so far, the earlier runs that it continues included."""

    trace: Sequence[Any] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    reached: bool = True
    interrupted: bool = False
    origin: int = 0
    """The iteration at which a warm start began the run; 0 without one."""

    @property
    def outcome(self) -> dict[str, Any]:
        """The fields of an `IteratedResult` but for its iterations."""
        return {"reached": self.reached, **self.spent}

    @property
    def spent(self) -> dict[str, Any]:
        """The fields of a `JobResult`."""
        return {"seconds": self.seconds, "cpu_seconds": self.cpu_seconds, "interrupted": self.interrupted}

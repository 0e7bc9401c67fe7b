"""Where and how often a job is saved while it runs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from counterpoise.jobs.clock import now
from counterpoise.store.files import check_training_files, check_writable

if TYPE_CHECKING:
    from counterpoise.jobs.keywords import OutputKeywords, TrainingKeywords

CHECKPOINT_SECONDS = 30.0
CHECKPOINT_SHARE = 0.1
"""The most that saving may take of the time of a run."""


@dataclass(frozen=True)
class Output:
    """The file of a job, which is rewritten on the way and at the end."""

    path: str | os.PathLike[str]
    every: float | None = None
    """Seconds between two checkpoints at least: half a minute by default, more if saving takes long."""

    @classmethod
    def of(cls, options: OutputKeywords) -> Self | None:
        """Return the file that was asked for, if one was; refused if it cannot be written."""
        path = options.get("checkpoint")
        if path is None:
            return None
        check_writable(path)
        return cls(path)

    @classmethod
    def of_training(cls, options: TrainingKeywords, checkpoint_minutes: float) -> Self | None:
        """Return the file for the result of a training, if one was named, and how often its checkpoint is written."""
        path, minutes = options.get("out"), options.get("checkpoint_minutes")
        if path is None:
            return None
        check_training_files(path)
        return cls(path, 60 * (checkpoint_minutes if minutes is None else minutes))


class Pauses:
    """Says when the next checkpoint is due."""

    def __init__(self, output: Output) -> None:
        self._every = CHECKPOINT_SECONDS if output.every is None else output.every
        self._pause, self._saved = self._every, now()

    @property
    def over(self) -> bool:
        """Whether it is time to save."""
        return now() - self._saved > self._pause

    def saved(self, began: float) -> None:
        """Wait for the next time, so long that saving as long as since `began` takes a tenth of the time at most."""
        self._saved = now()
        self._pause = max(self._every, (self._saved - began) / CHECKPOINT_SHARE)

"""The time that a job takes: seconds on the wall, and CPU seconds of all processes that work for it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Self

ROUND_SECONDS = 1e-3
"""The least CPU time of a round of calls that is timed."""


def now() -> float:
    """Return the reading of the clock by which all jobs measure, in seconds."""
    return time.perf_counter()


def own_cpu() -> float:
    """Return the CPU seconds of this process, all threads together."""
    return time.process_time()


def cpu_with_children() -> float:
    """Return the CPU seconds of this process and of those that it has started and that have ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def least_cpu(do: Callable[[], object], rounds: int = 3) -> float:
    """Return the least CPU seconds of a call in several rounds, each long enough for clocks that tick slowly."""
    least = float("inf")
    for _ in range(rounds):
        calls = 0
        with Clock() as clock:
            while clock.cpu_seconds < ROUND_SECONDS:
                do()
                calls += 1
        least = min(least, clock.cpu_seconds / calls)
    return least


class Clock:
    """Adds up the time between `start` and `stop`, on top of what earlier runs have spent.

    `cpu` reads the CPU seconds so far, by default those of this process.

    >>> with Clock(seconds=60.0) as clock:
    ...     pass
    >>> clock.seconds >= 60.0
    True
    """

    def __init__(self, seconds: float = 0.0, cpu_seconds: float = 0.0, cpu: Callable[[], float] = own_cpu) -> None:
        self._seconds, self._cpu_seconds, self._cpu = seconds, cpu_seconds, cpu
        self._since: tuple[float, float] | None = None

    def start(self) -> None:
        """Let the clock run."""
        self._since = now(), self._cpu()

    def stop(self) -> None:
        """Halt the clock; what it shows stays."""
        self._seconds, self._cpu_seconds, self._since = self.seconds, self.cpu_seconds, None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    @property
    def running(self) -> bool:
        """Whether time is being counted."""
        return self._since is not None

    @property
    def seconds(self) -> float:
        """The seconds so far."""
        return self._seconds + (0.0 if self._since is None else now() - self._since[0])

    @property
    def cpu_seconds(self) -> float:
        """The CPU seconds so far."""
        return self._cpu_seconds + (0.0 if self._since is None else self._cpu() - self._since[1])

    @property
    def spent(self) -> dict[str, float]:
        """Both figures, as checkpoints keep them."""
        return {"seconds": self.seconds, "cpu_seconds": self.cpu_seconds}

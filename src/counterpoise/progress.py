"""What a long job shows while it runs: one live line on standard error, with the figure that matters."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn


class Live:
    """A progress line per job; silent when `shown` is False (by default: when standard error is no terminal)."""

    def __init__(self, shown: bool | None = None) -> None:
        visible = sys.stderr.isatty() if shown is None else shown
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("[bold]{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[figure]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            disable=not visible,
        )
        self._task: TaskID | None = None
        self._nested = 0

    def __enter__(self) -> Self:
        self._nested += 1
        if self._nested == 1:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._nested -= 1
        if self._nested == 0:
            self._progress.stop()

    def begin(self, job: str) -> None:
        """Start a new line for `job`; the lines of earlier jobs stay above it."""
        if self._task is not None:
            self._progress.stop_task(self._task)
        self._task = self._progress.add_task(escape(job), total=1.0, figure="")

    def show(self, fraction: float | None, figure: str) -> None:
        """Update the line: how much is done (0 to 1; None if nobody can tell) and a short text."""
        if self._task is not None:
            done = {} if fraction is None else {"completed": min(fraction, 1.0)}
            self._progress.update(self._task, figure=figure, **done)  # type: ignore[arg-type]

    def note(self, sentence: str) -> None:
        """A line that stays above the live one."""
        if not self._progress.disable:
            self._progress.print(sentence, markup=False, soft_wrap=True)

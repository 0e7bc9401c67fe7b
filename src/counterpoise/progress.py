"""Watch and cancel a long job: `Progress` shows how far it is, `CancelToken` tells it to stop.

Every long job of the library takes `progress=` and `cancel=`. A job announces itself (`begin`), says how much is done
and which figure matters (`show`), and leaves sentences that stay (`note`). Jobs nest: each enters and leaves its
`Progress` as a context, and only the outermost starts and ends the display. To show progress elsewhere, such as on a
web page, override what you need of `SilentProgress`:

>>> class WebProgress(SilentProgress):
...     def __init__(self, send):
...         self.send = send
...
...     def show(self, fraction, figure):
...         self.send({"fraction": fraction, "figure": figure})
>>> messages = []
>>> with WebProgress(messages.append) as progress:
...     progress.show(0.5, "exploitability 0.02")
>>> messages
[{'fraction': 0.5, 'figure': 'exploitability 0.02'}]
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from counterpoise.errors import Cancelled

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichProgress, TaskID

ESTIMATE_AFTER = 2.0
"""Seconds of work after which the time left can be told."""


class CancelToken:
    """A request to stop that any thread may make: a job that takes it stops at the next safe point.

    An iterating job then returns what it has found; a job without a result raises `Cancelled`.
    """

    def __init__(self) -> None:
        self._cancelled = False  # no event: its lock would wait for itself if Ctrl-C came twice

    def cancel(self) -> None:
        """Ask the job to stop; asking twice changes nothing."""
        self._cancelled = True

    @property
    def cancelled(self) -> bool:
        """Whether the job has been asked to stop."""
        return self._cancelled

    def check(self) -> None:
        """Raise `Cancelled` if the job has been asked to stop."""
        if self.cancelled:
            raise Cancelled("cancelled before there was a result")


@contextmanager
def cancel_on_interrupt(cancel: CancelToken | None = None) -> Iterator[CancelToken]:
    """Let Ctrl-C set the token, as often as it is pressed, instead of breaking into the work.

    Elsewhere than in the main thread, Ctrl-C is not ours to handle and the token is all that stops the work.
    """
    token = cancel or CancelToken()
    before = signal.getsignal(signal.SIGINT)
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or before is None:  # None: a handler that Python could not restore
        yield token
        return

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        token.cancel()

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield token
    finally:
        signal.signal(signal.SIGINT, before)


class Progress(Protocol):
    """Where a long job shows how far it is."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def begin(self, job: str) -> None:
        """Announce a job; what is shown from now on belongs to it."""
        ...

    def show(self, fraction: float | None, figure: str) -> None:
        """Show how much of the job is done (0 to 1; None if that is not known) and a short text."""
        ...

    def note(self, sentence: str) -> None:
        """Show a sentence that stays."""
        ...


class SilentProgress:
    """Shows nothing; the base class of the other forms."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def begin(self, job: str) -> None:
        """Show nothing."""

    def show(self, fraction: float | None, figure: str) -> None:
        """Show nothing."""

    def note(self, sentence: str) -> None:
        """Show nothing."""


class TerminalProgress(SilentProgress):
    """One live line per job on standard error, with notes above it.

    `lines` says whether live lines are drawn (by default if standard error is a terminal), `notes` whether notes are
    printed (by default with the lines), `show_eta` whether to tell the time left, for jobs whose progress is even.
    """

    def __init__(self, lines: bool | None = None, *, notes: bool | None = None, show_eta: bool = False) -> None:
        from rich.console import Console

        self._lines = sys.stderr.isatty() if lines is None else lines
        self._notes = self._lines if notes is None else notes
        self._console = Console(stderr=True)
        self._bars = _live_bars(self._console) if self._lines else None
        self._task: TaskID | None = None
        self._depth = 0
        self._clock = TimeLeft() if show_eta else None
        self._told_eta = False

    def __enter__(self) -> Self:
        self._depth += 1
        if self._depth == 1 and self._bars is not None:
            self._bars.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._depth -= 1
        if self._depth == 0 and self._bars is not None:
            self._bars.stop()

    def begin(self, job: str) -> None:
        """Start a new line for `job`; the lines of earlier jobs stay above it."""
        from rich.markup import escape

        if self._bars is not None:
            if self._task is not None:
                self._bars.stop_task(self._task)
            self._task = self._bars.add_task(escape(job), total=1.0, figure="")

    def show(self, fraction: float | None, figure: str) -> None:
        """Update the line, with the time left if it is to be shown."""
        if self._clock is not None and (left := self._clock.seconds_left(fraction)) is not None:
            figure += f"  about {duration(left)} left"
            if left > 10 and not self._told_eta and not self._lines:
                self.note(f"about {duration(left)} left")
                self._told_eta = True
        if self._bars is not None and self._task is not None:
            completed = {} if fraction is None else {"completed": min(fraction, 1.0)}
            self._bars.update(self._task, figure=figure, **completed)  # type: ignore[arg-type]

    def note(self, sentence: str) -> None:
        """Print a line above the live one."""
        if self._notes:
            self._console.print(sentence, markup=False, highlight=False, soft_wrap=True)


def _live_bars(console: Console) -> RichProgress:
    from rich.progress import BarColumn, Progress as RichProgress, SpinnerColumn, TextColumn, TimeElapsedColumn

    return RichProgress(
        SpinnerColumn(),
        TextColumn("[bold]{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[figure]}"),
        TimeElapsedColumn(),
        console=console,
    )


class TimeLeft:
    """Extrapolates the time left from the progress since the present phase began."""

    def __init__(self) -> None:
        self._since, self._first, self._last = time.monotonic(), 0.0, 0.0

    def seconds_left(self, fraction: float | None) -> float | None:
        """Return the expected seconds to the end; None while it is too early to tell."""
        now = time.monotonic()
        # A new phase, or the first step of one: what is compiled before the second step does not count.
        if fraction is None or fraction < self._last or self._last == 0.0 or fraction == self._first:
            self._since, self._first, self._last = now, fraction or 0.0, fraction or 0.0
            return None
        self._last = fraction
        elapsed, done = now - self._since, fraction - self._first
        if elapsed < ESTIMATE_AFTER or done <= 0 or fraction >= 1:
            return None
        return elapsed * (1 - fraction) / done


class NotebookProgress(SilentProgress):
    """One line per job in the output of a notebook cell, redrawn in place."""

    INTERVAL = 0.2
    """Seconds between two redraws at least."""

    def __init__(self) -> None:
        self._job, self._handle = "", None
        self._drawn = 0.0

    def begin(self, job: str) -> None:
        """Start a new line."""
        self._job, self._handle = job, self._display(job)

    def show(self, fraction: float | None, figure: str) -> None:
        """Redraw the line, but not more often than a reader can follow."""
        now = time.monotonic()
        finished = fraction is not None and fraction >= 1
        if self._handle is not None and (finished or now - self._drawn >= self.INTERVAL):
            share = "" if fraction is None else f"  {100 * min(fraction, 1.0):.0f} %"
            self._handle.update({"text/plain": f"{self._job}{share}  {figure}"}, raw=True)
            self._drawn = now

    def note(self, sentence: str) -> None:
        """Add a line that stays."""
        self._display(sentence)

    def _display(self, text: str) -> Any:
        display = import_module("IPython.display").display
        return display({"text/plain": text}, raw=True, display_id=True)


def as_progress(progress: Progress | bool | None) -> Progress:
    """Return the form to use: the given one, a silent one (False), or the one that suits where we run.

    True shows progress even if standard error is not a terminal; None only where somebody looks.
    """
    if progress is False:
        return SilentProgress()
    if progress is None or progress is True:
        if _in_notebook():
            return NotebookProgress()
        return TerminalProgress(True) if progress or sys.stderr.isatty() else SilentProgress()
    return progress


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


def duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> duration(0.012), duration(75), duration(7500)
    ('12 ms', '75 s', '2 h 05 min')
    """
    if seconds < 0.1:
        return f"{1000 * seconds:.2g} ms"
    if seconds < 10:
        return f"{seconds:.2g} s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02d} min"


def memory_size(count: float) -> str:
    """Return a number of bytes as kB, MB or GB.

    >>> memory_size(2048), memory_size(1.5e9)
    ('2.0 kB', '1.5 GB')
    """
    if count >= 1e15:
        return f"{count / 1e9:.1e} GB"
    for unit, scale in (("GB", 1e9), ("MB", 1e6)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count / 1e3:.1f} kB"

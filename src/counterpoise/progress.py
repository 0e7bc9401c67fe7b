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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import pairwise
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from counterpoise.errors import Cancelled, InputError
from counterpoise.parameters import shown

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichProgress, TaskID

ESTIMATE_AFTER = 2.0
"""Seconds of work after which the time left can be told."""
LINE_SECONDS = 30.0
"""Seconds between two lines where standard error is no terminal, such as a pipe or a file."""
MOST_STEPS = 1000
"""Steps of a phase that are remembered for the time left; of more every second one is dropped."""
LEAST_STEPS, LEAST_DONE = 10, 0.05
"""Steps after which the time left can be told, or the share of the work if its steps are large."""
MANY_STEPS, FORGOTTEN = 40, 0.25
"""Steps from which on a share of what was done in the beginning no longer counts for the time left."""
MOST_LONG, FAR_LONGER = 3, 4.0
"""How many steps do not count for the time left because they took that many times as long as any other."""
TICK = 1.0
"""Seconds between two looks at the clock while a display is open."""


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


class _Interruptible(NamedTuple):
    """Work of the main thread that Ctrl-C stops."""

    token: CancelToken
    breaks: bool
    """Whether Ctrl-C breaks into what it does itself, between the jobs it is made of."""


_at_work: list[_Interruptible] = []
"""What Ctrl-C stops at the moment, each part of the one before it."""


@contextmanager
def cancel_on_interrupt(cancel: CancelToken | None = None, *, breaks: bool = False) -> Iterator[CancelToken]:
    """Let Ctrl-C set the token, as often as it is pressed, instead of breaking into the work.

    It sets the tokens of all work that this is part of, too. Work that is made of other jobs, and may be long between
    two of them, `breaks` there: Ctrl-C sets its token and raises `KeyboardInterrupt`, but in a job that has the same
    token, which returns what it has found. What a job with a token of its own has found until then is dropped.
    Elsewhere than in the main thread, Ctrl-C is not ours to handle and the token is all that stops the work.
    """
    token = cancel or CancelToken()
    before = signal.getsignal(signal.SIGINT)
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or before is None:  # None: a handler that Python could not restore
        yield token
        return
    pressed = False

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        for work in _at_work:
            work.token.cancel()
        if breaks:
            raise KeyboardInterrupt

    part_of = _at_work[-1] if _at_work else None
    _at_work.append(_Interruptible(token, breaks))
    try:
        signal.signal(signal.SIGINT, on_interrupt)
        yield token
    finally:
        signal.signal(signal.SIGINT, before)
        _at_work.pop()
    if pressed and part_of is not None and part_of.breaks and part_of.token is not token:
        raise KeyboardInterrupt


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

    def count_down(self, what: str, seconds: float) -> None:
        """Announce a step that shows nothing and takes about `seconds` seconds, such as compiling."""
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

    def count_down(self, what: str, seconds: float) -> None:
        """Leave a note with the estimate."""
        self.note(f"{what}: about {duration(seconds)}")


class TerminalProgress(SilentProgress):
    """One live line per job on standard error, with notes above it; elsewhere than in a terminal a line now and then.

    `lines` says whether live lines are drawn (by default if standard error is a terminal), `notes` whether notes are
    printed (by default with the lines), `show_eta` whether to tell the time left, for jobs whose progress is even.
    Where no live line is drawn, the job, its figure and the time so far are printed every `LINE_SECONDS`.
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
        self._job, self._share, self._figure = "", "", ""
        self._left: float | None = None  # when the job is expected to end
        self._awaited: tuple[str, float] | None = None  # what is counted down, and when it should be over
        self._begun = self._told = time.monotonic()
        self._closed = threading.Event()
        self._ticker: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._depth += 1
        if self._depth == 1:
            self._begun = self._told = time.monotonic()
            self._closed.clear()
            self._ticker = threading.Thread(target=self._tick, name="progress", daemon=True)
            self._ticker.start()
            if self._bars is not None:
                self._bars.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._closed.set()
            if self._ticker is not None:
                self._ticker.join()
            if self._bars is not None:
                self._bars.stop()

    def begin(self, job: str) -> None:
        """Start a new line for `job`; the lines of earlier jobs stay above it."""
        from rich.markup import escape

        self._job, self._share, self._figure, self._left = job, "", "", None
        if self._bars is not None:
            if self._task is not None:
                self._bars.stop_task(self._task)
            self._task = self._bars.add_task(escape(job), total=1.0, figure="")

    def show(self, fraction: float | None, figure: str) -> None:
        """Update the line, with the time left if it is to be shown."""
        self._awaited = None
        if self._clock is not None and (left := self._clock.seconds_left(fraction)) is not None:
            self._left = time.monotonic() + left
        self._share = "" if fraction is None else f"{min(fraction, 1.0):.0%}"
        self._figure = figure
        if self._bars is not None and self._task is not None:
            completed = {} if fraction is None else {"completed": min(fraction, 1.0)}
            self._bars.update(self._task, figure="  ".join([figure, *self._time_left()]), **completed)  # type: ignore[arg-type]

    def note(self, sentence: str) -> None:
        """Print a line above the live one."""
        if self._notes:
            self._print(sentence)

    def count_down(self, what: str, seconds: float) -> None:
        """Leave a note with the estimate, then show what is left of it until the job shows something."""
        super().count_down(what, seconds)
        self._awaited = what, time.monotonic() + seconds

    def refresh(self) -> None:
        """Show what the clock alone changes: a count-down, and the next line where none is live."""
        now = time.monotonic()
        if self._bars is not None:
            if self._awaited is not None and self._task is not None:
                self._bars.update(self._task, figure=", ".join(self._waiting(now)))
        elif now - self._told >= LINE_SECONDS:
            self._told = now
            told = [self._share, self._figure, *self._waiting(now), *self._time_left()]
            told.append(f"{duration(now - self._begun)} so far")
            self._print(f"{self._job or 'at work'}: {', '.join(filter(None, told))}")

    def _tick(self) -> None:
        while not self._closed.wait(TICK):
            self.refresh()

    def _waiting(self, now: float) -> list[str]:
        """Return what is counted down; nothing when its time is over, as it may have ended unseen."""
        if self._awaited is None or self._awaited[1] <= now:
            return []
        what, until = self._awaited
        return [f"{what}: about {duration(max(until - now, 1.0))} left"]

    def _time_left(self) -> list[str]:
        left = None if self._left is None else self._left - time.monotonic()
        return [] if left is None or left <= 0 else [f"about {duration(left)} left"]

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


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
    """Extrapolates the time left from the mean pace since the present phase began.

    Two things are left out, as they will not come again: a few steps that took far longer than all others, in which
    kernels were compiled, and, once there are many steps, the first quarter of them, in which caches were filled.
    """

    def __init__(self) -> None:
        self._steps = [(time.monotonic(), 0.0)]

    def seconds_left(self, fraction: float | None) -> float | None:
        """Return the expected seconds to the end; None while it is too early to tell."""
        now, steps = time.monotonic(), self._steps
        (begun, first), (_, last) = steps[0], steps[-1]
        # A new phase, or the first step of one: what is compiled before the second step does not count.
        if fraction is None or fraction < last or last == 0.0 or fraction == first:
            self._steps = [(now, fraction or 0.0)]
            return None
        steps.append((now, fraction))
        if len(steps) > MOST_STEPS:
            del steps[1:-1:2]
        done = fraction - first
        if now - begun < ESTIMATE_AFTER or fraction >= 1 or (done < LEAST_DONE and len(steps) < LEAST_STEPS):
            return None
        counted = steps if len(steps) < MANY_STEPS else [one for one in steps if one[1] >= first + done * FORGOTTEN]
        return (1 - fraction) * _pace(counted)


def _pace(steps: Sequence[tuple[float, float]]) -> float:
    """Return the seconds per unit of work; of many steps, without the few that took far longer than any other."""
    parts = sorted((after[0] - before[0], after[1] - before[1]) for before, after in pairwise(steps))
    for few in range(MOST_LONG, 0, -1):
        if len(parts) < LEAST_STEPS or parts[-few][0] <= FAR_LONGER * parts[-few - 1][0]:
            continue
        if sum(part[0] for part in parts[:-few]) >= ESTIMATE_AFTER:  # else too little is left to go by
            del parts[-few:]
            break
    return sum(part[0] for part in parts) / sum(part[1] for part in parts)


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
    if not callable(getattr(progress, "begin", None)):
        raise InputError(f"progress must be True, False or a Progress, not {shown(progress)}")
    return progress


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


def duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> duration(0.012), duration(0.0999), duration(75), duration(7500)
    ('12 ms', '0.1 s', '75 s', '2 h 05 min')
    """
    if seconds < 0.0995:  # two digits of more would be rounded up to three
        return f"{1000 * seconds:.2g} ms"
    if seconds < 9.95:
        return f"{seconds:.2g} s"
    if seconds < 99.5:
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

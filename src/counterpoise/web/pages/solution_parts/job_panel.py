"""A job on the page of its solution: progress, exploitability as a curve, and buttons to stop, resume or set a finer
target."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from counterpoise.errors import InputError
from counterpoise.web.components.controls import Field, button, complaint, enable, heading, note, panel, row
from counterpoise.web.components.line_plot import LinePlot
from counterpoise.web.jobs.jobs import Jobs
from counterpoise.web.jobs.state import JobState

EVERY = 0.4
"""Seconds between two looks at the job."""
STATUS = {
    "queued": "Waiting for other jobs",
    "running": "Solving",
    "stopping": "Stopping",
    "stopped": "Stopped: what it found is kept, and it can go on",
    "interrupted": "Interrupted by the end of the server: it can go on",
    "done": "Done",
    "failed": "Failed",
}


class JobPanel:
    """The panel of one job; `ended` is called whenever it has ended."""

    def __init__(self, jobs: Jobs, id: str, ended: Callable[[], Awaitable[None]]) -> None:
        self.jobs, self.id, self._ended = jobs, id, ended
        state = jobs.state(id)
        self._was_live = state.live
        with panel() as self.box:
            with row():
                heading(state.name or "Job")
                self.status = note().props("aria-live=polite")
            with ui.element("div").classes("cp-bar").props("aria-hidden=true") as self.track:
                self.bar = ui.element("div")
            self.figures = note()
            # The curve and the bar are for waiting; once there is a result, its own tab has the curve.
            self.plot = LinePlot(
                "Exploitability", "iterations", "exploitability, % of the pot", log_x=True, log_y=True, height=220
            )
            self.problem = complaint()
            with row().classes("cp-row--end"):
                self.stop_button = button("Stop", self.stop)
                self.go_button = button("Go on", self.go_on)
                self.finer = Field("Finer target, % of the pot", self._finer(state), kind="number")
                self.finer_button = button("Solve finer", self.solve_finer)
        self.show(state)
        self.timer = ui.timer(EVERY, self.look)

    async def look(self) -> None:
        """Look at the job and show what is new."""
        try:
            state = self.jobs.state(self.id)
        except InputError as error:  # deleted elsewhere
            self.timer.deactivate()
            self.problem.set_text(str(error))
            return
        self.show(state)
        if self._was_live and not state.live:
            self._was_live = False
            self.finer.show(self._finer(state))
            await self._ended()
        self._was_live = state.live

    def show(self, state: JobState) -> None:
        """Show a state."""
        self.status.set_text(STATUS[state.status] + (f": {state.phase}" if state.live and state.phase else ""))
        self.bar.style(f"width: {100 * (state.fraction or 0.0):.1f}%")
        words = [state.figure] if state.figure else []
        if state.trace:
            last = state.trace[-1]
            words = [f"{last.iteration:,} iterations, {last.exploitability:.3g} % of the pot, {last.seconds:.1f} s"]
        if state.live and state.seconds_left is not None:
            words.append(f"about {state.seconds_left:,.0f} s left")
        self.figures.set_text("; ".join(words) or "…")
        points = [(float(row.iteration), row.exploitability) for row in state.trace]
        target = getattr(state.request, "target", None)
        done = state.status == "done"
        self.track.set_visibility(not done)
        self.plot.set_visibility(bool(points) and not done)
        self.plot.show({"exploitability": points}, target)
        self.problem.set_text(state.error or "")
        self.stop_button.set_visibility(state.live)
        enable(self.stop_button, state.status != "stopping")
        self.go_button.set_visibility(state.resumable and state.status in ("stopped", "interrupted", "failed"))
        for element in (self.finer, self.finer_button):
            element.set_visibility(state.resumable)

    def stop(self) -> None:
        """Ask the job to stop."""
        self.show(self.jobs.stop(self.id))

    def go_on(self) -> None:
        """Resume the job with the limits that it had."""
        self._resume(None)

    def solve_finer(self) -> None:
        """Resume the job with the target in the field."""
        try:
            self._resume(float(self.finer.text))
        except ValueError:
            self.problem.set_text(f"target must be a positive number, not {self.finer.text!r}")

    def _resume(self, target: float | None) -> None:
        try:
            state = self.jobs.resume(self.id, target=target)
        except InputError as error:
            self.problem.set_text(str(error))
            return
        self._was_live = True
        self.show(state)

    def _finer(self, state: JobState) -> str:
        target = getattr(state.request, "target", None)
        return f"{(target or 0.5) / 5:.2g}"

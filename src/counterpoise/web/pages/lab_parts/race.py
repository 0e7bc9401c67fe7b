"""A race: its curves while it runs, a table of all runs, buttons to stop and resume, and files."""

from __future__ import annotations

from dataclasses import replace

from nicegui import events, ui

from counterpoise.errors import InputError
from counterpoise.web.components.controls import (
    Choice,
    Field,
    button,
    complaint,
    heading,
    link_button,
    note,
    panel,
    row,
)
from counterpoise.web.components.data_table import Column, DataTable
from counterpoise.web.components.line_plot import LinePlot
from counterpoise.web.jobs.requests import RaceGame
from counterpoise.web.jobs.state import JobState, TraceRow
from counterpoise.web.pages.address import address
from counterpoise.web.pages.lab_parts.browser import StrategyBrowser
from counterpoise.web.pages.lab_parts.state import AXES, LabView
from counterpoise.web.pages.query import sentence
from counterpoise.web.pages.solution_parts.job_panel import EVERY, STATUS
from counterpoise.web.server import Server

COLUMNS = [
    Column("algorithm", "Algorithm", "text"),
    Column("iterations", "Iterations", "figure"),
    Column("exploitability", "Exploitability", "figure"),
    Column("nodes", "Nodes", "figure"),
    Column("seconds", "Seconds", "figure"),
]


class RacePage:
    """One open page of a race."""

    def __init__(self, server: Server, state: LabView) -> None:
        self.server, self.jobs = server, server.jobs
        self.state = state if state.against in AXES else replace(state, against="iteration")
        self._shown: tuple[int, str] | None = None

    async def start(self) -> None:
        """Build the page and look at the race from time to time."""
        try:
            job = self.jobs.state(self.state.job)
            if not isinstance(job.request, RaceGame):
                raise InputError(f"job {job.id} is no race")
        except InputError as error:
            heading("Race", 1)
            complaint(sentence(error))
            ui.link("Choose a new race", "/lab")
            return
        with row():
            heading(f"Race on {job.request.game}", 1)
            ui.element("div").classes("cp-spread")
            link_button("Change it and race again", _again(job.request).address)
        with ui.element("div").classes("cp-columns cp-columns--result"):
            with panel():
                self.status = note().props("aria-live=polite")
                self.axes = Choice("Against", AXES, self.state.against, self._against)
                self.place = ui.element("div")
                self.table = DataTable("Where the algorithms are")
                self.problem = complaint()
                with row().classes("cp-row--end"):
                    self.stop_button = button("Stop", self._stop)
                    self.go_button = button("Go on", self._go_on)
                    self.more = Field("Go on to, iterations", "", kind="number")
                    self.more_button = button("Run longer", self._longer)
                heading("Files", 3)
                self.files = row()
            with panel("Strategies"):
                self.browser = StrategyBrowser(self.server, self.go)
        ui.on("cp-address", self._take_address)
        self._show(job)
        await self._show_strategy()
        self.timer = ui.timer(EVERY, self._look)

    async def go(self, **changes: str) -> None:
        """Show another state, which gets an address of its own."""
        self.state = replace(self.state, **changes)
        ui.navigate.history.push(self.state.address)
        await self._show_all()

    async def _show_all(self) -> None:
        self._shown = None
        self._show(self.jobs.state(self.state.job))
        await self._show_strategy()

    async def _look(self) -> None:
        """Show what is new."""
        try:
            job = self.jobs.state(self.state.job)
        except InputError as error:  # deleted elsewhere
            self.timer.deactivate()
            self.problem.set_text(sentence(error))
            return
        mark = len(job.trace), job.status
        if mark != self._shown:
            ended = self._shown is not None and self._shown[1] != job.status
            self._show(job)
            if ended and not job.live:
                await self._show_strategy()
        else:
            self._show_status(job)

    def _show(self, job: JobState) -> None:
        assert isinstance(job.request, RaceGame)
        self._shown = len(job.trace), job.status
        self._show_status(job)
        self.axes.show(self.state.against)
        runs: dict[str, list[TraceRow]] = {name: [] for name in job.request.algorithms}
        for point in job.trace:
            runs.setdefault(point.series, []).append(point)
        axis = self.state.against
        self.place.clear()
        with self.place:
            plot = LinePlot("Exploitability", AXES[axis].lower(), "exploitability", log_x=True, log_y=True, height=320)
            plot.show(
                {name: [(getattr(point, axis), point.exploitability) for point in rows] for name, rows in runs.items()},
                job.request.target,
            )
        self.table.show(
            COLUMNS,
            [
                [name, rows[-1].iteration, rows[-1].exploitability, rows[-1].nodes_touched, rows[-1].seconds]
                if rows
                else [name, None, None, None, None]
                for name, rows in runs.items()
            ],
        )
        self.stop_button.set_visibility(job.live)
        self.go_button.set_visibility(job.status in ("stopped", "interrupted", "failed"))
        for element in (self.more, self.more_button):
            element.set_visibility(not job.live)
        self.files.clear()
        with self.files:
            if job.trace:
                picture = address(f"/api/v1/jobs/{job.id}/plot", {"x": axis})
                link_button("Plot (PNG)", picture, download="race.png")
            for name, file in job.files.items():
                link_button(
                    f"Run of {name} (.cpz)", address("/api/v1/library/file", {"name": file}), download=f"{name}.cpz"
                )
            if not job.trace:
                note("The plot and the runs can be saved once there is something in them.")

    def _show_status(self, job: JobState) -> None:
        words = "Racing" if job.status == "running" else STATUS[job.status]
        more = f": {job.phase}" if job.live and job.phase else ""
        left = f", about {job.seconds_left:,.0f} s left" if job.live and job.seconds_left is not None else ""
        self.status.set_text(words + more + left)
        self.problem.set_text(sentence(job.error) if job.error else "")

    async def _show_strategy(self) -> None:
        await self.browser.show(self.state, self.jobs.state(self.state.job).files)

    # ---- clicks ----

    async def _against(self, axis: str) -> None:
        await self.go(against=axis)

    def _stop(self) -> None:
        self.jobs.stop(self.state.job)

    def _go_on(self) -> None:
        self._resume(None)

    def _longer(self) -> None:
        text = self.more.text.strip()
        if not text.isdecimal() or not 0 < int(text) <= 10**9:
            self.more.complain(f"iterations must be a whole number above 0, not “{text[:20]}”")
            return
        self.more.complain()
        self._resume(int(text))

    def _resume(self, iterations: int | None) -> None:
        try:
            self.jobs.resume(self.state.job, iterations=iterations)
        except InputError as error:
            self.problem.set_text(sentence(error))

    async def _take_address(self, event: events.GenericEventArguments) -> None:
        self.state = LabView.from_address(event.args)
        if self.state.job:
            await self._show_all()


def _again(request: RaceGame) -> LabView:
    """Return the form of a race that was run."""
    name, _, rest = request.game.partition("(")
    given = {"game": name, "settings": rest[:-1]} if rest.endswith(")") else {"game": request.game}
    if request.game.startswith("openspiel:"):
        given = {"game": "openspiel", "settings": request.game.partition(":")[2]}
    limits = {key: f"{value:g}" for key in ("target", "seconds") if (value := getattr(request, key)) is not None}
    return LabView(
        **given,
        algorithms=";".join(request.algorithms),
        iterations=str(request.iterations or ""),
        seed=str(request.seed),
        **limits,
    )

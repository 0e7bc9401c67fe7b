"""The state of a job: what pages show of it, and what its folder keeps for the next server."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from counterpoise.store import atomic_write
from counterpoise.web.jobs.requests import AnyRequest

Status = Literal["queued", "running", "stopping", "stopped", "interrupted", "done", "failed"]
"""`stopped` by its user, `interrupted` by the end of the server: both can be resumed."""
LIVE = ("queued", "running", "stopping")
STATE_FILE, RESULT_FILE = "job.json", "result.cpz"


class TraceRow(BaseModel):
    """One measurement of a run."""

    series: str = ""
    """Which algorithm of a race."""
    iteration: int
    exploitability: float
    nodes_touched: int
    seconds: float


class JobState(BaseModel):
    """All that is known of a job."""

    id: str
    request: AnyRequest
    name: str = ""
    status: Status = "queued"
    created: float
    started: float | None = None
    ended: float | None = None
    memory_mb: float = 0.0
    """What it may take beside the program itself."""
    phase: str = ""
    """What it is doing, such as "dcfr(gamma=4) on turn"."""
    fraction: float | None = None
    figure: str = ""
    seconds_left: float | None = None
    notes: list[str] = []
    trace: list[TraceRow] = []
    error: str | None = None
    result: dict[str, Any] | None = None
    """The figures of the result, once there is one."""
    files: dict[str, str] = {}
    """Names in the library of what was saved, by what it is."""
    runs: int = 0
    """How often a process has worked on it."""

    @property
    def live(self) -> bool:
        """Whether a process works on it or will."""
        return self.status in LIVE

    @property
    def file(self) -> str | None:
        """The name in the library of the result, or of its checkpoint so far; None before there is one."""
        return self.files.get("result")

    @property
    def resumable(self) -> bool:
        """Whether it can be resumed, or continued to a finer target; searches and best sizes begin anew."""
        return not self.live

    def snapshot(self) -> JobState:
        """Return a copy that later changes leave alone; rows of the trace never change."""
        lists = {"trace": list(self.trace), "notes": list(self.notes), "files": dict(self.files)}
        return self.model_copy(update=lists)

    def save(self, folder: Path) -> None:
        """Write the state into the job's folder, whole or not at all."""
        with atomic_write(folder / STATE_FILE) as file:
            file.write(self.model_dump_json(indent=1).encode())

    @classmethod
    def load(cls, folder: Path) -> JobState:
        """Read the state of a job's folder."""
        return cls.model_validate_json((folder / STATE_FILE).read_bytes())

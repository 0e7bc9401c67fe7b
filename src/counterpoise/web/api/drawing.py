"""Pictures: one at a time, as Matplotlib's settings are shared by all threads."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

from counterpoise.errors import InputError
from counterpoise.plots import Axis, convergence
from counterpoise.web.jobs.state import JobState, TraceRow

DRAWING = threading.Lock()


def draw_trace(state: JobState, x: Axis) -> bytes:
    """Return a PNG of the exploitability of a job's runs so far."""
    if not state.trace:
        raise InputError(f"job {state.id} has not measured anything yet")
    runs: dict[str, list[TraceRow]] = {}
    for row in state.trace:
        runs.setdefault(row.series or "exploitability", []).append(row)
    unit = "exploitability" if state.request.kind == "race-game" else "exploitability, % of the pot"
    with DRAWING, tempfile.TemporaryDirectory() as folder:
        path = convergence(runs, Path(folder) / "trace.png", x=x, title=state.name, y_label=unit)
        return path.read_bytes()

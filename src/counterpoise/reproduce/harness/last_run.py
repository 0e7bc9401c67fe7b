"""The verdicts of the last full run of every experiment, kept in a file with commit, machine, date and CPU time."""

from __future__ import annotations

import os
import platform
import subprocess
from collections import Counter
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from counterpoise.errors import InputError
from counterpoise.reproduce.harness.report import Report
from counterpoise.store.files import atomic_write, read_text

KEPT = "last_run.json"
"""The file of `reproduce/data` with the runs that this version of the package was published with."""


class KeptClaim(BaseModel):
    """A claim as it was judged."""

    model_config = ConfigDict(extra="forbid", strict=True)
    id: str
    text: str
    holds: bool | None
    reason: str = ""
    here: bool | None = None
    detail: str = ""


class KeptRun(BaseModel):
    """An experiment as it was run in full: where, when, from which commit, how long, and what was found."""

    model_config = ConfigDict(extra="forbid", strict=True)
    commit: str
    machine: str
    date: str
    cpu_seconds: float = Field(ge=0, allow_inf_nan=False)
    claims: list[KeptClaim]

    def count(self, holds: bool | None) -> int:
        """Return how many claims have a verdict."""
        return sum(claim.holds is holds for claim in self.claims)

    @property
    def summary(self) -> str:
        """The verdicts in words: "5 hold, 1 does not hold"."""
        words = {True: ("holds", "hold"), False: ("does not hold", "do not hold"), None: ("not decided", "not decided")}
        counts = [(self.count(holds), one, many) for holds, (one, many) in words.items()]
        return (
            ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in counts if count) or "no claims"
        )

    @property
    def reasons(self) -> str:
        """Why claims are not decided, the most frequent reason first."""
        found = Counter(claim.reason for claim in self.claims if claim.holds is None and claim.reason)
        return "; ".join(f"{reason} ({count})" for reason, count in found.most_common())


class KeptRuns(BaseModel):
    """The last full run of experiments, by id."""

    model_config = ConfigDict(extra="forbid", strict=True)
    runs: dict[str, KeptRun] = Field(default_factory=dict)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the runs as JSON, sorted by id."""
        self.runs = dict(sorted(self.runs.items()))
        with atomic_write(path) as file:
            file.write(self.model_dump_json(indent=1).encode() + b"\n")


def read_runs(path: str | os.PathLike[str] | None = None) -> KeptRuns:
    """Return the runs kept in a file, none if it does not exist; without a path those of the package."""
    place = files("counterpoise.reproduce") / "data" / KEPT if path is None else Path(path)
    if not (place.is_file() if path is None else os.path.lexists(path)):
        return KeptRuns()
    text = place.read_text(encoding="utf-8") if path is None else read_text(path, "a file of kept runs")
    try:
        return KeptRuns.model_validate_json(text)
    except ValidationError as error:
        first = str(error).splitlines()[0]
        raise InputError(f"{place} is not a file of kept runs, as reproduce --keep writes it: {first}") from None


def kept_run(report: Report, cpu_seconds: float) -> KeptRun:
    """Return what is kept of a report that this machine has just made."""
    fields = tuple(KeptClaim.model_fields)
    claims: list[dict[str, Any]] = [{name: getattr(claim, name) for name in fields} for claim in report.claims]
    return KeptRun(
        commit=package_commit(),
        machine=f"{processor_name()}, {os.cpu_count()} cores",
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        cpu_seconds=round(cpu_seconds, 1),
        claims=[KeptClaim(**claim | {"reason": str(claim["reason"])}) for claim in claims],
    )


def package_commit() -> str:
    """Return the commit of the working tree that holds this package ("+" if it was changed), or the version."""
    from counterpoise import __version__

    root = Path(__file__).resolve().parents[4]
    if not (root / ".git").exists():
        return f"version {__version__}"

    def git(*words: str) -> str:
        return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", "src", f":!src/**/{KEPT}")
        return git("rev-parse", "--short=10", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return f"version {__version__}"


def processor_name() -> str:
    """Return the model of this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())

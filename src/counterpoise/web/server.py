"""What pages and API share: the settings, the library, the jobs and the solutions that are open."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from counterpoise.web.jobs.jobs import JobLimits, Jobs
from counterpoise.web.library import Library
from counterpoise.web.play.sessions import Sessions
from counterpoise.web.solutions import Solutions
from counterpoise.web.trainer import Trainer

DEFAULT_LIBRARY = Path("~/.counterpoise")


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """Where a server listens, who may talk to it, and what its work may take."""

    host: str = "127.0.0.1"
    port: int = 0
    token: str | None = None
    """What every request must know; None if none is demanded, which only this machine's own address allows."""
    limits: JobLimits = field(default_factory=JobLimits)
    sessions: int = 8
    """Tables of play at the same time."""
    open_mb: float = 2000.0
    """The memory that open solutions may take together."""


class Server:
    """One running application; pages and API get it when they are registered."""

    def __init__(self, library: str | os.PathLike[str] = DEFAULT_LIBRARY, settings: ServerSettings | None = None):
        self.settings = settings or ServerSettings()
        self.library = Library(Path(library).expanduser())
        self.jobs = Jobs(self.library, self.settings.limits)
        self.solutions = Solutions(self.library, self.settings.open_mb)
        self.sessions = Sessions(self.library, self.settings.sessions)
        self.trainer = Trainer(self.library, self.solutions)

    def close(self) -> None:
        """End all sessions of play and stop all jobs, which keep what they have found; let go of open solutions."""
        self.sessions.close()
        self.jobs.close()
        self.solutions.clear()

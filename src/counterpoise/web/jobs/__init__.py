"""Long work in processes of its own: what may be asked for, its state on the disk, its events, and who runs it.

`Jobs.submit` takes a request (`requests.py`) and returns an id; `worker.py` is the program of the process, which does
what `work.py` says. A job is a folder ``jobs/ID`` of the library with ``job.json`` and ``result.cpz``, its checkpoint.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.web.jobs.events import JobEvent as JobEvent, Subscription as Subscription
    from counterpoise.web.jobs.jobs import JobLimits as JobLimits, Jobs as Jobs
    from counterpoise.web.jobs.requests import (
        OptimiseSizes as OptimiseSizes,
        RaceGame as RaceGame,
        SearchNode as SearchNode,
        SolveSpot as SolveSpot,
    )
    from counterpoise.web.jobs.state import JobState as JobState, TraceRow as TraceRow

import_lazily(__name__)

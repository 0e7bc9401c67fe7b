"""The one driver of everything that takes long, whatever it computes.

A `Job` is a small object with a `step`, a `measure`, a `state` and a `result`; the `Driver` adds `Limits`, batches,
clocks, measuring, checkpoints, cancelling, progress and CPU accounting. `pieces` does work that falls into independent
parts on threads or in other processes, with results in a fixed order. docs/jobs.md shows how to write a job.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.jobs.blocks import LinearBlocks
    from counterpoise.jobs.checkpoints import Output
    from counterpoise.jobs.clock import Clock
    from counterpoise.jobs.driver import (
        Driver,
        StepsJob,
        announce_compiling,
        checked_marks,
        prepare,
        run_steps,
        saved_or_told,
    )
    from counterpoise.jobs.job import Job, Timing, TracePoint, UnmeasuredJob
    from counterpoise.jobs.keywords import (
        LimitKeywords,
        OutputKeywords,
        RunKeywords,
        SavedRunKeywords,
        SolveKeywords,
        StopKeywords,
        TimedRunKeywords,
        TracedRunKeywords,
        TraceKeywords,
        TrainingKeywords,
        WatchKeywords,
        chosen_for,
        refuse_unknown,
        takes,
    )
    from counterpoise.jobs.limits import Limits
    from counterpoise.jobs.parts import Parts, PartsJob, PiecesJob, do_parts
    from counterpoise.jobs.results import IteratedResult, JobHistory, JobResult, KeptResult

__all__ = [
    "Clock",
    "Driver",
    "IteratedResult",
    "Job",
    "JobHistory",
    "JobResult",
    "KeptResult",
    "LimitKeywords",
    "Limits",
    "LinearBlocks",
    "Output",
    "OutputKeywords",
    "Parts",
    "PartsJob",
    "PiecesJob",
    "RunKeywords",
    "SavedRunKeywords",
    "SolveKeywords",
    "StepsJob",
    "StopKeywords",
    "TimedRunKeywords",
    "Timing",
    "TraceKeywords",
    "TracePoint",
    "TracedRunKeywords",
    "TrainingKeywords",
    "UnmeasuredJob",
    "WatchKeywords",
    "announce_compiling",
    "checked_marks",
    "chosen_for",
    "do_parts",
    "prepare",
    "refuse_unknown",
    "run_steps",
    "saved_or_told",
    "takes",
]

import_lazily(__name__)

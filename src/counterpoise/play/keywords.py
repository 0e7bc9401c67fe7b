"""Keywords that functions which let agents play take alike, explained once."""

import os
from typing import Annotated, TypedDict

from counterpoise.jobs import WatchKeywords
from counterpoise.jobs.processes import WorkersLike
from counterpoise.sequential import StopRule


class MatchFileKeywords(TypedDict, total=False):
    """Where a match is kept."""

    log: Annotated[str | os.PathLike[str] | None, "a file that gets every hand (.log ACPC, .phhs PHH, .jsonl any game)"]
    resume: Annotated[
        str | os.PathLike[str] | None,
        "a file that keeps the result block by block; if it exists, the match continues where it ended, with the same "
        "hands as if it had never stopped",
    ]


class TimeKeywords(TypedDict, total=False):
    """How long each agent may think; `TableRules` says what happens to one that thinks longer."""

    decision_seconds: Annotated[float | None, "the most time of an agent for a decision"]
    hand_seconds: Annotated[float | None, "the most time of an agent for a hand"]
    match_seconds: Annotated[float | None, "the most time of an agent for the match"]


class PlanKeywords(TypedDict, total=False):
    """When a match ends before its last hand, and in which parts it is played."""

    precision: Annotated[
        float | None, "the match ends when the 95 % interval of every agent is within this to each side"
    ]
    stop: Annotated[
        StopRule | None,
        "the intervals that count: width, the usual ones, by default; valid, a confidence sequence, which holds "
        "however often it is checked; decided, which ends the match as soon as that excludes 0 for some agent",
    ]
    processes: Annotated[
        WorkersLike | None, "the number of processes that play, or a cluster; the result does not depend on it"
    ]
    block: Annotated[int | None, "the number of deals between two checks of the result"]


class SavedMatchKeywords(MatchFileKeywords, WatchKeywords, total=False):
    """Where a match is kept, and who looks on."""


class MatchKeywords(PlanKeywords, TimeKeywords, SavedMatchKeywords, total=False):
    """When a match ends, how long agents may think, where it is kept, and who looks on."""

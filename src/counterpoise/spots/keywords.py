"""Keywords that functions on spots take alike, explained once."""

from typing import Annotated, TypedDict

from counterpoise.jobs import SolveKeywords, WatchKeywords
from counterpoise.solvers import Algorithm


class SolverKeywords(TypedDict, total=False):
    """What solves a spot, with how many threads and in which numbers."""

    threads: Annotated[int | None, "the number of cores to use; by default all"]
    bits: Annotated[
        int | None,
        "16 or 32 bits per number, 16 halving the memory; by default those of a solution that is continued, else 32 if "
        "they fit",
    ]
    algorithm: Annotated[
        str | Algorithm | None,
        "the solver, by name or as settings; by default that of a solution that is continued, else dcfr(gamma=4)",
    ]


class SizesKeywords(SolverKeywords, WatchKeywords, total=False):
    """What solves a spot again and again with other bet sizes, and who looks on."""


class EngineKeywords(SolverKeywords, total=False):
    """What solves a spot, with how many threads, in which numbers and in how much memory."""

    memory_mb: Annotated[float | None, "the most megabytes to use; by default nine tenths of the free memory"]


class SpotKeywords(SolveKeywords, EngineKeywords, total=False):
    """When the solver of a spot ends, who looks on, where the result is kept, and how it is solved."""

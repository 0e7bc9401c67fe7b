"""Keywords that functions on spots take alike, explained once."""

from typing import Annotated, TypedDict

from counterpoise.jobs import SolveKeywords, WatchKeywords
from counterpoise.search.gadget import MethodName
from counterpoise.search.gifts import GiftKind
from counterpoise.solvers import Algorithm


class SolverKeywords(TypedDict, total=False):
    """What solves a spot, with how many threads and in which numbers."""

    threads: Annotated[int | None, "the number of cores to use; by default all"]
    bits: Annotated[int | None, "16 or 32 bits per number, 16 halving the memory; by default 32 if they fit"]
    algorithm: Annotated[str | Algorithm | None, "the solver, by name or as settings; by default dcfr(gamma=4)"]


class SizesKeywords(SolverKeywords, WatchKeywords, total=False):
    """What solves a spot again and again with other bet sizes, and who looks on."""


class EngineKeywords(SolverKeywords, total=False):
    """What solves a spot, with how many threads, in which numbers and in how much memory."""

    memory_mb: Annotated[float | None, "the most megabytes to use; by default nine tenths of the free memory"]


class SpotKeywords(SolveKeywords, EngineKeywords, total=False):
    """When the solver of a spot ends, who looks on, where the result is kept, and how it is solved."""


class SearchKeywords(SpotKeywords, total=False):
    """How a node is solved again: by which method, when that ends, who looks on, and where the result is kept."""

    method: Annotated[MethodName | None, "resolve, maxmargin, distributional or unsafe; by default resolve"]
    spread: Annotated[float | None, "the spread of distributional, the scale of a little, in per cent of the pot"]
    gifts: Annotated[
        GiftKind | None,
        "none, or lower or exact: each hand may win back what it has given up by its own decisions on the path to the "
        "node (see `counterpoise.search.gifts`)",
    ]
    gift_scale: Annotated[float | None, "the factor on gifts; by default 1"]

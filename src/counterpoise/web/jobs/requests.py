"""What a job may be asked to do, each checked before it is queued."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from counterpoise.search.gadget import MethodName
from counterpoise.search.gifts import GiftKind
from counterpoise.spots import Spot
from counterpoise.web.library import LONGEST_NAME
from counterpoise.web.processes import Order

MOST_LIMIT = 1e9
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False, le=MOST_LIMIT)]
Iterations = Annotated[int, Field(ge=1, le=10**9)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
"""The name of a file in the library."""


class Request(BaseModel):
    """What all requests share: fields that are not known are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Limits(Request):
    """When a run stops: at the first of these."""

    target: Positive | None = None
    iterations: Iterations | None = None
    seconds: Positive | None = None


class SpotLimits(Limits):
    """When a run on a spot stops (the target in per cent of the pot), and how it uses the machine."""

    threads: Annotated[int, Field(ge=1, le=1024)] | None = None
    bits: Literal[16, 32] | None = None
    algorithm: Annotated[str, Field(max_length=LONGEST_NAME)] | None = None


class SolveSpot(SpotLimits):
    """Solve a spot, perhaps started from an earlier solution of the same cards and chips."""

    kind: Literal["solve-spot"] = "solve-spot"
    spot: Spot
    warm_start: Name | None = None


class SearchNode(SpotLimits):
    """Solve a node of a solution again, safely: with other sizes, or after a bet that it does not know."""

    kind: Literal["search-node"] = "search-node"
    solution: Name
    node: Annotated[str, Field(max_length=1000)] | None = None
    searcher: Literal["oop", "ip"] | None = None
    facing: Annotated[str, Field(max_length=20)] | None = None
    sizes: dict[str, dict[str, Any]] | None = None
    method: MethodName = "resolve"
    spread: Positive | None = None
    gifts: GiftKind = "none"
    gift_scale: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] = 1.0


class OptimiseSizes(Request):
    """Find the best 1 or 2 bet sizes per street of one player."""

    kind: Literal["optimise-sizes"] = "optimise-sizes"
    spot: Spot
    count: Literal[1, 2] = 1
    seat: Literal["oop", "ip"] | None = None
    size_range: tuple[Positive, Positive] | None = None
    target: Positive | None = None
    threads: Annotated[int, Field(ge=1, le=1024)] | None = None
    bits: Literal[16, 32] | None = None
    algorithm: Annotated[str, Field(max_length=LONGEST_NAME)] | None = None
    curves: bool = False


class RaceGame(Limits):
    """Run several algorithms on one game, each until the first of the limits (the target in the game's unit)."""

    kind: Literal["race-game"] = "race-game"
    game: Name
    """A registered game, openspiel:NAME, or the name of an .efg file in the library."""
    algorithms: Annotated[list[Annotated[str, Field(max_length=LONGEST_NAME)]], Field(min_length=1, max_length=20)]
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0


AnyRequest = Annotated[SolveSpot | SearchNode | OptimiseSizes | RaceGame, Field(discriminator="kind")]


class JobOrder(Order):
    """What the process of a job is to do."""

    request: AnyRequest
    paths: dict[str, str]
    """The files that the request names, by field."""
    memory_mb: Annotated[float, Field(ge=0, le=MOST_LIMIT)]
    """What it may take beside the program itself."""
    seconds: Positive

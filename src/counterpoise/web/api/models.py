"""What the API answers beside the records of nodes, jobs, files and tables; clients read them too."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from counterpoise.web.jobs.state import TraceRow
from counterpoise.web.play.models import SessionView, TableView


class SpotView(BaseModel):
    """A spot that was read and checked."""

    spot: dict[str, Any]
    """The keys of a spot file, those at their default left out."""
    toml: str
    street: Literal["flop", "turn", "river"]
    combos: dict[str, float]
    """How many hands each player's range has, by weight."""


class EstimateView(BaseModel):
    """What a spot will take."""

    nodes: int
    memory_mb: dict[int, float]
    """By bits per number."""
    available_mb: float
    bits: int
    target: float
    iterations: int
    cpu_seconds: float


class SolutionView(BaseModel):
    """The figures of a solution or a search."""

    name: str
    kind: Literal["solution", "search"]
    first: str
    """The id of the first node."""
    spot: dict[str, Any]
    figures: dict[str, Any]
    """What the command line prints as JSON: EV, exploitability in per cent of the pot, iterations, ... ; of a search
    also its verdict."""
    whole: bool
    """Whether the strategies of all streets are there, so that others may start from it."""
    trace: list[TraceRow]


class Catalogues(BaseModel):
    """What can be named, with settings, defaults and sources."""

    games: list[dict[str, Any]]
    algorithms: list[dict[str, Any]]
    modifiers: list[dict[str, Any]]
    agents: list[dict[str, Any]]


class InfosetRow(BaseModel):
    """What is done in one information set."""

    infoset: str
    player: int
    strategy: dict[str, float]


class StrategyPage(BaseModel):
    """Some information sets of a strategy."""

    game: str
    total: int
    """How many there are with the text."""
    rows: list[InfosetRow]


class Begun(BaseModel):
    """A session that has begun, and its table."""

    session: SessionView
    table: TableView

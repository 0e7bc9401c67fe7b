"""Routes of solutions and searches: figures, nodes, reports, comparison, exports, locks."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse, Response
from pydantic import Field

from counterpoise.errors import InputError
from counterpoise.spots import Decision, Solution, SpotSearch
from counterpoise.spots.spot import SpotLock
from counterpoise.web.api.drawing import DRAWING
from counterpoise.web.api.errors import RESPONSES
from counterpoise.web.api.models import SolutionView
from counterpoise.web.jobs.requests import SolveSpot, SpotLimits
from counterpoise.web.jobs.state import JobState, TraceRow
from counterpoise.web.library import LONGEST_NAME
from counterpoise.web.server import Server
from counterpoise.web.views.node import LinesView, NodeView, view_lines
from counterpoise.web.views.reports import (
    Blockers,
    CardsView,
    Comparison,
    EquityDistribution,
    blockers,
    compare,
    equity_distribution,
    view_cards,
)

Name = Annotated[
    str,
    Query(
        min_length=1, max_length=LONGEST_NAME, description="A solution or search in the library, or the id of a job."
    ),
]
NodeId = Annotated[str, Query(max_length=1000, description="A node id such as r:0:b50:c:8h; empty: the first node.")]
ExportFormat = Literal["csv", "png", "toml", "cpz", "json"]
MEDIA = {"csv": "text/csv", "png": "image/png", "toml": "application/toml", "json": "application/json"}


class LockedSolve(SpotLimits):
    """A solution to be solved again with locked strategies."""

    solution: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    locks: Annotated[list[SpotLock], Field(min_length=1, max_length=1000)]
    warm: bool = True
    """Whether to start from the solution, which must be whole."""
    name: Annotated[str, Field(max_length=200)] = ""


def make_router(server: Server) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/solutions", tags=["solutions"], responses=RESPONSES)
    solutions = server.solutions

    @router.get("/figures")
    def figures(name: Name) -> SolutionView:
        """Return the figures of a solution or a search, without its strategies."""
        solved = solutions.open(name).solved
        found = {key: value for key, value in solved.to_json().items() if key != "trace"}
        trace = [
            TraceRow(**{key: getattr(point, key) for key in TraceRow.model_fields if key != "series"})
            for point in solved.trace
        ]
        return SolutionView(
            name=name,
            kind="solution" if isinstance(solved, Solution) else "search",
            first=solved.first,
            spot=solved.spot.to_dict(),
            figures=found,
            whole=isinstance(solved, Solution) and solved.whole,
            trace=trace,
        )

    @router.get("/node", response_model=NodeView)
    def node(name: Name, node: NodeId = "", values: bool = True) -> Response:
        """Return a node: actions, strategy of every hand, EV, equity, both ranges.

        Without `values` EV and equity are left out, which makes it faster in large trees.
        """
        view = solutions.open(name).view(node, values=values)
        return Response(view.model_dump_json(), media_type=MEDIA["json"])

    @router.get("/lines")
    def lines(name: Name, node: NodeId = "") -> LinesView:
        """Return what follows a node: actions with their frequencies, or the cards that may come."""
        return view_lines(solutions.open(name).node(node))

    @router.get("/cards")
    def cards(name: Name, node: NodeId = "") -> CardsView:
        """Return one betting line over every card that may come at a node, or at its last deal."""
        return view_cards(solutions.open(name).node(node).over_cards())

    @router.get("/equity")
    def equity(name: Name, node: NodeId = "") -> EquityDistribution:
        """Return the equity distribution of both ranges at a node."""
        return equity_distribution(solutions.open(name).node(node))

    @router.get("/blockers")
    def blocked(name: Name, node: NodeId = "") -> Blockers:
        """Return, card by card, how holding it changes what the player to act does."""
        return blockers(solutions.open(name).decision(node))

    @router.get("/compare")
    def compared(first: Name, second: Name, node: NodeId = "") -> Comparison:
        """Return two solutions at one node."""
        one, two = solutions.open(first), solutions.open(second)
        id = node or one.solved.first
        if one.solved.spot.cards != two.solved.spot.cards:
            boards = one.solved.spot.board, two.solved.spot.board
            raise InputError(f"the solutions are of other boards, {boards[0]} and {boards[1]}")
        return compare((first, one.solved, one.decision(id)), (second, two.solved, two.decision(id)))

    @router.get("/export", response_class=Response)
    def export(name: Name, format: ExportFormat, node: NodeId = "", cards: bool = False) -> Response:
        """Return a file: the node's table (csv, json) or picture (png), with `cards` those of the report over all
        cards, the spot (toml), or the whole solution (cpz)."""
        opened = solutions.open(name)
        if format == "cpz":
            path = solutions.path(name)
            return FileResponse(path, media_type="application/octet-stream", filename=path.name)
        content = _exported(opened.solved, opened.node(node), format, cards)
        return Response(content, media_type=MEDIA[format])

    @router.post("/lock", status_code=201)
    def lock(request: LockedSolve) -> JobState:
        """Queue a job that solves a solution's spot again with strategies locked at nodes."""
        solved = solutions.open(request.solution).solved
        if not isinstance(solved, Solution):
            raise InputError("a search has no locks: lock a strategy of a solution")
        spot = solved.spot.with_locks([lock.model_dump() for lock in request.locks])
        limits = {key: getattr(request, key) for key in SpotLimits.model_fields}
        warm = request.solution if request.warm and solved.whole else None
        return server.jobs.state(server.jobs.submit(SolveSpot(spot=spot, warm_start=warm, **limits), request.name))

    return router


def _exported(solved: Solution | SpotSearch, node: Any, format: ExportFormat, cards: bool) -> bytes:
    """Return the content of a file."""
    if format == "toml":
        return solved.spot.to_toml().encode()
    if format == "png":
        with DRAWING, tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "picture.png"
            if cards or not isinstance(node, Decision):
                node.plot_over_cards(path)
            else:
                node.plot_grid(path)
            return path.read_bytes()
    if cards:
        rows: Sequence[Mapping[str, Any]] = node.over_cards().to_rows()
    elif isinstance(node, Decision):
        rows = node.rows()
    else:
        raise InputError(f"node {node.id} deals a card: its table is that of the cards, cards=true")
    if format == "csv":
        return _csv(rows)
    import json

    from counterpoise.store.json import plain_json

    return json.dumps(plain_json(rows), allow_nan=False).encode()


def _csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()

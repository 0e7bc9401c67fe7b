"""Routes of games, algorithms and agents: what can be named; and the strategy of a run, set by set."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query

from counterpoise.solvers import ALGORITHMS, MODIFIERS
from counterpoise.tree import Strategy, load_strategy
from counterpoise.web.api.errors import RESPONSES
from counterpoise.web.api.models import Catalogues, InfosetRow, StrategyPage
from counterpoise.web.library import LONGEST_NAME
from counterpoise.web.server import Server

Name = Annotated[str, Query(min_length=1, max_length=LONGEST_NAME, description="A run or strategy in the library.")]
MOST_ROWS = 1000
MOST_OPEN = 8
"""Strategies that are kept in memory."""


def make_router(server: Server) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["games"], responses=RESPONSES)

    @router.get("/catalogues")
    def catalogues() -> Catalogues:
        """List games, algorithms, modifiers and agents."""
        return all_catalogues()

    @router.get("/runs/strategy")
    def strategy(
        name: Name,
        text: Annotated[str, Query(max_length=200)] = "",
        player: Annotated[int | None, Query(ge=0, le=9)] = None,
        start: Annotated[int, Query(ge=0, le=10**9)] = 0,
        count: Annotated[int, Query(ge=1, le=MOST_ROWS)] = 100,
    ) -> StrategyPage:
        """Browse the strategy of a saved run by information set, those that have a text in their name."""
        path = server.library.path(name)
        return strategy_page(saved_strategy(path, path.stat().st_mtime_ns), text, player, start, count)

    return router


def strategy_page(strategy: Strategy, text: str, player: int | None, start: int, count: int) -> StrategyPage:
    """Return some information sets whose names have a text."""
    found = [(name, seat) for seat, name in strategy.table if text in name and (player is None or seat == player)]
    rows = [
        InfosetRow(infoset=name, player=seat, strategy=strategy[(seat, name)])
        for name, seat in found[start : start + count]
    ]
    return StrategyPage(game=strategy.game, total=len(found), rows=rows)


@lru_cache(maxsize=MOST_OPEN)
def saved_strategy(path: Path, written: int) -> Strategy:
    """Return the strategy of a file; read again if it was written since."""
    return load_strategy(path)


@cache
def all_catalogues() -> Catalogues:
    """Return what can be named, once for all who ask."""
    from counterpoise.agents.describe import describe_agents
    from counterpoise.descriptions import describe_all
    from counterpoise.games import GAMES
    from counterpoise.store.json import plain_json

    return Catalogues(
        games=plain_json(describe_all(GAMES)),
        algorithms=plain_json(describe_all(ALGORITHMS)),
        modifiers=plain_json(describe_all(MODIFIERS)),
        agents=plain_json([entry for entry in describe_agents() if entry["name"] not in ("human", "acpc")]),
    )

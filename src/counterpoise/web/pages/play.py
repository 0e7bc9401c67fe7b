"""The page of play: choose a table, then sit at it."""

from __future__ import annotations

from fastapi import Request

from counterpoise.web.components.frame import frame, page
from counterpoise.web.pages.play_parts.setup import TableForm
from counterpoise.web.pages.play_parts.state import PlayView
from counterpoise.web.pages.play_parts.table import TablePage
from counterpoise.web.server import Server


def register(server: Server) -> None:
    """Register the page at /play; its query is a `PlayView`."""

    @page("/play")
    async def play_page(request: Request) -> None:
        state = PlayView.of(dict(request.query_params))
        with frame("Play", "play"):
            await (TablePage(server, state) if state.session else TableForm(server, state)).start()

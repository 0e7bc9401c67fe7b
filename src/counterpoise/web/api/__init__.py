"""The REST API below /api/v1: one file per subject, each with its models and its routes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI

    from counterpoise.web.server import Server

API = "/api/v1"


def add_api(app: FastAPI, server: Server) -> None:
    """Hang all routes of the API into an application."""
    from counterpoise.web.api import docs, errors, events, games, jobs, library, play, solutions, spots, trainer

    errors.add_handlers(app, server.library)
    for module in (spots, solutions, jobs, library, games, play, trainer, events):
        app.include_router(module.make_router(server), prefix=API)
    docs.add_page(app)


def leave_to_api(app: FastAPI) -> None:
    """Keep what was mounted last at / from answering below /api: the API refuses itself what it does not know."""
    from starlette.routing import Mount

    everything = app.routes[-1]
    assert isinstance(everything, Mount)
    assert everything.path == ""
    everything.path_regex = re.compile("^(?!/api(/|$))/(?P<path>.*)$")

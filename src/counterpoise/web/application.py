"""The application: the API below /api/v1, the pages above it, and the guard in front of both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.responses import JSONResponse

from counterpoise import __version__
from counterpoise.web.api import API, add_api
from counterpoise.web.extra import require_web
from counterpoise.web.security import Guard
from counterpoise.web.server import Server

TITLE = "Counterpoise"


def make_application(server: Server, *, pages: bool = True) -> FastAPI:
    """Return the application of a server; without `pages`, its API only.

    NiceGUI keeps its pages per process: an application with pages is made once.
    """
    require_web()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        server.close()

    app = FastAPI(
        title=TITLE,
        version=__version__,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,  # FastAPI's own page loads its parts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    add_api(app, server)

    @app.get("/openapi.json", include_in_schema=False)
    def description() -> JSONResponse:
        return JSONResponse(app.openapi())  # where programs look first

    if pages:
        from counterpoise.web.pages import add_pages

        add_pages(app, server)
    app.add_middleware(Guard, host=server.settings.host, token=server.settings.token)
    return app

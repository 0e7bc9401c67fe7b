"""Routes of play: sit down, look, act, leave; history, score, and what the opponents thought."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import FileResponse
from pydantic import BaseModel

from counterpoise.web.api.errors import RESPONSES
from counterpoise.web.api.models import Begun
from counterpoise.web.play.models import Answer, HandRow, NewSession, Score, SessionView, TableView, Thoughts
from counterpoise.web.server import Server

SessionId = Annotated[str, Path(max_length=40, description="The id of a session.")]


class SessionList(BaseModel):
    """All sessions, the newest first."""

    sessions: list[SessionView]


class History(BaseModel):
    """Hands that are over."""

    hands: list[HandRow]


def make_router(server: Server) -> APIRouter:
    """Return the routes."""
    router, sessions = APIRouter(prefix="/play", tags=["play"], responses=RESPONSES), server.sessions

    @router.post("", status_code=201)
    def begin(request: NewSession) -> Begun:
        """Sit down at a table of 2 to 6 seats against agents."""
        session, table = sessions.begin(request)
        return Begun(session=session, table=table)

    @router.get("")
    def list_sessions() -> SessionList:
        """List all sessions, those of earlier servers included."""
        return SessionList(sessions=sessions.all())

    @router.get("/{id}")
    def look(id: SessionId, version: Annotated[int | None, Query(ge=0, le=2**53)] = None) -> TableView:
        """Return the table; with a version, wait a little until it is a later one."""
        return sessions.look(id, version)

    @router.post("/{id}/act")
    def act(id: SessionId, answer: Answer) -> TableView:
        """Act: an action of the menu, or an amount such as 300 (chips of this street), "3bb" or "50%"."""
        return sessions.act(id, answer)

    @router.post("/{id}/next")
    def next_hand(id: SessionId) -> TableView:
        """Deal the next hand."""
        return sessions.next_hand(id)

    @router.get("/{id}/history")
    def history(id: SessionId) -> History:
        """Return all hands that are over."""
        return History(hands=sessions.history(id))

    @router.get("/{id}/phh", response_class=FileResponse)
    def phh(id: SessionId) -> FileResponse:
        """Return the hands in the poker hand history format."""
        return FileResponse(sessions.phh(id), media_type="text/plain", filename=f"{id}.phhs")

    @router.get("/{id}/score")
    def score(id: SessionId) -> Score:
        """Return the score as paid, and by AIVAT, with 95 % intervals."""
        return sessions.score(id)

    @router.get("/{id}/thoughts")
    def thoughts(id: SessionId, hand: Annotated[int, Query(ge=1, le=10**9)]) -> Thoughts:
        """Return what the opponents thought in a hand that is over, and what your actions were worth where known."""
        return sessions.thoughts(id, hand)

    @router.post("/{id}/leave")
    def leave(id: SessionId) -> SessionView:
        """End a session; its hands are kept."""
        return sessions.leave(id)

    return router

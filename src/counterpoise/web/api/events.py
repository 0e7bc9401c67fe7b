"""Events over a WebSocket: what happens to jobs, one JSON object each."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from counterpoise.errors import InputError
from counterpoise.web.jobs.events import Subscription
from counterpoise.web.server import Server

LONGEST_REASON = 120
"""Bytes of the reason that a WebSocket may be closed with."""


def make_router(server: Server) -> APIRouter:
    """Return the route."""
    router = APIRouter(tags=["events"])

    @router.websocket("/events")
    async def events(socket: WebSocket, job: str | None = None) -> None:
        """Send the events of a job, or of all jobs, as they happen; the present states come first."""
        await socket.accept()
        try:
            subscription = server.jobs.subscribe(job)
        except InputError as error:
            await socket.close(1008, str(error).encode()[:LONGEST_REASON].decode(errors="ignore"))
            return
        with subscription:
            states = [state for state in server.jobs.list() if job in (None, state.id)]
            for state in states:
                await socket.send_json({"kind": "state", "job": state.id, "state": state.model_dump(mode="json")})
            sending = asyncio.create_task(_send(socket, subscription))
            listening = asyncio.create_task(_until_gone(socket))
            await asyncio.wait({sending, listening}, return_when=asyncio.FIRST_COMPLETED)
            sending.cancel()
            listening.cancel()

    return router


async def _send(socket: WebSocket, subscription: Subscription) -> None:
    async for event in subscription:
        try:
            await socket.send_text(event.model_dump_json())
        except (RuntimeError, WebSocketDisconnect):
            return


async def _until_gone(socket: WebSocket) -> None:
    try:
        while True:
            await socket.receive()
    except (RuntimeError, WebSocketDisconnect):
        return

"""Events of jobs for all listeners: pages in this process, and clients behind a WebSocket."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator
from typing import Literal

from pydantic import BaseModel

from counterpoise.web.jobs.state import JobState, TraceRow

EventKind = Literal["state", "progress", "trace", "note", "deleted"]
MOST_WAITING = 2000
"""Events that a slow listener may have waiting; older ones are dropped, as each tells the whole state but the trace."""


class JobEvent(BaseModel):
    """One thing that happened: `state` is a new status, `trace` one more measurement."""

    kind: EventKind
    job: str
    state: JobState
    """What is known after it, without the trace and the notes, which events of their own add to."""
    point: TraceRow | None = None
    note: str | None = None


class Subscription:
    """The events of one job or of all, from now on: iterate over it, with or without `async`; `close` ends it."""

    def __init__(self, hub: Hub, job: str | None) -> None:
        self.job, self._hub = job, hub
        self._events: deque[JobEvent] = deque(maxlen=MOST_WAITING)
        self._ready, self._closed = threading.Condition(), False
        self._wakers: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    def put(self, event: JobEvent) -> None:
        """Let the listener know; called by the hub."""
        with self._ready:
            self._events.append(event)
            self._wake()

    def close(self) -> None:
        """End the iteration and hear no more."""
        self._hub.remove(self)
        with self._ready:
            self._closed = True
            self._wake()

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def get(self, timeout: float | None = None) -> JobEvent | None:
        """Return the next event; None if there is none in time, or none any more."""
        with self._ready:
            self._ready.wait_for(lambda: self._events or self._closed, timeout)
            return self._events.popleft() if self._events else None

    def __iter__(self) -> Iterator[JobEvent]:
        while (event := self.get()) is not None:
            yield event

    async def __aiter__(self) -> AsyncIterator[JobEvent]:
        waker = asyncio.get_running_loop(), asyncio.Event()
        with self._ready:
            self._wakers.append(waker)
        try:
            while True:
                with self._ready:
                    waker[1].clear()
                    waiting, closed = list(self._events), self._closed
                    self._events.clear()
                for event in waiting:
                    yield event
                if closed:
                    return
                if not waiting:
                    await waker[1].wait()
        finally:
            with self._ready:
                self._wakers.remove(waker)

    def _wake(self) -> None:
        self._ready.notify_all()
        for loop, event in self._wakers:
            if not loop.is_closed():
                loop.call_soon_threadsafe(event.set)


class Hub:
    """Who listens to what."""

    def __init__(self) -> None:
        self._lock, self._listeners = threading.Lock(), list[Subscription]()

    def subscribe(self, job: str | None = None) -> Subscription:
        """Return the events of a job, or of all jobs, from now on."""
        made = Subscription(self, job)
        with self._lock:
            self._listeners.append(made)
        return made

    def remove(self, listener: Subscription) -> None:
        """Tell a listener no more."""
        with self._lock:
            if listener in self._listeners:
                self._listeners.remove(listener)

    def tell(self, event: JobEvent) -> None:
        """Pass an event on to all who listen to its job."""
        with self._lock:
            listeners = [one for one in self._listeners if one.job in (None, event.job)]
        for listener in listeners:
            listener.put(event)

    def close(self) -> None:
        """End all subscriptions."""
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            listener.close()

r"""Lines over TCP: text up to a newline, of bounded length, within a bounded time, and an end that can be asked for.

A line ends with ``\n``; a ``\r`` before it belongs to the end. A line longer than `LONGEST` bytes is thrown away as it
arrives, so that no peer makes us keep more than `LONGEST` bytes and one piece of what it sends.
"""

from __future__ import annotations

import math
import select
import socket
import time

from counterpoise.agents.base import LeaveTable
from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.play.match import INTERRUPTED
from counterpoise.progress import CancelToken

LONGEST = 4096
"""The most bytes of a line, as in the competition's programs."""
PIECE = 16_384
"""How many bytes are read at a time."""
LOOK_EVERY = 0.2
"""Seconds after which a wait looks whether it has been asked to end."""
HIGHEST_PORT = 65_535


class Lines:
    """A connected socket that is read and written line by line."""

    def __init__(self, connection: socket.socket, send_seconds: float) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(send_seconds)
        self._socket, self._watched = connection, watch(connection)
        self._buffer = b""
        self._dropping = False  # the rest of a line that is too long

    def send(self, text: str) -> None:
        """Send a line; raise `OSError` if the peer is gone or does not read."""
        self._socket.sendall(f"{text}\r\n".encode("ascii", "replace"))

    def read(self, until: float | None, cancel: CancelToken | None = None) -> str | None:
        """Return the next line without its end, None for one that was too long.

        Raises `TimeoutError` when the clock (`time.monotonic`) passes `until`, `ConnectionError` at the end of what the
        peer sends, and `LeaveTable` when `cancel` asks for the end.
        """
        while True:
            # A peer that never stops sending must not keep us here.
            check_time(until, cancel)
            line, newline, rest = self._buffer.partition(b"\n")
            if newline:
                self._buffer = rest
                too_long = self._dropping or len(line) > LONGEST
                self._dropping = False
                return None if too_long else line.removesuffix(b"\r").decode("ascii", "replace")
            if len(line) > LONGEST:
                self._dropping = True
            if self._dropping:
                self._buffer = b""
            wait_for(self._watched, until, cancel)
            piece = self._socket.recv(PIECE)
            if not piece:
                raise ConnectionError("it closed the connection")
            self._buffer += piece

    def is_open(self) -> bool:
        """Return whether the peer can still send, as far as is known here without waiting."""
        try:
            return not self._watched.poll(0) or self._socket.recv(1, socket.MSG_PEEK) != b""
        except OSError:
            return False

    def close(self) -> None:
        """End the connection."""
        self._socket.close()


def wait_for(watched: select.poll, until: float | None, cancel: CancelToken | None = None) -> None:
    """Wait until there is something to read or to accept; raise `TimeoutError` or `LeaveTable` otherwise."""
    while True:
        left = LOOK_EVERY if until is None else min(until - time.monotonic(), LOOK_EVERY)
        if watched.poll(max(math.ceil(1000 * left), 0)):
            return
        check_time(until, cancel)


def check_time(until: float | None, cancel: CancelToken | None) -> None:
    """Raise `LeaveTable` when `cancel` asks for the end, `TimeoutError` when the clock has passed `until`."""
    if cancel is not None and cancel.cancelled:
        raise LeaveTable(INTERRUPTED)
    if until is not None and time.monotonic() >= until:
        raise TimeoutError("it is late")


def read_address(text: str, field: str) -> tuple[str, int]:
    """Return host and port of a text such as "127.0.0.1:5000"; port 0 is any that is free."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not (port.isascii() and port.isdecimal()) or len(port) > 5 or int(port) > HIGHEST_PORT:
        raise InputError(f"{field} must be HOST:PORT with a port of 0 to {HIGHEST_PORT}, not {shown(text)}")
    return host, int(port)


def listen(host: str, port: int, field: str) -> socket.socket:
    """Return a socket to which others can connect, or refuse an address that cannot be had."""
    try:
        listener = socket.create_server((host, port), backlog=8)
    except (OSError, UnicodeError) as error:
        raise InputError(f"{field}: cannot listen at {host}:{port}: {_reason(error)}") from None
    listener.setblocking(False)
    return listener


def connect(host: str, port: int, seconds: float, cancel: CancelToken | None = None) -> socket.socket:
    """Return a connection, tried again until `seconds` have passed, or refuse an address where nothing listens."""
    until = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection((host, port), timeout=max(until - time.monotonic(), LOOK_EVERY))
        except (OSError, UnicodeError) as error:
            if time.monotonic() >= until or isinstance(error, socket.gaierror | UnicodeError):
                raise InputError(f"cannot connect to {host}:{port}: {_reason(error)}") from None
        check_time(None, cancel)
        time.sleep(LOOK_EVERY / 2)


def watch(waiting: socket.socket) -> select.poll:
    """Return what tells whether there is something to read or to accept, or an end to notice."""
    watched = select.poll()
    watched.register(waiting, select.POLLIN)
    return watched


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)

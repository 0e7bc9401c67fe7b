"""Lines over TCP: ends of lines, lengths, times and ends of connections."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

import counterpoise as cp
from counterpoise.acpc.connection import LONGEST, PIECE, Lines, read_address
from counterpoise.agents import LeaveTable
from counterpoise.progress import CancelToken
from tests.acpc.peers import LOOPBACK, SECONDS

Pair = tuple[Lines, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    """Our end of a connection, and the other."""
    with socket.create_server((LOOPBACK, 0)) as server:
        other = socket.create_connection(server.getsockname(), timeout=SECONDS)
        connection, _ = server.accept()
    lines = Lines(connection, 0.2)
    yield lines, other
    lines.close()
    other.close()


def soon() -> float:
    return time.monotonic() + SECONDS


def test_lines_end_with_a_newline_in_any_pieces(pair: Pair) -> None:
    lines, other = pair
    text = b"one\r\ntwo\nthree \r\n\r\nlast"

    def drip() -> None:
        for letter in text:
            other.sendall(bytes([letter]))

    thread = threading.Thread(target=drip)
    thread.start()
    assert [lines.read(soon()) for _ in range(4)] == ["one", "two", "three ", ""]
    thread.join(SECONDS)
    with pytest.raises(TimeoutError):
        lines.read(time.monotonic() + 0.05)
    other.sendall(b"\n")
    assert lines.read(soon()) == "last"
    lines.send("hello")
    assert other.recv(100) == b"hello\r\n"


def test_long_lines_are_thrown_away_as_they_come(pair: Pair) -> None:
    lines, other = pair
    thread = threading.Thread(target=other.sendall, args=(b"x" * 3_000_000 + b"\nnext\n" + b"y" * LONGEST + b"\n",))
    thread.start()
    most = 0

    class Watched(Lines):
        def __setattr__(self, name: str, value: object) -> None:
            nonlocal most
            if name == "_buffer":
                assert isinstance(value, bytes)
                most = max(most, len(value))
            super().__setattr__(name, value)

    lines.__class__ = Watched
    assert lines.read(soon()) is None
    assert lines.read(soon()) == "next"
    assert lines.read(soon()) == "y" * LONGEST
    assert most <= LONGEST + PIECE
    thread.join(SECONDS)


def test_ends_of_connections(pair: Pair) -> None:
    lines, other = pair
    other.sendall(b"whole\nhalf")
    assert lines.is_open()
    other.shutdown(socket.SHUT_WR)
    assert lines.read(soon()) == "whole"
    with pytest.raises(ConnectionError):
        lines.read(soon())
    assert not lines.is_open()


def test_a_peer_that_does_not_read_is_noticed(pair: Pair) -> None:
    lines, other = pair
    other.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    with pytest.raises(OSError, match="timed out"):
        lines.send("x" * 100_000_000)


def test_waiting_ends_when_it_is_asked_to(pair: Pair) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(LeaveTable, match="stopped by Ctrl-C"):
        pair[0].read(None, cancel)


def test_addresses() -> None:
    assert read_address("localhost:5000", "where") == ("localhost", 5000)
    for wrong in ("", "5000", ":5000", "localhost:65536", "localhost:-1", "localhost:1e3"):
        with pytest.raises(cp.InputError, match="where must be HOST:PORT with a port of 0 to 65535"):
            read_address(wrong, "where")


@pytest.mark.parametrize("flood", [b"x" * 60_000, b"#\n" * 30_000], ids=["a line without end", "lines without end"])
@pytest.mark.parametrize("ends", ["late", "cancelled"])
def test_a_peer_that_never_stops_sending_cannot_keep_us(flood: bytes, ends: str, pair: Pair) -> None:
    """The clock and the request to end are looked at while there is always something to read."""
    lines, other = pair
    cancel, over = CancelToken(), time.monotonic() + 3.0

    def send() -> None:
        with suppress(OSError):
            while time.monotonic() < over:
                other.sendall(flood)
        other.close()

    thread = threading.Thread(target=send)
    thread.start()
    until = time.monotonic() + 0.1 if ends == "late" else None
    if ends == "cancelled":
        threading.Timer(0.1, cancel.cancel).start()

    def read_on() -> None:
        while True:
            lines.read(until, cancel)

    with pytest.raises(TimeoutError if ends == "late" else LeaveTable):
        read_on()
    lines.close()
    thread.join(SECONDS)

"""The place of a program at a table: its connection, its clocks, and the account of what went wrong.

1. `Port` is where programs connect, and `ProgramSeat` the place of one of them. All copies of an agent in one room
   share a seat; every other room has a seat of its own.
2. What goes wrong is turned into what the table knows: a late program raises `TimeoutError`, one that is gone or floods
   `ConnectionError`, and the table forfeits the hand for it; with `strict` it raises `LeaveTable` and the match ends.
3. A program that is gone may connect again, and plays on from the next hand.
"""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from counterpoise.acpc.connection import Lines, listen, read_address, wait_for, watch
from counterpoise.acpc.messages import COMMENTS, VERSION, VERSION_LINE, read_answer, read_version
from counterpoise.agents.base import LeaveTable
from counterpoise.parameters import shown
from counterpoise.progress import CancelToken

MOST_IGNORED = 1000
"""Lines that say nothing, or nothing that was asked, after which a decision is forfeited."""
VERSION_SECONDS = 10.0
"""How long a program that has connected may take to say which version it speaks."""
SEND_SECONDS = 10.0
"""How long a program may leave its lines unread when no room is left for them."""


class SeatSettings(Protocol):
    """What is asked of a program: times in seconds, None without a limit; see `ProgramAgent`."""

    response_seconds: float | None
    hand_seconds: float | None
    match_seconds: float | None
    start_seconds: float | None
    rejoin_seconds: float
    max_invalid: int | None
    strict: bool

    @property
    def name(self) -> str:
        """What the program is called."""
        ...


@dataclass
class SeatAccount:
    """What a program did at its seat, apart from playing."""

    invalid_actions: int = 0
    """Actions that were changed into a call."""
    ignored_lines: int = 0
    """Lines that were no answer to what was asked."""
    lost: int = 0
    """How often its connection ended before the match did."""
    refused: int = 0
    """Connections that were turned away: the seat was taken, or they did not begin with the right version."""


class Port:
    """An address where programs connect, one for each seat."""

    def __init__(self, address: str) -> None:
        self.host, self.number = read_address(address, "acpc: address")
        self.seats: list[ProgramSeat] = []
        self.opened_at = 0.0
        self._listener: socket.socket | None = None

    def open(self) -> None:
        """Listen at the address, unless that is done already."""
        if self._listener is None:
            self._listener = listen(self.host, self.number, "acpc: address")
            self.number = self._listener.getsockname()[1]
            self.opened_at = time.monotonic()

    def accept(self, until: float | None, cancel: CancelToken | None) -> Lines | None:
        """Return the next connection, None if there is none in time."""
        assert self._listener is not None
        while True:
            try:
                wait_for(watch(self._listener), until, cancel)
                return Lines(self._listener.accept()[0], SEND_SECONDS)
            except TimeoutError:
                return None
            except (BlockingIOError, ConnectionAbortedError):  # it is gone again
                continue

    def close(self) -> None:
        """Stop listening, and end all connections."""
        for seat in self.seats:
            seat.close()
        if self._listener is not None:
            self._listener.close()
            self._listener = None


class ProgramSeat:
    """The place of one program, and what is known of it."""

    def __init__(self, settings: SeatSettings, port: Port) -> None:
        self.settings, self.port = settings, port
        self.account = SeatAccount()
        self.fellows: list[ProgramSeat] = []
        """All seats of a match that ends when nobody is connected to any of them."""
        self.cancel: CancelToken | None = None
        self.used_hand = self.used_match = 0.0
        self._lines: Lines | None = None
        self._begun = False
        self._asked = ""
        self._asked_at = 0.0
        port.seats.append(self)

    @property
    def connected(self) -> bool:
        """Whether a program is there, as far as is known."""
        return self._lines is not None

    def new_hand(self) -> None:
        """Make sure that a program is there: the first hand waits for it, a later one only `rejoin_seconds`."""
        self.used_hand = 0.0
        if self._lines is not None and not self._lines.is_open():
            self._lose()
        settings = self.settings
        if self._lines is not None:
            self._turn_away()
        elif not self._begun:
            until = None if settings.start_seconds is None else self.port.opened_at + settings.start_seconds
            if not self._admit(until):
                raise LeaveTable(f"{settings.name}: nobody connected to {self.port.host}:{self.port.number} in time")
            self._begun = True
        else:
            self._strictly("the program is gone")
            if self._admit(time.monotonic() + settings.rejoin_seconds):
                return
            if self.fellows and not any(seat.connected for seat in self.fellows):
                raise LeaveTable("no player is connected any more")
            raise ConnectionError("the program is not connected")

    def tell(self, line: str) -> None:
        """Send a state, and remember when; a program that is gone is noticed when it is asked next."""
        self._asked, self._asked_at = line, time.monotonic()
        if self._lines is not None:
            try:
                self._lines.send(line)
            except OSError:
                self._lose()

    def ask(self, line: str) -> str:
        """Return the action in the program's answer to a state."""
        if line != self._asked:
            self.tell(line)
        began = self._asked_at
        try:
            text = self._wait_for_answer(line)
        except (TimeoutError, ConnectionError) as error:
            self._strictly(str(error))
            raise
        finally:
            used = time.monotonic() - began
            self.used_hand += used
            self.used_match += used
            self._asked = ""
        return text

    def note_invalid(self, text: str) -> None:
        """Count an action that was changed; raise `ConnectionError` when there have been too many."""
        self.account.invalid_actions += 1
        most = self.settings.max_invalid
        if most is not None and self.account.invalid_actions > most:
            sentence = f"more than {most} invalid actions, the last {shown(text.strip())}"
            self._strictly(sentence)
            raise ConnectionError(sentence)

    def close(self) -> None:
        """End the connection."""
        if self._lines is not None:
            self._lines.close()
            self._lines = None

    def _wait_for_answer(self, line: str) -> str:
        if self._lines is None:
            raise ConnectionError("the program is not connected")
        settings = self.settings
        limits = (
            (settings.response_seconds, self._asked_at, "for a decision"),
            (settings.hand_seconds, self._asked_at - self.used_hand, "for a hand"),
            (settings.match_seconds, self._asked_at - self.used_match, "for the match"),
        )
        ends = [(start + most, most, what) for most, start, what in limits if most is not None]
        until, seconds, what = min(ends) if ends else (None, 0.0, "")
        ignored = 0
        while True:
            try:
                answer = self._lines.read(until, self.cancel)
            except TimeoutError:
                raise TimeoutError(f"it did not answer within the {seconds:g} s {what}") from None
            except OSError as error:
                self._lose()
                raise ConnectionError(f"the program is gone: {error.strerror or error}") from None
            action = None
            if answer is not None:
                if answer.startswith(COMMENTS):
                    continue
                action = read_answer(answer, line)
            if action is not None:
                return action
            ignored += 1
            self.account.ignored_lines += 1
            if ignored >= MOST_IGNORED:
                raise ConnectionError(f"it sent {ignored} lines that are no answer")

    def _admit(self, until: float | None) -> bool:
        """Seat the first program that connects and says the right version; return whether there was one in time."""
        while (lines := self.port.accept(until, self.cancel)) is not None:
            wrong = self._greet(lines, until)
            if not wrong:
                self._lines = lines
                return True
            self._refuse(lines, wrong)
            if until is not None and time.monotonic() >= until:  # others may still wait: the next hand asks them
                break
        return False

    def _greet(self, lines: Lines, until: float | None) -> str:
        """Return what is wrong with how a program begins, "" if nothing is."""
        latest = time.monotonic() + VERSION_SECONDS
        latest = latest if until is None else min(max(until, time.monotonic() + 1.0), latest)
        while True:
            try:
                line = lines.read(latest, self.cancel)
            except (TimeoutError, OSError):
                return "no version was said"
            if line is None or not line.startswith(COMMENTS):
                break
        version = None if line is None else read_version(line)
        if version is None or version[0] != VERSION[0] or version[1] > VERSION[1]:
            return f"this dealer speaks {VERSION_LINE}"
        return ""

    def _turn_away(self) -> None:
        """Close whatever has connected where all seats are taken."""
        if all(seat.connected for seat in self.port.seats):
            while (lines := self.port.accept(0.0, self.cancel)) is not None:
                self._refuse(lines, "this seat is taken")

    def _refuse(self, lines: Lines, why: str) -> None:
        self.account.refused += 1
        with suppress(OSError):  # it may be gone already
            lines.send(f"# {why}")
        lines.close()

    def _lose(self) -> None:
        if self._lines is not None:
            self._lines.close()
            self._lines = None
            self.account.lost += 1

    def _strictly(self, sentence: str) -> None:
        """End the match if that is what faults do here."""
        if self.settings.strict:
            raise LeaveTable(f"{self.settings.name}: {sentence}")

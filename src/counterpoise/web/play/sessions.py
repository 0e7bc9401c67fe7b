"""All sessions of play of a server: each in a process of its own, a bounded number, ended when they are idle."""

from __future__ import annotations

import json
import queue
import secrets
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from counterpoise.agents.base import AGENTS
from counterpoise.errors import InputError
from counterpoise.names import parse
from counterpoise.parameters import shown
from counterpoise.spots.estimate import free_memory_mb
from counterpoise.store import atomic_write
from counterpoise.web.jobs.check import game_name
from counterpoise.web.library import Library
from counterpoise.web.play.models import (
    Answer,
    HandRow,
    NewSession,
    Score,
    SessionOrder,
    SessionView,
    TableView,
    Thoughts,
)
from counterpoise.web.processes import ID, new_id, start_process

FOLDER, STATE, PHH = "play", "session.json", "hands.phhs"
AT_ONCE = 8
IDLE_SECONDS = 2 * 3600.0
"""The idle time after which a session may be ended when others need its place."""
BEGIN_SECONDS = 120.0
"""How long agents may take to sit down."""
BEGIN_WAIT_SECONDS = 3.0
"""How long the answer to a new session waits for them."""
ANSWER_SECONDS = 60.0
"""How long the server waits for an answer of a session."""
WAIT_SECONDS = 1.5
"""How long an answer may wait for the opponents to act; after that they are said to be thinking."""
MEMORY_MB, LEAST_MB = 6000.0, 500.0
"""What the agents of a table may take at most, and what must be free for them."""
OUTSIDE = ("acpc", "human")
"""Agents that are asked outside of the process, so that they play no sessions here."""
FILE_SETTINGS = {"file", "folder", "branches", "address"}
"""Settings of agents that name files or addresses."""

STARTING = TableView(version=0, status="starting", game="", unit="", hand=1, your_seat=0, seats=[])


class Sessions:
    """The sessions of a library."""

    def __init__(self, library: Library, at_once: int = AT_ONCE) -> None:
        self.library, self.at_once, self._lock = library, at_once, threading.Lock()
        (library.root / FOLDER).mkdir(exist_ok=True)
        self._open: dict[str, _Process] = {}
        self._views: dict[str, SessionView] = {}
        self._tables: dict[str, TableView] = {}
        """What was seen last of each open table."""
        for folder in sorted((library.root / FOLDER).iterdir()):
            if ID.fullmatch(folder.name) and (folder / STATE).is_file():
                try:
                    view = SessionView.model_validate_json((folder / STATE).read_bytes())
                except (OSError, ValueError):  # of another version: left alone
                    continue
                self._views[folder.name] = view.model_copy(update={"open": False, "id": folder.name})

    def begin(self, request: NewSession) -> tuple[SessionView, TableView]:
        """Sit down at a table; return the session and the table as it is after a moment, perhaps still starting."""
        game = None if request.game is None else game_name(self.library, request.game)
        agents = [self._agent(name) for name in request.agents]
        for name in request.agents:
            _check_seats(name, request.players)
        free = free_memory_mb()
        if free < LEAST_MB:
            raise InputError(f"{free:,.0f} MB of memory are free, too little for another table: leave one")
        id = new_id()
        folder = self.library.root / FOLDER / id
        with self._lock:
            self._make_room()
            folder.mkdir()
            seed = secrets.randbelow(2**32) if request.seed is None else request.seed
            order = SessionOrder(
                request=request,
                game=game,
                agents=agents,
                seed=seed,
                library=str(self.library.root),
                memory_mb=min(MEMORY_MB, free),
            )
            order.save(folder)
            process = self._open[id] = _Process(folder)
        self._views[id] = SessionView(id=id, request=request, created=time.time(), open=True)
        self._save(id)
        try:
            process.begun(BEGIN_WAIT_SECONDS)
        except (_Gone, InputError) as error:
            self._close(id, str(error))
            raise InputError(str(error)) from None
        return self._views[id], self.look(id)

    def all(self) -> list[SessionView]:
        """Return all sessions, the newest first."""
        return sorted(self._views.values(), key=lambda view: view.created, reverse=True)

    def look(self, id: str, version: int | None = None) -> TableView:
        """Return the table; with a version, wait a little until it is a later one."""
        self._known(id)
        process = self._open.get(id)
        try:
            if process is not None and not process.begun(WAIT_SECONDS if version is not None else 0.0):
                return STARTING
        except (_Gone, InputError) as error:
            self._close(id, str(error))
            raise InputError(str(error)) from None
        try:
            return self._table(id, {"do": "look", "version": version, "wait": WAIT_SECONDS}, WAIT_SECONDS)
        except _Busy:
            if (seen := self._tables.get(id)) is None:
                raise
            return seen

    def act(self, id: str, answer: Answer) -> TableView:
        """Do what the person says; return the table when it is the person's turn again, or after a moment."""
        return self._table(id, {"do": "answer", "answer": answer.model_dump(), "wait": WAIT_SECONDS})

    def next_hand(self, id: str) -> TableView:
        """Deal the next hand."""
        return self._table(id, {"do": "next", "wait": WAIT_SECONDS})

    def history(self, id: str) -> list[HandRow]:
        """Return all hands of a session that are over."""
        return [HandRow.model_validate(row) for row in self._ask(id, {"do": "history"})]

    def score(self, id: str) -> Score:
        """Return the score, raw and by AIVAT."""
        return Score.model_validate(self._ask(id, {"do": "score"}))

    def thoughts(self, id: str, hand: int) -> Thoughts:
        """Return what the opponents thought in a hand that is over."""
        return Thoughts.model_validate(self._ask(id, {"do": "thoughts", "hand": hand}))

    def phh(self, id: str) -> Path:
        """Return the file with the hands of a session in the poker hand history format."""
        path = self.library.root / FOLDER / self._known(id).id / PHH
        if not path.is_file():
            raise InputError("this game has no poker hand histories")
        return path

    def leave(self, id: str) -> SessionView:
        """End a session; its hands are kept."""
        self._known(id)
        self._close(id)
        return self._views[id]

    def close(self) -> None:
        """End all sessions."""
        for id in list(self._open):
            self._close(id)

    def _table(self, id: str, command: dict[str, Any], patience: float = ANSWER_SECONDS) -> TableView:
        table = self._tables[id] = TableView.model_validate(self._ask(id, command, patience))
        self._note(id, table)
        return table

    def _ask(self, id: str, command: dict[str, Any], patience: float = ANSWER_SECONDS) -> Any:
        self._known(id)
        process = self._open.get(id)
        if process is None:
            raise InputError(self._views[id].error or f"session {id} has ended: begin a new one")
        try:
            if not process.begun(0.0):
                raise InputError("the agents are still sitting down: look again in a moment")
            return process.ask(command, patience)
        except _Gone as error:
            self._close(id, str(error))
            raise InputError(str(error)) from None

    def _note(self, id: str, table: TableView) -> None:
        """Keep what is said of a session when it is not open any more."""
        before = self._views[id]
        now = before.model_copy(update={"hands": table.hands, "total": table.total, "unit": table.unit})
        if now != before:
            self._views[id] = now
            self._save(id)

    def _save(self, id: str) -> None:
        with atomic_write(self.library.root / FOLDER / id / STATE) as file:
            file.write(self._views[id].model_dump_json(indent=1).encode())

    def _known(self, id: str) -> SessionView:
        if id not in self._views:
            raise InputError(f"there is no session {shown(id)}")
        return self._views[id]

    def _close(self, id: str, error: str | None = None) -> None:
        process = self._open.pop(id, None)
        self._tables.pop(id, None)
        if process is not None:
            process.end()
        if id in self._views:
            self._views[id] = self._views[id].model_copy(update={"open": False, "error": error})
            self._save(id)

    def _make_room(self) -> None:
        """Refuse one session too many, unless one has been idle for long."""
        for id, process in list(self._open.items()):
            if len(self._open) >= self.at_once and time.monotonic() - process.touched > IDLE_SECONDS:
                self._close(id)
        if len(self._open) >= self.at_once:
            raise InputError(f"{self.at_once} sessions are open, and no more may be: leave one")

    def _agent(self, name: str) -> str:
        """Return an agent's name with its file or folder, if it has one, by its path.

        Nothing outside of the library is read.
        """
        before, colon, rest = name.partition(":")
        kind = before.partition("(")[0].strip()
        if kind in OUTSIDE:
            raise InputError(f"{shown(name)} cannot sit at this table: name an agent of this program")
        AGENTS[kind]  # refuses a name that is not known, with the nearest
        if not colon or "(" in before:
            made, settings = name, parse(name)[1]
        else:
            file, brackets = self._file_and_settings(rest)
            made, settings = f"{kind}:{file}{brackets}", parse(f"f{brackets}")[1]
        if FILE_SETTINGS & set(settings):
            raise InputError(f"{shown(name)}: write the file of an agent after a colon, as in spot:uploads/turn.cpz")
        return made

    def _file_and_settings(self, text: str) -> tuple[Path, str]:
        """Split what follows an agent's colon: a file or folder, whose name may have brackets, and settings."""
        ends = [at for at, letter in enumerate(text) if letter == "("] if text.endswith(")") else []
        for at in ends:
            with suppress(InputError):
                return self._place(text[:at]), text[at:]
        return self._place(text), ""

    def _place(self, name: str) -> Path:
        """Return a file of the library, or the folder of an agent: its name has no ending."""
        return self.library.path(name) if Path(name).suffix else self.library.folder(name)


def seats_of(name: str) -> int | None:
    """Return the seats of the tables that an agent can play at; None if its game or its file says it."""
    kind, colon, _ = name.partition(":")
    kind = kind.partition("(")[0].strip()
    if colon:
        return 2 if kind == "spot" else None  # spots are for two players
    return AGENTS[kind].default_seats() if kind in AGENTS else None


def _check_seats(name: str, players: int | None) -> None:
    """Refuse an agent whose strategy is for another number of seats before anything is read or started."""
    seats = seats_of(name)
    if None not in (seats, players) and seats != players:
        file = f"name a file of the library that was made for {players} seats after a colon, or another opponent"
        raise InputError(
            f"{name.partition('(')[0]} plays at tables of {seats} seats, not {players}: "
            f"{'name another opponent' if ':' in name else file}"
        )


class _Gone(Exception):
    """The process of a session has ended."""


class _Busy(InputError):
    """The process answers an earlier question."""


class _Late(Exception):
    """There is no answer yet."""


class _Process:
    """The process of a session: one question at a time, one answer each."""

    def __init__(self, folder: Path) -> None:
        self._process = start_process("counterpoise.web.play.worker", folder)
        self._lock, self.touched, self._begun = threading.Lock(), time.monotonic(), False
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def begun(self, wait: float) -> bool:
        """Return whether the agents have sat down, after some seconds at most; refused if they will not."""
        if self._begun:  # without waiting for the answer to another question
            return True
        with self._lock:
            if not self._begun:
                try:
                    self._answer(wait)
                except _Late:
                    if time.monotonic() - self.touched > BEGIN_SECONDS:
                        raise _Gone(f"the agents took more than {BEGIN_SECONDS:.0f} seconds to sit down") from None
                    return False
                self._begun = True
            return True

    def ask(self, command: dict[str, Any], patience: float) -> Any:
        """Return the answer to a question; refused if an earlier one is not answered in some seconds."""
        self.touched = time.monotonic()
        if not self._lock.acquire(timeout=patience):
            raise _Busy("the session is busy with an earlier question: try again later")
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(command) + "\n")
            self._process.stdin.flush()
            return self._answer(ANSWER_SECONDS)
        except _Late as error:  # its answer would be taken for that to the next question
            raise _Gone(f"{error}, so it was ended") from None
        except (OSError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise _Gone("the process of the session has ended") from None
        finally:
            self._lock.release()

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # what was not written yet has no reader
                stream.close()  # type: ignore[union-attr]

    def _answer(self, seconds: float) -> Any:
        try:
            line = self._answers.get(timeout=seconds)
        except queue.Empty:
            raise _Late(f"the session took more than {seconds:.0f} seconds for an answer") from None
        if not line:
            raise _Gone("the process of the session has ended, most likely for lack of memory")
        answer = json.loads(line)
        if "error" in answer:
            raise InputError(answer["error"])
        return answer["answer"]

    def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            for line in self._process.stdout:
                self._answers.put(line)
        except ValueError:  # closed meanwhile
            pass
        self._answers.put("")

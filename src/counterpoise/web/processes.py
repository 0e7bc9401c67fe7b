"""Processes of jobs and tables: started apart from the server, spoken to by lines, their errors kept in a log."""

from __future__ import annotations

import re
import secrets
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import PydanticSerializationError

from counterpoise.errors import InputError
from counterpoise.jobs.processes import end_now, program_command, program_environment
from counterpoise.parameters import SHOWN, shown
from counterpoise.store import atomic_write

LOG_FILE, ORDER_FILE = "log.txt", "order.json"
ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}", re.ASCII)
"""The names of the folders of jobs and tables."""
LAST_SECONDS = 1.0
"""What a process has for its last words after its server is gone."""


class Order(BaseModel):
    """What a process is to do, in a file of its folder."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def save(self, folder: Path) -> None:
        """Write the order, whole or not at all."""
        try:
            content = self.model_dump_json().encode()
        except PydanticSerializationError:  # of names of files in bytes that are no text
            raise InputError(f"{ORDER_FILE} cannot be written: some name of a file or folder is not UTF-8") from None
        with atomic_write(folder / ORDER_FILE) as file:
            file.write(content)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Return the order of a folder; refused in a sentence if it was changed by hand."""
        try:
            return cls.model_validate_json((folder / ORDER_FILE).read_bytes())
        except OSError as error:
            raise InputError(f"{ORDER_FILE} cannot be read: {error.strerror or error}") from None
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(map(str, first["loc"]))[:SHOWN]
            what = f"{field} cannot be {shown(first['input'])}" if field else "it is not JSON"
            raise InputError(f"{ORDER_FILE} is damaged: {what}") from None


def new_id() -> str:
    """Return a name for a job or a table: when it was made, and a random part."""
    return time.strftime("%Y%m%d-%H%M%S-") + secrets.token_hex(4)


def start_process(module: str, folder: Path) -> subprocess.Popen[str]:
    """Start a program of this package on a folder, with pipes for lines in and out."""
    with (folder / LOG_FILE).open("wb") as log:
        return subprocess.Popen(
            program_command(module, str(folder)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            encoding="utf-8",
            env=program_environment(),
            start_new_session=True,  # Ctrl-C is for the server, which tells its processes in its own way
        )


def obey(commands: IO[str], take: Callable[[str], None], server_gone: Callable[[], None]) -> None:
    """Take the lines of the server in a thread; their end means that it is gone, and ends this process a second later.

    What takes longer to save than that second stays as the last checkpoint has it.
    """

    def listen() -> None:
        for line in commands:
            take(line)
        server_gone()
        end_now(LAST_SECONDS)

    threading.Thread(target=listen, daemon=True).start()


def death_sentence(code: int) -> str:
    """Return the sentence on a process that ended without saying how."""
    if code == -9:
        return "the process of the job was killed, most likely because the machine ran out of memory"
    if code < 0:
        return f"the process of the job crashed (signal {-code})"
    return f"the process of the job ended without a result (exit code {code})"

"""Processes of jobs and tables: started apart from the server, spoken to by lines, their errors kept in a log."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
import time
from pathlib import Path

LOG_FILE = "log.txt"
ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}", re.ASCII)
"""The names of the folders of jobs and tables."""


def new_id() -> str:
    """Return a name for a job or a table: when it was made, and a random part."""
    return time.strftime("%Y%m%d-%H%M%S-") + secrets.token_hex(4)


def start_process(module: str, folder: Path) -> subprocess.Popen[str]:
    """Start a program of this package on a folder, with pipes for lines in and out."""
    with (folder / LOG_FILE).open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", module, str(folder)],  # -P: nothing is imported from the present folder
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            encoding="utf-8",
            env=_environment(),
            start_new_session=True,  # Ctrl-C is for the server, which tells its processes in its own way
        )


def death_sentence(code: int) -> str:
    """Return the sentence on a process that ended without saying how."""
    if code == -9:
        return "the process of the job was killed, most likely because the machine ran out of memory"
    if code < 0:
        return f"the process of the job crashed (signal {-code})"
    return f"the process of the job ended without a result (exit code {code})"


def _environment() -> dict[str, str]:
    """Return the variables of a process: ours, with this very package found first."""
    import counterpoise

    source = str(Path(counterpoise.__file__).parent.parent)
    before = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": source if not before else f"{source}{os.pathsep}{before}"}

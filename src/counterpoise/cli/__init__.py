"""The command line: one thin file per command over calls that every user of the library can make.

`main` is the console entry point. Exit code 0 = done, 1 = ran but the stated target was not reached or the run
was interrupted, 2 = wrong input, told in one sentence on standard error.
"""

import io
import sys

from counterpoise.cli import evaluate, listing, race, reproduce, search, solve, spot
from counterpoise.cli.app import app

__all__ = ["app", "evaluate", "listing", "main", "race", "reproduce", "search", "solve", "spot"]


def main() -> None:
    """Run the command that the user typed."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows ? instead
    app(prog_name="counterpoise")

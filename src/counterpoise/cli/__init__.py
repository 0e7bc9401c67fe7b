"""The command line: one thin file per command over calls that every user of the library can make.

`main` is the console entry point. Exit code 0 = done, 1 = ran but the stated target was not reached or the run
was interrupted, 2 = wrong input, told in one sentence on standard error.
"""

import io
import sys


def main() -> None:
    """Run the command that the user typed."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows ? instead
    try:
        from counterpoise.cli.app import app

        app(prog_name="counterpoise")
    except KeyboardInterrupt:  # while modules were being imported; a running command handles its own
        print("error: interrupted before there was a result", file=sys.stderr)
        sys.exit(1)

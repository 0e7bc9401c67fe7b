"""The command line: one thin file per command over calls that every user of the library can make.

`main` is the console entry point. Exit code 0 = done, 1 = ran but the stated target was not reached or the run
was interrupted, 2 = wrong input, told in one sentence on standard error.
"""

import gc
import io
import os
import sys
import warnings
from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.cli.app import app

__all__ = ["app", "main"]

GARBAGE_THRESHOLD = 100_000
"""How many objects may be made before unreachable ones are looked for, which the imports alone would cause often."""


def main() -> None:
    """Run the command that the user typed."""
    gc.set_threshold(GARBAGE_THRESHOLD)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looking for them reads what all packages declare
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: a second thread spins more than it computes
    warnings.showwarning = lambda message, *place, **more: print(f"warning: {message}", file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows ? instead
    try:
        from counterpoise.cli.app import app

        app(prog_name="counterpoise")
    except KeyboardInterrupt:
        sys.exit("error: interrupted before there was a result")  # with exit code 1
    finally:
        gc.freeze()  # at the end of the process no search for garbage is needed, which would take a sixth of a second


import_lazily(__name__)

"""A process that loads and uses files, one after the other, and says how each ended; a crash ends it.

Orders come as lines of JSON on standard input: the sample, what to do (``load`` or the number of a use), the file and
the folder of samples. Answers go to standard output: ``fine``, ``refused`` or ``diverged`` with the sentence, or
``failed`` with a traceback.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any, NamedTuple


class Ending(NamedTuple):
    """How an order ended."""

    how: str
    """Fine, refused, diverged, failed, crashed or endless."""
    told: str


class Child:
    """The process, seen from the one that starts it; it is started again after a crash."""

    def __init__(self, environment: dict[str, str] | None = None) -> None:
        self.environment = os.environ | (environment or {})
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def end(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def do(self, sample: str, what: str | int, path: Path, folder: Path, seconds: float = 300) -> Ending:
        """Carry an order out, in `seconds` at most."""
        if self.process is None:
            command = [sys.executable, "-X", "faulthandler", "-m", "tests.store.broken.child"]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.environment
            )
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([sample, what, str(path), str(folder)]).encode() + b"\n")
        process.stdin.flush()
        if not select.select([process.stdout], [], [], seconds)[0]:
            self.end()
            return Ending("endless", f"no answer in {seconds:g} seconds")
        line = process.stdout.readline()
        if line:
            return Ending(*json.loads(line))
        code = process.wait()
        self.process = None
        return Ending("crashed", signal.Signals(-code).name if code < 0 else f"exit code {code}")


def answer(sample: str, what: str | int, path: Path, folder: Path) -> tuple[str, str]:
    """Load or use a file; return how it ended."""
    from counterpoise.errors import Diverged, InputError
    from tests.store.broken.others import OTHERS
    from tests.store.broken.samples import SAMPLES

    own = (SAMPLES | OTHERS)[sample]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (own.load if what == "load" else own.uses[int(what)])(path, folder)
    except InputError as error:
        return "refused", str(error)
    except Diverged as error:
        return "diverged", str(error)
    except BaseException:
        return "failed", traceback.format_exc()
    return "fine", ""


def main() -> None:
    """Answer orders until there are no more."""
    out: Any = os.fdopen(os.dup(1), "w")
    sys.stdout = sys.stderr
    for line in sys.stdin:
        sample, what, path, folder = json.loads(line)
        print(json.dumps(answer(sample, what, Path(path), Path(folder))), file=out, flush=True)


if __name__ == "__main__":
    main()

"""Reading commands from a stream of bytes, line by line, until it ends or a command ends the conversation."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import BinaryIO, TextIO

from counterpoise.upi.general import banner
from counterpoise.upi.session import LONGEST_LINE, Session


def converse(source: BinaryIO | None = None, target: TextIO | None = None, *, blank_lines: bool = True) -> None:
    """Answer the commands of a stream, by default those of standard input on standard output.

    With `blank_lines` a blank line ends every node that is shown, as in PioSOLVER; some clients expect none.
    """
    out = sys.stdout if target is None else target

    def write(text: str) -> None:
        out.write(text)
        out.flush()

    session = Session(write, blank_lines)
    try:
        session.say(banner())
        for line in _lines(sys.stdin.buffer if source is None else source):
            session.handle(line)
            if session.ended:
                break
    finally:
        session.finish()


def _lines(source: BinaryIO) -> Iterator[str]:
    """Yield the lines of a stream, a line that is too long cut to a length that is refused."""
    while line := source.readline(LONGEST_LINE + 1):
        ended = line.endswith(b"\n")
        text = line.decode("utf-8", errors="replace").rstrip("\r\n")
        while not ended and (rest := source.readline(LONGEST_LINE)):
            text, ended = "x" * (LONGEST_LINE + 1), rest.endswith(b"\n")
        yield text

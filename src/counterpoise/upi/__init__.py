"""PioSOLVER's text protocol (UPI 3.0) on standard input and output, over spots: one command a line, one answer each.

`converse` reads commands from a stream until it ends; a `Session` is what they act on. `commands.py` lists every
command with its help; the files beside it hold the commands by group.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.upi.loop import converse as converse
    from counterpoise.upi.session import Session as Session

__all__ = ["Session", "converse"]

import_lazily(__name__)

"""`counterpoise upi`: PioSOLVER's text protocol on standard input and output."""

from __future__ import annotations

from contextlib import suppress

from counterpoise.cli.app import command
from counterpoise.cli.options import flag


@command(
    """
    upi
    upi < script.txt
    """
)
def upi(
    no_blank_lines: bool = flag(
        "--no-blank-lines", "Show nodes without a blank line after each, as some clients need."
    ),
) -> None:
    """Speak PioSOLVER's text protocol (UPI 3.0), so that scripts and libraries made for it run on Counterpoise.

    Commands are read from standard input, one a line, and answered on standard output; [bold]help[/] lists them, and
    [bold]exit[/] or the end of the input ends it. Trees are saved and loaded as .cpz files.
    """
    from counterpoise.upi import converse

    with suppress(KeyboardInterrupt):
        converse(blank_lines=not no_blank_lines)

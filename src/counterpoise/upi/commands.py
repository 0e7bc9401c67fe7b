"""The table of commands: name, arguments, what it does, and whether it can be answered while the solver runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from counterpoise.upi.session import Session

Answer = Sequence[str] | None
"""The lines of an answer; None for the usual one, the command's name and ok!."""
Run = Callable[["Session", list[str]], Answer]
During = Literal["at once", "paused", "stopped"]
"""While the solver runs, a command is answered at once, or between two iterations, or refused until it has stopped."""

GROUPS = {
    "general": "General",
    "running": "Running the solver",
    "building": "Building a tree",
    "showing": "The tree and its nodes",
    "values": "Strategies, ranges, EVs, equities",
    "categories": "Names of hands",
    "locking": "Writing and locking strategies",
    "saving": "Files",
}
"""The modules with commands, and what documentation calls them."""


@dataclass(frozen=True)
class UpiCommand:
    """One command of the protocol."""

    name: str
    arguments: str
    help: str
    group: str
    during: During
    run: Run


_COMMANDS: dict[str, UpiCommand] = {}


def command(name: str, arguments: str = "", *, during: During = "paused") -> Callable[[Run], Run]:
    """Register a function as a command; the first line of its docstring is the help."""

    def register(run: Run) -> Run:
        assert run.__doc__
        assert name not in _COMMANDS
        group = run.__module__.rpartition(".")[2]
        _COMMANDS[name] = UpiCommand(name, arguments, run.__doc__.splitlines()[0], group, during, run)
        return run

    return register


def all_commands() -> dict[str, UpiCommand]:
    """Return every command by name, group by group."""
    for group in GROUPS:
        import_module(f"counterpoise.upi.{group}")
    return {name: one for group in GROUPS for name, one in _COMMANDS.items() if one.group == group}

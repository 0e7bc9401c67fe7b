"""A conversation: what commands act on, and how a line becomes an answer.

Every line but an empty one or a comment (#) has exactly one answer: lines of data, the command's name and ok!, or one
line that begins with ERROR. After each comes the end string, if one is set. What the solver says while it runs begins
with SOLVER and never interrupts an answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

from counterpoise.errors import Cancelled, InputError
from counterpoise.parameters import shown
from counterpoise.upi.arguments import split_words
from counterpoise.upi.commands import UpiCommand, all_commands
from counterpoise.upi.runner import MISTAKE, Runner, one_line
from counterpoise.upi.setup import TreeSetup
from counterpoise.upi.tree import SolvedTree

LONGEST_LINE = 2**22
"""How many letters a command may have: a strategy of a node with twenty actions fits."""


@dataclass
class SessionSettings:
    """What commands have set for the next run."""

    accuracy: float = 0.0
    """Exploitability at which a run stops; 0: it does not."""
    in_chips: bool = True
    """Whether that is chips, or a share of the pot."""
    threads: int = 0
    """0: all cores."""
    info_freq: int = 50
    """Iterations between two reports of the solver, at least."""
    algorithm: str = "auto"
    isomorphism: tuple[int, int] = (1, 0)


@dataclass
class Session:
    """The state of one conversation. `write` gets whole answers, newlines included."""

    write: Callable[[str], None]
    blank_lines: bool = True
    """Whether a blank line ends every node that is shown, as in PioSOLVER."""
    setup: TreeSetup = field(default_factory=TreeSetup)
    settings: SessionSettings = field(default_factory=SessionSettings)
    tree: SolvedTree | None = None
    runner: Runner | None = None
    end_string: str = ""
    ended: bool = False
    script_depth: int = 0
    """How many scripts are being read, one inside the other."""
    silent: bool = False
    """Whether a script is being read whose commands are not answered one by one."""

    def __post_init__(self) -> None:
        self.commands = all_commands()
        self._writing = threading.Lock()
        self._afterwards: list[Callable[[], None]] = []

    def handle(self, line: str) -> None:
        """Answer one line."""
        if not line.strip() or line.lstrip().startswith("#"):
            return
        answer = self.answer(line)
        if not self.ended:
            self.say([*answer, *self._end])
        self.do_afterwards()

    def answer(self, line: str) -> Sequence[str]:
        """Return the lines that answer a command, without the end string."""
        try:
            if len(line) > LONGEST_LINE:
                raise InputError(f"a command may have {LONGEST_LINE:,} letters, and this one has more")
            words = split_words(line)
            found = self.commands.get(words[0])
            if found is None:
                raise InputError(f"unknown command {shown(words[0])} (help lists all of them)")
            return self._run(found, words[1:])
        except (InputError, Cancelled, OSError, MemoryError) as error:
            return [f"ERROR: {one_line(error)}"]
        except Exception as error:  # a mistake of ours must not end the conversation
            return [f"ERROR: {MISTAKE}: {type(error).__name__}: {one_line(error)}"]

    def _run(self, command: UpiCommand, words: list[str]) -> Sequence[str]:
        runner = self.runner if self.running else None
        if runner is not None and command.during == "stopped":
            raise InputError(f"{command.name} must wait until the solver has stopped: send stop or wait_for_solver")
        with runner.paused() if runner is not None and command.during == "paused" else nullcontext():
            answer = command.run(self, words)
        return [f"{command.name} ok!"] if answer is None else answer

    def say(self, lines: Sequence[str]) -> None:
        """Write lines that nothing else may interrupt."""
        with self._writing:
            self.write("".join(f"{line}\n" for line in lines))

    def report(self, lines: Sequence[str]) -> None:
        """Write what the solver says unasked, in one line or as a block that the end string closes."""
        self.say([*lines, *self._end] if len(lines) > 1 else lines)

    def afterwards(self, what: Callable[[], None]) -> None:
        """Do something once the present answer has been written."""
        self._afterwards.append(what)

    def do_afterwards(self) -> None:
        """Do what has been put off until the answer was written."""
        waiting, self._afterwards = self._afterwards, []
        for what in waiting:
            what()

    @property
    def _end(self) -> list[str]:
        return [self.end_string] if self.end_string else []

    @property
    def running(self) -> bool:
        """Whether the solver is at work."""
        return self.runner is not None and self.runner.active

    def require_tree(self) -> SolvedTree:
        """Return the tree; refused if there is none."""
        if self.tree is None:
            raise InputError("there is no tree: send build_tree or load_tree first")
        return self.tree

    def finish(self) -> None:
        """Stop the solver, if it runs, without a word."""
        self.ended = True
        if self.runner is not None:
            self.runner.stop()

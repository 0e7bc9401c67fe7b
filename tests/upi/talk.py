"""What the tests of this folder share: a conversation in this process, and spots that commands and Python describe."""

from __future__ import annotations

import numpy as np

import counterpoise as cp
from counterpoise.cards import Range
from counterpoise.upi import Session
from counterpoise.upi.hand_order import HANDS, in_upi_order

END = "END"
RIVER = {"board": "Qs Jh 2h 8d 3c", "pot": 90, "stack": 400, "oop": "TT+,AK,T9s:0.5", "ip": "22+,A5s:0.25,KQ"}
RIVER_LINES = [[0, 0], [50, 150, 400], [0, 60, 400], [120]]
TURN = {
    "board": "Ks 7d 4c Jd",
    "pot": 100,
    "stack": 300,
    "oop": "AhKh,9d8d,7c7s:0.5,QTs",
    "ip": "KdQd,JhTh:0.75,AdQc,T9s",
}
TURN_LINES = [[0, 0, 0, 80], [0, 50, 50, 50, 130], [50, 150, 150, 150, 300], [50, 50, 300], [0, 100, 300]]


class Talk:
    """A conversation: `ask` returns the lines of an answer, `said` keeps all that was written."""

    def __init__(self, **options):
        self.said: list[str] = []
        self.session = Session(self._hear, **options)
        self.ask(f"set_end_string {END}")

    def _hear(self, text):
        self.said += text.splitlines()

    def ask(self, line):
        """The answer to a command, without what the solver says meanwhile."""
        before = len(self.said)
        self.session.handle(line)
        return answer_in(self.said[before:])

    def do(self, line):
        """A command that must be answered by ok!."""
        answer = self.ask(line)
        assert answer == [f"{line.split()[0]} ok!"], (line[:100], answer)

    def numbers(self, line):
        """The answer as rows of numbers."""
        answer = self.ask(line)
        assert not answer[0].startswith("ERROR"), answer
        return [np.array([float(word) for word in row.split()]) for row in answer]

    def describe(self, fields, lines, rake=None):
        """Everything but build_tree."""
        self.do(f"set_board {fields['board'].replace(' ', '')}")
        self.do(f"set_pot 0 0 {fields['pot']}")
        self.do(f"set_eff_stack {fields['stack']}")
        if rake is not None:
            self.do(f"set_rake {rake[0]} {rake[1]}")
        self.do("clear_lines")
        for line in lines:
            self.do(f"add_line {' '.join(map(str, line))}")
        for seat in ("oop", "ip"):
            self.do(f"set_range {seat.upper()} {weights(fields[seat])}")

    def solve(self, fields, lines, steps=40, rake=None):
        """Describe a tree, build it and run the solver for some steps on one core."""
        self.describe(fields, lines, rake)
        self.do("build_tree")
        self.do("set_threads 1")
        self.do(f"go {steps} steps")
        self.do("wait_for_solver")
        return self


def weights(text):
    """A range in words as 1,326 numbers."""
    return " ".join(f"{weight:g}" for weight in in_upi_order(Range.from_string(text).weights))


def spot_of(fields, lines, rake=None):
    """The same spot in Python."""
    more = {} if rake is None else {"rake": {"percent": 100.0 * rake[0], "cap": float(rake[1])}}
    return cp.Spot(**fields, lines=lines, **more)


def at(hand):
    """The place of a hand in the order of UPI."""
    return HANDS.index(hand)


def answer_in(said):
    """The lines before the end string, without lines and blocks of the solver: a block has an end string of its own."""
    lines, report = [], False
    for line in said:
        if line == END and not report:
            return lines
        report = line == "SOLVER:" or (report and line != END)
        if not (report or line == END or line.startswith("SOLVER:")):
            lines.append(line)
    raise AssertionError(f"no end string in {said!r:.300}")

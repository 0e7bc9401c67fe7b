"""Messages of protocol 2.0.0 (P1): what a seat is told, what it answers, and what becomes of a wrong answer.

1. A program begins with ``VERSION:2.0.0``.
2. It is told ``MATCHSTATE:position:hand:betting:cards`` after every event: its own cards, those of others only at a
   showdown. If it is its turn, it answers with the same line, a colon and its action: f, c, r, in no-limit r300, the
   total that it has then put in since the start of the hand.
3. An answer to another state is no answer. It is compared as the competition's dealer does: slashes, bars and the
   case of letters do not matter.
4. An action that cannot be read or is not legal becomes a call (or check), a no-limit raise of a wrong size the nearest
   legal one. A round has room for 64 actions: a raise that would leave none for the others to answer becomes a call.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from counterpoise.betting.rules import BettingState
from counterpoise.games.base import Action, Observation
from counterpoise.games.holdem import Holdem
from counterpoise.logs.acpc import EventText

VERSION = (2, 0, 0)
VERSION_LINE = f"VERSION:{'.'.join(map(str, VERSION))}"
COMMENTS = ("#", ";")
MOST_ACTIONS = 64
"""Actions of a round for which the competition's programs have room."""
_VERSION = re.compile(r"VERSION:(\d{1,9})\.(\d{1,9})\.(\d{1,9})")
_ACTION = re.compile(r"([fckrb])\s*([+-]?\d{0,18})", re.IGNORECASE)
_SHOWN = re.compile(r"seat (\d+) shows (\w+)")


def read_version(line: str) -> tuple[int, int, int] | None:
    """Return the version that a program says it speaks, None if it does not say.

    >>> read_version("VERSION:2.0.0"), read_version("HELLO")
    ((2, 0, 0), None)
    """
    found = _VERSION.match(line)
    return None if found is None else (int(found[1]), int(found[2]), int(found[3]))


class View:
    """What one seat is told, line by line; what has happened is written down once."""

    def __init__(self, game: Holdem, seat: int) -> None:
        self.game, self.seat = game, seat
        self.begin(0)

    def begin(self, hand: int) -> None:
        """Begin a hand."""
        self._hand, self._text, self._written = hand, EventText(self.game), 0

    @property
    def betting(self) -> BettingState:
        """The betting after the last event that was written."""
        return self._text.state

    @property
    def crowded(self) -> bool:
        """Whether a raise would leave the others no room to answer in this round."""
        actions = len(re.findall("[fcr]", self._text.rounds[-1]))
        return actions + self.game.seats > MOST_ACTIONS

    def line(self, seen: Observation) -> str:
        """Return the line for what the seat sees."""
        hands = [""] * self.game.seats
        hands[self.seat] = seen.private
        for event in seen.public[self._written :]:
            if shown := _SHOWN.fullmatch(event):
                hands[int(shown[1])] = shown[2]
            else:
                self._text.add(event)
                self._written += 1
        cards = f"{'|'.join(hands)}{self._text.board}"
        return f"MATCHSTATE:{self.seat}:{self._hand}:{self._text.betting}:{cards}"


def read_answer(line: str, asked: str) -> str | None:
    """Return the action in an answer to the line `asked`, None if this is an answer to something else.

    >>> asked = "MATCHSTATE:0:7:r:AsKh|"
    >>> read_answer(f"{asked}:c", asked), read_answer("MATCHSTATE:0:6:r:AsKh|:c", asked)
    ('c', None)
    """
    if line.startswith(f"{asked}:"):
        return line[len(asked) + 1 :]
    parts = line.strip().split(":", 5)
    if len(parts) < 5 or _bare(parts[:5]) != _bare(asked.split(":")):
        return None
    return parts[5] if len(parts) == 6 else ""


class Repaired(NamedTuple):
    """An action that is legal, and whether the program had asked for one that is not."""

    action: Action
    invalid: bool


def repair(text: str, betting: BettingState, limit: bool, crowded: bool = False) -> Repaired:
    """Return the action that an answer becomes."""
    found = _ACTION.match(text)
    letter = found[1].lower() if found else ""
    if letter in ("c", "k"):
        return Repaired("c", False)
    if letter == "f" and betting.to_call:
        return Repaired("f", False)
    if found and letter in ("r", "b") and betting.max_raise and not crowded:
        if limit:
            return Repaired(f"b{betting.min_raise}", False)
        if found[2].lstrip("+-"):
            return Repaired(f"b{min(max(int(found[2]), betting.min_raise), betting.max_raise)}", False)
    return Repaired("c", True)


def _bare(parts: list[str]) -> list[str]:
    """Return the parts of a state without what does not matter."""
    return [re.sub(r"[/|\s]", "", part).upper() for part in parts]

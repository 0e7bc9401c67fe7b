"""Messages of protocol 2.0.0 of the Annual Computer Poker Competition: what a seat is told, what it answers, and what
becomes of a wrong answer.

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
from counterpoise.games.events import shown_hands, without_shown
from counterpoise.games.holdem import Holdem
from counterpoise.logs.acpc import EventText

VERSION = (2, 0, 0)
VERSION_LINE = f"VERSION:{'.'.join(map(str, VERSION))}"
COMMENTS = ("#", ";")
MOST_ACTIONS = 64
"""Actions of a round for which the competition's programs have room."""
_VERSION = re.compile(r"VERSION:(\d{1,9})\.(\d{1,9})\.(\d{1,9})")
_ACTION = re.compile(r"([fckrb])\s*([+-]?\d{0,18})", re.IGNORECASE)


def read_version(line: str) -> tuple[int, int, int] | None:
    """Return the version that a program says it speaks, None if it does not say.

    >>> read_version("VERSION:2.0.0"), read_version("HELLO")
    ((2, 0, 0), None)
    """
    found = _VERSION.match(line)
    return None if found is None else (int(found[1]), int(found[2]), int(found[3]))


class ProtocolNotes:
    """The public events of the hand at play in the words of the protocol; all seats of a table may share them."""

    def __init__(self, game: Holdem) -> None:
        self.game = game
        self._events: tuple[str, ...] = ()
        self._restart()

    def follow(self, public: tuple[str, ...]) -> None:
        """Write down what is new in the public events, whatever hand they are of."""
        written = len(self._events)
        if public[:written] != self._events:
            self._restart()
            written = 0
        new = without_shown(public[written:])
        if new:
            for event in new:
                self._text.add(event)
            self._events = (*self._events, *new)
            self.betting, self.board = self._text.betting, self._text.board

    @property
    def state(self) -> BettingState:
        """The betting after the last event."""
        return self._text.state

    @property
    def crowded(self) -> bool:
        """Whether a raise would leave the others no room to answer in this round."""
        return len(re.findall("[fcr]", self._text.rounds[-1])) + self.game.seats > MOST_ACTIONS

    def _restart(self) -> None:
        self._text, self._events = EventText(self.game), ()
        self.betting = self.board = ""


class SeatView:
    """What one seat is told, line by line."""

    def __init__(self, game: Holdem, seat: int, notes: ProtocolNotes | None = None) -> None:
        self.seat, self.notes = seat, notes or ProtocolNotes(game)
        self._before, self._after = "|" * seat, "|" * (game.seats - 1 - seat)

    def line(self, hand: int, seen: Observation) -> str:
        """Return the line for what the seat sees of a hand."""
        notes = self.notes
        notes.follow(seen.public)
        cards = f"{self._before}{seen.private}{self._after}"
        if shown := shown_hands(seen.public[-self.notes.game.seats :]):
            hands = {**dict.fromkeys(range(self.notes.game.seats), ""), **shown, self.seat: seen.private}
            cards = "|".join(hands.values())
        return f"MATCHSTATE:{self.seat}:{hand}:{notes.betting}:{cards}{notes.board}"


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

"""A program at a socket as an agent: it connects as to a dealer, is told what its seat sees, and answers.

`ProgramAgent`, "acpc:HOST:PORT", tells the program every state and waits for its answer, which it makes legal;
`seat.py` keeps the connection.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from counterpoise.acpc.messages import ProtocolNotes, SeatView, repair
from counterpoise.acpc.seat import Port, ProgramSeat
from counterpoise.agents.base import Agent, agent
from counterpoise.errors import InputError
from counterpoise.games.base import Action, Observation, game_name
from counterpoise.games.holdem import Holdem
from counterpoise.names import spell
from counterpoise.parameters import is_number, require, require_choice, require_whole, shown
from counterpoise.progress import CancelToken


@agent("acpc")
@dataclass
class ProgramAgent(Agent):
    """A program that connects to HOST:PORT and speaks the competition's protocol: acpc:127.0.0.1:5000.

    Every room of a duplicate match needs a program of its own: start it as often as there are rooms.
    """

    address: str = ""
    """Where the program connects: HOST:PORT; port 0 takes one that is free."""
    called: str = ""
    """What to call it in results and logs."""
    response_seconds: float | None = 600.0
    """The most time for one decision."""
    hand_seconds: float | None = 600.0
    """The most time for all decisions of a hand."""
    match_seconds: float | None = None
    """The most time for all decisions of a match; then it forfeits every hand that is left."""
    start_seconds: float | None = None
    """How long the match waits for the program to connect; by default as long as it takes."""
    rejoin_seconds: float = 0.0
    """How long a hand waits for a program that is gone to connect again."""
    max_invalid: int | None = None
    """How many invalid actions are changed into calls; after that each forfeits a hand. By default any number."""
    strict: bool = False
    """End the match where others forfeit a hand, as the competition's dealer does."""

    colon_field = "address"
    outside = True

    def __post_init__(self) -> None:
        if not self.address:
            raise InputError("acpc: name the address after a colon, as in acpc:127.0.0.1:5000")
        for field in fields(self):
            value: Any = getattr(self, field.name)
            if field.name.endswith("_seconds") and value is not None:
                low = "at least 0" if field.name == "rejoin_seconds" else "positive"
                require(
                    is_number(value) and (value > 0 or (field.name == "rejoin_seconds" and value == 0)),
                    f"acpc: {field.name} must be {low}, not {shown(value)}",
                )
        if self.max_invalid is not None:
            require_whole("acpc: max_invalid", self.max_invalid, 0)
        require_choice("acpc: strict", self.strict, (True, False))
        self.port = Port(self.address)
        self.place: ProgramSeat | None = None
        self.fellows: list[ProgramSeat] | None = None
        self.ready: Callable[[], None] | None = None
        self.notes: ProtocolNotes | None = None

    @property
    def name(self) -> str:
        """What it is called, or the string from which `make_agent` makes it again."""
        changed = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "address"}
        differing = {name: value for name, value in changed.items() if value != getattr(type(self), name)}
        return self.called or spell(f"acpc:{self.address}", differing)

    def prepare(self) -> None:
        """Refuse other games than hold'em, and listen at the address."""
        if not isinstance(self.game, Holdem):
            raise InputError(f"{self} plays hold'em, not {game_name(self.game)}")
        self.port.open()
        if self.notes is None or self.notes.game != self.game:
            self.notes = ProtocolNotes(self.game)
        self._view = SeatView(self.game, self.seat, self.notes)

    def for_room(self) -> ProgramAgent:
        """Return an agent for another program, which connects to the same address."""
        own = copy.copy(self)
        own.place = ProgramSeat(self, self.port)
        if self.fellows is not None:
            own.place.fellows = self.fellows
            self.fellows.append(own.place)
        return own

    def match_begins(self, cancel: CancelToken) -> None:
        """Let the end of the match be asked for while it waits."""
        for seat in self.port.seats:
            seat.cancel = cancel
        if self.ready is not None:
            self.ready()

    def match_over(self) -> None:
        """Close all connections."""
        self.port.close()

    def new_hand(self) -> None:
        """Make sure that the program is there."""
        self._seat.new_hand()

    def watch(self, observation: Observation) -> None:
        """Tell the program what its seat sees."""
        self._seat.tell(self._view.line(self.hand, observation))

    def act(self, observation: Observation) -> Action:
        """Return the program's answer, made legal."""
        text = self._seat.ask(self._view.line(self.hand, observation))
        notes = self._view.notes
        answer = repair(text, notes.state, notes.game.betting.limit is not None, notes.crowded)
        if answer.invalid:
            self._seat.note_invalid(text)
        return answer.action

    def hand_over(self, observation: Observation, payoff: float) -> None:
        """Tell the program how the hand ended."""
        self._seat.tell(self._view.line(self.hand, observation))

    @property
    def _seat(self) -> ProgramSeat:
        assert self.place is not None, "an agent of a program plays in a room: for_room() makes one"
        return self.place

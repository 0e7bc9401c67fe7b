"""The state of the page of play, all of which stands in its address."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from counterpoise.web.pages.query import Query, split_names
from counterpoise.web.play.models import HOLDEM, MOST_SEATS, NewSession

TABS = {"hand": "This hand", "thoughts": "What did it think", "history": "Hands"}


_RESULT = re.compile(r"jobs/[0-9]{8}-[0-9]{6}-([0-9a-f]{8})/result\.cpz", re.ASCII)


def brief_names(text: str) -> str:
    """Return a text in which the results of jobs are named by the end of the job's id.

    >>> brief_names("spot:jobs/20260101-120000-0123abcd/result.cpz: bet 50")
    'spot:0123abcd: bet 50'
    """
    return _RESULT.sub(r"\1", text)


@dataclass(frozen=True)
class PlayView(Query):
    """What the page shows: a table that is being chosen, or a session."""

    PATH: ClassVar[str] = "/play"

    agents: str = "blueprint"
    """The opponents by name, with `BETWEEN` between them."""
    game: str = ""
    settings: str = ""
    """The settings of the game, as in brackets after its name."""
    seats: str = "2"
    fast: str = ""
    session: str = ""
    """The id of a session; the other words before it do not matter then."""
    tab: str = "hand"
    hand: str = ""
    """The hand whose thoughts are told; empty: the last."""
    at: str = ""
    """The decision of that hand, from 0; empty: the first of an opponent."""
    kind: str = ""
    """The kind of hand that is open in the square."""

    @property
    def opponents(self) -> list[str]:
        """The names of the opponents."""
        return split_names(self.agents)

    @property
    def players(self) -> int:
        """The number of seats, 2 to 6."""
        return int(self.seats) if self.seats in map(str, range(2, MOST_SEATS + 1)) else 2

    @property
    def request(self) -> NewSession:
        """The table that was chosen."""
        game, seats = self.game or None, self.players if self.players > 2 else None
        if game is not None:
            more = [f"seats={seats}"] if seats and game in HOLDEM else []
            words = ", ".join(more + ([self.settings] if self.settings else []))
            game, seats = f"{game}({words})" if words else game, None
        return NewSession(agents=self.opponents, game=game, seats=seats, fast=bool(self.fast))

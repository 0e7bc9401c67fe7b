"""Polaris as it played in 2007: one strategy for a whole match, announced by the name of a colour.

See Johanson 2016, section 8.1.

Its strategies were found by CFR in abstractions with perfect recall of percentiles of hand strength, 8 or 12 buckets in
each round. Pink is an equilibrium (matches 1 and 4), Orange is tilted (match 2); in match 3 the agent switched between
strategies, here by what each has won so far in the hands that it played.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from counterpoise.agents.base import Measured, agent
from counterpoise.agents.colours import ColourAgent, colours_of
from counterpoise.agents.settings import SETTING, settings_of
from counterpoise.games.known import Behaviour, BoardPlay, Line
from counterpoise.parameters import require_choice

if TYPE_CHECKING:
    from counterpoise.agents.base import Agent

SWITCHING = "switching"
"""The colour of match 3: any of them, hand by hand."""


@agent("polaris-2007")
@dataclass
@settings_of("polaris-2007")
class Polaris2007(ColourAgent):
    """Plays limit hold'em with one strategy per match, named by its colour: polaris-2007:FOLDER(colour=orange)."""

    source = "Johanson 2016, section 8.1"
    measured = Measured(24, 0.0002)

    colour: str = SETTING
    """Which strategy plays the match: pink, orange, or switching between them hand by hand, as in match 3."""

    def __post_init__(self) -> None:
        colours = colours_of(self.registered_name)
        require_choice("polaris-2007: colour", self.colour, (*colours, SWITCHING))
        chosen = colours if self.colour == SWITCHING else (self.colour,)
        self.learns = self.switches = len(chosen) > 1
        self._take(chosen)

    @property
    def strategy_id(self) -> str:
        """The id of the strategy of this match, or of this hand if it switches."""
        return super().strategy_id if self.learns else self._ids[0]

    def for_room(self) -> Agent:
        """Return the agent that plays in a room: a copy with a memory of its own if it switches."""
        return super().for_room() if self.learns else self

    def probabilities(self, public: tuple[str, ...]) -> Behaviour:
        """Return what the strategy of this match does after a public history with every hand that it could hold."""
        return self._players[self.member].probabilities(public)

    def play_on_boards(self, lines: tuple[Line, ...]) -> Callable[[tuple[int, ...]], BoardPlay] | None:
        """Return a function from the public cards to what the strategy does in lines of one round."""
        seated: Any = self._players[self.member]
        found: Callable[[tuple[int, ...]], BoardPlay] | None = seated.play_on_boards(lines)
        return found

"""What is said about a session of play: requests, the table as the person sees it, scores, thoughts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from counterpoise.names import parse
from counterpoise.web.processes import Order

MOST_SEATS = 6
HOLDEM = ("no_limit_holdem", "limit_holdem")
"""Games whose number of seats may be chosen."""
YOU = "you"
"""What the person is called at the table."""
AgentName = Annotated[str, Field(min_length=1, max_length=200)]


class NewSession(BaseModel):
    """A table to sit down at."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    agents: Annotated[list[AgentName], Field(min_length=1, max_length=MOST_SEATS - 1)] = ["blueprint"]
    """The opponents, by name; a file of the library follows a colon. The last one takes all seats that are left."""
    game: Annotated[str, Field(max_length=200)] | None = None
    """A registered game, or a file of the library; by default the one that the first agent was made for."""
    seats: Annotated[int, Field(ge=2, le=MOST_SEATS)] | None = None
    """The seats of no-limit hold'em, if no game is named."""
    seed: Annotated[int, Field(ge=0, lt=2**32)] | None = None
    """The seed of the cards and the agents; by default a new one."""
    fast: bool = False
    """Let agents that search take a tenth of the time."""

    @property
    def players(self) -> int | None:
        """The number of seats that was asked for; None if the agents' game or a file says it."""
        if self.game is None:
            return self.seats
        name, bracket, _ = self.game.partition("(")
        seats = parse(self.game)[1].get("seats", 2) if bracket and name in HOLDEM else None
        return seats if isinstance(seats, int) else None


class SessionOrder(Order):
    """What the process of a session is to do."""

    request: NewSession
    game: str | None
    agents: list[str]
    """The game and the agents of the request, with files by their paths."""
    seed: Annotated[int, Field(ge=0, lt=2**32)]
    library: str
    """The folder in which files lie that may be read."""
    memory_mb: Annotated[float, Field(ge=0, le=1e9)]


class Menu(BaseModel):
    """One thing that the person may do."""

    action: str
    words: str


class Seat(BaseModel):
    """A seat of the table."""

    name: str
    you: bool
    behind: int | None = None
    """Chips that are not in the pot, in hold'em."""
    bet: int | None = None
    """Chips put in on this street."""
    folded: bool = False
    button: bool = False
    cards: str | None = None
    """Its own cards, once they are known to you."""


class HandEnd(BaseModel):
    """How a hand ended."""

    hand: int
    payoffs: list[float]
    """By seat, in the game's unit."""
    won: float
    """What you won."""


class TableView(BaseModel):
    """The table as the person sees it."""

    version: int
    """Grows with everything that happens."""
    status: Literal["starting", "your turn", "thinking", "hand over", "ended"]
    game: str
    unit: str
    hand: int
    """The number of the hand in this session, from 1."""
    your_seat: int
    seats: list[Seat]
    board: str = ""
    cards: str = ""
    """Your own cards, or what only you know in other games."""
    pot: int | None = None
    events: list[str] = []
    """What everybody has seen in this hand, as labels."""
    story: list[str] = []
    """What everybody has seen in this hand, in words."""
    menu: list[Menu] = []
    least_bet: int | None = None
    """The least and the most that you may bet or raise to, in chips of this street; None if you may not."""
    most_bet: int | None = None
    to_call: int | None = None
    last: HandEnd | None = None
    total: float = 0.0
    """What you have won in all hands, in the game's unit."""
    hands: int = 0
    """Hands that are over."""
    notice: str = ""
    """What else there is to say, such as a forfeited hand."""


class Answer(BaseModel):
    """What the person does: an action of the menu, or an amount to bet or raise to.

    An amount is chips of this street, or a text as at the terminal: "3bb", "50%", "pot", "2.5x" or "allin".
    """

    model_config = ConfigDict(extra="forbid")

    action: Annotated[str, Field(max_length=40)] | None = None
    amount: Annotated[int, Field(ge=1, le=10**9)] | Annotated[str, Field(max_length=20)] | None = None


class Estimate(BaseModel):
    """A mean per hand with its interval."""

    mean: float | None
    ci95: float | None
    """Half the width of the 95 % interval; None with too few hands."""


class Score(BaseModel):
    """What you won per hand: as paid, and with the luck taken out where the opponents' strategies are known."""

    unit: str
    hands: int
    total: float
    money: Estimate
    aivat: Estimate | None
    judged: int = 0
    """Hands that AIVAT has judged so far; ask again for the rest."""
    missing: str | None = None
    """Why there is no AIVAT."""


class HandRow(BaseModel):
    """A hand that is over."""

    hand: int
    agents: list[str]
    history: list[str]
    payoffs: list[float]
    your_seat: int


class Thought(BaseModel):
    """One decision of a hand that is over."""

    seat: int
    name: str
    events: list[str]
    """What everybody had seen."""
    action: str
    hand: str
    """The cards that it held."""
    words: dict[str, str] = {}
    """The action that was taken and those that it knows, as players say them."""
    actions: list[str] = []
    range: dict[str, float] = {}
    """The weights with which its hands arrive, the largest 1."""
    strategy: dict[str, list[float]] = {}
    """What it does with each hand of that range, in the order of `actions`."""
    frequencies: dict[str, float] = {}
    """What it does with that range."""
    own: dict[str, float] = {}
    """What it does with the hand that it held."""
    values: dict[str, float | None] = {}
    """At your decisions: what each action is worth with your hand, in chips, where a solution knows."""
    missing: str | None = None
    """Why nothing is known."""


class Thoughts(BaseModel):
    """All decisions of a hand."""

    hand: int
    decisions: list[Thought]


class SessionView(BaseModel):
    """A session, whether it is still open or not."""

    id: str
    request: NewSession
    created: float
    open: bool
    hands: int = 0
    total: float = 0.0
    unit: str = ""
    error: str | None = None

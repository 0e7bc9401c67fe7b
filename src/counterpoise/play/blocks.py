"""Blocks of a match: hands that are played together, by this process or another, and counted as a unit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from counterpoise.agents.base import Agent
from counterpoise.errors import InputError
from counterpoise.games.base import Game
from counterpoise.parameters import require_choice
from counterpoise.play.rules import FAULTS, TableRules
from counterpoise.play.table import Account, MatchTable

if TYPE_CHECKING:
    from counterpoise.evaluation.estimators.aivat import Aivat
    from counterpoise.evaluation.estimators.value_functions import GuessLike
    from counterpoise.logs import LogFormat
    from counterpoise.logs.record import HandRecord

MOST_PERMUTED = 4
"""Seats up to which a duplicate match plays all permutations of agents (24); with more it plays all rotations."""
Duplicate = bool | str


class Dealer(Protocol):
    """A player of blocks of deals."""

    def play(self, first: int, deals: int, out_of_time: Sequence[bool]) -> MatchBlock:
        """Play the deals from `first` on."""
        ...


class MatchSetup(NamedTuple):
    """Everything that defines how a hand of a match is played."""

    game: Game
    agents: tuple[Agent, ...]
    names: tuple[str, ...]
    seed: int
    duplicate: bool
    seatings: tuple[tuple[int, ...], ...]
    """The agent in each seat, for every room; not duplicate: for hand after hand, in turn."""
    rules: TableRules
    log: LogFormat | None
    aivat: GuessLike | None = None
    """AIVAT's value function if luck is removed from every hand at the table; None if it is not."""

    @property
    def rooms(self) -> int:
        """The number of times that every deal is played."""
        return len(self.seatings) if self.duplicate else 1

    def make_player(self) -> Callable[[int, int, Sequence[bool]], MatchBlock]:
        """Return a dealer of blocks with tables of its own."""
        return TableDealer(self).play


def seatings_of(players: int, duplicate: Duplicate) -> tuple[tuple[int, ...], ...]:
    """Return the agent in each seat, room by room: all permutations for up to four seats, rotations for more.

    "permutations" and "rotations" ask for one of them; False has the rotations, one for each hand in turn.

    >>> seatings_of(2, True)
    ((0, 1), (1, 0))
    """
    require_choice("duplicate", duplicate, (True, False, "permutations", "rotations"))
    if duplicate == "permutations" or (duplicate is True and players <= MOST_PERMUTED):
        return tuple(permutations(range(players)))
    return tuple(tuple((seat + first) % players for seat in range(players)) for first in range(players))


class MatchBlock(NamedTuple):
    """The results of a block of deals, per agent, in the game's unit.

    The sums are of an agent's winnings in all rooms of a deal together, and of their squares; exact for whole chips.
    """

    first: int
    deals: int
    total: list[float]
    squares: list[float]
    seconds: list[float]
    decisions: list[int]
    faults: list[list[int]]
    first_fault: list[str]
    log: str = ""
    aivat: list[list[float]] | None = None
    """The two sums of winnings without luck; None if they were not asked for."""


class TableDealer:
    """Plays blocks at tables, one for each seating; agents stay seated from block to block.

    All seats of an agent in one room share what it has learned; rooms of a duplicate match share nothing.
    """

    def __init__(self, setup: MatchSetup) -> None:
        self._setup = setup
        self._tables = []
        own: Sequence[Agent] = ()
        for place, seating in enumerate(setup.seatings):
            if setup.duplicate or not place:
                own = [agent.for_room() for agent in setup.agents]
            agents, names = ([items[agent] for agent in seating] for items in (own, setup.names))
            room = place if setup.duplicate else 0
            self._tables.append(
                MatchTable(setup.game, agents, names, seed=setup.seed, room=room, rules=setup.rules)  # type: ignore[arg-type]
            )

        self._aivat: Aivat | None = None
        self._known = [tuple([one if is_known(one) else None for one in table.agents]) for table in self._tables]
        if setup.aivat is not None:
            if not any(is_known(agent) for agent in setup.agents):
                raise InputError("aivat: no agent of this match says what it would do with other hands")
            from counterpoise.evaluation.estimators.aivat import make_aivat

            self._aivat = make_aivat(setup.game, setup.aivat)

    def play(self, first: int, deals: int, out_of_time: Sequence[bool]) -> MatchBlock:
        """Play the deals from `first` on in all rooms."""
        setup, tables, players = self._setup, self._tables, len(self._setup.agents)
        for table, seating in zip(tables, setup.seatings, strict=True):
            table.accounts = [Account() for _ in seating]
            table.out_of_time = [out_of_time[agent] for agent in seating]
        total, squares, text = [0.0] * players, [0.0] * players, []
        adjusted, judged = [[0.0] * players, [0.0] * players], self._aivat is not None
        for hand in range(first, first + deals):
            rooms = range(len(tables)) if setup.duplicate else (hand % len(tables),)
            won, without_luck = [0.0] * players, [0.0] * players
            for place in rooms:
                record = tables[place].play(hand)
                for agent, payoff in zip(setup.seatings[place], record.payoffs, strict=True):
                    won[agent] += payoff
                if judged:
                    own = self._adjusted(record, place)
                    judged = own is not None
                    for agent, payoff in zip(setup.seatings[place], own or (), strict=judged):
                        without_luck[agent] += payoff
                if setup.log is not None:
                    text.append(setup.log.format_hand(setup.game, record, hand * len(rooms) + record.room))
            for agent, payoff in enumerate(won):
                total[agent] += payoff
                squares[agent] += payoff * payoff
            for agent, payoff in enumerate(without_luck):
                adjusted[0][agent] += payoff
                adjusted[1][agent] += payoff * payoff
        seconds, decisions, faults, first_fault = self._accounts()
        sums = first, deals, total, squares
        aivat = adjusted if judged else None
        return MatchBlock(*sums, seconds, decisions, faults, first_fault, "".join(text), aivat)

    def remarks(self) -> list[str]:
        """Return the remarks of agents about their play in this game, every sentence once."""
        found = dict.fromkeys(agent.remark() for table in self._tables for agent in table.agents)
        return [sentence for sentence in found if sentence]

    def _adjusted(self, record: HandRecord, place: int) -> list[float] | None:
        """Return what each seat won without luck, None after a bet that an enumerated game does not list."""
        assert self._aivat is not None
        try:
            won: list[float] = self._aivat.hand(record, self._known[place]).tolist()
        except InputError:
            return None
        return won

    def _accounts(self) -> tuple[Any, ...]:
        """Return seconds, decisions, faults and the first fault of each agent, over all tables."""
        players = range(len(self._setup.agents))
        books = [[table.accounts[seating.index(agent)] for table, seating in self._seated()] for agent in players]
        return (
            [sum(one.seconds for one in own) for own in books],
            [sum(one.decisions for one in own) for own in books],
            [[sum(one.faults[fault] for one in own) for fault in FAULTS] for own in books],
            [next((one.first_fault for one in own if one.first_fault), "") for own in books],
        )

    def _seated(self) -> Iterator[tuple[MatchTable, tuple[int, ...]]]:
        return zip(self._tables, self._setup.seatings, strict=True)


def is_known(agent: Agent) -> bool:
    """Return whether an agent can say what it would do with every hand, and always plays so."""
    return type(agent).probabilities is not Agent.probabilities and not (agent.learns or agent.switches)


def check_agents(game: Game, agents: Sequence[Agent]) -> None:
    """Refuse the wrong number of agents."""
    if len(agents) != game.players:
        raise InputError(f"the game has {game.players} seats, so it needs as many agents, not {len(agents)}")

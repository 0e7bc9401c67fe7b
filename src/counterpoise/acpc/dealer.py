"""The dealer: programs that connect over TCP play a match, by the rules and limits of the competition's dealer.

A match of programs is a match like any other (`counterpoise.play`), whose agents are `ProgramAgent`s: cards of a hand
follow from (seed, hand), seats move on by one from hand to hand, every finished hand is in the log at once, and what
goes wrong forfeits a hand. Another run with the same seed and the names exchanged deals the same cards.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from counterpoise.acpc.gamefile import load_rules
from counterpoise.acpc.messages import ProtocolNotes
from counterpoise.acpc.program import ProgramAgent
from counterpoise.acpc.seat import ProgramSeat, SeatAccount
from counterpoise.games.base import Game
from counterpoise.games.units import unit_of
from counterpoise.jobs import refuse_unknown, takes
from counterpoise.logs import AcpcLog
from counterpoise.parameters import is_list, is_number, require, require_whole, shown
from counterpoise.play.keywords import SavedMatchKeywords
from counterpoise.play.match import match
from counterpoise.play.result import MatchResult
from counterpoise.store.json import JsonResult

HOST = "127.0.0.1"


@dataclass(frozen=True, kw_only=True)
class DealerLimits:
    """What a dealer puts up with; by default as the competition's does. Times are in seconds, None is without."""

    response_seconds: float | None = 600.0
    """The most time for one response."""
    hand_seconds: float | None = 600.0
    """The most time of a program for a hand."""
    average_seconds: float | None = 7.0
    """The most time of a program per hand, on average over the match."""
    start_seconds: float | None = None
    """How long the match waits for all to connect."""
    rejoin_seconds: float = 0.0
    """How long a hand waits for a program that is gone to connect again."""
    max_invalid: int | None = None
    """How many invalid actions of a program become calls; after that each forfeits a hand. None: any number."""
    strict: bool = False
    """Whether the match ends where a program forfeits a hand."""

    def __post_init__(self) -> None:
        average = self.average_seconds
        require(
            average is None or (is_number(average) and average > 0),
            f"average_seconds must be a positive number, not {shown(average)}",
        )

    def program(self, address: str, name: str, hands: int) -> ProgramAgent:
        """Return a program that plays under these limits; refused if one of them cannot be."""
        own = {field: value for field, value in vars(self).items() if field != "average_seconds"}
        whole = None if self.average_seconds is None else self.average_seconds * hands
        return ProgramAgent(address=address, called=name, match_seconds=whole, **own)


@dataclass(frozen=True)
class DealerResult(JsonResult):
    """A match between programs."""

    match: MatchResult
    ports: list[int]
    """The port of each program, in the order of their names."""
    seats: list[SeatAccount]
    """What the programs did apart from playing, in the same order."""
    chips: list[float]
    """What each of them won."""

    @property
    def finished(self) -> bool:
        """Whether all hands were played."""
        return self.match.reached

    @property
    def score(self) -> str:
        """The last line of a log: what each program won, and its name."""
        return AcpcLog().format_end([agent.name for agent in self.match.agents], self.chips).strip()

    def to_json(self) -> dict[str, Any]:
        """Return the result of the match, with the chips and the account of every program."""
        answer = self.match.to_json()
        for figures, port, seat, chips in zip(answer["agents"], self.ports, self.seats, self.chips, strict=True):
            figures |= {"chips": chips, "port": port, **vars(seat)}
        return answer | {"score": self.score}


@takes(SavedMatchKeywords)
def deal_match(
    game: Game | str | os.PathLike[str],
    hands: int,
    seed: int,
    names: Sequence[str],
    *,
    ports: Sequence[int] | None = None,
    host: str = HOST,
    limits: DealerLimits | None = None,
    ready: Callable[[list[int]], None] | None = None,
    **options: Unpack[SavedMatchKeywords],
) -> DealerResult:
    """Let programs that connect to `ports` play `hands` hands, and return what each won.

    `ready` is called with the ports once programs can connect; by default they are any that are free. The match begins
    when all have connected. A program that breaks a limit, floods or vanishes forfeits the hand, and may connect again.
    """
    refuse_unknown(deal_match, options)
    rules = load_rules(game)
    require_whole("hands", hands, 1)
    require(
        is_list(names) and len(names) == rules.seats,
        f"names must be one for each of the {rules.seats} seats, not {shown(names)}",
    )
    numbers = _check_ports(ports, rules.seats)
    fellows: list[ProgramSeat] = []
    notes, agents = ProtocolNotes(rules), []
    for name, port in zip(names, numbers, strict=True):
        program = (limits or DealerLimits()).program(f"{host}:{port}", str(name), hands)
        program.fellows, program.notes = fellows, notes
        agents.append(program)
    if ready is not None:
        agents[0].ready = lambda: ready([program.port.number for program in agents])
    try:
        found = match(rules, agents, hands, seed=seed, **options)
    finally:
        for program in agents:
            program.match_over()
    scale = unit_of(rules)[1]
    chips = [round(agent.mean * found.hands / scale, 6) if found.hands else 0.0 for agent in found.agents]
    accounts = [program.port.seats[0].account for program in agents]
    return DealerResult(found, [program.port.number for program in agents], accounts, chips)


def _check_ports(ports: Sequence[int] | None, seats: int) -> Sequence[int]:
    if ports is None:
        return [0] * seats
    require(is_list(ports) and len(ports) == seats, f"ports must be {seats} numbers, not {shown(ports)}")
    for port in ports:
        require_whole("ports", port, 0, 65_535)
    fixed = [port for port in ports if port]
    require(len(set(fixed)) == len(fixed), f"ports must be different, not {shown(ports)}")
    return ports

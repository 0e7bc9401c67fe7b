"""A person's session at the table: hand after hand until the last one or until the person leaves, with the score."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TextIO

from counterpoise.agents.base import LeaveTable
from counterpoise.agents.human import Human
from counterpoise.agents.make import AgentLike, distinct_names, make_agent
from counterpoise.agents.small_poker import figure, shown_hands
from counterpoise.errors import InputError
from counterpoise.games import Game, as_game
from counterpoise.games.base import game_name
from counterpoise.games.units import unit_of
from counterpoise.intervals import FEW, Tally
from counterpoise.logs import Heading, LogFormat, log_format
from counterpoise.logs.record import HandRecord
from counterpoise.parameters import require, require_whole
from counterpoise.play.table import MatchTable
from counterpoise.store.files import check_writable
from counterpoise.store.json import JsonResult


@dataclass(frozen=True)
class SessionResult(JsonResult):
    """What a person won in a session; a hand that was left is not counted."""

    game: str
    opponents: list[str]
    hands: int
    unit: str
    total: float
    mean: float | None
    """Per hand; None without a hand."""
    ci95: float | None
    """Half the width of the 95 % interval of the mean; None below two hands."""
    seed: int

    def describe(self) -> str:
        """Return the score in words, and whether it is significant."""
        if self.mean is None:
            return "no hand was finished"
        hands = f"{self.hands:,} hand{'s' if self.hands > 1 else ''}"
        score = f"{hands}: {figure(self.total, '+')} {self.unit}"
        if self.ci95 is None:
            return score
        if self.hands < FEW:  # an interval of two hands that paid alike would be 0
            return f"{score}, {figure(self.mean, '+')} {self.unit} per hand: too few hands to tell skill from luck"
        if self.ci95 == 0:
            return f"{score}, {figure(self.mean, '+')} {self.unit} in every hand"
        verdict = "cannot be told from luck" if abs(self.mean) <= self.ci95 else "more than luck"
        mean = f"{figure(self.mean, '+')} ± {figure(self.ci95)} {self.unit} per hand (95 %)"
        return f"{score}, {mean}: {verdict}"


def play_session(
    game: Game | str,
    opponents: Sequence[AgentLike],
    *,
    hands: int | None = None,
    seed: int = 0,
    log: str | os.PathLike[str] | None = None,
    source: TextIO | None = None,
    out: TextIO | None = None,
) -> SessionResult:
    """Seat a person against agents, moving one seat on from hand to hand, and return the score.

    With fewer agents than seats the last one takes all remaining seats. Messages go to `out` (standard error by
    default); answers are read from `source` (standard input).
    """
    rules = as_game(game)
    require_whole("seed", seed, 0)
    if hands is not None:
        require_whole("hands", hands, 1)
    others = [make_agent(agent) for agent in opponents]
    seats = rules.players
    require(seats > 1, f"{game_name(rules)} is for one player: nobody can sit down against you")
    if not 1 <= len(others) < seats:
        allowed = "one opponent" if seats == 2 else f"1 to {seats - 1} opponents"
        raise InputError(f"{game_name(rules)} has {seats} seats, so {allowed}, not {len(others)}")
    others += [others[-1]] * (seats - 1 - len(others))
    others = [other.for_room() if other.outside else other for other in others]
    form = None if log is None else log_format(log)
    if form is not None and log is not None:
        form.check_game(rules)
        check_writable(log)
    human = Human(source=source, out=out)
    names = distinct_names([human, *others])
    tables = _seat(rules, [human, *others], names, seed)
    if form is not None and log is not None:
        ids = tuple(agent.strategy_id for agent in (human, *others))
        _write(log, "w", form.format_heading(Heading(game_name(rules), names, ids, seed)))
    tally = Tally()
    for sentence in dict.fromkeys(agent.remark() for table in tables for agent in table.agents):
        if sentence:
            human.tell(sentence)
    try:
        while hands is None or tally.count < hands:
            table, number = tables[tally.count % seats], tally.count
            seat = table.names.index(human.name)
            seated = table.agents[seat]
            assert isinstance(seated, Human)
            seated.tell(f"\nHand {number + 1}: {seated.positions()}")
            record = table.play(number)
            for other, card in shown_hands(rules, record.history).items():
                if other != seat:
                    human.tell(f"  {table.names[other]} had {card}")
            if seats > 2:
                named = ("you" if name == human.name else name for name in table.names)
                won = (f"{name} {figure(payoff, '+')}" for name, payoff in zip(named, record.payoffs, strict=True))
                human.tell(f"  payoffs: {', '.join(won)}")
            tally.add(1, record.payoffs[seat], record.payoffs[seat] ** 2)
            _log_hand(log, form, rules, record)
            human.tell(f"  score: {_score(rules, names, tally, seed).describe()}")
    except (LeaveTable, KeyboardInterrupt) as error:
        why = str(error) or "You leave the table"
        human.tell(f"\n{why}; the hand that was not finished does not count.")
    finally:
        for opponent in others:
            opponent.match_over()
    return _score(rules, names, tally, seed)


def _seat(game: Game, agents: Sequence[AgentLike], names: Sequence[str], seed: int) -> list[MatchTable]:
    """Return one table for each seat of the first agent, who is the person."""
    human, *others = agents
    assert isinstance(human, Human)
    tables = []
    for first in range(game.players):
        seating = [(seat + first) % game.players for seat in range(game.players)]
        own = tuple(names[place] for place in seating)
        seated = [make_agent(others[place - 1]) if place else replace(human, names=own) for place in seating]
        tables.append(MatchTable(game, seated, own, seed=seed))
    return tables


def _score(game: Game, names: Sequence[str], tally: Tally, seed: int) -> SessionResult:
    unit, scale = unit_of(game)
    mean, ci95 = (None if math.isnan(figure) else scale * figure for figure in (tally.mean, tally.ci95))
    return SessionResult(game_name(game), list(names[1:]), tally.count, unit, scale * tally.total, mean, ci95, seed)


def _log_hand(log: str | os.PathLike[str] | None, form: LogFormat | None, game: Game, record: HandRecord) -> None:
    if form is not None and log is not None:
        _write(log, "a", form.format_hand(game, record, record.hand))


def _write(log: str | os.PathLike[str], mode: str, text: str) -> None:
    with open(log, mode) as file:
        file.write(text)

"""A person's session at the table: hand after hand until the last one or until the person leaves, with the score."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from counterpoise.agents.base import LeaveTable
from counterpoise.agents.human import Human
from counterpoise.agents.make import AgentLike, distinct_names, make_agent
from counterpoise.errors import InputError
from counterpoise.games import Game, as_game
from counterpoise.games.base import game_name
from counterpoise.parameters import require_whole
from counterpoise.play.logs import Heading, log_format
from counterpoise.play.result import unit_of
from counterpoise.play.statistics import FEW, Tally
from counterpoise.play.table import Table
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
        """Return the score in words, with what it proves."""
        if self.mean is None:
            return "no hand was finished"
        hands = f"{self.hands:,} hand{'s' if self.hands > 1 else ''}"
        score = f"{hands}: {self.total:+,.6g} {self.unit}, {self.mean:+,.4g} per hand"
        if self.ci95 is None:
            return score
        verdict = "cannot be told from luck" if abs(self.mean) <= self.ci95 else "more than luck"
        few = "; an interval of few hands is rough" if self.hands < FEW else ""
        return f"{score} ± {self.ci95:,.4g} (95 %): {verdict}{few}"


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

    With fewer agents than seats the last one takes all that are left. Everything is told on `out` (standard error
    by default); answers are read from `source` (standard input).
    """
    rules = as_game(game)
    require_whole("seed", seed, 0)
    if hands is not None:
        require_whole("hands", hands, 1)
    others = [make_agent(agent) for agent in opponents]
    if not 1 <= len(others) < rules.players:
        raise InputError(
            f"{game_name(rules)} has {rules.players} seats, so 1 to {rules.players - 1} opponents, not {len(others)}"
        )
    others += [others[-1]] * (rules.players - 1 - len(others))
    human = Human(source=source, out=out)
    names = distinct_names([human, *others])
    agents = [human, *others]
    unit, scale = unit_of(rules)
    tables: list[Table] = []
    for first in range(rules.players):
        seating = [(seat + first) % rules.players for seat in range(rules.players)]
        own = tuple(names[agent] for agent in seating)
        seated = [replace(human, names=own) if not agent else agents[agent] for agent in seating]
        tables.append(Table(rules, seated, own, seed=seed))
    form = None if log is None else log_format(log)
    if form is not None and log is not None:
        form.check_game(rules)
        check_writable(log)
        heading = Heading(game_name(rules), names, tuple(one.strategy_id for one in agents), seed)
        Path(log).write_text(form.format_heading(heading))
    tally, played = Tally(), 0

    def score() -> SessionResult:
        mean, ci95 = scale * tally.mean, scale * tally.ci95
        return SessionResult(
            game_name(rules),
            list(names[1:]),
            played,
            unit,
            scale * tally.total,
            None if math.isnan(mean) else mean,
            None if math.isnan(ci95) else ci95,
            seed,
        )

    try:
        while hands is None or played < hands:
            table = tables[played % len(tables)]
            seat = table.names.index("human")
            human._tell(f"\nHand {played + 1}: you are in seat {seat} of {rules.players}")
            record = table.play(played)
            payoff = record.payoffs[seat]
            tally.add(1, payoff, payoff * payoff)
            if form is not None and log is not None:
                with open(log, "a") as file:
                    file.write(form.format_hand(rules, record, played))
            played += 1
            human._tell(f"  score: {score().describe()}")
    except (LeaveTable, KeyboardInterrupt):
        human._tell("\nYou leave the table; the hand that was not finished does not count.")
    return score()

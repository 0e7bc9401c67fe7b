"""Johanson 2016, section 8.1: what is known after a duplicate match by money, by DIVAT and by IO-DIVAT.

The matches of the source cannot be had; the analysis runs on matches between players of ours. Under duplicate scoring
the estimates of the two rooms are averaged deal by deal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from counterpoise.evaluation.estimators.enumerated_judge import EnumeratedJudge
from counterpoise.evaluation.estimators.estimate import estimate
from counterpoise.evaluation.estimators.exact import ProfilePlayer, seat_profile
from counterpoise.evaluation.estimators.series import Series
from counterpoise.logs import read_log
from counterpoise.play.match import match
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, by_row
from counterpoise.reproduce.harness.verdicts import Verdict
from counterpoise.reproduce.johanson.estimators import GAMES, LEDUC, Candidates
from counterpoise.tree import Strategy

ESTIMATORS = {"money": "money", "DIVAT": "divat", "IO-DIVAT": "io-divat"}
ROOMS = ("room 1", "room 2", "duplicate")
HERO, VILLAIN = "equilibrium", "tilted"


class Sample(NamedTuple):
    """Mean and SD of a sample, a hand or a duplicate deal, and their number."""

    mean: float
    sd: float
    size: int

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.sd / math.sqrt(self.size)


class Match:
    """A duplicate match of one game and what estimators say about it."""

    def __init__(self, lab: Lab, title: str, game: str, iterations: int, deals: int, seed: int) -> None:
        self.players = Candidates(lab, title, game, iterations, partial=False)
        self.lab, self.title, self.deals, self.seed = lab, title, deals, seed
        self.found: Figures = Figures(missing="{} was not measured in {}")
        self.truth = math.nan

    def run(self) -> None:
        """Play and judge."""
        players, tree = self.players, self.players.tree
        profiles = {name: players.profiles[name] for name in (HERO, VILLAIN)}
        agents = [Strategy(tree.name, tree.table, profile) for profile in profiles.values()]
        self.lab.begin(f"{self.title}: {self.deals:,} duplicate deals")
        with TemporaryDirectory() as folder:
            log = Path(folder) / "hands.jsonl"
            played = match(tree.game, agents, self.deals, seed=self.seed, duplicate=True, log=log, progress=False)
            records = read_log(log).records
        hero = played.agents[0].name
        known = {hero: [ProfilePlayer(profiles[HERO], seat) for seat in range(2)]}
        judge: EnumeratedJudge = players.judge
        found = estimate(tree.game, records, hero, known=known, judge=judge, progress=False)
        hands = judge.hands
        pair = profiles[HERO], profiles[VILLAIN]
        seats = [hands.values(seat_profile(hands, seat, *pair))[0, seat] for seat in range(2)]
        self.truth = 1000 * self._scale(found.unit, found.scale) * float(np.mean(seats))
        for label, name in ESTIMATORS.items():
            series = found.series[name]
            for room, title in enumerate(ROOMS):
                own = series if room == 2 else _in_room(series, room)
                figures = own.estimate(1000 * self._scale(found.unit, found.scale))
                self.found[label, title] = Sample(figures.mean, figures.sd, figures.n)
        self.lab.data.setdefault("figures", {})[self.title] = {
            f"{label}, {room}": list(sample) for (label, room), sample in self.found.items()
        }

    @staticmethod
    def _scale(unit: str, scale: float) -> float:
        """Return the factor from payoffs to big blinds or antes."""
        return scale / 1000 if unit == "mbb" else scale


def analysis(
    lab: Lab, iterations: int = 1000, deals: int = 2000, seed: int = 7, games: Mapping[str, str] = GAMES
) -> Iterator[Declared]:
    """Play duplicate matches and analyse them as the source does."""
    reference = lab.published("estimators")["post_match"]
    for title, game in games.items():
        own = Match(lab, title, game, iterations if game == LEDUC else max(iterations // 5, 1), deals, seed)
        with lab.stoppable():
            own.run()

        def column(room: str, place: int, own: Match = own) -> Any:
            return (lambda label: own.found[label, room][place]), (lambda label: reference[label][room][place])

        heads = [(room, place, name) for room in ROOMS for place, name in enumerate(("mean", "SD"))]
        columns = {f"{room}: {name}": column(room, place) for room, place, name in heads}
        caption = f"{title}, {own.players.unit()} (reference: match 2 of 2007, limit hold'em, mbb)"
        yield by_row(caption, "estimator", ESTIMATORS, columns)
        yield Claim("half-error", _half, own, about=title)
        yield Claim("both-together", _together, own, about=title)
        yield Claim("same-mean", _agrees, own, about=title)


def _half(own: Match) -> Verdict:
    ratios = {room: own.found["money", room].error / own.found["IO-DIVAT", room].error for room in ROOMS}
    return min(ratios.values()) >= 2, ", ".join(f"{room} {ratio:.2f} times smaller" for room, ratio in ratios.items())


def _together(own: Match) -> Verdict:
    both, money = (own.found[label, "duplicate"] for label in ("IO-DIVAT", "money"))
    room = own.found["IO-DIVAT", "room 1"]
    told = f"SD {both.sd:.4g}; IO-DIVAT in a room {room.sd:.4g}, money as duplicate {money.sd:.4g}"
    return both.sd < min(room.sd, money.sd), told


def _agrees(own: Match) -> Verdict:
    found = own.found["IO-DIVAT", "duplicate"]
    told = f"{found.mean:.4g} with a standard error of {found.error:.2g}, exactly {own.truth:.4g}"
    return abs(found.mean - own.truth) <= 3 * found.error, told


def _in_room(series: Series, room: int) -> Series:
    """Return the values of one room."""
    here = series.room == room
    return replace(series, hand=series.hand[here], room=series.room[here], values=series.values[here])

"""Scores of tournaments from a table of pairwise results: total bankroll and instant run-off.

Total bankroll ranks by the mean over all opponents, so that the agent that wins most from weak ones may come first.
Instant run-off repeatedly drops the agent with the lowest total and counts again, which favours agents that lose to no
strong one. Totals have intervals like cells, because cells of different pairs are independent matches.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from counterpoise.errors import InputError
from counterpoise.intervals import Tally, rounded
from counterpoise.parameters import require
from counterpoise.store.json import JsonResult


class Standing(NamedTuple):
    """An agent in a ranking: what it won per hand on average over its opponents."""

    name: str
    mean: float
    ci95: float
    rank: int
    tied: bool
    """Whether the agent ranked next might be as good: the interval of the difference holds 0."""


class Round(NamedTuple):
    """A round of the run-off: the standings and the agent that is dropped, or the winner in the last round."""

    standings: tuple[Standing, ...]
    dropped: str


@dataclass(frozen=True)
class CrossTable(JsonResult):
    """What the agents in the rows won from those in the columns per hand, with half the width of the 95 % interval.

    A cell is nan where two agents have not met.
    """

    names: tuple[str, ...]
    values: Sequence[Sequence[float]] = field(repr=False)
    half_widths: Sequence[Sequence[float]] | None = field(default=None, repr=False)
    """Half widths of the intervals of the values; None if the values are exact."""
    unit: str = ""

    def __post_init__(self) -> None:
        size = len(self.names)
        require(len(set(self.names)) == size, f"names must differ, not {', '.join(self.names)}")
        for field_name in ("values", "half_widths"):
            rows = getattr(self, field_name)
            if rows is not None and (len(rows) != size or any(len(row) != size for row in rows)):
                raise InputError(f"{field_name} must be a table of {size} rows and columns, one for each name")

    @classmethod
    def of_tallies(cls, pairs: Mapping[tuple[str, str], Tally], scale: float = 1.0, unit: str = "") -> CrossTable:
        """Return the table of what the first agent of each pair won from the second.

        A pair given in one order only counts for both, since one wins what the other loses.
        """
        names = tuple(dict.fromkeys(name for pair in pairs for name in pair))
        values, widths = ([[math.nan] * len(names) for _ in names] for _ in range(2))
        for own, name in enumerate(names):
            for other, met in enumerate(names):
                tally, sign = pairs.get((name, met)), 1
                if tally is None:
                    tally, sign = pairs.get((met, name)), -1
                if tally is not None and own != other:
                    values[own][other], widths[own][other] = sign * scale * tally.mean, scale * tally.ci95
        return cls(names, values, widths, unit)

    def total(self, name: str, opponents: Sequence[str] | None = None) -> tuple[float, float]:
        """Return the mean over some opponents (default: all it has met), and half the width of its 95 % interval."""
        own = self.names.index(name)
        met = [
            place
            for place, other in enumerate(self.names)
            if place != own and (opponents is None or other in opponents) and not math.isnan(self.values[own][place])
        ]
        if not met:
            return math.nan, math.nan
        mean = sum(self.values[own][place] for place in met) / len(met)
        widths = [0.0 if self.half_widths is None else self.half_widths[own][place] for place in met]
        return mean, math.hypot(*widths) / len(met)

    def total_bankroll(self, among: Sequence[str] | None = None) -> tuple[Standing, ...]:
        """Return the agents ranked by what they won from all of `among`, the best first."""
        names = list(self.names if among is None else among)
        scores = {name: self.total(name, names) for name in names}
        order = sorted(names, key=lambda name: (-scores[name][0], names.index(name)))
        standings = []
        for place, name in enumerate(order):
            mean, width = scores[name]
            tied = False
            if place + 1 < len(order):
                gap, reach = self.difference(name, order[place + 1], names)
                tied = not abs(gap) > reach
            standings.append(Standing(name, mean, width, place + 1, tied))
        return tuple(standings)

    def difference(self, name: str, other: str, among: Sequence[str] | None = None) -> tuple[float, float]:
        """Return how much higher one total is than another, and half the width of the 95 % interval of that.

        The cell between the two counts twice, since one wins what the other loses.
        """
        names = list(self.names if among is None else among)
        gap = self.total(name, names)[0] - self.total(other, names)[0]
        if self.half_widths is None:
            return gap, 0.0
        own, met = self.names.index(name), self.names.index(other)
        thirds = [self.names.index(third) for third in names if third not in (name, other)]
        widths = [self.half_widths[row][third] for row in (own, met) for third in thirds]
        return gap, math.hypot(2 * self.half_widths[own][met], *widths) / max(len(names) - 1, 1)

    def instant_runoff(self) -> tuple[Round, ...]:
        """Return the rounds in which the lowest total leaves, the winner's last round included.

        >>> rock = CrossTable(("a", "b", "c"), [[0, -1, 50], [1, 0, 10], [-50, -10, 0]])
        >>> [standing.name for standing in rock.total_bankroll()], rock.instant_runoff()[-1].dropped
        (['a', 'b', 'c'], 'b')
        """
        left, rounds = list(self.names), list[Round]()
        while left:
            standings = self.total_bankroll(left)
            dropped = standings[-1].name
            rounds.append(Round(standings, dropped))
            left.remove(dropped)
        return tuple(rounds)

    def runoff_ranking(self) -> tuple[str, ...]:
        """Return the agents in the order of the run-off, the winner first."""
        return tuple(reversed([one.dropped for one in self.instant_runoff()]))

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Return column heads and rows in words, the mean over all opponents last."""
        rows = []
        for own, name in enumerate(self.names):
            cells = ["" if own == other else self._cell(own, other) for other in range(len(self.names))]
            rows.append([name, *cells, _words(*self.total(name))])
        return ["wins from", *self.names, "mean"], rows

    def _cell(self, own: int, other: int) -> str:
        return _words(self.values[own][other], 0.0 if self.half_widths is None else self.half_widths[own][other])


def _words(mean: float, width: float) -> str:
    if math.isnan(mean):
        return "-"
    return f"{rounded(mean, 4, '+')} ± {rounded(width, 2)}" if width else rounded(mean, 4, "+")

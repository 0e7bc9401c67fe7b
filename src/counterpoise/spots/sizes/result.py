"""The result of a search of bet sizes: the sizes, their value beside other sets, and the plot of EV against size."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from counterpoise.errors import InputError
from counterpoise.jobs import JobResult
from counterpoise.spots.solution import Solution
from counterpoise.spots.spot import Spot
from counterpoise.store.json import plain_json


class SizeSet(NamedTuple):
    """Sizes of one player's bets, and the value of the spot with them to that player, by a solve of its own."""

    name: str
    sizes: dict[str, list[str]]
    """By street, as a spot file writes them."""
    ev_pct: float
    """The player's winnings in per cent of the pot."""
    error_pct: float
    """The exploitability of the solve; without rake the value of the game is within this distance of `ev_pct`."""


class EvPoint(NamedTuple):
    """The spot with one size changed: the size and what the player wins, both in per cent of the pot."""

    size: float
    ev_pct: float
    error_pct: float


@dataclass(frozen=True, kw_only=True)
class SizesResult(JobResult):
    """The common result of searches of bet sizes: sizes of one player's bets, and the solved spot that has them."""

    seat: str
    """The player whose bets they are: oop or ip. The other player keeps its sizes."""
    sets: list[SizeSet]
    """The sets that were solved, the one found first."""
    usage: Mapping[str, Mapping[str, float]]
    """The frequency of each size where the player may bet, by street and size."""
    solution: Solution = field(repr=False)

    @property
    def spot(self) -> Spot:
        """The spot with the sizes found."""
        return self.solution.spot

    @property
    def found(self) -> SizeSet:
        """The sizes found."""
        return self.sets[0]

    @property
    def file(self) -> SizeSet | None:
        """The sizes of the spot, or of the menu to choose from; None if the search was stopped before they were
        solved."""
        return next((one for one in self.sets if one.name in (FILE, MENU)), None)

    @property
    def gain_pct(self) -> float | None:
        """The gain of the sizes found over those of the spot, in per cent of the pot."""
        return None if self.file is None else self.found.ev_pct - self.file.ev_pct

    @property
    def gain_error_pct(self) -> float | None:
        """The error bound of the gain: the sum of both solving errors."""
        return None if self.file is None else self.found.error_pct + self.file.error_pct

    def to_json(self) -> dict[str, Any]:
        """Return the figures of the solved spot and of the search in the types of JSON."""
        ours = {
            "seat": self.seat,
            "sizes": {street: [percent_of(word) for word in words] for street, words in self.found.sizes.items()},
            "gain_pct": self.gain_pct,
            "gain_error_pct": self.gain_error_pct,
            "sets": [one._asdict() for one in self.sets],
            "usage": self.usage,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "interrupted": self.interrupted,
        }
        return self.solution.to_json() | {key: plain_json(value) for key, value in ours.items()}


FILE = "the spot's own"
"""The name of the set of sizes that a spot came with."""
MENU = "the whole menu"
"""The name of the set of all sizes that a simplification may choose from."""


@dataclass(frozen=True, kw_only=True)
class OptimisedSizes(SizesResult):
    """The best sizes that `optimise_sizes` found."""

    worth_of_bets: Mapping[str, float] | None
    """What each player would lose without its bets, in per cent of the pot; None if the seat was given."""
    starts: list[dict[str, list[float]]]
    """Where the ascents from each start ended."""
    traversals: int
    """Passes over the tree for one player, in the search."""
    solving_traversals: int
    """Passes over the tree for one player, while sets of sizes were solved."""
    size_range: tuple[float, float]
    """The range in which sizes were sought, in per cent of the pot."""
    curves: Mapping[str, list[EvPoint]]
    """EV against one size, the others as found, by street (and number, if a street has several); if asked for."""

    def to_json(self) -> dict[str, Any]:
        """Return the figures of the solved spot and of the search in the types of JSON."""
        names = ("worth_of_bets", "starts", "traversals", "solving_traversals", "size_range")
        ours = {name: plain_json(getattr(self, name)) for name in names}
        curves = {name: [point._asdict() for point in points] for name, points in self.curves.items()}
        return super().to_json() | ours | {"curves": curves}

    @property
    def at_the_ends(self) -> list[str]:
        """The sizes found that stand at an end of the range, so that a wider range may have better ones."""
        return [
            f"{street} {word}"
            for street, words in self.found.sizes.items()
            for word in words
            if word.endswith("%") and any(abs(float(word[:-1]) - end) < 1 for end in self.size_range)
        ]

    def plot(self, path: str | os.PathLike[str]) -> Path:
        """Draw EV against each size into a PNG, SVG or PDF file; return its path."""
        from counterpoise.plots import Curve, Panel, panels

        if not self.curves:
            raise InputError("there are no curves to draw: search with curves=True")
        lines = {
            name: Curve(
                [point.size for point in points],
                [point.ev_pct for point in points],
                band=(
                    [point.ev_pct - point.error_pct for point in points],
                    [point.ev_pct + point.error_pct for point in points],
                ),
            )
            for name, points in self.curves.items()
        }
        panel = Panel(
            lines,
            x_label="bet in per cent of the pot",
            y_label=f"EV of {self.seat} in per cent of the pot",
            x_scale="linear",
            y_scale="linear",
            references={} if self.file is None else {f"{FILE} sizes": self.file.ev_pct},
        )
        return panels([panel], path, title=f"{self.spot.name or 'spot'}: the bets of {self.seat}")


@dataclass(frozen=True, kw_only=True)
class SimplifiedSizes(SizesResult):
    """The smallest set of sizes that `simplify_sizes` found."""

    limit_pct: float
    """The limit on the cost of leaving out sizes, in per cent of the pot."""
    dropped: list[str]
    """The sizes that were left out, in that order, such as "turn.bet 33%"."""

    @property
    def cost_pct(self) -> float:
        """The cost to the player of the sizes left out, in per cent of the pot, by the solves."""
        return -(self.gain_pct or 0.0)

    def to_json(self) -> dict[str, Any]:
        """Return the figures of the solved spot and of the search in the types of JSON."""
        ours = {"limit_pct": self.limit_pct, "cost_pct": self.cost_pct, "dropped": self.dropped}
        return super().to_json() | ours


def percent_of(word: str) -> float | str:
    """Return the number of a size in per cent; other words as they are."""
    return float(word[:-1]) if word.endswith("%") else word

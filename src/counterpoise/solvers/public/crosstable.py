"""What strategies win from each other: a table of all pairs on one public game (Johanson 2016, section 5.6).

`crosstable` lets every strategy play every other from both seats. The value is exact, by one evaluation of the joined
profile per pair and seating, or an estimate: full boards are drawn, all hands of both players are counted on each, and
both seatings play the same boards (a duplicate match without the luck of the hands), so that an interval comes with it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.intervals import NORMAL
from counterpoise.parameters import is_list, is_number, require, require_whole, shown
from counterpoise.progress import CancelToken, Progress, as_progress
from counterpoise.public import Profile, PublicGame, Traverser
from counterpoise.sampling.boards.matches import BoardMatches
from counterpoise.solvers.public.run import PublicRun
from counterpoise.store.json import JsonResult

FloatArray = NDArray[np.float64]
Player: TypeAlias = Profile | PublicRun
"""Strategies of both seats of a public game, or the run that found them."""
MOST_BOARDS = 1_000_000
"""More boards than that are refused: their values are kept for every pair."""


@dataclass(frozen=True)
class Crosstable(JsonResult):
    """Values of the strategies in the rows against those in the columns, the mean of both seats, in `unit`."""

    game: str
    names: tuple[str, ...]
    values: list[list[float]] = field(repr=False)
    half_widths: list[list[float]] | None = field(repr=False)
    """Half of each 95 % interval if values are estimates, otherwise None."""
    boards: int | None
    """How many full boards were drawn for each pair; None if values are exact."""
    unit: str = "chips"

    @property
    def means(self) -> list[float]:
        """The mean of each row over the other strategies."""
        others = max(len(self.names) - 1, 1)
        return [sum(value for k, value in enumerate(row) if k != own) / others for own, row in enumerate(self.values)]

    def value(self, row: str, column: str) -> float:
        """Return what one strategy wins from another on average over the seats."""
        return self.values[self.names.index(row)][self.names.index(column)]

    def __str__(self) -> str:
        """The table in text: a row for each strategy, its mean last."""
        cells = [["", *self.names, "mean"]]
        for own, name in enumerate(self.names):
            row = ["" if k == own else self._cell(own, k) for k in range(len(self.names))]
            cells.append([name, *row, f"{self.means[own]:.1f}"])
        widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
        lines = [
            "  ".join(
                cell.ljust(w) if k == 0 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths, strict=True))
            )
            for row in cells
        ]
        how = "exact" if self.boards is None else f"{self.boards:,} boards, 95 % intervals"
        return "\n".join([f"{self.game}: {self.unit}, mean of both seats, {how}", *lines])

    def _cell(self, own: int, other: int) -> str:
        spread = "" if self.half_widths is None else f" +- {self.half_widths[own][other]:.1f}"
        return f"{self.values[own][other]:.1f}{spread}"


def crosstable(
    players: Mapping[str, Player] | Sequence[Player],
    *,
    boards: int | None = None,
    seed: int = 0,
    big_blind: float | None = None,
    threads: int = 1,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> Crosstable:
    """Return what each strategy wins from each other, averaged over the seats.

    `players` are profiles of one public game or runs on it, by name; runs in a list are called by their algorithms.
    With `boards` values are estimates from that many full boards, which are drawn once and played by all pairs. Units
    are the game's, or with `big_blind` thousandths of a big blind (mbb/g).
    """
    names, profiles = _read(players)
    game = profiles[0].game
    display = as_progress(progress)
    count = len(profiles)
    if boards is not None:
        require_whole("boards", boards, 2, MOST_BOARDS)  # an interval needs two
    require_whole("seed", seed, 0)
    require(
        big_blind is None or (is_number(big_blind) and big_blind > 0),
        f"big_blind must be a positive number, not {shown(big_blind)}",
    )
    scale = 1.0 if big_blind is None else 1000.0 / big_blind
    seat_values = np.zeros((2, count, count, 1 if boards is None else int(boards)))
    with display:
        display.begin(f"{count} strategies on {game.name}")
        matches = None if boards is None else BoardMatches(game, profiles, boards, seed)
        traverser = Traverser(game, threads)
        for first in range(count):
            for second in range(count):
                if cancel is not None:
                    cancel.check()
                if matches is not None:
                    found = matches.values(first, second)
                else:
                    found = traverser.root_values(profiles[first].joined(profiles[second]))[:, None]
                seat_values[:, first, second] = found
                display.show((first * count + second + 1) / count**2, f"{names[first]} and {names[second]}")
    scores = (seat_values[0] + seat_values[1].transpose(1, 0, 2)) / 2 * scale
    spread = None
    if boards is not None:
        spread = (NORMAL * scores.std(axis=2, ddof=1) / math.sqrt(boards)).tolist()
    unit = "chips" if big_blind is None else "mbb/g"
    return Crosstable(game.name, names, scores.mean(axis=2).tolist(), spread, boards, unit)


def _read(players: Mapping[str, Player] | Sequence[Player]) -> tuple[tuple[str, ...], list[Profile]]:
    require(
        isinstance(players, Mapping) or is_list(players),
        f"a crosstable needs strategies, in a list or by name, not {shown(players)}",
    )
    if isinstance(players, Mapping):
        named = {str(name): player for name, player in players.items()}
    else:
        labels = [player.algorithm if isinstance(player, PublicRun) else "profile" for player in players]
        twice = {label for label in labels if labels.count(label) > 1}
        labels = [f"{label} {k + 1}" if label in twice else label for k, label in enumerate(labels)]
        named = dict(zip(labels, players, strict=True))
    if not named:
        raise InputError("a crosstable needs strategies: runs on a public game, or profiles of one")
    profiles = []
    for name, player in named.items():
        profile = player.profile if isinstance(player, PublicRun) else player
        if not isinstance(profile, Profile):
            raise InputError(
                f"{name} must be a run on a public game or a profile of one, not a {type(player).__name__}"
            )
        profiles.append(profile.in_bits(32))
    _require_one_game(profiles)
    return tuple(named), profiles


def _require_one_game(profiles: Sequence[Profile]) -> None:
    game: PublicGame = profiles[0].game
    for profile in profiles[1:]:
        if profile.game is not game:
            profile.require_fit(game)

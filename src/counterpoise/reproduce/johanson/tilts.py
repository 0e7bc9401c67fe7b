"""Johanson 2016, table 2.3 and figure 2.5: players found in tilted games, judged in the true one.

The source has limit hold'em and abstractions of 266 and 115 million information sets. Here it is mini [2-4] hold'em of
five ranks with both seats in buckets, CFR without sampling, and exploitability by exact best responses in the
unabstracted, untilted game. A tilt is (win showdown, lose showdown, lose by folding, win by the other's fold).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from counterpoise.abstraction import CardAbstraction, abstraction
from counterpoise.betting.tilt import PayoffTilt
from counterpoise.plots import Curve, Panel
from counterpoise.public import HoldemGame, mini_holdem
from counterpoise.public.mini_holdem import millibigblinds
from counterpoise.reproduce.harness.racing import keep, measure
from counterpoise.reproduce.harness.report import Claim, Column, Declared, Figure, Lab, by_row
from counterpoise.reproduce.harness.runs import Runs
from counterpoise.reproduce.harness.verdicts import Verdict, less, named, short
from counterpoise.solvers.matching.cfr import CFR
from counterpoise.solvers.public.bucket_solver import FullBucketSolver

RANKS, ITERATIONS = 5, 256
LARGE, SMALL = 20, 7
"""Flop buckets that stand for 266 and 115 million information sets; hands before the flop are lossless."""
POLARIS: dict[str, tuple[int, PayoffTilt]] = {
    "Pink": (LARGE, PayoffTilt()),
    "Orange": (LARGE, PayoffTilt(7, 0, 0, 7)),
    "Peach": (LARGE, PayoffTilt(0, 0, 0, 7)),
    "Red": (SMALL, PayoffTilt(0, -7, 0, 0)),
    "Green": (SMALL, PayoffTilt(0, -7, 0, -7)),
    "Reference": (SMALL, PayoffTilt()),
}
"""The five components of Polaris 2008 and the untilted strategy of the smaller abstraction."""
SWEEP = (-25, -10, -4, 0, 4, 7, 10, 25)
PERFECT, IMPERFECT = "PR 3x3", "IR 25/20"


class Tilted:
    """CFR in tilted games of one abstraction each, by label."""

    def __init__(self, lab: Lab, ranks: int, iterations: int) -> None:
        self.lab, self.iterations, self.game = lab, iterations, mini_holdem(ranks)
        self.runs, self.infosets = Runs(f"mini hold'em, {ranks} ranks"), dict[str, int]()

    def build(self, name: str, counts: Sequence[int]) -> CardAbstraction:
        """Return buckets of the game."""
        return abstraction(name, counts, deck=self.game.deck, threads=1, progress=False)

    def solve(self, label: str, table: CardAbstraction, tilt: PayoffTilt) -> None:
        """Solve the game tilted so; exploitability is that of the average in the true game, in mbb/g."""
        game: HoldemGame = self.game.tilted(tilt)
        with self.lab.stoppable():
            solver = FullBucketSolver(CFR(), game, table)
            self.infosets[label] = solver.tables.infosets
            measured = {label: lambda: millibigblinds(solver.exploitability())}
            measure(self.lab, self.runs, solver, [self.iterations], measured, algorithm="cfr")
        keep(self.lab, self.runs)

    def figure(self, label: str) -> float:
        """Return the exploitability of a label's strategy in mbb/g."""
        return self.runs.end(label).exploitability


def polaris(
    lab: Lab, ranks: int = RANKS, large: int = LARGE, small: int = SMALL, iterations: int = ITERATIONS
) -> Iterator[Declared]:
    """Solve the six tilted games of table 2.3."""
    players, known = Tilted(lab, ranks, iterations), lab.published("tilts")["polaris"]
    tables = {count: players.build("IR-C-PHS", (flop,)) for count, flop in ((LARGE, large), (SMALL, small))}
    for label, (count, tilt) in POLARIS.items():
        players.solve(label, tables[count], tilt)
    columns: dict[str, Column] = {
        "tilt": lambda label: ", ".join(f"{percent:g}" for percent in POLARIS[label][1]),
        "infosets": lambda label: players.infosets[label],
        "mbb/g": players.figure,
        "published": lambda label: known[label],
    }
    caption = f"Exploitability on {players.runs.game} after {iterations:,} iterations (published: limit hold'em)"
    yield by_row(caption, "player", POLARIS, columns)
    yield Claim("orange-peach", _all_below, players, "Pink", ("Orange", "Peach"))
    yield Claim("red-green", _all_below, players, "Reference", ("Red", "Green"))
    yield Claim("larger-better", less, players.figure, "Pink", "Reference")


def _all_below(players: Tilted, plain: str, labels: Sequence[str]) -> Verdict:
    most = max(players.figure(label) for label in labels)
    return most < players.figure(plain), named(players.figure, plain, *labels)


def sweep(
    lab: Lab,
    ranks: int = RANKS,
    counts: Sequence[int] = (3, 3),
    flop: int = 20,
    tilts: Sequence[int] = SWEEP,
    iterations: int = ITERATIONS,
) -> Iterator[Declared]:
    """Solve games in which winners get some per cent more, whether they win a showdown or by a fold."""
    players, known = Tilted(lab, ranks, iterations), lab.published("tilts")["sweep"]
    families = {PERFECT: ("PR-PHS-PHS", counts), IMPERFECT: ("IR-C-PHS", (flop,))}
    for family, (name, buckets) in families.items():
        table = players.build(name, buckets)
        for tilt in tilts:
            players.solve(f"{family}, {tilt:+d} %", table, PayoffTilt(tilt, 0, 0, tilt))
    reference = {family: {int(tilt): figure for tilt, figure in row.items()} for family, row in known.items()}
    comparable: Mapping[str, Mapping[int, float]] = reference if (ranks, iterations) == (RANKS, ITERATIONS) else {}

    def figure(family: str, tilt: int) -> float:
        return players.figure(f"{family}, {tilt:+d} %")

    def column(family: str) -> tuple[Column, Column]:
        return (lambda tilt: figure(family, tilt)), (lambda tilt: comparable.get(family, {}).get(tilt))

    caption = (
        f"Exploitability in mbb/g on {players.runs.game} after {iterations:,} iterations, by the winner's tilt in %"
    )
    yield by_row(caption, "tilt", tilts, {family: column(family) for family in families})

    def small_helps(family: str) -> Verdict:
        chosen = [tilt for tilt in (4, 7) if tilt in tilts]
        told = ", ".join(f"{tilt} % {short(figure(family, tilt))}" for tilt in (0, *chosen))
        return all(figure(family, tilt) < figure(family, 0) for tilt in chosen), told

    def large_worse(family: str) -> Verdict:
        ends = [min(tilts), max(tilts)]
        told = ", ".join(f"{tilt} % {short(figure(family, tilt))}" for tilt in (*ends, 0))
        return min(figure(family, tilt) for tilt in ends) > 1.05 * figure(family, 0), told

    for family in families:
        yield Claim("small-helps", small_helps, family, about=family)
        yield Claim("large-worse", large_worse, family, about=family)
    curves = {
        family: Curve([*measured], [figure(family, tilt) for tilt in measured])
        for family in families
        if (measured := [tilt for tilt in tilts if f"{family}, {tilt:+d} %" in players.runs.series])
    }
    drawn = Panel(
        curves, x_label="winner's tilt (%)", y_label="exploitability (mbb/g)", x_scale="linear", y_scale="linear"
    )
    yield Figure("Tilted games of mini hold'em", [drawn])

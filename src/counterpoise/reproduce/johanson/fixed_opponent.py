"""Johanson 2016, figures 3.4 to 3.6: PCS and CS at equal CPU time, in Bluff and against fixed opponents.

The source plays an abstraction of limit hold'em with 880 million information sets and Bluff(2,2), for hours. Here it is
mini [2-4] hold'em of five ranks, 1,000 flop buckets against a PCS strategy of 900, and Bluff with two and with three
dice; values are exact. Both methods are walks of the same kernel, CS with scalar ones. In Bluff nothing is dealt in
public, so that PCS is CFR there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from counterpoise.abstraction import abstraction
from counterpoise.plots import Curve, Panel
from counterpoise.public import Profile, PublicGame, Traverser, mini_holdem
from counterpoise.public.bidding import build_bidding
from counterpoise.public.buckets import BucketsLike
from counterpoise.public.mini_holdem import BIG_BLIND
from counterpoise.reproduce.harness.racing import keep, measure
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Lab, NotMeasured, by_row
from counterpoise.reproduce.harness.runs import Runs, convergence, log_spaced
from counterpoise.reproduce.harness.verdicts import Verdict, named, short
from counterpoise.solvers.monte_carlo.pcs import CS, PCS, PublicWalks
from counterpoise.solvers.monte_carlo.public_walks import BucketSolver

VARIANTS: dict[str, PublicWalks] = {"PCS": PCS(), "CS": CS()}
LONGEST = 10_000_000
SHARES = (0.1, 0.25, 0.5, 1.0)
"""Parts of the CPU time after which strategies are compared."""


@dataclass
class VariantRace:
    """Both variants for the same CPU time on one game; the strategies of every mark are kept."""

    lab: Lab
    game: PublicGame
    cpu_seconds: float
    buckets: BucketsLike | None = None
    scale: float = 1.0
    """By what values in the game's unit are multiplied."""
    runs: Runs = field(init=False)
    kept: dict[str, list[tuple[float, Profile]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.runs = Runs(self.game.name)

    def run(self, first: int) -> None:
        """Run both, measured from `first` iterations on."""
        for label, variant in VARIANTS.items():
            solver, kept = BucketSolver(variant, self.game, self.buckets), list[Profile]()
            figures = {label: partial(self._keep, solver, kept)}
            marks = [t for t in log_spaced(LONGEST, 6) if t >= first]
            measure(self.lab, self.runs, solver, marks, figures, algorithm=variant.name, seconds=self.cpu_seconds)
            seconds = [point.seconds for point in self.runs.points(label)]
            self.kept[label] = list(zip(seconds, kept, strict=True))
        keep(self.lab, self.runs)

    def _keep(self, solver: BucketSolver, kept: list[Profile]) -> float:
        kept.append(solver.average)
        return self.scale * solver.exploitability()

    def won(self, label: str, opponent: Profile) -> list[tuple[float, float]]:
        """Return CPU seconds and what the strategy of that time wins from an opponent, the mean of both seats."""
        traverser, found = Traverser(self.game), list[tuple[float, float]]()
        for seconds, own in self.kept[label]:
            first = float(traverser.root_values(own.joined(opponent))[0])
            second = float(traverser.root_values(opponent.joined(own))[1])
            found.append((seconds, self.scale * (first + second) / 2))
        return found

    def times(self) -> list[float]:
        """Return the CPU seconds after which strategies are compared."""
        return [share * self.cpu_seconds for share in SHARES]


def _latest(points: Sequence[tuple[float, float]], seconds: float) -> float:
    """Return the figure of the last point before some CPU seconds; at the end that of the last."""
    if not points or seconds < points[0][0]:
        raise NotMeasured(f"nothing was measured in the first {seconds:.2g} s")
    return [figure for spent, figure in points if spent <= seconds or spent == points[0][0]][-1]


def _against(race: VariantRace, opponents: dict[str, Profile], unit: str, title: str) -> Iterator[Declared]:
    """Yield what both variants win from each opponent by CPU time, and whether PCS is ahead at all times."""
    panels = []
    for name, opponent in opponents.items():
        won = {label: race.won(label, opponent) for label in VARIANTS}
        race.lab.data[f"won from {name}"] = won
        times = race.times()
        yield by_row(
            f"What strategies win from {name} on {race.runs.game}, {unit}, by CPU seconds",
            "variant",
            VARIANTS,
            {f"{s:.2g} s": partial(lambda label, s, won: _latest(won[label], s), s=s, won=won) for s in times},
        )

        def ahead(won: dict[str, list[tuple[float, float]]] = won, times: list[float] = times) -> Verdict:
            rows = {s: {label: _latest(won[label], s) for label in VARIANTS} for s in times}
            told = "; ".join(f"{s:.2g} s: {named(row.__getitem__, *row)}" for s, row in rows.items())
            return all(row["PCS"] > row["CS"] for row in rows.values()), told

        yield Claim("ahead-of-cs", ahead, about=f"against {name}")
        curves = {label: Curve([s for s, _ in row], [figure for _, figure in row]) for label, row in won.items()}
        panels.append(Panel(curves, title=name, x_label="CPU seconds", y_label=unit, y_scale="linear"))
    yield Figure(title, panels)


def poker(
    lab: Lab, ranks: int = 5, flop: int = 1_000, opponent: int = 900, strong: int = 16_384, cpu_seconds: float = 10.0
) -> Iterator[Declared]:
    """Play a fixed opponent of an abstraction of nearly the same size (figure 3.4)."""
    game = mini_holdem(ranks)
    with lab.stoppable():
        tables = [abstraction("IR-C-KO", (n,), deck=game.deck, threads=1, progress=False) for n in (flop, opponent)]
        lab.begin("the opponent")
        other = BucketSolver(PCS(), game, tables[1], seed=1)
        other.step(strong)
        lab.data["opponent_exploitability"] = 1000 * other.exploitability() / BIG_BLIND
        race = VariantRace(lab, game, cpu_seconds, tables[0], scale=1000 / BIG_BLIND)
        race.run(64)
    if not lab.interrupted:
        yield from _against(race, {"a fixed opponent": other.average}, "mbb/g", "PCS and CS against a fixed opponent")


def bluff_two_dice(lab: Lab, cpu_seconds: float = 4.0) -> Iterator[Declared]:
    """Run Bluff(1,1), one die for each player."""
    yield from _bluff(lab, "bluff", "Bluff(1,1)", cpu_seconds, first=16)


def bluff_three_dice(lab: Lab, cpu_seconds: float = 40.0) -> Iterator[Declared]:
    """Run Bluff(2,1), whose later rounds are worth what Bluff(1,1) is."""
    yield from _bluff(lab, "bluff(dice=[2, 1], continuation=-0.02713)", "Bluff(2,1)", cpu_seconds, first=4)


def _bluff(lab: Lab, game: str, name: str, cpu_seconds: float, first: int) -> Iterator[Declared]:
    """Yield exploitability by CPU time, and what both variants win from the last strategy of either."""
    reference = lab.published("chance_sampling")[name]
    lab.begin(f"the tree of {name}")
    race = VariantRace(lab, build_bidding(game), cpu_seconds)
    race.runs.game = name
    with lab.stoppable():
        race.run(first)
    at = partial(race.runs.at_seconds, seconds=cpu_seconds)
    yield by_row(
        f"{name}: exploitability after {cpu_seconds:g} CPU seconds (reference: after {reference['seconds']})",
        "variant",
        VARIANTS,
        [
            ("ours", at),
            ("iterations", lambda label: race.runs.end(label).iteration),
            ("reference", lambda label: reference[label]["exploitability"]),
            ("iterations", lambda label: reference[label]["iterations"]),
        ],
    )
    yield Claim("pcs-ahead", _three_times, at)
    yield convergence(f"PCS and CS on {name}", {"": race.runs}, "seconds")
    if lab.interrupted:
        return
    opponents = {f"the last strategy of {label}": race.kept[label][-1][1] for label in VARIANTS}
    yield from _against(race, opponents, "matches won", f"PCS and CS against a fixed opponent on {name}")


def _three_times(at: partial[float]) -> Verdict:
    return at("PCS") < at("CS") / 3, f"{named(at, 'PCS', 'CS')}, {short(at('CS') / at('PCS'))} times"

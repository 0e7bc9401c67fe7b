"""Johanson 2016, figures 4.8 and 4.9: what the low exploitability of CFR-BR costs against other players.

The source plays limit hold'em with two abstractions of 57 million information sets and an opponent from one 100 times
larger, 10 million duplicate hands each. Here the game is mini [2-4] hold'em of five ranks, and values are exact: what
one strategy wins from the other on average over the seats, by one evaluation of the unabstracted game per seating. CFR
is public chance sampling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

from counterpoise.abstraction import CardAbstraction, abstraction
from counterpoise.plots import Curve, Panel
from counterpoise.public import Profile, Traverser, mini_holdem
from counterpoise.public.mini_holdem import millibigblinds
from counterpoise.reproduce.harness.racing import keep, measure
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Figures, Lab, Table, by_row
from counterpoise.reproduce.harness.runs import Runs
from counterpoise.reproduce.harness.verdicts import Verdict, named, short
from counterpoise.solvers.monte_carlo.cfr_br_sampled import SampledCfrBr
from counterpoise.solvers.monte_carlo.pcs import PCS
from counterpoise.solvers.monte_carlo.public_walks import BucketSolver

RANKS, ITERATIONS = 5, 16_384
PERFECT, IMPERFECT = "PR 3x3", "IR 25/20"
FAMILIES: Mapping[str, tuple[str, Sequence[int]]] = {PERFECT: ("PR-PHS-PHS", (3, 3)), IMPERFECT: ("IR-C-PHS", (20,))}
LARGE = 1_000
"""Flop buckets of the opponent of figure 4.9, by opponent cluster hand strength; hands before the flop are lossless."""
CFR, AVERAGE, CURRENT = "CFR", "CFR-BR, average", "CFR-BR, current"


@dataclass
class Matches:
    """Strategies of one game under way, and what they win from a fixed opponent at each mark."""

    lab: Lab
    ranks: int
    iterations: int
    runs: Runs = field(init=False)

    def __post_init__(self) -> None:
        self.game = mini_holdem(self.ranks)
        self.runs = Runs(f"mini hold'em, {self.ranks} ranks", measure="value")

    @cached_property
    def traverser(self) -> Traverser:
        """Evaluates strategies in the unabstracted game."""
        return Traverser(self.game)

    @property
    def marks(self) -> list[int]:
        """Iterations at which strategies play."""
        return [self.iterations // 4**k for k in (3, 2, 1, 0)]

    def build(self, name: str, counts: Sequence[int]) -> CardAbstraction:
        """Return buckets of the game."""
        return abstraction(name, counts, deck=self.game.deck, threads=1, progress=False)

    def cfr(self, label: str, table: CardAbstraction, against: Profile | None = None) -> BucketSolver:
        """Run CFR in buckets; against an opponent, what its average wins is measured at each mark."""
        solver = BucketSolver(PCS(), self.game, table)
        figures: dict[str, Callable[[], float]] = {label: lambda: millibigblinds(solver.exploitability())}
        if against is not None:
            figures = {f"{label}, {CFR}": lambda: self.value(solver.average, against)}
        measure(self.lab, self.runs, solver, self.marks if against else [self.iterations], figures, algorithm="pcs")
        return solver

    def cfr_br(self, label: str, table: CardAbstraction, against: Profile) -> SampledCfrBr:
        """Run CFR-BR in buckets and measure what its average and its current strategies win at each mark."""
        solver = SampledCfrBr(self.game, table)
        figures: dict[str, Callable[[], float]] = {
            f"{label}, {AVERAGE}": lambda: self.value(solver.average, against),
            f"{label}, {CURRENT}": lambda: self.value(solver.current, against),
        }
        measure(self.lab, self.runs, solver, self.marks, figures, algorithm="cfr-br")
        return solver

    def value(self, own: Profile, other: Profile) -> float:
        """Return what a strategy wins from another on average over both seats, in mbb/g."""
        first, second = (self.traverser.root_values(one.joined(two)) for one, two in ((own, other), (other, own)))
        return millibigblinds(float(first[0] + second[1]) / 2)

    def won(self, family: str, label: str, mark: int | None = None) -> float:
        """Return what a strategy wins after a number of iterations, by default after all."""
        return self.runs.at(f"{family}, {label}", mark or self.iterations)

    def table(self, caption: str, labels: Sequence[str]) -> Table:
        """Return what strategies win by iterations."""
        columns = {f"T = {mark:,}": partial(self.won, mark=mark) for mark in self.marks}
        return by_row(caption, ("abstraction", "strategy"), [(own, one) for own in FAMILIES for one in labels], columns)

    def figure(self, title: str, labels: Sequence[str]) -> Figure:
        """Return the same as curves, a panel for each abstraction."""
        found = []
        for family in FAMILIES:
            series = {label: self.runs.series.get(f"{family}, {label}") for label in labels}
            curves = {
                label: Curve([point.iteration for point in own.points], [point.exploitability for point in own.points])
                for label, own in series.items()
                if own is not None and own.points
            }
            found.append(Panel(curves, title=family, x_label="iterations", y_label="mbb/g", y_scale="linear"))
        return Figure(title, found)


def same_abstraction(lab: Lab, ranks: int = RANKS, iterations: int = ITERATIONS) -> Iterator[Declared]:
    """Let CFR-BR play the final CFR strategy of its own abstraction (figure 4.8)."""
    matches, inside = Matches(lab, ranks, iterations), Figures()
    with lab.stoppable():
        for family, (name, counts) in FAMILIES.items():
            table = matches.build(name, counts)
            equilibrium = matches.cfr(family, table)
            if equilibrium.tables.perfect_recall:
                inside[family] = millibigblinds(equilibrium.abstract_exploitability())
            matches.cfr_br(family, table, equilibrium.average)
            lab.data["abstract_exploitability"] = inside
            keep(lab, matches.runs)
    caption = f"What CFR-BR wins from the final CFR strategy of its abstraction on {matches.runs.game}, mbb/g"
    yield matches.table(caption, (AVERAGE, CURRENT))

    def loses(family: str) -> Verdict:
        ends = {label: matches.won(family, label) for label in (AVERAGE, CURRENT)}
        return max(ends.values()) < 0, named(ends.__getitem__, *ends)

    def bounded() -> Verdict:
        most = max(matches.won(PERFECT, label, mark) for label in (AVERAGE, CURRENT) for mark in matches.marks)
        return most <= inside[PERFECT] + 1e-6, f"at most {short(most)} won, bound {short(inside[PERFECT])}"

    for family in FAMILIES:
        yield Claim("loses", loses, family, about=family)
    yield Claim("bounded", bounded)
    yield matches.figure("CFR-BR against CFR of the same abstraction", (AVERAGE, CURRENT))


def larger_abstraction(
    lab: Lab, ranks: int = RANKS, iterations: int = ITERATIONS, large: int = LARGE
) -> Iterator[Declared]:
    """Let CFR and CFR-BR play a CFR strategy of a much larger abstraction (figure 4.9)."""
    matches = Matches(lab, ranks, iterations)
    with lab.stoppable():
        opponent = matches.cfr("opponent", matches.build("IR-C-KO", (large,)))
        lab.data["opponent_infosets"] = opponent.tables.infosets
        for family, (name, counts) in FAMILIES.items():
            table = matches.build(name, counts)
            lab.data[f"{family}_infosets"] = matches.cfr(family, table, opponent.average).tables.infosets
            matches.cfr_br(family, table, opponent.average)
            keep(lab, matches.runs)
    caption = f"What strategies win from CFR with {large:,} flop buckets on {matches.runs.game}, mbb/g"
    yield matches.table(caption, (CFR, AVERAGE))

    def loses_more(family: str) -> Verdict:
        ends = {label: matches.won(family, label) for label in (CFR, AVERAGE)}
        return ends[AVERAGE] < ends[CFR] < 0, named(ends.__getitem__, *ends)

    for family in FAMILIES:
        yield Claim("loses-more", loses_more, family, about=family)
    yield matches.figure("CFR and CFR-BR against CFR of a larger abstraction", (CFR, AVERAGE))

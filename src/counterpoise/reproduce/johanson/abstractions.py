"""Card abstractions of a small game, solved and judged: what Johanson's tables 5.3 to 5.5 and their figures share.

The game is limit hold'em of three rounds with five ranks: 20 cards, a flop and a turn, one raise over the blind and one
bet on each later round: 4, 12 and 36 decision points, 3.9 million information sets. The source has the whole deck, four
rounds and four bets. Buckets are as many as in the source in relation to the game: 8 per round with perfect recall
(10 there), and with imperfect recall as many on flop and turn as make the game equally large, hands before the flop
lossless. Nearly four of five turn buckets of PHS are then empty, as on the river of the source.

CFR is public chance sampling with both players in buckets, CFR-BR trains each seat against an unabstracted responder;
both are averages, one seed, judged by exact best responses and exact expected values in the unabstracted game.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from counterpoise.abstraction import AbstractionConfig, CardAbstraction, abstraction, parse_name
from counterpoise.abstraction.sizes import abstraction_size, betting_size, fitting_buckets
from counterpoise.public import HoldemGame, Profile, mini_holdem
from counterpoise.public.buckets import Buckets, gather
from counterpoise.public.mini_holdem import millibigblinds
from counterpoise.reproduce.harness.racing import keep, measure
from counterpoise.reproduce.harness.report import Column, Figures, Lab, Table, by_row
from counterpoise.reproduce.harness.runs import Runs
from counterpoise.solvers.monte_carlo.cfr_br_sampled import SampledCfrBr
from counterpoise.solvers.monte_carlo.pcs import PCS
from counterpoise.solvers.monte_carlo.public_walks import BucketSolver

RANKS, BETS = 5, (2, 1, 1)
ITERATIONS, SHORT = 16_384, 8_192
"""Iterations of each method in the tables, and in the figures, which compare more abstractions."""
PERFECT = 8
"""Buckets per round with perfect recall in the tables."""
SHARE = 1950 / 9000
"""Buckets of the last round of IR-FT for one of IR-EQ (Johanson 2016, section 11.3.1)."""
CFR, CFR_BR, INSIDE = "CFR", "CFR-BR", "CFR, in the abstract game"


class TriedAbstraction(NamedTuple):
    """An abstraction to try: a name of Johanson 2016, section 5.5, buckets of each round, and its other settings."""

    name: str
    buckets: tuple[int | str, ...]
    street: Mapping[str, Any] = {}
    """Fields of every street, such as ``{"feature": "ehs"}``."""
    settings: Mapping[str, Any] = {}
    """Fields of the abstraction, such as ``{"public": 4}``."""

    @property
    def label(self) -> str:
        """What tables call it: its name and its buckets."""
        return f"{self.name} {'-'.join(str(count) for count in self.buckets)}"


@dataclass
class Study:
    """Abstractions of one game: their sizes, the exploitability of their strategies, and the strategies themselves."""

    lab: Lab
    ranks: int = RANKS
    iterations: int = ITERATIONS
    infosets: Figures = field(default_factory=Figures)
    buckets: Figures = field(default_factory=Figures)
    """Buckets of each round, as a text."""
    strategies: dict[tuple[str, str], Profile] = field(default_factory=dict)
    """The strategies that are kept, by label and method."""

    def __post_init__(self) -> None:
        self.game: HoldemGame = mini_holdem(self.ranks, BETS)
        self.runs = Runs(f"three-round mini hold'em, {self.ranks} ranks")
        self.betting = betting_size(self.game.betting)

    @property
    def first(self) -> int:
        """Different hands before the flop."""
        return self.ranks**2

    def perfect(self, early: str, last: str, count: int) -> TriedAbstraction:
        """Return the abstraction that cuts every bucket into `count` on each round; PHS halves by E[HS] inside."""
        halved = f"{count // 2}x2" if early == "PHS" and count > 3 and count % 2 == 0 else count
        return TriedAbstraction(f"PR-{early}-{last}", (halved, halved, count))

    def equal(self, early: str, last: str, count: int) -> TriedAbstraction:
        """Return the imperfect-recall abstraction of that size with as many buckets on flop and turn (IR-EQ)."""
        _, flop, turn = fitting_buckets((self.first, None, None), infosets=self.size(count), betting=self.betting)
        return TriedAbstraction(f"IR-{early}-{last}", (self.first, nested(flop) if early == "PHS" else flop, turn))

    def moved(self, early: str, last: str, count: int) -> TriedAbstraction:
        """Return the imperfect-recall abstraction of that size with most buckets on the flop (IR-FT)."""
        turn = max(1, round(SHARE * int(self.equal("KE", last, count).buckets[-1])))
        _, flop, _ = fitting_buckets((self.first, None, turn), infosets=self.size(count), betting=self.betting)
        return TriedAbstraction(f"IR-{early}-{last}", (self.first, nested(flop) if early == "PHS" else flop, turn))

    def size(self, count: int) -> int:
        """Return the information sets of a perfect-recall abstraction with `count` buckets on each round."""
        return abstraction_size((count, count**2, count**3), self.betting).total_infosets

    def build(self, entry: TriedAbstraction) -> CardAbstraction:
        """Return the table of buckets; k-means runs once."""
        self.lab.begin(f"buckets of {entry.label}")
        config = parse_name(entry.name, entry.buckets, self.game.deck, **entry.settings)
        streets = [street.model_copy(update={"restarts": 1, **entry.street}) for street in config.streets]
        chosen: AbstractionConfig = config.model_copy(update={"streets": tuple(streets)})
        return abstraction(chosen, progress=False, cancel=self.lab.cancel)

    def solve(
        self,
        entry: TriedAbstraction,
        methods: Sequence[str] = (CFR_BR,),
        *,
        label: str = "",
        marks: Sequence[int] = (),
        keep_strategies: bool = False,
    ) -> str:
        """Build and solve an abstraction by each method and judge it; return its label. Ctrl-C ends it."""
        named = label or entry.label
        with self.lab.stoppable():
            self.solve_buckets(named, gather(self.game, self.build(entry)), methods, marks, keep_strategies)
        return named

    def solve_buckets(
        self, label: str, buckets: Buckets, methods: Sequence[str], marks: Sequence[int] = (), kept: bool = False
    ) -> None:
        """Solve the game with given buckets by each method, and judge it after each of `marks` iterations.

        With `marks` CFR is judged in the abstract game too, if the players have perfect recall in it.
        """
        counts = tuple(int(count) for count in buckets.count[0])
        self.buckets[label] = "-".join(map(str, counts))
        self.infosets[label] = abstraction_size(counts, self.betting).total_infosets
        for method in methods:
            solver: SampledCfrBr | BucketSolver = SampledCfrBr(self.game, buckets)
            if method == CFR:
                solver = BucketSolver(PCS(), self.game, buckets)
            run = f"{label}, {method}"
            figures: dict[str, Callable[[], float]] = {run: partial(_judged, solver)}
            if marks and isinstance(solver, BucketSolver) and buckets.remember(self.game):
                figures[f"{label}, {INSIDE}"] = partial(_judged_inside, solver)
            measure(self.lab, self.runs, solver, marks or [self.iterations], figures, algorithm=method)
            if kept:
                self.strategies[label, method] = solver.average
        keep(self.lab, self.runs)

    def figure(self, label: str, method: str = CFR_BR) -> float:
        """Return the exploitability of a label's strategy in mbb/g."""
        return self.runs.end(f"{label}, {method}").exploitability

    def column(self, method: str) -> Callable[[str], float]:
        """Return the exploitability of a method's strategies by label."""
        return partial(self.figure, method=method)

    def solved(self, labels: Sequence[str], method: str) -> list[str]:
        """Return those labels whose strategies were judged."""
        series = self.runs.series
        return [one for one in labels if f"{one}, {method}" in series and series[f"{one}, {method}"].points]

    def table(self, caption: str, labels: Sequence[str], methods: Sequence[str]) -> Table:
        """Return buckets, size and exploitability of each abstraction."""
        columns: dict[str, Column] = {"buckets": self.buckets.__getitem__, "infosets": self.infosets.__getitem__}
        columns |= {method: self.column(method) for method in methods}
        return by_row(f"{caption}: mbb/g after {self.iterations:,} iterations", "abstraction", labels, columns)


def _judged(solver: SampledCfrBr | BucketSolver) -> float:
    return millibigblinds(solver.exploitability())


def _judged_inside(solver: BucketSolver) -> float:
    return millibigblinds(solver.abstract_exploitability())


def nested(count: int) -> str:
    """Return how PHS cuts about `count` buckets: E[HS^2] first, then E[HS] with two fifths as many, as in the source.

    >>> nested(9000), nested(66_105)
    ('150x60', '406x163')
    """
    inner = max(1, round(math.sqrt(count / 2.5)))
    return f"{round(count / inner)}x{inner}"


def refined(first: Buckets, second: Buckets, game: HoldemGame) -> Buckets:
    """Return the coarsest buckets that refine both: hands share one if they share one of each."""
    of, count = np.zeros_like(first.bucket_of_hand), np.zeros_like(first.count)
    boards = game.boards
    for player in range(2):
        for street in range(game.streets):
            begins = [int(boards.begin[player, board]) for board in np.flatnonzero(game.street_of == street)]
            held = [int(boards.held[player, board]) for board in np.flatnonzero(game.street_of == street)]
            places = np.concatenate([begin + np.arange(many) for begin, many in zip(begins, held, strict=True)])
            pairs = (
                first.bucket_of_hand[places] * np.int64(second.count[player, street]) + second.bucket_of_hand[places]
            )
            kept, of[places] = np.unique(pairs, return_inverse=True)
            count[player, street] = len(kept)
    return Buckets(of, count)

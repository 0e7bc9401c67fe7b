"""The variants of CFR of Brown 2020, section 3.1 under the names its figures use, on Leduc, Leduc-5, Goofspiel and two
tiny games.

The text gives no numbers for most games, so ours stand beside an independent computation. How closely can two
implementations agree at all? Where two actions are worth the same, the sign of a regret that should be zero is decided
by rounding, and regret matching turns it into a strategy. Two correct implementations therefore drift apart, the sooner
the more ties a game has. A figure of another implementation agrees with ours if it lies within what runs on payoffs
that differ in the last bit do to our own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from counterpoise.games import load
from counterpoise.reproduce.harness.racing import figures_at, race
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, by_row
from counterpoise.reproduce.harness.runs import Runs, by_iterations, convergence
from counterpoise.reproduce.harness.verdicts import Verdict, less, listed, named, short, times
from counterpoise.solvers import make_algorithm, make_solver
from counterpoise.tree import enumerate_game, evaluate


class Spread(NamedTuple):
    """Smallest and largest exploitability of the runs at one iteration."""

    low: float
    high: float

    def holds(self, figure: float, tolerance: float) -> bool:
        """Return whether the figure lies in the range, widened by a relative tolerance."""
        return self.low / (1 + tolerance) <= figure <= self.high * (1 + tolerance)


Spreads = Mapping[tuple[str, int], Spread]
"""By label and iteration."""
Again = Callable[[int], Callable[[str, Sequence[int]], Sequence[float]]]
"""From a seed: what measures an algorithm by its label at given iterations, on payoffs with other last bits."""


def rounding_spreads(lab: Lab, runs: Runs, labels: Iterable[str], counts: Mapping[int, int], again: Again) -> Spreads:
    """Return the range of the exploitability of runs and of others like them with other last bits in the payoffs.

    `counts` says how many runs, the first one included, to measure at each iteration. What the user stops is missing.
    """
    spreads, data = Figures(missing="stopped before the rounding runs ended"), lab.data.setdefault("rounding", {})
    with lab.stoppable():
        lab.check()
        figures = {label: {t: [runs.at(label, t)] for t in sorted(counts)} for label in labels}
        for seed in range(1, max(counts.values())):
            lab.begin(f"{runs.game}: rounding, run {seed}")
            marks, measured = [t for t in sorted(counts) if seed < counts[t]], again(seed)
            for done, (label, found) in enumerate(figures.items(), start=1):
                for t, figure in zip(marks, measured(label, marks), strict=False):
                    found[t].append(figure)
                lab.show(done / len(figures), label)
        for label, found in figures.items():
            spreads |= {(label, t): Spread(min(own), max(own)) for t, own in found.items()}
            data[label] = {t: spreads[label, t]._asdict() for t in found}
    return spreads


def agreement(spreads: Spreads, at: Mapping[int, float], reference: Mapping[str, Mapping[int, float]]) -> Verdict:
    """Judge whether the reference lies where rounding puts our figures; `at` maps iterations to tolerances."""
    outside = []
    for label, figures in reference.items():
        for t, tolerance in at.items():
            found = spreads[label, t]
            if not found.holds(figures[t], tolerance):
                told = f"{short(found.low)} to {short(found.high)}, reference {short(figures[t])}"
                outside.append(f"{label} at {t:,}: {told}")
    cells = len(at) * len(reference)
    return not outside, "; ".join([f"{cells - len(outside)} of {cells}", *outside])


def _nudged(runs: Runs, seed: int) -> Callable[[str, Sequence[int]], list[float]]:
    """Move every payoff by one unit in the last place or not at all; strategies are evaluated on the game itself."""
    tree = enumerate_game(load(runs.game))
    values = tree.form.values
    ulps = np.random.default_rng(seed).integers(-1, 2, len(values))
    other = replace(tree, form=tree.form._replace(values=values + ulps * np.spacing(values)))

    def measured(label: str, marks: Sequence[int]) -> list[float]:
        solver = make_algorithm(runs.series[label].algorithm).on(other)
        return figures_at(solver, marks, lambda: evaluate(tree, solver.profile()).exploitability)

    return measured


CFR, CFR_PLUS, CFR_PLUS_QUADRATIC = "CFR", "CFR+ linear", "CFR+ quadratic"
LCFR, LCFR_PLUS, DCFR = "LCFR", "LCFR+", "DCFR(3/2,0,2)"
DCFR_FLOORED, DCFR_PRUNABLE, CFR_LINEAR = "DCFR(3/2,-inf,2)", "DCFR(3/2,1/2,2)", "CFR linear average"
Window = tuple[int, int]
WINDOW: Window = (100, 1_000)
"""The iterations that matter most in practice (Brown 2020, section 3.1.4)."""
TOLERANCE = {10: 0.02, 100: 0.05, 512: 0.25, 1_000: 0.25}
"""How far a figure may lie outside what rounding does to ours, by iteration."""


class Compared:
    """Geometric means of runs over a window of iterations, and the claims made of them."""

    def __init__(self, runs: Runs, window: Window = WINDOW) -> None:
        self.runs, self.window = runs, window

    def mean(self, label: str) -> float:
        """Return the geometric mean of a run."""
        return self.runs.mean(label, *self.window)

    def words(self, *labels: str) -> str:
        """Return the means of several runs in words."""
        return f"{named(self.mean, *labels)}; geometric means, T = {self.window[0]:,} to {self.window[1]:,}"

    def below(self, low: str, *high: str) -> Verdict:
        """Judge whether a mean is less than every other."""
        return less(self.mean, low, *high)[0], self.words(low, *high)

    def above(self, high: str, *low: str) -> Verdict:
        """Judge whether a mean is greater than every other."""
        return self.mean(high) > max(self.mean(label) for label in low), self.words(high, *low)

    def ratio(self, low: float, high: float, label: str, other: str) -> Verdict:
        """Judge whether the ratio of two means lies between two numbers."""
        ratio = self.mean(label) / self.mean(other)
        return low <= ratio <= high, f"{ratio:.2f} times; {self.words(label, other)}"

    def claims(self) -> Iterator[Claim]:
        """Yield the claims of Brown 2020, sections 2.3.7 and 3.1 that are not about one game."""
        yield Claim("cfr-plus-faster", self.below, CFR_PLUS, CFR)
        yield Claim("quadratic-faster", self.below, CFR_PLUS_QUADRATIC, CFR_PLUS)
        yield Claim("dcfr-no-worse", self.ratio, 0, 1.1, DCFR, CFR_PLUS_QUADRATIC)
        yield Claim("lcfr-plus-worse", self.above, LCFR_PLUS, LCFR, CFR_PLUS_QUADRATIC)


def leduc(lab: Lab) -> Iterator[Declared]:
    """Run Leduc to 4,096 iterations, with alternating and with simultaneous updates."""
    known, names = lab.published("variants"), lab.algorithms
    runs = race(lab, "leduc_poker", names, iterations=4_096, at=known["leduc"][CFR])
    yield from by_iterations("Leduc, exploitability in antes", runs, known["leduc"])
    variants = {f"{label}, simultaneous": f"{names[label]}(updates=simultaneous)" for label in known["simultaneous"]}
    both = race(lab, "leduc_poker", variants, iterations=1_000)

    def simultaneous(label: str) -> float:
        return both.at(f"{label}, simultaneous", 1_000)

    yield by_row(
        "Leduc, exploitability after 1,000 iterations by updates",
        "algorithm",
        known["simultaneous"],
        {"alternating": partial(runs.at, iterations=1_000), "simultaneous": (simultaneous, known["simultaneous"])},
    )
    yield from _rounding(lab, runs, known["leduc"], {10: 10, 100: 10, 1_000: 10})
    yield from Compared(runs).claims()
    wanted = {CFR: 2, CFR_PLUS: 10}
    yield Claim("alternating-better", _gains, lambda label: simultaneous(label) / runs.at(label, 1_000), wanted)
    yield convergence("Variants of CFR on Leduc", {"Leduc": runs})


def leduc5(lab: Lab, iterations: int = 1_000) -> Iterator[Declared]:
    """Run Leduc-5 to 1,000 iterations."""
    reference = lab.published("variants")["leduc5"]
    runs = race(lab, "leduc5", lab.algorithms, iterations=iterations, at=reference[CFR])
    yield from by_iterations("Leduc-5, exploitability in chips", runs, reference)
    yield from _rounding(lab, runs, reference, {10: 8, 100: 8, 512: 3})
    yield from Compared(runs).claims()
    wanted = {CFR_PLUS: 1.5, CFR: 7}
    yield Claim("dcfr-ahead", _gains, lambda label: runs.at(label, 512) / runs.at(DCFR, 512), wanted)
    yield convergence("Variants of CFR on Leduc-5", {"Leduc-5": runs})


def _rounding(
    lab: Lab, runs: Runs, reference: Mapping[str, Mapping[int, float]], counts: Mapping[int, int]
) -> Iterator[Declared]:
    spreads, last = rounding_spreads(lab, runs, reference, counts, partial(_nudged, runs)), max(counts)
    yield by_row(
        f"What rounding alone changes at T = {last:,}: {counts[last]} runs, payoffs differing in the last bit",
        "algorithm",
        reference,
        {
            "lowest": lambda label: spreads[label, last].low,
            "highest": lambda label: spreads[label, last].high,
            "the reference's run": lambda label: reference[label][last],
        },
    )
    yield Claim("reference", agreement, spreads, {t: TOLERANCE[t] for t in counts}, reference)


def _gains(gain: Callable[[str], float], wanted: Mapping[str, float]) -> Verdict:
    return all(gain(n) >= least for n, least in wanted.items()), " and ".join(times(gain(n)) for n in wanted)


def goofspiel(lab: Lab, iterations: int = 8_192) -> Iterator[Declared]:
    """Run all variants as long as the source; claims are judged between 100 and 1,000 iterations as the text asks."""
    reference = lab.published("variants")["goofspiel"]
    # five cards, ascending prizes, bids shown: the version of Brown 2020, section 3.1.3
    runs = race(lab, "goofspiel", lab.algorithms, iterations=iterations, at=reference[DCFR])
    yield from by_iterations("Goofspiel-5, exploitability in points", runs, reference)
    found = Compared(runs)
    yield Claim("dcfr-like-quadratic", found.ratio, 0.5, 1.5, DCFR, CFR_PLUS_QUADRATIC)
    yield Claim("lcfr-poor", lambda: less(lambda label: runs.at(label, 1_000), DCFR, LCFR, factor=0.5))
    yield Claim("prunable-worse", found.ratio, 1.1, float("inf"), DCFR_PRUNABLE, DCFR)
    yield Claim("floored-alike", found.ratio, 2 / 3, 1.5, DCFR_FLOORED, DCFR)
    yield from found.claims()
    yield convergence("Convergence in five-card Goofspiel", {"goofspiel": runs})


RATE_AT = (1_000, 10_000, 100_000)


def cfr_plus_rate(lab: Lab) -> Iterator[Declared]:
    """Measure five methods after 10^3, 10^4 and 10^5 iterations on the 2 x 2 game of Brown 2020, section 2.3.7."""
    runs = race(lab, "matrix", lab.algorithms, iterations=RATE_AT[-1], at=RATE_AT)
    reference = lab.published("variants")["rate"]

    def scaled(label: str, iteration: int) -> float:
        return runs.at(label, iteration) * iteration

    def grows(label: str) -> Verdict:
        products = [scaled(label, t) for t in RATE_AT]
        return all(later > 1.1 * earlier for earlier, later in pairwise(products)), "e T = " + listed(products)

    for t in RATE_AT:
        known = {label: own[t] for label, own in reference.items()}
        columns: list[Any] = [("e", (partial(runs.at, iterations=t), known)), ("e T", partial(scaled, iteration=t))]
        yield by_row(f"Exploitability e after T = {t:,} iterations", "algorithm", reference, columns)
    yield Claim("simultaneous-slower", grows, "CFR+ linear, simultaneous")
    yield Claim("alternating-slower", grows, "CFR+ linear, alternating")
    yield convergence("CFR+ slower than 1/T", {"matrix": runs})


BATCH = 4096


def three_actions(lab: Lab) -> Iterator[Declared]:
    """Find the first iteration of CFR, CFR+, LCFR and DCFR whose strategy is the best action alone."""
    known = lab.published("three_actions")
    found = {label: first_certain(name, lab) for label, name in lab.algorithms.items()}
    solver = make_solver(load("three_action_bandit"), "cfr+")
    solver.step()
    regrets = [float(regret) for regret in solver.arrays()["regrets"][1:]]
    lab.data |= {"first_iteration": found, "cfr_plus_regrets_after_one_iteration": regrets}
    columns = {"ours": found, "published": known["published"], "reference": known["reference"]}
    yield by_row("First iteration that plays the second action with probability 1", "algorithm", found, columns)
    told = listed((regret + 0.0 for regret in regrets), ",.1f")
    yield Claim("first-regrets", lambda: ([round(regret) for regret in regrets] == [333_333, 333_334, 0], told))
    plain, plus, linear = (found[label] for label in ("CFR", "CFR+", "LCFR"))
    yield Claim("cfr-and-cfr-plus", lambda: (plain == plus == 471_407, f"{plain:,} and {plus:,}"))
    yield Claim("lcfr", lambda: (abs(linear - 970) <= 2, f"iteration {linear:,}, after {linear - 1:,} updates"))


def first_certain(algorithm: str, lab: Lab) -> int:
    """Return the first iteration whose strategy is the second action alone, found by steps and bisection."""
    solver = make_solver(load("three_action_bandit"), algorithm)
    lab.begin(f"{algorithm} on the three actions")

    def certain() -> bool:
        return all(chance == 0.0 for action, chance in solver.current["P1"].items() if action != "a2")

    before = solver.state()
    while not certain():
        before = solver.state()
        solver.step(BATCH)
        lab.show(None, f"iteration {solver.iteration:,}")

    def certain_after(updates: int) -> bool:
        solver.restore(before)
        solver.step(updates - solver.iteration)
        return certain()

    last = bisect_left(range(solver.iteration), True, lo=int(before["counters"][0]), key=certain_after)
    lab.show(1.0, f"iteration {last + 1:,}")
    return last + 1  # after this many updates the next iteration plays it

"""BROWN table 5.4 in its own game: nested search against action translation in no-limit flop hold'em.

Bets are 1/2, 3/4 or 1 pot, one before the flop and three on it, with stacks of 200 big blinds, which they never
reach, and no card abstraction. A seat's blueprint knows 1/2 and 1 only; each bet of 3/4 against it, before the flop or
on it, is answered by search in the rest of the game, again without 3/4, or translated. The answers to all of them in
all orders, on all flops, make a complete strategy, which an exact best response with all three bets judges. The deck
has four suits of the highest ranks.

A figure is what the best response wins beyond the value of the game with all bets for both. Part of it no answer can
avoid: whoever never bets 3/4 loses something even by perfect play (the control), and solvers stop early (the floor).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from counterpoise.public import HoldemTree
from counterpoise.public.mini_holdem import NO_LIMIT_BLIND, FlopHoldem, Words, millibigblinds
from counterpoise.reproduce.base import NotMeasured, Report, Setup, Table, experiment
from counterpoise.reproduce.nested_search import MAPPING, NESTED, PUBLISHED
from counterpoise.reproduce.race import short
from counterpoise.search import play_nested_holdem, play_translated_holdem
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.solvers.run import make_algorithm

KNOWN: tuple[str, ...] = ("50%", "100%")
ALL: tuple[str, ...] = ("50%", "75%", "100%")
MAX_BETS = (2, 3)
"""One bet before the flop besides the big blind, three on it."""
ALGORITHM = "dcfr"
FULL, CONTROL = "whole game solved", "solved without 3/4 for oneself"
METHODS = [label for label in PUBLISHED if label in NESTED]
PIECE = 25
"""Iterations between two looks at the keyboard."""


@dataclass
class Losses:
    """What each seat's strategies lose to a best response, compared with the value of the game, in mbb per hand."""

    ranks: int
    iterations: int
    max_bets: tuple[int, int] = MAX_BETS
    value: tuple[float, float] | None = None
    floors: dict[str, float] = field(default_factory=dict)
    """How far from an equilibrium the solutions are, in mbb per hand."""
    seats: dict[str, list[float]] = field(default_factory=dict)
    searches: dict[str, int] = field(default_factory=dict)

    def add(self, label: str, tree: HoldemTree, seat: int) -> None:
        """Judge the average strategy of a seat in a tree."""
        assert self.value is not None
        won = float(tree.best_response_values()[1 - seat]) - self.value[1 - seat]
        self.seats.setdefault(label, []).append(millibigblinds(won, NO_LIMIT_BLIND))

    def mean(self, label: str) -> float:
        """Of both seats, if both were measured."""
        pair = self.seats.get(label, [])
        if len(pair) < 2:
            raise NotMeasured(f"{label} was not measured")
        return sum(pair) / 2

    def beyond(self, label: str) -> float:
        """What of the mean is due to the answers: the rest is lost by the control too."""
        return self.mean(label) - self.mean(CONTROL)

    def tree(self, words: Words) -> HoldemTree:
        """The game with bets of some sizes."""
        return FlopHoldem(self.ranks, preflop=words, flop=words, max_bets=self.max_bets).tree()

    def judged(self, searcher: int) -> HoldemTree:
        """The game in which the searcher lacks 3/4."""
        return self.tree((KNOWN, ALL) if searcher == 0 else (ALL, KNOWN))


@experiment("brown-5.4-flop", "Nested search in flop hold'em", "BROWN 5.1.8, table 5.4", seconds=330)
def flop_nested(
    setup: Setup,
    report: Report,
    ranks: int = 4,
    iterations: int = 1_000,
    search_iterations: int = 500,
    max_bets: tuple[int, int] = MAX_BETS,
) -> None:
    """Solve without bets of 3/4, then answer them by translation and by nested search."""
    losses = Losses(ranks, iterations, max_bets)
    try:
        _measure(setup, losses, search_iterations)
    except KeyboardInterrupt:
        report.interrupted = True
    report.data |= {
        "ranks": ranks, "iterations": iterations, "search_iterations": search_iterations, "algorithm": ALGORITHM,
        "value": losses.value, "floors": losses.floors, "losses": losses.seats, "searches": losses.searches,
    }  # fmt: skip
    report.tables.append(
        Table(
            f"Exploitability in mbb per hand, {4 * ranks} cards ({iterations:,} iterations, {search_iterations:,} per "
            "search); published: 52 cards",
            ["answer to 3/4 pot", "first seat", "second", "mean", "beyond control", "searches", "published"],
            [_row(losses, label) for label in (FULL, CONTROL, MAPPING, *METHODS) if label in losses.seats],
        )
    )
    _judge(report, losses)
    floors = ", ".join(f"{label} {short(floor)}" for label, floor in losses.floors.items())
    report.notes.append(f"Seat 0 has the big blind and acts first on the flop. Exploitability of solutions: {floors}.")
    report.notes.append(
        "Where the opponent gains by having 3/4, no answer keeps all hands at their alternatives. Resolve then makes "
        "the sum of their gains small, Maxmargin the largest gain, even if all others become as large."
    )
    report.notes.append(
        "Gifts are few with one bet before the flop: hands that would rather fold, and a bet on the flop instead of a "
        "showdown. Hands of a small deck are seldom that bad."
    )


def _row(losses: Losses, label: str) -> list[str]:
    def figure(read: Callable[[str], float]) -> str:
        try:
            return short(read(label))
        except NotMeasured:
            return "-"

    pair = [short(one) for one in losses.seats[label]]
    searches = f"{losses.searches[label]:,}" if label in losses.searches else "-"
    published = short(PUBLISHED.get(label))
    return [label, *pair, *["-"] * (2 - len(pair)), figure(losses.mean), figure(losses.beyond), searches, published]


def _measure(setup: Setup, losses: Losses, search_iterations: int) -> None:
    whole = _solved(setup, losses, FULL, losses.tree(ALL))
    first, second = whole.root_values()
    losses.value = float(first), float(second)
    for seat in range(2):
        losses.add(FULL, whole, seat)
    del whole
    blueprint = _solved(setup, losses, "blueprint", losses.tree(KNOWN))
    judged = [losses.judged(seat) for seat in range(2)]
    setup.live.begin(MAPPING)
    for seat, tree in enumerate(judged):
        play_translated_holdem(tree, blueprint, seat)
        losses.add(MAPPING, tree, seat)
    for label in METHODS:
        settings = replace(NESTED[label], algorithm=ALGORITHM, iterations=search_iterations)
        setup.live.begin(label)
        done = 0
        for seat, tree in enumerate(judged):

            def show(searches: int, before: int = done) -> None:
                setup.live.show(None, f"{before + searches:,} searches")

            done += play_nested_holdem(tree, blueprint, seat, settings, show)
            losses.add(label, tree, seat)
        losses.searches[label] = done
    for seat, tree in enumerate(judged):
        tree.clear()
        losses.add(CONTROL, _solved(setup, losses, f"{CONTROL}, seat {seat}", tree), seat)


def _solved(setup: Setup, losses: Losses, label: str, tree: HoldemTree) -> HoldemTree:
    """The tree, solved, and its exploitability noted."""
    solver = PublicSolver(make_algorithm(ALGORITHM), tree)
    setup.live.begin(label)
    while solver.iteration < losses.iterations:
        solver.step(min(PIECE, losses.iterations - solver.iteration))
        setup.live.show(solver.iteration / losses.iterations, f"{solver.iteration:,} iterations")
    losses.floors[label] = millibigblinds(tree.exploitability(), NO_LIMIT_BLIND)
    return tree


def _judge(report: Report, losses: Losses) -> None:
    mean, beyond = losses.mean, losses.beyond

    def outperforms(read: Callable[[str], float], factor: float) -> tuple[bool, str]:
        worst = max(METHODS, key=read)
        times = read(MAPPING) / max(read(worst), 1e-9)
        figures = f"at most {short(read(worst))} ({worst}) against {short(read(MAPPING))}"
        return times >= factor, f"{figures}: {short(times)} times less"

    def below(low: str, high: str) -> Callable[[], tuple[bool, str]]:
        return lambda: (mean(low) < mean(high), f"{short(mean(low))} against {short(mean(high))}")

    published = PUBLISHED[MAPPING] / max(PUBLISHED[label] for label in METHODS)
    report.judge("All nested search outperforms translation", lambda: outperforms(mean, 1))
    report.judge(f"By the published factor, {short(published)}", lambda: outperforms(mean, published))
    report.judge(
        f"By the published factor in what is beyond the control, {short(published)}",
        lambda: outperforms(beyond, published),
    )
    reach, expensive = "Reach-Maxmargin", "Reach-Maxmargin, expensive"
    report.judge("Maxmargin is less exploitable than Resolve", below("Maxmargin", "Resolve"))
    report.judge(
        "Reach-Maxmargin is no more exploitable than Maxmargin, up to the floor",
        lambda: (
            mean(reach) <= mean("Maxmargin") + losses.floors[FULL],
            f"{short(mean(reach))} against {short(mean('Maxmargin'))}",
        ),
    )
    report.judge("Reach-Maxmargin is less exploitable than Unsafe", below(reach, "Unsafe, expensive"))
    report.judge("Inexpensive Reach-Maxmargin is less exploitable than the expensive one", below(reach, expensive))

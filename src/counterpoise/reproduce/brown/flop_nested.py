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

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from counterpoise.public import HoldemTree
from counterpoise.public.mini_holdem import NO_LIMIT_BLIND, FlopHoldem, Words, millibigblinds
from counterpoise.reproduce.brown.nested_search import MAPPING, NESTED
from counterpoise.reproduce.harness.experiment import Lab, experiment
from counterpoise.reproduce.harness.published import published
from counterpoise.reproduce.harness.report import Claim, Declared, NotMeasured, Table, Verdict, cell, short
from counterpoise.search import play_nested_holdem, play_translated_holdem
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.solvers.run import make_algorithm

KNOWN: tuple[str, ...] = ("50%", "100%")
ALL: tuple[str, ...] = ("50%", "75%", "100%")
MAX_BETS = (2, 3)
"""One bet before the flop besides the big blind, three on it."""
ALGORITHM = "dcfr"
FULL, CONTROL = "whole game solved", "solved without 3/4 for oneself"
METHODS = list(NESTED)[:5]
"""The published ones."""
REACH, EXPENSIVE = "Reach-Maxmargin", "Reach-Maxmargin, expensive"
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
        """Return the mean of both seats, if both were measured."""
        pair = self.seats.get(label, [])
        if len(pair) < 2:
            raise NotMeasured(f"{label} was not measured")
        return sum(pair) / 2

    def beyond(self, label: str) -> float:
        """Return what of the mean is due to the answers: the rest is lost by the control too."""
        return self.mean(label) - self.mean(CONTROL)

    def tree(self, words: Words) -> HoldemTree:
        """Return the game with bets of some sizes."""
        return FlopHoldem(self.ranks, preflop=words, flop=words, max_bets=self.max_bets).tree()

    def judged(self, searcher: int) -> HoldemTree:
        """Return the game in which the searcher lacks 3/4."""
        return self.tree((KNOWN, ALL) if searcher == 0 else (ALL, KNOWN))

    def solve(self, lab: Lab, label: str, tree: HoldemTree) -> HoldemTree:
        """Solve a tree and note its exploitability."""
        solver = PublicSolver(make_algorithm(ALGORITHM), tree)
        lab.begin(label)
        while solver.iteration < self.iterations:
            solver.step(min(PIECE, self.iterations - solver.iteration))
            lab.show(solver.iteration / self.iterations, f"{solver.iteration:,} iterations")
        self.floors[label] = millibigblinds(tree.exploitability(), NO_LIMIT_BLIND)
        return tree


@experiment("brown-5.4-flop", "Nested search in flop hold'em", "BROWN 5.1.8, table 5.4", seconds=330)
def flop_nested(
    lab: Lab,
    ranks: int = 4,
    iterations: int = 1_000,
    search_iterations: int = 500,
    max_bets: tuple[int, int] = MAX_BETS,
) -> Iterator[Declared]:
    """Solve without bets of 3/4, then answer them by translation and by nested search."""
    losses, in_source = Losses(ranks, iterations, max_bets), published("nested_search")["published"]
    with lab.stoppable():
        _measure(lab, losses, search_iterations)
    lab.data |= {"ranks": ranks, "iterations": iterations, "search_iterations": search_iterations}
    lab.data |= {"algorithm": ALGORITHM, "value": losses.value, "floors": losses.floors}
    lab.data |= {"losses": losses.seats, "searches": losses.searches}
    yield Table(
        f"Exploitability in mbb per hand, {4 * ranks} cards ({iterations:,} iterations, {search_iterations:,} per "
        "search); published: 52 cards",
        ["answer to 3/4 pot", "first seat", "second", "mean", "beyond control", "searches", "published"],
        [
            [
                label,
                *(losses.seats[label] + [None])[:2],
                cell(losses.mean, label),
                cell(losses.beyond, label),
                losses.searches.get(label),
                in_source.get(label),
            ]
            for label in (FULL, CONTROL, MAPPING, *METHODS)
            if label in losses.seats
        ],
    )
    yield from _claims(losses, in_source[MAPPING] / max(in_source[label] for label in METHODS))
    floors = ", ".join(f"{label} {short(floor)}" for label, floor in losses.floors.items())
    yield f"Seat 0 has the big blind and acts first on the flop. Exploitability of solutions: {floors}."
    yield (
        "Where the opponent gains by having 3/4, no answer keeps all hands at their alternatives. Resolve then makes "
        "the sum of their gains small, Maxmargin the largest gain, even if all others become as large."
    )
    yield (
        "Gifts are few with one bet before the flop: hands that would rather fold, and a bet on the flop instead of a "
        "showdown. Hands of a small deck are seldom that bad."
    )


def _measure(lab: Lab, losses: Losses, search_iterations: int) -> None:
    whole = losses.solve(lab, FULL, losses.tree(ALL))
    first, second = whole.root_values()
    losses.value = float(first), float(second)
    for seat in range(2):
        losses.add(FULL, whole, seat)
    del whole
    blueprint = losses.solve(lab, "blueprint", losses.tree(KNOWN))
    judged = [losses.judged(seat) for seat in range(2)]
    lab.begin(MAPPING)
    for seat, tree in enumerate(judged):
        play_translated_holdem(tree, blueprint, seat)
        losses.add(MAPPING, tree, seat)
    for label in METHODS:
        settings = replace(NESTED[label], algorithm=ALGORITHM, iterations=search_iterations)
        lab.begin(label)
        done = 0
        for seat, tree in enumerate(judged):

            def show(searches: int, before: int = done) -> None:
                lab.show(None, f"{before + searches:,} searches")

            done += play_nested_holdem(tree, blueprint, seat, settings, show)
            losses.add(label, tree, seat)
        losses.searches[label] = done
    for seat, tree in enumerate(judged):
        tree.clear()
        losses.add(CONTROL, losses.solve(lab, f"{CONTROL}, seat {seat}", tree), seat)


def _claims(losses: Losses, factor: float) -> Iterator[Claim]:
    mean = losses.mean

    def outperforms(read: Callable[[str], float], factor: float) -> Verdict:
        worst = max(METHODS, key=read)
        times = read(MAPPING) / max(read(worst), 1e-9)
        figures = f"at most {short(read(worst))} ({worst}) against {short(read(MAPPING))}"
        return times >= factor, f"{figures}: {short(times)} times less"

    def below(low: str, high: str) -> Verdict:
        return mean(low) < mean(high), f"{short(mean(low))} against {short(mean(high))}"

    yield Claim("nested-better", "All nested search outperforms translation", outperforms, mean, 1)
    yield Claim("published-factor", f"By the published factor, {short(factor)}", outperforms, mean, factor)
    text = f"By the published factor in what is beyond the control, {short(factor)}"
    yield Claim("published-factor-beyond-control", text, outperforms, losses.beyond, factor)
    text = "Maxmargin is less exploitable than Resolve"
    yield Claim("maxmargin-better", text, below, "Maxmargin", "Resolve")
    yield Claim(
        "gifts-do-not-hurt",
        "Reach-Maxmargin is no more exploitable than Maxmargin, up to the floor",
        lambda: (
            mean(REACH) <= mean("Maxmargin") + losses.floors[FULL],
            f"{short(mean(REACH))} against {short(mean('Maxmargin'))}",
        ),
    )
    text = "Reach-Maxmargin is less exploitable than Unsafe"
    yield Claim("reach-better-than-unsafe", text, below, REACH, "Unsafe, expensive")
    text = "Inexpensive Reach-Maxmargin is less exploitable than the expensive one"
    yield Claim("inexpensive-better", text, below, REACH, EXPENSIVE)

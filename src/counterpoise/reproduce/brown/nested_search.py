"""BROWN table 5.4: nested search against action translation, when the opponent bets 3/4 of the pot.

The source plays no-limit flop hold'em with bets of 1/2, 3/4 and 1 pot. One player's solution knows 1/2 and 1 only; each
bet of 3/4 against it is answered by search, or translated. The answers to all of them in all orders make a complete
strategy, which an exact best response with all three bets judges. Here the game is one-card poker with three ranks and
one bet per round, and then the game of the source with four suits of the highest ranks, one bet before the flop and
three on it, stacks of 200 big blinds, which they never reach, and no card abstraction.

A figure is what the best response wins beyond the value of the game with all bets for both. Part of it no answer can
avoid: whoever never bets 3/4 loses something even by perfect play (the control), and solvers stop early (the floor).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from counterpoise import search
from counterpoise.public import FlopHoldem, HoldemGame, Profile, Traverser
from counterpoise.public.dense import Behaviour
from counterpoise.public.mini_holdem import NO_LIMIT_BLIND, Words, millibigblinds
from counterpoise.reproduce.harness.published import published
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, NotMeasured, by_row
from counterpoise.reproduce.harness.verdicts import Verdict, named, short
from counterpoise.solvers import solve
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.solvers.run import make_algorithm
from counterpoise.tree import best_response, exact

GAME = "one_card_poker(ranks=3, fractions=((0.5, 0.75, 1), (0.5, 0.75, 1)), max_bets=(1, 1))"
HIDDEN = ("r0.75",)

FULL, CONTROL = "whole game solved", "exact, without 3/4 for oneself"
MAPPING, ONE_SHOT = "randomised pseudo-harmonic", "one-shot endgame, pseudo-harmonic"
NESTED = {label: search.NestedSearch(**settings) for label, settings in published("nested_search")["settings"].items()}
SAFE = [label for label, settings in NESTED.items() if settings.method != "unsafe"]


def nested_search(lab: Lab, iterations: int = 1_000) -> Iterator[Declared]:
    """Solve without bets of 3/4, then answer them by translation, by one-shot endgames and by nested search."""
    known, values, losses = lab.published("nested_search"), exact(GAME).value, Figures()
    with lab.stoppable():
        lab.begin("answers to bets of 3/4")
        ways = _ways(iterations)
        for done, (label, play) in enumerate(ways.items()):
            lab.show(done / len(ways), label)
            won = [best_response(GAME, play(seat), player=1 - seat).value - values[1 - seat] for seat in range(2)]
            losses[label] = [1000 * value for value in won]
    lab.data |= {"game": GAME, "value": list(values), "iterations": iterations, "losses": dict(losses)}

    def mean(label: str) -> float:
        return float(sum(losses[label]) / 2)

    yield by_row(
        f"Exploitability in thousandths of an ante, {iterations:,} iterations of everything; published: mbb, NLFH",
        ["answer to 3/4 pot", "first seat", "second", "mean", "reference", "published"],
        losses,
        lambda label: losses[label][0],
        lambda label: losses[label][1],
        mean,
        known["reference"].get,
        known["published"].get,
    )

    def outperforms(labels: Sequence[str], times: int) -> Verdict:
        worst = max(labels, key=mean)
        told = f"at most {short(mean(worst))} ({worst}) against {short(mean(MAPPING))}"
        return mean(worst) <= mean(MAPPING) / times, told

    yield Claim("nested-better", outperforms, list(NESTED), 2)
    yield Claim("safe-nested-better", outperforms, SAFE, 4)


def _ways(iterations: int) -> dict[str, Callable[[int], Behaviour]]:
    """Return the ways to answer a bet of 3/4 by label: the strategy of a seat."""
    game, small = search.build_pair(GAME, HIDDEN)
    whole, blueprint = (
        solve(rules, "cfr+", iterations=iterations, progress=False).strategy for rules in (GAME, small.rules)
    )
    known = small.profile(blueprint)

    def without(seat: int) -> Behaviour:
        """Return an equilibrium strategy of a seat that cannot bet 3/4 itself, but faces such bets."""
        found = exact(search.ActionAbstraction(GAME, HIDDEN, seat=seat)).strategy
        return {key: found[key] for key in found.table if key[0] == seat}

    def nested(label: str) -> Callable[[int], Behaviour]:
        chosen = replace(NESTED[label], iterations=iterations)
        return lambda seat: search.play_nested(game, known, seat, chosen).strategy

    return {
        FULL: lambda seat: whole,
        CONTROL: without,
        MAPPING: lambda seat: search.translated(GAME, small.rules, blueprint, seat),
        ONE_SHOT: lambda seat: game.strategy(search.play_one_shot(game, known, seat, iterations=iterations)),
        **{label: nested(label) for label in NESTED},
    }


KNOWN: tuple[str, ...] = ("50%", "100%")
ALL: tuple[str, ...] = ("50%", "75%", "100%")
MAX_BETS = (2, 3)
"""One bet before the flop besides the big blind, three on it."""
ALGORITHM = "dcfr"
FLOP_CONTROL = "solved without 3/4 for oneself"
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

    def add(self, label: str, profile: Profile, seat: int) -> None:
        """Judge the strategy of a seat."""
        assert self.value is not None
        won = float(Traverser(profile.game).best_response_values(profile)[1 - seat]) - self.value[1 - seat]
        self.seats.setdefault(label, []).append(millibigblinds(won, NO_LIMIT_BLIND))

    def mean(self, label: str) -> float:
        """Return the mean of both seats, if both were measured."""
        pair = self.seats.get(label, [])
        if len(pair) < 2:
            raise NotMeasured(f"{label} was not measured")
        return sum(pair) / 2

    def beyond(self, label: str) -> float:
        """Return what of the mean is due to the answers: the rest is lost by the control too."""
        return self.mean(label) - self.mean(FLOP_CONTROL)

    def game(self, words: Words) -> HoldemGame:
        """Return the game with bets of some sizes."""
        return FlopHoldem(self.ranks, preflop=words, flop=words, max_bets=self.max_bets).game()

    def judged(self, searcher: int) -> HoldemGame:
        """Return the game in which the searcher lacks 3/4."""
        return self.game((KNOWN, ALL) if searcher == 0 else (ALL, KNOWN))

    def solve(self, lab: Lab, label: str, game: HoldemGame) -> PublicSolver:
        """Solve a game and note its exploitability."""
        solver = PublicSolver(make_algorithm(ALGORITHM), game)
        lab.begin(label)
        while solver.iteration < self.iterations:
            solver.step(min(PIECE, self.iterations - solver.iteration))
            lab.show(solver.iteration / self.iterations, f"{solver.iteration:,} iterations")
        self.floors[label] = millibigblinds(solver.exploitability(), NO_LIMIT_BLIND)
        return solver

    def measure(self, lab: Lab, search_iterations: int) -> None:
        """Judge the solution of the whole game, translation, nested search and the control, for both seats."""
        whole = self.solve(lab, FULL, self.game(ALL))
        first, second = whole.values()
        self.value = float(first), float(second)
        for seat in range(2):
            self.add(FULL, whole.average, seat)
        del whole
        blueprint = self.solve(lab, "blueprint", self.game(KNOWN)).average
        judged = [self.judged(seat) for seat in range(2)]
        lab.begin(MAPPING)
        for seat, game in enumerate(judged):
            self.add(MAPPING, search.play_translated(game, blueprint, seat), seat)
        for label in METHODS:
            settings, done = replace(NESTED[label], algorithm=ALGORITHM, iterations=search_iterations), 0
            lab.begin(label)
            for seat, game in enumerate(judged):

                def show(searches: int, before: int = done) -> None:
                    lab.show(None, f"{before + searches:,} searches")

                play = search.play_nested(game, blueprint, seat, settings, show)
                done += play.searches
                self.add(label, play.profile, seat)
            self.searches[label] = done
        for seat, game in enumerate(judged):
            self.add(FLOP_CONTROL, self.solve(lab, f"{FLOP_CONTROL}, seat {seat}", game).average, seat)


def flop_nested(
    lab: Lab,
    ranks: int = 4,
    iterations: int = 1_000,
    search_iterations: int = 500,
    max_bets: tuple[int, int] = MAX_BETS,
) -> Iterator[Declared]:
    """Solve without bets of 3/4, then answer them by translation and by nested search."""
    losses, in_source = Losses(ranks, iterations, max_bets), lab.published("nested_search")["published"]
    with lab.stoppable():
        losses.measure(lab, search_iterations)
    lab.data |= {"ranks": ranks, "iterations": iterations, "search_iterations": search_iterations}
    lab.data |= {"algorithm": ALGORITHM, "value": losses.value, "floors": losses.floors}
    lab.data |= {"losses": losses.seats, "searches": losses.searches}
    yield by_row(
        f"Exploitability in mbb per hand, {4 * ranks} cards ({iterations:,} iterations, {search_iterations:,} per "
        "search); published: 52 cards",
        ["answer to 3/4 pot", "first seat", "second", "mean", "beyond control", "searches", "published"],
        [label for label in (FULL, FLOP_CONTROL, MAPPING, *METHODS) if label in losses.seats],
        lambda label: losses.seats[label][0],
        lambda label: (losses.seats[label] + [None])[1],
        losses.mean,
        losses.beyond,
        losses.searches.get,
        in_source.get,
    )
    yield from _claims(losses, in_source[MAPPING] / max(in_source[label] for label in METHODS))
    floors = named(losses.floors.__getitem__, *losses.floors)
    yield f"Seat 0 has the big blind and acts first on the flop. Exploitability of solutions: {floors}."


def _claims(losses: Losses, factor: float) -> Iterator[Claim]:
    mean = losses.mean

    def outperforms(read: Callable[[str], float], factor: float) -> Verdict:
        worst = max(METHODS, key=read)
        times = read(MAPPING) / max(read(worst), 1e-9)
        figures = f"at most {short(read(worst))} ({worst}) against {short(read(MAPPING))}"
        return times >= factor, f"{figures}: {short(times)} times less"

    def below(low: str, high: str, error: float = 0.0) -> Verdict:
        return mean(low) < mean(high) + error, f"{short(mean(low))} against {short(mean(high))}"

    yield Claim("nested-better", outperforms, mean, 1)
    yield Claim("published-factor", outperforms, mean, factor)
    yield Claim("published-factor-beyond-control", outperforms, losses.beyond, factor)
    yield Claim("maxmargin-better", below, "Maxmargin", "Resolve")
    yield Claim("gifts-do-not-hurt", lambda: below(REACH, "Maxmargin", losses.floors[FULL]))
    yield Claim("reach-better-than-unsafe", below, REACH, "Unsafe, expensive")
    yield Claim("inexpensive-better", below, REACH, EXPENSIVE)

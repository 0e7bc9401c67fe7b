"""Brown 2020, table 5.4: nested search against action translation, when the opponent bets 3/4 of the pot.

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
from dataclasses import replace

from counterpoise import search
from counterpoise.public import FlopHoldem, HoldemGame, Profile, Traverser
from counterpoise.public.mini_holdem import NO_LIMIT_BLIND, Words, millibigblinds
from counterpoise.reproduce.harness.published import published
from counterpoise.reproduce.harness.report import Claim, Column, Declared, Figures, Lab, NotMeasured, by_row
from counterpoise.reproduce.harness.verdicts import Verdict, named, short
from counterpoise.solvers import make_algorithm, solve
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.tree import best_response, exact
from counterpoise.tree.evaluation import AnyStrategy

GAME = "one_card_poker(ranks=3, fractions=((0.5, 0.75, 1), (0.5, 0.75, 1)), max_bets=(1, 1))"
HIDDEN = ("r0.75",)

FULL, CONTROL = "whole game solved", "exact, without 3/4 for oneself"
MAPPING, ONE_SHOT = "randomised pseudo-harmonic", "one-shot endgame, pseudo-harmonic"
NESTED = {label: search.NestedSearch(**settings) for label, settings in published("nested_search")["settings"].items()}
SAFE = [label for label, settings in NESTED.items() if settings.method != "unsafe"]


class SeatLosses(Figures):
    """What the strategies of both seats lose to a best response beyond the value of the game, by their label."""

    def mean(self, label: str) -> float:
        """Return the mean of both seats, if both were measured."""
        if len(self[label]) < 2:
            raise NotMeasured(f"{label} was not measured")
        return float(sum(self[label]) / 2)

    def beyond(self, label: str) -> float:
        """Return what of the mean is due to the answers: the rest is lost by the control too."""
        return self.mean(label) - self.mean(FLOP_CONTROL)

    def columns(self) -> dict[str, Column]:
        """Return the columns of a table: each seat and the mean."""
        seats = ({label: pair[seat] for label, pair in self.items() if seat < len(pair)} for seat in range(2))
        return dict(zip(("first seat", "second", "mean"), (*seats, self.mean), strict=True))


def _outperforms(read: Callable[[str], float], labels: Sequence[str]) -> tuple[float, str]:
    """Return how many times less than by translation is lost by the worst of some methods, and both in words."""
    worst = max(labels, key=read)
    told = f"at most {short(read(worst))} ({worst}) against {short(read(MAPPING))}"
    return read(MAPPING) / max(read(worst), 1e-9), told


def nested_search(lab: Lab, iterations: int = 1_000) -> Iterator[Declared]:
    """Solve without bets of 3/4, then answer them by translation, by one-shot endgames and by nested search."""
    known, values, losses = lab.published("nested_search"), exact(GAME).value, SeatLosses()
    with lab.stoppable():
        lab.begin("answers to bets of 3/4")
        ways = _ways(iterations)
        for done, (label, play) in enumerate(ways.items()):
            lab.show(done / len(ways), label)
            won = [best_response(GAME, play(seat), player=1 - seat).value - values[1 - seat] for seat in range(2)]
            losses[label] = [1000 * value for value in won]
    lab.data |= {"game": GAME, "value": list(values), "iterations": iterations, "losses": dict(losses)}
    yield by_row(
        f"Exploitability in thousandths of an ante, {iterations:,} iterations of everything; published: mbb, NLFH",
        "answer to 3/4 pot",
        losses,
        losses.columns() | {head: known[head] for head in ("reference", "published")},
    )

    def outperform(labels: Sequence[str], least: int) -> Verdict:
        times, told = _outperforms(losses.mean, labels)
        return times >= least, told

    yield Claim("nested-better", outperform, list(NESTED), 2)
    yield Claim("safe-nested-better", outperform, SAFE, 4)


def _ways(iterations: int) -> dict[str, Callable[[int], AnyStrategy]]:
    """Return the ways to answer a bet of 3/4 by label: the strategy of a seat."""
    game, small = search.build_pair(GAME, HIDDEN)
    whole, blueprint = (
        solve(rules, "cfr+", iterations=iterations, progress=False).strategy for rules in (GAME, small.rules)
    )
    known = small.profile(blueprint)

    def without(seat: int) -> AnyStrategy:
        """Return an equilibrium strategy of a seat that cannot bet 3/4 itself, but faces such bets."""
        found = exact(search.ActionAbstraction(GAME, HIDDEN, seat=seat)).strategy
        return {key: found[key] for key in found.table if key[0] == seat}

    def nested(label: str) -> Callable[[int], AnyStrategy]:
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


def flop_game(words: Words, ranks: int, max_bets: tuple[int, int] = MAX_BETS) -> HoldemGame:
    """Return flop hold'em with bets of some sizes."""
    return FlopHoldem(ranks, preflop=words, flop=words, max_bets=max_bets).game()


LACKING: tuple[Words, Words] = (KNOWN, ALL), (ALL, KNOWN)
"""The bets of the games in which the first or the second seat, who searches, lacks 3/4."""


def flop_nested(
    lab: Lab,
    ranks: int = 4,
    iterations: int = 1_000,
    search_iterations: int = 500,
    max_bets: tuple[int, int] = MAX_BETS,
) -> Iterator[Declared]:
    """Solve without bets of 3/4, then answer them by translation and by nested search; figures in mbb per hand."""
    losses, in_source, data = SeatLosses(), lab.published("nested_search")["published"], lab.data
    floors, searches = Figures(), dict[str, int]()
    data |= {"ranks": ranks, "iterations": iterations, "search_iterations": search_iterations, "algorithm": ALGORITHM}
    data |= {"value": None, "floors": floors, "losses": losses, "searches": searches}

    def solved(label: str, words: Words) -> PublicSolver:
        """Solve a game and note how far from an equilibrium the solution is."""
        solver = PublicSolver(make_algorithm(ALGORITHM), flop_game(words, ranks, max_bets))
        lab.begin(label)
        while solver.iteration < iterations:
            solver.step(min(PIECE, iterations - solver.iteration))
            lab.show(solver.iteration / iterations, f"{solver.iteration:,} iterations")
        floors[label] = millibigblinds(solver.exploitability(), NO_LIMIT_BLIND)
        return solver

    def judge(label: str, profile: Profile, seat: int) -> None:
        won = float(Traverser(profile.game).best_response_values(profile)[1 - seat]) - data["value"][1 - seat]
        losses.setdefault(label, []).append(millibigblinds(won, NO_LIMIT_BLIND))

    with lab.stoppable():
        whole = solved(FULL, ALL)
        data["value"] = tuple(float(value) for value in whole.values())
        for seat in range(2):
            judge(FULL, whole.average, seat)
        del whole
        blueprint = solved("blueprint", KNOWN).average
        games = [flop_game(words, ranks, max_bets) for words in LACKING]
        lab.begin(MAPPING)
        for seat, game in enumerate(games):
            judge(MAPPING, search.play_translated(game, blueprint, seat), seat)
        for label in METHODS:
            settings, done = replace(NESTED[label], algorithm=ALGORITHM, iterations=search_iterations), 0
            lab.begin(label)
            for seat, game in enumerate(games):
                play = search.play_nested(game, blueprint, seat, settings, lab.progress, cancel=lab.cancel)
                done += play.searches
                judge(label, play.profile, seat)
            searches[label] = done
        for seat, words in enumerate(LACKING):
            judge(FLOP_CONTROL, solved(f"{FLOP_CONTROL}, seat {seat}", words).average, seat)
    yield by_row(
        f"Exploitability in mbb per hand, {4 * ranks} cards ({iterations:,} iterations, {search_iterations:,} per "
        "search); published: 52 cards",
        "answer to 3/4 pot",
        [label for label in (FULL, FLOP_CONTROL, MAPPING, *METHODS) if label in losses],
        losses.columns() | {"beyond control": losses.beyond, "searches": searches, "published": in_source},
    )

    def outperform(read: Callable[[str], float], factor: float) -> Verdict:
        times, told = _outperforms(read, METHODS)
        return times >= factor, f"{told}: {short(times)} times less"

    def below(low: str, high: str, error: float = 0.0) -> Verdict:
        first, second = losses.mean(low), losses.mean(high)
        return first < second + error, f"{short(first)} against {short(second)}"

    factor = in_source[MAPPING] / max(in_source[label] for label in METHODS)
    yield Claim("nested-better", outperform, losses.mean, 1)
    yield Claim("published-factor", outperform, losses.mean, factor)
    yield Claim("published-factor-beyond-control", outperform, losses.beyond, factor)
    yield Claim("maxmargin-better", below, "Maxmargin", "Resolve")
    yield Claim("gifts-do-not-hurt", lambda: below(REACH, "Maxmargin", floors[FULL]))
    yield Claim("reach-better-than-unsafe", below, REACH, "Unsafe, expensive")
    yield Claim("inexpensive-better", below, REACH, EXPENSIVE)
    exploitability = named(floors.__getitem__, *floors)
    yield f"Seat 0 has the big blind and acts first on the flop. Exploitability of solutions: {exploitability}."

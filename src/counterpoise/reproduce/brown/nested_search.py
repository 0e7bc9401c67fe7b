"""BROWN table 5.4: nested search against action translation, when the opponent bets 3/4 of the pot.

The source plays no-limit flop hold'em with bets of 1/2, 3/4 and 1 pot. One player's solution knows 1/2 and 1 only; each
bet of 3/4 against it is answered by search, or translated. Here the game is one-card poker with three ranks and one bet
per round: small enough to answer every bet of 3/4 in every order, to judge the complete strategies by exact best
responses, and to compare with the exact value of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from counterpoise.reproduce.harness.experiment import Lab, experiment
from counterpoise.reproduce.harness.published import published
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Table, Verdict, short
from counterpoise.search.abstraction import ActionAbstraction
from counterpoise.search.nested import NestedSearch, play_nested
from counterpoise.search.one_shot import play_one_shot
from counterpoise.search.translation import translated
from counterpoise.solvers import solve
from counterpoise.tree import Strategy, best_response, exact

GAME = "one_card_poker(ranks=3, fractions=((0.5, 0.75, 1), (0.5, 0.75, 1)), max_bets=(1, 1))"
HIDDEN = ("r0.75",)
MILLI = 1000

FULL, CONTROL = "whole game solved", "exact, without 3/4 for oneself"
MAPPING, ONE_SHOT = "randomised pseudo-harmonic", "one-shot endgame, pseudo-harmonic"
NESTED = {
    "Resolve": NestedSearch(method="resolve"),
    "Maxmargin": NestedSearch(method="maxmargin"),
    "Reach-Maxmargin": NestedSearch(method="maxmargin", gifts=True),
    "Unsafe, expensive": NestedSearch(method="unsafe", start="before"),
    "Reach-Maxmargin, expensive": NestedSearch(method="maxmargin", gifts=True, start="before"),
    "Unsafe, after every action": NestedSearch(method="unsafe", start="before", always=True),
    "Unsafe, from the round's start": NestedSearch(method="unsafe", start="round"),
}
SAFE = [label for label, settings in NESTED.items() if settings.method != "unsafe"]

Play = Callable[[int], Mapping[Any, Mapping[str, float]] | Strategy]
"""Returns the strategy of a seat."""


@experiment("brown-5.4", "Nested search against action translation", "BROWN 5.1.8, table 5.4", seconds=30)
def nested_search(lab: Lab, iterations: int = 1_000) -> Iterator[Declared]:
    """Solve without bets of 3/4, then answer them by translation, by one-shot endgames and by nested search."""
    known, values, losses = published("nested_search"), exact(GAME).value, Figures()
    with lab.stoppable():
        lab.begin("answers to bets of 3/4")
        ways = _ways(iterations)
        for done, (label, play) in enumerate(ways.items()):
            lab.show(done / len(ways), label)
            losses[label] = [
                MILLI * (best_response(GAME, play(seat), player=1 - seat).value - values[1 - seat]) for seat in range(2)
            ]
    lab.data |= {"game": GAME, "value": list(values), "iterations": iterations, "losses": dict(losses)}
    yield Table(
        f"Exploitability in thousandths of an ante, {iterations:,} iterations of everything; published: mbb, NLFH",
        ["answer to 3/4 pot", "first seat", "second", "mean", "reference", "published"],
        [
            [label, *pair, sum(pair) / 2, known["reference"].get(label), known["published"].get(label)]
            for label, pair in losses.items()
        ],
    )

    def outperforms(labels: Sequence[str], times: int) -> Verdict:
        means = {label: sum(losses[label]) / 2 for label in (*labels, MAPPING)}
        worst = max(labels, key=means.__getitem__)
        told = f"at most {short(means[worst])} ({worst}) against {short(means[MAPPING])}"
        return means[worst] <= means[MAPPING] / times, told

    text = "All nested search substantially outperforms translation (at most half of its exploitability)"
    yield Claim("nested-better", text, outperforms, list(NESTED), 2)
    text = "Safe nested search is at most a quarter as exploitable as translation"
    yield Claim("safe-nested-better", text, outperforms, SAFE, 4)
    yield "reference: an independent re-computation of the same small game in double precision."
    yield (
        "Without a bet of 3/4 of one's own even perfect play loses what the second row says; nested search has to be "
        "compared with that, not with 0. The order among the nested methods needs the larger game."
    )


def _ways(iterations: int) -> dict[str, Play]:
    """Return the ways to answer a bet of 3/4, by label."""
    small = ActionAbstraction(GAME, HIDDEN)
    whole, blueprint = (solve(game, "cfr+", iterations=iterations, progress=False).strategy for game in (GAME, small))

    def nested(settings: NestedSearch) -> Play:
        chosen = replace(settings, iterations=iterations)
        return lambda seat: play_nested(GAME, HIDDEN, blueprint, seat, chosen).strategy

    return {
        FULL: lambda seat: whole,
        CONTROL: _without,
        MAPPING: lambda seat: translated(GAME, small, blueprint, seat),
        ONE_SHOT: lambda seat: play_one_shot(GAME, HIDDEN, blueprint, seat, iterations=iterations),
        **{label: nested(settings) for label, settings in NESTED.items()},
    }


def _without(seat: int) -> dict[Any, Mapping[str, float]]:
    """Return an equilibrium strategy of a seat that cannot bet 3/4 itself, but faces such bets."""
    found = exact(ActionAbstraction(GAME, HIDDEN, seat=seat)).strategy
    return {key: found[key] for key in found.table if key[0] == seat}

"""BROWN table 5.4: nested search against action translation, when the opponent bets 3/4 of the pot.

The source plays no-limit flop hold'em with bets of 1/2, 3/4 and 1 pot. One player's solution knows 1/2 and 1 only; each
bet of 3/4 against it is answered by search, or translated. Here the game is one-card poker with three ranks and one bet
per round: small enough to answer every bet of 3/4 in every order, to judge the complete strategies by exact best
responses, and to compare with the exact value of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from counterpoise.reproduce.base import NotMeasured, Report, Setup, Table, experiment
from counterpoise.reproduce.race import short
from counterpoise.search.abstraction import ActionAbstraction
from counterpoise.search.nested import NestedSearch, play_nested
from counterpoise.search.one_shot import play_one_shot
from counterpoise.search.translation import Behaviour, translated
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
PUBLISHED = {
    MAPPING: 1465.0,
    "Resolve": 150.2,
    "Maxmargin": 122.0,
    "Reach-Maxmargin": 119.1,
    "Unsafe, expensive": 148.3,
    "Reach-Maxmargin, expensive": 149.2,
}
"""In thousandths of a big blind per hand, no-limit flop hold'em."""
REFERENCE = {
    FULL: 0.16,
    MAPPING: 15.8,
    "Resolve": 2.3,
    "Maxmargin": 3.4,
    "Reach-Maxmargin": 3.5,
    "Unsafe, expensive": 6.2,
    "Reach-Maxmargin, expensive": 3.6,
}
"""In thousandths of an ante, mean of both seats, after 1,000 iterations of everything."""


@dataclass
class Losses:
    """What each seat's strategies lose to a best response, compared with the value of the game, by label."""

    game: str
    values: tuple[float, ...]
    seats: dict[str, tuple[float, float]]

    def add(self, label: str, play: Callable[[int], Mapping[Any, Mapping[str, float]] | Strategy]) -> None:
        """Judge the strategies that `play` gives for either seat."""
        first, second = (
            MILLI * (best_response(self.game, play(seat), player=1 - seat).value - self.values[1 - seat])
            for seat in range(2)
        )
        self.seats[label] = first, second

    def mean(self, label: str) -> float:
        """Of both seats, if it was measured."""
        if label not in self.seats:
            raise NotMeasured(f"{label} was not measured")
        return sum(self.seats[label]) / 2


@experiment("brown-5.4", "Nested search against action translation", "BROWN 5.1.8, table 5.4", seconds=30)
def nested_search(setup: Setup, report: Report, iterations: int = 1_000) -> None:
    """Solve without bets of 3/4, then answer them by translation, by one-shot endgames and by nested search."""
    losses = Losses(GAME, exact(GAME).value, {})
    try:
        _measure(setup, losses, iterations)
    except KeyboardInterrupt:
        report.interrupted = True
    report.data |= {
        "game": GAME, "value": list(losses.values), "iterations": iterations,
        "losses": {label: list(pair) for label, pair in losses.seats.items()},
    }  # fmt: skip
    report.tables.append(
        Table(
            f"Exploitability in thousandths of an ante, {iterations:,} iterations of everything; published: mbb, NLFH",
            ["answer to 3/4 pot", "first seat", "second", "mean", "reference", "published"],
            [
                [
                    label,
                    *(short(one) for one in pair),
                    short(losses.mean(label)),
                    short(REFERENCE.get(label)),
                    short(PUBLISHED.get(label)),
                ]
                for label, pair in losses.seats.items()
            ],
        )
    )
    _judge(report, losses)
    report.notes.append("reference: an independent re-computation of the same small game in double precision.")
    report.notes.append(
        "Without a bet of 3/4 of one's own even perfect play loses what the second row says; nested search has to be "
        "compared with that, not with 0. The order among the nested methods needs the larger game."
    )


def _measure(setup: Setup, losses: Losses, iterations: int) -> None:
    done, total = 0, 4 + len(NESTED)

    def show(label: str) -> None:
        nonlocal done
        setup.live.show(done / total, label)
        done += 1

    setup.live.begin("answers to bets of 3/4")
    show(FULL)
    whole = solve(GAME, "cfr+", iterations=iterations, progress=False).strategy
    losses.add(FULL, lambda _: whole)
    show(CONTROL)
    losses.add(CONTROL, _without)
    show(MAPPING)
    small = ActionAbstraction(GAME, HIDDEN)
    blueprint = solve(small, "cfr+", iterations=iterations, progress=False).strategy
    losses.add(MAPPING, lambda seat: translated(GAME, small, blueprint, seat))
    show(ONE_SHOT)
    losses.add(ONE_SHOT, lambda seat: play_one_shot(GAME, HIDDEN, blueprint, seat, iterations=iterations))
    for label, settings in NESTED.items():
        show(label)
        chosen = replace(settings, iterations=iterations)
        losses.add(label, _answering(blueprint, chosen))


def _answering(blueprint: Strategy, settings: NestedSearch) -> Callable[[int], Behaviour]:
    return lambda seat: play_nested(GAME, HIDDEN, blueprint, seat, settings).strategy


def _without(seat: int) -> dict[Any, dict[str, float]]:
    """An equilibrium strategy of a seat that cannot bet 3/4 itself, but faces such bets."""
    found = exact(ActionAbstraction(GAME, HIDDEN, seat=seat)).strategy
    return {key: found[key] for key in found.table if key[0] == seat}


def _judge(report: Report, losses: Losses) -> None:
    safe = [label for label, settings in NESTED.items() if settings.method != "unsafe"]
    for text, labels, share in (
        ("All nested search substantially outperforms translation (at most half of its exploitability)", NESTED, 2),
        ("Safe nested search is at most a quarter as exploitable as translation", safe, 4),
    ):

        def verdict(labels: Any = labels, share: int = share) -> tuple[bool, str]:
            worst = max(labels, key=losses.mean)
            mapped = losses.mean(MAPPING)
            return (
                losses.mean(worst) <= mapped / share,
                f"at most {short(losses.mean(worst))} ({worst}) against {short(mapped)}",
            )

        report.judge(text, verdict)

"""Johanson 2016, section 2.4: what makes the best response fast enough for whole limit hold'em, factor by factor."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb, prod
from random import Random

import numpy as np

from counterpoise.abstraction.sizes import LIMIT_HOLDEM, betting_size
from counterpoise.agents import make_agent
from counterpoise.cards import Deck, isomorphism
from counterpoise.evaluation.best_response.betting import LimitBetting
from counterpoise.evaluation.best_response.estimate import estimate_walk
from counterpoise.evaluation.best_response.showdowns import Showdowns
from counterpoise.evaluation.best_response.walk import BestResponseWalk
from counterpoise.games import load
from counterpoise.games.holdem import LimitHoldem
from counterpoise.jobs.clock import least_cpu
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, by_row
from counterpoise.reproduce.harness.verdicts import Verdict, at_least, times

DECKS = (8, 13)
FACTORS = ("public tree", "showdowns", "suits")


def speed(lab: Lab, decks: tuple[int, ...] = DECKS, repeats: int = 20) -> Iterator[Declared]:
    """Count questions and boards, time showdowns, and measure what a walk over the whole game takes."""
    known = lab.published("trivial_agents")["speed"]
    found = Figures(missing="{} was not measured")
    with lab.stoppable():
        for ranks in decks:
            lab.begin(f"[2-4] hold'em of {4 * ranks} cards")
            deck = Deck(ranks=ranks)
            found["public tree", ranks] = questions_saved(deck)
            found["showdowns", ranks] = showdowns_saved(deck, repeats)
            found["suits", ranks] = comb(deck.size, 3) / isomorphism((3,), deck).size
            lab.check()
        lab.begin("a walk over limit hold'em")
        game = load("limit_holdem")
        assert isinstance(game, LimitHoldem)
        first, second = (make_agent("random").sit(game, seat, Random(0)) for seat in range(2))
        walk = BestResponseWalk(LimitBetting.of(game), (first, second))
        found["days"] = estimate_walk(walk, "random", threads=1).walking_seconds / 86400
    lab.data["core_days"] = found.get("days")
    published = {"public tree": known["public"], "showdowns": known["evaluation"], "suits": known["suits"]}
    yield by_row(
        "Times less work in [2-4] hold'em; the reference is the whole game's",
        "change",
        FACTORS,
        {
            **{f"{4 * ranks} cards": (lambda name, ranks=ranks: found[name, ranks]) for ranks in decks},
            "published": published,
        },
    )
    yield by_row(
        "Days of one core for both seats of limit hold'em",
        "",
        ["walking"],
        {"this machine": (lambda _: f"{found['days']:.2f}", lambda _: f"{known['days']} (2011)")},
    )

    def questions(ranks: int) -> float:
        return float(found["public tree", ranks] / comb(4 * ranks, 2))

    def large_decks() -> Verdict:
        ratios = {4 * ranks: found["showdowns", ranks] for ranks in decks if comb(4 * ranks - 3, 2) >= 300}
        told = ", ".join(f"{cards} cards {times(ratio)}" for cards, ratio in ratios.items())
        return min(ratios.values()) > 1, told

    def flops() -> Verdict:
        ratio = comb(52, 3) / isomorphism((3,)).size
        return round(ratio, 1) == 12.6, f"22,100 flops, 1,755 up to suits: {times(ratio)}"

    def tree() -> Verdict:
        ratio = public_states(False) / public_states(True)
        return abs(ratio - known["suits"]) < 0.05, f"{times(ratio)}, all rounds and lines of betting counted"

    def parts() -> Verdict:
        count = 2 * 7 * isomorphism((3,)).size
        days = count * known["minutes"] / (24 * 60)
        return count == known["parts"] and int(days) == known["days"], f"{count:,} parts, {days:.1f} CPU-days"

    yield Claim("fewer-questions", at_least, 1 / 4, lambda: min(questions(ranks) for ranks in decks))
    yield Claim("sorted-showdowns", large_decks)
    yield Claim("flops", flops)
    yield Claim("public-tree-size", tree)
    yield Claim("parts", parts)
    yield Claim("feasible", at_least, 1, lambda: known["days"] / found["days"])


def questions_saved(deck: Deck) -> float:
    """Return how many times fewer probabilities the public tree asks for in [2-4] hold'em of a deck.

    Without it every own hand asks for those of all hands that it can meet, at every decision on every board.
    """
    one_by_one = together = 0
    for cards, boards, decisions in ((0, 1, 8), (3, comb(deck.size, 3), 70)):
        hands, met = comb(deck.size - cards, 2), comb(deck.size - cards - 2, 2)
        one_by_one += boards * decisions * hands * met
        together += boards * decisions * hands
    return one_by_one / together


def showdowns_saved(deck: Deck, repeats: int) -> float:
    """Return how many times faster a sweep of sorted hands is than all pairs of hands, on a flop of a deck."""
    board = tuple(deck.cards[[-1, -6, -11]].tolist())
    showdowns = Showdowns(deck, board)
    reach = np.random.default_rng(0).random((deck.hand_count, showdowns.lanes))
    swept, paired = showdowns.sweep(reach), showdowns.all_pairs(reach)
    assert np.allclose(swept, paired, rtol=0, atol=1e-9)
    by_pairs = least_cpu(lambda: showdowns.all_pairs(reach), repeats)
    return by_pairs / max(least_cpu(lambda: showdowns.sweep(reach), repeats), 1e-9)


def public_states(merged: bool) -> float:
    """Return the number of public decisions of limit hold'em, with or without deals that differ by suits."""
    total = 0.0
    for number, decisions in enumerate(betting_size(LIMIT_HOLDEM).decisions):
        deals = (3, 1, 1)[:number]
        if merged:
            boards = isomorphism(deals).size if deals else 1
        else:
            boards = prod(comb(52 - sum(deals[:k]), count) for k, count in enumerate(deals))
        total += decisions * boards
    return total

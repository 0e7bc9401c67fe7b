"""Hands per CPU second: matches between tables by compiled kernels, at the table, and beside PokerKit.

``python benchmarks/match.py`` takes about two CPU minutes, and five more the first time, when the buckets of the whole
deck are built (``--buckets FILE`` names a finished abstraction of it). Whole hold'em is played between two blueprints
of 169 / 200 / 200 / 200 buckets whose weights are random, so that every line of play is seen. The last two lines play
the same game, heads-up limit hold'em where both players always call, at the table and with PokerKit's own states.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import counterpoise as cp
from counterpoise.play import compiled

SMALL = "limit_holdem(board=[0, 3], ranks=4, suits=2)"
WHOLE = ("limit_holdem", 'no_limit_holdem(sizes=["50%", "100%", "allin"])')
SIX = 'no_limit_holdem(seats=6, stack=20, sizes=["100%"], max_bets=2)'


def rate(play: Callable[[int], object], hands: int) -> float:
    """Return the hands per CPU second of one run."""
    before = time.process_time()
    play(hands)
    return hands / (time.process_time() - before)


def play_pokerkit(hands: int) -> None:
    """Play hands in which everybody calls."""
    from pokerkit import Automation, FixedLimitTexasHoldem

    game = FixedLimitTexasHoldem(tuple(Automation), True, 0, (1, 2), 2, 4)
    for _ in range(hands):
        state = game((400, 400), 2)
        while state.status:
            state.check_or_call()


def blueprint(game: Any, cards: cp.CardAbstraction, seed: int) -> cp.Blueprint:
    """Return a blueprint that folds rarely and else plays at random, each bucket in its own way."""
    found = cp.Blueprint.uniform(game, cards)
    found.table[:] = np.random.default_rng(seed).integers(1, 255, len(found.table))
    for node in np.flatnonzero(found.tree.decisions):
        if found.tree.labels(node)[0] == "f":
            found.layout.block(found.tree, node, found.table)[:, 0] //= 8
    return found


def show(what: str, play: Callable[[int], object], hands: int, repeats: int = 3) -> None:
    """Print the best rate of several runs."""
    print(f"{what:<92} {max(rate(play, hands) for _ in range(repeats)):>12,.0f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=1_000_000, help="hands of the compiled kernel of small games")
    parser.add_argument("--buckets", help="a file with an abstraction of the whole deck")
    chosen = parser.parse_args()
    agents = [cp.solve(SMALL, name, iterations=20, progress=False) for name in ("dcfr", "cfr")]
    callers = ["always-call", "always-call"]

    def play(game: Any, agents: Any, duplicate: bool = False) -> Callable[[int], None]:
        def run(count: int) -> None:
            deals = count // 2 if duplicate else count
            found = cp.match(game, agents, deals, duplicate=duplicate, aivat=False, progress=False)
            assert found.compiled == (count >= compiled.FEWEST_HANDS)

        run(compiled.FEWEST_HANDS)  # compiles or loads the kernel, and enumerates the game
        return run

    show(f"compiled, two saved strategies of {SMALL}, duplicate", play(SMALL, agents, True), chosen.hands)
    if chosen.buckets:
        cards = cp.CardAbstraction.load(chosen.buckets)
    else:
        cards = cp.abstraction("IR-KE-KO", buckets=(169, 200, 200, 200))
    whole = [(name, [blueprint(cp.load(name), cards, seed) for seed in range(2)]) for name in WHOLE]
    for name, pair in whole:
        show(f"compiled, two blueprints of {name}, duplicate", play(name, pair, True), 200_000)
        show(f"compiled, two blueprints of {name}, every deal once", play(name, pair), 100_000)
    pair = [whole[0][1][0], "probe"]
    show("compiled, a blueprint and probe in limit_holdem, every deal once", play(WHOLE[0], pair), 100_000)
    six = cp.load(SIX)
    seated = [blueprint(six, cards, seed) for seed in range(6)]
    show(f"compiled, six blueprints of {SIX}", play(six, seated), 40_000)
    compiled.FEWEST_HANDS, before = 10**12, compiled.FEWEST_HANDS

    def at_table(game: Any, agents: Any) -> Callable[[int], object]:
        cp.match(game, agents, 10, progress=False)
        return lambda count: cp.match(game, agents, count, progress=False)

    show("at the table, two saved strategies of the small game", at_table(SMALL, agents), 4_000)
    for name, pair in whole:
        show(f"at the table, two blueprints of {name}", at_table(name, pair), 1_000)
    show("at the table, limit_holdem, always-call and probe", at_table("limit_holdem", ["always-call", "probe"]), 4_000)
    show("at the table, limit_holdem, both call", at_table("limit_holdem", callers), 4_000)
    compiled.FEWEST_HANDS = before
    show("compiled, the same", play("limit_holdem", callers), 200_000)
    show("PokerKit, the same", play_pokerkit, 300)


if __name__ == "__main__":
    main()

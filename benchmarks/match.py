"""Hands per CPU second: matches between tables by the compiled kernel, at the table, and beside PokerKit.

``python benchmarks/match.py`` takes about a CPU minute. The last two lines play the same game, heads-up limit hold'em
where both players always call, once at the table of Counterpoise and once with PokerKit's own states.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import counterpoise as cp
from counterpoise.play import compiled

SMALL = "limit_holdem(board=[0, 3], ranks=4, suits=2)"


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=1_000_000, help="hands of the compiled kernel")
    hands = parser.parse_args().hands
    agents = [cp.solve(SMALL, name, iterations=20, progress=False) for name in ("dcfr", "cfr")]
    callers = ["always-call", "always-call"]

    def tables(count: int) -> None:
        found = cp.match(SMALL, agents, count // 2, duplicate=True, progress=False)
        assert found.compiled == (count >= compiled.FEWEST_HANDS)

    tables(10_000)  # compiles or loads the kernel, and enumerates the game
    print(f"{'compiled, two saved strategies of ' + SMALL:<80} {rate(tables, hands):>12,.0f}")
    compiled.FEWEST_HANDS = 10**12
    print(f"{'at the table, the same two':<80} {rate(tables, 4_000):>12,.0f}")
    cp.match("limit_holdem", callers, 10, progress=False)
    table = rate(lambda count: cp.match("limit_holdem", callers, count, progress=False), 4_000)
    print(f"{'at the table, limit_holdem, both call':<80} {table:>12,.0f}")
    other = rate(play_pokerkit, 300)
    print(f"{'PokerKit, the same':<80} {other:>12,.0f}")


if __name__ == "__main__":
    main()

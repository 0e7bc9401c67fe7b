"""CPU time of exact best responses in whole limit hold'em: agents without cards, and a walk over all boards.

``python benchmarks/best_response.py`` takes about three CPU minutes. The walk is measured on one flop (``--flop N``),
both seats, against play at random by 200 groups of hands, and projected to all boards; the first computation of this
kind took 76 CPU-days in 2011 (Johanson 2016, section 2.4.4).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import counterpoise as cp
from counterpoise.evaluation.best_response.betting import LimitBetting
from counterpoise.evaluation.best_response.estimate import PUBLISHED_CPU_DAYS, WHOLE_GAME, estimate_walk
from counterpoise.evaluation.best_response.walk import BestResponseWalk
from counterpoise.games.known import BoardPlay, line_menu

GROUPS = 200
AGENTS = ("always-fold", "always-call", "always-raise", "probe")


class RandomGroups:
    """Plays at random, by groups of hands."""

    def __init__(self, game: Any, seat: int) -> None:
        self.game, self.seat = game, seat

    def play_on_boards(self, lines: Any) -> Callable[[tuple[int, ...]], BoardPlay]:
        """Return the same play for all boards."""
        table = np.random.default_rng(self.seat).random((len(lines), GROUPS, 3))
        for number, line in enumerate(lines):
            table[number, :, len(line_menu(self.game, line)) :] = 0
        table /= table.sum(axis=2, keepdims=True)
        group = (7 * (self.game.deck.hands // 4).sum(axis=1) % GROUPS).astype(np.int64)
        return lambda board: BoardPlay(group, table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flop", type=int, default=900, help="number of the flop, from 0 to 1754")
    chosen = parser.parse_args()
    for small in ("limit_holdem(board=[0, 3])", "limit_holdem(ranks=3)"):
        cp.best_response_to(small, "probe", progress=False)  # compiles or loads the kernels
    for name in AGENTS:
        found = cp.best_response_to("limit_holdem", name, threads=1, progress=False)
        print(
            f"limit_holdem, {name:<14} {found.mbb_per_game:>12.4f} mbb/g {found.cpu_seconds:>8.1f} s of CPU", flush=True
        )
    game = cp.load("limit_holdem")
    walk = BestResponseWalk(LimitBetting.of(game), (RandomGroups(game, 0), RandomGroups(game, 1)))
    flop = tuple(walk.deals.representatives[chosen.flop].tolist())
    after = walk.symmetry.deal(flop)
    rivers = sum(len(after.deal(card).orbits()) for card in after.orbits().representatives.tolist())
    estimate_walk(walk, "random", threads=1)  # compiles or loads the kernels
    begun = time.process_time()
    walk.unit(chosen.flop, cp.CancelToken())
    spent = time.process_time() - begun
    days = spent / rivers * WHOLE_GAME / 86400
    print(f"a flop of {rivers:,} rivers, both seats: {spent:.1f} s of CPU, {1000 * spent / rivers:.1f} ms per river")
    print(f"all {WHOLE_GAME:,} rivers: {days:.2f} core-days, {PUBLISHED_CPU_DAYS:.0f} in 2011")


if __name__ == "__main__":
    main()

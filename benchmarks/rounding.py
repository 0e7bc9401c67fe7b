"""How far rounding alone moves NashConv: CFR+ on copies of a game whose payoffs differ in the last bit.

CFR+ is not stable against rounding on Leduc. Regrets near zero are cut off or kept depending on the last bit, and
somewhere between iterations 100 and 200 two correct implementations that add up in another order walk different paths.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from peers import COUNTERPOISE_GAMES

import counterpoise as cp
from counterpoise.solvers.matching.cfr_plus import CFRPlus
from counterpoise.tree import evaluate

LAST_BIT = 2.0**-52


def rounding_range(game: str, iterations: int, copies: int, seed: int = 0) -> tuple[float, float]:
    """Smallest and largest NashConv after `iterations`, over copies with payoffs changed by -1, 0 or 1 last bits."""
    tree = cp.enumerate_game(cp.load(COUNTERPOISE_GAMES[game]))
    chooser = np.random.default_rng(seed)
    found = []
    for _ in range(copies):
        noise = chooser.integers(-1, 2, len(tree.form.values)) * LAST_BIT
        form = tree.form._replace(values=tree.form.values * (1 + noise))
        solver = CFRPlus().on(replace(tree, form=form))
        solver.step(iterations)
        found.append(evaluate(tree, solver.average_profile()).nash_conv)
    return min(found), max(found)

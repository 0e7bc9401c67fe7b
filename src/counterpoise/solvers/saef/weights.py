"""How much past iterations may count after a bet has been added (Brown 2020, section 4.3.1, theorem 19)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from counterpoise.solvers.saef.cfr import GrowingCFR
from counterpoise.solvers.saef.kernels.layouts import DEAL, GONE

WeightRule = Literal["potential", "largest"]


def past_weight(cfr: GrowingCFR, root: int, rule: WeightRule = "potential") -> float:
    """Return the weight of all iterations so far after the bet at node `root` has been added, at most 1.

    "potential" is the sum of squared positive regrets of the bettor's infosets without the new bet's own, as a share of
    the sum with them. "largest" is the most that theorem 19 allows.
    """
    seat = 1 - int(cfr.tree.arrays.kind[root])
    after = float(cfr.totals()[seat, 1])
    if after == 0.0:
        return 1.0
    if rule == "largest":
        return min(1.0, largest_weight(cfr, seat))
    return 1.0 - float((cfr.tables.regrets[root].clip(0.0) ** 2).sum()) / after


def largest_weight(cfr: GrowingCFR, seat: int) -> float:
    """Return |I| L^2 |A| T / Phi for a seat: infosets, payoff range, most actions, iterations, squared regrets."""
    tree, count = cfr.tree.arrays, cfr.tree.count
    kinds = tree.kind[:count]
    own = kinds == seat
    infosets = cfr.tree.game.ranks * int(np.count_nonzero(own))
    payoffs = 2.0 * float(tree.stake[:count][(kinds > DEAL) & (kinds != GONE)].max())
    actions = max(len(cfr.tree.children(int(node))) for node in np.flatnonzero(own))
    return infosets * payoffs**2 * actions * cfr.worth / float(cfr.totals()[seat, 1])

"""External-sampling MCCFR on a public tree: many iterations in one compiled call."""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.sampling.kernels.board_external import draw_pair, traverse
from counterpoise.solvers.kernels.mccfr import end_iteration


@njit(cache=True, nogil=True)
def sample(sampler, schedule, counts, iterations, until, random, regrets, average):
    """Run `iterations` iterations, a traversal for each player, or fewer if `until` nodes are touched before.

    `counts` are the iterations done and the nodes touched since the beginning of the run; both are returned anew.
    """
    done, touched = counts
    last = done + iterations
    while done < last and touched < until:
        before = touched
        done += 1
        weight = np.float64(done) if schedule.linear_average else 1.0
        for player in range(2):
            draw_pair(sampler, random)
            touched += traverse(sampler, np.uint64(player), schedule.floor, weight, random, regrets, average)
        end_iteration(schedule, before, touched, regrets, average)
    return done, touched

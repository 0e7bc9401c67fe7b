"""Information sets whose regrets are all zero: what is too small for a scale leaves every action alike there."""

from __future__ import annotations

import numpy as np
from numba import njit

from counterpoise.kernels.options import LEAN
from counterpoise.solvers.out_of_core.kernels.fixed_point import BEGIN, FIRST, HEADS, STRIDE

_1, _0_F32 = np.uint64(1), np.float32(0.0)


@njit(**LEAN)
def count_all_zero(values, segments, heads, trees, actions, first):
    """Return the number of information sets, of hands that stand for those alike, that have no positive regret.

    ``trees[segment]`` is the tree of a segment, whose decisions have ``actions[first[tree]:first[tree + 1]]`` actions.
    """
    found = np.int64(0)
    for segment in range(np.uint64(segments.shape[0])):
        stride, count, own = segments[segment, STRIDE], segments[segment, HEADS], segments[segment, FIRST]
        begin, tree = segments[segment, BEGIN], trees[segment]
        for decision in range(first[tree], first[tree + _1]):
            # A decision has a row for each action.
            for k in range(count):
                hand, some = np.uint64(heads[own + k]), False
                for action in range(actions[decision]):
                    some |= values[begin + action * stride + hand] > _0_F32
                found += np.int64(not some)
            begin += actions[decision] * stride
    return found

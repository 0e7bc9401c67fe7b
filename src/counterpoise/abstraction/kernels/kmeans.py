"""Distances to centres, sixteen centres at a time, and Lloyd's step with bounds that skip most of them.

Centres are laid out in blocks, ``blocks[block, component, lane]``, so that one point meets the sixteen centres of a
block with vector instructions. Elkan's triangle inequality is used block by block (Yinyang k-means, Ding et al. 2015):
``lower[point, block]`` bounds the distance to every centre of the block but the point's own. Where the own centre is
nearer than that, the block is skipped, and the result is the same as without bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from counterpoise.abstraction.kernels import strength

OPTIONS: dict[str, Any] = strength.OPTIONS | {"fastmath": {"nnan", "nsz"}}
"""Without an order for nan and -0 the least of sixteen is found by vector instructions."""
LANES = 16
FAR = np.float32(1e9)
"""The components of centres that only fill a block up."""
SQUARED, ABSOLUTE = 0, 1
"""Metrics: the root of the sum of squares, and the sum of absolute differences (EMD of cumulative histograms)."""
SLACK = np.float32(1 - 1e-5)
"""Keeps bounds valid although float32 rounds."""


@njit(**OPTIONS)
def _meet_block(points, i, blocks, g, metric, out):
    """Write the distances from point i to the sixteen centres of block g; components come in fours.

    Arrays are passed whole: views of them would be counted, which takes longer than a block.
    """
    for lane in range(LANES):
        out[lane] = 0
    if metric == SQUARED:
        for j in range(0, points.shape[1], 4):
            a, b, c, d = points[i, j], points[i, j + 1], points[i, j + 2], points[i, j + 3]
            for lane in range(LANES):
                p, q = a - blocks[g, j, lane], b - blocks[g, j + 1, lane]
                r, s = c - blocks[g, j + 2, lane], d - blocks[g, j + 3, lane]
                out[lane] += (p * p + q * q) + (r * r + s * s)
        for lane in range(LANES):
            out[lane] = np.sqrt(out[lane])
    else:
        for j in range(0, points.shape[1], 4):
            a, b, c, d = points[i, j], points[i, j + 1], points[i, j + 2], points[i, j + 3]
            for lane in range(LANES):
                p, q = abs(a - blocks[g, j, lane]), abs(b - blocks[g, j + 1, lane])
                r, s = abs(c - blocks[g, j + 2, lane]), abs(d - blocks[g, j + 3, lane])
                out[lane] += (p + q) + (r + s)


@njit(**OPTIONS)
def _meet_one(points, i, blocks, label, metric):
    """Return the distance from point i to one centre, added up in the order of `_meet_block`."""
    g, lane = label // LANES, label % LANES
    total = np.float32(0)
    if metric == SQUARED:
        for j in range(0, points.shape[1], 4):
            p, q = points[i, j] - blocks[g, j, lane], points[i, j + 1] - blocks[g, j + 1, lane]
            r, s = points[i, j + 2] - blocks[g, j + 2, lane], points[i, j + 3] - blocks[g, j + 3, lane]
            total += (p * p + q * q) + (r * r + s * s)
        return np.sqrt(total)
    for j in range(0, points.shape[1], 4):
        p, q = abs(points[i, j] - blocks[g, j, lane]), abs(points[i, j + 1] - blocks[g, j + 1, lane])
        r, s = abs(points[i, j + 2] - blocks[g, j + 2, lane]), abs(points[i, j + 3] - blocks[g, j + 3, lane])
        total += (p + q) + (r + s)
    return total


@njit(**OPTIONS)
def _least(met):
    """Return the least of sixteen distances."""
    least = met[0]
    for lane in range(1, LANES):
        least = min(least, met[lane])
    return least


@njit(**OPTIONS)
def _where(met, value):
    """Return the first place that holds a value."""
    lane = 0
    while met[lane] != value:
        lane += 1
    return lane


@njit(**OPTIONS)
def nearest(points, columns, metric, labels):
    """Write the nearest centre of every point, the first of equals; `columns` is [component, centre].

    All centres are met at once, in the order of additions of `_meet_block`.
    """
    count = columns.shape[1]
    met = np.empty(count, dtype=np.float32)
    for i in range(len(points)):
        met[:] = 0
        for j in range(0, points.shape[1], 4):
            a, b, c, d = points[i, j], points[i, j + 1], points[i, j + 2], points[i, j + 3]
            if metric == SQUARED:
                for k in range(count):
                    p, q = a - columns[j, k], b - columns[j + 1, k]
                    r, s = c - columns[j + 2, k], d - columns[j + 3, k]
                    met[k] += (p * p + q * q) + (r * r + s * s)
            else:
                for k in range(count):
                    p, q = abs(a - columns[j, k]), abs(b - columns[j + 1, k])
                    r, s = abs(c - columns[j + 2, k]), abs(d - columns[j + 3, k])
                    met[k] += (p + q) + (r + s)
        least = met[0]
        for k in range(1, count):
            least = min(least, met[k])
        labels[i] = _where(met, least)


@njit(**OPTIONS)
def lloyd_step(points, blocks, drift, metric, labels, distances, lower):
    """Assign every point to its nearest centre; return how many changed and how many blocks were met.

    `drift[block]` is how far any centre of a block has moved since the last step.
    """
    met = np.empty(LANES, dtype=np.float32)
    changed = blocks_met = 0
    for i in range(len(points)):
        own = labels[i]
        best, label = _meet_one(points, i, blocks, own, metric), own
        for g in range(len(blocks)):
            bound = (lower[i, g] - drift[g]) * SLACK
            lower[i, g] = bound
            if bound >= best:
                continue
            blocks_met += 1
            _meet_block(points, i, blocks, g, metric, met)
            if g == label // LANES:  # the bound is for the other centres
                met[label % LANES] = np.inf
            first = _least(met)
            if first < best:
                at = _where(met, first)
                met[at] = np.inf
                lower[i, g] = _least(met)
                lower[i, label // LANES] = min(lower[i, label // LANES], best)
                best, label = first, g * LANES + at
            else:
                lower[i, g] = first
        changed += label != own
        labels[i], distances[i] = label, best
    return changed, blocks_met


@njit(**OPTIONS)
def halfway(seeds, block, metric, half):
    """Write half the distance from every seed to each lane of a block, rounded down.

    A point that is nearer to its seed than half the way from there to another place is farther from that place.
    """
    for k in range(len(seeds)):
        _meet_block(seeds, k, block, np.int64(0), metric, half[k])
        for lane in range(LANES):
            half[k, lane] *= np.float32(0.5) * SLACK


@njit(**OPTIONS)
def try_seeds(points, weights, block, least, metric, labels, distances, gain):
    """Add to each lane's gain by how much its place, as one more seed, would lower the weighted squared distances.

    `least[seed]` is the least of a row of `halfway`: points that no lane can be nearer to are skipped.
    """
    met = np.empty(LANES, dtype=np.float32)
    for i in range(len(points)):
        now = np.float64(distances[i])
        if least[labels[i]] >= distances[i]:
            continue
        _meet_block(points, i, block, np.int64(0), metric, met)
        for lane in range(LANES):
            distance = np.float64(min(distances[i], met[lane]))
            gain[lane] += weights[i] * (now * now - distance * distance)


@njit(**OPTIONS)
def add_seed(points, block, lane, number, half, metric, labels, distances):
    """Give points to seed `number`, which is in a lane of the block, where it is nearer than their own."""
    for i in range(len(points)):
        if half[labels[i], lane] < distances[i]:
            distance = _meet_one(points, i, block, lane, metric)
            if distance < distances[i]:
                labels[i], distances[i] = number, distance


@njit(**OPTIONS)
def hash_rows(words, out):
    """Write a number for every row of 32-bit words; equal rows have equal numbers."""
    for i in range(len(words)):
        mixed = np.uint64(0)
        for j in range(words.shape[1]):
            mixed = (mixed ^ np.uint64(words[i, j])) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(32)
        out[i] = mixed


@njit(**OPTIONS)
def number_rows(words, order, number):
    """Number different rows in an order that has equal rows side by side; return how many there are."""
    count = 0
    for at in range(len(order)):
        new = at == 0
        if not new:
            for j in range(words.shape[1]):
                new |= words[order[at], j] != words[order[at - 1], j]
        count += new
        number[order[at]] = count - 1
    return count


@njit(**OPTIONS)
def add_up(points, weights, labels, sums, mass):
    """Add the weighted points of each cluster to its row of `sums`, and their weights to `mass`."""
    for i in range(len(points)):
        label, weight = labels[i], weights[i]
        mass[label] += weight
        for j in range(points.shape[1]):
            sums[label, j] += weight * points[i, j]


@njit(**OPTIONS)
def medians(points, weights, order, start, out):
    """Write the weighted median of each component in each cluster ``order[start[k]:start[k + 1]]``."""
    for k in range(len(start) - 1):
        members = order[start[k] : start[k + 1]]
        half = weights[members].sum() / 2
        for j in range(points.shape[1]):
            values = points[members, j]
            ranked = np.argsort(values, kind="mergesort")
            below = 0.0
            for at in ranked:
                below += weights[members[at]]
                if below >= half:
                    out[k, j] = values[at]
                    break

"""Grow a regression tree on numeric features: every split takes away as much squared error as possible."""

from __future__ import annotations

import numpy as np
from numba import njit

LEAF = -1


@njit(cache=True, nogil=True)
def grow(features, targets, weights, smallest, most_leaves):
    """Return a tree as arrays (feature, threshold, left child, value); the right child follows the left one.

    Leaves are split in the order in which they were made, breadth first, until none can be split with at least
    `smallest` rows on each side or there are `most_leaves`. A row goes left if its feature is at most the threshold.
    """
    rows, columns = features.shape
    most = 2 * most_leaves
    feature, left = np.full(most, LEAF), np.full(most, LEAF)
    threshold, value = np.zeros(most), np.zeros(most)
    order = np.arange(rows)  # the rows of each node are a range of it
    first, last = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64)
    last[0] = rows
    nodes, leaves, node = 1, 1, 0
    while node < nodes:
        low, high = first[node], last[node]
        total, mass, squares = 0.0, 0.0, 0.0
        for k in range(low, high):
            total += weights[order[k]] * targets[order[k]]
            squares += weights[order[k]] * targets[order[k]] ** 2
            mass += weights[order[k]]
        value[node] = total / mass if mass > 0.0 else 0.0
        if leaves < most_leaves and high - low >= 2 * smallest:
            # A gain within the error of rounding is none.
            best_gain, best_feature, best_threshold = 1e-14 * squares, LEAF, 0.0
            for column in range(columns):
                own = order[low:high]
                ranked = own[np.argsort(features[own, column], kind="mergesort")]
                left_total, left_mass = 0.0, 0.0
                for k in range(len(ranked) - 1):
                    row = ranked[k]
                    left_total += weights[row] * targets[row]
                    left_mass += weights[row]
                    here, there = features[row, column], features[ranked[k + 1], column]
                    enough = k + 1 >= smallest and len(ranked) - k - 1 >= smallest
                    right_mass = mass - left_mass
                    if not enough or here == there or left_mass <= 0.0 or right_mass <= 0.0:
                        continue
                    right_total = total - left_total
                    gain = left_total**2 / left_mass + right_total**2 / right_mass - total**2 / mass
                    if gain > best_gain * (1.0 + 1e-9):
                        best_gain, best_feature, best_threshold = gain, column, 0.5 * (here + there)
            if best_feature != LEAF:
                feature[node], threshold[node], left[node] = best_feature, best_threshold, nodes
                middle = _part(order, low, high, features, best_feature, best_threshold)
                first[nodes], last[nodes] = low, middle
                first[nodes + 1], last[nodes + 1] = middle, high
                nodes += 2
                leaves += 1
        node += 1
    return feature[:nodes], threshold[:nodes], left[:nodes], value[:nodes]


@njit(cache=True, nogil=True)
def _part(order, low, high, features, column, threshold):
    """Put the rows that go left before those that go right, and return where the second begin."""
    own = order[low:high].copy()
    at = low
    for k in range(len(own)):
        if features[own[k], column] <= threshold:
            order[at] = own[k]
            at += 1
    middle = at
    for k in range(len(own)):
        if features[own[k], column] > threshold:
            order[at] = own[k]
            at += 1
    return middle


@njit(cache=True, nogil=True)
def look_up(feature, threshold, left, value, features, found):
    """Write the value of the leaf that each row of features falls into."""
    for row in range(len(features)):
        node = 0
        while feature[node] != LEAF:
            node = left[node] + (0 if features[row, feature[node]] <= threshold[node] else 1)
        found[row] = value[node]

"""How the arrays of a file must fit together, where types, shapes and ranges of each alone are not enough.

Each function gets arrays that have passed their rules, by the names of their rules, and the sizes of the file.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from counterpoise.store.arrays import Arrays, Sizes, every_piece
from counterpoise.store.text import unpack_texts

SUM_TOLERANCE = 1e-6
"""By how much probabilities of an information set may miss 1 in sum."""
NO_NODE = 0
"""What stands for no child and no next child in a growing tree, whose root, 0, is neither."""


def rows_fit_boards(arrays: Arrays, sizes: Sizes) -> bool:
    """Return whether dead hands, and no others, are 0, and all others in a bucket of the group of their row.

    `board masks` and `hand masks` have a bit per card; `first buckets` are those of the group of each row, of which it
    has `buckets per group`; without groups there are none.
    """
    rows, boards, hands = arrays["rows_{street}"], sizes["board masks"], sizes["hand masks"]
    first, wide = sizes["first buckets"], sizes["buckets per group"]

    def fit(begin: int, end: int) -> bool:
        some = rows[begin:end]
        dead = (boards[begin:end, None] & hands) != 0
        if not np.array_equal(some == 0, dead):
            return False
        if first is None:
            return True
        low, high = first[begin:end] + 1, first[begin:end] + wide
        least = (some - some.dtype.type(1)).min(axis=1).astype(np.int64) + 1  # dead hands become the largest number
        return bool(((some.max(axis=1) <= high) & ((least >= low) | dead.all(axis=1))).all())

    return every_piece(fit, *rows.shape)


def texts_fit_infosets(arrays: Arrays, sizes: Sizes) -> bool:
    """Return whether labels and actions can be told apart: one label per infoset, actions of an infoset differ."""
    try:
        labels = unpack_texts(arrays["labels"], arrays["label_offsets"])
        actions = unpack_texts(arrays["actions"], arrays["action_offsets"])
    except ValueError:
        return False
    owner, counts = arrays["owner"].tolist(), arrays["sizes"]
    if len(labels) != len(owner) or int(counts.sum(dtype=np.int64)) != len(actions):
        return False
    if len(set(zip(owner, labels, strict=True))) != len(labels):
        return False
    ends = [0, *counts.cumsum(dtype=np.int64).tolist()]
    return all(len(set(actions[begin:end])) == end - begin for begin, end in pairwise(ends))


def probabilities_sum_to_one(arrays: Arrays, sizes: Sizes) -> bool:
    """Return whether there is a number for every action and every player's empty sequence, and each infoset sums to 1.

    Empty sequences stand before the first infoset of their player.
    """
    owner, counts, numbers = arrays["owner"], arrays["sizes"].astype(np.int64), arrays["probabilities"]
    players = int(arrays["players"])
    if len(numbers) != int(counts.sum()) + players:
        return False
    if not len(owner):
        return True
    begin = np.cumsum(counts) - counts
    sums = np.add.reduceat(np.delete(numbers, _empty_sequences(owner, counts, players)), begin)
    return bool((np.abs(sums - 1) <= SUM_TOLERANCE).all())


def _empty_sequences(owner: NDArray[np.signedinteger], counts: NDArray[np.int64], players: int) -> NDArray[np.int64]:
    """Return where each player's empty sequence stands among the numbers of a strategy."""
    before = np.concatenate(([0], np.cumsum(counts)))
    first = np.searchsorted(owner, np.arange(players))
    return np.asarray(before[first] + np.arange(players))


def links_lead_somewhere(arrays: Arrays, sizes: Sizes) -> bool:
    """Return whether a growing tree can be walked: chains of children end, and lead from parents to later nodes."""
    kind, parent = arrays["tree.kind"], arrays["tree.parent"]
    first, following = arrays["tree.first"], arrays["tree.next"]
    nodes, gone = np.arange(len(kind)), kind == sizes["kind of what is gone"]
    parents = kind <= sizes["last kind with children"]
    if kind[0] != 0 or not (parent[1:] < nodes[1:]).all():
        return False
    if not (first > nodes)[parents].all() or (first[~parents & ~gone] != NO_NODE).any():
        return False
    # Each node is the next of one at most, so that no chain turns back.
    links = np.concatenate((first, following))
    if np.bincount(links[links != NO_NODE], minlength=1).max() > 1:
        return False
    child, brother = np.flatnonzero(first != NO_NODE), np.flatnonzero(following != NO_NODE)
    owned = (parent[first[child]] == child).all() and (parent[following[brother]] == parent[brother]).all()
    there = not (gone[first[child]] & ~gone[child]).any() and not (gone[following[brother]] & ~gone[brother]).any()
    return bool(owned and there)


def deals_after_the_sum(arrays: Arrays, sizes: Sizes) -> bool:
    """Return whether finished deals are each there once."""
    return len(set(arrays["numbers"].tolist())) == len(arrays["numbers"])

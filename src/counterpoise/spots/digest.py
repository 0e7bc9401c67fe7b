"""What the entries of a saved table stand for, in one number: betting, boards and hands in the order of the tree."""

from __future__ import annotations

import hashlib

import numpy as np

from counterpoise.public import HoldemTree


def tree_digest(tree: HoldemTree) -> str:
    """SHA-256 over the actions of every line, the cards and hands of every board and the order of the hands."""
    digest = hashlib.sha256()
    for line in tree.lines:
        decisions = [(decision.player, [int(action) for action in decision.actions]) for decision in line.decisions]
        ends = [(int(leaf.kind), leaf.rows, leaf.line) for leaf in line.leaves]
        digest.update(repr((line.street, line.path, decisions, ends)).encode())
    for table in tree.tables_of:
        digest.update(repr((table.street, table.parent, [int(card) for card in table.cards])).encode())
        for hands in table.hands:
            digest.update(np.ascontiguousarray(hands, dtype="<u2").tobytes())
    for own in tree.hands:
        digest.update(np.ascontiguousarray(own, dtype=np.uint8).tobytes())
    return digest.hexdigest()

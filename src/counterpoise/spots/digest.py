"""What the entries of a saved table stand for, in one number: betting, boards and hands in the order of the tree."""

from __future__ import annotations

import hashlib

import numpy as np

from counterpoise.public import HoldemGame


def game_digest(game: HoldemGame) -> str:
    """Return SHA-256 over the actions of every street tree, the cards and hands of every board, the order of hands."""
    digest = hashlib.sha256()
    for tree in game.street_trees:
        decisions = [(decision.player, [int(action) for action in decision.actions]) for decision in tree.decisions]
        ends = [(int(leaf.kind), leaf.rows, leaf.tree) for leaf in tree.leaves]
        digest.update(repr((tree.street, tree.path, decisions, ends)).encode())
    for node in game.board_nodes:
        digest.update(repr((node.street, node.parent, [int(card) for card in node.cards])).encode())
        for hands in node.hands:
            digest.update(np.ascontiguousarray(hands, dtype="<u2").tobytes())
    for own in game.hands:
        digest.update(np.ascontiguousarray(own, dtype=np.uint8).tobytes())
    return digest.hexdigest()

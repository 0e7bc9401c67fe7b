"""Commands that write strategies, and lock them at a node for the next runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.proportions import proportional
from counterpoise.public import Traverser
from counterpoise.spots.node import Decision
from counterpoise.upi.arguments import read_numbers, read_position, require_count
from counterpoise.upi.commands import Answer, command
from counterpoise.upi.hand_order import HANDS, in_deck_order
from counterpoise.upi.session import Session
from counterpoise.upi.tree import SolvedTree, TreeNode
from counterpoise.upi.values import row

TOLERANCE = 1e-3
"""By how much the probabilities of a hand may miss 1: clients round them."""


@command("set_strategy", "NODE PROBABILITIES")
def set_strategy(session: Session, words: list[str]) -> Answer:
    """Set what every hand does at a node, 1,326 numbers for each child in turn; a run that is not locked undoes it."""
    tree, node = _decision(session, words)
    base = node.base
    assert isinstance(base, Decision)
    assert node.player is not None
    _require_whole(tree)
    given = read_numbers(words[1:], "set_strategy", len(base.raw_actions))[::-1]
    numbers = in_deck_order(given)[:, node.game.hand_numbers[node.player]]
    total = numbers.sum(axis=0)
    held = base.live[node.player]
    wrong = np.flatnonzero(held & (total > 0) & (abs(total - 1) > TOLERANCE))
    if len(wrong):
        hand = base.hand_names[node.player][int(wrong[0])]
        raise InputError(f"the probabilities of {hand} must sum to 1, not to {total[wrong[0]]:.6g}")
    chosen = proportional(numbers, total, base.probabilities)
    base.at.set_strategy(tree.solution.stored.average, chosen)
    if node.id in tree.locks:
        _lock(tree, node.id, np.ones(len(HANDS), dtype=bool))
    return None


@command("set_mes", "OOP|IP")
def set_mes(session: Session, words: list[str]) -> Answer:
    """Set a player's strategy everywhere to the one that exploits the other's most; a run undoes it."""
    require_count(words, 1)
    tree, seat = session.require_tree(), read_position(words[0])
    _require_whole(tree)
    average = tree.solution.stored.average
    average.copy_player(Traverser(tree.solution.game).best_response(seat, average), seat)
    return None


@command("lock_node", "NODE")
def lock_node(session: Session, words: list[str]) -> Answer:
    """Keep the strategy of a node as it is now, with all hands, from the next run on."""
    require_count(words, 1)
    tree, node = _decision(session, words)
    _lock(tree, node.id, np.ones(len(HANDS), dtype=bool))
    return None


@command("combo_lock_node", "NODE 1326 FLAGS")
def combo_lock_node(session: Session, words: list[str]) -> Answer:
    """Keep the strategy of a node with the hands whose number is 1, from the next run on."""
    tree, node = _decision(session, words)
    flags = read_numbers(words[1:], "combo_lock_node")[0] > 0
    if not flags.any():
        raise InputError("no hand is to be locked: send unlock_node to open a node")
    _lock(tree, node.id, flags)
    return None


@command("unlock_node", "NODE")
def unlock_node(session: Session, words: list[str]) -> Answer:
    """Let the next runs find the strategy of a node again."""
    require_count(words, 1)
    tree, node = _decision(session, words)
    if tree.locks.pop(node.id, None) is None:
        raise InputError(f"node {shown(node.id)} is not locked")
    return None


@command("show_locked_combos", "NODE")
def show_locked_combos(session: Session, words: list[str]) -> Answer:
    """Show 1 for every hand that is locked at a node, 0 for the others."""
    require_count(words, 1)
    tree, node = _decision(session, words)
    locked = tree.locks.get(node.id, {})
    return [row(np.array([float(hand in locked) for hand in HANDS]))]


@command("show_locked_nodes")
def show_locked_nodes(session: Session, words: list[str]) -> Answer:
    """Show the ids of all nodes that are locked."""
    require_count(words, 0)
    return list(session.require_tree().locks)


def _require_whole(tree: SolvedTree) -> None:
    if not tree.solution.whole:
        raise InputError("the tree was saved without its rivers: its strategies can only be looked at")


def _decision(session: Session, words: list[str]) -> tuple[SolvedTree, TreeNode]:
    if not words:
        raise InputError("the command takes a node")
    tree = session.require_tree()
    return tree, tree.decision(words[0])


def _lock(tree: SolvedTree, id: str, flags: NDArray[np.bool_]) -> None:
    """Lock the hands of a range that are flagged, in the order of UPI, at what they do now."""
    base = tree.decision(id).base
    assert isinstance(base, Decision)
    seat = base.place.state.to_act
    wanted = {hand for hand, flag in zip(HANDS, flags.tolist(), strict=True) if flag}
    labels = base.actions
    weights = base.game.weights[seat]
    found = {}
    for at in np.flatnonzero(base.live[seat] & (weights > 0)):
        hand = _upi_name(base.hand_names[seat][at])
        if hand in wanted:
            found[hand] = dict(zip(labels, base.probabilities[:, at].tolist(), strict=True))
    if not found:
        raise InputError(f"no such hand is in the range at node {shown(id)}")
    tree.locks[id] = found


def _upi_name(hand: str) -> str:
    """Return a hand's name with UPI's order of suits in pairs."""
    return hand if hand in _KNOWN else hand[2:] + hand[:2]


_KNOWN = frozenset(HANDS)

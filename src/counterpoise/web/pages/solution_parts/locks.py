"""Locks that are not solved yet: what hands are told to do at a node, and the whole strategies that follow from it.

A lock of a node names hands or ranges and, for each, the probabilities of some of its actions. What it does not say of
a hand stays in the proportions in which that hand plays the other actions now.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.cards import Range
from counterpoise.errors import InputError
from counterpoise.spots import Decision, Solution
from counterpoise.spots.locks import TOLERANCE
from counterpoise.web.components.range_grid import kind_of
from counterpoise.web.solutions import OpenSolution
from counterpoise.web.views.node import NodeView

Lock = dict[str, Any]
"""A table with the id of a node and, as `strategy`, by hand or range the probabilities of some actions."""


def merged(locks: list[Lock], node: str, hands: str, said: dict[str, float]) -> list[Lock]:
    """Return locks with one more; later hands of a node override earlier ones.

    >>> merged([{"node": "r:0", "strategy": {"AA": {"c": 1.0}}}], "r:0", "KK", {"b50": 1.0})
    [{'node': 'r:0', 'strategy': {'AA': {'c': 1.0}, 'KK': {'b50': 1.0}}}]
    """
    names = [name.strip() for name in hands.split(",") if name.strip()]
    if not names:
        raise InputError("hands: name the hands to lock, such as AKs, QQ+")
    found = [{"node": lock["node"], "strategy": dict(lock["strategy"])} for lock in locks]
    if not any(lock["node"] == node for lock in found):
        found.append({"node": node, "strategy": {}})
    here = next(lock for lock in found if lock["node"] == node)
    for name in names:
        here["strategy"].pop(name, None)
        here["strategy"][name] = said
    return found


def without(locks: list[Lock], node: str, hands: str) -> list[Lock]:
    """Return locks without what is said of some hands of a node.

    >>> without([{"node": "r:0", "strategy": {"AA": {"c": 1.0}, "KK": {}}}], "r:0", "AA")
    [{'node': 'r:0', 'strategy': {'KK': {}}}]
    """
    found = []
    for lock in locks:
        gone = hands if lock["node"] == node else None
        strategy = {name: said for name, said in lock["strategy"].items() if name != gone}
        if strategy:
            found.append({"node": lock["node"], "strategy": strategy})
    return found


def completed(node: Decision, strategy: dict[str, dict[str, float]]) -> dict[int, NDArray[np.float64]]:
    """Return the probabilities of all actions for every hand that a lock names, by its place in the player's hands."""
    seat = node.place.state.to_act
    low, high = node.game.hands[seat].T
    deck = node.spot.card_deck
    numbers = deck.hand_table[low, high]
    arrives = node.live[seat] & (node.spot.ranges[seat].weights[numbers] > 0)
    found = dict[int, NDArray[np.float64]]()
    for hands, said in strategy.items():
        chosen = np.flatnonzero(arrives & (Range.from_string(hands, deck).weights[numbers] > 0))
        if not len(chosen):
            raise InputError(f"no such hand is in the range of {node.player}: {hands}")
        given = np.array([said.get(name, 0.0) for name in node.actions])
        free = np.array([name not in said for name in node.actions])
        _check(hands, said, node)
        for k in chosen.tolist():
            own = np.where(free, np.nan_to_num(node.probabilities[:, k]), 0.0)
            own = own if own.sum() > 0 else free.astype(np.float64)
            rest = (1.0 - given.sum()) / own.sum() if free.any() else 0.0
            found[k] = given + rest * own
    return found


def _check(hands: str, said: dict[str, float], node: Decision) -> None:
    unknown = [name for name in said if name not in node.actions]
    if unknown:
        raise InputError(f"{hands}: {unknown[0]!r} is no action here, only {', '.join(node.actions)}")
    total = sum(said.values())
    if not all(0 <= share <= 1 for share in said.values()) or total > 1 + TOLERANCE:
        raise InputError(f"{hands}: probabilities must be from 0 to 100 %, and no more than 100 % together")
    if len(said) == len(node.actions) and total < 1 - TOLERANCE:
        raise InputError(f"{hands}: the probabilities must be 100 % together, not {100 * total:.4g} %")


def spot_locks(opened: OpenSolution, locks: list[Lock], unlocked: Sequence[str] = ()) -> list[Lock]:
    """Return the locks of the spot that is solved next: those of the solution, and over them the new ones by hand.

    Of the solution's, those of `unlocked` nodes are left out.
    """
    solved = opened.solved
    assert isinstance(solved, Solution)
    found = {lock.node: dict(lock.strategy) for lock in solved.spot.lock if lock.node not in unlocked}
    for lock in locks:
        node = opened.decision(lock["node"])
        names = node.hand_names[node.place.state.to_act]
        earlier = found.setdefault(lock["node"], {})
        for k, row in completed(node, lock["strategy"]).items():
            earlier.pop(names[k], None)
            earlier[names[k]] = dict(zip(node.actions, row.tolist(), strict=True))
    return [{"node": node, "strategy": strategy} for node, strategy in found.items()]


def previewed(view: NodeView, node: Decision, locks: list[Lock]) -> NodeView:
    """Return a view in which locked hands do what they are told; EVs stay those of the solution."""
    here = next((lock for lock in locks if lock["node"] == view.id), None)
    hands = view.hands
    if here is None or hands is None:
        return view
    names = node.hand_names[node.place.state.to_act]
    told = {names[k]: row for k, row in completed(node, here["strategy"]).items()}
    columns = [
        [float(told[hand][a]) if hand in told else own for hand, own in zip(hands.hands, column, strict=True)]
        for a, column in enumerate(hands.strategy)
    ]
    actions = [
        action.model_copy(
            update={
                "frequency": sum(part * (p or 0.0) for part, p in zip(hands.share, column, strict=True)),
                "ev": None,
            }
        )
        for action, column in zip(view.actions, columns, strict=True)
    ]
    return view.model_copy(update={"hands": hands.model_copy(update={"strategy": columns}), "actions": actions})


def locked_kinds(node: Decision, locks: list[Lock], unlocked: Sequence[str] = ()) -> list[str]:
    """Return the kinds of hands with a lock at a node: those of the solution and those that are not solved yet."""
    names = node.hand_names[node.place.state.to_act]
    hands = {names[k] for lock in locks if lock["node"] == node.id for k in completed(node, lock["strategy"])}
    for given, lock in zip(node.spot.lock, node.spot.locks, strict=True):
        if lock.steps == node.place.steps and given.node not in unlocked:
            deck = node.spot.card_deck
            hands |= {deck.hand_names[number] for number in lock.hands}
    return sorted({kind_of(hand) for hand in hands})

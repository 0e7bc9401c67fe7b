"""A second, deliberately plain reading of the game protocol, to test rule books without the package's own tree.

`tree` walks a game once and asserts on the way everything a rule book owes its readers; `best_response` and
`exploitability` evaluate strategies on that tree by brute force.
"""

from __future__ import annotations

import gc
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from counterpoise.games import CHANCE, TERMINAL, load

Policy = Callable[[str, Sequence[str]], Sequence[float]]


class Node(NamedTuple):
    player: int
    infoset: str
    labels: tuple[str, ...]
    children: tuple[Node, ...]
    probabilities: tuple[float, ...]  # of a chance node
    payoffs: tuple[float, ...]  # of a terminal node


class Tree(NamedTuple):
    root: Node
    players: int
    nodes: int
    terminals: int
    infosets: dict[str, tuple[int, tuple[str, ...]]]  # seat and actions by name


@lru_cache(maxsize=2)
def tree(name: str, constant_sum: bool = True) -> Tree:
    """The whole tree of the game called `name`."""
    return grow(load(name), constant_sum)


def grow(game: Any, constant_sum: bool = True) -> Tree:
    """The whole tree of a small game; asserts the protocol at every node."""
    count = {"nodes": 0, "terminals": 0}
    infosets: dict[str, tuple[int, tuple[str, ...]]] = {}
    recall: dict[str, tuple[str, str]] = {}
    menus: set[tuple[str, ...]] = set()

    def visit(state: Any, own: tuple[tuple[str, str], ...]) -> Node:
        hash(state)
        count["nodes"] += 1
        player = game.player(state)
        if player == TERMINAL:
            count["terminals"] += 1
            payoffs = tuple(game.payoffs(state))
            assert len(payoffs) == game.players
            assert all(type(payoff) is float for payoff in payoffs)
            assert not constant_sum or abs(sum(payoffs)) < 1e-9
            return Node(player, "", (), (), (), payoffs)
        if player == CHANCE:
            outcomes = game.chance(state)
            labels = tuple(label for label, _ in outcomes)
            probabilities = tuple(probability for _, probability in outcomes)
            assert min(probabilities) > 0
            assert math.isclose(sum(probabilities), 1, abs_tol=1e-12)
            infoset = ""
        else:
            assert 0 <= player < game.players
            labels, probabilities = tuple(game.actions(state)), ()
            infoset = game.infoset(state)
            assert infosets.setdefault(infoset, (player, labels)) == (player, labels), infoset
            # perfect recall: all histories of an infoset share the owner's last infoset and action
            assert recall.setdefault(infoset, own[player]) == own[player], infoset
        if labels not in menus:
            assert labels
            assert len(set(labels)) == len(labels)
            assert all(type(label) is str and label and "," not in label for label in labels)
            menus.add(labels)
        children = []
        for label in labels:
            known = own if player < 0 else (*own[:player], (infoset, label), *own[player + 1 :])
            children.append(visit(game.next(state, label), known))
        return Node(player, infoset, labels, tuple(children), probabilities, ())

    gc.disable()  # a large tree has no cycles to collect
    try:
        root = visit(game.initial(), (("", ""),) * game.players)
    finally:
        gc.enable()
    return Tree(root, game.players, count["nodes"], count["terminals"], infosets)


def play(game: Any, *labels: str) -> Any:
    """The state after a line of play, chance outcomes included; every label must be legal where it is played."""
    state = game.initial()
    for label in labels:
        chance = game.player(state) == CHANCE
        legal = [outcome for outcome, _ in game.chance(state)] if chance else game.actions(state)
        assert label in legal, (label, legal)
        state = game.next(state, label)
    return state


def outcome(game: Any, *labels: str) -> tuple[float, ...]:
    """The payoffs of a complete line of play."""
    state = play(game, *labels)
    assert game.player(state) == TERMINAL
    return tuple(game.payoffs(state))


def uniform(infoset: str, labels: Sequence[str]) -> Sequence[float]:
    return [1 / len(labels)] * len(labels)


def best_response(game_tree: Tree, seat: int, policy: Policy = uniform) -> float:
    """What `seat` earns by its best reply when everybody else follows `policy`."""

    def value(frontier: list[tuple[Node, float]]) -> float:
        total = 0.0
        groups: dict[str, list[tuple[Node, float]]] = defaultdict(list)
        while frontier:
            node, weight = frontier.pop()
            if node.player == TERMINAL:
                total += weight * node.payoffs[seat]
            elif node.player == seat:
                groups[node.infoset].append((node, weight))
            else:
                chances = node.probabilities or policy(node.infoset, node.labels)
                frontier.extend((child, weight * p) for child, p in zip(node.children, chances, strict=True))
        for group in groups.values():
            total += max(
                value([(node.children[index], weight) for node, weight in group])
                for index in range(len(group[0][0].labels))
            )
        return total

    return value([(game_tree.root, 1.0)])


def exploitability(game_tree: Tree, policy: Policy = uniform) -> float:
    """Mean over the seats of what a best reply to `policy` gains, in a zero-sum game."""
    return sum(best_response(game_tree, seat, policy) for seat in range(game_tree.players)) / game_tree.players

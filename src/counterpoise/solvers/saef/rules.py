"""An abstraction as a rule book, so that every solver and judge of general games can be asked about it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, GameView, load
from counterpoise.parameters import require
from counterpoise.solvers.saef.kernels.layouts import DEAL
from counterpoise.solvers.saef.tree import GrowingTree
from counterpoise.tree import Strategy, enumerate_game
from counterpoise.tree.kernels.layouts import FloatArray


class _At(NamedTuple):
    """A state of the rules, and its node in the tree."""

    state: Any
    node: int


class AbstractionRules(GameView):
    """One-card poker with the bets that an abstraction has at each decision; payoffs are those of the rule book.

    Infosets read "Q:r0.5c/K:c", as in `one_card_poker`.
    """

    def __init__(self, tree: GrowingTree) -> None:
        game = tree.game
        require(
            (game.suits, game.rounds) == (2, 2),
            f"only games of two suits and two rounds have a rule book, not {game.name}",
        )
        sizes = sorted({float(size) for size in tree.arrays.size[: tree.count] if size > 0.0})
        require(len(sizes) > 1, "a rule book needs more than one size of bet")
        super().__init__(
            load("one_card_poker", ranks=game.ranks, fractions=(sizes, sizes), max_bets=(game.max_bets,) * 2)
        )
        self.tree = tree
        self.name = f"{game.name} with {tree.live} nodes"

    def inner(self, state: _At) -> Any:
        """Return the state of the rules."""
        return state.state

    def initial(self) -> _At:
        """Return the state before the deal."""
        return _At(self.game.initial(), 0)

    def actions(self, state: _At) -> tuple[str, ...]:
        """Return the actions of the node."""
        return tuple(self.tree.action(child) for child in self.tree.children(state.node))

    def next(self, state: _At, action: str) -> _At:
        """Return the state after an action or a deal; the tree knows no private cards."""
        following = self.game.next(state.state, action)
        if self.game.player(state.state) != CHANCE:
            label = action
        elif state.state.cards:
            label = f"/{action}:"
        else:
            return _At(following, 0)
        steps = {self.tree.action(child): child for child in self.tree.children(state.node)}
        return _At(following, steps[label])


def to_strategy(tree: GrowingTree, rows: FloatArray) -> Strategy:
    """Return a strategy, [node, rank], as one for `AbstractionRules`."""
    checked, rules = tree.check_strategy(rows), enumerate_game(AbstractionRules(tree))
    return Strategy.from_mapping(rules, dict(_decisions(tree, checked)))


def from_strategy(tree: GrowingTree, strategy: Strategy) -> FloatArray:
    """Return a strategy for the rule book of an abstraction as rows, [node, rank]."""
    rows = np.ones((tree.count, tree.game.ranks))
    single = len(tree.sizes) == 1
    for node in range(tree.count):
        if tree.arrays.kind[node] < DEAL:
            history, children = tree.history(node), tree.children(node)
            labels = [tree.action(child) for child in children]
            if single:  # a rule book with one size does not say it
                size = f"r{tree.sizes[0]:g}"
                history, labels = history.replace(size, "r"), ["r" if label == size else label for label in labels]
            for rank, hand in enumerate(tree.game.hands):
                chosen = strategy.get(f"{hand}:{history}")
                if chosen is None or set(chosen) != set(labels):
                    raise InputError(
                        f"this strategy for {strategy.game} does not fit {tree.game.name}:"
                        f" it needs {', '.join(labels)} at {hand}:{history}"
                    )
                rows[children, rank] = [chosen[label] for label in labels]
    return rows


def _decisions(tree: GrowingTree, rows: FloatArray) -> Any:
    """Yield each infoset with its actions and their probabilities."""
    for node in range(tree.count):
        if tree.arrays.kind[node] < DEAL:
            children, history = tree.children(node), tree.history(node)
            for rank, hand in enumerate(tree.game.hands):
                yield f"{hand}:{history}", {tree.action(child): float(rows[child, rank]) for child in children}

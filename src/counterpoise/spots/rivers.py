"""The strategies of a solved spot: all of them, or those without the last street, which is then solved when needed.

Given the ranges that arrive from the stored streets, a river is a game of its own; its solution is exact for these
ranges and need not be the one that was left out.
"""

from __future__ import annotations

import threading
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.cards import format_cards
from counterpoise.errors import InputError
from counterpoise.public import HoldemGame, Learning, NodeValues, Profile, PublicNode, StreetValues, Traverser
from counterpoise.solvers import RegretMatching
from counterpoise.solvers.public.solver import public_schedule
from counterpoise.spots.engine import DEFAULT_ALGORITHM, settings_of
from counterpoise.spots.lru_cache import LruCache

RIVER_ITERATIONS = 200
MOST_STREETS = 32
"""The number of streets whose values at all decisions are kept, some megabytes each at most."""
NO_EARLIER_STREET = "a spot on the river has no earlier street: save it with its river"


class StoredStrategies:
    """The average strategies of a game, all of which are known."""

    def __init__(self, game: HoldemGame, average: Profile) -> None:
        self.game, self.average = game, average
        self._streets = LruCache[StreetValues](MOST_STREETS)

    @cached_property
    def hand_names(self) -> tuple[list[str], list[str]]:
        """The hands of both players, in the game's order."""
        first, second = ([format_cards(hand[::-1], "") for hand in hands.tolist()] for hands in self.game.hands)
        return first, second

    def at(self, node: PublicNode) -> Profile:
        """Return strategies that are valid at a node and on the path to it."""
        return self.average

    def below(self, node: PublicNode) -> Profile:
        """Return strategies that are valid at a node, on the path to it and below it."""
        return self.average

    def values(self, node: PublicNode) -> NodeValues:
        """Return the counterfactual values of a decision; those of its street's deals are computed once and kept."""
        if node.street_tree.street == self.game.streets - 1:
            return node.values(self.average)
        return self._streets.get((node.tree, node.board), lambda: StreetValues(node, self.average)).at(node)


class LazyRivers(StoredStrategies):
    """Average strategies without those of the last street, which is solved on demand, one river at a time.

    The variant of CFR that solved the earlier streets solves the rivers too; the default if it was no such variant.
    """

    def __init__(self, game: HoldemGame, bits: int, upper: dict[str, NDArray[Any]], algorithm: str) -> None:
        """`upper` is what `upper_streets` returned."""
        settings = settings_of(algorithm)
        self.settings = settings if isinstance(settings, RegretMatching) else DEFAULT_ALGORITHM
        self._learning = Learning.fresh(game, bits, self.settings.predictive)
        super().__init__(game, self._learning.average)
        self.solved, self._lock = set[tuple[int, int]](), threading.Lock()
        for name, array in self.average.arrays("average").items():
            begin = 0
            for part in _upper_parts(game, name):
                array[part] = upper[name][begin : begin + part.stop - part.start]
                begin += part.stop - part.start

    def at(self, node: PublicNode) -> Profile:
        """Return strategies that are valid at a node, having solved its river."""
        if node.street_tree.street == self.game.streets - 1:
            self._solve(node)
        return self.average

    def below(self, node: PublicNode) -> Profile:
        """Return strategies that are valid at and below a node, having solved all rivers there."""
        self.at(node)
        if node.street_tree.street < self.game.streets - 1:
            for decision in node.decisions_below():
                if decision.street_tree.street == self.game.streets - 1 and decision.at[1] == 0:
                    self._solve(decision)
        return self.average

    def values(self, node: PublicNode) -> NodeValues:
        """Return the counterfactual values of a decision; only the rivers below it are solved for them."""
        return node.values(self.below(node))

    def _solve(self, node: PublicNode) -> None:
        """Solve a street tree of the last street on one board, once for all callers."""
        where = node.tree, node.board
        with self._lock:
            if where in self.solved:
                return
            for profile in self._learning.profiles.values():
                profile.clear_on(*where)  # an attempt that Ctrl-C ended may have left numbers there
            reach = node.start_reach(self.average)
            most = reach.max(axis=1, keepdims=True)
            arriving = (reach / np.where(most > 0, most, 1)).astype(np.float32)
            schedule = public_schedule(self.settings, 0, RIVER_ITERATIONS)
            Traverser(self.game).iterate_below(*where, arriving, self._learning, schedule)
            self.solved.add(where)


def upper_streets(average: Profile) -> dict[str, NDArray[Any]]:
    """Return the average strategy of all streets but the last, as arrays to save."""
    game = average.game
    assert isinstance(game, HoldemGame)
    if game.streets == 1:
        raise InputError(NO_EARLIER_STREET)
    return {
        # Regrets, which the current strategies of some algorithms are matched from, may be negative.
        name: np.maximum(np.concatenate([array[part] for part in _upper_parts(game, name)]), 0)
        for name, array in average.arrays("average").items()
    }


def _upper_parts(game: HoldemGame, name: str) -> list[slice]:
    """Return the parts of an array of a profile that belong to the streets before the last."""
    parts = game.stored_before(game.streets - 1)
    return [rows if name.endswith(".scale") else entries for entries, rows in parts]

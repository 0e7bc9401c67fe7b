"""A family of games as one enumerated tree whose payoffs are affine in the parameters (BROWN 4.2.1).

With N parameters the payoffs are u(z) = beta_z + sum_d alpha_zd theta_d, so N + 1 enumerations determine them: one at
the lower corner of the parameters' box and one with each parameter at its upper end. One more inside the box tells
whether the payoffs are affine and the structure is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from counterpoise.errors import InputError
from counterpoise.games import game_name
from counterpoise.progress import CancelToken, Progress
from counterpoise.solvers.bet_sizes.family import Family
from counterpoise.tree import Tree, enumerate_game
from counterpoise.tree.kernels.layouts import FloatArray

TOLERANCE = 1e-9
"""Of payoffs that are affine up to rounding, relative to the largest."""
INSIDE = 0.381966
"""Where in the box the payoffs are checked: at this share of the first parameter's interval, and on by as much."""

Box = tuple[tuple[float, float], ...]


@dataclass(frozen=True, eq=False)
class AffineGame:
    """The structure that all games of a family share, and the terms of their payoffs.

    Term 0 is the constant, term d + 1 what parameter d is multiplied by; each is a row of `table`, which are the
    payoffs of the sequence form, and of `payoffs`, those of the terminals.
    """

    family: Family
    box: Box
    structure: Tree
    table: FloatArray
    payoffs: FloatArray

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(self.family.names)

    @cached_property
    def payoff_range(self) -> FloatArray:
        """L(I): the largest payoff range below each infoset of any game in the box; convex, so it is at a corner."""
        return np.asarray(np.max([self.at(corner).payoff_range for corner in product(*self.box)], axis=0))

    def require_two_player_zero_sum(self, method: str) -> None:
        """Refuse, with the reason, a family outside the scope of a method that needs two-player zero-sum games."""
        for corner in product(*self.box):
            self.at(corner).require_two_player_zero_sum(method)

    def at(self, theta: Sequence[float] | FloatArray) -> Tree:
        """Return the enumerated game at a point, without enumerating it again."""
        tree, game = self.structure, self.family.at([float(number) for number in theta])
        return replace(
            tree,
            name=game_name(game),
            game=game,
            form=tree.form._replace(values=combine(theta, self.table)),
            histories=tree.histories._replace(payoffs=combine(theta, self.payoffs)),
        )


def enumerate_family(
    family: Family, box: Box, *, progress: Progress | None = None, cancel: CancelToken | None = None
) -> AffineGame:
    """Return a family as arrays; refuse one whose payoffs are not affine or whose structure changes in the box."""
    low, high = np.array(box, dtype=np.float64).T
    corners = [low, *(np.where(np.arange(len(low)) == d, high, low) for d in range(len(low)))]
    inside = low + (high - low) * (INSIDE * np.arange(1, len(low) + 1) % 1.0)
    trees = [enumerate_game(family.at(point), progress=progress, cancel=cancel) for point in (*corners, inside)]
    first, *_, last = trees
    for tree in trees[1:]:
        if not same_structure(first, tree):
            raise InputError(
                f"{', '.join(family.names)} must change nothing but payoffs: {first.name} and {tree.name} differ in"
                " their histories, information sets or chances"
            )
    table, payoffs = (
        _terms(low, high, rows)
        for rows in ([tree.form.values for tree in trees[:-1]], [tree.histories.payoffs for tree in trees[:-1]])
    )
    error = np.abs(combine(inside, payoffs) - last.histories.payoffs).max()
    if error > TOLERANCE * max(1.0, np.abs(payoffs).max()):
        raise InputError(
            f"the payoffs must be affine in {', '.join(family.names)}: those of {last.name} differ by {error:.3g} from"
            " what the ends of the box tell"
        )
    return AffineGame(family, box, first, table, payoffs)


def combine(theta: Sequence[float] | FloatArray, terms: FloatArray) -> FloatArray:
    """Return an affine function at a point, entry by entry: equal terms make entries that are equal to the last bit."""
    total: FloatArray = terms[0].copy()
    for number, term in zip(theta, terms[1:], strict=True):
        total += number * term
    return total


def _terms(low: FloatArray, high: FloatArray, corners: Sequence[FloatArray]) -> FloatArray:
    """Return the terms of what is known at the lower corner and with each parameter at its upper end."""
    first, *others = corners
    slopes = [(other - first) / width for other, width in zip(others, high - low, strict=True)]
    return np.array([combine(-low, np.array([first, *slopes])), *slopes])


def same_structure(one: Tree, other: Tree) -> bool:
    """Whether two games differ in nothing but payoffs and the names of actions and infosets."""
    arrays = ([*tree.form[:-1], *tree.histories[:-1]] for tree in (one, other))  # payoffs come last in both
    return one.players == other.players and all(np.array_equal(*pair) for pair in zip(*arrays, strict=True))

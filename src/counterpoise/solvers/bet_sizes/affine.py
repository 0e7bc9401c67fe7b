"""A family of games as one enumerated tree whose payoffs are affine in the parameters (Brown 2020, section 4.2.1).

With N parameters the payoffs are u(z) = beta_z + sum_d alpha_zd theta_d, so N + 1 enumerations determine them: one at
the lower corner of the parameters' box and one with each parameter at its upper end. One more inside the box tells
whether the payoffs are affine and the structure is the same everywhere.

Stacks cut payoffs off (as in Brown 2020, section 4.2.6): what is bet beyond them changes nothing, and the tree stays as
it is. The game at a point has the payoffs that are cut off there; when regrets are transferred to another point they
are assumed to change as if there were no stacks, an error that vanishes as the parameters converge.
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
from counterpoise.solvers.bet_sizes.family import Family, FieldFamily
from counterpoise.solvers.bet_sizes.terminals import Terminals
from counterpoise.tree import Tree, enumerate_game
from counterpoise.tree.kernels.layouts import FloatArray

TOLERANCE = 1e-9
"""The tolerance of the check that payoffs are affine, relative to the largest."""
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
    cap: float = np.inf
    """The stack: payoffs are cut off where they are larger."""

    @cached_property
    def terminals(self) -> Terminals:
        """Where the terminals stand in the payoff table."""
        return Terminals(self.structure)

    def terms(self, theta: Sequence[float] | FloatArray) -> FloatArray:
        """Return the terms of the payoff table around a point, at which they add up to the payoffs cut off there."""
        if self.cap == np.inf:
            return self.table
        exact = self.terminals.table(self._payoffs_at(theta))
        return np.array([exact - combine(theta, np.array([0 * exact, *self.table[1:]])), *self.table[1:]])

    def terms_by_deal(self, theta: Sequence[float] | FloatArray) -> FloatArray:
        """Return the same for each deal that may be drawn (see `Terminals.deals`), [deal, term, entry]."""
        exact, slopes = self._payoffs_at(theta), self.payoffs[1:]
        constant = exact - combine(theta, np.array([0 * exact, *slopes]))
        terms = [constant, *slopes]
        return np.array(
            [[self.terminals.table(often[:, None] * term) for term in terms] for often in self.terminals.deals[1]]
        )

    def _payoffs_at(self, theta: Sequence[float] | FloatArray) -> FloatArray:
        return combine(theta, self.payoffs).clip(-self.cap, self.cap)

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
        payoffs = self._payoffs_at(theta)
        values = combine(theta, self.table) if self.cap == np.inf else self.terminals.table(payoffs)
        return replace(
            tree,
            name=game_name(game),
            game=game,
            form=tree.form._replace(values=values),
            histories=tree.histories._replace(payoffs=payoffs),
        )


def enumerate_family(
    family: Family, box: Box, *, progress: Progress | None = None, cancel: CancelToken | None = None
) -> AffineGame:
    """Return a family as arrays; refuse one whose payoffs are not affine or whose structure changes in the box.

    Of a family with stacks (`FieldFamily.without_stacks`) the payoffs without them must be affine.
    """
    free, cap = family.without_stacks() if isinstance(family, FieldFamily) else (family, np.inf)
    low, high = np.array(box, dtype=np.float64).T
    corners = [low, *(np.where(np.arange(len(low)) == d, high, low) for d in range(len(low)))]
    inside = low + (high - low) * (INSIDE * np.arange(1, len(low) + 1) % 1.0)
    trees = [
        enumerate_game(game, progress=progress, cancel=cancel) for game in (*map(free.at, corners), family.at(inside))
    ]
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
    error = np.abs(combine(inside, payoffs).clip(-cap, cap) - last.histories.payoffs).max()
    if error > TOLERANCE * max(1.0, np.abs(payoffs).max()):
        raise InputError(
            f"the payoffs must be affine in {', '.join(family.names)}: those of {last.name} differ by {error:.3g} from"
            " what the ends of the box tell"
        )
    return AffineGame(family, box, first, table, payoffs, cap)


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
    """Return whether two games differ only in payoffs and the names of actions and infosets."""
    arrays = ([*tree.form[:-1], *tree.histories[:-1]] for tree in (one, other))  # payoffs come last in both
    return one.players == other.players and all(np.array_equal(*pair) for pair in zip(*arrays, strict=True))

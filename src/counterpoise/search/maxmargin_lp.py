"""Search by linear programming: exact, slow, and built from the rules alone, so that the gadgets can be checked against
it.

The searcher's realisation plan x has one weight per infoset and action (times the searcher's reach of the root); y(I)
bounds the counterfactual value of each infoset I of the opponent from above, and w(h) that of each of its hands at the
root:

    y(I) >= (payoffs right after action a at I) x + sum of y over the infosets that follow     for every a,
    w(h) >= (payoffs before the opponent acts) x + sum of y over the first infosets of hand h.

- maxmargin: maximise m with w(h) / N(h) + m <= alternative(h) for every hand (Moravcik et al. 2016; Brown 2020, section
  5.1.2). With limits on the values it is also subject to w(h) / N(h) <= limit(h), which keeps estimates safe (Brown
  2020, section 5.1.4).
- the best with a fixed trunk: minimise the sum of w, where the searcher's plan is free in the subgames only.

Solved by HiGHS.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL, Game, game_name
from counterpoise.parameters import require_seat
from counterpoise.public.histories import private_deals
from counterpoise.search.subgame import FloatArray, Subgame
from counterpoise.tree import Strategy

Row = dict[int, float]
"""Weights of variables, by their numbers."""
_INFEASIBLE = 2
"""What `scipy.optimize.linprog` says of constraints that exclude one another."""
Choices = dict[str, dict[str, float]]
"""Probabilities of a player's actions by the label of its infoset."""


class Margins(NamedTuple):
    """The searcher's strategy, the smallest margin, and the value (at most) of each hand of the opponent."""

    strategy: Choices
    margin: float
    values: FloatArray


def maxmargin_lp(found: Subgame, alternative: NDArray[Any], limits: NDArray[Any] | None = None) -> Margins:
    """Return the strategy of the searcher whose smallest margin against the alternatives is as large as possible.

    `limits` are values that no hand of the opponent may exceed. Both are conditional.
    """
    hands, reach, mass = found.dense.deals.hands, found.game.reach_at_root(found.searcher), found.mass
    if not (mass > 0).any():
        raise InputError(f"{found.name}: the searcher's strategy never gets there, so there are no margins")
    alternative = found.per_hand("alternative", alternative)
    limits = None if limits is None else found.per_hand("limits", limits)
    programme = _Programme(
        found.dense.rules,
        found.searcher,
        lambda deal: (int(hands[found.opponent][deal]), float(reach[hands[found.searcher][deal]])),
        lambda label: None,
    )
    margin = programme.variable(lowest=None)
    for hand, value in programme.hand_values.items():
        if mass[hand] > 0:
            programme.at_most({value: 1.0, margin: mass[hand]}, float(alternative[hand]) * mass[hand])
            if limits is not None:
                programme.at_most({value: 1.0}, float(limits[hand]) * mass[hand])
    solution = programme.solve({margin: -1.0})
    values = np.full(len(mass), np.nan)
    for hand, value in programme.hand_values.items():
        if mass[hand] > 0:
            values[hand] = solution[value] / mass[hand]
    return Margins(programme.choices(solution), float(solution[margin]), values)


def best_with_trunk_lp(game: Game, searcher: int, trunk: Strategy, inside: Collection[str]) -> Choices:
    """Return the searcher's least exploitable strategy of those that differ from `trunk` only at the infosets `inside`.

    `inside` are labels of the searcher; whatever follows one of them must be among them. Infosets that the trunk never
    reaches are left out of the answer.
    """
    require_seat("searcher", searcher)
    programme = _Programme(
        game, searcher, lambda deal: (0, 1.0), lambda label: None if label in inside else trunk[searcher, label]
    )
    return programme.choices(programme.solve({programme.hand_values[0]: 1.0}))


class _Programme:
    """Variables, constraints and the walk through the rules that makes them.

    `hand_of` returns per deal the opponent's hand and the searcher's reach; `fixed` returns what the searcher does at
    an infoset, or None where it is free.
    """

    def __init__(
        self,
        game: Game,
        searcher: int,
        hand_of: Callable[[int], tuple[int, float]],
        fixed: Callable[[str], Mapping[str, float] | None],
    ) -> None:
        self.game, self.searcher, self.fixed = game, searcher, fixed
        self.plan: dict[str, dict[str, int]] = {}
        """Variables of the searcher's actions by infoset."""
        self.hand_values: dict[int, int] = {}
        """Variables of the values of the opponent's hands at the root."""
        self._lowest: list[float | None] = []
        self._at_most: list[tuple[Row, float]] = []
        self._equal: list[tuple[Row, float]] = []
        self._infoset_values: dict[str, int] = {}
        self._payoffs: dict[int | tuple[str, str], Row] = {}
        """What a hand has before the opponent acts, and after an action of the opponent at an infoset."""
        always = self.variable()
        self._equal.append(({always: 1.0}, 1.0))
        for deal, (_, state, likely) in enumerate(private_deals(game)):
            hand, reach = hand_of(deal)
            if hand not in self.hand_values:
                self.hand_values[hand] = self.variable(lowest=None)
                self._payoffs[hand] = {}
            self._walk(state, likely * reach, always, hand)
        for after, row in self._payoffs.items():
            bound = self.hand_values[after] if isinstance(after, int) else self._infoset_values[after[0]]
            self.at_most({bound: -1.0, **row}, 0.0)

    def variable(self, lowest: float | None = 0.0) -> int:
        """Return the number of a new variable."""
        self._lowest.append(lowest)
        return len(self._lowest) - 1

    def at_most(self, row: Row, limit: float) -> None:
        """Add a constraint."""
        self._at_most.append((row, limit))

    def solve(self, costs: Row) -> FloatArray:
        """Return the values of all variables at the least total cost."""
        from scipy.optimize import linprog

        objective = np.zeros(len(self._lowest))
        objective[list(costs)] = list(costs.values())
        found = linprog(
            objective,
            A_ub=self._matrix(self._at_most),
            b_ub=[limit for _, limit in self._at_most],
            A_eq=self._matrix(self._equal),
            b_eq=[limit for _, limit in self._equal],
            bounds=[(lowest, None) for lowest in self._lowest],
            method="highs",
        )
        if found.status == _INFEASIBLE:
            raise InputError("limits cannot all be kept: every strategy lets some hand of the opponent win more")
        if found.status != 0 or found.x is None:
            raise InputError(f"{game_name(self.game)}: the linear programme has no solution: {found.message}")
        return np.asarray(found.x, dtype=np.float64)

    def choices(self, solution: FloatArray) -> Choices:
        """Return the searcher's strategy; uniform where the plan has no weight."""
        out = {}
        for label, variables in self.plan.items():
            weights = np.maximum(solution[list(variables.values())], 0.0)
            shares = weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1 / len(weights))
            out[label] = dict(zip(variables, shares.tolist(), strict=True))
        return out

    def _walk(self, root: Any, weight: float, always: int, hand: int) -> None:
        """Add the variables and payoffs of everything that may follow a deal.

        The stack has states, each with the probability of chance and fixed play so far, the searcher's last variable,
        and the hand or the action of the opponent whose payoffs follow.
        """
        game = self.game
        stack: list[tuple[Any, float, int, int | tuple[str, str]]] = [(root, weight, always, hand)]
        while stack:
            state, weight, own, after = stack.pop()
            player = game.player(state)
            if weight <= 0:
                continue
            if player == TERMINAL:
                row = self._payoffs[after]
                row[own] = row.get(own, 0.0) + weight * game.payoffs(state)[1 - self.searcher]
                continue
            if player == CHANCE:
                stack += [(game.next(state, name), weight * likely, own, after) for name, likely in game.chance(state)]
                continue
            label, actions = game.infoset(state), game.actions(state)
            if player != self.searcher:
                if label not in self._infoset_values:
                    self._infoset_values[label] = self.variable(lowest=None)
                    self._payoffs[after][self._infoset_values[label]] = 1.0
                    self._payoffs.update({(label, action): {} for action in actions})
                stack += [(game.next(state, action), weight, own, (label, action)) for action in actions]
                continue
            given = self.fixed(label)
            if given is not None:
                stack += [(game.next(state, action), weight * given[action], own, after) for action in actions]
                continue
            if label not in self.plan:
                self.plan[label] = {action: self.variable() for action in actions}
                self._equal.append(({own: -1.0, **dict.fromkeys(self.plan[label].values(), 1.0)}, 0.0))
            stack += [(game.next(state, action), weight, self.plan[label][action], after) for action in actions]

    def _matrix(self, rows: list[tuple[Row, float]]) -> Any:
        from scipy import sparse

        numbers = np.repeat(np.arange(len(rows)), [len(row) for row, _ in rows])
        columns = [variable for row, _ in rows for variable in row]
        weights = [weight for row, _ in rows for weight in row.values()]
        return sparse.csr_array((weights, (numbers, columns)), shape=(len(rows), len(self._lowest)))

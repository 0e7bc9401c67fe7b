"""A spot that is solved while the bet sizes of one player move, for the ascent of `counterpoise.solvers`.

Sizes are shares of the pot in per cent, some for each street, and real numbers here: all chips are multiplied so that
rounding to whole ones does not matter. A change of sizes builds the betting anew, which takes milliseconds, on the same
boards; regrets and averages move along (`PublicSolver.carry_to`). A bet of the remaining stack or more is all-in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import Betting, Rake
from counterpoise.betting.sizes import BetSizes
from counterpoise.public import HoldemGame, Profile, Traverser, build_holdem, copy_profile
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.spots.engine import DEFAULT_ALGORITHM
from counterpoise.spots.sizes.tables import exchange_bets, streets_of, words_of
from counterpoise.spots.spot import Spot

FINE_POT = 10**5
"""Chips of the starting pot, at least, while sizes are searched."""
CHECK_EVERY = 20
NUDGE = 0.02
"""The distance from a size, on a log scale, at which payoffs are compared for a slope."""

FloatArray = NDArray[np.float64]
Sizes = Mapping[str, Sequence[float]]
"""Sizes of bets in per cent of the pot, by street."""


class ClimberState(NamedTuple):
    """Where a climber is, and the numbers of its solver, once it has one."""

    theta: FloatArray
    traversals: int
    bits: int
    solver: dict[str, NDArray[Any]] | None


class SizeClimber:
    """The spot with given sizes of one player's bets, solved from the strategies of the last sizes."""

    def __init__(self, spot: Spot, seat: int, count: int, threads: int, bits: int) -> None:
        self.spot, self.seat, self.count = spot, seat, count
        self.streets = streets_of(spot)
        factor = max(1, -(-FINE_POT // spot.pot))
        cap = None if spot.rake.cap is None else factor * spot.rake.cap
        betting = Betting.spot(
            factor * spot.pot,
            factor * spot.stack,
            spot.first_round,
            factor * spot.min_bet,
            Rake(spot.rake.percent, cap),
        )
        self.tables = {street: _finer(table, factor) for street, table in spot.size_tables.items()}
        self.rules = replace(spot.rules, betting=betting)
        self.threads, self.bits = threads, bits
        self.theta: FloatArray = np.zeros(count * len(self.streets))
        self.traversals = 0
        """Passes over the tree for one player: two for an iteration, two to judge strategies."""
        self._boards: HoldemGame | None = None
        self._solver: PublicSolver | None = None

    def state(self) -> ClimberState:
        """Return where it is."""
        solver = None if self._solver is None else self._solver.state()
        return ClimberState(self.theta, self.traversals, self.bits, solver)

    def restore(self, state: ClimberState) -> None:
        """Continue where another climber of the same spot was."""
        self.theta, self.traversals = state.theta, state.traversals
        if state.solver is not None:
            self._solver = PublicSolver(DEFAULT_ALGORITHM, self._game(state.theta), self.threads, self.bits)
            self._solver.restore(state.solver)

    @property
    def worth(self) -> float:
        """The number of iterations that those done so far are worth."""
        return 0.0 if self._solver is None else self._solver.iteration

    def sizes(self, theta: FloatArray) -> dict[str, list[float]]:
        """Return the sizes by street, the smallest first, of all parameters in a row."""
        rows = theta.reshape(len(self.streets), self.count)
        return {street: sorted(row.tolist()) for street, row in zip(self.streets, rows, strict=True)}

    def move(self, theta: FloatArray, worth: int) -> None:
        """Continue with other sizes; the past is worth this many iterations at most."""
        game = self._game(theta)
        if self._solver is None or worth == 0:
            self._solver = PublicSolver(DEFAULT_ALGORITHM, game, self.threads, self.bits)
        else:
            self._solver = self._solver.carry_to(game, worth)
        self.theta = theta

    def step(self, iterations: int) -> None:
        """Run iterations."""
        assert self._solver is not None
        self._solver.step(iterations)
        self.traversals += 2 * iterations

    def slopes(self) -> FloatArray:
        """Return the derivative of the seat's value by the logarithm of each size, in per cent of the pot."""
        assert self._solver is not None
        found = []
        for place in range(len(self.theta)):
            both = []
            for side in (NUDGE, -NUDGE):
                theta = self.theta.copy()
                theta[place] *= np.exp(side)
                both.append(self._value(self._game(theta), self._solver.average))
            found.append((both[0] - both[1]) / (2 * NUDGE))
        return np.array(found)

    def judge(self) -> tuple[float, float]:
        """Return the seat's winnings and their error bound, in per cent of the pot."""
        assert self._solver is not None
        self.traversals += 2
        low, high = value_bounds(self._solver.traverser, self._solver.average, self.seat)
        pot = self.rules.betting.pot
        return 50 + 50 * (low + high) / pot, 50 * (high - low) / pot

    def solve_to(self, target: float, most: int) -> tuple[float, float]:
        """Iterate until the error is small enough or `most` iterations are done; return the result of `judge`."""
        done = 0
        while True:
            self.step(CHECK_EVERY)
            done += CHECK_EVERY
            value, error = self.judge()
            if error <= target or done >= most:
                return value, error

    def _value(self, game: HoldemGame, average: Profile) -> float:
        self.traversals += 2
        return (
            100
            * float(Traverser(game, self.threads).root_values(copy_profile(average, game))[self.seat])
            / game.betting.pot
        )

    def _game(self, theta: FloatArray) -> HoldemGame:
        if self._boards is None:  # all-in bets, so that the boards have every run-out that later sizes may need
            self._boards = self._game_with({street: ["allin"] for street in self.streets})
        return self._game_with({street: words_of(own) for street, own in self.sizes(theta).items()})

    def _game_with(self, words: Mapping[str, list[str]]) -> HoldemGame:
        tables = exchange_bets(self.tables, self.seat, words)
        sizes = BetSizes.read(tables, self.spot.first_round)
        return build_holdem(replace(self.rules, sizes=sizes), share_boards_with=self._boards)


def value_bounds(traverser: Traverser, average: Profile, seat: int) -> tuple[float, float]:
    """Return the least that a player's strategy wins and the most that anything wins against the other's, in chips.

    Zero is half the pot. The value of the game is between the two, and their distance is twice the exploitability. With
    rake, the sum of both strategies' winnings takes the place of the constant sum.
    """
    best = traverser.best_response_values(average)
    total = 0.0 if traverser.game.zero_sum else float(traverser.root_values(average).sum())
    return total - float(best[1 - seat]), float(best[seat])


def _finer(words: Any, factor: int) -> Any:
    """Return tables, lists and words of sizes in which amounts of chips are multiplied."""
    if isinstance(words, Mapping):
        return {key: _finer(own, factor) for key, own in words.items()}
    if isinstance(words, list | tuple):
        return [_finer(word, factor) for word in words]
    word = str(words).strip()
    return f"{int(word[:-1]) * factor}c" if word.lower().endswith("c") else word

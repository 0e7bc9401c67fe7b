"""Solve a spot with several sets of bet sizes of one player; keep the value of each, and the best solution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from counterpoise.betting.words import PLAYERS
from counterpoise.parameters import require, require_choice
from counterpoise.progress import CancelToken, Progress, SilentProgress
from counterpoise.public import Traverser
from counterpoise.solvers import Algorithm
from counterpoise.spots.sizes.climber import value_bounds
from counterpoise.spots.sizes.result import SizeSet
from counterpoise.spots.sizes.tables import exchange_bets, sizes_of, streets_of, with_bets
from counterpoise.spots.solution import Solution
from counterpoise.spots.solve import solve_spot
from counterpoise.spots.spot import SizeTable, Spot

ROUGH = 5.0
"""The multiple of the target that suffices to see whose bets matter."""

Words = Mapping[str, list[str]]
"""Sizes of bets by street, as a spot file writes them."""


class SolvesState(NamedTuple):
    """What solves have found so far."""

    sets: list[SizeSet]
    best: tuple[SizeSet, Solution] | None
    traversals: int
    done: int


class SizeSolver:
    """Solves of one spot with other bets of one player, each to the same target in per cent of the pot.

    `allowed` says which sets may be the best one; until one of them is solved, any other may.
    """

    def __init__(
        self,
        spot: Spot,
        target: float,
        threads: int,
        bits: int | None,
        algorithm: str | Algorithm | None,
        allowed: Callable[[Words], bool] = lambda words: True,
    ) -> None:
        self.spot, self.target, self.threads, self.allowed = spot, target, threads, allowed
        self.bits, self.algorithm = bits, algorithm
        self.sets: list[SizeSet] = []
        self.best: tuple[SizeSet, Solution] | None = None
        self.traversals = 0
        """Passes over the tree for one player."""
        self._progress: Progress = SilentProgress()
        self._token = CancelToken()
        self._done, self._total = 0, 1

    def watch(self, progress: Progress, token: CancelToken, total: int) -> None:
        """Show progress through a number of solves and searches, and stop when the token says so."""
        self._progress, self._token, self._total = progress, token, total

    def state(self) -> SolvesState:
        """Return what was found so far."""
        return SolvesState(list(self.sets), self.best, self.traversals, self._done)

    def restore(self, state: SolvesState) -> None:
        """Continue after the solves of another one for the same spot."""
        self.sets, self.best, self.traversals, self._done = list(state.sets), *state[1:]
        if self.best is not None:  # one of the sets, which what was sent elsewhere need not know
            found, solution = self.best
            self.best = next(one for one in self.sets if one == found), solution

    @property
    def cancelled(self) -> bool:
        """Whether the work has been cancelled."""
        return self._token.cancelled

    def show(self, figure: str) -> None:
        """Show a figure and how much is done."""
        self._progress.show(min(self._done / self._total, 0.99), figure)

    def part_done(self) -> None:
        """Count a part of the work as done."""
        self._done += 1

    def solve(self, name: str, seat: int, words: Words) -> None:
        """Solve the spot with the given bets, and keep it if it is the best so far."""
        solved = self.solve_tables(name, seat, exchange_bets(self.spot.size_tables, seat, words))
        if solved is not None and (self.best is None or self._rank(solved[0]) > self._rank(self.best[0])):
            self.best = solved

    def solve_tables(self, name: str, seat: int, tables: Mapping[str, SizeTable]) -> tuple[SizeSet, Solution] | None:
        """Solve the spot with the given sizes; return its value, or None if cancelled before the target."""
        self.show(f"{PLAYERS[seat]}: {name}")
        if self.cancelled:
            return None
        solution = self._solve(Spot.from_dict(self.spot.to_dict() | dict(tables)), self.target)
        if self.cancelled and not solution.reached:
            return None
        bets = {street: sizes_of(tables[street], "bet", seat) for street in streets_of(self.spot)}
        found = SizeSet(name, bets, *worth_to(solution, seat, self.threads))
        self.sets.append(found)
        self.part_done()
        self._progress.note(f"{name}: EV {found.ev_pct:.2f} % of the pot, within {found.error_pct:.2f}")
        return found, solution

    def seat_with_most_at_stake(self) -> tuple[int, dict[str, float] | None]:
        """Return the seat that would lose more without its bets, and what both would lose, in per cent of the pot.

        None if only one player has bets, or if cancelled.
        """
        betting = players_with_bets(self.spot)
        if len(betting) == 1:
            return betting[0], None
        self.show("whose bets matter more?")
        solution = self._solve(self.spot, ROUGH * self.target)
        lost = {}
        for seat, player in enumerate(PLAYERS):
            without = self._solve(
                with_bets(self.spot, seat, {street: [] for street in streets_of(self.spot)}), ROUGH * self.target
            )
            lost[player] = worth_to(solution, seat, self.threads)[0] - worth_to(without, seat, self.threads)[0]
            self.part_done()
        seat = max(range(2), key=lambda seat: lost[PLAYERS[seat]])
        return seat, None if self.cancelled else lost

    def _rank(self, one: SizeSet) -> tuple[bool, float]:
        return self.allowed(one.sizes), one.ev_pct

    def _solve(self, spot: Spot, target: float) -> Solution:
        solution = solve_spot(
            spot,
            target=target,
            threads=self.threads,
            bits=self.bits,
            algorithm=self.algorithm,
            progress=False,
            cancel=self._token,
        )
        self.traversals += 2 * solution.iterations
        return solution


def worth_to(solution: Solution, seat: int, threads: int = 1) -> tuple[float, float]:
    """Return a player's winnings and their error bound, in per cent of the pot."""
    low, high = value_bounds(Traverser(solution.game, threads), solution.stored.average, seat)
    pot = solution.spot.pot
    return 50 + 50 * (low + high) / pot, 50 * (high - low) / pot


def players_with_bets(spot: Spot) -> list[int]:
    """Return the seats that have sizes for bets on some street."""
    tables = [spot.size_tables[street] for street in streets_of(spot)]
    return [seat for seat in range(2) if any(sizes_of(table, "bet", seat) for table in tables)]


def check_seat(spot: Spot, seat: str | None) -> int | None:
    """Return 0 for "oop", 1 for "ip", None if the one to whom bets are worth more is to be found; there must be one."""
    if seat is None:
        require(bool(players_with_bets(spot)), "seat must be named, oop or ip: neither player of the spot has bets")
        return None
    require_choice("seat", seat, PLAYERS)
    return PLAYERS.index(seat)

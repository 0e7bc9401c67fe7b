"""Leave out bet sizes of one player while that costs little, to find a small set within a limit.

1. Solve the spot with all sizes, and measure how often the player uses each where it may.
2. Leave out the size that is used least, and solve again. If the total cost to the player is within the limit even with
   the largest errors of both solves, it stays out, and usage is read off the new solution; otherwise it is needed and
   put back.
3. Continue with the next until every remaining size is needed.

The other player keeps all its sizes. Sizes are left out one by one, so a smaller set may exist that this does not find;
there are at most as many solves as sizes.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

from counterpoise.betting.words import PLAYERS
from counterpoise.errors import Cancelled, InputError
from counterpoise.jobs import Driver, JobHistory, Limits, PiecesJob, refuse_unknown, takes
from counterpoise.parameters import is_number, require, shown
from counterpoise.progress import CancelToken, Progress, SilentProgress, as_progress
from counterpoise.solvers import Algorithm
from counterpoise.spots.estimate import Estimate, estimate
from counterpoise.spots.keywords import SizesKeywords
from counterpoise.spots.sizes.result import FILE, MENU, SimplifiedSizes, SizeSet
from counterpoise.spots.sizes.solves import SizeSolver, check_seat
from counterpoise.spots.sizes.tables import sizes_of, streets_of, with_bets
from counterpoise.spots.sizes.usage import Size, bet_usage, size_usage, sizes_in
from counterpoise.spots.solution import Solution
from counterpoise.spots.solve import worker_threads
from counterpoise.spots.spot import SizeTable, Spot

TARGET = 0.1
"""The exploitability of the solves, in per cent of the pot, unless another is given; at most FINER times the limit."""
FINER = 0.2
"""The largest target as a share of the limit: both solving errors then take up less than half of it."""


@takes(SizesKeywords)
def simplify_sizes(
    spot: Spot | str | os.PathLike[str],
    limit: float,
    *,
    seat: str | None = None,
    menu: Sequence[str] | None = None,
    target: float | None = None,
    **options: Unpack[SizesKeywords],
) -> SimplifiedSizes:
    """Return the smallest set of one player's sizes that costs it at most `limit` per cent of the pot.

    `seat` is oop or ip; by default the one to whom bets are worth more. It chooses from the sizes of the spot, or for
    its bets on every street from a `menu`, such as ["25%", "50%", "100%", "allin"]. Solves are to `target` per cent of
    the pot, which must be at most half of the limit. A search that ends early raises `Cancelled` if the spot with all
    sizes has not been solved.
    """
    refuse_unknown(simplify_sizes, options)
    given, goal = check_simplification(spot, limit, target)
    chosen, token = check_seat(given, seat), options.get("cancel") or CancelToken()
    with as_progress(options.get("progress")) as display:
        display.begin(f"bet sizes of {given.name or 'the spot'}")
        workers, bits = worker_threads(options.get("threads")), options.get("bits")
        solver = SizeSolver(given, goal, workers, bits, options.get("algorithm"))
        job = SimplifyJob(solver, chosen, menu, limit, display, token)
        return Driver(job, Limits(), SilentProgress(), cancel=token).run()


@dataclass
class Simplification:
    """How far a simplification is."""

    seat: int
    first: SizeSet
    """All sizes."""
    found: SizeSet
    """The smallest set so far."""
    solution: Solution
    """The spot with that set."""
    left: list[Size]
    needed: set[Size]
    dropped: list[Size]
    usage: dict[Size, float]
    """How often each size that is left is used."""

    @property
    def tried(self) -> int:
        """How many sizes were tried to be left out."""
        return len(self.needed) + len(self.dropped)

    def copy(self) -> Simplification:
        """Return the same, to be changed by itself."""
        return replace(self, left=list(self.left), needed=set(self.needed), dropped=list(self.dropped))

    def least_used(self) -> Size | None:
        """Return the size to try next; None if all that are left are needed."""
        candidates = (size for size in self.left if size not in self.needed)
        return min(candidates, key=lambda size: self.usage[size], default=None)


class SimplifyJob(PiecesJob[None, SimplifiedSizes]):
    """A simplification; its pieces are the solve with all sizes and one for each size that might be left out."""

    def __init__(
        self,
        solver: SizeSolver,
        seat: int | None,
        menu: Sequence[str] | None,
        limit: float,
        progress: Progress,
        cancel: CancelToken,
    ) -> None:
        self.solver, self.seat, self.menu, self.limit = solver, seat, menu, limit
        self.progress, self.cancel = progress, cancel
        self.so_far: Simplification | None = None

    @property
    def iteration(self) -> int:
        """How many pieces are done."""
        return 0 if self.so_far is None else 1 + self.so_far.tried

    def pieces(self) -> Generator[None, None, None]:
        """Do the pieces that are left."""
        if self.so_far is None:
            self._begin()
            yield
        so_far = self.so_far
        assert so_far is not None
        while (size := so_far.least_used()) is not None:
            self._try_without(so_far, size)
            yield

    def take(self, found: None) -> None:
        """Do nothing: a piece has changed what it found."""

    def state(self) -> Simplification | None:
        """Return how far it is."""
        return None if self.so_far is None else self.so_far.copy()

    def restore(self, state: Simplification | None) -> None:
        """Continue where another one of the same spot was."""
        if state is not None:
            self._offer_menu(state.seat)
            self.so_far = state.copy()

    def result(self, measured: None, history: JobHistory) -> SimplifiedSizes:
        """Return the smallest set so far; raise `Cancelled` if not even all sizes were solved."""
        so_far = self.so_far
        if so_far is None:
            raise Cancelled("cancelled before there was a result")
        return SimplifiedSizes(
            seat=PLAYERS[so_far.seat],
            sets=[so_far.found, *([so_far.first] if so_far.dropped else [])],
            usage=bet_usage(so_far.solution, so_far.seat, self.solver.threads),
            solution=so_far.solution,
            limit_pct=self.limit,
            dropped=[str(size) for size in so_far.dropped],
            **history.spent,
        )

    def _begin(self) -> None:
        """Solve the spot with all sizes of one player, and see how often each is used."""
        solver = self.solver
        solver.watch(self.progress, self.cancel, 1)
        seat = solver.seat_with_most_at_stake()[0] if self.seat is None else self.seat
        sizes = self._offer_menu(seat)
        full = solver.solve_tables(FILE if self.menu is None else MENU, seat, solver.spot.size_tables)
        if full is not None:
            found, solution = full
            usage = size_usage(solution, seat, solver.threads)
            self.so_far = Simplification(seat, found, found, solution, sizes, set(), [], usage)

    def _offer_menu(self, seat: int) -> list[Size]:
        """Let a player choose from the menu, if there is one, and return all its sizes."""
        solver = self.solver
        solver.spot = with_menu(solver.spot, seat, self.menu)
        sizes = sizes_in(solver.spot, seat)
        solver.watch(self.progress, self.cancel, 1 + len(sizes))
        return sizes

    def _try_without(self, so_far: Simplification, size: Size) -> None:
        """Solve the spot without a size, and leave it out if that costs little enough."""
        kept = so_far.solution.spot
        tables = leave_out(kept.size_tables, so_far.seat, size)
        told = f"without {size} (used {100 * so_far.usage[size]:.1f} %)"
        smaller = self.solver.solve_tables(told, so_far.seat, tables) if _has_bets(kept, tables) else None
        if smaller is None and self.cancel.cancelled:
            return
        if smaller is None or _most_cost(so_far.first, smaller[0]) > self.limit:
            so_far.needed.add(size)
            return
        so_far.found, so_far.solution = smaller
        so_far.left.remove(size)
        so_far.dropped.append(size)
        so_far.usage = size_usage(so_far.solution, so_far.seat, self.solver.threads)


def estimate_simplification(
    spot: Spot | str | os.PathLike[str],
    limit: float,
    *,
    seat: str | None = None,
    menu: Sequence[str] | None = None,
    target: float | None = None,
    bits: int | None = None,
    algorithm: str | Algorithm | None = None,
) -> Estimate:
    """Return the size of the tree with all sizes, and the most that `simplify_sizes` is expected to take."""
    given, goal = check_simplification(spot, limit, target)
    chosen = check_seat(given, seat)
    number = 1 if chosen is None else chosen
    whole = with_menu(given, number, menu)
    once = estimate(whole, target=goal, bits=bits, algorithm=algorithm)
    return replace(once, cpu_seconds=once.cpu_seconds * (1 + len(sizes_in(whole, number))))


def check_simplification(spot: Spot | str | os.PathLike[str], limit: float, target: float | None) -> tuple[Spot, float]:
    """Return the spot and the target of the solves; refuse inconsistent requests."""
    given = spot if isinstance(spot, Spot) else Spot.load(spot)
    require(is_number(limit) and limit > 0, f"simplify must be a positive number of per cent, not {shown(limit)}")
    if given.lock:
        raise InputError("the spot locks strategies at bets that might be left out: leave out lock")
    if target is None:
        return given, min(TARGET, FINER * limit)
    require(
        is_number(target) and 0 < target <= limit / 2,
        f"target must be a positive number of at most half of what sizes may cost, {limit / 2:g}, not {shown(target)}",
    )
    return given, target


def with_menu(spot: Spot, seat: int, menu: Sequence[str] | None) -> Spot:
    """Return the spot in which a player has the sizes of a menu for its bets on every street."""
    return spot if menu is None else with_bets(spot, seat, {street: list(menu) for street in streets_of(spot)})


def leave_out(tables: Mapping[str, SizeTable], seat: int, size: Size) -> dict[str, SizeTable]:
    """Return tables of sizes without one of a player's."""
    table = dict(tables[size.street])
    if size.kind == "donk":
        table["donk"] = [word for word in table["donk"] if word != size.word]
    else:
        lists = {player: sizes_of(table, size.kind, number) for number, player in enumerate(PLAYERS)}
        lists[PLAYERS[seat]].remove(size.word)
        table[size.kind] = lists
    return {**tables, size.street: table}


def _most_cost(first: SizeSet, smaller: SizeSet) -> float:
    """Return the largest possible cost of a smaller set, in per cent of the pot: the loss of EV and both solving
    errors."""
    return first.ev_pct - smaller.ev_pct + first.error_pct + smaller.error_pct


def _has_bets(spot: Spot, tables: Mapping[str, SizeTable]) -> bool:
    """Return whether any bet is left with other tables of sizes."""
    later = [tables[street] for street in streets_of(spot)]
    return any(table.get("donk") or sizes_of(table, "bet", seat) for table in later for seat in range(2))

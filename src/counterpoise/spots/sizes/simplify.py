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
from collections.abc import Mapping, Sequence
from dataclasses import replace

from counterpoise.betting.words import PLAYERS
from counterpoise.errors import Cancelled, InputError
from counterpoise.jobs import Clock
from counterpoise.parameters import is_number, require, shown
from counterpoise.progress import CancelToken, Progress, as_progress, cancel_on_interrupt
from counterpoise.solvers import Algorithm
from counterpoise.spots.estimate import Estimate, estimate
from counterpoise.spots.sizes.result import FILE, MENU, SimplifiedSizes, SizeSet
from counterpoise.spots.sizes.solves import SizeSolver, check_seat
from counterpoise.spots.sizes.tables import sizes_of, streets_of, with_bets
from counterpoise.spots.sizes.usage import Size, bet_usage, size_usage, sizes_in
from counterpoise.spots.solve import worker_threads
from counterpoise.spots.spot import SizeTable, Spot

TARGET = 0.1
"""The exploitability of the solves, in per cent of the pot, unless another is given; at most FINER times the limit."""
FINER = 0.2
"""The largest target as a share of the limit: both solving errors then take up less than half of it."""


def simplify_sizes(
    spot: Spot | str | os.PathLike[str],
    limit: float,
    *,
    seat: str | None = None,
    menu: Sequence[str] | None = None,
    target: float | None = None,
    threads: int | None = None,
    bits: int | None = None,
    algorithm: str | Algorithm | None = None,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> SimplifiedSizes:
    """Return the smallest set of one player's sizes that costs it at most `limit` per cent of the pot.

    `seat` is oop or ip; by default the one to whom bets are worth more. It chooses from the sizes of the spot, or for
    its bets on every street from a `menu`, such as ["25%", "50%", "100%", "allin"]. Solves are to `target` per cent of
    the pot, which must be at most half of the limit. Ctrl-C or `cancel` ends it early and returns the smallest set so
    far, or raises `Cancelled` if the spot with all sizes has not been solved.
    """
    clock = Clock()
    clock.start()
    given, goal = check_simplification(spot, limit, target)
    chosen = check_seat(given, seat)
    display = as_progress(progress)
    with display, cancel_on_interrupt(cancel) as token:
        display.begin(f"bet sizes of {given.name or 'the spot'}")
        solver = SizeSolver(given, goal, worker_threads(threads), bits, algorithm)
        solver.watch(display, token, 1)
        number = solver.seat_with_most_at_stake()[0] if chosen is None else chosen
        solver.spot = whole = with_menu(given, number, menu)
        left, needed, dropped = sizes_in(whole, number), set[Size](), list[Size]()
        solver.watch(display, token, 1 + len(left))
        full = solver.solve_tables(FILE if menu is None else MENU, number, whole.size_tables)
        if full is None:
            raise Cancelled("cancelled before there was a result")
        first, solution = full
        kept, found = whole, first
        usage = size_usage(solution, number, solver.threads)
        while candidates := sorted((size for size in left if size not in needed), key=lambda size: usage[size]):
            size = candidates[0]
            tables = leave_out(kept.size_tables, number, size)
            told = f"{size} (used {100 * usage[size]:.1f} %)"
            smaller = solver.solve_tables(f"without {told}", number, tables) if _has_bets(kept, tables) else None
            if smaller is None and token.cancelled:
                break
            if smaller is None or _most_cost(first, smaller[0]) > limit:
                needed.add(size)
                continue
            found, solution = smaller
            kept = solution.spot
            left.remove(size)
            dropped.append(size)
            usage = size_usage(solution, number, solver.threads)
        return SimplifiedSizes(
            seat=PLAYERS[number],
            sets=[found, *([first] if dropped else [])],
            usage=bet_usage(solution, number, solver.threads),
            solution=solution,
            seconds=clock.seconds,
            cpu_seconds=clock.cpu_seconds,
            interrupted=token.cancelled,
            limit_pct=limit,
            dropped=[str(size) for size in dropped],
        )


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

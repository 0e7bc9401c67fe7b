"""Find the best bet sizes of one player of a spot, and compare them with usual sets.

The player has one or two sizes per street for its bets; the other keeps the sizes of the spot, and raises and donk bets
stay as they are. So the answer is a best response in sizes: what one player gains by choosing better bets.

1. Without a seat, the spot is solved with no bets of either player in turn: the seat is the one that loses more.
2. From each start an ascent climbs to sizes of the highest value while the spot is being solved
   (`counterpoise.solvers.bet_sizes.slope_ascent`).
3. The sizes, rounded to whole per cent if that is inside the range, and the usual sets are solved for real, chips
   rounded as the rules say. If a usual set with no more sizes is better than what was found, one more ascent begins
   there.
4. The best of these is the answer, its EV and its gain are those of the solves, with their exploitability as error.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.words import PLAYERS
from counterpoise.errors import InputError
from counterpoise.jobs import Driver, JobHistory, Limits, PiecesJob, refuse_unknown, takes
from counterpoise.parameters import are_positive, is_list, is_number, require, require_whole, shown
from counterpoise.progress import CancelToken, Progress, SilentProgress, as_progress
from counterpoise.solvers import Algorithm
from counterpoise.solvers.bet_sizes.slope_ascent import Move, SlopeAscent, climb
from counterpoise.spots.estimate import Estimate, estimate
from counterpoise.spots.keywords import SizesKeywords, SolverKeywords
from counterpoise.spots.sizes.climber import ClimberState, SizeClimber
from counterpoise.spots.sizes.result import FILE, EvPoint, OptimisedSizes
from counterpoise.spots.sizes.solves import SizeSolver, SolvesState, Words, check_seat
from counterpoise.spots.sizes.tables import sizes_of, streets_of, with_bets, words_of
from counterpoise.spots.sizes.usage import bet_usage
from counterpoise.spots.solve import worker_threads
from counterpoise.spots.spot import Spot

USUAL = {"33/75/150 %": (33, 75, 150), "50/100 %": (50, 100), "33 %": (33,), "75 %": (75,), "100 %": (100,)}
"""Sets of sizes, the same on every street, that the sizes found are compared with."""
FOUND = "found"
STARTS = {1: ((33.0,), (150.0,)), 2: ((33.0, 100.0), (75.0, 200.0))}
"""Sizes of every street where ascents start."""
SIZE_RANGE = (10.0, 300.0)
SIZES_TARGET = 0.1
"""The exploitability of the solves, in per cent of the pot, unless another is given."""
SAME = 0.06
"""Sizes whose logarithms differ by less are treated as one."""
SEARCH_ITERATIONS = 500
"""The approximate number of iterations of an ascent."""
CURVE_POINTS, CURVE_WORTH, CURVE_ITERATIONS = 9, 60, 300


@takes(SizesKeywords)
def optimise_sizes(
    spot: Spot | str | os.PathLike[str],
    count: int = 1,
    *,
    seat: str | None = None,
    size_range: tuple[float, float] = SIZE_RANGE,
    starts: Sequence[Sequence[float]] | None = None,
    compare: Mapping[str, Sequence[float]] = USUAL,
    target: float = SIZES_TARGET,
    settings: SlopeAscent | None = None,
    curves: bool = False,
    **options: Unpack[SizesKeywords],
) -> OptimisedSizes:
    """Return the best `count` (1 or 2) bet sizes per street of one player of a spot, in per cent of the pot.

    `seat` is oop or ip; by default the one to whom bets are worth more. Sizes are sought inside `size_range`, from
    `starts`: each lists `count` sizes, for every street, or as many for each street in turn. What is found is compared
    with the spot's own sizes and with those of `compare`, by solves to `target` per cent of the pot. With `curves` the
    EV against each size is computed too. A search that ends early raises `Cancelled` if no set with so few sizes has
    been solved.
    """
    refuse_unknown(optimise_sizes, options)
    require(
        settings is None or isinstance(settings, SlopeAscent), f"settings must be a SlopeAscent, not {shown(settings)}"
    )
    search = _Search.begin(spot, count, seat, size_range, starts, compare, target, options)
    token = options.get("cancel") or CancelToken()
    with as_progress(options.get("progress")) as display:
        display.begin(f"bet sizes of {search.spot.name or 'the spot'}")
        job = SizesJob(search, settings or SlopeAscent(), curves, display, token)
        return Driver(job, Limits(), SilentProgress(), cancel=token).run()


def estimate_sizes(
    spot: Spot | str | os.PathLike[str],
    count: int = 1,
    *,
    seat: str | None = None,
    size_range: tuple[float, float] = SIZE_RANGE,
    target: float = SIZES_TARGET,
    bits: int | None = None,
    algorithm: str | Algorithm | None = None,
) -> Estimate:
    """Return the size of the largest tree that `optimise_sizes` solves, and what all of it is expected to take."""
    options: SolverKeywords = {"bits": bits, "algorithm": algorithm}
    return _Search.begin(spot, count, seat, size_range, None, USUAL, target, options).estimate()


@dataclass
class _Search:
    """The checked request of a search of sizes, and its solver."""

    spot: Spot
    count: int
    seat: int | None
    size_range: tuple[float, float]
    starts: list[list[float]]
    compare: Mapping[str, Sequence[float]]
    solver: SizeSolver
    threads: int
    algorithm: str | Algorithm | None
    bits: int | None

    @classmethod
    def begin(
        cls,
        given: Spot | str | os.PathLike[str],
        count: int,
        seat: str | None,
        size_range: tuple[float, float],
        starts: Sequence[Sequence[float]] | None,
        compare: Mapping[str, Sequence[float]],
        target: float,
        options: SolverKeywords,
    ) -> _Search:
        """Return the search; refuse inconsistent requests."""
        spot = given if isinstance(given, Spot) else Spot.load(given)
        require_whole("optimise_sizes", count, 1, 2)
        if spot.lock:
            raise InputError("the spot locks strategies at bets whose sizes would change: leave out lock")
        checked = check_range(spot, size_range)
        chosen = STARTS[count] if starts is None else starts
        wanted = {count, count * len(streets_of(spot))}
        if not is_list(chosen) or not chosen or not all(are_positive(one) and len(one) in wanted for one in chosen):
            raise InputError(f"starts must be lists of {count} positive sizes per street, not {shown(starts)}")
        _check_sets(compare)
        workers, bits, algorithm = worker_threads(options.get("threads")), options.get("bits"), options.get("algorithm")
        search = cls(
            spot=spot,
            count=count,
            seat=check_seat(spot, seat),
            size_range=checked,
            starts=[list(map(float, one)) for one in chosen],
            compare=compare,
            solver=SizeSolver(spot, target, workers, bits, algorithm),
            threads=workers,
            algorithm=algorithm,
            bits=bits,
        )
        search.solver.allowed = search.is_small
        return search

    def estimate(self) -> Estimate:
        """Return the estimated cost of the search; refused if one of its trees does not fit into memory."""
        seat = 1 if self.seat is None else self.seat
        several = [self._forecast(with_bets(self.spot, seat, words)) for words in self.usual(seat).values()]
        own = self._forecast(self.spot)
        cheapest = min((own, *several), key=lambda one: one.cpu_seconds)
        largest = max((own, *several), key=lambda one: one.nodes)
        search = (len(self.starts) + 0.5) * SEARCH_ITERATIONS * cheapest.cpu_seconds / cheapest.iterations
        solves = sum(one.cpu_seconds for one in several) + (len(self.starts) + 1.5) * own.cpu_seconds
        return replace(largest, name=self.spot.name, cpu_seconds=self.count * search + solves)

    def box(self, streets: int) -> list[tuple[float, float]]:
        """Return the least and the largest value of each size, street by street."""
        low, high = self.size_range
        first = max(low, 100 * self.spot.min_bet / self.spot.pot), min(high, 100 * self.spot.stack / self.spot.pot)
        return [first] * self.count + [(low, high)] * self.count * (streets - 1)

    def rounded(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return sizes in whole per cent, or with as few digits as keep them inside the range."""
        low, high = self.size_range

        def rounded(size: float) -> float:
            return next((near for digits in range(4) if low <= (near := round(size, digits)) <= high), size)

        return np.array([rounded(float(size)) for size in theta])

    def own(self, seat: int) -> dict[str, list[str]]:
        """Return the sizes of a seat's bets in the spot."""
        return {street: sizes_of(self.spot.size_tables[street], "bet", seat) for street in streets_of(self.spot)}

    def usual(self, seat: int) -> dict[str, dict[str, list[str]]]:
        """Return the sets to compare with, except those that the spot already has."""
        streets = streets_of(self.spot)
        sets = {name: dict.fromkeys(streets, words_of(sizes)) for name, sizes in self.compare.items()}
        return {name: words for name, words in sets.items() if words != self.own(seat)}

    def is_small(self, words: Words) -> bool:
        """Return whether a set has no more sizes than are sought, all in per cent and inside the range."""
        low, high = self.size_range
        return all(
            0 < len(own) <= self.count and all(word.endswith("%") and low <= float(word[:-1]) <= high for word in own)
            for own in words.values()
        )

    def parameters(self, words: Words) -> list[float]:
        """Return the sizes of all streets in a row, the largest of a street again where it has too few."""
        filled = (
            [*words[street], *words[street][-1:] * (self.count - len(words[street]))]
            for street in streets_of(self.spot)
        )
        return [float(word[:-1]) for own in filled for word in own]

    def _forecast(self, spot: Spot) -> Estimate:
        return estimate(spot, target=self.solver.target, bits=self.bits, algorithm=self.algorithm)


class SearchState(NamedTuple):
    """What a search of sizes has found so far, and its solvers."""

    pieces: int
    seat: int | None
    worth: dict[str, float] | None
    ends: list[dict[str, list[float]]]
    curves: dict[str, list[EvPoint]]
    solver: SolvesState
    climber: ClimberState | None


class SizesJob(PiecesJob[None, OptimisedSizes]):
    """A search of sizes; its pieces are the spot's own sizes, ascents, usual sets and curves, and show themselves."""

    def __init__(
        self, search: _Search, settings: SlopeAscent, curves: bool, progress: Progress, cancel: CancelToken
    ) -> None:
        self.search, self.settings, self.wants_curves, self.cancel = search, settings, curves, cancel
        self.done, self.seat = 0, search.seat
        self.worth: dict[str, float] | None = None
        self.ends: list[dict[str, list[float]]] = []
        """Where the ascents ended."""
        self.curves: dict[str, list[EvPoint]] = {}
        self.climber: SizeClimber | None = None
        solves = 2 * len(search.starts) + len(search.compare) + (3 if search.seat is None else 1)
        self.solver = search.solver
        self.solver.watch(progress, cancel, solves)

    @property
    def iteration(self) -> int:
        """How many pieces are done."""
        return self.done

    def pieces(self) -> Generator[None, None, None]:
        """Do the pieces that are left."""
        if not self.done:
            self._begin()
            yield
        climber = self.climber
        assert climber is not None
        solver, seat = self.solver, climber.seat
        todo: list[Callable[[], None]] = [partial(self._ascend, climber, start) for start in self.search.starts]
        todo += [partial(solver.solve, name, seat, words) for name, words in self.search.usual(seat).items()]
        todo += [partial(self._ascend_from_best, climber), partial(self._draw_curves, climber)]
        for do in todo[self.done - 1 :]:
            do()
            yield

    def take(self, found: None) -> None:
        """Count a piece."""
        self.done += 1

    def state(self) -> SearchState:
        """Return what was found so far, and the numbers of the solvers."""
        climber = None if self.climber is None else self.climber.state()
        ends, curves = list(self.ends), dict(self.curves)
        return SearchState(self.done, self.seat, self.worth, ends, curves, self.solver.state(), climber)

    def restore(self, state: SearchState) -> None:
        """Continue after the pieces that were done elsewhere."""
        self.done, self.seat, self.worth, ends, curves, solves, climber = state
        self.ends, self.curves = list(ends), dict(curves)
        self.solver.restore(solves)
        if climber is not None:
            assert self.seat is not None
            search = self.search
            self.climber = SizeClimber(search.spot, self.seat, search.count, search.threads, climber.bits)
            self.climber.restore(climber)

    def result(self, measured: None, history: JobHistory) -> OptimisedSizes:
        """Return the best sizes so far; raise `Cancelled` if no set with so few sizes has been solved."""
        search, solver, climber = self.search, self.solver, self.climber
        if solver.best is None or not search.is_small(solver.best[0].sizes):
            self.cancel.check()
        assert solver.best is not None
        assert climber is not None
        found, solution = solver.best
        others = [one for one in solver.sets if one is not found and not one.name.startswith(FOUND)]
        return OptimisedSizes(
            seat=PLAYERS[climber.seat],
            sets=[found._replace(name=FOUND) if found.name.startswith(FOUND) else found, *others],
            usage=bet_usage(solution, climber.seat, search.threads),
            solution=solution,
            worth_of_bets=self.worth,
            starts=self.ends,
            traversals=climber.traversals,
            solving_traversals=solver.traversals,
            size_range=search.size_range,
            curves=self.curves,
            **history.spent,
        )

    def _begin(self) -> None:
        """Find whose bets are sought, and what the spot is worth to that player with the sizes it has."""
        search, solver = self.search, self.solver
        forecast = search.estimate()
        if self.seat is None:
            self.seat, self.worth = solver.seat_with_most_at_stake()
        solver.solve(FILE, self.seat, search.own(self.seat))
        doubled = 2 * forecast.memory_mb[32] > forecast.available_mb  # while sizes move there are two sets of tables
        bits = 16 if doubled else search.bits or 32
        self.climber = SizeClimber(search.spot, self.seat, search.count, search.threads, bits)

    def _ascend(self, climber: SizeClimber, start: Sequence[float]) -> None:
        """Climb from a start and solve the spot with the sizes where it ends, unless another start led there."""
        solver, streets = self.solver, climber.streets
        whole = list(start) * len(streets) if len(start) == self.search.count else list(start)

        def go_on(move: Move) -> bool:
            told = describe_sizes(climber.sizes(np.array(move.theta)))
            solver.show(f"{PLAYERS[climber.seat]} {told}  step {100 * move.largest_step:.0f} %")
            return not solver.cancelled

        theta = climb(climber, whole, self.search.box(len(streets)), self.settings, go_on)
        sizes = {street: _distinct(own) for street, own in climber.sizes(self.search.rounded(theta)).items()}
        if not any(_alike(sizes, known) for known in self.ends):
            label = FOUND if not self.ends else f"{FOUND} from start {len(self.ends) + 1}"
            solver.part_done()
            solver.solve(label, climber.seat, {street: words_of(own) for street, own in sizes.items()})
        self.ends.append(sizes)

    def _ascend_from_best(self, climber: SizeClimber) -> None:
        """Climb once more from a usual set, if one with so few sizes is better than what was found."""
        best = None if self.solver.best is None else self.solver.best[0]
        if best is not None and self.search.is_small(best.sizes) and not best.name.startswith(FOUND):
            self._ascend(climber, self.search.parameters(best.sizes))

    def _draw_curves(self, climber: SizeClimber) -> None:
        """Find EV against each size, the others as they were found, if that was asked for."""
        if not self.wants_curves or self.solver.best is None or not self.search.is_small(self.solver.best[0].sizes):
            return
        words, count = self.solver.best[0].sizes, self.search.count
        at = np.array(self.search.parameters(words))
        for place, (low, high) in enumerate(self.search.box(len(climber.streets))):
            street, number = climber.streets[place // count], place % count
            if number >= len(words[street]):
                continue
            name = street if len(words[street]) == 1 else f"{street}, size {number + 1}"
            ladder = sorted({*np.geomspace(low, high, CURVE_POINTS).tolist(), float(at[place])})
            points = []
            for size in ladder:
                if self.solver.cancelled:
                    return
                theta = at.copy()
                theta[place : place + 1 + (len(words[street]) < count)] = size
                climber.move(theta, CURVE_WORTH)
                points.append(EvPoint(size, *climber.solve_to(2 * self.solver.target, CURVE_ITERATIONS)))
                self.solver.show(f"EV {points[-1].ev_pct:.2f} % with a {street} bet of {size:.0f} %")
            self.curves[name] = points


def check_range(spot: Spot, size_range: tuple[float, float]) -> tuple[float, float]:
    """Return a range of sizes; refuse one that leaves no bet to choose."""
    ends = list(size_range) if is_list(size_range) else []
    require(
        len(ends) == 2 and all(is_number(end) and end > 0 for end in ends) and ends[0] < ends[1],
        f"size_range must be two positive numbers, the smaller first, in per cent of the pot, not {shown(size_range)}",
    )
    low, high = float(ends[0]), float(ends[1])
    least, most = 100 * spot.min_bet / spot.pot, 100 * spot.stack / spot.pot
    if high < least:
        raise InputError(
            f"size_range {low:g} to {high:g} % of the pot leaves no legal bet: the smallest is {spot.min_bet:,} "
            f"chip{'s' * (spot.min_bet > 1)}, {least:.3g} %"
        )
    if low >= most:
        raise InputError(
            f"size_range {low:g} to {high:g} % of the pot leaves no legal bet: the stack is {most:.4g} % of the pot"
        )
    return low, high


def _check_sets(compare: Mapping[str, Sequence[float]]) -> None:
    """Refuse sets of sizes that cannot be solved or told apart from those that are found."""
    require(
        isinstance(compare, Mapping)
        and all(isinstance(name, str) and are_positive(sizes) for name, sizes in compare.items()),
        f"compare must be names with lists of positive sizes in per cent of the pot, not {shown(compare)}",
    )
    for name in compare:
        require(
            not name.startswith(FOUND) and name != FILE,
            f"compare: a set cannot be called {shown(name)}, as those of the search are",
        )


def describe_sizes(sizes: Mapping[str, Sequence[float]]) -> str:
    """Return sizes in words, such as "turn 50/100 %, river 75 %"."""
    return ", ".join(f"{street} {'/'.join(f'{size:.0f}' for size in own)} %" for street, own in sizes.items())


def _distinct(sizes: Sequence[float]) -> list[float]:
    """Return sizes without those that are nearly the next smaller one."""
    found = [sizes[0]]
    found += [size for before, size in pairwise(sizes) if np.log(size / before) >= 2 * SAME]
    return found


def _alike(first: Mapping[str, Sequence[float]], second: Mapping[str, Sequence[float]]) -> bool:
    """Return whether two sets have the same number of sizes, nearly equal ones."""

    def pairs() -> Iterator[tuple[Sequence[float], Sequence[float]]]:
        return ((own, second[street]) for street, own in first.items())

    return all(len(one) == len(two) for one, two in pairs()) and all(
        abs(np.log(a / b)) < SAME for one, two in pairs() for a, b in zip(one, two, strict=True)
    )

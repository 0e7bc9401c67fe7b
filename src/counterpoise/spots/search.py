"""Search in a solved spot (BROWN 5.1, 5.1.8): solve a node again with other bet sizes, or after a bet it does not know.

One player, the *searcher*, gets a new strategy from the node on. Its range is what the solution brings there; the
opponent's is anybody's guess, so each of its hands has an *alternative*: what it can win at the node against the
solution's strategy (a counterfactual best response). The *margin* of a hand is its alternative less what it can win
against the new strategy. If none is below 0, the new strategy in its place is no more exploitable than the solution,
whatever the opponent has done before.

After a bet that the solution does not know (`facing`) the alternative is the hand's value before the bet: it could have
done something known instead.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from counterpoise.errors import InputError
from counterpoise.games.bet_sizes import label
from counterpoise.games.betting import Action
from counterpoise.progress import Live
from counterpoise.public import HoldemTree
from counterpoise.search.search import make_gate
from counterpoise.search.solver import SearchSolver
from counterpoise.search.subgame import Subgame
from counterpoise.solvers import Algorithm, TracePoint
from counterpoise.solvers.driver import Course, Driver, Job, Stop
from counterpoise.spots.actions import PLAYERS
from counterpoise.spots.engine import compile_kernels, settings_of
from counterpoise.spots.estimate import DEFAULT_TARGET
from counterpoise.spots.node import Deal, Decision, make_node
from counterpoise.spots.paths import DEALING, Place
from counterpoise.spots.search_files import write_search
from counterpoise.spots.search_problem import LEAST, Problem, find_below, make_problem
from counterpoise.spots.solution import Solution
from counterpoise.spots.solve import MOST_ITERATIONS, SpotMeasured, load_solution, worker_threads
from counterpoise.spots.spot import SizeTable, Spot
from counterpoise.store import check_writable

Method = Literal["resolve", "maxmargin", "unsafe"]
FIRST_MEASUREMENT, MEASURE_EVERY = 40, 5


@dataclass(frozen=True)
class HandMargin:
    """A hand of the opponent, in chips from the node on: what it could win before, what it can win now.

    `weight` is what of it arrives under the solution, `entry` how often it would rather play on than take its
    alternative (maxmargin: how much of the opponent's choice falls on it; unsafe: not known).
    """

    hand: str
    weight: float
    alternative: float
    value: float
    entry: float | None

    @property
    def margin(self) -> float:
        """What the hand has lost; below 0, what it has gained."""
        return self.alternative - self.value


@dataclass(frozen=True, eq=False)
class SpotSearch:
    """What search found at a node of a solved spot. Chips; per cent of the pot at the node; seconds with measuring."""

    spot: Spot
    place: Place
    """The node that was searched, as the solution knows it."""
    start: Place
    """Where the new strategies begin: the node, or what follows the bet that is faced."""
    searcher: str
    method: str
    algorithm: str
    bits: int
    tables: dict[str, SizeTable]
    """The bet sizes by street."""
    hands: list[HandMargin] = field(repr=False)
    """The opponent's hands that can meet the searcher's range."""
    mean_loss: float
    """What the opponent gains on average over the hands that arrive, each counted only if it gains."""
    mean_margin: float
    """The mean of the margins over the hands that arrive."""
    ev_before: dict[str, float]
    """By player, at the node under the solution."""
    ev_after: dict[str, float]
    """By player, where the new strategies begin, both players using them and coming with the ranges of the solution.

    After a bet that it does not know: as though every hand that arrives at the node made the bet."""
    exploitability_pct: float
    """Of the new strategies in the game that was solved: how far the search is from its end."""
    iterations: int
    nodes: int
    nodes_touched: int
    memory_mb: float
    course: Course = field(repr=False)
    tree: HoldemTree = field(repr=False)

    @property
    def id(self) -> str:
        """The node that was searched."""
        return self.place.id

    @property
    def facing(self) -> str | None:
        """The bet that the solution does not know, as node ids write it."""
        return None if self.start.steps == self.place.steps else label(_action(self.start.steps[-1]))

    @property
    def pot(self) -> int:
        """All chips in the middle at the node."""
        return self.spot.betting.total_pot(self.place.state)

    @property
    def smallest_margin(self) -> float:
        """Of all hands of the opponent."""
        return min(hand.margin for hand in self.hands)

    @property
    def loss(self) -> float:
        """The most that the new strategy can lose to one hand beyond what the solution's did; 0 is safe."""
        return max(0.0, -self.smallest_margin)

    @property
    def loss_pct(self) -> float:
        """The same in per cent of the pot."""
        return 100 * self.loss / self.pot

    @property
    def mean_loss_pct(self) -> float:
        """What the opponent gains on average, in per cent of the pot."""
        return 100 * self.mean_loss / self.pot

    @property
    def trace(self) -> list[TracePoint]:
        """Exploitability in per cent of the pot at every measured iteration."""
        return self.course.trace

    @property
    def seconds(self) -> float:
        """Time spent iterating and measuring."""
        return self.course.seconds

    @property
    def cpu_seconds(self) -> float:
        """The same of all threads together."""
        return self.course.cpu_seconds

    @property
    def reached(self) -> bool:
        """False if a target was set and the run ended before it."""
        return self.course.reached

    @property
    def unsaved(self) -> str | None:
        """Why the last checkpoint could not be written, if so."""
        return self.course.unsaved

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the run."""
        return self.course.interrupted

    @cached_property
    def root(self) -> Decision:
        """The first decision of the new strategies."""
        found = self.node(self.start.id)
        assert isinstance(found, Decision)
        return found

    def node(self, id: str) -> Decision | Deal:
        """A node at or below the one that was searched, by its id in the whole spot, with the new strategies."""
        places = find_below(self.spot, self.start, self.tree.lines, id)
        tree, place = self.tree, places[-1]
        if place.decision != DEALING:
            reaches = tree.reaches(place.line, place.decision, place.cards)
        else:
            before = places[-2]
            first, second = tree.reaches(before.line, before.decision, before.cards)
            decision = tree.lines[before.line].decisions[before.decision]
            played = tree.behaviour(before.line, before.decision, before.cards)
            taken = played[decision.actions.index(_action(place.steps[-1]))]
            reaches = (first * taken, second) if decision.player == 0 else (first, second * taken)
        return make_node(self.spot, tree, place, reaches, self.node)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a `.cpz` file, which `load_search` reads."""
        write_search(self, path)


class SearchJob(Job[SpotMeasured, SpotSearch]):
    """A search at work under the driver."""

    unit = " % of the pot"
    measuring_counts = True

    def __init__(self, problem: Problem, tree: HoldemTree, solver: SearchSolver, target: float | None = None) -> None:
        self.problem, self.tree = problem, tree
        self._target, self._last = target, math.inf
        self.solver: SearchSolver = solver

    def measure(self) -> SpotMeasured:
        """Exploitability as a share of the pot."""
        chips = self.solver.exploitability()
        if not math.isfinite(chips):
            raise InputError(
                f"{self.solver.settings.name} overflowed by iteration {self.solver.iteration:,}: "
                "its settings are too extreme for so many iterations"
            )
        self._last = 100 * chips / self.problem.at.pot
        return SpotMeasured(self._last)

    def next_measurement(self, iteration: int, to_target: bool) -> int:
        """Where the target would be reached if exploitability fell with the square of the iterations.

        It falls more slowly as a rule. A measurement costs almost as much as an iteration.
        """
        if iteration < FIRST_MEASUREMENT:
            return FIRST_MEASUREMENT
        if self._target is None or not to_target:
            return iteration + max(MEASURE_EVERY, iteration // 10)
        guess = math.ceil(iteration * math.sqrt(min(self._last / self._target, 4.0)))
        return max(guess, iteration + MEASURE_EVERY)

    def result(self, measured: SpotMeasured, course: Course) -> SpotSearch:
        """What search has found so far."""
        problem, solver, tree = self.problem, self.solver, self.tree
        spot, opponent = problem.at.spot, 1 - problem.searcher
        values, entry = solver.subgame.best_values(), solver.entry
        shift = spot.pot / 2 + problem.at.place.state.paid[opponent]
        alternatives = problem.alternatives(tree)
        arriving = tree.ranges[opponent][: len(values)].astype(np.float64)
        names, weights = problem.named(tree)
        hands = [
            HandMargin(names[k], float(weights[k]), float(alternatives[k]) + shift, float(values[k]) + shift,
                       None if entry is None else float(entry[k]))
            for k in np.flatnonzero(solver.subgame.mass)
        ]  # fmt: skip
        met = solver.subgame.mass > 0
        share = (arriving * solver.subgame.mass)[met]
        margins = (alternatives - values)[met]
        total = float(share.sum())
        found = SpotSearch(
            spot=spot,
            place=problem.at.place,
            start=problem.start,
            searcher=PLAYERS[problem.searcher],
            method=problem.method,
            algorithm=solver.settings.name,
            bits=tree.bits,
            tables=problem.tables,
            hands=hands,
            mean_loss=float(share @ np.maximum(-margins, 0)) / total if total > 0 else float("nan"),
            mean_margin=float(share @ margins) / total if total > 0 else float("nan"),
            ev_before={player: problem.at.ev(player=player) for player in PLAYERS},
            ev_after={},
            exploitability_pct=measured.exploitability,
            iterations=solver.iteration,
            nodes=int(tree.nodes),
            nodes_touched=int(solver.nodes_touched),
            memory_mb=tree.megabytes,
            course=course,
            tree=tree,
        )
        found.ev_after.update({player: found.root.ev(player=player) for player in PLAYERS})
        return found


def search_spot(
    solution: Solution | str | os.PathLike[str],
    node: str = "r:0",
    *,
    searcher: str | None = None,
    facing: int | str | None = None,
    sizes: Mapping[str, Mapping[str, Any]] | None = None,
    method: Method = "resolve",
    target: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    bits: int | None = None,
    algorithm: str | Algorithm | None = None,
    memory_mb: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    callback: Callable[[SearchSolver, TracePoint], bool | None] | None = None,
    progress: bool | Live | None = None,
) -> SpotSearch:
    """Solve a node of a solution again for the `searcher` ("oop" or "ip"; by default who acts there).

    `sizes` are tables by street as in a spot file; streets that are not named keep their sizes. `facing` is a bet or
    raise by the player to act that the solution does not know, which the other then searches an answer to: the chips
    put in on this street (40: a bet of 40, a raise to 40), or "b" with the total since the root, as in node ids.

    Methods: `resolve` lets no hand of the opponent win more than against the solution, `maxmargin` makes the
    smallest loss of its hands as large as possible, and `unsafe` trusts the opponent to arrive with the range that the
    solution gives it.

    Runs until the first of a target (exploitability in the game that is solved, in per cent of the pot at the node),
    so many iterations, seconds; with none of the three the target is 0.5 %. Ctrl-C ends it early. `checkpoint` names a
    file that is rewritten every half minute and at the end.
    """
    live = progress if isinstance(progress, Live) else Live(progress)
    if target is None and iterations is None and seconds is None:
        target = DEFAULT_TARGET
    stop = Stop(iterations, target, seconds)
    if stop.iterations is None and stop.seconds is None:
        stop.iterations = MOST_ITERATIONS
    if bits not in (None, 16, 32):
        raise InputError(f"bits must be 16 or 32, not {bits!r}")
    if checkpoint is not None:
        check_writable(checkpoint)
    settings, workers = settings_of(algorithm), worker_threads(threads)
    solved = load_solution(solution) if isinstance(solution, str | os.PathLike) else solution
    problem = make_problem(solved, node, searcher, facing, sizes, method)
    with live:
        live.begin(f"{method} at {problem.start.id}")
        live.show(None, "building the tree")
        tree = problem.tree(bits, memory_mb)
        compile_kernels(settings, tree.bits, live)
        subgame = Subgame(tree, problem.searcher, (problem.start.id,), LEAST)
        gate = None if method == "unsafe" else make_gate(subgame, method, problem.alternatives(tree), 0.0, "step")
        solver = SearchSolver(settings, subgame, gate, workers)
        return Driver(
            SearchJob(problem, tree, solver, stop.target), stop, live, callback=callback, checkpoint=checkpoint
        ).run()


def _action(step: Action | str) -> Action:
    assert isinstance(step, int)
    return step

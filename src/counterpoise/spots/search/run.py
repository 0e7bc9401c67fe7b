"""Search in a solved spot: solve a node again with other bet sizes, or after a bet that the solution lacks.

See Brown 2020, sections 5.1, 5.1.8.

One player, the *searcher*, gets a new strategy from the node on. Its range is that of the solution there; the
opponent's is not assumed, so each of its hands has an *alternative*: what it can win at the node against the solution's
strategy (a counterfactual best response). The *margin* of a hand is its alternative minus what it can win against the
new strategy. If no margin is below 0, a best response wins no more against the new strategy than against the old one,
whatever the opponent has done before.

After a bet that the solution does not know (`facing`) the alternative is the hand's value before the bet, since it
could have taken a known action instead.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from typing import Any, Unpack

import numpy as np

from counterpoise.betting.words import PLAYERS
from counterpoise.cards import format_cards
from counterpoise.errors import InputError
from counterpoise.jobs import JobHistory, Output, prepare, refuse_unknown, takes
from counterpoise.parameters import shown
from counterpoise.public import HoldemGame
from counterpoise.search.gadget import make_gadget
from counterpoise.search.solver import SearchSolver
from counterpoise.solvers import Algorithm
from counterpoise.solvers.solver_job import SolverJob, Watch
from counterpoise.spots.engine import search_settings_of
from counterpoise.spots.files import read_solution
from counterpoise.spots.node import Numbers
from counterpoise.spots.rivers import StoredStrategies
from counterpoise.spots.search.files import KIND, read_search
from counterpoise.spots.search.keywords import SearchKeywords
from counterpoise.spots.search.request import SearchMethod, SearchRequest, make_request
from counterpoise.spots.search.result import HandMargin, SpotSearch, allowed_gift
from counterpoise.spots.solution import Solution
from counterpoise.spots.solve import (
    SpotMeasured,
    run_fields,
    share_of,
    spot_limits,
    worker_threads,
)
from counterpoise.store.cpz import read_header

FIRST_MEASUREMENT, MEASURE_EVERY = 40, 5
SEARCH_TARGET = 0.2
"""The default target in per cent of the pot; the opponent can gain twice as much on average."""
WIDE_SPREAD = 10.0
"""A spread in per cent of the pot. Up to here Hedge at the gadget needs fewer iterations; the points at which it
integrates over the draws lie too far apart for wider spreads, where the step rule is exact."""


class SearchJob(SolverJob[SpotMeasured, SpotSearch]):
    """A search at work under the driver."""

    unit = " % of the pot"
    clocked = "measuring"

    def __init__(self, request: SearchRequest, solver: SearchSolver, target: float | None = None) -> None:
        self.request, self._target, self._last = request, target, math.inf
        self.solver: SearchSolver = solver

    def measure(self) -> SpotMeasured:
        """Return the exploitability in per cent of the pot at the node."""
        measured = share_of(self.request.at.pot, self.solver)
        self._last = measured.exploitability
        return measured

    def next_measurement(self, iteration: int, to_target: bool) -> int:
        """Return where the target would be reached if exploitability fell with the square of the iterations.

        It usually falls more slowly. A measurement costs almost as much as an iteration.
        """
        if iteration < FIRST_MEASUREMENT:
            return FIRST_MEASUREMENT
        if self._target is None or not to_target:
            return iteration + max(MEASURE_EVERY, iteration // 10)
        guess = math.ceil(iteration * math.sqrt(min(self._last / self._target, 4.0)))
        return max(guess, iteration + MEASURE_EVERY)

    def result(self, measured: SpotMeasured, history: JobHistory) -> SpotSearch:
        """Return the result of the search so far."""
        request, solver = self.request, self.solver
        at, opponent, subgame, entry = request.at, request.opponent, solver.subgame, solver.entry
        game = subgame.game
        assert isinstance(game, HoldemGame)

        def by_hand(figures: Numbers) -> Numbers:
            return game.from_hands_of(at.game, opponent, figures)

        shift = at.spot.pot / 2 + at.place.state.paid[opponent]
        weights, met = by_hand(at.reaches[opponent]), by_hand(at.masses[opponent])
        alternatives, gifts = by_hand(request.alternatives) + shift, by_hand(request.gifts)
        values = subgame.root_values(solver.average, best=True, traverser=solver.traverser) + shift
        in_order = game.to_rows(opponent, 0, np.arange(game.hand_counts[opponent]))
        counted = [int(hand) for hand in in_order if subgame.mass[hand] > 0]
        hands = [
            HandMargin(
                hand=format_cards(game.hands[opponent][k][::-1].tolist(), ""),
                weight=float(weights[k]),
                met=float(met[k]),
                alternative=float(alternatives[k]),
                gift=float(gifts[k]),
                allowed=allowed_gift(float(gifts[k]), request.method.gift_scale),
                value=float(values[k]),
                entry=None if entry is None else float(entry[k]),
            )
            for k in counted
        ]
        gains = np.array([max(0.0, -hand.margin) for hand in hands])
        found = SpotSearch(
            spot=at.spot,
            place=at.place,
            start=request.start,
            searcher=PLAYERS[request.searcher],
            method=request.method.name,
            spread=request.method.spread,
            gifts=request.method.gifts,
            gift_scale=float(request.method.gift_scale),
            sizes=request.sizes,
            hands=hands,
            cost=float(by_hand(request.chances)[counted] @ gains),
            cost_before=request.cost_before,
            frequencies_before=at.frequencies if request.start is at.place else None,
            ev_before={player: at.ev(player=player) for player in PLAYERS},
            ev_after={},
            stored=StoredStrategies(game, solver.average),
            **run_fields(solver, measured, self._target, history),
        )
        for seat, player in enumerate(PLAYERS):
            bet = request.start.state.paid[seat] - at.place.state.paid[seat]
            found.ev_after[player] = found.root.ev(player=player) - bet
        return found


@takes(SearchKeywords)
def search_spot(
    solution: Solution | SpotSearch | str | os.PathLike[str],
    node: str | None = None,
    *,
    searcher: str | None = None,
    facing: int | str | None = None,
    sizes: Mapping[str, Mapping[str, Any]] | None = None,
    on_request: Callable[[SearchRequest], None] | None = None,
    **options: Unpack[SearchKeywords],
) -> SpotSearch:
    """Solve a node of a solution (by default its first) again for the `searcher`: "oop" or "ip", by default who acts.

    The solution may be a search itself: it is then searched further, at one of its nodes (nested search).

    `sizes` are tables by street as in a spot file; streets that are not named keep their sizes. They are the
    searcher's: the opponent has them too, and keeps those that the solution gives it. `facing` is a bet or raise by the
    player to act that the solution does not know and that the other player then answers by search: the chips put in on
    this street (40: a bet of 40, a raise to 40), or "b" with the total since the root, as in node ids.

    Methods: `resolve` lets no hand of the opponent win more than against the solution, `maxmargin` makes the smallest
    loss of its hands as large as possible, `distributional` lets hands win a little more where that gains as much
    elsewhere, and `unsafe` assumes that the opponent arrives with the range of the solution.

    Runs until the first of a target (exploitability in the game that is solved, in per cent of the pot at the node), a
    number of iterations, seconds; with none of the three the target is 0.2 %. `on_request` is called with the checked
    request before anything is built.
    """
    refuse_unknown(search_spot, options)
    output = Output.of(options)
    solved = load_searchable(solution) if isinstance(solution, str | os.PathLike) else solution
    how = SearchMethod.of(options)
    request = make_request(solved, node, how, searcher=searcher, facing=facing, sizes=sizes)
    if on_request is not None:
        on_request(request)
    limits, bits = spot_limits(options, SEARCH_TARGET), options.get("bits")
    if bits not in (None, 16, 32):
        raise InputError(f"bits must be 16 or 32, not {shown(bits)}")
    settings, workers = search_settings_of(options.get("algorithm")), worker_threads(options.get("threads"))
    watch = Watch.of_trace(options)
    with watch.progress as display:
        display.begin(f"{request.method.name} at {request.start.id}")
        display.show(None, "building the tree")
        solver = make_solver(request, settings, workers, bits, options.get("memory_mb"))
        prepare(solver, display)
        job = SearchJob(request, solver, limits.target)
        return watch.drive(job, limits, output=output)


def load_searchable(path: str | os.PathLike[str], *, resumable: bool = False) -> Solution | SpotSearch:
    """Return a saved solution, by default without what only resuming it needs, or a saved search."""
    header = read_header(path, "spot", KIND)
    if header["kind"] == KIND:
        return read_search(path, header)
    return Solution(**read_solution(path, resumable, header))


def make_solver(
    request: SearchRequest,
    settings: Algorithm,
    threads: int = 1,
    bits: int | None = None,
    memory_mb: float | None = None,
) -> SearchSolver:
    """Return the solver of a search, with the gadget of its method."""
    game, bits = request.build(bits, memory_mb, settings.public_tables)
    subgame = request.subgame(game)
    # Brown 2020, section 5.1.3: alternative plus gift
    alternative = request.alternatives + request.method.gift_scale * request.gifts
    rule = "hedge" if (request.method.spread or 0.0) <= WIDE_SPREAD else "step"
    gadget = make_gadget(
        subgame,
        request.method.name,
        game.from_hands_of(request.at.game, request.opponent, alternative),
        request.spread_chips,
        rule,
    )
    return SearchSolver(settings, subgame, gadget, threads, bits)

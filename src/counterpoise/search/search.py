"""Search in a subgame: solve it again, more finely, whatever the opponent has done before it.

See Brown 2020, section 5.1.

- `unsafe`: both players arrive with the ranges of the blueprint. Often good, sometimes far worse than no search.
- `resolve`: each hand of the opponent may take its alternative instead of entering. With the value of a counterfactual
  best response to the blueprint as the alternative, the result is no more exploitable than the blueprint, once it has
  converged.
- `maxmargin`: equally safe, and the smallest margin (alternative minus value of entering) is as large as possible.
- `distributional`: the alternative is a normal random variable (`spread`): a soft penalty instead of a constraint.

In each iteration of a safe method the searcher is updated first, then the opponent and its entry, whichever seat the
searcher has: the order decides which of many solutions is found, so it must not depend on the seat.

Reach search adds gifts to the alternatives: what the opponent has given up on its path (`counterpoise.search.gifts`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.parameters import require_whole
from counterpoise.progress import CancelToken, Progress, as_progress
from counterpoise.public import Profile, PublicGame
from counterpoise.search.gadget import MethodName, SpreadRule, make_gadget
from counterpoise.search.solver import SearchSolver, run_watched
from counterpoise.search.subgame import FloatArray, Subgame, as_dense
from counterpoise.solvers.base import Algorithm, make_algorithm
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.store.json import JsonResult, plain_json

if TYPE_CHECKING:
    from counterpoise.tree import Strategy


@dataclass(frozen=True, eq=False)
class SearchResult(JsonResult):
    """What a search found. Values are conditional, in the opponent's units, one per hand of the opponent.

    They are not numbers (nan) for hands that meet nothing of the searcher's range.
    """

    subgame: Subgame
    average: Profile
    """The strategies of both players in the subgame; the opponent's is of use for estimates only."""
    alternative: FloatArray | None
    entry: FloatArray | None
    """How often each hand enters, on average over the iterations (maxmargin: with which hand)."""
    iterations: int
    """The number of iterations that were run: fewer than asked for if the search was cancelled."""

    def __repr__(self) -> str:
        smallest = "" if self.alternative is None else f", smallest margin {np.nanmin(self.margins):.6g}"
        return f"<SearchResult of {self.game.name}: {len(self.values)} hands of the opponent{smallest}>"

    @property
    def game(self) -> PublicGame:
        """The game of the subgame."""
        return self.subgame.game

    @cached_property
    def values(self) -> FloatArray:
        """The value of the two strategies against each other, per hand."""
        return self.subgame.root_values(self.average)

    @cached_property
    def best_values(self) -> FloatArray:
        """The value of a best response against the searcher's strategy, per hand."""
        return self.subgame.root_values(self.average, best=True)

    @property
    def strategy(self) -> Strategy:
        """The strategies of both players by infoset."""
        return as_dense(self.game).strategy(self.average)

    def to_json(self) -> dict[str, Any]:
        """Return the figures of all hands and the strategies in the types of JSON; null for what is not known."""
        from counterpoise.search.subgame_strategies import list_strategies  # few ask for all strategies

        names = ("iterations", "values", "best_values", "alternative", "entry")
        answer = {"game": self.game.name} | {name: getattr(self, name) for name in names}
        answer["margins"] = None if self.alternative is None else self.margins
        answer["strategies"] = list_strategies(self.average)
        return {name: plain_json(figure) for name, figure in answer.items()}

    @property
    def margins(self) -> FloatArray:
        """Alternative minus the value of a best response; none is below 0 in a safe search that has converged."""
        if self.alternative is None:
            raise InputError("unsafe search has no alternatives, so no margins")
        return self.alternative - self.best_values


def search_subgame(
    subgame: Subgame,
    method: MethodName = "resolve",
    *,
    alternative: NDArray[Any] | None = None,
    spread: NDArray[Any] | float = 0.0,
    rule: SpreadRule = "hedge",
    algorithm: str | Algorithm = "cfr+",
    iterations: int = 500,
    threads: int = 1,
    progress: Progress | bool | None = False,
    cancel: CancelToken | None = None,
) -> SearchResult:
    """Solve the subgame by a method: `unsafe`, `resolve`, `maxmargin` or `distributional`.

    Safe methods, all but `unsafe`, need an `alternative`: per hand of the opponent what it can have without entering, a
    conditional value in its units; hands that meet nothing need none. `spread` and `rule` are of the distributional
    method. What is found is a part of a strategy: `with_part` puts it into one of the whole game. `progress` is silent
    by default; a search that is cancelled returns what it has found by then.
    """
    settings = make_algorithm(algorithm)
    if not isinstance(settings, RegretMatching):
        raise InputError(f"search needs a variant of CFR, not {settings.name}")
    require_whole("iterations", iterations)
    gadget = make_gadget(subgame, method, alternative, spread, rule)
    if gadget is None and not subgame.expected:
        raise InputError(
            f"{subgame.name}: the blueprint never gets there, so unsafe search has no ranges: "
            "use a safe method, or start one action earlier"
        )
    solver = SearchSolver(settings, subgame, gadget, threads)
    with as_progress(progress) as display:
        display.begin(f"{method} search in {subgame.name}")
        run_watched(solver, iterations, display, cancel)
    given = None if gadget is None else np.where(subgame.mass > 0, np.asarray(alternative, dtype=np.float64), np.nan)
    return SearchResult(subgame, solver.learning.average, given, solver.entry, solver.iteration)

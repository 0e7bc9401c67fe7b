"""Search in a subgame (BROWN 5.1): solve it again, more finely, while the opponent may have come in any way.

- `unsafe`: both players arrive with the ranges of the blueprint. Often good, sometimes far worse than no search.
- `resolve`: each hand of the opponent may take its alternative instead of entering. With the value of a counterfactual
  best response to the blueprint as the alternative, the result is no more exploitable than the blueprint, once it has
  converged.
- `maxmargin`: as safe, and the smallest margin (alternative less value of entering) is as large as possible.
- `distributional`: the alternative is a normal random variable (`spread`): a soft penalty instead of a constraint.

In each iteration of a safe method the searcher is updated first, then the opponent and its entry, whichever seat the
searcher has: which of many solutions is found depends on that order, so it must not depend on the seat.

Gifts (what the opponent has given up on its way, `counterpoise.search.alternatives`) are added to the alternatives:
that is Reach search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.parameters import as_numbers, require_whole
from counterpoise.public import DenseTree
from counterpoise.public.kernels.gadget import HEDGE, MARGIN, RESOLVE, STEP
from counterpoise.public.kernels.layouts import Gate
from counterpoise.search.subgame import FloatArray, Subgame
from counterpoise.solvers.base import Algorithm
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.solvers.public.solver import public_schedule
from counterpoise.solvers.run import make_algorithm
from counterpoise.tree import Strategy

Method = Literal["unsafe", "resolve", "maxmargin", "distributional"]
KINDS = {"resolve": RESOLVE, "maxmargin": MARGIN}
RULES = {"step": STEP, "hedge": HEDGE}


@dataclass(frozen=True)
class SearchResult:
    """What search found. Values are conditional, in the opponent's units, one per hand of the opponent.

    They are not numbers (nan) for hands that meet nothing of the searcher's range.
    """

    played: Strategy | None
    """The strategies that were found, if the subgame has infosets (a `DenseTree`); else its tree tells them."""
    values: FloatArray
    """Of the two strategies against each other."""
    best_values: FloatArray
    """Of a best response against the searcher's."""
    alternative: FloatArray | None
    entry: FloatArray | None
    """How often each hand enters, on average over the iterations (maxmargin: with which hand)."""

    @property
    def strategy(self) -> Strategy:
        """Of both players in the subgame; the opponent's is of use for estimates only."""
        if self.played is None:
            raise InputError("the strategies of this subgame are in its tree, node by node")
        return self.played

    @property
    def margins(self) -> FloatArray:
        """Alternative less the value of a best response; none is below 0 in a safe search that has converged."""
        if self.alternative is None:
            raise InputError("unsafe search has no alternatives, so no margins")
        return self.alternative - self.best_values


def search(
    subgame: Subgame,
    method: Method = "resolve",
    *,
    alternative: NDArray[Any] | None = None,
    spread: NDArray[Any] | float = 0.0,
    rule: Literal["step", "hedge"] = "hedge",
    algorithm: str | Algorithm = "cfr+",
    iterations: int = 500,
    threads: int = 1,
) -> SearchResult:
    """Solve the subgame by a method: `unsafe`, `resolve`, `maxmargin` or `distributional`.

    Safe methods, all but `unsafe`, need an `alternative`: per hand of the opponent what it can have without entering, a
    conditional value in its units; hands that meet nothing need none. `spread` and `rule` are of the distributional
    method. What is found is a part of a strategy: `with_part` puts it into one of the whole game.
    """
    settings = make_algorithm(algorithm)
    if not isinstance(settings, RegretMatching):
        raise InputError(f"search needs a variant of CFR, not {settings.name}")
    require_whole("iterations", iterations)
    gate = None if method == "unsafe" else make_gate(subgame, method, alternative, spread, rule)
    tree = subgame.tree
    tree.clear()  # nothing of an earlier search
    if method == "unsafe":
        _require_pairs(subgame)
    tree.iterate(public_schedule(settings, 0, iterations), threads, gate=gate)
    entry = None if gate is None else average_entry(subgame, gate)
    given = None if gate is None else np.where(subgame.mass > 0, np.asarray(alternative, dtype=np.float64), np.nan)
    played = tree.strategy() if isinstance(tree, DenseTree) else None
    return SearchResult(played, subgame.values(), subgame.best_values(), given, entry)


def make_gate(
    subgame: Subgame, method: str, alternative: NDArray[Any] | None, spread: NDArray[Any] | float, rule: str
) -> Gate:
    """The gate of a method, checked; hands that meet nothing stay out."""
    if method != "distributional" and method not in KINDS:
        raise InputError(f"method must be unsafe, resolve, maxmargin or distributional, not {method!r}")
    if rule not in RULES:
        raise InputError(f"rule must be step or hedge, not {rule!r}")
    mass, size = subgame.mass, subgame.tree.ranges.shape[1]
    if alternative is None:
        raise InputError(f"{method} needs an alternative per hand of the opponent")
    values = subgame.per_hand("alternative", alternative)
    given = as_numbers("spread", spread)
    spreads = subgame.per_hand("spread", given if given.ndim else np.full(len(mass), given))
    wrong = np.flatnonzero(spreads < 0)
    if len(wrong):
        raise InputError(f"the spread of hand {wrong[0]} must be at least 0, not {spreads[wrong[0]]:g}")

    def padded(row: NDArray[Any]) -> NDArray[np.float32]:
        out = np.zeros(size, dtype=np.float32)
        out[: len(row)] = np.where(mass > 0, row, 0.0)
        return out

    first = 1.0 / max(int((mass > 0).sum()), 1) if method == "maxmargin" else 0.5
    return Gate(
        kind=RULES[rule] if method == "distributional" else KINDS[method],
        entrant=np.uint64(subgame.opponent),
        alternative=padded(values),
        spread=padded(spreads),
        mass=padded(mass),
        entry=padded(np.full(len(mass), first)),
        average=np.zeros(size, dtype=np.float32),
        average_weight=np.zeros(1),
        regret=np.zeros((2, size), dtype=np.float32),
        sums=np.zeros((3, size)),
        seen=np.zeros(1),
    )


def average_entry(subgame: Subgame, gate: Gate) -> FloatArray:
    """How often each hand of the opponent has entered, on average; 0 before the first iteration."""
    total = gate.average[: len(subgame.mass)].astype(np.float64)
    return np.asarray(total / max(float(gate.average_weight[0]), 1e-300))


def _require_pairs(subgame: Subgame) -> None:
    if not subgame.expected:
        raise InputError(
            f"{subgame.name}: nobody gets there under the blueprint, so unsafe search has no ranges: "
            "use a safe method, or start one action earlier"
        )

"""Which bets to add: scorers propose them, and the rule of Brown 2020, section 4.3.4 picks those worth their nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.translation import midpoint
from counterpoise.errors import InputError
from counterpoise.parameters import as_numbers, require, require_choice, require_number, require_whole, shown
from counterpoise.solvers.saef.cfr import GrowingCFR, value_parts
from counterpoise.solvers.saef.kernels.best_response import ABSTRACT, respond
from counterpoise.solvers.saef.kernels.layouts import DEAL
from counterpoise.solvers.saef.kernels.proposals import find_missing
from counterpoise.tree.kernels.layouts import FloatArray


class Proposals(NamedTuple):
    """Bets that an abstraction lacks, at most one per decision."""

    nodes: NDArray[np.int64]
    """The decisions."""
    sizes: FloatArray
    """Fractions of the pot."""
    gains: FloatArray
    """Scores; those of `RegretEstimate` are regrets, summed over hands and iterations, in chips."""


class BetScorer(Protocol):
    """What proposes bets: any function of a running CFR. Bets that are there already are passed over."""

    def __call__(self, cfr: GrowingCFR) -> Proposals:
        """Return the bets worth considering now."""


@dataclass(frozen=True)
class RegretEstimate:
    """Proposes the bets with the largest regret, estimated by transferring what their neighbours were worth."""

    points: int = 15
    """Sizes that are tried in every gap between two bets."""
    narrowest: float = 0.004
    """Narrower gaps are left alone, in fractions of the pot."""
    excess: bool = True
    """Count only what exceeds R(I), the largest regret of the actions present: beside a good bet all look good."""

    def __post_init__(self) -> None:
        require_whole("points", self.points, 1, 1000)
        require_number("narrowest", self.narrowest, 1e-5, 1)
        require_choice("excess", self.excess, (True, False))

    def __call__(self, cfr: GrowingCFR) -> Proposals:
        sizes, gains = np.zeros((2, cfr.tree.count))
        options = self.points, self.narrowest, self.excess
        find_missing(cfr.tree.arrays, cfr.tables, self.parts(cfr), options, sizes, gains)
        nodes = np.flatnonzero(gains > 0.0)
        return Proposals(nodes, sizes[nodes].round(6), gains[nodes])

    def parts(self, cfr: GrowingCFR) -> FloatArray:
        """Return F and C of every bet, as `value_parts` does."""
        return value_parts(cfr)


@dataclass(frozen=True)
class BestResponseBound(RegretEstimate):
    """Proposes the bets with the largest regret, had they always been followed by a best response: an upper bound.

    The opponent answers with its average strategy. It needs two walks of the tree.
    """

    def parts(self, cfr: GrowingCFR) -> FloatArray:
        """Return F and C of every bet against the opponent's average strategy, times the iterations."""
        tree, arrays, count = cfr.tree, cfr.tree.arrays, cfr.tree.count
        strategy, found = cfr.average_strategy(), np.zeros((2, count, tree.game.ranks))
        parents = arrays.parent[:count]
        for seat in range(2):
            work = np.zeros((3, count, tree.game.ranks))
            respond(arrays, tree.game.deals, strategy, count, seat, ABSTRACT, work)
            own = arrays.kind[parents] == seat
            found[:, own] = cfr.worth * arrays.stake[parents[own], None] * work[[2, 1]][:, own]
        return found


class ObservedBets:
    """Proposes bets where others have been seen to bet what the abstraction lacks, as Libratus did overnight.

    `observed` maps histories such as "r1c/K:" to the sizes seen there. A gap from A to B scores the sum of min(x - A,
    B - x) over the bets x inside; the proposal is the size that is translated to both alike.
    """

    def __init__(self, observed: Mapping[str, Sequence[float]]) -> None:
        require(isinstance(observed, Mapping), f"observed must map histories to sizes, not {shown(observed)}")
        self.observed: dict[str, tuple[float, ...]] = {}
        for history, given in observed.items():
            require(isinstance(history, str), f"observed must map histories to sizes, not {shown(history)}")
            sizes = as_numbers(f"observed[{history!r}]", given)
            require(
                sizes.ndim == 1 and bool(np.isfinite(sizes).all()),
                f"observed[{history!r}] must be a list of fractions of the pot, not {shown(given)}",
            )
            self.observed[history] = tuple(sizes.tolist())

    def __call__(self, cfr: GrowingCFR) -> Proposals:
        found = []
        for history, seen in self.observed.items():
            node = cfr.tree.find(history)
            known = list(cfr.tree.bets(node))
            scores = {(a, b): sum(min(x - a, b - x) for x in seen if a < x < b) for a, b in pairwise(known)}
            if scores:
                gap = max(scores, key=scores.__getitem__)
                found.append((node, round(midpoint(*gap), 6), scores[gap]))
        nodes, sizes, gains = (np.array(column) for column in zip(*found, strict=True)) if found else ([], [], [])
        return Proposals(np.asarray(nodes, np.int64), np.asarray(sizes, float), np.asarray(gains, float))


class ScorerError(InputError):
    """A scorer raised an exception, or what it returned is no proposal."""


def ask(scorer: BetScorer, cfr: GrowingCFR) -> Proposals:
    """Return what a scorer, which may be a user's, proposes; refuse what cannot be added."""
    try:
        return _checked(cfr, scorer(cfr))
    except Exception as error:
        kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
        raise ScorerError(f"the scorer failed: {kind}{error}") from error


def _checked(cfr: GrowingCFR, found: Proposals) -> Proposals:
    if not isinstance(found, Proposals):
        raise InputError(f"it must return Proposals, not {shown(found)}")
    tree, game = cfr.tree, cfr.tree.game
    nodes, sizes, gains = np.asarray(found.nodes), as_numbers("sizes", found.sizes), as_numbers("gains", found.gains)
    if not (nodes.ndim == 1 and nodes.shape == sizes.shape == gains.shape):
        raise InputError(f"it must return nodes, sizes and gains of one length, not {shown(found)}")
    if len(nodes) and nodes.dtype.kind not in "iu":
        raise InputError(f"nodes must be whole numbers, not {shown(found.nodes)}")
    at = nodes.astype(np.int64).clip(0, tree.count - 1)
    allowed = (nodes == at) & (tree.arrays.kind[at] < DEAL) & (tree.arrays.bets[at] < game.max_bets)
    if not allowed.all():
        raise InputError(f"it must propose bets where one is allowed, not at nodes {nodes[~allowed]}")
    if len(np.unique(at)) < len(at):
        raise InputError(f"it must propose at most one bet per decision, not {shown(found.nodes)}")
    if not ((sizes >= game.low) & (sizes <= game.high)).all():
        raise InputError(f"sizes must be from {game.low:g} to {game.high:g} of the pot, not {shown(found.sizes)}")
    if not np.isfinite(gains).all():
        raise InputError(f"gains must be finite numbers, not {shown(found.gains)}")
    return Proposals(at, sizes, gains)


def worth_adding(
    threshold: float,
    regret: FloatArray | float,
    nodes: int,
    gain: FloatArray | float,
    new: FloatArray | float,
    iterations: float,
) -> NDArray[np.bool_]:
    """Return whether bets reduce regret per node walked faster than what is there (proposition 2).

    That is, c R / |G| < (R + 2 r - r / T) / (|G| + |S|) with R the summed regret of the seat's infosets, r the bet's,
    |G| and |S| the nodes that there are and that the bet adds, T iterations, and c the `threshold`.
    """
    rate = (np.asarray(regret) + (2.0 - 1.0 / iterations) * np.asarray(gain)) / (nodes + np.asarray(new))
    return np.asarray(threshold * np.asarray(regret) / nodes < rate)

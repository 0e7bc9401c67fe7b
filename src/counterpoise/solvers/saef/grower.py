"""Simultaneous abstraction and equilibrium finding at work (Brown 2020, section 4.3).

1. Run CFR on the abstraction.
2. Every few iterations let a scorer propose bets that are missing, and accept those that are worth their nodes.
3. Add each accepted bet, with a past from a recovery game or by regret transfer.
4. Discount the past, in all sums of both seats, by as much as the new bet has too much regret.
5. If asked to, remove bets for good that are hopeless; what nobody reaches is left out of the walks in any case.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from counterpoise.parameters import require_choice, require_number, require_whole
from counterpoise.solvers.saef.adding import (
    add_by_recovery,
    add_by_transfer,
    check_new_bet,
    recovery_iterations,
    remove_hopeless,
)
from counterpoise.solvers.saef.cfr import GrowingCFR
from counterpoise.solvers.saef.game import ContinuousLeduc
from counterpoise.solvers.saef.kernels.proposals import count_below
from counterpoise.solvers.saef.proposals import BetScorer, Proposals, RegretEstimate, ask, worth_adding
from counterpoise.solvers.saef.weights import WeightRule, past_weight
from counterpoise.tree.kernels.layouts import FloatArray

Variant = Literal["recovery", "transfer", "fixed"]


@dataclass(frozen=True, kw_only=True)
class Growth:
    """How an abstraction grows; the defaults are those of the source's Recovery-1.01 (Brown 2020, section 4.3.6)."""

    variant: Variant = "recovery"
    """The past of a new bet: of a recovery game, or that of the bet nearest in size; fixed: nothing is added."""
    threshold: float | None = 1.01
    """c: how many times faster than the whole a bet must reduce regret per node; None: all proposals are taken."""
    every: int = 5
    """Iterations between two looks for missing bets."""
    most: int = 20
    """Bets added at one look at most."""
    least_recovery: int = 200
    """Iterations of a recovery game at least; after few the new bet's regret is large, and the past counts less."""
    most_recovery: int | None = 1000
    """Iterations of a recovery game at most; with None the bound of CFR holds below every new bet."""
    weight: WeightRule = "potential"
    """How the past is discounted after an addition: by the ratio of potentials, or by the largest weight allowed."""
    archive: bool = True
    """Leave what neither player reaches out of the walks."""
    remove: float = 0.0
    """C: remove hopeless bets reached with less than C / sqrt(T) for good; 0: never."""

    def __post_init__(self) -> None:
        require_choice("variant", self.variant, get_args(Variant))
        if self.threshold is not None:
            require_number("threshold", self.threshold, 0)
        for name in ("every", "most", "least_recovery"):
            require_whole(name, getattr(self, name), 1)
        if self.most_recovery is not None:
            require_whole("most_recovery", self.most_recovery, self.least_recovery)
        require_choice("weight", self.weight, get_args(WeightRule))
        require_choice("archive", self.archive, (True, False))
        require_number("remove", self.remove, 0)


class Change(NamedTuple):
    """A bet that was added to the abstraction, or removed from it."""

    history: str
    """The bet and what came before it: "cr0.25" is a bet of a quarter of the pot after a check."""
    iterations: int
    nodes_touched: int
    nodes: int
    """By how many nodes the abstraction grew; negative if the bet was removed."""
    weight: float
    """How much the past counts since then."""


@dataclass
class AbstractionGrower:
    """An abstraction that is solved and grows; `changes` tells what was added and removed."""

    cfr: GrowingCFR
    settings: Growth
    scorer: BetScorer = field(default_factory=RegretEstimate)
    changes: list[Change] = field(default_factory=list)

    @classmethod
    def start(
        cls,
        game: ContinuousLeduc | None = None,
        settings: Growth | None = None,
        sizes: Sequence[float] | None = None,
        scorer: BetScorer | None = None,
    ) -> AbstractionGrower:
        """Return a grower before its first iteration."""
        settings = settings or Growth()
        return cls(GrowingCFR(game, sizes, settings.archive), settings, scorer or RegretEstimate())

    def copy(self) -> AbstractionGrower:
        """Return an independent copy of the grower."""
        return replace(self, cfr=deepcopy(self.cfr), changes=list(self.changes))

    def step(self) -> None:
        """Run one iteration; every few of them, let the abstraction grow."""
        self.cfr.step()
        if self.cfr.iterations % self.settings.every == 0:
            if self.settings.variant != "fixed":
                self.grow()
            if self.settings.remove > 0.0:
                self.shrink()

    def grow(self) -> int:
        """Add the proposed bets that are worth it, best first; return how many."""
        cfr, threshold = self.cfr, self.settings.threshold
        found = ask(self.scorer, cfr)
        new, seats = self._new_nodes(found), cfr.tree.arrays.kind[found.nodes]
        good = found.gains > 0.0
        if threshold is not None:  # most fail already before anything is added
            good &= self._worth(threshold, seats, found.gains, new)
        order = np.argsort(-found.gains / (1.0 if threshold is None else new), kind="stable")
        kept, added = 1.0, 0
        for k in order[good[order]]:
            node, size = int(found.nodes[k]), float(found.sizes[k])
            gain = found.gains[k] * kept  # all sums have been discounted since
            wanted = threshold is None or self._worth(threshold, seats[k], gain, new[k])
            if wanted and size not in cfr.tree.bets(node):
                kept *= self.add(node, size)
                added += 1
            if added == self.settings.most:
                break
        return added

    def add(self, node: int, size: float) -> float:
        """Add a bet to a decision and discount the past; return the weight of the past."""
        cfr, before = self.cfr, self.cfr.tree.live
        check_new_bet(cfr, node, size)
        if self.settings.variant == "transfer":
            root = add_by_transfer(cfr, node, size, self._nearest(node, size))
        else:
            limits = self.settings.least_recovery, self.settings.most_recovery
            root = add_by_recovery(cfr, node, size, recovery_iterations(cfr, node, *limits))
        weight = past_weight(cfr, root, self.settings.weight)
        cfr.discount(weight)
        grown = cfr.tree.live - before
        self.changes.append(Change(cfr.tree.history(root), cfr.iterations, cfr.nodes_touched, grown, weight))
        return weight

    def shrink(self) -> int:
        """Remove hopeless bets for good; return how many."""
        cfr = self.cfr
        removed = remove_hopeless(cfr, self.settings.remove)
        for history, nodes in removed.items():
            self.changes.append(Change(history, cfr.iterations, cfr.nodes_touched, -nodes, 1.0))
        return len(removed)

    @property
    def additions(self) -> int:
        """How many bets have been added."""
        return sum(change.nodes > 0 for change in self.changes)

    def _worth(self, threshold: float, seats: Any, gains: Any, new: Any) -> NDArray[np.bool_]:
        cfr = self.cfr
        return worth_adding(threshold, cfr.totals()[seats, 0], cfr.tree.live, gains, new, cfr.worth)

    def _new_nodes(self, found: Proposals) -> FloatArray:
        """Return how many nodes each proposal would add."""
        tree = self.cfr.tree
        if self.settings.variant == "transfer":
            below = np.zeros(tree.count, np.int64)
            count_below(tree.arrays, tree.count, below)
            pairs = zip(found.nodes.tolist(), found.sizes.tolist(), strict=True)
            return np.array([below[self._nearest(node, size)] for node, size in pairs], dtype=np.float64)
        return np.array([tree.new_nodes(node) for node in found.nodes.tolist()], dtype=np.float64)

    def _nearest(self, node: int, size: float) -> int:
        """Return the bet that is nearest in size."""
        bets = self.cfr.tree.bets(node)
        return bets[min(bets, key=lambda bet: abs(bet - size))]

"""Pruning: CFR that leaves out the parts of the tree which do not matter on an iteration (Brown 2020, section 3.3).

These modifiers go with the regret-matching family (`cfr`, `cfr+`, `lcfr`, `dcfr`) and are written after a slash::

    cfr/partial-pruning                                  skip what the opponents do not reach; exactly the same results
    cfr(updates=simultaneous)/partial-pruning(traversals=one)    one walk of the tree per iteration for all players
    cfr/best-response                                    the same, with a best response where own play does not lead

`cfr/rbp` (see `interval_rbp`) and `cfr/total-rbp` (see `total_rbp`) prune more. All of them count in `nodes_touched`
every history that a walk visits, terminals included.

An iteration for player i is one walk over the histories that chance and the others reach. Where they do not reach,
counterfactual values are zero and regrets do not change; own reach may be positive there, so the average is kept up
to date by a pass over all sequences, which touches no history.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from counterpoise.errors import InputError
from counterpoise.solvers.base import Algorithm, Modified, Modifier, modifier
from counterpoise.solvers.kernels.pruning import iterate
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.solvers.matching.tree_matching import RegretMatchingSolver
from counterpoise.tree import Tree

Traversals = Literal["one", "two"]


@modifier("partial-pruning")
@dataclass(frozen=True, kw_only=True)
class PartialPruning(Modifier):
    """Skip the histories that the opponents do not reach: the same results for fewer nodes."""

    source = "Brown 2020, section 3.3"

    traversals: Traversals = "two"
    """With simultaneous updates: a walk for every player ("two"), or one for all that skips what none of them needs."""

    def check(self, base: Algorithm) -> None:
        require_regret_matching(self, base)
        require_possible_traversals(self, base, self.traversals)

    def on_tree(self, settings: Modified, tree: Tree, seed: int) -> PartialPruningSolver:
        together, best = self.traversals == "one", isinstance(self, BestResponsePruning)
        return PartialPruningSolver(settings, tree, seed, together=together, best=best)


@modifier("best-response")
@dataclass(frozen=True, kw_only=True)
class BestResponsePruning(PartialPruning):
    """Partial pruning, and a best response in branches that the player's own strategy does not reach."""

    source = "Brown 2020, section 3.3.1"


def require_regret_matching(change: Modifier, base: Algorithm) -> RegretMatching:
    """Return the base as one of the regret-matching family, or refuse it and say why."""
    if isinstance(base, RegretMatching):
        return base
    if isinstance(base, Modified) and base.modifier.registered_name == "threshold":
        change.refuse(base, "thresholded methods are not pruned any further (but for hedge/threshold/rbp)")
    if isinstance(base, Modified):
        change.refuse(base, "it includes other pruning already")
    reasons = {
        "hedge": "Hedge plays every action, which leaves nothing to skip (but hedge/threshold/rbp is possible)",
        "es-mccfr": "sampling has rbs and skip for that",
        "linear-es-mccfr": "sampling has rbs and skip for that",
    }
    family = (
        f"{change.registered_name} goes with the regret-matching family (cfr, cfr+, lcfr, dcfr), not with {base.name}"
    )
    raise InputError(f"{family}: {reasons.get(base.registered_name, 'it needs regrets at every information set')}")


def require_possible_traversals(change: Modifier, base: Algorithm, traversals: str) -> None:
    """Refuse one traversal for all players when they take turns."""
    if traversals == "one" and getattr(base.unmodified, "updates", "alternating") != "simultaneous":
        raise InputError(
            f"{change.registered_name}: traversals must be 'two' for {base.name}, not 'one': players who take turns "
            "cannot share a walk (use updates=simultaneous)"
        )


class PartialPruningSolver(RegretMatchingSolver):
    """The regret-matching solver, with walks over histories in place of the sequence form."""

    kernels = (iterate,)
    compile_seconds = 8.0

    def step(self, iterations: int = 1) -> None:
        nodes, factors = self.pruning_tree.nodes, self.factors(iterations)
        self.count(iterations, iterate(self.tree.form, nodes, self._rules, factors, self._tables, self._walked))

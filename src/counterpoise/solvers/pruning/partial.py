"""Pruning: CFR that leaves out the parts of the tree which do not matter on an iteration (BROWN 3.3).

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

import numpy as np

from counterpoise.errors import InputError
from counterpoise.solvers.base import Algorithm, Modified, Modifier, modifier
from counterpoise.solvers.kernels.layouts import PruningWork, Walked
from counterpoise.solvers.kernels.pruning import iterate
from counterpoise.solvers.matching.regret_matching import RegretMatching, RegretMatchingSolver
from counterpoise.tree import Tree
from counterpoise.tree.flatten import pruning_tree

Traversals = Literal["one", "two"]


@modifier("partial-pruning")
@dataclass(frozen=True, kw_only=True)
class PartialPruning(Modifier):
    """Skip the histories that the opponents do not reach: the same results for fewer nodes."""

    source = "BROWN 3.3"

    traversals: Traversals = "two"
    """With simultaneous updates: a walk for every player ("two"), or one for all that skips what nobody needs."""

    def check(self, base: Algorithm) -> None:
        """Any of the regret-matching family; one traversal needs simultaneous updates."""
        require_regret_matching(self, base)
        require_possible_traversals(self, base, self.traversals)

    def on_tree(self, settings: Modified, tree: Tree, seed: int) -> PartialPruningSolver:
        """A solver that walks the histories."""
        return PartialPruningSolver(settings, tree, seed)


@modifier("best-response")
@dataclass(frozen=True, kw_only=True)
class BestResponse(PartialPruning):
    """Partial pruning, and a best response in branches that the player's own strategy does not reach."""

    source = "BROWN 3.3.1"


def require_regret_matching(change: Modifier, base: Algorithm) -> RegretMatching:
    """The base as one of the regret-matching family, or a refusal."""
    if isinstance(base, RegretMatching):
        return base
    if isinstance(base, Modified) and base.modifier.registered_name == "threshold":
        raise InputError(
            f"{change.registered_name} does not go with {base.name}: thresholded methods are not pruned any further "
            "(but for hedge/threshold/rbp)"
        )
    if isinstance(base, Modified):
        raise InputError(f"{change.registered_name} does not go with {base.name}: it includes other pruning already")
    reasons = {
        "hedge": "Hedge plays every action, which leaves nothing to skip (but hedge/threshold/rbp is possible)",
        "es-mccfr": "sampling has rbs and skip for that",
        "linear-es-mccfr": "sampling has rbs and skip for that",
    }
    reason = reasons.get(base.registered_name, "it needs regrets at every information set")
    raise InputError(
        f"{change.registered_name} goes with the regret-matching family (cfr, cfr+, lcfr, dcfr), not with {base.name}: "
        f"{reason}"
    )


def require_possible_traversals(change: Modifier, base: RegretMatching | Algorithm, traversals: str) -> None:
    """Refuse one traversal for all players when they take turns."""
    if traversals == "one" and getattr(base, "updates", "alternating") != "simultaneous":
        raise InputError(
            f"{change.registered_name}: traversals must be 'two' for {base.name}, not 'one': players who take turns "
            "cannot share a walk (use updates=simultaneous)"
        )


def walked(tree: Tree) -> Walked:
    """Return room for the sums of a walk."""
    return Walked(np.zeros(tree.table.size), np.zeros(tree.infosets), np.zeros(tree.players, dtype=np.uint64))


def pruning_work(tree: Tree) -> PruningWork:
    """Return working memory for walks over the whole tree and over a branch."""
    most = max((len(actions) for actions in tree.table.actions), default=0)
    return PruningWork(walked(tree), walked(tree), np.zeros(most))


class PartialPruningSolver(RegretMatchingSolver):
    """The regret-matching solver, with walks over histories in place of the sequence form."""

    kernels = (iterate,)
    compile_seconds = 8.0

    def __init__(self, settings: Modified, tree: Tree, seed: int = 0) -> None:
        assert isinstance(settings.modifier, PartialPruning)
        super().__init__(settings, tree, seed, variant=require_regret_matching(settings.modifier, settings.base))
        together, best = settings.modifier.traversals == "one", isinstance(settings.modifier, BestResponse)
        self._rules = self.variant.rules(together=together, best=best)
        self._nodes = pruning_tree(tree).nodes
        self._walked = walked(tree)

    def step(self, iterations: int = 1) -> None:
        """Advance by this many iterations in one compiled call."""
        factors = self.factors(iterations)
        touched = iterate(self.tree.form, self._nodes, self._rules, factors, self._tables, self._walked)
        self.iteration += iterations
        self.nodes_touched += int(touched)

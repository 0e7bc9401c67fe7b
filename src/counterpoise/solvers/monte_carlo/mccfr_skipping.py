"""External sampling that seldom looks at own actions with very negative regret, as the blueprints of agents did.

Both leave out only actions that the current strategy does not play, so the values of the rest stay exact; where the
strategy is even for want of positive regrets nothing is left out. Regrets are compared as they are stored, that is
discounted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL
from counterpoise.solvers.base import Algorithm, Modified, Modifier, Negative, Positive, Share, WholeFromOne, modifier
from counterpoise.solvers.kernels.layouts import REGRET_BASED, SKIP, Exploration
from counterpoise.solvers.monte_carlo.mccfr import ExternalSampling, ExternalSamplingSolver
from counterpoise.tree import Tree

DEFAULT_MULTIPLE = -100.0
"""Default threshold in multiples of the largest absolute payoff; thresholds nearer to zero freeze good actions."""


@dataclass(frozen=True, kw_only=True)
class Skipping(Modifier):
    """Settings that both modifiers share."""

    start: WholeFromOne = 1
    """The first iteration in which actions may be left out."""

    def check(self, base: Algorithm) -> None:
        name = self.registered_name
        if not isinstance(base, ExternalSampling):
            raise InputError(
                f"{name} leaves out actions of a walk that looks at all of them: it goes with es-mccfr and "
                f"linear-es-mccfr, not with {base.name}"
            )
        if base.explore != "all":
            raise InputError(f"{name} and explore={base.explore!r} both choose the actions to look at: use one of them")
        if base.floor:
            raise InputError(f"{name} looks for very negative regrets, but {base.name} has none: leave out floor")

    def guarantee(self, base: Algorithm) -> str:
        return ""  # convergence has not been proven


@modifier("rbs")
@dataclass(frozen=True, kw_only=True)
class RegretBasedSampling(Skipping):
    """Regret-based sampling: look at an action with regret R below C with probability K / (K + C - R)."""

    source = "Brown 2020, sections 6.3, 6.4"

    C: Negative | None = None
    """Regret below which actions are looked at less often; by default -100 times the largest absolute payoff."""
    K: Positive | None = None
    """How far below C the probability is one half; by default -C."""
    importance_weight: bool = False
    """Divide by the probability, which makes the regrets unbiased; agents did without."""

    def on_tree(self, settings: Modified, tree: Tree, seed: int) -> ExternalSamplingSolver:
        threshold = default_threshold(tree) if self.C is None else float(self.C)
        scale = -threshold if self.K is None else float(self.K)
        weighted, start = self.importance_weight, int(self.start)
        rule = Exploration(rule=REGRET_BASED, threshold=threshold, scale=scale, weighted=weighted, start=start)
        return ExternalSamplingSolver(settings, tree, seed, rule)


@modifier("skip")
@dataclass(frozen=True, kw_only=True)
class SkipNegativeRegrets(Skipping):
    """In most iterations do not look at actions with very negative regret, as Pluribus did.

    Never at information sets below which chance does not act again (the last betting round), and never actions that end
    the game.
    """

    source = "Brown 2020, section 6.6"

    threshold: Negative | None = None
    """Regret below which an action is left out; by default -100 times the largest absolute payoff."""
    probability: Share = 0.95
    """Share of the iterations that leave actions out; one draw for a whole iteration."""

    def on_tree(self, settings: Modified, tree: Tree, seed: int) -> ExternalSamplingSolver:
        exploration = Exploration(
            rule=SKIP,
            threshold=default_threshold(tree) if self.threshold is None else float(self.threshold),
            share=float(self.probability),
            start=int(self.start),
            skippable=skippable_sequences(tree),
        )
        return ExternalSamplingSolver(settings, tree, seed, exploration)


def default_threshold(tree: Tree) -> float:
    """Return -100 times the largest absolute payoff of the game."""
    return DEFAULT_MULTIPLE * max(float(np.abs(tree.histories.payoffs).max(initial=0.0)), 1e-9)


def skippable_sequences(tree: Tree) -> NDArray[np.bool_]:
    """Return which sequences `SkipNegativeRegrets` may leave out: chance acts again below, and they end no game."""
    histories = tree.histories
    chance_below = histories.player == CHANCE
    for node in range(tree.nodes - 1, 0, -1):  # children come after their parents
        if chance_below[node]:
            chance_below[histories.parent[node]] = True
    skippable = np.ones(tree.table.size, dtype=np.bool_)
    start = np.asarray(tree.form.start, dtype=np.int64)
    decisions = np.flatnonzero(histories.player >= 0)
    sets = histories.infoset[decisions]
    last_round = np.ones(tree.infosets, dtype=np.bool_)
    last_round[sets[chance_below[decisions]]] = False
    for infoset in np.flatnonzero(last_round):
        skippable[start[infoset] : int(tree.form.stop[infoset])] = False
    ends = np.flatnonzero(histories.player == TERMINAL)
    above = histories.parent[ends]
    decided = (above >= 0) & (histories.player[above] >= 0)
    ends, above = ends[decided], above[decided]
    skippable[start[histories.infoset[above]] + ends - histories.first_child[above]] = False
    return skippable

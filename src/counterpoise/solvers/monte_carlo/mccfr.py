"""Monte Carlo CFR: each iteration looks at a random part of the tree.

See Lanctot et al. 2009; Brown 2020, section 2.3.6; Johanson 2016, section 3.3.

An iteration is one walk per player. The walk of player i estimates, without bias, the counterfactual regrets of i's
information sets that it meets; the others' get nothing. With q(z) the probability that the walk meets terminal z,

    v(I,a) is estimated by the sum over met z below (I,a) of  u_i(z) * pi_{-i}(z[I]) * pi(z[I]a -> z) / q(z).

- `ChanceSampling` draws chance and enumerates every decision: regrets are weighted by the others' reach, averages by
  own reach.
- `ExternalSampling` draws chance and the others, and looks at all actions of i: pi_{-i} / q is 1, no weights are left.
  It may also draw which of i's own actions to explore, action a with probability p(a): values from below a are then
  divided by p(a). The default explores all of them.
- `OutcomeSampling` draws a single path; i's own actions with probability exploration / |A| + (1 - exploration) * sigma.

The average strategy must gain, in expectation, each iterate weighted by the reach of its own player. With two players
the walk of i does it at the nodes of the other one, who is drawn by its own strategy: those nodes are met in proportion
to its reach, once the probability of i's own draws is divided out. That is stochastically weighted averaging; nothing
is postponed, so a resumed run needs no more state, and exploring i's actions bounds the weights. With more players
the reach of third parties would get in, so each player has one more walk (`average_walk`).

Strategies are matched to regrets only where a walk passes. With `lazy`, an information set has tables only once a walk
has met it (Brown 2020, section 6.6): in large games most are met late or never. The result is the same.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import CHANCE
from counterpoise.kernels.random import seeded
from counterpoise.solvers.base import Algorithm, Arrays, Positive, Share, WholeFromOne, algorithm, restore_arrays
from counterpoise.solvers.kernels.layouts import (
    ALL,
    AVERAGE_STRATEGY,
    ROBUST,
    Exploration,
    SampledTables,
    Schedule,
    Stretch,
)
from counterpoise.solvers.kernels.mccfr import NEXT_FREE, block_of
from counterpoise.solvers.kernels.mccfr_chance import chance_sampling, chance_scratch
from counterpoise.solvers.kernels.mccfr_external import external_sampling, external_scratch
from counterpoise.solvers.kernels.mccfr_outcome import outcome_sampling, outcome_scratch
from counterpoise.solvers.tree_solver import TreeSolver
from counterpoise.tree import Tree
from counterpoise.tree.flatten import sampling_tree
from counterpoise.tree.kernels.layouts import FloatArray, IndexArray

Discount = Literal["none", "linear", "initial"]
DISCOUNTS: dict[str, int] = {"none": 0, "linear": 1, "initial": 2}
LONGEST_PERIOD = 10_000_000
"""Nodes touched per period in Brown 2020, section 3.1.5."""


@dataclass(frozen=True, kw_only=True)
class MonteCarlo(Algorithm):
    """Settings that all samplers share."""

    discount: Discount = "none"
    """At the end of period n multiply regrets and averages by n/(n+1) (linear), or by 1/10 once (initial)."""
    period: WholeFromOne | None = None
    """Nodes touched per period; by default as many as the game has histories, at most ten million."""
    floor: bool = False
    """Regret matching+: regret sums never fall below zero. Usually worse under sampling."""
    average: Literal["uniform", "linear"] = "uniform"
    """Weight 1 or t of iteration t in the average strategy."""
    lazy: bool = False
    """Make room for the tables of an information set when it is first met. Saves memory, changes no result."""

    @property
    def guarantee(self) -> str:
        """Nothing is proven for regret matching+ under sampling, nor for linear averages of undiscounted regrets."""
        return "" if self.floor or self.average == "linear" else super().guarantee

    def schedule(self, nodes: int) -> Schedule:
        """Return what happens to the tables between walks, by default in periods of as many nodes as the game has."""
        period = min(nodes, LONGEST_PERIOD) if self.period is None else int(self.period)
        return Schedule(DISCOUNTS[self.discount], period, self.floor, self.average == "linear")


class MonteCarloSolver(TreeSolver):
    """Regrets and average of all players, two floats per sequence, and the state of the random numbers.

    With `lazy` settings there is a `place`, the entry of every sequence in the two tables (0: none). Entries are given
    in the order in which information sets are first met; what follows them in the tables has never been touched, so the
    operating system has not handed out that memory yet.
    """

    def __init__(self, settings: Algorithm, tree: Tree, seed: int = 0, *rule: Any) -> None:
        """`rule` says which own actions are drawn, if the kernel draws some."""
        super().__init__(settings, tree, seed)
        base = settings.unmodified
        assert isinstance(base, MonteCarlo)
        self.random = seeded(seed)
        self.regrets, self.cumulative = np.zeros((2, tree.table.size))
        self.place: IndexArray | None = _nothing_met(tree) if base.lazy else None
        self._sampled, self._schedule, self._rule = sampling_tree(tree), base.schedule(tree.nodes), rule
        self._scratch = self.scratch()

    def step(self, iterations: int = 1) -> None:
        """Advance by this many iterations, one walk per player each, in one compiled call."""
        tables = SampledTables(self.regrets, self.cumulative, self.random)
        work = Stretch(self.iteration, iterations, self.nodes_touched), tables, self._scratch, self.place
        self.nodes_touched = int(self.kernels[0](self._sampled, self._schedule, *self._rule, *work))
        self.iteration += iterations

    @abstractmethod
    def scratch(self) -> Any:
        """Return the working memory of a walk."""

    def average_profile(self) -> FloatArray:
        """Return the average of the iterates, each weighted by its own reach; uniform at infosets never met."""
        return self.tree.behaviour(self._full(self.cumulative))

    def current_profile(self) -> FloatArray:
        """Return the strategy that matches the regrets; uniform where none is positive."""
        return self.tree.behaviour(np.maximum(self._full(self.regrets), 0.0))

    def arrays(self) -> Arrays:
        """Return regrets, the unnormalised average and the random state; with `lazy`, the used part and its places."""
        if self.place is None:
            return {"regrets": self.regrets, "cumulative": self.cumulative, "random": self.random}
        used = int(self.place[NEXT_FREE])
        tables = {"regrets": self.regrets[:used], "cumulative": self.cumulative[:used]}
        return tables | {"random": self.random, "place": self.place}

    def state(self) -> Arrays:
        """Return a copy of everything that changes, with zeros for information sets without tables."""
        if self.place is None:
            return super().state()
        return {
            "counters": np.array([self.iteration, self.nodes_touched], dtype=np.int64),
            "regrets": self._full(self.regrets),
            "cumulative": self._full(self.cumulative),
            "random": self.random.copy(),
            "met": self.place[self.tree.form.start] > 0,
        }

    def restore(self, state: Arrays) -> None:
        if self.place is None:
            super().restore(state)
            return
        form, size = self.tree.form, self.tree.table.size
        regrets, cumulative, met = np.zeros(size), np.zeros(size), np.zeros(self.tree.infosets, dtype=np.bool_)
        tables = {"regrets": regrets, "cumulative": cumulative, "random": self.random, "met": met}
        self.iteration, self.nodes_touched = restore_arrays(state, tables, self.settings.name)
        self.place = _nothing_met(self.tree)
        for infoset in np.flatnonzero(met):
            block_of(self.place, form.start[infoset], form.stop[infoset] - form.start[infoset])
        stored = _stored(self.place)
        self.regrets, self.cumulative = np.zeros(size), np.zeros(size)
        self.regrets[self.place[stored]] = regrets[stored]
        self.cumulative[self.place[stored]] = cumulative[stored]

    def _full(self, table: FloatArray) -> FloatArray:
        """Return a table with an entry for every sequence, zero where nothing is stored."""
        if self.place is None:
            return table
        full, stored = np.zeros_like(table), _stored(self.place)
        full[stored] = table[self.place[stored]]
        return full


def _nothing_met(tree: Tree) -> IndexArray:
    """Return a `place` without entries; the first to be given is entry 1."""
    place = np.zeros(tree.table.size, dtype=np.uint32)
    place[NEXT_FREE] = 1
    return place


def _stored(place: IndexArray) -> NDArray[np.bool_]:
    """Return which sequences have entries in the tables."""
    stored = place > 0
    stored[NEXT_FREE] = False
    return stored


@algorithm("cs-mccfr")
@dataclass(frozen=True, kw_only=True)
class ChanceSampling(MonteCarlo):
    """Monte Carlo CFR that draws chance only: every decision below the drawn deal is enumerated."""

    source = "Johanson 2016, section 3.3; Brown 2020, section 2.3.6"

    def on_tree(self, tree: Tree, seed: int) -> ChanceSamplingSolver:
        if not (tree.histories.player == CHANCE).any():
            raise InputError(f"{self.registered_name} draws chance, but {tree.name} has no chance node: use cfr")
        return ChanceSamplingSolver(self, tree, seed)

    public_bits: ClassVar[tuple[int, ...]] = (32,)

    @property
    def public_tables(self) -> int:
        """Two tables of 64 bits, and a profile of 32 bits while strategies are read off them."""
        return 5

    def on_public(self, game: Any, seed: int, threads: int, bits: int) -> Any:
        self.require_usual_bits(bits)
        return self.on_buckets(game, None, seed)

    def on_buckets(self, game: Any, buckets: Any, seed: int) -> Any:
        from counterpoise.solvers.monte_carlo.pcs import CS  # public games are imported when needed
        from counterpoise.solvers.monte_carlo.public_walks import BucketSolver

        if self.discount != "none" or self.lazy:
            raise InputError(f"{self.name} does not run on public trees: there nothing fades and all tables are whole")
        return BucketSolver(self, game, buckets, seed, CS(floor=self.floor, average=self.average))


class ChanceSamplingSolver(MonteCarloSolver):
    """Walks through all decisions below drawn chance outcomes."""

    kernels = (chance_sampling,)

    def scratch(self) -> Any:
        return chance_scratch(self._sampled, self.tree.table.size)


@algorithm("es-mccfr")
@dataclass(frozen=True, kw_only=True)
class ExternalSampling(MonteCarlo):
    """Monte Carlo CFR that draws chance and the opponents and looks at all own actions."""

    source = "Brown 2020, sections 2.3.6, 3.1.5"

    explore: Literal["all", "robust", "average_strategy"] = "all"
    """Which own actions a walk looks at: all, `actions` of them drawn evenly, or each by its share in the average."""
    actions: WholeFromOne = 1
    """How many own actions robust sampling draws at an information set (Li et al. 2020)."""
    epsilon: Share = 0.05
    """Average-strategy sampling: least probability of looking at an action (Gibson et al. 2012)."""
    tau: Positive = 1000.0
    """Average-strategy sampling: how much more than its share in the average an action is looked at."""
    beta: Positive = 1_000_000.0
    """Average-strategy sampling: while the average sums are far below this, every action is looked at."""

    public_bits: ClassVar[tuple[int, ...]] = (32,)

    @property
    def public_tables(self) -> int:
        """Two tables of 64 bits, and a profile of 32 bits while strategies are read off them."""
        return 5

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require(self.epsilon > 0, "epsilon", "above 0, or some actions would never be looked at")

    def exploration(self) -> Exploration:
        """Return the rule by which walks choose the own actions to look at."""
        rule = {"all": ALL, "robust": ROBUST, "average_strategy": AVERAGE_STRATEGY}[self.explore]
        epsilon, tau, beta = float(self.epsilon), float(self.tau), float(self.beta)
        return Exploration(rule=rule, actions=int(self.actions), epsilon=epsilon, tau=tau, beta=beta)

    def on_tree(self, tree: Tree, seed: int) -> ExternalSamplingSolver:
        return ExternalSamplingSolver(self, tree, seed, self.exploration())

    def on_public(self, game: Any, seed: int, threads: int, bits: int) -> Any:
        from counterpoise.solvers.monte_carlo.public_mccfr import PublicExternalSampling

        self.require_usual_bits(bits)
        return PublicExternalSampling(self, game, seed)

    def on_buckets(self, game: Any, buckets: Any, seed: int) -> Any:
        from counterpoise.solvers.monte_carlo.public_mccfr import PublicExternalSampling

        return PublicExternalSampling(self, game, seed, buckets)


@algorithm("linear-es-mccfr")
@dataclass(frozen=True, kw_only=True)
class LinearExternalSampling(ExternalSampling):
    """External sampling whose regrets and averages fade: period n of the run counts n times (Linear MCCFR)."""

    source = "Brown 2020, section 3.1.5"

    discount: Discount = "linear"


class ExternalSamplingSolver(MonteCarloSolver):
    """Walks through own actions below drawn chance outcomes and opponents' actions; the rule is an `Exploration`."""

    kernels = (external_sampling,)
    compile_seconds = 10.0

    def scratch(self) -> Any:
        return external_scratch(self._sampled)


@algorithm("os-mccfr")
@dataclass(frozen=True, kw_only=True)
class OutcomeSampling(MonteCarlo):
    """Monte Carlo CFR that draws a single path through the game, with exploration of own actions."""

    source = "Brown 2020, section 2.3.6"

    exploration: Share = 0.6
    """Share of evenly drawn own actions; the rest are drawn by the current strategy."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require(self.exploration > 0, "exploration", "above 0, or some actions would never be drawn")

    def on_tree(self, tree: Tree, seed: int) -> OutcomeSamplingSolver:
        return OutcomeSamplingSolver(self, tree, seed, float(self.exploration))


class OutcomeSamplingSolver(MonteCarloSolver):
    """Single paths; the rule is the share of evenly drawn own actions."""

    kernels = (outcome_sampling,)

    def scratch(self) -> Any:
        return outcome_scratch(self._sampled)

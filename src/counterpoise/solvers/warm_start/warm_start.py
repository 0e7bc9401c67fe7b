"""Strategy-based warm starting: continue as though T iterations had produced a given strategy.

See Brown 2020, section 3.2.

From any profile sigma, and without knowing iterates of which it is the average, regrets are set in one bottom-up
pass per player against the other's part of sigma:

1. terminals pass up their values; an action's value v'(I,a) is what arrives below it;
2. the substitute value v'(I) solves ``sum_a max(v'(I,a) - v'(I), 0)^2 = factor * pi(I) * Delta(I)^2 * |A(I)| / T``
   (equation 3.6), where pi is the reach of chance and of the other player and Delta the range of payoffs below I;
3. the regret is ``R'(I,a) = T (v'(I,a) - v'(I))``; the average sums are T times sigma's realisation plan, and the
   counter of iterations stands at T.

By theorem 6 CFR then has the bound of a run of T iterations if the factor (the source's lambda) is at most 1 and the
substitute values of the two players add up to 0 or less. The sum falls as the factor grows: the smallest factor that
will do is searched for. T is the number of iterations after which the algorithm itself would be as good as sigma; the
projection is exploitability = c / T, with c from the tenth iteration of a short run of its own (Brown 2020, section
3.2.3).

Variants. Where iteration t counts with weight w_t in the regrets (the product of the discounts that it still meets), T
above becomes the sum of the weights in the regret and ``(sum w)^2 / sum w^2`` in equation 3.6, since ``sum_a R_+(a)^2
<= Delta^2 |A| sum_t w_t^2 pi^2`` (Brown 2020, section 3.1). LCFR has w_t = t / (T + 1) and sums of T / 2 and about 3 T
/ 4. Positive and negative regrets take the discounts of their own sign: CFR+ starts from regrets of at least 0, DCFR
from negative regrets of about one iteration. The average sums take the averaging weights of the first T iterations.

What is proven. Theorem 6 is about CFR. It carries over to variants whose average weighs iterations as their regrets do
(LCFR): R'/w is then the regret of a weighted average, to which the proof applies word for word. It carries over to the
floor of RM+ if the weights are the same again (``cfr+(average=uniform)``, LCFR+): cutting R' at 0 leaves the sum of
squares of equation 3.6 as it is, and from then on the sums bound the regrets from above. The bound is loose, so that
covered strategies may get worse too: those of CFR and RM+ hardly do, those of LCFR at first by half or more.

Nothing is proven where regrets and averages weigh iterations differently: CFR+ with linear averages, DCFR, PCFR+. They
owe their good averages to late iterates, which substitute regrets know nothing of, and they do not converge like c / T.
A strategy that is already good may get much worse, and for long: on Leduc DCFR's own average after 300 iterations, of
exploitability 0.0011, is at 0.05 ten iterations after a start with T = 300 and takes 1,000 to recover.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from counterpoise.errors import InputError
from counterpoise.games import Game
from counterpoise.parameters import require_number, require_whole
from counterpoise.solvers.base import Algorithm
from counterpoise.solvers.kernels.cfr import prefer_largest
from counterpoise.solvers.kernels.layouts import Substitutes
from counterpoise.solvers.kernels.warm_start import excess, smallest_factor, substitute_regrets
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.solvers.tree_solver import TreeSolver
from counterpoise.tree import Strategy, Tree, enumerate_game, evaluate, load_strategy
from counterpoise.tree.evaluation import AnyStrategy, as_profile
from counterpoise.tree.kernels.layouts import FloatArray
from counterpoise.tree.kernels.sequence_form import gradient, normalise, realisation_weights

FITTED_ITERATIONS = 10
"""Length of the run from which the number of iterations is projected."""
MAX_ITERATIONS = 1_000_000
"""The most iterations that a strategy can be worth."""
ROUNDING = 1e-13
"""NashConv below this share of the largest payoff counts as 0."""

Source = AnyStrategy | str | os.PathLike[str]
"""What can be started from: a strategy, a run, a mapping, or a file with a strategy or a run."""


class WarmStart(NamedTuple):
    """What a warm start chose, and whether it meets the conditions of theorem 6."""

    iterations: int
    """T: the counter of iterations continues from here."""
    factor: float
    """Lambda of Brown 2020, section 3.2.4, the share of the bound on regrets that is used."""
    squared_reach: bool
    """Whether the bound used the square of the external reach."""
    exploitability: float
    """Exploitability of the strategy started from, in the game's own unit."""
    substitute_sum: float
    """Substitute values of both players, added up; for payoffs that add up to a constant, what exceeds it."""
    proven: bool
    """Whether theorem 6 is about this algorithm; if not, a good strategy may get worse."""
    covered: bool
    """Whether it is and its conditions are met: equation 3.6, and substitute values that add up to 0 or less."""
    bound: float
    """Epsilon of theorem 6 here, in the game's own unit: far above the truth, none unless covered, inf if not known."""
    nodes_touched: int
    """Histories visited for it, the short run of the projection included."""

    def summary(self) -> str:
        """Return the choice in a sentence."""
        if self.proven:
            verdict = f"conditions of theorem 6 of Brown 2020, section 3.2 {'met' if self.covered else 'not met'}"
        else:
            verdict = "no theorem covers warm starts of this algorithm: a good strategy may get worse"
        return (
            f"warm start from exploitability {self.exploitability:.3g}: as after T = {self.iterations:,} iterations, "
            f"lambda = {self.factor:.3g}, substitute values add up to {self.substitute_sum:.2g} "
            f"({verdict})"
        )


def warm_start(
    solver: TreeSolver,
    strategy: Source,
    *,
    iterations: int | None = None,
    factor: float | None = None,
    squared_reach: bool = False,
) -> WarmStart:
    """Put a solver of the regret-matching family where `iterations` iterations with this average would have put it.

    `iterations` (T) is projected and `factor` (lambda) searched for unless given. `squared_reach` puts pi^2 in the
    place of pi, a tighter estimate of squared regrets that reacts less to the factor.
    """
    profile = check_warm_start(solver, strategy, iterations, factor)
    tree, variant = solver.tree, _variant(solver)
    negligible = ROUNDING * float(np.abs(tree.histories.payoffs).max(initial=0.0))
    exploitability = evaluate(tree, profile).exploitability
    if exploitability <= negligible:
        exploitability = 0.0
    touched = (2 * tree.players + 1) * tree.nodes  # evaluated, values for the factors to try, and external reach
    if iterations is None:
        iterations, projection = projected_iterations(solver.settings, tree, exploitability)
        touched += projection
    weights = PastWeights.of(variant, iterations)
    substitute = SubstituteValues(tree, profile, weights.effective, squared_reach)
    factor = substitute.smallest_factor() if factor is None else float(factor)
    left = substitute.excess(factor)
    regrets, reach = np.zeros_like(profile), np.ones_like(profile)
    substitute_regrets(tree.form, weights.positive, weights.negative, substitute.arrays, regrets)
    current, positive = np.ones_like(profile), np.maximum(regrets, 0.0)
    for player in range(tree.players):
        normalise(tree.form, player, positive, current)
        if variant.fallback == "argmax":
            prefer_largest(tree.form, player, regrets, current)
        realisation_weights(tree.form, player, current, reach)
    solver.restore(
        {
            "counters": np.array([iterations, solver.nodes_touched + touched], dtype=np.int64),
            "strategy": current,
            "reach": reach,
            "regrets": regrets,
            "cumulative": weights.average * substitute.plan,
        }
    )
    proven = carries_over(variant)
    return WarmStart(
        iterations=int(iterations),
        factor=factor,
        squared_reach=squared_reach,
        exploitability=exploitability,
        substitute_sum=left,
        proven=proven,
        covered=proven and left <= negligible and substitute.within_bound(factor),
        bound=substitute.theorem_bound(),
        nodes_touched=touched,
    )


def check_warm_start(
    solver: TreeSolver, strategy: Source, iterations: int | None = None, factor: float | None = None
) -> FloatArray:
    """Return the strategy as a flat array for the solver's game; refuse whatever `warm_start` cannot do."""
    _variant(solver)
    solver.tree.require_two_player_zero_sum("a warm start")
    check_numbers(iterations, factor)
    return as_profile(solver.tree, load_source(strategy))


def check_numbers(iterations: int | None, factor: float | None) -> None:
    """Refuse what is neither left open nor a number that a warm start can use."""
    if iterations is not None:
        require_whole("the iterations of a warm start", iterations, 1, MAX_ITERATIONS)
    if factor is not None:
        require_number("the factor of a warm start", factor, 0)


def _variant(solver: TreeSolver) -> RegretMatching:
    """Return the member of the regret-matching family at work; refuse a solver with more state than that."""
    settings = solver.settings.unmodified
    if isinstance(settings, RegretMatching) and set(solver.arrays()) == {"strategy", "reach", "regrets", "cumulative"}:
        settings.check_declarations()
        return settings
    raise InputError(
        "a warm start sets regrets and averages of the regret-matching family (cfr, cfr+, lcfr, dcfr, pcfr+, ..., "
        f"also with /partial-pruning): {solver.settings.name} keeps something else"
    )


def load_source(source: Source) -> AnyStrategy:
    """Return the strategy itself, read from its file if a path is given."""
    return load_strategy(source) if isinstance(source, str | os.PathLike) else source


def projected_iterations(settings: Algorithm, tree: Tree, exploitability: float) -> tuple[int, int]:
    """Return after how many iterations the algorithm would be as good, and the histories touched to find out."""
    trial = settings.on(tree)
    trial.step(FITTED_ITERATIONS)
    constant = FITTED_ITERATIONS * evaluate(tree, trial.average_profile()).exploitability
    return iterations_worth(constant, exploitability), trial.nodes_touched + tree.players * tree.nodes


def iterations_worth(constant: float, exploitability: float) -> int:
    """Return the T of exploitability = constant / T, at most `MAX_ITERATIONS` (Brown 2020, section 3.2.3)."""
    if constant >= MAX_ITERATIONS * exploitability:
        return MAX_ITERATIONS
    return max(1, round(constant / exploitability))


def carries_over(settings: RegretMatching) -> bool:
    """Return whether theorem 6 is about this variant: its average weighs iterations as its regrets do."""
    one_discount = settings.floored or settings.discounting != "by sign"
    plain = not settings.predictive and settings.reach_weighted and settings.output == "average"
    return settings.average_like_regrets and one_discount and plain


class PastWeights(NamedTuple):
    """What the iterations 1 to T of a variant would count by now."""

    positive: float
    """Sum of their weights in regret sums that are positive."""
    negative: float
    """Sum of their weights in regret sums that are negative."""
    effective: float
    """(sum w)^2 / sum w^2 in positive regret sums: T if all count alike."""
    average: float
    """Sum of their weights in the average."""

    @classmethod
    def of(cls, settings: RegretMatching, iterations: int, pending: bool = False) -> PastWeights:
        """Return the sums for a variant, from its discounts and averaging weights.

        With `pending` the discounts of iteration T are still pending and the average counts T as 1, as on public trees.
        """
        factors = settings.factors(np.arange(1, iterations + 1, dtype=np.float64))
        latest_first = factors.positive[::-1].copy(), factors.negative[::-1].copy()
        if pending:
            for row in latest_first:
                row[0] = 1.0
        positive, negative = (np.cumprod(row) for row in latest_first)
        total, squares = float(positive.sum()), float(positive @ positive)
        if not squares > 0:
            raise InputError(f"{settings.name} forgets positive regrets at once: it cannot be warm started")
        average = float(factors.weights.sum())
        if not average > 0:
            raise InputError(
                f"{settings.name} leaves the first {iterations:,} iterations out of its average: the strategy would be "
                "lost"
            )
        if pending:
            average /= float(factors.weights[-1])
        return cls(total, float(negative.sum()), total * total / squares, average)


class SubstituteValues:
    """Substitute values of all infosets as a function of the factor; the gradients are computed once.

    `iterations` is how many count in equation 3.6: `PastWeights.effective`, which is T for CFR.
    """

    def __init__(self, tree: Tree, profile: FloatArray, iterations: float, squared_reach: bool = False) -> None:
        self.tree = tree
        self.plan, direct = np.empty_like(profile), np.zeros_like(profile)
        for player in range(tree.players):
            realisation_weights(tree.form, player, profile, self.plan)
        for player in range(tree.players):
            gradient(tree.form, player, self.plan, direct)
        self.reach = tree.infoset_reach(profile)
        self._iterations = iterations
        self._used_reach = self.reach**2 if squared_reach else self.reach
        self.bound = self._used_reach * tree.payoff_range**2 * _actions(tree) / iterations
        values = np.empty_like(profile), np.empty(tree.infosets)
        self.arrays = Substitutes(self.bound, direct, float(tree.payoff_sum or 0.0), *values)

    def excess(self, factor: float) -> float:
        """Return by how much substitute values of the players exceed the sum of payoffs, which is NashConv for 0."""
        return float(excess(self.tree.form, factor, self.arrays))

    def smallest_factor(self) -> float:
        """Return the smallest factor with which the substitute values add up to 0 or less."""
        return float(smallest_factor(self.tree.form, self.arrays))

    def within_bound(self, factor: float) -> bool:
        """Return whether regrets with this factor satisfy equation 3.6 in every infoset."""
        return bool((factor * self._used_reach <= self.reach).all())

    def theorem_bound(self) -> float:
        """Return epsilon of theorem 6, a bound on NashConv: sum_I sqrt(pi(I)) Delta(I) sqrt(|A(I)|) / sqrt(T)."""
        terms = np.sqrt(self.reach * _actions(self.tree)) * self.tree.payoff_range
        return float(terms.sum() / math.sqrt(self._iterations))


def lift(strategy: Strategy, game: Game | str, coarse: Callable[[str], str]) -> Strategy:
    """Return a strategy for `game` that plays an infoset as `strategy` plays the one that `coarse` makes of its label.

    `strategy` is for a smaller game whose labels are coarser, such as a `counterpoise.games.CoarseGame`; both must
    offer the same actions there.
    """
    if not isinstance(strategy, Strategy):
        raise InputError(f"only a Strategy can be lifted, not {strategy!r}")
    tree = enumerate_game(game)
    mapping = {}
    for player, label in tree.table:
        key = (player, coarse(label))
        if key not in strategy:
            raise InputError(f"the strategy for {strategy.game} has no infoset {coarse(label)!r} to play {label!r} by")
        mapping[player, label] = strategy[key]
    return Strategy.from_mapping(tree, mapping)


def _actions(tree: Tree) -> FloatArray:
    return (tree.form.stop - tree.form.start).astype(np.float64)

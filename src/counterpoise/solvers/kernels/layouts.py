"""What the kernels of solvers read and write, as named tuples of arrays and numbers.

Arrays are per sequence, unless they are said to be per infoset; the forms of the game itself are explained in
`counterpoise.tree.kernels.layouts`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.tree.kernels.layouts import FloatArray, IndexArray

ALL, ROBUST, AVERAGE_STRATEGY, REGRET_BASED, SKIP = range(5)
"""Values of `Exploration.rule`."""


class Factors(NamedTuple):
    """Per iteration: factors on positive and on negative regret sums after it, and its weight in the average."""

    positive: FloatArray
    negative: FloatArray
    weights: FloatArray


class Rules(NamedTuple):
    """How a member of the regret-matching family iterates: the switches and numbers of its settings."""

    simultaneous: bool
    """All gradients are taken before any strategy changes."""
    argmax: bool
    """Where no regret is positive, the largest one is played."""
    prediction: float
    """How often the last regrets are added once more when the next strategy is matched."""
    together: bool = False
    """A simultaneous iteration is one walk for all players."""
    best: bool = False
    """Infosets that the own strategy does not reach get the value of a best response."""
    jump: bool = False
    """In place of the floor of CFR+: a regret may be negative, and a positive one starts again from zero."""
    theta: float = np.inf
    """An action is pruned if it is expected to stay hopeless for more iterations than this."""
    excess: float = 0.0
    """The d of dynamic thresholding: how much regret may grow, as a share."""
    separate: bool = False
    """Total RBP: the average is not the sum of what was faced."""
    discard: float = 0.0
    """Total RBP: the C of the share C / t^power below which the average of a pruned action is forgotten."""
    discard_power: float = 0.5


class HedgeRules(NamedTuple):
    """How Hedge learns: switches and numbers of its settings, and of the modifiers as in `Rules`."""

    simultaneous: bool
    adaptive: bool
    constant: float
    ranges: FloatArray
    """Largest minus smallest payoff, per infoset."""
    excess: float = 0.0
    together: bool = False
    best: bool = False
    theta: float = np.inf


class Tables(NamedTuple):
    """What CFR keeps: the iterate and its realisation weights, regrets, and the unnormalised average."""

    strategy: FloatArray
    reach: FloatArray
    regrets: FloatArray
    average: FloatArray


class Walked(NamedTuple):
    """Sums of a walk: values, and per infoset the reach of chance and of the other players.

    `until` is working memory, one entry per player.
    """

    values: FloatArray
    external: FloatArray
    until: NDArray[np.uint64]


class Statistics(NamedTuple):
    """Of v(I), per infoset: the number of values, their mean and squared deviations; `hidden` in a pruned branch."""

    visits: NDArray[np.int64]
    mean: FloatArray
    deviation: FloatArray
    hidden: NDArray[np.bool_]


class FictitiousTables(NamedTuple):
    """The last best responses and their realisation weights, the weighted sum of all, and what the others face next."""

    strategy: FloatArray
    reach: FloatArray
    cumulative: FloatArray
    faced: FloatArray


class Prox(NamedTuple):
    """The dilated entropy of EGT: the weight of every infoset, uniform play; the sum of payoffs, and rounding."""

    weights: FloatArray
    uniform: FloatArray
    payoff_sum: float
    tolerance: float


class Gap(NamedTuple):
    """What EGT keeps: both smoothing parameters, both plans, and the last step size in an array of one."""

    smoothing: FloatArray
    plan: FloatArray
    step_size: FloatArray


class GapWork(NamedTuple):
    """Working memory of EGT; `shrunk` has two entries."""

    shrunk: FloatArray
    values: FloatArray
    strategy: FloatArray
    mixed: FloatArray
    response: FloatArray


class Substitutes(NamedTuple):
    """Substitute values: the bound of each infoset and the gradients of all players; what they make.

    See Brown 2020, section 3.2.

    `infoset_values` and `bound` are per infoset, `payoff_sum` is what payoffs always add up to.
    """

    bound: FloatArray
    direct: FloatArray
    payoff_sum: float
    action_values: FloatArray
    infoset_values: FloatArray


class IntervalTables(NamedTuple):
    """What interval RBP keeps. Sums fade like negative regrets, if those do.

    `regrets`, the iterate (`strategy` and its `reach`), the output `average`; `faced`, the sum of the plans that the
    opponent has met; `gradients`, the sum of the values of the terminals right below, up to when its branch was walked
    last; `pruned`, and for a pruned action `bound`, what its regret can be by now at most, and `missed`, the sum of
    v(I) since it was pruned. Per infoset: `value`, the sum of v(I), and `seen`, that of pi_{-i}(I). `elapsed[player]`
    is the sum of the weights of the iterations, `touched[0]` the number of nodes.
    """

    regrets: FloatArray
    strategy: FloatArray
    reach: FloatArray
    average: FloatArray
    faced: FloatArray
    gradients: FloatArray
    pruned: NDArray[np.bool_]
    bound: FloatArray
    missed: FloatArray
    value: FloatArray
    seen: FloatArray
    elapsed: FloatArray
    touched: NDArray[np.int64]


class HedgeState(NamedTuple):
    """What RBP for Hedge keeps and works with."""

    tables: IntervalTables
    statistics: Statistics
    work: PruningWork


class PruningWork(NamedTuple):
    """Sums of a walk over all nodes, and of one over a branch; the strategy of one infoset."""

    all: Walked
    branch: Walked
    strategy: FloatArray


class PackedTables(NamedTuple):
    """What total RBP keeps, in packed tables. Entry 0 of each is a zero that everything absent shares.

    The regrets of sequence s are at ``place[s]`` of `regrets` (of a pruned action: what its regret can be at most),
    `reach`, `recheck` (the `period` before which it is not looked at again) and `pruned`; the sums of an infoset at
    ``slot[i]`` of `value` (of v(I)) and `seen` (of pi_{-i}(I)). What the opponent has met of sequence s is at
    ``average_place[s]`` of `faced`, which is also the average, unless that is weighted otherwise (`average`).
    An infoset in a pruned branch has no place and no slot; a pruned action and what lies below has, after a while, no
    average. The strategy takes no room: it is matched to the regrets whenever it is needed.

    `elapsed[player]` is the sum of the weights of the iterations; `used` counts the entries taken of the three kinds
    of table, `need` those that the ends of prunes will take; `touched[0]` counts nodes.
    """

    place: IndexArray
    slot: IndexArray
    average_place: IndexArray
    regrets: FloatArray
    reach: FloatArray
    recheck: NDArray[np.uint8]
    pruned: NDArray[np.bool_]
    value: FloatArray
    seen: FloatArray
    faced: FloatArray
    average: FloatArray
    elapsed: FloatArray
    used: NDArray[np.int64]
    need: NDArray[np.int64]
    touched: NDArray[np.int64]


class Schedule(NamedTuple):
    """What Monte Carlo CFR does to the tables between walks: see the fields of `MonteCarlo`."""

    discount: int
    period: int
    floor: bool
    linear_average: bool


class Stretch(NamedTuple):
    """Which iterations to run: how many are done, how many follow, and the nodes touched so far."""

    done: int
    iterations: int
    touched: int


class SampledTables(NamedTuple):
    """What Monte Carlo CFR keeps: regrets and the unnormalised average, and the state of the random numbers."""

    regrets: FloatArray
    cumulative: FloatArray
    random: NDArray[np.uint64]


class Turn(NamedTuple):
    """A walk of Monte Carlo CFR: whose it is, the weight of its iteration in the average, and the floor of RM+."""

    traverser: int
    weight: float
    floor: bool


class Exploration(NamedTuple):
    """Which own actions a walk of external sampling looks at; the fields of the settings, with numbers for words."""

    rule: int = ALL
    actions: int = 1
    epsilon: float = 1.0
    tau: float = 1.0
    beta: float = 1.0
    threshold: float = 0.0
    scale: float = 1.0
    weighted: bool = True
    start: int = 1
    share: float = 1.0
    skippable: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)

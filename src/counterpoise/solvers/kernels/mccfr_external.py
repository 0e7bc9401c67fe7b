"""External sampling: walks through own actions below drawn chance outcomes and opponents' actions.

See Brown 2020, section 2.3.6.

    walk(h): terminal      return u_i
             chance        draw an outcome and walk there
             another seat  add its strategy to its average, draw an action and walk there
             traverser     walk below every explored action; v = sum of sigma(a) v(a);
                           R(I,a) += v(a) - v for each explored a; return v

Which actions are explored is one rule for all variants: action a with probability p(a).

- Robust and average-strategy sampling divide v(a) by p(a) and take 0 for the rest, so that v(a) - v is right in
  expectation for every action.
- Regret-based sampling and skipping leave out only actions that the strategy does not play, so v needs nothing from
  them; their regrets stay as they are. With importance weights the regret of an explored one is divided by p(a).

Everything met below an action that is divided by p(a), regrets and averages, is divided by it too.

The same walk serves methods that learn from samples (Deep CFR): with `samples` the strategies are those given, no table
changes, and what would be added to regrets and averages is written down (see `mccfr_samples`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.drawing import draw_action
from counterpoise.kernels.options import LEAN
from counterpoise.kernels.random import uniform
from counterpoise.kernels.regret_matching import regret_based_probability
from counterpoise.solvers.kernels.layouts import ALL, AVERAGE_STRATEGY, REGRET_BASED, ROBUST, SKIP, Turn
from counterpoise.solvers.kernels.mccfr import (
    average_walk,
    block_of,
    draw_outcome,
    end_iteration,
    match_weights,
)
from counterpoise.solvers.kernels.mccfr_samples import (
    LUCK,
    given_weights,
    repeat_outcome,
    write_advantages,
    write_strategy,
)
from counterpoise.tree.kernels.layouts import (
    BLOCK,
    CHANCE_KIND,
    FIRST,
    KIND,
    TERMINAL_KIND,
    WIDTH,
    FloatArray,
    SamplingTree,
)


class WalkScratch(NamedTuple):
    """Working memory of a walk.

    At each level, `path` is a node of the traverser above the current one, `taken` the number of the action followed
    there, `factor` the product of 1/p above and `drawn` the number of chance nodes above. From a slot per level on,
    `weights` divided by `totals` are sigma(a), `values` holds v(a), and `likely` p(a) of explored actions and 0 for the
    others. `stack` is that of the walks for averages.
    """

    weights: FloatArray
    values: FloatArray
    likely: FloatArray
    totals: FloatArray
    factor: FloatArray
    path: NDArray[np.uint64]
    taken: NDArray[np.uint64]
    drawn: NDArray[np.int64]
    stack: NDArray[np.uint32]


class Block(NamedTuple):
    """Where an information set is: its first sequence, its first entry of the tables and of scratch, its actions."""

    sequence: np.uint64
    low: np.uint64
    slot: np.uint64
    width: np.uint64


def external_scratch(tree: SamplingTree) -> WalkScratch:
    """Return working memory for walks."""
    slots = tree.height * tree.widest
    return WalkScratch(
        weights=np.empty(slots),
        values=np.empty(slots),
        likely=np.empty(slots),
        totals=np.empty(tree.height),
        factor=np.empty(tree.height),
        path=np.empty(tree.height, dtype=np.uint64),
        taken=np.empty(tree.height, dtype=np.uint64),
        drawn=np.empty(tree.height, dtype=np.int64),
        stack=np.empty(len(tree.nodes) if tree.payoffs.shape[1] != 2 else 0, dtype=np.uint32),
    )


@njit(**LEAN)
def external_sampling(tree, schedule, exploration, stretch, tables, scratch, place):
    """Run a stretch of iterations, a walk per player each; returns the nodes touched so far."""
    players, touched = tree.payoffs.shape[1], stretch.touched
    for t in range(stretch.done + 1, stretch.done + stretch.iterations + 1):
        before = touched
        weight = np.float64(t) if schedule.linear_average else 1.0
        rule = exploration.rule
        if t < exploration.start:
            rule = ALL
        elif rule == SKIP:  # one draw for the whole iteration
            rule = SKIP if uniform(tables.random) < exploration.share else ALL
        for player in range(players):
            turn = Turn(player, weight, schedule.floor)
            touched += external_walk(tree, turn, rule, exploration, tables, scratch, place, None)
            if players != 2:
                touched += average_walk(tree, turn, np.bool_(True), tables, scratch.weights, scratch.stack, place)
        end_iteration(schedule, before, touched, tables.regrets, tables.cumulative, place)
    return touched


@njit(**LEAN)
def write_sample_walks(tree, turn, exploration, count, tables, scratch, samples):
    """Walk `count` times for a traverser, write samples and return the nodes touched; of `tables` only the random
    numbers are used."""
    touched = 0
    for _ in range(count):
        samples.used[LUCK] = 0
        touched += external_walk(tree, turn, exploration.rule, exploration, tables, scratch, None, samples)
    return touched


@njit(**LEAN, error_model="numpy")
def external_walk(tree, turn, rule, exploration, tables, scratch, place, samples):
    """Walk once for a traverser, without recursion; returns the nodes touched, chance nodes and terminals included."""
    regrets, cumulative, random = tables.regrets, tables.cumulative, tables.random
    traverser, averaging = turn.traverser, tree.payoffs.shape[1] == 2
    weights, values, likely, totals = scratch.weights, scratch.values, scratch.likely, scratch.totals
    path, taken, factor = scratch.path, scratch.taken, scratch.factor
    everything = rule == ALL
    nodes, payoffs = tree.nodes, tree.payoffs
    widest = np.uint64(tree.widest)
    node, slot = np.uint64(0), np.uint64(0)
    touched, level, drawn = 0, 0, 0
    above = 1.0
    while True:
        touched += 1
        kind = nodes[node, KIND]
        # Chance: draw an outcome.
        if kind == CHANCE_KIND:
            if samples is None:
                node = draw_outcome(tree, node, random)
            else:
                node = repeat_outcome(tree, node, samples, drawn, random)
                drawn += 1
            continue
        first = np.uint64(nodes[node, FIRST])
        value = 0.0
        returned = kind == TERMINAL_KIND
        if returned:
            value = payoffs[first, traverser]
        else:
            # The current strategy of the information set.
            sequence, width = np.uint64(nodes[node, BLOCK]), np.uint64(nodes[node, WIDTH])
            low = block_of(place, sequence, width)
            if samples is None:
                total, decided = match_weights(regrets, low, width, weights, slot)
            else:
                total, decided = given_weights(samples.strategy, low, width, weights, slot), True
            # Another seat: add its strategy to its average, draw an action.
            if kind != traverser:
                if samples is not None:
                    write_strategy(samples, low, width, weights, slot)
                elif averaging:
                    share = turn.weight * above / total
                    for k in range(width):
                        cumulative[low + k] += share * weights[slot + k]
                node = first + draw_action(random, weights, slot, width, total)
                continue
            # The traverser: choose the actions to explore, and go one level down.
            if not everything:
                choose_explored(rule, exploration, decided, tables, Block(sequence, low, slot, width), likely)
            path[level], totals[level], factor[level] = node, total, above
            if samples is not None:
                scratch.drawn[level] = drawn
            level += 1
            slot += widest
        while level > 0:  # return the value to the last node with an action left to follow, and follow that
            top, here = level - 1, slot - widest
            node = path[top]
            first, width = np.uint64(nodes[node, FIRST]), np.uint64(nodes[node, WIDTH])
            action = np.uint64(0)
            if returned:
                action = taken[top]
                values[here + action] = value
                action += np.uint64(1)
            # The next explored action; terminals among them are valued on the spot.
            while action < width:
                if everything or likely[here + action] > 0.0:
                    if nodes[first + action, KIND] != TERMINAL_KIND:
                        break
                    touched += 1
                    values[here + action] = payoffs[nodes[first + action, FIRST], traverser]
                action += np.uint64(1)
            if action < width:
                taken[top] = action
                node = first + action
                if not everything:
                    above = factor[top] / likely[here + action]
                if samples is not None:
                    drawn = scratch.drawn[top]
                break
            # All actions are valued: v(I), and v(a) - v(I) is added to the regrets or written down.
            if not everything:
                estimate(rule, width, values, likely, here)
            low = block_of(place, nodes[node, BLOCK], width)
            if samples is None:
                value = mean_value(weights, totals[top], values, here, width)
                for k in range(width):
                    gain = values[here + k] - value
                    if not everything:
                        gain *= factor[top] * importance(rule, likely[here + k])
                    regret = regrets[low + k] + gain
                    regrets[low + k] = max(regret, 0.0) if turn.floor else regret
            else:  # given strategies are probabilities already
                value = mean_value(weights, 1.0, values, here, width)
                write_advantages(samples, low, width, values, here, value)
            returned = True
            level, slot = top, here
        if level == 0:
            return touched


@njit(cache=True, nogil=True, inline="always", error_model="numpy")
def mean_value(weights, total, values, slot, width):
    """Return the sum of sigma(a) v(a), as differences from the first action, so that a tie of all leaves no regret."""
    first, summed = values[slot], 0.0
    for k in range(slot, slot + width):
        summed += weights[k] * (values[k] - first)
    return first + summed / total


@njit(**LEAN, error_model="numpy")
def estimate(rule, width, values, likely, slot):
    """Turn values of explored actions into estimates for all actions."""
    for k in range(slot, slot + width):
        if likely[k] == 0.0:
            values[k] = 0.0
        elif rule in (ROBUST, AVERAGE_STRATEGY):
            values[k] /= likely[k]


@njit(**LEAN, error_model="numpy")
def importance(rule, likely):
    """Return what to multiply v(a) - v by when action a was explored with probability `likely`, 0 if it was not."""
    if rule in (ROBUST, AVERAGE_STRATEGY):
        return 1.0
    return 1.0 / likely if likely > 0.0 else 0.0


@njit(**LEAN)
def draw_explored(random, probability, s):
    """Return whether a draw explores sequence `s`, which happens with `probability`."""
    return probability >= 1.0 or uniform(random) < probability


@njit(**LEAN, error_model="numpy")
def choose_explored(rule, exploration, decided, tables, block, likely):
    """Draw which actions of an information set to explore: `likely`, from its slot on, gets p(a) or, if not, 0.

    `decided` is False where the strategy is even for want of positive regrets: there nothing may be skipped.
    """
    regrets, cumulative, random = tables.regrets, tables.cumulative, tables.random
    sequence, low, slot, width = block.sequence, block.low, block.slot, block.width
    if rule == ROBUST:
        among = np.float64(width)
        wanted = min(np.float64(exploration.actions), among)
        probability = wanted / among
        for k in range(width):
            explored = draw_explored(random, wanted / among, sequence + k)
            likely[slot + k] = probability if explored else 0.0
            wanted -= 1.0 if explored else 0.0
            among -= 1.0
    elif rule == AVERAGE_STRATEGY:
        total = 0.0
        for k in range(width):
            total += cumulative[low + k]
        for k in range(width):
            share = (exploration.beta + exploration.tau * cumulative[low + k]) / (exploration.beta + total)
            probability = max(exploration.epsilon, min(share, 1.0))
            likely[slot + k] = probability if draw_explored(random, probability, sequence + k) else 0.0
    else:
        for k in range(width):
            likely[slot + k] = 1.0
            regret = regrets[low + k]
            if not decided or regret >= exploration.threshold:
                continue
            if rule == REGRET_BASED:
                probability = regret_based_probability(regret, exploration.threshold, exploration.scale)
                if not draw_explored(random, probability, sequence + k):
                    likely[slot + k] = 0.0
                elif exploration.weighted:
                    likely[slot + k] = probability
            elif exploration.skippable[sequence + k]:
                likely[slot + k] = 0.0

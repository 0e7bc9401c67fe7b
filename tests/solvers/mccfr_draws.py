"""Every way the draws of a walk of Monte Carlo CFR can come out, to take exact expectations.

The compiled functions are replaced by their Python source, and the few of them that draw by ones that follow a script.
"""

import itertools

import numpy as np
from numba.core.dispatcher import Dispatcher

from counterpoise.kernels import drawing as drawing_kernels, random as random_kernels
from counterpoise.solvers.kernels import (
    mccfr as mccfr_kernels,
    mccfr_chance as mccfr_chance_kernels,
    mccfr_external as mccfr_external_kernels,
    mccfr_outcome as mccfr_outcome_kernels,
    mccfr_samples as mccfr_samples_kernels,
)
from counterpoise.solvers.kernels.layouts import SampledTables, Turn
from counterpoise.solvers.kernels.mccfr_chance import chance_scratch
from counterpoise.solvers.kernels.mccfr_external import external_scratch, external_walk
from counterpoise.solvers.kernels.mccfr_outcome import outcome_scratch
from counterpoise.tree.flatten import sampling_tree

MODULES = (
    random_kernels,
    drawing_kernels,
    mccfr_kernels,
    mccfr_chance_kernels,
    mccfr_external_kernels,
    mccfr_outcome_kernels,
    mccfr_samples_kernels,
)


def interpret(monkeypatch):
    """Run the kernels of Monte Carlo CFR as Python."""
    for module in MODULES:
        for name, function in list(vars(module).items()):
            if isinstance(function, Dispatcher):
                monkeypatch.setattr(module, name, function.py_func)


def replace(monkeypatch, **functions):
    """Put other functions in place of kernels, wherever they are called."""
    for module in MODULES:
        for name, function in functions.items():
            if hasattr(module, name):
                monkeypatch.setattr(module, name, function)


def follow(monkeypatch, tree, pick):
    """Let all draws of the kernels follow `pick`, which gives the number of an option by probabilities and a key.

    The key is what draws, (``"chance"``, node), (``"action"``, first sequence), (``"explore"``, sequence), or
    (``"even"``, 0).
    """
    histories = tree.histories
    interpret(monkeypatch)
    source = mccfr_kernels.match_weights
    block = [0]  # the first sequence of the infoset matched last: the one that draws

    def match_weights(regrets, low, width, weights, slot):
        block[0] = int(low)
        return source(regrets, low, width, weights, slot)

    def draw_outcome(sampled, node, random):
        first = int(histories.first_child[node])
        stop = first + int(histories.children[node])
        return np.uint64(first + pick(histories.probability[first:stop], ("chance", int(node))))

    def draw_action(random, weights, slot, width, total):
        return np.uint64(pick(weights[int(slot) : int(slot + width)] / total, ("action", block[0])))

    def draw_explored(random, probability, s):
        return pick(np.array([1 - min(probability, 1.0), min(probability, 1.0)]), ("explore", int(s))) == 1

    def uniform(random):
        return (pick(np.full(6, 1 / 6), ("even", 0)) + 0.5) / 6  # halves and thirds alike

    replace(
        monkeypatch,
        match_weights=match_weights,
        draw_outcome=draw_outcome,
        draw_action=draw_action,
        draw_explored=draw_explored,
        uniform=uniform,
    )


class Independent:
    """All scripts of a walk, one after another, each with its probability: nothing is assumed about the walk."""

    def __init__(self, monkeypatch, tree):
        follow(monkeypatch, tree, self.pick)

    def outcomes(self, walk):
        """The probability of each script, after `walk` has followed it."""
        self.script = []
        while True:
            self.position, self.probability = 0, 1.0
            walk()
            assert self.position == len(self.script)
            yield self.probability
            while self.script and self.script[-1][0] + 1 == len(self.script[-1][1]):
                self.script.pop()
            if not self.script:
                return
            choice, options = self.script[-1]
            self.script[-1] = (choice + 1, options)

    def pick(self, probabilities, key):
        if self.position == len(self.script):
            self.script.append((0, np.flatnonzero(probabilities > 0)))
        choice, options = self.script[self.position]
        self.position += 1
        self.probability *= probabilities[options[choice]]
        return int(options[choice])


class Coupled:
    """Draws at the same stage of different branches come out alike.

    What a walk adds to a table is a sum over single paths, so its expectation depends only on how draws on one path go
    together. Stages are: chance nodes above, or the acting player's own decisions above. At each, a draw is one of
    `cells[kind, stage]` equally likely cells; all probabilities must be multiples of one cell.
    """

    def __init__(self, monkeypatch, tree, cells):
        follow(monkeypatch, tree, self.pick)
        self.cells = cells
        chances = np.zeros(tree.nodes, dtype=int)
        for node in range(1, tree.nodes):
            above = tree.histories.parent[node]
            chances[node] = chances[above] + (tree.histories.player[above] == -1)
        self.stage = {("chance", node): int(count) for node, count in enumerate(chances)}
        owner = np.zeros(tree.table.size, dtype=int)  # own decisions above a sequence, that of its infoset included
        for low, high, parent in zip(tree.form.start, tree.form.stop, tree.form.parent, strict=True):
            owner[low:high] = owner[parent] + 1
            self.stage["action", int(low)] = int(owner[parent])
            self.stage |= {("explore", s): int(owner[parent]) for s in range(low, high)}

    def outcomes(self, walk):
        """The probability of each script, after `walk` has followed it."""
        keys = list(self.cells)
        probability = 1.0 / np.prod([self.cells[key] for key in keys])
        for cells in itertools.product(*(range(self.cells[key]) for key in keys)):
            self.script = dict(zip(keys, cells, strict=True))
            walk()
            yield probability

    def pick(self, probabilities, key):
        stage = key[0], self.stage[key]
        units = probabilities * self.cells[stage]
        np.testing.assert_allclose(units, np.round(units), atol=1e-9)
        return int((self.script[stage] + 0.5 >= np.cumsum(np.round(units))).sum())


class TracedWalk:
    """One walk of `traverser` from fixed tables, by any sampler; `added` is what it added to them."""

    def __init__(self, tree, sampler, traverser, regrets, cumulative):
        self.sampled, self.sampler, self.traverser = sampling_tree(tree), sampler, traverser
        self.start = regrets, cumulative

    def __call__(self):
        regrets, cumulative = (table.copy() for table in self.start)
        self.touched = self.sampler(self.sampled, self.traverser, regrets, cumulative)
        self.added = np.stack([regrets - self.start[0], cumulative - self.start[1]])


def expectation(draws, walk):
    """What a walk adds to regrets and averages on average over all draws; their probabilities add up to 1."""
    total, sums = 0.0, 0.0
    for probability in draws.outcomes(walk):
        total += probability
        sums = sums + probability * walk.added
    assert abs(total - 1) < 1e-9
    return sums


def external(exploration):
    """External sampling with a rule of exploration."""

    def sampler(tree, traverser, regrets, cumulative):
        turn, tables = Turn(traverser, 1.0, False), SampledTables(regrets, cumulative, None)
        scratch = external_scratch(tree)
        return external_walk.py_func(tree, turn, exploration.rule, exploration, tables, scratch, None, None)

    return sampler


def outcome(exploration):
    """Outcome sampling with a share of exploration."""

    def sampler(tree, traverser, regrets, cumulative):
        turn, tables = Turn(traverser, 1.0, False), SampledTables(regrets, cumulative, None)
        return mccfr_outcome_kernels.outcome_walk(tree, turn, exploration, tables, outcome_scratch(tree), None)

    return sampler


def chance(tree, traverser, regrets, cumulative):
    """Chance sampling."""
    turn, tables = Turn(traverser, 1.0, False), SampledTables(regrets, cumulative, None)
    return mccfr_chance_kernels.chance_walk(tree, turn, tables, chance_scratch(tree, len(regrets)), None)

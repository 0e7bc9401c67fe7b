"""What the tests of public games share: a game with profiles of its own, noise, and schedules."""

import zlib

import numpy as np

import counterpoise as cp
from counterpoise.public import Learning, PublicNode, Traverser, UpdateSchedule


class Played:
    """A game, profiles that iterations change, and a traverser."""

    def __init__(self, game, *, bits=32, threads=1, leaves=None, predictive=False):
        self.game = game
        self.learning = Learning.fresh(game, bits, predictive)
        self.traverser = Traverser(game, threads, leaves)

    @property
    def average(self):
        return self.learning.average

    def iterate(self, schedule):
        self.traverser.iterate(self.learning, schedule)

    def root_values(self):
        return self.traverser.root_values(self.average)

    def best_response_values(self):
        return self.traverser.best_response_values(self.average)

    def exploitability(self):
        return self.traverser.exploitability(self.average)

    def node(self, tree, decision, dealt):
        return PublicNode(self.game, tree, ("decision", decision), tuple(dealt))

    def strategy(self, tree, decision, dealt):
        """The average strategy on a board as dealt, [action, hand]."""
        return self.node(tree, decision, dealt).strategy(self.average)


class Shaken:
    """A game with a little noise in every payoff, so that no two actions are worth exactly the same."""

    players = 2

    def __init__(self, name):
        self.rules = cp.load(name)

    def __getattr__(self, name):
        return getattr(self.rules, name)

    def payoffs(self, state):
        noise = zlib.crc32(repr(state).encode()) / 2**31 - 1
        first = self.rules.payoffs(state)[0] + 0.05 * noise
        return first, -first


def dcfr(iterations):
    """DCFR(3/2, 0, 2) as a schedule."""
    t = np.arange(iterations, dtype=np.float64)
    rows = (t**1.5 / (t**1.5 + 1), np.full(iterations, 0.5), (t / (t + 1)) ** 2)
    return UpdateSchedule(*(row.astype(np.float32) for row in rows), weighted=True)


def by_infoset(game, tree, entries):
    """The numbers of a store in the layout of the enumerated game."""
    sizes = np.array([len(actions) for actions in game.table.actions])
    first = np.cumsum(sizes) - sizes
    flat = np.zeros(game.table.size)
    places = np.repeat(game.table.start - first, sizes) + np.arange(sizes.sum())
    flat[places] = np.append(entries, 0)[game.entry]
    assert game.table.same_as(tree.table)
    return flat

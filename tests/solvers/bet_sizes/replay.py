"""An oracle in plain NumPy: a two-player game as dense matrices, made by walking its rules, and CFR on them.

It shares nothing with the solvers but the numbering of sequences. All functions take many iterations at once: row t of
an array is iteration t.
"""

import numpy as np

from counterpoise.games import CHANCE, TERMINAL


class Matrices:
    """Payoff matrices (own last sequence x the opponent's), infosets with their parents, parents first."""

    def __init__(self, game, table):
        self.table = table
        self.payoffs = np.zeros((2, table.size, table.size))
        self.blocks = [{}, {}]  # of each player: (first sequence, actions) -> the sequence before
        self._walk(game, game.initial(), 1.0, (self._first_of(0), self._first_of(1)))

    def _first_of(self, player):
        """The empty sequence of a player."""
        return int(self.table.start[np.flatnonzero(self.table.owner == player)[0]]) - 1

    def _walk(self, game, state, chance, last):
        who = game.player(state)
        if who == TERMINAL:
            for player, payoff in enumerate(game.payoffs(state)):
                self.payoffs[player, last[player], last[1 - player]] += chance * payoff
        elif who == CHANCE:
            for outcome, probability in game.chance(state):
                self._walk(game, game.next(state, outcome), chance * probability, last)
        else:
            actions = game.actions(state)
            start = int(self.table.start[self.table.find((who, game.infoset(state)))])
            self.blocks[who][start, len(actions)] = last[who]
            for k, action in enumerate(actions):
                after = (start + k, last[1]) if who == 0 else (last[0], start + k)
                self._walk(game, game.next(state, action), chance, after)

    def plans(self, player, strategies):
        """Realisation plans of behaviour strategies, one row each."""
        plans = np.zeros_like(strategies)
        plans[:, self._first_of(player)] = 1.0
        for (start, count), before in self.blocks[player].items():
            block = slice(start, start + count)
            plans[:, block] = plans[:, [before]] * strategies[:, block]
        return plans

    def regrets(self, player, strategies, opponent_plans):
        """v(I,a) - v(I) of every iteration."""
        values = opponent_plans @ self.payoffs[player].T
        regrets = np.zeros_like(values)
        for (start, count), before in reversed(self.blocks[player].items()):
            block = slice(start, start + count)
            value = (strategies[:, block] * values[:, block]).sum(axis=1)
            regrets[:, block] = values[:, block] - value[:, None]
            values[:, before] += value
        return regrets

    def match(self, regrets):
        """The strategies that regret matching plays."""
        strategies = np.ones_like(regrets)
        for player in (0, 1):
            for start, count in self.blocks[player]:
                positive = regrets[:, start : start + count].clip(0)
                total = positive.sum(axis=1, keepdims=True)
                strategies[:, start : start + count] = np.where(
                    total > 0, positive / np.where(total > 0, total, 1), 1 / count
                )
        return strategies


def replayed_regrets(matrices, profiles, weights):
    """Regret sums of recorded alternating iterations: `profiles` before the first and after each of them.

    The first player meets the opponent's old strategy, the second the first's new one.
    """
    old, new = profiles[:-1], profiles[1:]
    first = matrices.regrets(0, old, matrices.plans(1, old))
    second = matrices.regrets(1, old, matrices.plans(0, new))
    return (np.asarray(weights)[:, None] * (first + second)).sum(axis=0)


def iterate(matrices, regrets, average, strategy, weight):
    """One simultaneous iteration of CFR that counts `weight` times; arrays of one row, changed in place."""
    plans = [matrices.plans(player, strategy) for player in (0, 1)]
    for player in (0, 1):
        regrets += weight * matrices.regrets(player, strategy, plans[1 - player])
        average += weight * plans[player]
    strategy[:] = matrices.match(regrets)

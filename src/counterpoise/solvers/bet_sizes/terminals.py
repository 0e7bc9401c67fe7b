"""The payoff table of the sequence form from its terminals: for payoffs that are cut off, and for drawn chance.

A *deal* is everything that chance decides in a game, whatever the players do. A terminal belongs to the deals that
begin with the outcomes on its way. If one deal is drawn, its terminals count 1 / (probability of their outcomes) times
and all others nothing: the mean over deals is the game.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL
from counterpoise.tree import Tree
from counterpoise.tree.kernels.layouts import FloatArray

Path = tuple[int, ...]


class Terminals:
    """The terminals of a tree in the order of its payoffs, and where they stand in the payoff table."""

    def __init__(self, tree: Tree) -> None:
        self.name = tree.name
        histories, form, players = tree.histories, tree.form, tree.players
        ends = histories.player == TERMINAL
        count = int(ends.sum())
        self.chance = np.empty(count)
        self.paths: list[Path] = [()] * count
        last = np.empty((count, players), dtype=np.int64)
        roots = tuple(form.first_sequence[:players].tolist())
        way: list[tuple[tuple[int, ...], float, Path]] = [(roots, 1.0, ())]
        parents, firsts = histories.parent.tolist(), histories.first_child.tolist()
        owners, infosets = histories.player.tolist(), histories.infoset.tolist()
        for node, parent in enumerate(parents):
            if node:
                sequences, chance, path = way[parent]
                mover, place = owners[parent], node - firsts[parent]
                if mover == CHANCE:
                    chance, path = chance * float(histories.probability[node]), (*path, place)
                else:
                    taken = int(form.start[infosets[parent]]) + place
                    sequences = (*sequences[:mover], taken, *sequences[mover + 1 :])
                way.append((sequences, chance, path))
            if ends[node]:
                last[infosets[node]], self.chance[infosets[node]], self.paths[infosets[node]] = way[node]
        self._places = [_places(last, player) for player in range(players)]

    def table(self, payoffs: FloatArray) -> FloatArray:
        """Return the values of the payoff table for payoffs [terminal, seat]."""
        weighted = self.chance[:, None] * payoffs
        parts = [np.add.reduceat(weighted[order, seat], first) for seat, (order, first) in enumerate(self._places)]
        return np.concatenate(parts)

    @cached_property
    def deals(self) -> tuple[FloatArray, FloatArray]:
        """The probability of each deal, and how often each terminal counts if it is drawn, [deal, terminal]."""
        known: dict[Path, float] = {}
        for path, chance in zip(self.paths, self.chance.tolist(), strict=True):
            if abs(known.setdefault(path, chance) - chance) > 1e-12:
                raise InputError(f"{self.name}: chance cannot be drawn before the game, it depends on the players")
        begun = {path[:length] for path in known for length in range(len(path))}
        whole = sorted(path for path in known if path not in begun)
        probability = np.array([known[path] for path in whole])
        if abs(probability.sum() - 1.0) > 1e-9:
            raise InputError(f"{self.name}: chance cannot be drawn before the game, it depends on the players")
        number = {path: at for at, path in enumerate(known)}
        own = np.array([number[path] for path in self.paths])
        counts = np.zeros((len(whole), len(known)))
        for row, path in zip(counts, whole, strict=True):
            for length in range(len(path) + 1):
                if (beginning := path[:length]) in number:
                    row[number[beginning]] = 1.0 / known[beginning]
        return probability, counts[:, own]


def _places(last: NDArray[np.int64], player: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the order of terminals in a player's rows of the table, and where each entry begins in it."""
    others = [other for other in range(last.shape[1]) if other != player]
    order = np.lexsort((*(last[:, other] for other in reversed(others)), last[:, player]))
    ordered = last[order][:, [player, *others]]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (np.diff(ordered, axis=0) != 0).any(axis=1)
    return order, np.flatnonzero(new)

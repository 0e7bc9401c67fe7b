"""Leaf values by rollouts: the rest of the game is played a few times, not enumerated.

See Brown 2020, section 5.2; Brown et al. 2018, section 5.

A rollout plays from a history to the end, every player by its continuation and chance by its probabilities, and pays
what the end pays. The mean of `count` rollouts is an unbiased estimate of the history's value for each choice of
continuations, with a standard error of sd / sqrt(count). All choices use the same random numbers, which makes their
differences less noisy. A history's rollouts depend on the seed and its steps only, so that the order does not matter.

Continuations may be kept in less memory than in probabilities of four bytes each: `bytes`, one for each action, or
`presampled`, one action drawn beforehand at each infoset (ceil(log2 |A|) bits), which then is always the same.

In hold'em the boards of the next deal are drawn instead: ``LeafTable(..., boards=count)``.
"""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

import numpy as np

from counterpoise.games import CHANCE, TERMINAL, Game, as_game
from counterpoise.parameters import require_choice, require_whole
from counterpoise.search.leaves import count_continuations
from counterpoise.search.limited_rules import HistoryLeaves, Path, state_after
from counterpoise.search.subgame import FloatArray
from counterpoise.tree import Strategy
from counterpoise.tree.tree import InfosetTable

Stored = Literal["floats", "bytes", "presampled"]


class Rollouts(HistoryLeaves):
    """Sampled values: of histories of any game, and as a leaf evaluator in games of two players with public actions.

    Only infosets that are met are looked up.
    """

    def __init__(
        self,
        game: Game | str,
        continuations: Sequence[Sequence[Strategy]],
        count: int = 3,
        seed: int = 0,
        stored: Stored = "floats",
    ) -> None:
        require_whole("count", count)
        require_whole("seed", seed, 0)
        self.game, self.count, self.seed = as_game(game), count, seed
        self.counts = count_continuations(self.game.players, continuations)
        self.bits = sum(bits(one.table, stored) for own in continuations for one in own)
        """The size of the stored continuations in bits."""
        numbers = itertools.count(seed)
        self._continuations = [[_KEPT[stored](one, next(numbers)) for one in own] for own in continuations]
        self._known: dict[Path, FloatArray] = {}

    def history_values(self, path: Path) -> FloatArray:
        """Return the mean of the rollouts from a history, by the pick of each seat and by player; always the same."""
        if path not in self._known:
            self._known[path] = self.samples(path).mean(axis=0)
        return self._known[path]

    def samples(self, path: Path) -> FloatArray:
        """Return what each rollout from a history paid, by rollout, the pick of each seat, and player."""
        state = state_after(self.game, path)
        seeds = np.random.SeedSequence([self.seed, zlib.crc32("\n".join(path).encode())]).spawn(self.count)
        paid = np.empty((self.count, *self.counts, self.game.players))
        for n, seed in enumerate(seeds):
            for picks in itertools.product(*map(range, self.counts)):
                by_seat = [own[pick] for own, pick in zip(self._continuations, picks, strict=True)]
                paid[(n, *picks)] = self._play(state, by_seat, np.random.default_rng(seed))
        return paid

    def _play(self, state: Any, continuations: Sequence[Strategy], draws: np.random.Generator) -> Sequence[float]:
        game = self.game
        while (player := game.player(state)) != TERMINAL:
            if player == CHANCE:
                options = dict(game.chance(state))
            else:
                options = dict(continuations[player][player, game.infoset(state)])
            likely = np.fromiter(options.values(), dtype=np.float64)
            edge = np.cumsum(likely)
            chosen = int(np.searchsorted(edge, draws.random() * edge[-1], side="right"))
            state = game.next(state, list(options)[chosen])
        return game.payoffs(state)


def in_bytes(strategy: Strategy) -> Strategy:
    """Return the strategy as it is read back from one byte for each action."""

    def change(probabilities: FloatArray) -> FloatArray:
        stored = np.rint(255 * probabilities / probabilities.max())
        return np.asarray(stored / stored.sum())

    return _by_infoset(strategy, change)


def presampled(strategy: Strategy, seed: int = 0) -> Strategy:
    """Return the pure strategy that takes, at each infoset, one action drawn by the strategy's probabilities."""
    require_whole("seed", seed, 0)
    draws = np.random.default_rng(seed)

    def change(probabilities: FloatArray) -> FloatArray:
        pure = np.zeros(len(probabilities))
        pure[draws.choice(len(pure), p=probabilities / probabilities.sum())] = 1.0
        return pure

    return _by_infoset(strategy, change)


def bits(table: InfosetTable, stored: Stored = "presampled") -> int:
    """Return the size of a stored continuation in bits: 32 or 8 for each action, or enough to name one of them."""
    require_choice("stored", stored, get_args(Stored))
    counts = [len(actions) for actions in table.actions]
    if stored == "presampled":
        return sum(math.ceil(math.log2(count)) for count in counts)
    return (32 if stored == "floats" else 8) * sum(counts)


_KEPT: dict[str, Callable[[Strategy, int], Strategy]] = {
    "floats": lambda strategy, seed: strategy,
    "bytes": lambda strategy, seed: in_bytes(strategy),
    "presampled": presampled,
}


def _by_infoset(strategy: Strategy, change: Callable[[FloatArray], FloatArray]) -> Strategy:
    probabilities = strategy.probabilities.copy()
    for start, actions in zip(strategy.table.start.tolist(), strategy.table.actions, strict=True):
        block = slice(start, start + len(actions))
        probabilities[block] = change(probabilities[block])
    return Strategy(strategy.game, strategy.table, probabilities)

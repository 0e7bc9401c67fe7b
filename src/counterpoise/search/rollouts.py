"""Leaf values by rollouts (BROWN 5.2, DLS 5): the rest of the game is played a few times, not enumerated.

A rollout plays from the leaf's history to the end, every player by its continuation and chance by its probabilities,
and pays what the end pays. The mean of `count` rollouts is an unbiased estimate of the leaf's value for each choice of
continuations, with a standard error of sd / sqrt(count). All choices use the same random numbers, which makes their
differences less noisy. A leaf's rollouts depend on the seed and its history only, so that the order does not matter.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from counterpoise.games import CHANCE, TERMINAL, Game, as_game
from counterpoise.parameters import require_whole
from counterpoise.search.leaves import FloatArray, Path, count_continuations, state_after

Continuation = Mapping[Any, Mapping[str, float]]


class Rollouts:
    """Sampled values of leaves, see `counterpoise.search.leaves`; only infosets that are met are looked up."""

    def __init__(
        self,
        game: Game | str,
        continuations: Sequence[Sequence[Continuation]],
        count: int = 3,
        seed: int = 0,
    ) -> None:
        require_whole("count", count)
        require_whole("seed", seed, 0)
        self.game, self.count, self.seed = as_game(game), count, seed
        self.counts = count_continuations(self.game, continuations)
        self._continuations = continuations
        self._known: dict[Path, FloatArray] = {}

    def values(self, path: Path) -> FloatArray:
        """The mean of the rollouts from a history; the same every time."""
        if path not in self._known:
            self._known[path] = self.samples(path).mean(axis=0)
        return self._known[path]

    def samples(self, path: Path) -> FloatArray:
        """What each rollout from a history paid, by rollout, the pick of each seat, and player."""
        state = state_after(self.game, path)
        seeds = np.random.SeedSequence([self.seed, zlib.crc32("\n".join(path).encode())]).spawn(self.count)
        paid = np.empty((self.count, *self.counts, self.game.players))
        for n, seed in enumerate(seeds):
            for picks in itertools.product(*map(range, self.counts)):
                by_seat = [own[pick] for own, pick in zip(self._continuations, picks, strict=True)]
                paid[(n, *picks)] = self._play(state, by_seat, np.random.default_rng(seed))
        return paid

    def _play(self, state: Any, continuations: Sequence[Continuation], draws: np.random.Generator) -> Sequence[float]:
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

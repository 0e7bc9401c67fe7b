"""Fictitious play and FLOP on public games: best responses of all hands at once.

See Brown 2020, section 5.3.8; Brown et al. 2020, appendix H.

The settings are those of `counterpoise.solvers.fictitious.fictitious_play`, where the method is explained. Profiles
hold realisation weights, so where the others' responses never go nothing is known of them there: all answers are
equally good, and the first action is taken.
"""

from __future__ import annotations

import numpy as np

from counterpoise.public import Profile, PublicGame
from counterpoise.solvers.base import Arrays, check_schedule
from counterpoise.solvers.fictitious.fictitious_play import WeightedFictitiousPlay
from counterpoise.solvers.public.base import PublicGameSolver


class PublicFictitiousPlay(PublicGameSolver):
    """The weighted average of both players' responses, and what the others respond to."""

    settings: WeightedFictitiousPlay
    keeps_locks = False

    def __init__(self, settings: WeightedFictitiousPlay, game: PublicGame, threads: int = 1, bits: int = 32) -> None:
        super().__init__(settings, game, threads=threads, bits=bits)
        self._average, self._faced = Profile(game, bits), Profile(game, bits)
        self._weight = float(settings.start)  # what weight 1 in the average stands for
        if self._weight > 0:
            self.traverser.add_to_average(Profile(game, bits), self._average, 0.0)
            self._faced.copy_from(self._average)

    def step(self, iterations: int = 1) -> None:
        first = self.iteration + 1
        t = np.arange(first, first + iterations, dtype=np.float64)
        weights = check_schedule(self.settings.weights(t), t, f"{self.settings.name}: weights")
        before = self._weight if first == 1 else float(self.settings.weights(np.array([first - 1.0]))[0])
        for weight in weights.tolist():
            decay = before / weight
            groups = ((0, 1),) if self.settings.updates == "simultaneous" else ((0,), (1,))
            for players in groups:
                self._respond(players, decay)
            before = weight
        self.iteration += iterations
        self.touch(6 * iterations)

    def _respond(self, players: tuple[int, ...], decay: float) -> None:
        """Let players respond to what the others have done until now; no response outlives this, large as it is."""
        responses = [self.traverser.best_response(player, self._faced) for player in players]
        for player, response in zip(players, responses, strict=True):
            self._take(player, response, decay)

    def _take(self, player: int, response: Profile, decay: float) -> None:
        """Let the average gain a response, and the other player face it, the last one counting more."""
        self.traverser.add_to_average(response, self.average, decay, players=(player,))
        self._faced.copy_player(self.average, player)
        if self.settings.optimism:
            self.traverser.add_to_average(response, self._faced, 1.0 / self.settings.optimism, players=(player,))

    @property
    def average(self) -> Profile:
        """The weighted average of the responses, which every step changes."""
        return self._average

    def arrays(self) -> Arrays:
        return self.average.arrays("average") | self._faced.arrays("faced")

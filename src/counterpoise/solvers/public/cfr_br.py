"""CFR-BR on public games: CFR against a best responder, all hands at once (Johanson 2016, section 4.3).

The settings are those of `counterpoise.solvers.matching.cfr_br`, where the method is explained. Iteration t, for each
seat whose strategy is sought:

1. a traversal for the other seat finds its best response to the seat's current strategy and stores it, as ones and
   zeros, where regrets would stand; ties go to the first action;
2. the seat's traversal meets that answer and updates regrets and average as CFR does.

With a `trunk` the answerer learns by CFR on that many streets, its regrets updated first, and answers on later ones.
Each seat is a run of its own, with its own regrets. Both write their part of one average, since that of the answerer
is not kept.
"""

from __future__ import annotations

from counterpoise.errors import InputError
from counterpoise.public import Answers, Learning, Profile, PublicGame
from counterpoise.solvers.base import Arrays, Output
from counterpoise.solvers.matching.cfr import CFR
from counterpoise.solvers.matching.cfr_br import CFRBR
from counterpoise.solvers.public.base import PublicGameSolver
from counterpoise.solvers.public.solver import public_schedule


class PublicCFRBR(PublicGameSolver):
    """Regrets of each seat's run, and one average."""

    settings: CFRBR

    def __init__(self, settings: CFRBR, game: PublicGame, threads: int = 1, bits: int = 32) -> None:
        super().__init__(settings, game, threads=threads, bits=bits)
        if not game.zero_sum:
            raise InputError(
                "cfr-br needs a game in which one player wins what the other loses, so without rake and untilted"
            )
        self.seats = (0, 1) if settings.player == "both" else (settings.player,)
        self._average = Profile(game, bits)
        self.regrets = {seat: Profile(game, bits) for seat in self.seats}

    def step(self, iterations: int = 1) -> None:
        schedule = public_schedule(CFR(), self.iteration, iterations)
        for seat in self.seats:
            learning = Learning(self.regrets[seat], self.regrets[seat], self._average)
            self.traverser.iterate(learning, schedule, Answers(1 - seat, self.settings.trunk))
        self.iteration += iterations
        self.touch(2 * len(self.seats) * iterations)

    @property
    def average(self) -> Profile:
        """The average strategies of the seats, which every step changes."""
        return self._average

    @property
    def current(self) -> Profile:
        """What the current strategies of the seats are matched from; an answerer's rows hold its last answer."""
        return self.regrets[self.seats[0]].joined(self.regrets[self.seats[-1]])

    def losses(self, output: Output | None = None) -> dict[int, float]:
        """Return what each seat's strategy loses to a best response.

        That is its exploitability plus the value of the game to the other seat. `output` is which strategy to judge,
        the average or the current one (default: as the settings say).
        """
        judged = self.current if (output or self.settings.output) == "current" else self.average
        won = self.traverser.best_response_values(judged)
        return {seat: float(won[1 - seat]) for seat in self.seats}

    def exploitability(self, output: Output | None = None) -> float:
        """Return NashConv / 2 of both seats' strategies: the mean of what they lose to best responses."""
        if len(self.seats) == 1:
            raise InputError(f"{self.settings.name} has the strategy of one seat: its losses() say what it loses")
        return max(sum(self.losses(output).values()) / 2, 0.0)

    def arrays(self) -> Arrays:
        first = self.regrets[self.seats[0]].arrays("regrets") | self.average.arrays("average")
        for seat in self.seats[1:]:
            first |= self.regrets[seat].arrays(f"regrets of seat {seat}")
        return first

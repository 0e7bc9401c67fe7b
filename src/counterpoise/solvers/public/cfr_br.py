"""CFR-BR on public trees: CFR against a best responder, all hands at once (JOHANSON 4.3).

The settings are those of `cfr_br`, where the method is explained. Iteration t, for each seat whose strategy is sought:

1. a traversal for the other seat finds its best response to the seat's current strategy and stores it, as ones and
   zeros, where regrets would stand; ties go to the first action;
2. the seat's traversal meets that answer and updates regrets and average as CFR does.

With a `trunk` the answerer learns by CFR on so many streets, its regrets updated first, and answers on later ones.
Each seat is a run of its own, with its own regrets. Both write their part of one table of averages, since that of
the answerer is not kept: after ``player=both`` the tree's average is the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public import PublicTree
from counterpoise.public.engine import Answers
from counterpoise.public.kernels.layouts import Store
from counterpoise.solvers.base import Output, restore_arrays
from counterpoise.solvers.matching.cfr import CFR
from counterpoise.solvers.matching.cfr_br import CFRBR
from counterpoise.solvers.public.solver import public_schedule


class PublicCFRBR:
    """CFR-BR at work on a public tree: steps, measures, and saves or restores everything that changes."""

    def __init__(self, settings: CFRBR, tree: PublicTree, threads: int = 1) -> None:
        if threads < 1:
            raise InputError(f"threads must be at least 1, not {threads!r}")
        if not tree.zero_sum:
            raise InputError("cfr-br needs a game in which one player wins what the other loses, so without rake")
        self.settings, self.tree, self.threads = settings, tree, threads
        self.seats = (0, 1) if settings.player == "both" else (settings.player,)
        self.iteration = self.nodes_touched = 0
        self._regrets = {
            seat: tree.tables.regrets if seat == self.seats[0] else tree.fresh_store() for seat in self.seats
        }

    def step(self, iterations: int = 1) -> None:
        """Advance by so many iterations, each an answer and an update for each seat."""
        schedule = public_schedule(CFR(), self.iteration, iterations)
        for seat in self.seats:
            self._take(seat)
            self.tree.iterate(schedule, self.threads, Answers(1 - seat, self.settings.trunk))
        self._take(self.seats[0])
        self.iteration += iterations
        self.nodes_touched += 2 * len(self.seats) * iterations * self.tree.nodes

    @property
    def live_bytes(self) -> int:
        """Memory of the tables."""
        return sum(array.nbytes for array in self._arrays().values())

    def current(self) -> Store:
        """What the current strategies of the seats are matched from; an answerer's rows hold its last answer."""
        return self.tree.joined(self._regrets[self.seats[0]], self._regrets[self.seats[-1]])

    def losses(self, output: Output | None = None) -> dict[int, float]:
        """What each seat's strategy loses to a best response, in the tree's unit.

        That is its exploitability plus the value of the game to the other seat. `output` is which strategy to judge,
        the average or the current one (default: as the settings say).
        """
        store = self.current() if (output or self.settings.output) == "current" else None
        won = self.tree.best_response_values(self.threads, store)
        return {seat: float(won[1 - seat]) for seat in self.seats}

    def exploitability(self, output: Output | None = None) -> float:
        """NashConv / 2 of both seats' strategies: the mean of what they lose to best responses."""
        if len(self.seats) == 1:
            raise InputError(f"{self.settings.name} has the strategy of one seat: its losses() say what it loses")
        return max(sum(self.losses(output).values()) / 2, 0.0)

    def state(self) -> dict[str, NDArray[Any]]:
        """A copy of everything that changes."""
        counters = np.array([self.iteration, self.nodes_touched], dtype=np.int64)
        return {"counters": counters} | {name: array.copy() for name, array in self._arrays().items()}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from a `state` of the same settings on the same tree."""
        self.iteration, self.nodes_touched = restore_arrays(state, self._arrays(), self.settings.name)

    def _take(self, seat: int) -> None:
        """Put the regrets of a seat's run in the tree's place for them."""
        store = self._regrets[seat]
        self.tree.tables = self.tree.tables._replace(regrets=store, basis=store)

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return self.tree.arrays(**{f"regrets of seat {seat}": self._regrets[seat] for seat in self.seats[1:]})

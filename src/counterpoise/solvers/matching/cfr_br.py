"""CFR-BR: counterfactual regret minimisation against a best responder.

See Johanson 2016, section 4.3; Brown 2020, section 3.3.1.

One player runs CFR, the other, which needs no memory of its own, answers. Iteration t:

1. the answerer's strategy is a best response to the CFR player's current strategy sigma_1^t;
2. the CFR player's average gains sigma_1^t, weighted by own reach;
3. its regrets gain v(I,a) - v(I) against that answer, and sigma_1^(t+1) is proportional to the positive ones.

The answerer's regret is never positive, so the average regret of the CFR player bounds the exploitability of its
average strategy (theorem 4), and the mean exploitability of its iterates: an iterate chosen at random is good with
high probability too (theorem 5). One run finds the strategy of one seat; the profile of ``player=both`` is that of
two runs side by side, one per seat.

With a `trunk` the answerer runs CFR near the root, meeting sigma_1^t with the strategy it has before its own update,
and answers exactly below (the hybrid agent, theorems 6 and 7). A trunk of the whole game is CFR with simultaneous
updates. Every deal is visited, or with `sampled` one is drawn (`solvers.monte_carlo.cfr_br_sampled`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from counterpoise.games import CHANCE
from counterpoise.solvers.base import ZERO_SUM, Algorithm, Arrays, Output, WholeFromZero, algorithm
from counterpoise.solvers.kernels.cfr_br import iterate
from counterpoise.solvers.kernels.layouts import Tables
from counterpoise.solvers.tree_solver import AveragingSolver
from counterpoise.tree import Tree
from counterpoise.tree.kernels.layouts import FloatArray


@algorithm("cfr-br")
@dataclass(frozen=True, kw_only=True)
class CFRBR(Algorithm):
    """CFR against a best response to its current strategy; the current strategy converges too."""

    source = "Johanson 2016, section 4.3; Brown 2020, section 3.3.1"

    player: Literal["both", 0, 1] = "both"
    """Whose strategy is sought: that of one seat, or in two runs side by side that of each."""
    trunk: WholeFromZero = 0
    """The answerer runs CFR in this many rounds (chance after a decision ends one), and answers exactly below.

    If cards are drawn, 0 stands for all rounds but the last."""
    sampled: bool = False
    """Draw the public cards that end the trunk, and update only what follows them; for public games."""
    output: Output = "average"
    """Which strategy of the CFR player is the result."""

    @property
    def guarantee(self) -> str:
        """Return the guarantee: of current strategies only that of a random iteration without a trunk has one."""
        if self.output == "average":
            return ZERO_SUM
        return f"{ZERO_SUM}, if stopped at random" if self.player == "both" and self.trunk == 0 else ""

    def on_tree(self, tree: Tree, seed: int) -> CFRBRSolver:
        self.require(not self.sampled, "sampled", "False in enumerated games")
        return CFRBRSolver(self, tree, seed)

    @property
    def public_tables(self) -> int:
        """The average, the regrets of each seat's run, and the current strategies if they are the result."""
        return 1 + (2 if self.player == "both" else 1) + (self.output == "current")

    @property
    def for_both_players(self) -> bool:
        """Whether both seats have a run of their own."""
        return self.player == "both"

    def on_public(self, game: Any, seed: int, threads: int, bits: int) -> Any:
        from counterpoise.solvers.public.cfr_br import PublicCFRBR  # public games are imported when needed

        if self.sampled:
            self.require(bits == 32, "sampled", "False with tables of 16 bits")
            return self.on_buckets(game, None, seed)
        return PublicCFRBR(self, game, threads, bits)

    def on_buckets(self, game: Any, buckets: Any, seed: int) -> Any:
        from counterpoise.solvers.monte_carlo.cfr_br_sampled import SampledCfrBr

        return SampledCfrBr(game, buckets, self, seed)


class CFRBRSolver(AveragingSolver):
    """Tables of the CFR player, plans of the answerer; with two runs each array holds one part of either."""

    settings: CFRBR
    kernels = (iterate,)
    compile_seconds = 3.0

    def __init__(self, settings: CFRBR, tree: Tree, seed: int = 0) -> None:
        super().__init__(settings, tree, seed)
        tree.require_two_player_zero_sum("cfr-br")
        self._answers = Tables(*self.uniform_profile(), *np.zeros((2, tree.table.size)))
        self._trunk = rounds_before(tree) < settings.trunk
        self._seats = (0, 1) if settings.player == "both" else (settings.player, settings.player)

    def step(self, iterations: int = 1) -> None:
        iterate(self.tree.form, iterations, self._seats, self._trunk, self._tables, self._answers, self._values)
        runs = 1 + self._seats[1] - self._seats[0]
        self.count(iterations, 2 * runs * iterations * self.tree.nodes)

    def average_profile(self) -> FloatArray:
        """Return the average of the CFR player's iterates; the answerer's entry is the average of the answers."""
        return self.tree.behaviour(self._joined(self._tables.average, self._answers.average))

    def current_profile(self) -> FloatArray:
        """Return the CFR player's latest iterate; the answerer's entry is its last answer (in the trunk, its next)."""
        return self._joined(self._tables.strategy, self._answers.strategy)

    def arrays(self) -> Arrays:
        names = ("answer", "answer_reach", "answer_regrets", "answer_cumulative")
        return super().arrays() | dict(zip(names, self._answers, strict=True))

    def _joined(self, own: FloatArray, answers: FloatArray) -> FloatArray:
        """Return the CFR players' part of one array, the rest from that of the answerers."""
        low, high = self.tree.form.first_sequence[self._seats[0]], self.tree.form.first_sequence[self._seats[1] + 1]
        joined = answers.copy()
        joined[low:high] = own[low:high]
        return joined


def rounds_before(tree: Tree) -> NDArray[np.int64]:
    """Return how many rounds are over at each infoset: chance nodes before it that follow a decision.

    It is the least over its histories, so that no infoset precedes one of an earlier round.
    """
    histories = tree.histories
    passed, since = np.zeros(tree.nodes, dtype=np.int64), np.zeros(tree.nodes, dtype=np.int64)
    above = histories.parent.astype(np.int64)
    while (inner := above >= 0).any():  # all histories climb to the root together
        who = histories.player[above[inner]]
        since[inner] += who == CHANCE
        passed[inner] = np.where(who >= 0, since[inner], passed[inner])  # a decision precedes all chance so far
        above[inner] = histories.parent[above[inner]]
    least = np.full(tree.infosets, np.iinfo(np.int64).max)
    decisions = np.flatnonzero(histories.player >= 0)
    np.minimum.at(least, histories.infoset[decisions], passed[decisions])
    return least

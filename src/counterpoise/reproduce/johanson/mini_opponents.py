"""Johanson 2016, figures 6.1 and 6.2 on mini hold'em: models counted by bucket, answered on the public tree.

The source has limit hold'em of five buckets and an opponent whose payoffs are tilted by 7 %; here the game has 16 cards
and two rounds, the opponent was found by CFR in buckets under a tilt of 25 %, and its model is counted in the same
buckets from hands against Probe. The answers see all cards. Figures are thousandths of a big blind per game, means over
the two seats, and exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from counterpoise.abstraction import CardAbstraction, abstraction
from counterpoise.betting.tilt import PayoffTilt
from counterpoise.exploit import PublicModel, counter_profile
from counterpoise.exploit.public.hands import draw_actions
from counterpoise.exploit.public.models import as_model, model_from_counts
from counterpoise.public import HoldemGame, Profile, mini_holdem
from counterpoise.public.mini_holdem import millibigblinds
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, by_row
from counterpoise.reproduce.harness.verdicts import Verdict, listed
from counterpoise.solvers.matching.cfr import CFR
from counterpoise.solvers.public.bucket_solver import FullBucketSolver

RANKS, BETS, FLOP_BUCKETS = 4, (2, 2), 10
TILT = PayoffTilt(25, 0, 0, 25)
TILTED_ITERATIONS = 200
GRID = (0.5, 0.8, 0.93, 0.99)
GAMES = (30, 300, 10_000)
"""The source has a hundred to a million games for 3.6 million information sets, this game some hundreds of them."""
RNR, LINEAR = "RNR", "0-10 Linear"
METHODS = {RNR: "rnr", LINEAR: "dbr"}


class MiniOpponents:
    """The opponent in mini hold'em, models of it by the number of games, and the answers."""

    def __init__(self, lab: Lab, ranks: int, iterations: int, seed: int) -> None:
        self.lab, self.ranks, self.iterations, self.seed = lab, ranks, iterations, seed
        self.found: Figures = Figures(missing="{1} at {2:g} was not run with {0:,} games")

    @cached_property
    def game(self) -> HoldemGame:
        """The game."""
        return mini_holdem(self.ranks, BETS)

    @cached_property
    def buckets(self) -> CardAbstraction:
        """Lossless hands before the flop, buckets of hand strength on it."""
        return abstraction("IR-C-PHS", (FLOP_BUCKETS,), deck=self.game.deck, threads=1, progress=False)

    @cached_property
    def true_profile(self) -> Profile:
        """The opponent as it is."""
        solver = FullBucketSolver(CFR(), self.game.tilted(TILT), self.buckets)
        solver.step(TILTED_ITERATIONS)
        return solver.average.copy()

    def model(self, games: int) -> PublicModel:
        """Return what games against Probe tell, half of them from each seat."""
        probe = as_model(self.game, "probe").profile
        counts = np.zeros(self.game.entries)
        for seat in range(2):
            players = (self.true_profile, probe) if seat == 0 else (probe, self.true_profile)
            own = draw_actions(self.game, players, games // 2, seed=2 * self.seed + seat)
            middle = int(self.game.arrays.trees.store[1, 0])
            part = slice(middle, None) if seat else slice(0, middle)
            counts[part] = own[part]
        return model_from_counts(
            self.game, "opponent", counts, as_model(self.game, "always-call").profile, self.buckets
        )

    def run(self, games: int, grid: Sequence[float]) -> None:
        """Answer the model of some games by both methods, and keep what the answers win and risk."""
        model = self.model(games)
        for label, method in METHODS.items():
            for p in (0, *grid):
                self.lab.begin(f"{label} at {p:g}, {games:,} games")
                at = counter_profile(
                    self.game,
                    model,
                    f"{method}(p={p})",
                    truth=self.true_profile,
                    iterations=self.iterations,
                    progress=self.lab.progress,
                    cancel=self.lab.cancel,
                )
                self.lab.check()
                assert at.true_exploitation is not None
                self.found[games, label, p] = {
                    "risk": millibigblinds(at.exploitability),
                    "true": millibigblinds(at.true_exploitation),
                    "model": millibigblinds(at.exploitation),
                }
        self.lab.data["figures"] = {"{:,} games, {}, {:g}".format(*key): at for key, at in self.found.items()}

    def line(self, games: int, label: str, grid: Sequence[float], figure: str = "true") -> list[float]:
        """Return a figure as p rises, from an equilibrium on."""
        return [self.found[games, label, p][figure] for p in (0, *grid)]


def mini_opponents(
    lab: Lab,
    ranks: int = RANKS,
    iterations: int = 150,
    seed: int = 0,
    grid: Sequence[float] = GRID,
    games: Sequence[int] = GAMES,
) -> Iterator[Declared]:
    """Answer models of more and more games by restricted Nash and data biased responses."""
    opponents = MiniOpponents(lab, ranks, iterations, seed)
    with lab.stoppable():
        for count in games:
            opponents.run(count, grid)
    keys = [(count, label, p) for count in games for label in METHODS for p in (0, *grid)]
    columns: dict[str, Any] = {
        head: (lambda *key, name=name: round(opponents.found[key][name]))
        for head, name in {"exploitability": "risk", "wins in truth": "true", "wins from the model": "model"}.items()
    }
    yield by_row(f"Mini hold'em of {ranks} ranks, mbb/g", ("games", "method", "p"), keys, columns)
    few, many, line = min(games), max(games), opponents.line

    def overfits() -> Verdict:
        model, true = line(few, RNR, grid, "model"), line(few, RNR, grid)
        told = f"from the model {listed(model, '.0f')} as p rises, in truth {listed(true, '.0f')}"
        return bool((np.diff(model) > 0).all()) and true[-1] < max(true), told

    def needs_data() -> Verdict:
        ends = {count: line(count, RNR, grid)[-1] for count in games}
        safe = line(many, RNR, grid)[0]
        told = ", ".join(f"{count:,} games {won:.0f}" for count, won in ends.items())
        return ends[many] > safe > ends[few], f"an equilibrium {safe:.0f}, {told}"

    def robust() -> Verdict:
        lines = {count: line(count, LINEAR, grid) for count in games}
        told = "; ".join(f"{count:,} games {listed(own, '.0f')}" for count, own in lines.items())
        return all(min(own[1:]) >= own[0] for own in lines.values()), told

    yield Claim("overfits", overfits)
    yield Claim("needs-data", needs_data)
    yield Claim("linear-robust", robust)

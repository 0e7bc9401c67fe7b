"""Update rules and averagings for hold'em spots: those of the library by name, and experiments as bare schedules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from counterpoise.public import HoldemGame, UpdateSchedule
from counterpoise.solvers import RegretMatching, make_algorithm
from counterpoise.solvers.matching.cfr import CFR
from counterpoise.solvers.matching.dcfr import fading
from counterpoise.solvers.public.solver import PublicSolver, public_schedule

DEFAULT = "dcfr(gamma=4)"
Scheduling = Callable[[int, int], UpdateSchedule]
"""The schedule of so many iterations after so many."""


class Scheduled(PublicSolver):
    """A solver that iterates by a bare schedule, which counts from `done`."""

    def __init__(self, game: HoldemGame, scheduling: Scheduling, done: int = 0) -> None:
        super().__init__(CFR(), game)
        self.scheduling, self.iteration = scheduling, done

    def step(self, iterations: int = 1) -> None:
        """Advance by so many iterations."""
        self.traverser.iterate(self.learning, self.scheduling(self.iteration, iterations))
        self.iteration += iterations


@dataclass(frozen=True)
class Variant:
    """A way to iterate; `start` makes the solver of a game. Those of one `kind` do the same arithmetic."""

    name: str
    start: Callable[[HoldemGame], PublicSolver]
    kind: str = ""
    bits: int = 32


def named(name: str, bits: int = 32) -> Variant:
    """A rule of the library."""
    label = name if bits == 32 else f"{name}, {bits} bits"
    kind = f"{bits} bits, {'predictive' if settings(name).predictive else 'weighted'}"
    return Variant(label, lambda game: PublicSolver(settings(name), game, bits=bits), kind, bits)


def scheduled(name: str, scheduling: Scheduling) -> Variant:
    """An experiment."""
    kind = f"32 bits, {'weighted' if scheduling(0, 1).weighted else 'unweighted'}"
    return Variant(name, lambda game: Scheduled(game, scheduling), kind)


def settings(name: str) -> RegretMatching:
    """The settings of a rule that runs on spots."""
    found = make_algorithm(name)
    assert isinstance(found, RegretMatching)
    return found


def unweighted(name: str) -> Scheduling:
    """A rule whose strategies enter the average without their own reach."""
    return lambda done, count: replace(public_schedule(settings(name), done, count), weighted=False)


def restarted(name: str, gamma: float, base: int = 4) -> Scheduling:
    """A rule whose average starts anew after 1, 4, 16, 64, ... iterations, with weights (t - start)^gamma."""

    def schedule(done: int, count: int) -> UpdateSchedule:
        return replace(
            public_schedule(settings(name), done, count), average_decay=_since_restart(done, count, gamma, base)
        )

    return schedule


def published(done: int, count: int) -> UpdateSchedule:
    """The schedule of the fastest open solver: discounts one iteration behind, average restarted and unweighted."""
    t = np.arange(done, done + count + 1, dtype=np.float64)
    base = np.maximum(t - 1, 0)
    positive = base**1.5 / (base**1.5 + 1)
    return UpdateSchedule(
        positive.astype(np.float32),
        np.full(count + 1, 0.5, dtype=np.float32),
        _since_restart(done, count, 3.0, 4),
        weighted=False,
    )


def changing(alpha: tuple[float, float], negative: float, gamma: tuple[float, float], until: int) -> Scheduling:
    """DCFR whose alpha and gamma go from one value to another over the first `until` iterations."""

    def schedule(done: int, count: int) -> UpdateSchedule:
        t = np.arange(done, done + count + 1, dtype=np.float64)
        part = np.minimum(t / until, 1)
        power = alpha[0] + (alpha[1] - alpha[0]) * part
        positive = np.array([1.0 if n < 1 else float(fading(np.array(n), p)) for n, p in zip(t, power, strict=True)])
        keep = (t / (t + 1)) ** (gamma[0] + (gamma[1] - gamma[0]) * part)
        return UpdateSchedule(
            positive.astype(np.float32), np.full(count + 1, negative, np.float32), keep[:-1].astype(np.float32)
        )

    return schedule


def warm(name: str, known: int) -> Scheduling:
    """A rule on a tree that begins with regrets of `known` iterations and no average."""

    def schedule(done: int, count: int) -> UpdateSchedule:
        regrets = public_schedule(settings(name), done, count)
        return replace(regrets, average_decay=public_schedule(settings(name), done - known, count).average_decay)

    return schedule


def _since_restart(done: int, count: int, gamma: float, base: int) -> np.ndarray:
    t = np.arange(done, done + count)
    start = np.zeros(count)
    power = 1
    while power <= done + count:
        start[t >= power] = power
        power *= base
    return (((t - start) / (t - start + 1)) ** gamma).astype(np.float32)


RULES = [
    named(name)
    for name in (
        "cfr", "cfr+", "cfr+(average='quadratic')", "lcfr", "lcfr+", "dcfr(gamma=2)", "dcfr(gamma=3)", DEFAULT,
        "dcfr(gamma=5)", "dcfr(beta=0.5, gamma=4)", "dcfr(beta=-inf, gamma=4)", "pcfr+", "pdcfr+",
    )
]  # fmt: skip
EXPERIMENTS = [
    scheduled("dcfr(gamma=4), average without own reach", unweighted(DEFAULT)),
    scheduled("dcfr(gamma=3), average without own reach", unweighted("dcfr(gamma=3)")),
    scheduled("dcfr, average restarted at powers of 4, gamma 3", restarted(DEFAULT, 3.0)),
    scheduled("the fastest open solver's schedule", published),
    scheduled("alpha 1 to 4, floor, gamma 10 to 5, over 300", changing((1, 4), 0.0, (10, 5), 300)),
    scheduled("alpha 1 to 2, floor, gamma 5, over 300", changing((1, 2), 0.0, (5, 5), 300)),
    scheduled("alpha 1.25 to 2, 0.5, gamma 4, over 300", changing((1.25, 2), 0.5, (4, 4), 300)),
    scheduled("alpha 1.5 to 2.5, 0.2, gamma 4, over 300", changing((1.5, 2.5), 0.2, (4, 4), 300)),
    scheduled("negative factor 0.3, gamma 4", changing((1.5, 1.5), 0.3, (4, 4), 1)),
    named(DEFAULT, bits=16),
]
LARGE = [
    variant for variant in (*RULES, *EXPERIMENTS)
    if variant.name in (DEFAULT, "dcfr(gamma=3)", "dcfr(beta=-inf, gamma=4)", "the fastest open solver's schedule")
]  # fmt: skip
"""Those worth a minute each on a flop."""

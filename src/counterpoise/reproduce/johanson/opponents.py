"""Johanson 2016, figures 6.1 and 6.2: what restricted Nash and data biased responses make of logged hands, in Leduc.

The source has limit hold'em of five buckets and an opponent whose payoffs are tilted by 7 %; here the game is Leduc
with suits told apart and the tilt 25 %. Figures are thousandths of an ante per game (mA), means over the two seats.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from counterpoise.exploit import CounterStrategy, Opponent, frontier, load_opponent, model_from_hands, play_hands
from counterpoise.plots import Curve, Panel
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Figures, Lab, Table, by_row
from counterpoise.reproduce.harness.verdicts import Verdict, listed
from counterpoise.tree import Tree, enumerate_game

GAME, OPPONENT = "leduc_poker(merge_suits=False)", "tilt(win_showdown=25, win_fold=25)"
GRID = (0.5, 0.7, 0.8, 0.9, 0.93, 0.97, 0.99)
"""The grid of the source between an equilibrium and a best response, whose exploitability says nothing."""
RNR, LINEAR = "RNR", "0-10 Linear"
METHODS = {
    RNR: "rnr",
    "1-Step": "dbr(confidence='step(count=1)')",
    "10-Step": "dbr(confidence=step)",
    LINEAR: "dbr(confidence=linear)",
    "1-Curve": "dbr(confidence=curve)",
}
ROBUST = ("10-Step", LINEAR, "1-Curve")
Data = tuple[int, str]
"""How many hands were logged, and who the opponent played: Probe or itself."""
FEW, MANY, LEAST = 1_000, 100_000, 100
PROBE, ITSELF = "Probe", "itself"
DATA: tuple[Data, ...] = ((LEAST, PROBE), (FEW, PROBE), (10_000, PROBE), (MANY, PROBE), (MANY, ITSELF))


class OpponentStudy:
    """The opponent, the models of it, and what the methods have made of them so far."""

    def __init__(self, lab: Lab, iterations: int, seed: int) -> None:
        self.lab, self.iterations, self.seed = lab, iterations, seed
        self.found: Figures = Figures(missing="{2} at {3:g} was not run with {0:,} games against {1}")
        self.models: dict[Data, Opponent] = {}

    @cached_property
    def tree(self) -> Tree:
        """The game."""
        return enumerate_game(GAME)

    @cached_property
    def true_opponent(self) -> Opponent:
        """The opponent as it is."""
        return load_opponent(self.tree, OPPONENT)

    def model(self, data: Data) -> Opponent:
        """Return the frequencies of the logged hands; without data it always calls."""
        if data not in self.models:
            games, partner = data
            agents = {"opponent": self.true_opponent.profile}
            if partner == PROBE:
                agents[PROBE] = load_opponent(self.tree, "probe").profile
            self.models[data] = model_from_hands(self.tree, play_hands(self.tree, agents, games, self.seed), "opponent")
        return self.models[data]

    def run(self, data: Data, label: str, grid: Sequence[float]) -> None:
        """Find the counter-strategies of one method to one model, and keep what they win and risk."""
        self.lab.begin(f"{label}, {data[0]:,} games against {data[1]}")
        curve = frontier(
            GAME,
            self.model(data),
            METHODS[label],
            (0, *grid),
            truth=self.true_opponent,
            iterations=self.iterations,
            progress=self.lab.progress,
            cancel=self.lab.cancel,
        )
        for p, point in zip(curve.values, curve.points, strict=True):
            self.found[*data, label, p] = point
        self.lab.data["figures"] = {"{:,} games against {}, {}, {:g}".format(*key): self.mA(*key) for key in self.found}
        self.lab.check()

    def mA(self, *key: Any) -> dict[str, float]:
        """Return the figures of one counter-strategy in thousandths of an ante."""
        at: CounterStrategy = self.found[key]
        true = at.true_exploitation
        assert true is not None
        return {"risk": 1000 * at.exploitability, "true": 1000 * true, "model": 1000 * at.exploitation}

    def won(self, data: Data, label: str, p: float) -> float:
        """Return what a counter-strategy wins from the true opponent."""
        return self.mA(*data, label, p)["true"]

    def table(self, caption: str, keys: Sequence[tuple[Any, ...]], reference: Mapping[str, Any]) -> Table:
        """Return what counter-strategies risk and win, each figure beside its reference."""

        def columns(name: str) -> Any:
            def known(*key: Any) -> float | None:
                rows = reference.get(f"{key[0]} {key[1]}", {}).get(key[2], {})
                figures: Sequence[float] = rows.get(f"{key[3]:g}", ())
                return dict(zip(("risk", "true", "model"), figures, strict=False)).get(name)

            return (lambda *key: round(self.mA(*key)[name])), known

        heads = {"exploitability": "risk", "wins in truth": "true", "wins from the model": "model"}
        return by_row(
            caption, ("games", "against", "method", "p"), keys, {head: columns(heads[head]) for head in heads}
        )

    def panel(self, title: str, lines: Mapping[str, tuple[Data, str, str]]) -> Panel:
        """Return what methods win by what they risk, a line for each: data, method, and from whom it is won."""
        curves = {}
        for name, (data, label, figure) in lines.items():
            points = [self.mA(*key) for key in self.found if key[:3] == (*data, label)]
            if points:
                curves[name] = Curve([point["risk"] for point in points], [point[figure] for point in points])
        axes: dict[str, Any] = {"x_label": "exploitability (mA)", "y_label": "exploitation (mA)"}
        return Panel(curves, title=title, x_scale="linear", y_scale="linear", **axes)

    def by_data(self, data: Sequence[Data], label: str) -> list[Panel]:
        """Return a panel by the number of games and one by the partner of the opponent, both in truth."""
        games = {f"{n:,} games": ((n, partner), label, "true") for n, partner in data if partner == PROBE}
        partners = {f"against {partner}": ((n, partner), label, "true") for n, partner in data if n == MANY}
        return [self.panel("games", games), self.panel("source", partners)]


def restricted(
    lab: Lab, iterations: int = 400, seed: int = 0, grid: Sequence[float] = GRID, data: Sequence[Data] = DATA
) -> Iterator[Declared]:
    """Answer models of more and more games by restricted Nash responses, and one of self-play."""
    opponents = OpponentStudy(lab, iterations, seed)
    with lab.stoppable():
        for source in data:
            opponents.run(source, RNR, grid)
    reference = lab.published("opponents")["figures"]
    keys = [(*source, RNR, p) for source in data for p in grid]
    yield opponents.table("Restricted Nash responses in Leduc, mA", keys, reference)
    won, last = opponents.won, max(grid)

    def overfits() -> Verdict:
        model = [opponents.mA(FEW, PROBE, RNR, p)["model"] for p in (0, *grid)]
        true = [won((FEW, PROBE), RNR, p) for p in (0, *grid)]
        told = f"from the model {listed(model, '.0f')} as p rises, in truth {listed(true, '.0f')}"
        return bool((np.diff(model) > 0).all()) and true[-1] < max(true) and true[-1] < true[0], told

    def hungry() -> Verdict:
        worst = {n: won((n, PROBE), RNR, last) for n in (LEAST, FEW, MANY)}
        equal = won((LEAST, PROBE), RNR, 0)
        told = ", ".join(f"{figure:.0f} after {n:,} games" for n, figure in worst.items())
        told += f"; an equilibrium wins {equal:.0f}"
        return worst[LEAST] < equal and worst[FEW] < equal < worst[MANY], f"at p = {last:g}: {told}"

    def sensitive() -> Verdict:
        probe, own = ([won((MANY, partner), RNR, p) for p in grid] for partner in (PROBE, ITSELF))
        return own[-1] < probe[-1] / 2, f"against Probe {listed(probe, '.0f')}; against itself {listed(own, '.0f')}"

    yield Claim("overfits", overfits)
    yield Claim("needs-data", hungry)
    yield Claim("needs-probe", sensitive)
    few = {name: ((FEW, PROBE), RNR, figure) for name, figure in (("in truth", "true"), ("the model", "model"))}
    parts = [opponents.panel("1,000 games", few), *opponents.by_data(data, RNR)]
    yield Figure("Restricted Nash responses in Leduc", parts)


def biased(
    lab: Lab, iterations: int = 400, seed: int = 0, grid: Sequence[float] = GRID, data: Sequence[Data] = DATA
) -> Iterator[Declared]:
    """Answer the same models by data biased responses of the four confidence functions."""
    opponents = OpponentStudy(lab, iterations, seed)
    with lab.stoppable():
        for label in METHODS:
            opponents.run((FEW, PROBE), label, grid)
        for source in data:
            if source != (FEW, PROBE):
                opponents.run(source, LINEAR, grid)
        opponents.run((MANY, PROBE), RNR, grid)
    reference = lab.published("opponents")["figures"]
    keys = [(FEW, PROBE, label, p) for label in METHODS for p in grid]
    yield opponents.table("Confidence functions in Leduc, mA", keys, reference)
    keys = [(*source, LINEAR, p) for source in data if source != (FEW, PROBE) for p in grid]
    yield opponents.table("0-10 Linear by games and partner, mA", keys, reference)
    won, last = opponents.won, max(grid)

    def lines(labels: Sequence[str]) -> tuple[dict[str, list[float]], str]:
        found = {label: [won((FEW, PROBE), label, p) for p in (0, *grid)] for label in labels}
        return found, "; ".join(f"{label} {listed(figures, '.0f')}" for label, figures in found.items())

    def step_overfits() -> Verdict:
        found, told = lines(["1-Step"])
        return found["1-Step"][-1] < found["1-Step"][0], told

    def others_do_not() -> Verdict:
        found, told = lines(ROBUST)
        return all(min(figures[1:]) > figures[0] for figures in found.values()), told

    def any_amount() -> Verdict:
        games = [n for n, partner in data if partner == PROBE]
        gains = {n: [won((n, PROBE), LINEAR, p) for p in (0, *grid)] for n in games}
        risk = {n: opponents.mA(n, PROBE, LINEAR, 0.9)["risk"] for n in games}
        told = ", ".join(f"{n:,} games win up to {max(gains[n]):.0f} and risk {risk[n]:.0f} at 0.9" for n in games)
        return all(min(own) >= own[0] for own in gains.values()) and risk[LEAST] < 50, told

    def self_play() -> Verdict:
        probe, own = ([won((MANY, partner), LINEAR, p) for p in (0, *grid)] for partner in (PROBE, ITSELF))
        told = f"against Probe {listed(probe, '.0f')}; against itself {listed(own, '.0f')}"
        return min(own[1:]) > own[0] and max(own) > 2 * own[0] and max(probe) > max(own), told

    def ahead() -> Verdict:
        risk, gain = ([opponents.mA(MANY, PROBE, RNR, p)[name] for p in (0, *grid)] for name in ("risk", "true"))
        own = {p: opponents.mA(MANY, PROBE, LINEAR, p) for p in grid if p < last}
        rows = {p: (at["true"], float(np.interp(at["risk"], risk, gain))) for p, at in own.items()}
        told = ", ".join(f"{dbr:.0f} to {rnr:.0f} at {p:g}" for p, (dbr, rnr) in rows.items())
        return all(dbr >= rnr for dbr, rnr in rows.values()), f"DBR and RNR of equal exploitability win {told}"

    yield Claim("one-step-overfits", step_overfits)
    yield Claim("others-do-not", others_do_not)
    yield Claim("any-amount", any_amount)
    yield Claim("self-play-works", self_play)
    yield Claim("ahead-of-rnr", ahead)
    few = {label: ((FEW, PROBE), label, "true") for label in METHODS}
    parts = [opponents.panel("1,000 games", few), *opponents.by_data(data, LINEAR)]
    yield Figure("Data biased responses in Leduc", parts)

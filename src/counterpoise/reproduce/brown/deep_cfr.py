"""Brown 2020, section 4.1 in small: Deep CFR on Leduc and on flop hold'em with twelve cards (figures 4.2 to 4.4).

In Leduc what is judged is the exact average of the strategies of all iterations, so that the error of the network of
the average plays no part, unless a table says so. Exploitability is in chips.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from counterpoise.deep.deep_cfr import DeepCFR, DeepCFRSettings
from counterpoise.deep.nfsp import NFSPSettings
from counterpoise.deep.samplers import as_sampled
from counterpoise.games import load
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, Table
from counterpoise.reproduce.harness.verdicts import Verdict, named

LEDUC = "leduc_poker"
SMALL: dict[str, Any] = {"traversals": 100, "batches": "means", "decay": False}
"""The settings of sweeps and ablations: few traversals, and every step sees the means of all samples."""
DEFAULT = "default"
SWEEPS: Mapping[str, dict[str, Any]] = {
    DEFAULT: {},
    "30 traversals": {"traversals": 30},
    "1,000 traversals": {"traversals": 1000},
    "50 steps": {"steps": 50},
    "width 8": {"hidden": (8, 8, 8)},
    "width 16": {"hidden": (16, 16, 16)},
    "exact table": {"regressor": "table", "batches": "minibatches", "average": "mixture"},
}
ABLATIONS: Mapping[str, dict[str, Any]] = {
    DEFAULT: {},
    "uniform fallback": {"fallback": "uniform"},
    "uniform weights": {"weighting": "uniform"},
    "fine-tuned": {"from_scratch": False},
}
RECORDS = 1060
"""About how many samples of each kind 100 traversals of both players find."""


class DeepCfrStudy:
    """Variants of Deep CFR on Leduc: exploitability by name and iteration, as means over seeds."""

    def __init__(self, lab: Lab, variants: Mapping[str, dict[str, Any]], marks: Sequence[int], seeds: int) -> None:
        self.lab, self.variants, self.marks, self.seeds = lab, variants, marks, seeds
        self.found: Figures = Figures(missing="{0} was not measured after {1} iterations")

    def run(self) -> None:
        """Run all variants."""
        game = as_sampled(load(LEDUC))
        for name, changes in self.variants.items():
            curves: list[list[float]] = []
            for seed in range(self.seeds):
                self.lab.begin(f"{name}, seed {seed}")
                learner = DeepCFRSettings(**(SMALL | changes)).on(game, seed)
                curves.append([self._after(learner, mark) for mark in self.marks])
            for mark, numbers in zip(self.marks, zip(*curves, strict=True), strict=True):
                self.found[name, mark] = float(np.mean(numbers))

    def _after(self, learner: DeepCFR, mark: int) -> float:
        while learner.iterations < mark:
            learner.step()
            self.lab.show(learner.iterations / self.marks[-1], f"iteration {learner.iterations}")
        return learner.figures()["exact average"]

    def table(self, caption: str) -> Table:
        """Return the table of all variants."""
        rows = [[name, *(self.found.get((name, mark)) for mark in self.marks)] for name in self.variants]
        return Table(caption, ["variant", *(f"T = {mark}" for mark in self.marks)], rows)

    def last(self, name: str) -> float:
        """Return what a variant reaches in the end."""
        return float(self.found[name, self.marks[-1]])

    def higher(self, name: str, factor: float = 1.0) -> Verdict:
        """Judge whether a variant ends above the default, by a factor."""
        return self.last(name) > factor * self.last(DEFAULT), named(self.last, name, DEFAULT)


def sweeps(lab: Lab, iterations: int = 100, seeds: int = 3) -> Iterator[Declared]:
    """Traversals, steps and widths (figure 4.3)."""
    study = DeepCfrStudy(
        lab, SWEEPS, sorted({max(1, iterations // 10), max(1, iterations * 3 // 10), iterations}), seeds
    )
    with lab.stoppable():
        study.run()
    yield study.table("Exploitability of Deep CFR on Leduc, chips")

    def slower() -> Verdict:
        names = ("30 traversals", DEFAULT, "1,000 traversals")
        numbers = [study.last(name) for name in names]
        return numbers == sorted(numbers, reverse=True), named(study.last, *names)

    yield Claim("traversals", slower)
    yield Claim("steps", study.higher, "50 steps", 2.0)
    yield Claim("width", study.higher, "width 8", 2.0)
    yield Claim("limit", lambda: (study.last("exact table") < study.last("50 steps"), named(study.last, "exact table")))


def ablations(lab: Lab, iterations: int = 100, seeds: int = 3) -> Iterator[Declared]:
    """Fallback, weights, fine-tuning and the memory (figure 4.4)."""
    marks = sorted({max(1, iterations // 10), max(1, iterations * 3 // 10), iterations})
    window = {"memory": RECORDS * max(1, iterations // 10) // 2}
    variants = {
        **ABLATIONS,
        "small reservoir": window,
        "small window": window | {"replacement": "window"},
    }
    study = DeepCfrStudy(lab, variants, marks, seeds)
    with lab.stoppable():
        study.run()
    yield study.table("Exploitability of Deep CFR on Leduc, chips")
    middle = marks[len(marks) // 2]

    def slower() -> Verdict:
        read = {name: study.found[name, middle] for name in ("uniform weights", DEFAULT)}
        return read["uniform weights"] > read[DEFAULT], named(lambda name: read[name], *read)

    def rises() -> Verdict:
        names = ("small window", "small reservoir")
        return study.last(names[0]) >= 1.2 * study.last(names[1]), named(study.last, *names)

    yield Claim("fallback", study.higher, "uniform fallback")
    yield Claim("weights", slower)
    yield Claim("fine-tuned", study.higher, "fine-tuned")
    yield Claim("window", rises)


def convergence(
    lab: Lab,
    nodes: int = 2_000_000,
    game: str = LEDUC,
    traversals: int = 1000,
    steps: int = 300,
    batch: int = 4096,
    policy_steps: int = 4000,
) -> Iterator[Declared]:
    """Deep CFR and NFSP at equal nodes touched (figure 4.2)."""
    sampled = as_sampled(load(game))
    methods: dict[str, Any] = {
        "Deep CFR": DeepCFRSettings(traversals=traversals, steps=steps, batch=batch, policy_steps=policy_steps),
        "NFSP": NFSPSettings(),
    }
    found: Figures = Figures(missing="{} was not run")
    rows = []
    with lab.stoppable():
        for name, settings in methods.items():
            lab.begin(name)
            learner = settings.on(sampled, 0)
            while learner.nodes_touched < nodes:
                learner.step()
                lab.show(learner.nodes_touched / nodes, f"{learner.nodes_touched:,} nodes")
            found[name] = learner.exploitability()
            exact = learner.figures().get("exact average")
            rows.append([name, learner.nodes_touched, learner.iterations, found[name], exact])
    yield Table(
        f"Exploitability on {game} at equal nodes touched (chance and terminals included), chips",
        ["method", "nodes", "steps", "of the average network", "of the exact average"],
        rows,
    )
    yield Claim("nfsp", lambda: (found["Deep CFR"] < found["NFSP"], named(lambda name: found[name], *methods)))

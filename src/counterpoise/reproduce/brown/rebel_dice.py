"""Brown 2020, table 5.7: ReBeL with CFR-D and with fictitious play on four games of Liar's Dice.

A training has a share of the CPU time; when it has stopped, the last three checkpoints are judged by exact best
responses, and their mean is reported. Training sees self-play alone. The agent plays the policies of a drawn iteration,
whose exploitability the mean of N play-throughs bounds from above in expectation, the closer the larger N. Beside it
stand the agent without a network and linear CFR on the whole game with as many updates as a subgame has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from counterpoise.deep.rebel.method import Rebel
from counterpoise.deep.rebel.timed import cpu_seconds, judge, train_for, without_values
from counterpoise.games import load
from counterpoise.reproduce.brown.fictitious_play import GAMES
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, by_row
from counterpoise.reproduce.harness.verdicts import Verdict, listed
from counterpoise.solvers import solve

CFR_D, FP = "ReBeL CFR-D", "ReBeL FP"
METHODS: Mapping[str, Rebel] = {CFR_D: Rebel(), FP: Rebel(algorithm="flop")}
SECONDS = 400.0
"""CPU seconds of all trainings together, unless the user grants others."""
PLAY_THROUGHS: Mapping[str, int] = {"1x4": 64, "1x5": 32, "1x6": 8, "2x3": 8}
"""How often each agent plays the game through in that time; up to eight times as often where more is granted."""
SAMPLED, UNSAFE, NOTHING, TABULAR = "sampled", "unsafe", "no network", "linear CFR"
SUBGAMES, STEPS, UPDATES, SPENT = COUNTS = "subgames", "gradient steps", "updates", "CPU seconds"


def table(
    lab: Lab,
    dice: Sequence[str] = tuple(GAMES),
    updates: int | None = None,
    width: int | None = None,
    play_throughs: int | None = None,
    seed: int = 0,
) -> Iterator[Declared]:
    """Train and judge every method on every game."""
    known, found = lab.published("rebel")["published"], Figures(missing="{2} of {1} on {0} was not measured")
    granted = lab.seconds or SECONDS
    share, more = granted / len(dice) / len(METHODS), min(max(granted / SECONDS, 1.0), 8.0)
    counts = {name: play_throughs or round(PLAY_THROUGHS[name] * more) for name in dice}
    with lab.stoppable():
        for name in dice:
            for label, method in METHODS.items():
                chosen = replace(method, updates=updates, width=width)
                _run(lab, (name, label), chosen, share, counts[name], seed, found)
    lab.data["figures"] = {", ".join(key): value for key, value in found.items()}
    rows = [(name, label) for name in dice for label in METHODS]
    yield by_row(
        "Exploitability of ReBeL on Liar's Dice, mean of the last three checkpoints",
        ("dice", "algorithm"),
        rows,
        {
            "drawn iteration": partial(_read, found, SAMPLED),
            "published": lambda name, label: f"{known[name][label]:.3f}",
            "unsafe": partial(_read, found, UNSAFE),
            "no network": partial(_read, found, NOTHING),
            "whole game": partial(_read, found, TABULAR),
            "play-throughs": lambda name, label: counts[name],
            "updates": partial(_read, found, UPDATES),
            "subgames": partial(_read, found, SUBGAMES),
            "steps": partial(_read, found, STEPS),
            "CPU s": partial(_read, found, SPENT),
        },
    )

    def ratios(over: tuple[str, str], under: tuple[str, str]) -> list[float]:
        """Return by game the ratio of two figures, each named by method and kind."""
        return [float(found[(name, *over)] / found[(name, *under)]) for name in dice]

    def at_least(low: float, over: tuple[str, str], under: tuple[str, str]) -> Verdict:
        by_game = ratios(over, under)
        return min(by_game) >= low, f"by factors of {listed(by_game, '.2g')}"

    def near() -> Verdict:
        by_game = [found[name, CFR_D, SAMPLED] / known[name][CFR_D] for name in dice]
        return max(by_game) <= 1.5, f"{listed(by_game, '.2g')} times the published figures"

    yield Claim("near", near)
    yield Claim("cfr-d-beats-fp", at_least, 1.0, (FP, SAMPLED), (CFR_D, SAMPLED))
    yield Claim("safe", at_least, 1.0, (CFR_D, UNSAFE), (CFR_D, SAMPLED))
    yield Claim("learns", at_least, 5.0, (CFR_D, NOTHING), (CFR_D, SAMPLED))


def _run(
    lab: Lab, key: tuple[str, str], method: Rebel, seconds: float, play_throughs: int, seed: int, found: Figures
) -> None:
    """Train a method on a game and judge it."""
    lab.begin(", ".join(key))
    learner = method.on(load(GAMES[key[0]]), seed)
    kept = train_for(learner, seconds, watch=lambda spent: lab.show(spent, f"loss {learner.loss:.4f}"))
    iterations = learner.settings.search.iterations
    found[(*key, SUBGAMES)], found[(*key, SPENT)] = learner.subgames, round(cpu_seconds(learner))
    found[(*key, STEPS)], found[(*key, UPDATES)] = learner.fitter.steps, 2 * iterations
    found[(*key, TABULAR)] = solve(learner.rules, "lcfr", iterations=iterations, progress=False).exploitability
    judged = []
    for checkpoint in kept:
        lab.show(None, f"judging the network after {checkpoint.share:.0%} of the time")
        judged.append(judge(learner, checkpoint.network, checkpoint.share, play_throughs))
    found[(*key, SAMPLED)] = float(np.mean([one.sampled for one in judged]))
    found[(*key, UNSAFE)] = float(np.mean([one.unsafe for one in judged]))
    found[(*key, NOTHING)] = judge(learner, without_values(learner.network), 0.0, min(play_throughs, 4)).sampled


def _read(found: Figures, kind: str, name: str, label: str) -> float:
    return int(found[name, label, kind]) if kind in COUNTS else float(found[name, label, kind])

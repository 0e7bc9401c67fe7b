"""Johanson 2016, chapters 7 and 9: arithmetic on printed errors of estimators, and the threshold of an essentially
solved game.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from counterpoise.evaluation.duplicate import duplicate_moments
from counterpoise.evaluation.estimators.statistics import hands_needed, interval_of, rmse
from counterpoise.evaluation.solved import bracket_value, chance_not_to_lose, solved_threshold, value_bracket
from counterpoise.games import load
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, by_row
from counterpoise.reproduce.harness.verdicts import Verdict
from counterpoise.solvers import solve
from counterpoise.tree import exact

RECORD, DUPLICATES = 1_000_000, 10_000_000
"""Hands of the record behind tables 7.1 and 7.3; duplicate pairs of the printed cross-tables."""
GAME = "leduc_poker"


def errors(lab: Lab) -> Iterator[Declared]:
    """Compute every printed RMSE from bias and standard deviation, and what printed intervals and sizes imply."""
    printed = lab.published("competitions")["errors"]
    hands = printed["hands"]
    rows = {
        (table, name): row for table, part in printed.items() if isinstance(part, dict) for name, row in part.items()
    }
    yield by_row(
        f"Tables 7.1 and 7.3, mbb per hand; RMSE of a match of {hands:,} hands",
        ("player", "estimator"),
        rows,
        {
            "bias": lambda *key: rows[key][0],
            "SD": lambda *key: rows[key][1],
            "RMSE": (lambda *key: f"{rmse(rows[key][0], rows[key][1], hands):.1f}", lambda *key: f"{rows[key][2]}"),
        },
    )

    def entries() -> Verdict:
        gaps = [abs(rmse(bias, deviation, hands) - said) for bias, deviation, said in rows.values()]
        return max(gaps) <= 1, f"{len(gaps)} entries, the largest gap is {max(gaps):.2f}"

    def intervals() -> Verdict:
        half = interval_of(rows["7.1 CFR8", "Basic"][1], RECORD)
        return abs(half - 122) < 1, f"1.96 x 62,543 / sqrt(1,000,000) = {half:.1f}, printed 122"

    def gain() -> Verdict:
        ratio = (rows["7.1 S2298", "Basic"][1] / rows["7.1 S2298", "AC+EF+BC-DIVAT"][1]) ** 2
        return abs(ratio - 8.2) < 0.05, f"variance / {ratio:.1f}"

    def sizes() -> Verdict:
        half, needed = interval_of(1800, DUPLICATES), hands_needed(6000, 10)
        told = f"± {half:.2f} mbb from {DUPLICATES:,} pairs of SD 1,800; {needed:,} hands for ± 10 at SD 6,000"
        return abs(half - 1.1) < 0.05 and abs(needed - 1.38e6) < 5e3, told

    yield Claim("rmse", entries)
    yield Claim("bias-interval", intervals)
    yield Claim("gain", gain)
    yield Claim("sizes", sizes)


def essentially_solved(lab: Lab, steps: tuple[int, ...] = (100, 300, 1000, 3000)) -> Iterator[Declared]:
    """Compute the threshold of a lifetime, and see when Leduc is essentially solved in the same sense."""
    printed: Mapping[str, Any] = lab.published("competitions")["solved"]
    threshold = 1000 * solved_threshold(printed["deviation"], printed["hands"], errors=printed["errors"])
    bracket = bracket_value([printed["bracket"][1], -printed["bracket"][0]])
    found = Figures(missing="CFR+ was stopped before iteration {:,}")
    with lab.stoppable():
        for count in steps:
            lab.begin(f"CFR+ on Leduc, {count:,} iterations")
            run = solve(GAME, "cfr+", iterations=count, progress=lab.progress, cancel=lab.cancel)
            lab.check()
            found[count] = run, value_bracket(GAME, run.strategy)
    if found:
        best = max(found)
        deviation = duplicate_moments(load(GAME), *(found[best][0].strategy,) * 2).independent_deviation * 2**0.5
        own = solved_threshold(deviation, printed["hands"], errors=printed["errors"])
        value = exact(GAME).value[0]
        yield by_row(
            f"Leduc, mA: SD of a game {1000 * deviation:.0f}, threshold {1000 * own:.3f}",
            "iterations",
            found,
            {
                "exploitability": lambda t: 1000 * found[t][0].exploitability,
                "bounds of the value": lambda t: "{:.4f} to {:.4f}".format(*(1000 * end for end in found[t][1])),
                "chance not to lose": lambda t: f"{chance_not_to_lose(found[t][0].exploitability, deviation):.3f}",
                "essentially solved": lambda t: "yes" if found[t][0].exploitability < own else "no",
            },
        )

    def lifetime() -> Verdict:
        told = f"{threshold:.4f} mbb per game over {printed['hands']:,} hands, printed {printed['threshold']}"
        return abs(threshold - 1.0472) < 5e-5, told

    def cepheus() -> Verdict:
        chance = chance_not_to_lose(printed["exploitability"] / 1000, printed["deviation"], printed["hands"])
        told = f"exploitability {printed['exploitability']} < {threshold:.3f}; chance not to lose {chance:.3f}"
        return printed["exploitability"] < threshold and chance > 0.05, told

    def width() -> Verdict:
        told = f"width {bracket.width:.1f}, twice the exploitability {2 * printed['exploitability']:.3f}"
        return abs(bracket.width - 2 * printed["exploitability"]) < 0.1, told

    def leduc() -> Verdict:
        last = max(steps)
        run, bounds = found[last]
        told = f"after {last:,} iterations {1000 * run.exploitability:.3f} mA, threshold {1000 * own:.3f}"
        return run.exploitability < own and bounds.holds(value), told

    yield Claim("lifetime", lifetime)
    yield Claim("cepheus", cepheus)
    yield Claim("bracket", width)
    yield Claim("leduc", leduc)

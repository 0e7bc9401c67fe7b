"""Brown 2020, figure 5.10 and table 5.7: fictitious play, its linear and optimistic forms, and linear CFR on Liar's
Dice.

The published counts of iterations are of updates of one player; ours are of both, so 1,024 published iterations
are 512 of ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from counterpoise.reproduce.harness.racing import race
from counterpoise.reproduce.harness.report import Claim, Declared, Lab, by_row
from counterpoise.reproduce.harness.runs import Runs, convergence
from counterpoise.reproduce.harness.verdicts import Verdict, listed

FP, OFP, LFP, FLOP, LCFR = "FP", "optimistic FP", "linear FP", "FLOP", "linear CFR"
GAMES = {
    f"{dice}x{faces}": f"liars_dice(dice={dice}, faces={faces})" for dice, faces in ((1, 4), (1, 5), (1, 6), (2, 3))
}
ITERATIONS = 1_024
HALF = 512


def fictitious_play(lab: Lab, dice: Sequence[str] = tuple(GAMES)) -> Iterator[Declared]:
    """Run four sizes of Liar's Dice with alternating and simultaneous updates, and the tabular rows of table 5.7."""
    known = lab.published("fictitious_play")
    turns, together = dict[str, Runs](), dict[str, Runs]()
    optimistic = [item for item in lab.algorithms.items() if item[0] != LCFR]
    simultaneous = {f"{label}, simultaneous": f"{name}(updates=simultaneous)" for label, name in optimistic}
    for name in dice:
        last = known["last"][name]
        own = turns[name] = race(lab, GAMES[name], lab.algorithms, iterations=ITERATIONS, at=(128, 256, HALF))
        both = together[name] = race(lab, GAMES[name], simultaneous, iterations=last)
        alternating, simultaneously = known["alternating"][name], known["simultaneous"][name]
        yield by_row(
            f"Liar's Dice {name}, exploitability after {last:,} iterations",
            "algorithm",
            alternating,
            {
                "alternating": (partial(own.at, iterations=last), alternating),
                "simultaneous": (lambda label, own=both, t=last: own.at(f"{label}, simultaneous", t), simultaneously),
            },
        )
    rows = {LCFR: known["published_cfr"], LFP: known["published_fp"]}
    yield by_row(
        "Table 5.7, full-game FP and CFR: exploitability after 512 iterations",
        ("dice", "algorithm"),
        [(name, label) for name in turns for label in known["half"][name]],
        {
            "ours": (lambda name, label: turns[name].at(label, HALF), known["half"]),
            "published": lambda name, label: f"{rows.get(label, rows[LFP])[name]:.3f}",
        },
    )

    def ratios(one: str, other: str) -> list[float]:
        return [runs.at(one, ITERATIONS) / runs.at(other, ITERATIONS) for runs in turns.values()]

    def simultaneous_ratios(one: str, other: str) -> list[float]:
        pairs = ((runs, known["last"][name]) for name, runs in together.items())
        return [runs.at(f"{one}, simultaneous", t) / runs.at(f"{other}, simultaneous", t) for runs, t in pairs]

    def beats(low: float, *pairs: list[float], told: str = "by factors of {}") -> Verdict:
        return min(min(pair) for pair in pairs) >= low, told.format(*(listed(pair, ".2g") for pair in pairs))

    def far_better() -> Verdict:
        left_out = f"over optimistic FP, which the source leaves out, {listed(ratios(OFP, FLOP), '.2g')}"
        return beats(1.5, ratios(FP, FLOP), ratios(LFP, FLOP), told="{} and {}; " + left_out)

    def rate() -> Verdict:
        slopes = [runs.slope(FLOP, 128, ITERATIONS) for runs in turns.values()]
        return max(slopes) <= -0.85, f"slopes from 128 to 1,024 iterations {listed(slopes, '.2f')}"

    def near(label: str, absolute: float = 0.0, relative: float = 0.0) -> Verdict:
        ours, other = {name: runs.at(label, HALF) for name, runs in turns.items()}, rows[label]
        close = all(abs(own - other[name]) <= absolute + relative * other[name] for name, own in ours.items())
        return close, listed(ours.values())

    words = "by factors of {}; {} with simultaneous updates"
    yield Claim("flop-beats-linear-fp", lambda: beats(1, ratios(LFP, FLOP), simultaneous_ratios(LFP, FLOP), told=words))
    yield Claim("flop-behind-linear-cfr", lambda: beats(1, ratios(FLOP, LCFR)))
    yield Claim("flop-far-better", far_better)
    yield Claim("flop-rate", rate)
    yield Claim("table-5.7-cfr", near, LCFR, 0.0006)
    yield Claim("table-5.7-fp", near, LFP, 0.0, 0.25)
    yield convergence("Liar's Dice, alternating updates", turns)

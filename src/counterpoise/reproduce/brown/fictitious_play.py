"""BROWN figure 5.10 and table 5.7: fictitious play, its linear and optimistic forms, and linear CFR on Liar's Dice.

The published counts of iterations are of updates of one player; ours are of both, so 1,024 published iterations
are 512 of ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from counterpoise.reproduce.harness.experiment import Lab
from counterpoise.reproduce.harness.published import published
from counterpoise.reproduce.harness.racing import race
from counterpoise.reproduce.harness.report import Claim, Declared, Table, Verdict, cell, listed
from counterpoise.reproduce.harness.runs import Runs, convergence

FP, OFP, LFP, FLOP, LCFR = "FP", "optimistic FP", "linear FP", "FLOP", "linear CFR"
ALGORITHMS = {FP: "fp", OFP: "ofp", LFP: "lfp", FLOP: "flop", LCFR: "lcfr"}
TOGETHER = {f"{label}, simultaneous": f"{name}(updates=simultaneous)" for label, name in list(ALGORITHMS.items())[:-1]}
GAMES = {
    f"{dice}x{faces}": f"liars_dice(dice={dice}, faces={faces})" for dice, faces in ((1, 4), (1, 5), (1, 6), (2, 3))
}
ITERATIONS = 1_024
HALF = 512


def fictitious_play(lab: Lab, dice: Sequence[str] = tuple(GAMES)) -> Iterator[Declared]:
    """Four sizes of Liar's Dice, alternating and simultaneous updates, and the tabular rows of table 5.7."""
    known = published("fictitious_play")
    turns: dict[str, Runs] = {}
    together: dict[str, Runs] = {}
    for name in dice:
        last = known["last"][name]
        turns[name] = race(lab, GAMES[name], ALGORITHMS, iterations=ITERATIONS, at=(128, 256, HALF))
        together[name] = race(lab, GAMES[name], TOGETHER, iterations=last)
        yield Table(
            f"Liar's Dice {name}, exploitability after {last:,} iterations",
            ["algorithm", "alternating", "reference", "simultaneous", "reference"],
            [
                [
                    label,
                    cell(turns[name].at, label, last),
                    figure,
                    cell(together[name].at, f"{label}, simultaneous", last),
                    known["simultaneous"][name].get(label),
                ]
                for label, figure in known["alternating"][name].items()
            ],
        )
    rows = {LCFR: known["published_cfr"], LFP: known["published_fp"]}
    yield Table(
        "Table 5.7, full-game FP and CFR: exploitability after 512 iterations",
        ["dice", "algorithm", "ours", "reference", "published"],
        [
            [name, label, cell(runs.at, label, HALF), figure, f"{rows.get(label, rows[LFP])[name]:.3f}"]
            for name, runs in turns.items()
            for label, figure in known["half"][name].items()
        ],
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

    both = "by factors of {}; {} with simultaneous updates"
    yield Claim("flop-beats-linear-fp", lambda: beats(1, ratios(LFP, FLOP), simultaneous_ratios(LFP, FLOP), told=both))
    yield Claim("flop-behind-linear-cfr", lambda: beats(1, ratios(FLOP, LCFR)))
    yield Claim("flop-far-better", far_better)
    yield Claim("flop-rate", _slopes, turns)
    yield Claim("table-5.7-cfr", lambda: _near(turns, LCFR, rows[LCFR], absolute=0.0006))
    yield Claim("table-5.7-fp", lambda: _near(turns, LFP, rows[LFP], relative=0.25))
    yield convergence("Liar's Dice, alternating updates", turns)


def _slopes(turns: Mapping[str, Runs]) -> Verdict:
    slopes = [runs.slope(FLOP, 128, ITERATIONS) for runs in turns.values()]
    return max(slopes) <= -0.85, f"slopes from 128 to 1,024 iterations {listed(slopes, '.2f')}"


def _near(
    turns: Mapping[str, Runs], label: str, figures: Mapping[str, float], absolute: float = 0.0, relative: float = 0.0
) -> Verdict:
    ours = {name: runs.at(label, HALF) for name, runs in turns.items()}
    near = all(abs(figure - figures[name]) <= absolute + relative * figures[name] for name, figure in ours.items())
    return near, listed(ours.values())

"""BROWN figure 5.10 and table 5.7: fictitious play, its linear and optimistic forms, and linear CFR on Liar's Dice.

The published counts of iterations are of updates of one player; ours are of both, so 1,024 published iterations
are 512 of ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterpoise.reproduce.base import Report, Setup, Table, experiment
from counterpoise.reproduce.race import Race, draw, measured, race, short

FP, OFP, LFP, FLOP, LCFR = "FP", "optimistic FP", "linear FP", "FLOP", "linear CFR"
ALGORITHMS = {FP: "fp", OFP: "ofp", LFP: "lfp", FLOP: "flop", LCFR: "lcfr"}
GAMES = {
    "1x4": "liars_dice(dice=1, faces=4)",
    "1x5": "liars_dice(dice=1, faces=5)",
    "1x6": "liars_dice(dice=1, faces=6)",
    "2x3": "liars_dice(dice=2, faces=3)",
}
ITERATIONS = 1_024
HALF = 512

LAST = {"1x4": 1_024, "1x5": 1_024, "1x6": 1_024, "2x3": 512}
ALTERNATING = {
    "1x4": {FP: 0.0085, OFP: 0.0041, LFP: 0.0053, FLOP: 0.0028, LCFR: 0.0008},
    "1x5": {FP: 0.0141, OFP: 0.0063, LFP: 0.0104, FLOP: 0.0045, LCFR: 0.0005},
    "1x6": {FP: 0.0238, OFP: 0.0147, LFP: 0.0210, FLOP: 0.0095, LCFR: 0.0010},
    "2x3": {FP: 0.0504, OFP: 0.0306, LFP: 0.0558, FLOP: 0.0352, LCFR: 0.0017},
}
SIMULTANEOUS = {
    "1x4": {FP: 0.0371, OFP: 0.0080, LFP: 0.0335, FLOP: 0.0060},
    "1x5": {FP: 0.0499, OFP: 0.0138, LFP: 0.0496, FLOP: 0.0099},
    "1x6": {FP: 0.0563, OFP: 0.0268, LFP: 0.0633, FLOP: 0.0210},
    "2x3": {FP: 0.1357, OFP: 0.0600, LFP: 0.1484, FLOP: 0.0685},
}
"""Figures of an independent computation after `LAST` iterations."""
# BROWN table 5.7, rows "full-game FP" and "full-game CFR".
PUBLISHED_FP = {"1x4": 0.012, "1x5": 0.024, "1x6": 0.039, "2x3": 0.057}
PUBLISHED_CFR = {"1x4": 0.001, "1x5": 0.001, "1x6": 0.002, "2x3": 0.002}
REFERENCE_HALF = {
    "1x4": {LFP: 0.0118, FP: 0.0159, FLOP: 0.0066, LCFR: 0.00049},
    "1x5": {LFP: 0.0199, FP: 0.0265, FLOP: 0.0093, LCFR: 0.00133},
    "1x6": {LFP: 0.0369, FP: 0.0387, FLOP: 0.0228, LCFR: 0.00190},
    "2x3": {LFP: 0.0563, FP: 0.0502, FLOP: 0.0372, LCFR: 0.00177},
}


@experiment(
    "brown-5.10-fictitious-play",
    "Fictitious play, FLOP and linear CFR on Liar's Dice",
    "BROWN 5.3.8, figure 5.10, table 5.7; REBEL appendix H, figure 4",
    seconds=20,
)
def fictitious_play(setup: Setup, report: Report, dice: Sequence[str] = tuple(GAMES)) -> None:
    """Four sizes of Liar's Dice, alternating and simultaneous updates, and the tabular rows of table 5.7."""
    turns: dict[str, Race] = {}
    together: dict[str, Race] = {}
    simultaneous = {_together(label): f"{name}(updates=simultaneous)" for label, name in ALGORITHMS.items()}
    del simultaneous[_together(LCFR)]
    for name in dice:
        turns[name] = race(setup, report, GAMES[name], ALGORITHMS, iterations=ITERATIONS, at=(128, 256, HALF))
        together[name] = race(setup, report, GAMES[name], simultaneous, iterations=LAST[name])
        report.tables.append(_by_updates(name, turns[name], together[name]))
    report.tables.append(_table_57(turns))
    _judge(report, turns, together)
    report.notes.append(
        "reference: an independent re-computation in double precision; the source shows curves. Fictitious play "
        "depends on how ties between best responses are broken, so figures differ by tens of per cent."
    )
    report.notes.append(
        "Table 5.7 counts updates of one player: its 1,024 iterations are 512 here. Its FP row fits linear FP without "
        "optimism, although the text says that all FP experiments use linear optimistic FP."
    )
    draw(setup, report, "Liar's Dice, alternating updates", turns)


def _together(label: str) -> str:
    return f"{label}, simultaneous"


def _by_updates(name: str, turns: Race, together: Race) -> Table:
    last = LAST[name]
    rows = [
        [
            label,
            measured(turns.at, label, last),
            short(figure),
            measured(together.at, _together(label), last),
            short(SIMULTANEOUS[name].get(label)),
        ]
        for label, figure in ALTERNATING[name].items()
    ]
    columns = ["algorithm", "alternating", "reference", "simultaneous", "reference"]
    return Table(f"Liar's Dice {name}, exploitability after {last:,} iterations", columns, rows)


def _table_57(turns: Mapping[str, Race]) -> Table:
    rows = []
    for name, contest in turns.items():
        for label, figure in REFERENCE_HALF[name].items():
            published = PUBLISHED_CFR if label == LCFR else PUBLISHED_FP
            rows.append([name, label, measured(contest.at, label, HALF), short(figure), f"{published[name]:.3f}"])
    columns = ["dice", "algorithm", "ours", "reference", "published"]
    return Table("Table 5.7, full-game FP and CFR: exploitability after 512 iterations", columns, rows)


def _judge(report: Report, turns: Mapping[str, Race], together: Mapping[str, Race]) -> None:
    def ratios(one: str, other: str) -> list[float]:
        return [contest.at(one, ITERATIONS) / contest.at(other, ITERATIONS) for contest in turns.values()]

    def simultaneous_ratios(one: str, other: str) -> list[float]:
        return [
            contest.at(_together(one), LAST[name]) / contest.at(_together(other), LAST[name])
            for name, contest in together.items()
        ]

    report.judge(
        "FLOP outperforms linear FP in every game",
        lambda: (
            min(ratios(LFP, FLOP) + simultaneous_ratios(LFP, FLOP)) > 1,
            f"by factors of {_listed(ratios(LFP, FLOP))}; "
            f"{_listed(simultaneous_ratios(LFP, FLOP))} with simultaneous updates",
        ),
    )
    report.judge(
        "FLOP does not match linear CFR in any game",
        lambda: (min(ratios(FLOP, LCFR)) > 1, f"by factors of {_listed(ratios(FLOP, LCFR))}"),
    )
    report.judge(
        "FLOP does far better than FP and linear FP (a factor of 1.5 or more)",
        lambda: (
            min(*ratios(FP, FLOP), *ratios(LFP, FLOP)) >= 1.5,
            f"{_listed(ratios(FP, FLOP))} and {_listed(ratios(LFP, FLOP))}; "
            f"over optimistic FP, which the source leaves out, {_listed(ratios(OFP, FLOP))}",
        ),
    )
    report.judge("FLOP converges nearly like 1/T", lambda: _slopes(turns))
    report.judge(
        "Table 5.7, full-game CFR: 0.001, 0.001, 0.002, 0.002 (linear CFR, within 0.0006)",
        lambda: _near(turns, LCFR, PUBLISHED_CFR, absolute=0.0006),
    )
    report.judge(
        "Table 5.7, full-game FP: 0.012, 0.024, 0.039, 0.057 (linear FP, within 25 %)",
        lambda: _near(turns, LFP, PUBLISHED_FP, relative=0.25),
    )


def _slopes(turns: Mapping[str, Race]) -> tuple[bool, str]:
    slopes = [contest.slope(FLOP, 128, ITERATIONS) for contest in turns.values()]
    return max(slopes) <= -0.85, "slopes from 128 to 1,024 iterations " + ", ".join(f"{slope:.2f}" for slope in slopes)


def _near(
    turns: Mapping[str, Race], label: str, published: Mapping[str, float], absolute: float = 0.0, relative: float = 0.0
) -> tuple[bool, str]:
    ours = {name: contest.at(label, HALF) for name, contest in turns.items()}
    near = all(abs(figure - published[name]) <= absolute + relative * published[name] for name, figure in ours.items())
    return near, ", ".join(short(figure) for figure in ours.values())


def _listed(numbers: list[float]) -> str:
    return ", ".join(f"{number:.2g}" for number in numbers)

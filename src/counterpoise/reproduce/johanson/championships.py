"""Johanson 2016, tables 8.1 and 8.2: the verdicts of the Man-versus-Machine championships of 2007 and 2008.

The hands were never published. What can be re-run is the arithmetic on the printed figures, and the analysis itself, on
duplicate matches of our own in Leduc: an equilibrium against a player who plays at random in a share of its decisions.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from counterpoise.evaluation import Judgement, judge
from counterpoise.evaluation.verdicts import MatchScore, MatchVerdict, VerdictRule, VerdictTable
from counterpoise.play import match
from counterpoise.reproduce.harness.report import Claim, Declared, Figures, Lab, NotMeasured, Table, by_row
from counterpoise.reproduce.harness.verdicts import Verdict
from counterpoise.solvers import solve
from counterpoise.tree import Strategy, enumerate_game

ESTIMATORS = {"Money": "money", "DIVAT": "divat", "IO-DIVAT": "io-divat"}
GAME, ITERATIONS, CARELESS = "leduc_poker(merge_suits=False)", 1000, 0.25
"""The careless player plays at random in this share of its decisions."""
SEED = 2007


def first_championship(lab: Lab, matches: int = 4, hands: int = 500) -> Iterator[Declared]:
    """Judge the printed figures of match 2 by our rules, and matches of our own by the same analysis."""
    printed = lab.published("championships")
    rooms, table = printed["match-2"], printed_table(printed["table-8-1"])
    played = rooms["hands"]
    scores = {name: MatchScore(mean, spread, played) for name, (mean, spread) in rooms["Duplicate"].items()}
    rule = VerdictRule()
    yield by_row(
        "Match 2 of 2007, both rooms together, mbb per hand",
        "estimator",
        ESTIMATORS,
        {
            "mean": lambda name: scores[name].mean,
            "SD": lambda name: scores[name].deviation,
            "z": lambda name: f"{scores[name].test().z:.2f}",
            "verdict/significant": (
                lambda name: str(rule.verdict(scores[name])),
                lambda name: str(table.rows[name][1]),
            ),
        },
    )
    yield Table("Table 8.1, totals counted again", *table.cells())
    yield Claim("match-2", _same_verdicts, scores, table)
    yield Claim("totals", _totals, printed["table-8-1"], table)
    yield Claim("duplicate", _duplicate_gain, rooms)
    yield Claim("imaginary", _imaginary_gain, rooms)
    found = Figures(missing="{} was not played")
    with lab.stoppable():
        _play_matches(lab, found, matches, hands)
    names = [f"Match {number + 1}" for number in range(matches)]
    yield by_row(
        "Our matches in Leduc: an equilibrium against a careless player, mA per hand: mean ± 95 %, verdict/significant",
        "match",
        names,
        {label: lambda name, key=key: _told(found[name], key) for label, key in ESTIMATORS.items()},
    )
    lab.data["matches"] = {name: own.to_json() for name, own in found.items()}

    def halved(rooms: Sequence[int | None]) -> Verdict:
        money, observed = (
            math.hypot(*[_deviation(found[name], key, room) for name in names for room in rooms])
            for key in ("money", "io-divat")
        )
        return (
            money >= 2 * observed,
            f"over all matches the SD of money is {money / observed:.2f} times as large",
        )

    def more() -> Verdict:
        sure = {
            label: sum(_verdict(found[name], key).significant == 1 for name in names)
            for label, key in ESTIMATORS.items()
        }
        told = ", ".join(f"{label} {count} of {len(names)}" for label, count in sure.items())
        return sure["IO-DIVAT"] > sure["Money"], told

    yield Claim("own-halved", halved, (0, 1))
    yield Claim("own-duplicate-halved", halved, (None,))
    yield Claim("own-significant", more)


def second_championship(lab: Lab) -> Iterator[Declared]:
    """Count the verdicts of 2008 again."""
    printed = lab.published("championships")["table-8-2"]
    table = printed_table(printed)
    yield Table("Table 8.2, totals counted again", *table.cells())
    yield by_row(
        "Matches won, lost and tied",
        "estimator",
        ESTIMATORS,
        {"record": lambda name: "{} won, {} lost, {} tied".format(*table.record(name))},
    )

    def records() -> Verdict:
        found = {name: table.record(name) for name in ESTIMATORS}
        said = {"Money": (3, 2, 1), "DIVAT": (4, 2, 0), "IO-DIVAT": (4, 1, 0)}
        return found == said, ", ".join("{} {}-{}-{}".format(name, *record) for name, record in found.items())

    def sure() -> Verdict:
        counts = {name: table.total(name).significant for name in ESTIMATORS}
        return list(counts.values()) == [0, 0, 3], ", ".join(f"{name} {count}" for name, count in counts.items())

    yield Claim("totals", _totals, printed, table)
    yield Claim("record", records)
    yield Claim("significant", sure)


def printed_table(printed: Mapping[str, Any]) -> VerdictTable:
    """Return the verdicts of a printed table, without its totals."""
    rows = {
        name: tuple(
            None if math.isnan(outcome) else MatchVerdict(int(outcome), int(significant))
            for outcome, significant in zip(*(line[:-1] for line in printed[name]), strict=True)
        )
        for name in ESTIMATORS
    }
    return VerdictTable(tuple(printed["matches"]), rows)


def _same_verdicts(scores: Mapping[str, MatchScore], table: VerdictTable) -> Verdict:
    found = {
        rooms: {name: VerdictRule(rooms=rooms).verdict(score) for name, score in scores.items()}
        for rooms in ("sum", "mean")
    }
    told = ", ".join(f"{name} z = {score.test().z:.2f}: {found['sum'][name]}" for name, score in scores.items())
    same = all(row[name] == table.rows[name][1] for row in found.values() for name in scores)
    return same, f"{told}; the same whether rooms are summed or averaged"


def _totals(printed: Mapping[str, Any], table: VerdictTable) -> Verdict:
    found = {name: table.total(name) for name in ESTIMATORS}
    same = all(tuple(line[-1] for line in printed[name]) == found[name] for name in ESTIMATORS)
    return same, ", ".join(f"{name} {total}" for name, total in found.items())


def _duplicate_gain(rooms: Mapping[str, Any]) -> Verdict:
    apart = math.hypot(*(rooms[room]["Money"][1] for room in ("Laak", "Eslami"))) / 2
    together = rooms["Duplicate"]["Money"][1]
    mean = sum(rooms[room]["Money"][0] for room in ("Laak", "Eslami")) / 2
    ratio = (apart / together) ** 2
    told = f"independent rooms would have SD {apart:.0f}, the duplicate score {together}: variance / {ratio:.1f}"
    told += f"; mean of the rooms {mean:.0f}, printed {rooms['Duplicate']['Money'][0]}"
    return 3.2 < ratio < 3.4 and abs(mean - rooms["Duplicate"]["Money"][0]) <= 1, told


def _imaginary_gain(rooms: Mapping[str, Any]) -> Verdict:
    ratios = {room: (rooms[room]["Money"][1] / rooms[room]["IO-DIVAT"][1]) ** 2 for room in ("Laak", "Duplicate")}
    told = ", ".join(f"{room} variance / {ratio:.1f}" for room, ratio in ratios.items())
    return abs(ratios["Laak"] - 33.7) < 0.1 and abs(ratios["Duplicate"] - 10.3) < 0.1, told


def _play_matches(lab: Lab, found: Figures, matches: int, hands: int) -> None:
    """Play duplicate matches and judge their logs, as a user would."""
    tree = enumerate_game(GAME)
    nash = solve(GAME, "cfr+", iterations=ITERATIONS, progress=lab.progress, cancel=lab.cancel).strategy
    uniform = Strategy.uniform(tree).probabilities
    careless = Strategy(tree.name, tree.table, (1 - CARELESS) * nash.probabilities + CARELESS * uniform)
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, strategy in (("equilibrium", nash), ("careless", careless)):
            strategy.save(Path(folder) / f"{name}.cpz")
            files.append(f"strategy:{Path(folder) / name}.cpz")
        for number in range(matches):
            lab.begin(f"match {number + 1} of {matches}")
            log = Path(folder) / f"{number}.jsonl"
            seed = SEED + number
            match(GAME, files, hands, seed=seed, duplicate=True, log=log, progress=False, cancel=lab.cancel)
            own = judge(log, evaluate={files[0]: None}, rule=VerdictRule(), progress=False, cancel=lab.cancel)
            if own.interrupted:
                raise NotMeasured(f"match {number + 1} was stopped")
            found[f"Match {number + 1}"] = own
            lab.check()


def _estimate(judged: Judgement, name: str) -> Any:
    return judged.agents[0][name]


def _deviation(judged: Judgement, name: str, room: int | None) -> float:
    """Return the standard deviation of a hand in one room, or (None) of the mean of both."""
    series = judged.agents[0].found.series[name]
    values = series.by_deal()[1] if room is None else series.values[series.room == room]
    return float(values.std(ddof=1))


def _verdict(judged: Judgement, name: str) -> MatchVerdict:
    (verdict,) = judged.verdicts[judged.agents[0].name].rows[name]
    assert verdict is not None
    return verdict


def _told(judged: Judgement, name: str) -> str:
    found = _estimate(judged, name)
    return f"{1000 * found.mean:+.0f} ± {1000 * found.ci95:.0f}, {_verdict(judged, name)}"

"""Johanson 2016, tables 5.3 to 5.5: twelve abstractions of one size against each other and against a best response."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import permutations

import numpy as np

from counterpoise.public.mini_holdem import BIG_BLIND
from counterpoise.reproduce.harness.report import Claim, Column, Declared, Figures, Lab, Pair, by_row
from counterpoise.reproduce.harness.verdicts import Verdict, less, named, short
from counterpoise.reproduce.johanson.abstractions import (
    CFR,
    CFR_BR,
    ITERATIONS,
    PERFECT,
    RANKS,
    Study,
    TriedAbstraction,
)
from counterpoise.solvers.public.crosstable import crosstable as play_all

FEATURES = [f"{early}-{last}" for early in ("PHS", "KE", "KO") for last in ("PHS", "KO")]
RECALLS = ("PR", "IR")
AGENTS = [f"{recall}-{features}" for recall in RECALLS for features in FEATURES]
BEST = ("IR-KE-KO", "IR-KO-KO", "IR-KE-PHS")
"""First, second and third in both tables of the source."""


def exploitability(
    lab: Lab, ranks: int = RANKS, count: int = PERFECT, iterations: int = ITERATIONS
) -> Iterator[Declared]:
    """Solve all twelve by CFR and by CFR-BR (table 5.4)."""
    study = _twelve(lab, ranks, count, iterations)
    yield study.table("Twelve abstractions", AGENTS, (CFR, CFR_BR))
    known = lab.published("abstractions")["exploitability"]
    for method in (CFR, CFR_BR):
        yield by_row(
            f"Exploitability of {method} in mbb/g (reference: limit hold'em, another scale)",
            "features",
            FEATURES,
            {
                recall: (_column(study, recall, method), {one: known[one][f"{method} {recall}"] for one in FEATURES})
                for recall in RECALLS
            },
        )
    figure = study.figure

    def below() -> Verdict:
        ratios = {agent: figure(agent, CFR_BR) / figure(agent, CFR) for agent in AGENTS}
        return max(ratios.values()) < 1, f"{min(ratios.values()):.2f} to {max(ratios.values()):.2f} of CFR"

    def order() -> Verdict:
        ranked = sorted(AGENTS, key=figure)[:3]
        return tuple(ranked) == BEST, named(figure, *ranked)

    def twins(features: Sequence[str], better: str) -> Verdict:
        holds = all((figure(f"IR-{one}") < figure(f"PR-{one}")) == (better == "IR") for one in features)
        return holds, ", ".join(
            f"{one} {short(figure(f'IR-{one}'))} and {short(figure(f'PR-{one}'))}" for one in features
        )

    def pairwise(better: str, worse: str, recall: str) -> Verdict:
        """Judge whether `better` in place of `worse` in the names of a recall makes all agents less exploitable."""
        pairs = [
            (f"{recall}-{one}", f"{recall}-{one.replace(better, worse)}")
            for one in FEATURES
            if better in one and one.replace(better, worse) in FEATURES
        ]
        told = ", ".join(f"{a} {short(figure(a))} and {b} {short(figure(b))}" for a, b in pairs)
        return all(figure(a) < figure(b) for a, b in pairs), told

    def inconsistent() -> Verdict:
        better = [one for one in FEATURES if figure(f"IR-{one}", CFR) < figure(f"PR-{one}", CFR)]
        return 0 < len(better) < len(FEATURES), f"imperfect recall is less exploitable for {len(better)} of 6"

    yield Claim("cfr-br-below", below)
    yield Claim("least-exploitable", less, figure, BEST[0], *(agent for agent in AGENTS if agent != BEST[0]))
    yield Claim("first-three", order)
    yield Claim("twins", twins, FEATURES[1:], "IR")
    yield Claim("twins-percentiles", twins, FEATURES[:1], "PR")
    yield Claim("ochs-last", pairwise, "-KO", "-PHS", "IR")
    yield Claim("emd-early", pairwise, "KE-", "PHS-", "IR")
    yield Claim("ochs-early-worst", pairwise, "KE-", "KO-", "PR")
    yield Claim("cfr-inconsistent", inconsistent)


def crosstable(lab: Lab, ranks: int = RANKS, count: int = PERFECT, iterations: int = ITERATIONS) -> Iterator[Declared]:
    """Let the CFR strategies of all twelve play each other, exactly, and compare with exploitability (table 5.3)."""
    study, won = _twelve(lab, ranks, count, iterations), Figures(missing="{} against {} was not played")
    with lab.stoppable():
        lab.begin("66 matches")
        agents = {agent: study.strategies[agent, CFR] for agent in AGENTS}
        played = play_all(agents, big_blind=BIG_BLIND, progress=False, cancel=lab.cancel)
        won |= {pair: played.value(*pair) for pair in permutations(AGENTS, 2)}
    lab.data["crosstable"] = {f"{one} against {other}": value for (one, other), value in won.items()}

    def mean(agent: str) -> float:
        return float(np.mean([won[agent, other] for other in AGENTS if other != agent]))

    for begin in (0, 6):
        against: dict[str, Column] = {
            other: partial(lambda other, agent: None if agent == other else won[agent, other], other)
            for other in AGENTS[begin : begin + 6]
        }
        caption = "What CFR strategies win from each other (column) in mbb/g, mean of both seats, exact"
        yield by_row(caption, "agent", AGENTS, against | ({"mean": mean} if begin else {}))
    ways: dict[str, Column] = {"mean won": mean, CFR: study.column(CFR), CFR_BR: study.column(CFR_BR)}
    yield by_row("Mean winnings and exploitability of CFR and of CFR-BR, in mbb/g", "agent", AGENTS, ways)

    def recall_wins() -> Verdict:
        lost = [(one, other) for one in AGENTS[6:] for other in AGENTS[:6] if won[one, other] <= 0]
        told = f"{36 - len(lost)} of 36 matches won"
        return not lost, told + (f"; {lost[0][0]} loses to {lost[0][1]}" if lost else "")

    def twins() -> Verdict:
        higher = total = 0
        for one in FEATURES:
            others = [agent for agent in AGENTS if agent not in (f"IR-{one}", f"PR-{one}")]
            higher += sum(won[f"IR-{one}", agent] > won[f"PR-{one}", agent] for agent in others)
            total += len(others)
        return higher == total, f"in {higher} of {total} comparisons"

    def undefeated() -> Verdict:
        lost = [other for other in AGENTS if other != BEST[0] and won[BEST[0], other] <= 0]
        return not lost, f"lost to {', '.join(lost)}" if lost else "won all eleven matches"

    def order() -> Verdict:
        ranked = sorted(AGENTS, key=mean, reverse=True)[:3]
        return tuple(ranked) == BEST, named(mean, *ranked)

    def correlation() -> Verdict:
        ranks = {method: _rank_correlation(mean, study.column(method)) for method in (CFR, CFR_BR)}
        return ranks[CFR_BR] > ranks[CFR], ", ".join(f"{method} {value:.2f}" for method, value in ranks.items())

    yield Claim("recall-wins", recall_wins)
    yield Claim("twins-higher", twins)
    yield Claim("undefeated", undefeated)
    yield Claim("first-three", order)
    yield Claim("cfr-br-ranks", correlation)


def redistribution(
    lab: Lab, ranks: int = RANKS, count: int = PERFECT, iterations: int = ITERATIONS
) -> Iterator[Declared]:
    """Solve three abstractions of one size by CFR-BR (table 5.5)."""
    study = Study(lab, ranks, iterations)
    perfect, moved = study.perfect("KE", "KO", count), study.equal("KE", "KO", count)
    alike = TriedAbstraction(moved.name, (count, count**2, count**3))
    labels = [study.solve(entry) for entry in (perfect, alike, moved)]
    known = dict(zip(labels, lab.published("abstractions")["redistribution"].values(), strict=False))
    columns: dict[str, Column | Pair] = {
        "infosets": study.infosets.__getitem__,
        "exploitability": (study.figure, known),
    }
    caption = "CFR-BR in mbb/g (reference: limit hold'em, PR 10-10-10-10, IR 10-100-1000-10000, IR 169-9000-9000-9000)"
    yield by_row(caption, "abstraction", labels, columns)
    yield Claim("redistributed-best", less, study.figure, moved.label, perfect.label, alike.label)
    yield Claim("unmoved-worse", less, study.figure, perfect.label, alike.label)


def _twelve(lab: Lab, ranks: int, count: int, iterations: int) -> Study:
    """Return all twelve abstractions, solved by both methods; CFR strategies are kept."""
    study = Study(lab, ranks, iterations)
    for features in FEATURES:
        for recall, make in zip(RECALLS, (study.perfect, study.equal), strict=True):
            early, last = features.split("-")
            study.solve(make(early, last, count), (CFR, CFR_BR), label=f"{recall}-{features}", keep_strategies=True)
    return study


def _column(study: Study, recall: str, method: str) -> Column:
    return lambda features: study.figure(f"{recall}-{features}", method)


def _rank_correlation(won: Callable[[str], float], lost: Callable[[str], float]) -> float:
    """Return Spearman's correlation of winning much and being little exploitable over the twelve."""
    figures = [[won(agent) for agent in AGENTS], [-lost(agent) for agent in AGENTS]]
    places = [np.argsort(np.argsort(row)) for row in figures]
    return float(np.corrcoef(places[0], places[1])[0, 1])

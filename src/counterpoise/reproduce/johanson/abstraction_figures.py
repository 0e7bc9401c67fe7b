"""Johanson 2016, figures 2.3, 2.4, 2.6, 4.10, 5.4, 11.3 and 11.4: exploitability by size, features and where buckets
are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from counterpoise.abstraction.sizes import abstraction_size, fitting_buckets
from counterpoise.abstraction.strength import HoldemCards
from counterpoise.plots import Curve, Panel
from counterpoise.public.buckets import gather
from counterpoise.reproduce.harness.report import Claim, Column, Declared, Figure, Lab, NotMeasured, by_row
from counterpoise.reproduce.harness.runs import convergence, log_spaced
from counterpoise.reproduce.harness.verdicts import Verdict, short
from counterpoise.reproduce.johanson.abstractions import (
    CFR,
    CFR_BR,
    INSIDE,
    PERFECT,
    RANKS,
    SHORT,
    Study,
    TriedAbstraction,
    refined,
)

SIZES = (3, 5, 8)
"""Buckets per round with perfect recall; imperfect recall has games of the same size."""
Families = Mapping[str, Sequence[str]]
"""The labels of abstractions by family, small ones first."""


def percentiles(
    lab: Lab, ranks: int = RANKS, counts: Sequence[int] = (2, 3, 4, 6, 8), iterations: int = SHORT
) -> Iterator[Declared]:
    """Solve percentile buckets of growing number, and a chain in which each strictly refines the one before (2.3)."""
    study = Study(lab, ranks, iterations)
    labels = [study.solve(study.perfect("PHS", "PHS", count), (CFR, CFR_BR)) for count in counts]
    chain = labels[:1]
    with lab.stoppable():
        buckets = gather(study.game, study.build(study.perfect("PHS", "PHS", counts[0])))
        for count in (2 * counts[0], 4 * counts[0]):
            buckets = refined(buckets, gather(study.game, study.build(study.perfect("PHS", "PHS", count))), study.game)
            chain.append(f"{chain[-1]} and {count}")
            study.solve_buckets(chain[-1], buckets, (CFR, CFR_BR))
    yield study.table("Percentile buckets with perfect recall", [*labels, *chain[1:]], (CFR, CFR_BR))
    yield Claim("larger-better", _falls, study, labels, CFR)
    yield Claim("larger-better-br", _falls, study, labels, CFR_BR)
    yield Claim("refined-br", _falls, study, chain, CFR_BR, 1.02)
    yield _curves("Percentile buckets", study, {CFR: labels, CFR_BR: labels, "CFR-BR, refined": chain}, {CFR: CFR})


def families(
    lab: Lab, ranks: int = RANKS, counts: Sequence[int] = (3, 4, 6), public: int = 4, iterations: int = SHORT
) -> Iterator[Declared]:
    """Solve four families of growing size by CFR; three of them have public buckets of flops (2.4)."""
    study, found = Study(lab, ranks, iterations), dict[str, list[str]]()
    for count in counts:
        perfect, equal = study.perfect("PHS", "PHS", count), study.equal("KE", "KO", count)
        found.setdefault("PR PHS", []).append(study.solve(perfect, (CFR,)))
        inside = max(1, round(int(equal.buckets[-1]) / public))
        for family in ("PHS-PHS", "KE-KO", "KO-KO"):
            entry = TriedAbstraction(f"IR-{family}", (study.first, inside, inside), settings={"public": public})
            named = f"{entry.name}, {public} public x {inside}"
            found.setdefault(f"IR public {family}", []).append(study.solve(entry, (CFR,), label=named))
    yield study.table("Four families", [label for labels in found.values() for label in labels], (CFR,))
    for family, labels in found.items():
        yield Claim("larger-better", _falls, study, labels, CFR, about=family)
    yield _curves("Four families of abstractions, CFR", study, found, dict.fromkeys(found, CFR))


def overfitting(
    lab: Lab, ranks: int = RANKS, counts: Sequence[int] = (4, 8), iterations: int = 4 * SHORT
) -> Iterator[Declared]:
    """Measure CFR in two abstractions of equal size over iterations, for each of several sizes (2.6)."""
    study = Study(lab, ranks, iterations)
    marks = [t for t in (*log_spaced(iterations, 4), iterations) if 64 * t >= iterations]
    pairs = [(study.perfect("PHS", "PHS", count), study.equal("KE", "KO", count)) for count in counts]
    labels = [study.solve(entry, (CFR,), marks=marks) for pair in pairs for entry in pair]

    def at_end(label: str) -> float:
        return study.runs.at(f"{label}, {CFR}", iterations)

    def lowest(label: str) -> tuple[float, int]:
        points = study.runs.points(f"{label}, {CFR}")
        if not points:
            raise NotMeasured(f"{label} was not measured")
        return min((point.exploitability, point.iteration) for point in points)

    columns = {
        "infosets": study.infosets.__getitem__,
        "lowest": lambda label: lowest(label)[0],
        "after": lambda label: lowest(label)[1],
        f"after {iterations:,}": at_end,
    }
    yield by_row("Exploitability of CFR in the game in mbb/g", "abstraction", labels, columns)

    def rises(label: str) -> Verdict:
        low, at = lowest(label)
        last = at_end(label)
        return last > low + 3 and at < iterations, f"{low:.1f} after {at:,}, {last:.1f} after {iterations:,}"

    def falls_inside(label: str) -> Verdict:
        figures = [point.exploitability for point in study.runs.points(f"{label}, {INSIDE}")]
        if len(figures) < len(set(marks)):
            raise NotMeasured(f"{label} was stopped")
        return all(after < before for before, after in pairwise(figures)), f"{figures[0]:.1f} to {figures[-1]:.1f}"

    for perfect, imperfect in pairs:
        yield Claim("rises", rises, perfect.label, about=perfect.label)
        yield Claim("falls-inside", falls_inside, perfect.label, about=perfect.label)
        yield Claim("rises", rises, imperfect.label, about=imperfect.label)
    yield convergence(
        "Exploitability in the game while CFR solves the abstract game", {"": study.runs}, y_label="mbb/g"
    )


def same_size(lab: Lab, ranks: int = RANKS, count: int = PERFECT, iterations: int = SHORT) -> Iterator[Declared]:
    """Solve perfect recall with equally many buckets by three features with CFR-BR (4.10)."""
    study = Study(lab, ranks, iterations)
    plain = TriedAbstraction("PR-PHS-PHS", (count, count, count))
    entries = {
        "E[HS]": plain._replace(street={"feature": "ehs"}),
        "E[HS^2]": plain,
        "E[HS^2], then E[HS]": study.perfect("PHS", "PHS", count),
    }
    labels = [study.solve(entry, label=label) for label, entry in entries.items()]
    yield study.table(f"Percentiles of three features, {count} buckets per round", labels, (CFR_BR,))

    def span() -> Verdict:
        figures = [study.figure(label) for label in labels]
        return max(figures) >= 1.1 * min(
            figures
        ), f"{max(figures) - min(figures):.1f} mbb/g, {max(figures) / min(figures) - 1:.0%}"

    yield Claim("features-matter", span)


def by_size(lab: Lab, ranks: int = RANKS, counts: Sequence[int] = SIZES, iterations: int = SHORT) -> Iterator[Declared]:
    """Solve four families of growing size by CFR-BR (5.4)."""
    study = Study(lab, ranks, iterations)
    makers = {"PR": study.perfect, "IR": study.equal}
    found = {
        f"{recall}-{early}-{last}": [study.solve(makers[recall](early, last, count)) for count in counts]
        for recall in makers
        for early, last in (("PHS", "PHS"), ("KE", "KO"))
    }
    yield from _by_size(study, found, "Four families by size, CFR-BR")
    yield Claim("lowest-everywhere", _lowest, study, found, ("IR-KE-KO",))
    for recall in makers:
        yield Claim("steeper", _steeper, study, found, f"{recall}-KE-KO", f"{recall}-PHS-PHS", about=recall)
    for family, labels in found.items():
        yield Claim("larger-better", _falls, study, labels, CFR_BR, about=family)


def fair(lab: Lab, ranks: int = RANKS, counts: Sequence[int] = (4, 8), iterations: int = SHORT) -> Iterator[Declared]:
    """Solve imperfect recall with buckets spread equally (EQ) and moved from the last round (FT) by CFR-BR (11.3)."""
    study = Study(lab, ranks, iterations)
    makers = {"EQ": study.equal, "FT": study.moved}
    found = {
        f"IR-{spread}-{early}-{last}": [study.solve(makers[spread](early, last, count)) for count in counts]
        for early, last in (("PHS", "PHS"), ("KE", "PHS"), ("KE", "KO"))
        for spread in makers
    }
    yield from _by_size(study, found, "Buckets spread equally and moved from the last round, CFR-BR")

    def better(features: str) -> Verdict:
        equal, moved = (study.figure(found[f"IR-{spread}-{features}"][-1]) for spread in makers)
        return moved < equal, f"FT {short(moved)}, EQ {short(equal)} at the largest size"

    for features in ("PHS-PHS", "KE-PHS"):
        yield Claim("moved-better", better, features, about=features)
    yield Claim("lowest-everywhere", _lowest, study, found, ("IR-EQ-KE-KO", "IR-FT-KE-KO"))


def canonical(
    lab: Lab,
    ranks: int = RANKS,
    buckets: Sequence[int] = (50, 200, 800),
    iterations: int = SHORT,
) -> Iterator[Declared]:
    """Solve imperfect recall with clusters and with canonical hands on the flop by CFR-BR (11.4)."""
    study = Study(lab, ranks, iterations)
    lossless = [study.solve(TriedAbstraction("IR-C-C-KO", (count,))) for count in buckets]
    found = {
        "IR-C-C-KO": lossless,
        "IR-C-KE-KO": [study.solve(TriedAbstraction("IR-C-KE-KO", (n, n))) for n in buckets],
    }
    flops = HoldemCards(study.game.deck, study.game.streets).classes(1)
    whole = abstraction_size((study.first, flops, buckets[-1]), study.betting).total_infosets
    _, last, _ = fitting_buckets((study.first, None, None), infosets=whole, betting=study.betting)
    found["IR-C-KE-KO"].append(study.solve(TriedAbstraction("IR-C-KE-KO", (last, last))))
    yield from _by_size(study, found, "Clusters and canonical hands on the flop, CFR-BR")

    def clusters_at(infosets: int) -> float:
        """Return the exploitability of clusters at a size, interpolated on log-log axes."""
        sizes = [math.log(study.infosets[label]) for label in found["IR-C-KE-KO"]]
        figures = [math.log(study.figure(label)) for label in found["IR-C-KE-KO"]]
        return math.exp(float(np.interp(math.log(infosets), sizes, figures)))

    def compared(label: str) -> tuple[float, float]:
        return study.figure(label), clusters_at(study.infosets[label])

    def overlap() -> Verdict:
        own, other = compared(lossless[-1])
        return 0.9 <= own / other <= 1.1, f"canonical {own:.1f}, clusters {other:.1f}"

    def small_worse() -> Verdict:
        own, other = compared(lossless[0])
        return own > 1.1 * other, f"canonical {own:.1f}, clusters {other:.1f}"

    yield Claim("overlap", overlap)
    yield Claim("small-worse", small_worse)


def _by_size(study: Study, found: Families, title: str) -> Iterator[Declared]:
    """Yield a table of families with the figure of every size, and the curves."""
    rows = [(family, label) for family, labels in found.items() for label in labels]
    columns: dict[str, Column] = {
        "infosets": lambda family, label: study.infosets[label],
        "exploitability": lambda family, label: study.figure(label),
    }
    caption = f"{title}: mbb/g after {study.iterations:,} iterations"
    yield by_row(caption, ("family", "abstraction"), rows, columns)
    yield _curves(title, study, found, {})


def _curves(title: str, study: Study, found: Families, methods: Mapping[str, str]) -> Figure:
    """Return exploitability against size, a curve per family, by CFR-BR unless `methods` says otherwise."""
    curves = {}
    for family, labels in found.items():
        method = methods.get(family, CFR_BR)
        done = study.solved(labels, method)
        curves[family] = Curve(
            [study.infosets[label] for label in done], [study.figure(label, method) for label in done]
        )
    return Figure(title, [Panel(curves, "", "abstract information sets", "exploitability, mbb/g")])


def _falls(study: Study, labels: Sequence[str], method: str, slack: float = 1.0) -> Verdict:
    """Judge whether each abstraction is less exploitable than the one before it, up to a factor."""
    figures = [study.figure(label, method) for label in labels]
    return all(after <= slack * before for before, after in pairwise(figures)), ", ".join(map(short, figures))


def _lowest(study: Study, found: Families, best: Sequence[str]) -> Verdict:
    """Judge whether the `best` families are less exploitable than all others at every size."""
    told, holds = [], True
    for at, labels in enumerate(zip(*found.values(), strict=True)):
        figures = {family: study.figure(label) for family, label in zip(found, labels, strict=True)}
        others = min(figure for family, figure in figures.items() if family not in best)
        holds &= max(figures[family] for family in best) < others
        lowest = min(figures, key=lambda family: figures[family])
        told.append(f"size {at + 1}: {lowest} {short(figures[lowest])}")
    return holds, ", ".join(told)


def _steeper(study: Study, found: Families, steep: str, flat: str) -> Verdict:
    """Judge whether a family falls faster with size than another, on log-log axes from the first to the last size."""

    def slope(family: str) -> float:
        small, large = found[family][0], found[family][-1]
        fall = math.log(study.figure(large) / study.figure(small))
        return fall / math.log(study.infosets[large] / study.infosets[small])

    return slope(steep) < slope(flat), f"{steep} {slope(steep):.2f}, {flat} {slope(flat):.2f}"

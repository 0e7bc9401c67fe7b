"""Brown 2020, figure 4.9: abstractions of continuous Leduc hold'em that grow while they are solved, and fixed ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from counterpoise.plots import Curve, Panel
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Lab, NotMeasured, beside, by_row
from counterpoise.reproduce.harness.verdicts import Verdict, less, listed, named, short, times
from counterpoise.solvers.saef import GrownAbstraction, Growth, GrowthPoint, Mode, grow_abstraction

FIXED = {"Branch-2": (0.01, 1.0), "Branch-3": (0.01, 1 / 3, 1.0), "Branch-5": (0.01, 1 / 7, 1 / 3, 3 / 5, 1.0)}
"""Each new size is the pseudo-harmonic midpoint of its neighbours, the smallest taken as 0."""
OURS, TRANSFER = "Recovery-1.01", "Transfer"
GROWING = {
    "Recovery-1.0": Growth(threshold=1.0),
    OURS: Growth(),
    "Recovery-1.1": Growth(threshold=1.1),
    "Recovery-2.0": Growth(threshold=2.0),
    TRANSFER: Growth(variant="transfer"),
}
FIRST_SNAPSHOT = 100_000
LEVEL = 0.9
"""What levels off has this share of its exploitability left after four times the nodes; what improves has less."""
MODE: Mode = "revealed"
SMALL, LOW = 9, "/"
"""Nodes of a bet that has at most one raise below it, and what is in every history of the second round."""


class _Runs:
    """What each run found at the snapshots, which double."""

    def __init__(self, snapshots: Sequence[int]) -> None:
        self.snapshots, self.found = snapshots, dict[str, GrownAbstraction]()

    def point(self, label: str, nodes: int) -> GrowthPoint:
        """Return the first measurement of a run after `nodes` public nodes touched."""
        if label not in self.found:
            raise NotMeasured(f"{label} was not run")
        for point in self.found[label].trace:
            if point.nodes_touched >= nodes:
                return point
        raise NotMeasured(f"{label} was not measured at {nodes:,} nodes")

    def at(self, label: str, nodes: int) -> float:
        """Return the exploitability of a run, chips."""
        return self.point(label, nodes).exploitability

    def end(self, label: str) -> float:
        """Return the exploitability at the last snapshot."""
        return self.at(label, self.snapshots[-1])

    def size(self, label: str, nodes: int) -> float:
        """Return the public nodes of a run's abstraction."""
        return self.point(label, nodes).size

    def trend(self, label: str) -> float:
        """Return the last exploitability as a multiple of that at a quarter of the nodes."""
        if len(self.snapshots) < 3:
            raise NotMeasured("the runs are too short")
        return self.end(label) / self.at(label, self.snapshots[-3])


def growing_abstractions(lab: Lab, nodes: int = 102_400_000) -> Iterator[Declared]:
    """Run fixed and growing abstractions until `nodes` public nodes have been touched, recovery games included."""
    known = lab.published("growth")
    doublings = int(np.log2(nodes / FIRST_SNAPSHOT) + 1e-9)
    runs = _Runs([FIRST_SNAPSHOT * 2**k for k in range(doublings + 1)])
    with lab.stoppable():
        for label in (*FIXED, *GROWING):
            lab.begin(label)
            run = grow_abstraction(
                settings=GROWING.get(label, Growth(variant="fixed")),
                sizes=FIXED.get(label),
                nodes=runs.snapshots[-1],
                mode=MODE,
                progress=lab.progress,
                cancel=lab.cancel,
            )
            lab.interrupted |= run.interrupted
            runs.found[label] = run
            lab.check()
    lab.data["runs"] = {label: run.to_json() for label, run in runs.found.items()}
    labels = [*FIXED, *GROWING]
    columns = {nodes: f"{nodes:,} nodes" for nodes in runs.snapshots}
    caption = f"Exploitability where every bet is possible ({MODE}), chips, by public nodes touched"
    yield from beside(caption, "abstraction", labels, columns, runs.at, known["exploitability"], per_table=3)
    measured = {at: name for at, name in columns.items() if any(at in row for row in known["size"].values())}
    yield from beside("Public nodes of the abstraction", "abstraction", labels, measured, runs.size, known["size"], 3)

    def ratios(label: str) -> list[float]:
        reference = known["exploitability"][label]
        return [runs.at(label, at) / reference[at] for at in runs.snapshots if at in reference]

    yield by_row(
        "Exploitability as a multiple of the reference's at the same number of nodes",
        "abstraction",
        [label for label in labels if label in runs.found and not runs.found[label].interrupted],
        {
            "smallest": lambda label: min(ratios(label), default=None),
            "largest": lambda label: max(ratios(label), default=None),
            "bets added": lambda label: runs.found[label].additions,
            "iterations": lambda label: runs.found[label].iterations,
            "worth": lambda label: runs.found[label].worth,
            "CPU seconds": lambda label: runs.found[label].cpu_seconds,
        },
    )
    yield from _claims(runs)
    yield _figure(runs)


def _claims(runs: _Runs) -> Iterator[Claim]:
    def ahead_everywhere() -> Verdict:
        best = [min(FIXED, key=lambda label: runs.at(label, nodes)) for nodes in runs.snapshots]
        ahead = [runs.at(OURS, n) < runs.at(label, n) for n, label in zip(runs.snapshots, best, strict=True)]
        behind = [n for n, won in zip(runs.snapshots, ahead, strict=True) if not won]
        where = f"; not at {listed(behind)} nodes" if behind else ""
        return all(ahead), f"ahead of the best fixed one at {sum(ahead)} of {len(ahead)} snapshots{where}"

    def levels_off(label: str) -> Verdict:
        ratio = runs.trend(label)
        return ratio >= LEVEL, f"{times(ratio)} what it was at a quarter of the nodes"

    def keeps_improving(label: str) -> Verdict:
        level, figure = levels_off(label)
        return not level, figure

    def comparable() -> Verdict:
        ratio = runs.end("Recovery-1.1") / runs.end(OURS)
        return 0.8 <= ratio <= 1.25, named(runs.end, "Recovery-1.1", OURS)

    def more_discounting() -> Verdict:
        kept = {
            label: runs.found[label].worth / runs.found[label].iterations
            for label in (TRANSFER, OURS)
            if label in runs.found
        }
        if len(kept) < 2:
            raise NotMeasured("not both were run")
        return kept[TRANSFER] < kept[OURS], ", ".join(f"{label} keeps {share:.1%}" for label, share in kept.items())

    def small_and_low() -> Verdict:
        if OURS not in runs.found or not runs.found[OURS].changes:
            raise NotMeasured(f"{OURS} added nothing")
        changes = runs.found[OURS].changes
        share = float(np.mean([change.nodes <= SMALL and LOW in change.history for change in changes]))
        return share > 0.9, f"{share:.1%} of {len(changes)} are in the second round and add {SMALL} nodes at most"

    def bump() -> Verdict:
        line = [runs.at(TRANSFER, nodes) for nodes in runs.snapshots]
        jumps = [after / before for before, after in pairwise(line)]
        if not jumps:
            raise NotMeasured("there is one snapshot only")
        return max(jumps) > 1.1, f"it rises by up to {short(100 * (max(jumps) - 1))} % from one snapshot to the next"

    yield Claim("ahead-everywhere", ahead_everywhere)
    for label in FIXED:
        yield Claim("fixed-level-off", levels_off, label, about=label)
    for label in ("Recovery-1.0", OURS, TRANSFER):
        yield Claim("growing-improve", keeps_improving, label, about=label)
    yield Claim("transfer-worse", less, runs.end, OURS, TRANSFER)
    yield Claim("transfer-discounts", more_discounting)
    yield Claim("transfer-bump", bump)
    yield Claim("stricter-comparable", comparable)
    yield Claim("twice-worse", less, runs.end, OURS, "Recovery-2.0")
    yield Claim("stronger-condition-helps", less, runs.end, OURS, "Recovery-1.0")
    yield Claim("small-and-low", small_and_low)


def _figure(runs: _Runs) -> Figure:
    """Return both panels of the source's figure."""
    lines = {label: [point for point in run.trace if point.nodes_touched] for label, run in runs.found.items()}

    def panel(name: str, title: str) -> Panel:
        curves = {
            label: Curve([p.nodes_touched for p in points], [getattr(p, name) for p in points])
            for label, points in lines.items()
        }
        return Panel(curves, title, "public nodes touched")

    parts = [
        panel("exploitability", f"exploitability ({MODE}), chips"),
        panel("size", "public nodes of the abstraction"),
    ]
    return Figure("Growing and fixed abstractions of continuous Leduc", parts)

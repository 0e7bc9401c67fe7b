"""BROWN figure 5.7: Reach-Maxmargin when gifts are multiplied before they are added to the alternatives.

Scale 0 is maxmargin and scale 1 the safe form; the game and the blueprint are those of `safe_search`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from counterpoise.plots import Curve, Panel, panels
from counterpoise.reproduce.base import NotMeasured, Report, Setup, Table, experiment
from counterpoise.reproduce.race import measured, short
from counterpoise.reproduce.safe_search import BENCHES, MILLI, REFERENCE_NOTE, prepare
from counterpoise.search.alternatives import GiftKind
from counterpoise.search.whole import SearchPlan, Whole

SCALES = (0, 1, 2, 5, 10, 100, 1_000)
SCALE_REFERENCE = {"lower": (212, 202, 199, 194, 197, 199, 210), "exact": (212, 200, 239, 278, 312, 601, 779)}
KINDS: dict[GiftKind, str] = {"lower": "lower bounds", "exact": "exact gifts"}


class Scaled:
    """Exploitability of Reach-Maxmargin by kind and scale of gifts."""

    def __init__(self, whole: Whole[Any, Any], unit: float, scales: Sequence[int]) -> None:
        self.whole, self.unit, self.scales = whole, unit, scales
        self.trunk = unit * whole.judge().exploitability
        self.found: dict[tuple[str, float], float] = {}

    def measure(self, setup: Setup, report: Report, iterations: int) -> None:
        """All kinds and scales; Ctrl-C keeps those measured until then. Scale 0 is the same for all kinds."""
        try:
            for kind in KINDS:
                for scale in self.scales:
                    if scale == 0 and ("lower", 0) in self.found:
                        self.found[kind, 0] = self.found["lower", 0]
                        continue
                    plan = SearchPlan(gifts=kind, scale=scale)
                    self.found[kind, scale] = self.unit * self.whole.search_all(plan, iterations).exploitability
                    share = len(self.found) / (len(KINDS) * len(self.scales))
                    setup.live.show(share, f"{kind} x {scale}: {self.found[kind, scale]:.0f}")
        except KeyboardInterrupt:
            report.interrupted = True
        report.data = {"trunk": self.trunk} | {
            kind: {str(scale): value for (k, scale), value in self.found.items() if k == kind} for kind in KINDS
        }

    def at(self, kind: str, scale: float) -> float:
        """The exploitability with gifts of a kind, so many times."""
        if (kind, scale) not in self.found:
            raise NotMeasured(f"{kind} gifts of scale {scale} were not reached")
        return self.found[kind, scale]

    def listed(self, kind: str) -> str:
        """By rising scale."""
        return ", ".join(f"{scale:,}: {short(self.at(kind, scale))}" for scale in self.scales)

    def draw(self, setup: Setup, report: Report) -> None:
        """One curve for each kind, into the output folder, if there is one."""
        if setup.out is None or not self.found:
            return
        setup.out.mkdir(parents=True, exist_ok=True)
        curves = {}
        for kind, name in KINDS.items():
            points = {scale: value for (k, scale), value in self.found.items() if k == kind}
            curves[name] = Curve([max(scale, 0.5) for scale in points], list(points.values()))
        panel = Panel(
            curves,
            x_label="scale of gifts (at 0.5: none)",
            y_label="exploitability",
            y_scale="linear",
            references={"trunk": self.trunk},
        )
        report.figures.append(panels([panel], setup.out / f"{report.id}.png", title="Scaled gifts"))


@experiment("brown-5.7", "How much of the gifts to give", "BROWN 5.1.8, figure 5.7", seconds=12)
def scales(setup: Setup, report: Report, blueprint_iterations: int = 600, iterations: int = 400) -> None:
    """Reach-Maxmargin by the scale of gifts, with six ranks and six buckets."""
    bench = BENCHES["6 ranks, 6 buckets"]._replace(blueprint_iterations=blueprint_iterations)
    setup.live.begin("scales of gifts")
    found = Scaled(prepare(bench), MILLI, SCALES)
    found.measure(setup, report, iterations)
    at, trunk = found.at, found.trunk
    report.tables.append(
        Table(
            f"Exploitability by the scale of gifts, thousandths of an ante (trunk: {short(trunk)})",
            ["scale", "lower bounds", "reference", "exact gifts", "reference"],
            [
                [
                    f"{scale:,}",
                    measured(at, "lower", scale),
                    short(SCALE_REFERENCE["lower"][k]),
                    measured(at, "exact", scale),
                    short(SCALE_REFERENCE["exact"][k]),
                ]
                for k, scale in enumerate(SCALES)
            ],
        )
    )
    report.judge(
        "Lower bounds: scale 1 is better than none",
        lambda: (at("lower", 1) < at("lower", 0), f"{at('lower', 0):.0f} to {at('lower', 1):.0f}"),
    )
    report.judge(
        "Lower bounds: the best scale lies between 1 and 1,000",
        lambda: (
            min(at("lower", scale) for scale in (2, 5, 10)) < min(at("lower", 1), at("lower", 1_000)),
            found.listed("lower"),
        ),
    )
    report.judge(
        "Exact gifts: scale 1 is better than none, and the more above it the worse, in the end worse than the trunk",
        lambda: (
            at("exact", 1) < at("exact", 0) < at("exact", 10) < at("exact", 1_000) and at("exact", 1_000) > trunk,
            f"{found.listed('exact')}; trunk {trunk:.0f}",
        ),
    )
    report.notes.append(REFERENCE_NOTE)
    report.notes.append(
        "Published, on flop hold'em with 1,755 outcomes of chance: best near a scale of 1,000, and at 100,000 worse"
        " than without gifts. Here chance has 10 outcomes, so the optimum lies lower."
    )
    found.draw(setup, report)

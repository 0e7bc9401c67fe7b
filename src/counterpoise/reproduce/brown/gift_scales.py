"""BROWN figure 5.7: Reach-Maxmargin when gifts are multiplied before they are added to the alternatives.

Scale 0 is maxmargin and scale 1 the safe form; the game and the blueprint are those of `safe_search`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterpoise.plots import Curve, Panel
from counterpoise.reproduce.brown.safe_search import BENCHES, MILLI, REFERENCE_NOTE, make_blueprint
from counterpoise.reproduce.harness.experiment import Lab, experiment
from counterpoise.reproduce.harness.published import published
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Figures, Table, short
from counterpoise.search.alternatives import GiftKind
from counterpoise.search.whole import SearchPlan, Whole

KINDS: dict[GiftKind, str] = {"lower": "lower bounds", "exact": "exact gifts"}


class Scaled(Figures):
    """Exploitability of Reach-Maxmargin by kind and scale of gifts, and that of the trunk."""

    def __init__(self, lab: Lab, whole: Whole[Any, Any], unit: float, scales: tuple[int, ...], iterations: int) -> None:
        super().__init__(missing="{} gifts of scale {} were not reached")
        self.scales, self.trunk = scales, unit * whole.judge().exploitability
        with lab.stoppable():
            for kind in KINDS:
                for scale in scales:
                    if scale == 0 and ("lower", 0) in self:  # the same for all kinds
                        self[kind, 0] = self["lower", 0]
                        continue
                    found = whole.search_all(SearchPlan(gifts=kind, scale=scale), iterations).exploitability
                    self[kind, scale] = unit * found
                    share = len(self) / (len(KINDS) * len(scales))
                    lab.show(share, f"{kind} x {scale}: {self[kind, scale]:.0f}")
        lab.data["trunk"] = self.trunk
        for (kind, scale), value in self.items():
            lab.data.setdefault(kind, {})[str(scale)] = value

    def listed(self, kind: str) -> str:
        """Return the figures of a kind by rising scale."""
        return ", ".join(f"{scale:,}: {short(self[kind, scale])}" for scale in self.scales)

    def figure(self) -> Figure:
        """Return one curve for each kind."""
        curves = {}
        for kind, name in KINDS.items():
            points = {scale: value for (k, scale), value in self.items() if k == kind}
            curves[name] = Curve([max(scale, 0.5) for scale in points], list(points.values()))
        panel = Panel(
            curves if self else {},
            x_label="scale of gifts (at 0.5: none)",
            y_label="exploitability",
            y_scale="linear",
            references={"trunk": self.trunk},
        )
        return Figure("Scaled gifts", [panel])


@experiment("brown-5.7", "How much of the gifts to give", "BROWN 5.1.8, figure 5.7", seconds=12)
def scales(lab: Lab, blueprint_iterations: int = 600, iterations: int = 400) -> Iterator[Declared]:
    """Reach-Maxmargin by the scale of gifts, with six ranks and six buckets."""
    reference = published("gift_scales")["reference"]
    bench = BENCHES["6 ranks, 6 buckets"]._replace(blueprint_iterations=blueprint_iterations)
    lab.begin("scales of gifts")
    at = Scaled(lab, make_blueprint(bench), MILLI, tuple(reference["lower"]), iterations)
    yield Table(
        f"Exploitability by the scale of gifts, thousandths of an ante (trunk: {short(at.trunk)})",
        ["scale", "lower bounds", "reference", "exact gifts", "reference"],
        [[s, *(x for kind in KINDS for x in (at.get((kind, s)), reference[kind][s]))] for s in at.scales],
    )
    yield Claim(
        "lower-one-better",
        "Lower bounds: scale 1 is better than none",
        lambda: (at["lower", 1] < at["lower", 0], f"{at['lower', 0]:.0f} to {at['lower', 1]:.0f}"),
    )
    yield Claim(
        "lower-best-inside",
        "Lower bounds: the best scale lies between 1 and 1,000",
        lambda: (
            min(at["lower", scale] for scale in (2, 5, 10)) < min(at["lower", 1], at["lower", 1_000]),
            at.listed("lower"),
        ),
    )
    yield Claim(
        "exact-one-best",
        "Exact gifts: scale 1 is better than none, and the more above it the worse, in the end worse than the trunk",
        lambda: (
            at["exact", 1] < at["exact", 0] < at["exact", 10] < at["exact", 1_000] and at["exact", 1_000] > at.trunk,
            f"{at.listed('exact')}; trunk {at.trunk:.0f}",
        ),
    )
    yield REFERENCE_NOTE
    yield (
        "Published, on flop hold'em with 1,755 outcomes of chance: best near a scale of 1,000, and at 100,000 worse"
        " than without gifts. Here chance has 10 outcomes, so the optimum lies lower."
    )
    yield at.figure()

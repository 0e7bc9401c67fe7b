"""BROWN figure 5.7: Reach-Maxmargin when gifts are multiplied before they are added to the alternatives.

Scale 0 is maxmargin and scale 1 the safe form; the game and the blueprint are those of `safe_search`.
"""

from __future__ import annotations

from counterpoise.plots import Curve, Panel, panels
from counterpoise.reproduce.base import NotMeasured, Report, Setup, Table, experiment
from counterpoise.reproduce.race import measured, short
from counterpoise.reproduce.safe_search import BENCHES, MILLI, REFERENCE_NOTE, prepare
from counterpoise.search.whole import SearchPlan

SCALES = (0, 1, 2, 5, 10, 100, 1_000)
SCALE_REFERENCE = {"lower": (212, 202, 199, 194, 197, 199, 210), "exact": (212, 200, 239, 278, 312, 601, 779)}


@experiment("brown-5.7", "How much of the gifts to give", "BROWN 5.1.8, figure 5.7", seconds=12)
def scales(setup: Setup, report: Report, blueprint_iterations: int = 600, iterations: int = 400) -> None:
    """Reach-Maxmargin by the scale of gifts, with six ranks and six buckets."""
    bench = BENCHES["6 ranks, 6 buckets"]._replace(blueprint_iterations=blueprint_iterations)
    setup.live.begin("scales of gifts")
    whole = prepare(bench)
    trunk = MILLI * whole.judge().exploitability
    found: dict[tuple[str, float], float] = {}
    kinds: tuple[tuple[str, str], ...] = (("lower", "lower bounds"), ("exact", "exact gifts"))
    try:
        for kind in ("lower", "exact"):
            for scale in SCALES:
                plan = SearchPlan(gifts=kind, scale=scale)
                found[kind, scale] = MILLI * whole.search_all(plan, iterations).exploitability
                setup.live.show(len(found) / (2 * len(SCALES)), f"{kind} x {scale}: {found[kind, scale]:.0f}")
    except KeyboardInterrupt:
        report.interrupted = True

    def at(kind: str, scale: float) -> float:
        if (kind, scale) not in found:
            raise NotMeasured(f"{kind} gifts of scale {scale} were not reached")
        return found[kind, scale]

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
    report.data = {"trunk": trunk} | {
        kind: {str(s): v for (k, s), v in found.items() if k == kind} for kind, _ in kinds
    }
    report.judge(
        "Lower bounds: scale 1 is better than none",
        lambda: (at("lower", 1) < at("lower", 0), f"{at('lower', 0):.0f} to {at('lower', 1):.0f}"),
    )
    report.judge(
        "Lower bounds: the best scale lies between 1 and 1,000",
        lambda: (
            min(at("lower", scale) for scale in (2, 5, 10)) < min(at("lower", 1), at("lower", 1_000)),
            ", ".join(f"{at('lower', scale):.1f}" for scale in SCALES[1:]),
        ),
    )
    report.judge(
        "Exact gifts: scale 1 is better than none, and the more above it the worse, in the end worse than the trunk",
        lambda: (
            at("exact", 1) < at("exact", 0) < at("exact", 10) < at("exact", 1_000) and at("exact", 1_000) > trunk,
            ", ".join(f"{at('exact', scale):.0f}" for scale in (1, 0, 10, 1_000)) + f", trunk {trunk:.0f}",
        ),
    )
    report.notes.append(REFERENCE_NOTE)
    report.notes.append(
        "Published, on flop hold'em with 1,755 outcomes of chance: best near a scale of 1,000, and at 100,000 worse"
        " than without gifts. Here chance has 10 outcomes, so the optimum lies lower."
    )
    if setup.out is not None and found:
        setup.out.mkdir(parents=True, exist_ok=True)
        curves = {
            name: Curve([max(s, 0.5) for k, s in found if k == kind], [v for (k, _), v in found.items() if k == kind])
            for kind, name in kinds
        }
        panel = Panel(
            curves,
            x_label="scale of gifts (at 0.5: none)",
            y_label="exploitability",
            y_scale="linear",
            references={"trunk": trunk},
        )
        report.figures.append(panels([panel], setup.out / f"{report.id}.png", title="Scaled gifts"))

"""The variants of CFR that BROWN 3.1 compares, under the names its figures use, and what it says of all games."""

from __future__ import annotations

from counterpoise.reproduce.base import Report
from counterpoise.reproduce.race import Race, short

CFR = "CFR"
CFR_PLUS = "CFR+ linear"
CFR_PLUS_QUADRATIC = "CFR+ quadratic"
RM_PLUS = "RM+ uniform"
LCFR = "LCFR"
LCFR_PLUS = "LCFR+"
DCFR = "DCFR(3/2,0,2)"
DCFR_FLOORED = "DCFR(3/2,-inf,2)"
DCFR_PRUNABLE = "DCFR(3/2,1/2,2)"
CFR_LINEAR = "CFR linear average"

VARIANTS = {
    CFR: "cfr",
    CFR_PLUS: "cfr+",
    CFR_PLUS_QUADRATIC: "cfr+(average=quadratic)",
    RM_PLUS: "cfr+(average=uniform)",
    LCFR: "lcfr",
    LCFR_PLUS: "lcfr+",
    DCFR: "dcfr",
    DCFR_FLOORED: "dcfr(beta=-inf)",
    DCFR_PRUNABLE: "dcfr(beta=0.5)",
    CFR_LINEAR: "cfr(average=linear)",
}
"""Label -> what a user would type. The last one has no guarantee and stands for contrast."""


Window = tuple[int, int]
WINDOW: Window = (100, 1_000)
"""The iterations that matter most in practice (BROWN 3.1.4)."""


def typical(contest: Race, label: str, window: Window = WINDOW) -> float:
    """Geometric mean of a curve over a window of iterations."""
    return contest.mean(label, *window)


def compared(contest: Race, *labels: str, window: Window = WINDOW) -> str:
    """The typical exploitability of several variants, in words."""
    means = ", ".join(f"{label} {short(typical(contest, label, window))}" for label in labels)
    return f"{means}; geometric means, T = {window[0]:,} to {window[1]:,}"


def judge_variants(report: Report, contest: Race, window: Window = WINDOW) -> None:
    """The claims of BROWN 2.3.7 and 3.1 that are not about one game."""
    report.judge(
        "CFR+ converges faster than CFR",
        lambda: (
            typical(contest, CFR_PLUS, window) < typical(contest, CFR, window),
            compared(contest, CFR_PLUS, CFR, window=window),
        ),
    )
    report.judge(
        "CFR+ converges faster with weights t^2 than t in the average",
        lambda: (
            typical(contest, CFR_PLUS_QUADRATIC, window) < typical(contest, CFR_PLUS, window),
            compared(contest, CFR_PLUS_QUADRATIC, CFR_PLUS, window=window),
        ),
    )
    report.judge(
        "DCFR matches or outperforms quadratic CFR+",
        lambda: (
            typical(contest, DCFR, window) <= 1.1 * typical(contest, CFR_PLUS_QUADRATIC, window),
            compared(contest, DCFR, CFR_PLUS_QUADRATIC, window=window),
        ),
    )
    report.judge(
        "LCFR+ is worse than LCFR and CFR+",
        lambda: (
            typical(contest, LCFR_PLUS, window)
            > max(typical(contest, LCFR, window), typical(contest, CFR_PLUS_QUADRATIC, window)),
            compared(contest, LCFR_PLUS, LCFR, CFR_PLUS_QUADRATIC, window=window),
        ),
    )

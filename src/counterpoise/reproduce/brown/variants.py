"""The variants of CFR that BROWN 3.1 compares, under the names its figures use, and what it says of all games."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoise.reproduce.harness.report import Claim, Verdict, short
from counterpoise.reproduce.harness.runs import Runs

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


class Compared:
    """Geometric means of runs over a window of iterations, and the claims made of them."""

    def __init__(self, runs: Runs, window: Window = WINDOW) -> None:
        self.runs, self.window = runs, window

    def mean(self, label: str) -> float:
        """Return the geometric mean of a run."""
        return self.runs.mean(label, *self.window)

    def words(self, *labels: str) -> str:
        """Return the means of several runs in words."""
        means = ", ".join(f"{label} {short(self.mean(label))}" for label in labels)
        return f"{means}; geometric means, T = {self.window[0]:,} to {self.window[1]:,}"

    def below(self, low: str, *high: str, factor: float = 1.0) -> Verdict:
        """Judge whether a mean is less than `factor` times every other."""
        return self.mean(low) < factor * min(self.mean(label) for label in high), self.words(low, *high)

    def above(self, high: str, *low: str, factor: float = 1.0) -> Verdict:
        """Judge whether a mean is at least `factor` times every other."""
        mean, most = self.mean(high), max(self.mean(label) for label in low)
        return mean >= factor * most and mean > most, self.words(high, *low)

    def alike(self, label: str, other: str, low: float, high: float) -> Verdict:
        """Judge whether the ratio of two means lies between two numbers."""
        return low <= self.mean(label) / self.mean(other) <= high, self.words(label, other)

    def claims(self) -> Iterator[Claim]:
        """Yield the claims of BROWN 2.3.7 and 3.1 that are not about one game."""
        yield Claim("cfr-plus-faster", "CFR+ converges faster than CFR", self.below, CFR_PLUS, CFR)
        yield Claim(
            "quadratic-faster",
            "CFR+ converges faster with weights t^2 than t in the average",
            self.below,
            CFR_PLUS_QUADRATIC,
            CFR_PLUS,
        )
        yield Claim(
            "dcfr-no-worse",
            "DCFR matches or outperforms quadratic CFR+",
            lambda: self.alike(DCFR, CFR_PLUS_QUADRATIC, 0, 1.1),
        )
        yield Claim(
            "lcfr-plus-worse",
            "LCFR+ is worse than LCFR and CFR+",
            self.above,
            LCFR_PLUS,
            LCFR,
            CFR_PLUS_QUADRATIC,
        )

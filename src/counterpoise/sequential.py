"""Intervals that stay valid however often one looks: a confidence sequence for the mean.

A 95 % interval holds for a number of samples that was fixed beforehand. Who looks after every block and stops when the
result looks good is wrong far more often than in one case of twenty. A *confidence sequence* is a sequence of intervals
that all hold the true mean at once with probability 95 %, so that any rule may stop: "when the leader is certain" or
"when I am tired". Ours is Robbins' normal mixture (Robbins 1970), in the asymptotic form of Waudby-Smith, Arbour,
Sinha, Kennedy and Ramdas ("Time-uniform central limit theory and asymptotic confidence sequences", 2024, theorem 2.2).
It asks of the samples what the ordinary interval asks, a finite variance that is estimated from them:

    half width = SD * sqrt(2 (n r + 1) / (n^2 r) * log(sqrt(n r + 1) / (1 - confidence)))

`r` says at which n the sequence is tightest. It is fixed at 1,000 samples; there the interval is 1.55 times as wide as
the ordinary one, at 100 samples 1.96 times and at ten million 2.1 times.
"""

from __future__ import annotations

import math
from typing import Literal

from counterpoise.intervals import CONFIDENCE, Tally
from counterpoise.parameters import require_choice

TIGHTEST = 1000
"""The number of samples at which a confidence sequence is tightest, compared with an ordinary interval."""
FEWEST = 100
"""Samples below which no rule stops: the standard deviation is not known well enough."""
StopRule = Literal["width", "valid", "decided"]
STOP_RULES: tuple[StopRule, ...] = ("width", "valid", "decided")


def sequence_errors(samples: int, confidence: float = CONFIDENCE) -> float:
    """Return how many standard errors a confidence sequence extends to each side after some samples.

    >>> [round(sequence_errors(n), 2) for n in (100, 1000, 100_000, 10_000_000)]
    [3.86, 3.04, 3.56, 4.16]
    """
    alpha = 1 - confidence
    spread = samples * _rate(alpha)
    return math.sqrt(2 * (spread + 1) / spread * math.log(math.sqrt(spread + 1) / alpha))


def sequence_half_width(tally: Tally, confidence: float = CONFIDENCE) -> float:
    """Return half the width of the confidence sequence of a mean after these samples; nan below two."""
    return sequence_errors(tally.count, confidence) * tally.standard_error if tally.count > 1 else math.nan


def half_width(tally: Tally, rule: StopRule) -> float:
    """Return half the width of the 95 % interval that belongs to a rule of stopping."""
    return tally.ci95 if rule == "width" else sequence_half_width(tally)


def may_stop(tally: Tally, rule: StopRule, precision: float | None) -> bool:
    """Return whether a rule lets a match end.

    - "width": the ordinary interval is within `precision` to each side. The rule looks at the standard deviation and
      never at the mean, so that the interval keeps 95 % as it gets narrow (Chow and Robbins 1965).
    - "valid": the same of the confidence sequence, which holds for any way to stop.
    - "decided": the confidence sequence no longer holds 0, and where a `precision` is given is within it.
    """
    require_choice("stop", rule, STOP_RULES)
    if tally.count < FEWEST:
        return False
    reach = half_width(tally, rule)
    narrow = precision is None or reach <= precision
    return narrow and (rule != "decided" or abs(tally.mean) > reach)


def _rate(alpha: float) -> float:
    """Return `r`, by which the sequence is nearly tightest at `TIGHTEST` samples (Waudby-Smith et al., appendix)."""
    return (-2 * math.log(alpha) + math.log(-2 * math.log(alpha) + 1)) / TIGHTEST

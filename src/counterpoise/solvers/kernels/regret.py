"""The update rules of the regret-matching family, at one information set.

Every variant (CFR, CFR+, LCFR, DCFR, PCFR+, ...) is this rule with other numbers: after adding the iteration's
regrets, positive sums are multiplied by one factor and negative sums by another (BROWN 3.1.2; a factor of 0 for
negative sums is the floor of RM+), and the next strategy is proportional to the positive part of the sums,
plus once more the last regrets when the variant predicts that they will repeat (Farina et al. 2021).
"""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True, inline="always", error_model="numpy")
def update_regrets(low, high, action_values, infoset_value, positive, negative, prediction, regrets, strategy):
    """Add v(I,a) - v(I) to the regrets of sequences `low:high`, discount them and match the next strategy."""
    total = 0.0
    for s in range(low, high):
        regret = action_values[s] - infoset_value
        accumulated = regrets[s] + regret
        accumulated *= positive if accumulated > 0.0 else negative
        regrets[s] = accumulated
        likely = max(accumulated + prediction * regret, 0.0)
        strategy[s] = likely
        total += likely
    if total > 0.0:
        scale = 1.0 / total
        for s in range(low, high):
            strategy[s] *= scale
    else:
        uniform = 1.0 / (high - low)
        for s in range(low, high):
            strategy[s] = uniform

"""The gadget of a subgame: how the opponent gets in, when search must hold for whatever it has done before.

See Brown 2020, section 5.1.

Ordinarily a player is at the root of a subgame with given reach (`OPEN`). In safe search one player, here the
*chooser*, decides at the root instead. Each of its hands has an alternative, what it can have without entering:

- `RESOLVE` (Burch et al. 2014): each hand enters or takes its alternative, by regret matching+ between the two.
- `MARGIN` (Moravcik et al. 2016): one decision over all hands; to enter with a hand is worth its value less its
  alternative, so that the other player comes to maximise the smallest margin.
- `STEP`: alternatives are normal random variables, seen by the chooser only. A hand enters with the probability
  that its alternative is below what entering was worth on the last iteration (Brown 2020, section 5.1.5).
- `HEDGE`: as `STEP`, but for each alternative x a hand enters as Hedge would, given all iterations so far
  (Brown 2020, section 5.1.6).

Values and alternatives are conditional: counterfactual values divided by `mass`, that of the hands that a hand can
meet. A hand that meets nothing stays out.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from counterpoise.kernels.options import PART

OPEN, RESOLVE, MARGIN, STEP, HEDGE = (np.uint64(kind) for kind in range(5))
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(21)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
ZERO_F32, HALF_F32, ONE_F32 = np.float32(0.0), np.float32(0.5), np.float32(1.0)


@njit(**PART)
def apply_entry(gadget, reach, at):
    """Write the chooser's reach at the root, from ``reach[at]`` on, and remember its probabilities of entering."""
    # Maxmargin: one distribution over all hands, by regret matching+.
    if gadget.kind == MARGIN:
        total, valid = 0.0, 0
        for k in range(gadget.mass.size):
            if gadget.mass[k] > ZERO_F32:
                total += np.float64(gadget.regret[0, k])
                valid += 1
        for k in range(gadget.mass.size):
            if gadget.mass[k] > ZERO_F32:
                share = np.float64(gadget.regret[0, k]) / total if total > 0.0 else 1.0 / valid
                gadget.entry[k] = np.float32(share)
                reach[at + k] = np.float32(share / np.float64(gadget.mass[k]))
            else:
                gadget.entry[k] = ZERO_F32
                reach[at + k] = ZERO_F32
        return
    # Otherwise every hand decides for itself whether to enter.
    for k in range(gadget.mass.size):
        chosen = HALF_F32
        if gadget.mass[k] <= ZERO_F32:
            chosen = ZERO_F32
        elif gadget.kind == RESOLVE:
            both = gadget.regret[0, k] + gadget.regret[1, k]
            if both > ZERO_F32:
                chosen = gadget.regret[0, k] / both
        elif gadget.seen[0] > 0.0:
            chosen = np.float32(_likely(gadget, k))
        gadget.entry[k] = chosen
        reach[at + k] = chosen


@njit(**PART)
def _likely(gadget, k):
    """Return the probability of entering when the alternative of hand k is a normal random variable."""
    mean, spread = np.float64(gadget.alternative[k]), np.float64(gadget.spread[k])
    times = gadget.seen[0]
    # Step: the chance that the alternative is below the last value of entering.
    if gadget.kind == STEP:
        last = gadget.sums[2, k]
        if spread <= 0.0:
            return 1.0 if last > mean else (0.5 if last == mean else 0.0)
        return 0.5 * math.erfc((mean - last) / (spread * math.sqrt(2.0)))
    # Hedge: the learning rate from the spread of values so far.
    total = gadget.sums[0, k]
    variance = max(gadget.sums[1, k] / times - (total / times) ** 2, 0.0)
    scale = max(abs(mean), abs(total / times), spread, 1e-12)
    rate = math.sqrt(math.log(2.0)) / (3.0 * max(math.sqrt(variance), 1e-6 * scale) * math.sqrt(times))
    # Mean of Hedge's answer over the normal alternative, by Gauss-Hermite quadrature.
    likely = 0.0
    for n in range(_NODES.size):
        behind = rate * (times * (mean + spread * _NODES[n]) - total)
        likely += _WEIGHTS[n] / (1.0 + math.exp(min(max(behind, -700.0), 700.0)))
    return likely


@njit(**PART)
def update_entry(gadget, decay, values, at):
    """Take in what entering was worth on this iteration: counterfactual ``values`` of the chooser, from `at` on.

    The sum of the probabilities of entering fades by `decay`, as average strategies do.
    """
    # Maxmargin compares each margin with their mean.
    mean = 0.0
    if gadget.kind == MARGIN:
        for k in range(gadget.mass.size):
            if gadget.mass[k] > ZERO_F32:
                mean += np.float64(gadget.entry[k]) * np.float64(
                    values[at + k] / gadget.mass[k] - gadget.alternative[k]
                )
    for k in range(gadget.mass.size):
        # The average of entering fades as average strategies do.
        gadget.average[k] = gadget.average[k] * decay + gadget.entry[k]
        if gadget.mass[k] <= ZERO_F32:
            continue
        inside = values[at + k]
        # Regrets: of a hand's margin, of entering and staying out, or the statistics of entering.
        if gadget.kind == MARGIN:
            margin = np.float64(inside / gadget.mass[k] - gadget.alternative[k])
            gadget.regret[0, k] = np.float32(max(np.float64(gadget.regret[0, k]) + margin - mean, 0.0))
        elif gadget.kind == RESOLVE:
            outside = gadget.alternative[k] * gadget.mass[k]
            gain = inside - outside
            gadget.regret[0, k] = max(gadget.regret[0, k] + (ONE_F32 - gadget.entry[k]) * gain, ZERO_F32)
            gadget.regret[1, k] = max(gadget.regret[1, k] - gadget.entry[k] * gain, ZERO_F32)
        else:
            value = np.float64(inside / gadget.mass[k])
            gadget.sums[0, k] += value
            gadget.sums[1, k] += value * value
            gadget.sums[2, k] = value
    gadget.average_weight[0] = gadget.average_weight[0] * decay + 1.0
    gadget.seen[0] += 1.0

"""The gate of a subgame: how the opponent gets in, when search must hold for whatever it has done before (BROWN 5.1).

Ordinarily a player is at the root of a subgame with given reach (`OPEN`). In safe search one player, here the
*entrant*, decides at the root instead. Each of its hands has an alternative, what it can have without entering:

- `RESOLVE` (Burch et al. 2014): each hand enters or takes its alternative, by regret matching+ between the two.
- `MARGIN` (Moravcik et al. 2016): one decision over all hands; to enter with a hand is worth its value less its
  alternative, so that the other player comes to maximise the smallest margin.
- `STEP`: alternatives are normal random variables, seen by the entrant only. A hand enters with the probability
  that its alternative is below what entering was worth on the last iteration (BROWN 5.1.5).
- `HEDGE`: as `STEP`, but for each alternative x a hand enters as Hedge would, given all iterations so far
  (BROWN 5.1.6).

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
_NONE, _HALF, _ONE = np.float32(0.0), np.float32(0.5), np.float32(1.0)


@njit(**PART)
def enter(gate, reach, at):
    """Write the entrant's reach at the root, from ``reach[at]`` on, and remember its probabilities of entering."""
    if gate.kind == MARGIN:
        total, valid = 0.0, 0
        for k in range(gate.mass.size):
            if gate.mass[k] > _NONE:
                total += np.float64(gate.regret[0, k])
                valid += 1
        for k in range(gate.mass.size):
            if gate.mass[k] > _NONE:
                share = np.float64(gate.regret[0, k]) / total if total > 0.0 else 1.0 / valid
                gate.entry[k] = np.float32(share)
                reach[at + k] = np.float32(share / np.float64(gate.mass[k]))
            else:
                gate.entry[k] = _NONE
                reach[at + k] = _NONE
        return
    for k in range(gate.mass.size):
        chosen = _HALF
        if gate.mass[k] <= _NONE:
            chosen = _NONE
        elif gate.kind == RESOLVE:
            both = gate.regret[0, k] + gate.regret[1, k]
            if both > _NONE:
                chosen = gate.regret[0, k] / both
        elif gate.seen[0] > 0.0:
            chosen = np.float32(_likely(gate, k))
        gate.entry[k] = chosen
        reach[at + k] = chosen


@njit(**PART)
def _likely(gate, k):
    """The probability of entering when the alternative of hand k is a normal random variable."""
    mean, spread = np.float64(gate.alternative[k]), np.float64(gate.spread[k])
    times = gate.seen[0]
    if gate.kind == STEP:
        last = gate.sums[2, k]
        if spread <= 0.0:
            return 1.0 if last > mean else (0.5 if last == mean else 0.0)
        return 0.5 * math.erfc((mean - last) / (spread * math.sqrt(2.0)))
    total = gate.sums[0, k]
    variance = max(gate.sums[1, k] / times - (total / times) ** 2, 0.0)
    scale = max(abs(mean), abs(total / times), spread, 1e-12)
    rate = math.sqrt(math.log(2.0)) / (3.0 * max(math.sqrt(variance), 1e-6 * scale) * math.sqrt(times))
    likely = 0.0
    for n in range(_NODES.size):
        behind = rate * (times * (mean + spread * _NODES[n]) - total)
        likely += _WEIGHTS[n] / (1.0 + math.exp(min(max(behind, -700.0), 700.0)))
    return likely


@njit(**PART)
def learn(gate, keep, values, at):
    """Take in what entering was worth on this iteration: counterfactual ``values`` of the entrant, from `at` on.

    The sum of the probabilities of entering fades by `keep`, as average strategies do.
    """
    mean = 0.0
    if gate.kind == MARGIN:
        for k in range(gate.mass.size):
            if gate.mass[k] > _NONE:
                mean += np.float64(gate.entry[k]) * np.float64(values[at + k] / gate.mass[k] - gate.alternative[k])
    for k in range(gate.mass.size):
        gate.average[k] = gate.average[k] * keep + gate.entry[k]
        if gate.mass[k] <= _NONE:
            continue
        inside = values[at + k]
        if gate.kind == MARGIN:
            margin = np.float64(inside / gate.mass[k] - gate.alternative[k])
            gate.regret[0, k] = np.float32(max(np.float64(gate.regret[0, k]) + margin - mean, 0.0))
        elif gate.kind == RESOLVE:
            outside = gate.alternative[k] * gate.mass[k]
            gain = inside - outside
            gate.regret[0, k] = max(gate.regret[0, k] + (_ONE - gate.entry[k]) * gain, _NONE)
            gate.regret[1, k] = max(gate.regret[1, k] - gate.entry[k] * gain, _NONE)
        else:
            value = np.float64(inside / gate.mass[k])
            gate.sums[0, k] += value
            gate.sums[1, k] += value * value
            gate.sums[2, k] = value
    gate.average_weight[0] = gate.average_weight[0] * keep + 1.0
    gate.seen[0] += 1.0

"""A walk over some of the first deals: an estimate of what the best response wins, and how far it may be off.

First deals are ordered by how many deals suits make alike and then by their ranks, and cut into strata of neighbours.
Two are drawn from each, one for each half of the sample; alone, each stands for all N deals of its stratum.

After a first deal the best response is exact. Before it, the answer that is best by the deals a of one half is judged
by U_a + (N - 1) U_b in each stratum, with U for the values after a deal and b for the deal of the other half, which
stands for all deals but a. Given the answer, that is what it wins in the whole game in expectation, and no answer wins
more than the best one: the estimate, which is the mean of both ways round, is a lower bound in expectation.

With x_a and x_b for what the two deals of a stratum add to it, each standing for all N, its standard error is the root
of the sum over strata of ((x_a - x_b) / 2)^2 (1 - 2 / N): that of a stratified sample for a given answer (Cochran 1977,
chapter 5).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.evaluation.best_response.walk import BestResponseWalk, Pair
from counterpoise.intervals import quantile
from counterpoise.parameters import require_whole

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class DealSample:
    """The first deals that are walked: ``drawn[half, stratum]``, and how many deals each stratum has."""

    drawn: NDArray[np.intp]
    sizes: NDArray[np.intp]

    @property
    def numbers(self) -> list[int]:
        """The first deals in rising order."""
        return sorted(self.drawn.ravel().tolist())


@dataclass(frozen=True)
class SampledValues:
    """What the sample says, in chips per game: by seat, and half the 95 % interval of the mean over the seats."""

    best: FloatArray
    half_width: float


def draw_deals(walk: BestResponseWalk, flops: int, seed: int) -> DealSample:
    """Return a sample of first deals."""
    deals = walk.deals
    require_whole("flops", flops, 4, len(deals))
    require_whole("seed", seed, 0)
    if flops % 2:
        raise InputError(f"flops must be even, not {flops}: one half of the sample judges what the other half answers")
    order = np.lexsort((np.arange(len(deals)), deals.multiplicity))
    strata = np.array_split(order, flops // 2)
    rng = np.random.default_rng(seed)
    drawn = np.array([rng.choice(stratum, 2, replace=False) for stratum in strata]).T
    return DealSample(drawn.astype(np.intp), np.array([len(stratum) for stratum in strata]))


def judge_sample(walk: BestResponseWalk, sample: DealSample, values: Mapping[int, Pair]) -> SampledValues:
    """Return the estimate from the values of the deals of a sample."""
    best, parts = np.zeros(2), np.zeros(sample.drawn.shape)
    for seat in range(2):
        trunk = walk.trunk(seat)
        nothing = np.zeros_like(walk.no_sums()[seat])
        ours = {number: values[number][seat] for number in sample.numbers}
        for half in range(2):
            _, answer = trunk.best(_sums(sample, ours, half, 1.0))
            best[seat] += trunk.judge(answer, _sums(sample, ours, half, 0.0)) / 2
            alone = trunk.judge(answer, nothing)
            for (other, stratum), number in np.ndenumerate(sample.drawn):
                whole = trunk.judge(answer, sample.sizes[stratum] * ours[int(number)])
                parts[other, stratum] += (whole - alone) / 4  # the mean of two answers and of two seats
    spread = ((parts[0] - parts[1]) / 2) ** 2 * (1 - 2 / sample.sizes)
    return SampledValues(best, quantile(len(sample.sizes) + 1) * float(np.sqrt(spread.sum())))


def _sums(sample: DealSample, values: Mapping[int, FloatArray], half: int, share: float) -> FloatArray:
    """Return the sums if each deal of a half stands for itself and for that share of the others of its stratum."""
    weights = np.empty(sample.drawn.shape)
    weights[half], weights[1 - half] = 1 + share * (sample.sizes - 1), (1 - share) * (sample.sizes - 1)
    parts = [weights[at] * values[int(number)] for at, number in np.ndenumerate(sample.drawn)]
    return np.asarray(np.sum(parts, axis=0))

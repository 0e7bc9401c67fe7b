"""Intervals, sample sizes, tests and bootstrap, against SciPy and printed tables."""

import math

import numpy as np
import pytest
from scipy import stats

from counterpoise.errors import InputError
from counterpoise.evaluation.estimators import statistics
from counterpoise.intervals import Tally, quantile
from counterpoise.reproduce.harness.published import published


def test_rmse_of_tables_7_1_and_7_3():
    """RMSE(1000) = sqrt(bias^2 + SD^2 / 1000) is every one of the 39 printed entries, within 1."""
    tables = [part for part in published("competitions")["errors"].values() if isinstance(part, dict)]
    rows = [row for table in tables for row in table.values()]
    assert len(rows) == 39
    for bias, deviation, printed in rows:
        assert statistics.rmse(bias, deviation, 1000) == pytest.approx(printed, abs=1)


def test_intervals_and_sample_sizes():
    """Ten million duplicate pairs of SD 1,800 are known to 1.12 mbb; +-10 at SD 6,000 takes 1.38 million hands."""
    assert statistics.interval_of(1800, 10**7) == pytest.approx(1.12, abs=0.005)
    assert statistics.hands_needed(6000, 10) == pytest.approx(1.38e6, rel=0.003)
    assert statistics.interval_of(6000, statistics.hands_needed(6000, 10)) <= 10


def test_intervals_are_those_of_scipy():
    """Student's t for few samples, the normal distribution for many, at any confidence."""
    samples = np.random.default_rng(1).exponential(3, 12)
    tally = Tally.of(samples)
    for confidence in (0.9, 0.95, 0.99):
        low, high = stats.t.interval(confidence, len(samples) - 1, samples.mean(), stats.sem(samples))
        assert tally.mean + tally.half_width(confidence) == pytest.approx(high)
        assert tally.mean - tally.half_width(confidence) == pytest.approx(low)
    assert quantile(10_000, 0.99) == pytest.approx(stats.norm.ppf(0.995))
    with pytest.raises(InputError, match="confidence must be a number between 0 and 1"):
        quantile(10_000, 95)


def test_one_sided_test_is_that_of_scipy():
    """The p value is Student's; a mean without spread is sure."""
    samples = np.random.default_rng(2).normal(0.2, 1, 60)
    own = statistics.one_sided(samples.mean(), samples.std(ddof=1), len(samples))
    assert own.p == pytest.approx(stats.ttest_1samp(samples, 0, alternative="greater").pvalue)
    assert own.significant == (own.z > stats.norm.ppf(0.95))
    assert statistics.one_sided(1, 0, 10) == (math.inf, 0.0, True)
    assert statistics.one_sided(0, 0, 10) == (0.0, 0.5, False)


def test_bootstrap_agrees_with_scipy():
    """The percentile interval of a skewed sample is that of another implementation, up to the draws."""
    samples = np.random.default_rng(3).lognormal(0, 1, 300)
    low, high = statistics.bootstrap(samples, seed=5)
    other = stats.bootstrap((samples,), np.mean, method="percentile", n_resamples=4000, rng=1).confidence_interval
    width = other.high - other.low
    assert low == pytest.approx(other.low, abs=0.06 * width)
    assert high == pytest.approx(other.high, abs=0.06 * width)
    assert (low, high) == statistics.bootstrap(samples, seed=5)


def test_bootstrap_of_many_samples_draws_groups():
    """Above the limit groups are drawn, and the interval is still that of the mean."""
    samples = np.random.default_rng(4).exponential(2, 50_000)
    low, high = statistics.bootstrap(samples, resamples=400)
    assert high - low == pytest.approx(2 * 1.96 * samples.std() / math.sqrt(len(samples)), rel=0.15)
    assert low < samples.mean() < high


def test_paired_differences_and_effective_samples():
    """Pairing takes out what both share; weights of one sample only are worth one sample."""
    luck = np.random.default_rng(6).normal(0, 100, 1000)
    found = statistics.paired_difference(luck + 3, luck)
    assert found.mean == pytest.approx(3)
    assert found.deviation == pytest.approx(0, abs=1e-6)
    with pytest.raises(InputError, match="paired samples must be as many, not 3 and 2"):
        statistics.paired_difference([1, 2, 3], [1, 2])
    assert statistics.effective_samples(np.ones(7)) == pytest.approx(7)
    assert statistics.effective_samples([]) == 0


@pytest.mark.parametrize("call", [lambda: statistics.rmse(0, 1, 0), lambda: statistics.hands_needed(1, 0)])
def test_wrong_numbers_are_refused(call):
    """One sentence that names the field."""
    with pytest.raises(InputError, match="must be"):
        call()

"""Stopping rules: how often intervals that are looked at again and again leave out the truth."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.intervals import NORMAL, Tally
from counterpoise.sequential import FEWEST, may_stop, sequence_errors


def ever_wrong(errors, samples):
    """Return the share of runs in which the interval left out the true mean 0 at one look or more."""
    looks = np.arange(FEWEST, samples.shape[1] + 1, 50)
    total, squares = samples.cumsum(axis=1)[:, looks - 1], (samples**2).cumsum(axis=1)[:, looks - 1]
    mean = total / looks
    deviation = np.sqrt((squares - total * mean) / (looks - 1))
    return (np.abs(mean) > np.array([errors(n) for n in looks]) * deviation / np.sqrt(looks)).any(axis=1).mean()


@pytest.mark.parametrize("skewed", [False, True])
def test_sequence_holds_at_every_look_and_the_ordinary_interval_does_not(skewed):
    """Over 5,000 samples with a look every 50 the sequence errs in at most 5 % of the runs, 1.96 SE in over 20 %."""
    draws = np.random.default_rng(7)
    samples = draws.exponential(1, (1500, 5000)) - 1 if skewed else draws.normal(0, 1, (1500, 5000))
    assert ever_wrong(sequence_errors, samples) <= 0.05
    assert ever_wrong(lambda n: NORMAL, samples) > 0.2


def test_width_rule_keeps_its_interval():
    """Chow and Robbins: stopping by width alone leaves out the truth in about 5 % of the runs."""
    draws, wrong = np.random.default_rng(8), 0
    for _ in range(1000):
        samples = draws.exponential(1, 3000) - 1
        for count in range(FEWEST, 3001, 50):
            tally = Tally(count, samples[:count].sum(), (samples[:count] ** 2).sum())
            if may_stop(tally, "width", 0.06):
                break
        wrong += abs(tally.mean) > tally.ci95
    assert 0.03 < wrong / 1000 < 0.08


def test_rules():
    """Each rule asks for what it says, and none stops before a hundred samples."""
    even = Tally.of([1.0, -1.0] * 200)
    assert may_stop(even, "width", 0.1)
    assert not may_stop(even, "valid", 0.1)
    assert may_stop(even, "valid", 0.2)
    assert not may_stop(even, "decided", None)
    ahead = Tally.of([1.0, 0.0] * 200)
    assert may_stop(ahead, "decided", None)
    assert not may_stop(ahead, "decided", 0.001)
    assert not may_stop(Tally.of([1.0, 1.1] * 40), "width", 1)
    with pytest.raises(InputError, match="stop must be width, valid or decided, not 'sure'"):
        may_stop(even, "sure", 1)


def test_match_stops_by_the_valid_rule():
    """The valid rule plays longer than the other for the same precision; its interval is that of the sequence."""
    play = {"hands": 100_000, "duplicate": True, "precision": 0.08, "block": 50, "progress": False}
    agents = ["random", "always-call"]
    width, valid = (cp.match("kuhn_poker", agents, stop=rule, **play) for rule in ("width", "valid"))
    assert width.hands < valid.hands < 100_000
    assert all(agent.ci95 <= 0.08 for agent in valid.agents)
    assert valid.reached
    assert valid.to_json()["stop"] == "valid"
    decided = cp.match("leduc_poker", ["always-raise", "always-fold"], 2000, stop="decided", progress=False)
    assert decided.reached
    assert abs(decided.agents[0].mean) > decided.agents[0].ci95
    with pytest.raises(InputError, match="stop must come with a precision"):
        cp.match("kuhn_poker", agents, 10, stop="valid", progress=False)

"""AIVAT in matches: compiled, at the table, resumed, and its exact figures."""

from __future__ import annotations

import json

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError

MINI = "no_limit_holdem(ranks=4, suits=2, board=[0, 3], stack=4)"
"""Mini no-limit hold'em that can be enumerated: eight cards, two rounds, four big blinds."""


@pytest.fixture(scope="module")
def leduc():
    return [cp.solve("leduc_poker", "cfr+", iterations=n, progress=False) for n in (300, 20)]


def test_compiled_matches_have_the_exact_value(leduc):
    """All players known and their own values: the corrections telescope, no variance is left."""
    found = cp.match("leduc_poker", leduc, 5_000, duplicate=True, progress=False)
    assert found.compiled
    first, second = found.agents
    assert first.aivat_deviation < 1e-6
    assert first.aivat_mean == pytest.approx(-second.aivat_mean)
    assert abs(first.aivat_mean - first.mean) < 4 * first.deviation / np.sqrt(found.hands)
    told = found.to_json()["agents"][0]
    assert told["aivat_mbb_per_hand"] is None
    assert told["aivat_mean_per_hand"] == first.aivat_mean
    assert cp.match("leduc_poker", leduc, 5_000, aivat=False, progress=False).agents[0].aivat_mean is None


@pytest.mark.slow
@pytest.mark.parametrize("game", ["leduc_poker", MINI])
def test_unbiased_with_a_random_value_function(game):
    """Within 4 standard errors over 100,000 hands, whatever the guesses are."""
    runs = [cp.solve(game, "cfr+", iterations=n, progress=False) for n in (200, 10)]
    exact = cp.match(game, runs, 10_000, duplicate=True, progress=False).agents[0].aivat_mean
    found = cp.match(game, runs, 100_000, aivat="random(seed=4)", progress=False)
    agent = found.agents[0]
    assert found.compiled
    assert agent.aivat_deviation > 0.1
    assert abs(agent.aivat_mean - exact) < 4 * agent.aivat_deviation / np.sqrt(found.hands)


@pytest.mark.slow
def test_table_and_kernel_agree(leduc, tmp_path):
    """The same hands by the kernel and at the table, whose log says that it cannot be compiled."""
    settings = {"hands": 2_500, "duplicate": True, "aivat": "random(seed=1)", "progress": False}
    compiled = cp.match("leduc_poker", leduc, **settings)
    table = cp.match("leduc_poker", leduc, log=tmp_path / "hands.jsonl", **settings)
    assert compiled.compiled
    assert not table.compiled
    for one, other in zip(compiled.agents, table.agents, strict=True):
        assert one.aivat_mean == pytest.approx(other.aivat_mean)
        assert one.aivat_ci95 == pytest.approx(other.aivat_ci95)


def test_resumed_and_parallel_matches_are_the_same(tmp_path):
    agents, settings = ["random", "probe"], {"seed": 2, "aivat": "zero", "progress": False}
    whole = cp.match("leduc_poker", agents, 120, **settings)
    cp.match("leduc_poker", agents, 60, resume=tmp_path / "match", **settings)
    again = cp.match("leduc_poker", agents, 120, resume=tmp_path / "match", **settings)
    assert again.agents[0].aivat_ci95 == whole.agents[0].aivat_ci95
    assert (
        cp.match("leduc_poker", agents, 120, processes=2, **settings).agents[0].aivat_mean == whole.agents[0].aivat_mean
    )
    with pytest.raises(InputError, match="aivat"):
        cp.match("leduc_poker", agents, 120, resume=tmp_path / "match", seed=2, aivat="random", progress=False)


def test_off_by_default_at_the_table():
    found = cp.match("leduc_poker", ["random", "probe"], 20, progress=False)
    assert found.agents[0].aivat_mean is None
    assert json.loads(json.dumps(found.to_json()))["agents"][0]["aivat_ci95"] is None


def test_three_seats():
    found = cp.match(
        "kuhn_poker(players=3)", ["random", "probe", "always-call"], 50, duplicate=True, aivat=True, progress=False
    )
    assert all(agent.aivat_deviation < 1e-6 for agent in found.agents)
    assert sum(agent.aivat_mean for agent in found.agents) == pytest.approx(0, abs=1e-9)

"""Estimates from records: series, units, samples, warnings, and simulated hands against exact figures."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.agents import make_agent
from counterpoise.errors import InputError
from counterpoise.evaluation.estimators import JudgeSettings, estimate
from counterpoise.exploit import play_hands
from counterpoise.logs.record import HandRecord

from .leduc import Exact, Flat, equilibrium, hands_of, uniform


def seated(source, game="leduc_poker"):
    rules = cp.load(game)
    return [make_agent(source).sit(rules, seat, Random(0)) for seat in range(rules.players)]


def match_records(game, agents, hands, tmp_path, **settings):
    log = tmp_path / "hands.jsonl"
    found = cp.match(game, agents, hands, log=log, progress=False, **settings)
    return found, cp.read_log(log).records


@pytest.fixture(scope="module")
def leduc_records():
    """100,000 hands of a known uniform player against an equilibrium."""
    tree = hands_of().tree
    return list(play_hands(tree, {"hero": uniform(), "villain": equilibrium()}, 100_000, seed=5).records(tree))


@pytest.mark.long
@pytest.mark.parametrize("off_policy", [False, True])
def test_simulated_hands(leduc_records, off_policy):
    evaluated = [Flat(equilibrium(), seat) for seat in (0, 1)] if off_policy else None
    known = {"hero": [Flat(uniform(), seat) for seat in (0, 1)]}
    found = estimate("leduc_poker", leduc_records, "hero", known=known, evaluated=evaluated)
    exact = [Exact(seat, uniform(), equilibrium(), equilibrium() if off_policy else None) for seat in (0, 1)]
    truth = np.mean([one.truth for one in exact])
    assert len(found.series) == (12 if off_policy else 13)
    for name in found.series:
        own = found[name]
        spread = np.mean([one.sd(name) ** 2 + (one.mean(name) - truth) ** 2 for one in exact]) ** 0.5
        assert abs(own.mean - truth) < 4 * own.sd / np.sqrt(own.n)
        assert own.sd == pytest.approx(spread, rel=0.03)
        assert own.n == own.hands == 100_000
        assert (own.effective is not None) == off_policy


def test_units_and_rooms(tmp_path):
    """A sample is a deal with all its rooms; the mean of money is that of the match."""
    found, records = match_records("leduc_poker", ["probe", "random"], 200, tmp_path, duplicate=True, seed=3)
    players = {"probe": seated("probe"), "random": seated("random")}
    estimates = estimate("leduc_poker", records, "probe", known=players)
    money = estimates["money"]
    agent = next(one for one in found.agents if one.name == "probe")
    assert (estimates.unit, money.n, money.hands) == ("antes", 200, 400)
    assert money.mean == pytest.approx(agent.mean)
    assert money.ci95 == pytest.approx(agent.ci95)
    assert money.sd == pytest.approx(agent.deviation)
    assert estimates["aivat"].sd < 1e-12  # both known, exact values
    json = estimates.to_json()
    assert json["agent"] == "probe"
    assert {one["name"] for one in json["estimates"]} == set(estimates.series)


def test_running_and_differences(tmp_path):
    _, records = match_records("leduc_poker", ["probe", "random"], 50, tmp_path)
    found = estimate("leduc_poker", records, "random", known={"random": seated("random")})
    series = found.series["ac"]
    deals, means, half = series.running()
    assert deals.tolist() == list(range(1, 51))
    assert means[-1] == pytest.approx(found["ac"].mean)
    assert half[-1] == pytest.approx(found["ac"].ci95)
    paired = series.minus(found.series["money"])
    np.testing.assert_allclose(paired.values, series.values - found.series["money"].values)
    assert abs(paired.values.mean()) > 0


def test_without_known_players_only_luck_is_taken_off(tmp_path):
    _, records = match_records("leduc_poker", ["probe", "random"], 20, tmp_path)
    assert set(estimate("leduc_poker", records, "probe").series) == {"money", "divat", "bc-divat"}
    others = estimate("leduc_poker", records, "probe", known={"random": seated("random")})
    assert set(others.series) == {"money", "divat", "bc-divat", "aivat"}
    partial = estimate("leduc_poker", records, "probe", settings=JudgeSettings(partial=True))
    assert set(partial.series) == {"money"}


def test_play_that_was_never_shown_is_told(tmp_path):
    """A strategy that never folds says little about one that often does."""
    _, records = match_records("leduc_poker", ["always-call", "random"], 300, tmp_path)
    known = {"always-call": seated("always-call")}
    found = estimate("leduc_poker", records, "always-call", known=known, evaluated=seated("probe"))
    assert found["is"].dropped > 0.3
    assert any(note.startswith("biased") for note in found["is"].notes)
    low, high = found["is"].bootstrap
    assert low < found["is"].mean < high


def test_hands_that_no_known_strategy_plays_are_left_out():
    record = HandRecord(0, 0, ("always-call", "random"), ("KJ", "r", "f"), (1.0, -1.0))
    found = estimate(
        "leduc_poker", [record, record._replace(hand=1)], "always-call", known={"always-call": seated("always-call")}
    )
    assert found["aivat"].hands == 0
    assert "left out 2 hands" in found["aivat"].notes[0]


def test_wrong_input():
    record = HandRecord(0, 0, ("a", "b"), ("KJ", "r", "f"), (1.0, -1.0))
    with pytest.raises(InputError, match="'c' did not play"):
        estimate("leduc_poker", [record], "c")
    with pytest.raises(InputError, match="hand 0, room 0: 'x' is not possible there"):
        estimate("leduc_poker", [record._replace(history=("KJ", "x"))], "a")
    with pytest.raises(InputError, match="its own strategy must be known"):
        estimate("leduc_poker", [record], "a", evaluated=seated("probe"))
    with pytest.raises(InputError, match="a player for each of the 2 seats, not 1"):
        estimate("leduc_poker", [record], "a", known={"a": seated("probe")[:1]})
    with pytest.raises(InputError, match="a value function is own"):
        estimate("leduc_poker", [record], "a", known={"a": seated("probe")}, settings=JudgeSettings(guess="best"))

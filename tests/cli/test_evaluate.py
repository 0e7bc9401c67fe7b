"""`counterpoise evaluate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.games.kuhn import KuhnPoker
from counterpoise.store import read_cpz, write_cpz


@dataclass(frozen=True)
class MyOwnGame(KuhnPoker):
    @property
    def name(self) -> str:
        return "MyOwnGame"


def test_recomputes_everything(ask: Any) -> None:
    run = cp.solve("leduc_poker", "cfr+", iterations=40)
    run.save("leduc.cpz")
    answer = ask("evaluate", "leduc.cpz")
    assert answer["exploitability"] == pytest.approx(run.exploitability)
    assert answer["nash_conv"] == pytest.approx(run.nash_conv)
    assert answer["value"] == pytest.approx(list(run.value))
    gains = [best - value for best, value in zip(answer["best_response_value"], answer["value"], strict=True)]
    assert sum(gains) == pytest.approx(run.nash_conv)
    for player, best in enumerate(answer["best_response_value"]):
        assert best == pytest.approx(cp.best_response(cp.load("leduc_poker"), run.strategy, player).value)


def test_ignores_a_stored_figure(ask: Any) -> None:
    run = cp.solve("kuhn_poker", "cfr", iterations=10)
    run.save("kuhn.cpz")
    header, arrays = read_cpz("kuhn.cpz")
    write_cpz("kuhn.cpz", "run", header | {"exploitability": 0.0, "nash_conv": 0.0, "value": [9, 9]}, arrays)
    assert ask("evaluate", "kuhn.cpz")["exploitability"] == pytest.approx(run.exploitability)


def test_strategy_saved_alone(call: Any) -> None:
    cp.solve("kuhn_poker", "cfr", iterations=10).strategy.save("s.cpz")
    result = call("evaluate", "s.cpz")
    assert result.exit_code == 0
    for part in ("kuhn_poker", "value", "best response", "could gain", "exploitability", "NashConv"):
        assert part in result.stdout


def test_game_of_a_users_own_class(ask: Any, refuse: Any) -> None:
    run = cp.solve(MyOwnGame(), "cfr", iterations=10)
    run.save("mine.cpz")
    sentence = refuse("evaluate", "mine.cpz")
    assert "'MyOwnGame', which cannot be loaded by that name" in sentence
    assert "class of your own" in sentence
    assert ask("evaluate", "mine.cpz", "--game", "kuhn_poker")["exploitability"] == pytest.approx(run.exploitability)


def test_strategy_of_another_game(refuse: Any) -> None:
    cp.solve("kuhn_poker", "cfr", iterations=10).save("kuhn.cpz")
    assert "not those of leduc_poker" in refuse("evaluate", "kuhn.cpz", "--game", "leduc_poker")

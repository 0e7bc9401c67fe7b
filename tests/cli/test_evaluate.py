"""`counterpoise evaluate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.deep.dealt import DealtHoldem
from counterpoise.deep.deep_cfr import DeepCFRSettings
from counterpoise.deep.files import Trained
from counterpoise.deep.learner import METHODS
from counterpoise.deep.networks import new_network
from counterpoise.deep.playing import policy_of
from counterpoise.deep.rebel.evaluation import agent_exploitability
from counterpoise.deep.rebel.learner import play_solvers
from counterpoise.deep.rebel.liars_dice import liars_dice_beliefs
from counterpoise.deep.rebel.whole import WholeGame
from counterpoise.deep.shipped import shipped_networks
from counterpoise.errors import InputError
from counterpoise.games.kuhn import KuhnPoker
from counterpoise.games.liars_dice import LiarsDice
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
    assert "load the file that registers it (--load FILE.py)" in sentence
    assert ask("evaluate", "mine.cpz", "--game", "kuhn_poker")["exploitability"] == pytest.approx(run.exploitability)


def test_strategy_of_another_game(refuse: Any) -> None:
    cp.solve("kuhn_poker", "cfr", iterations=10).save("kuhn.cpz")
    assert "not those of leduc_poker" in refuse("evaluate", "kuhn.cpz", "--game", "leduc_poker")


def dealt_networks(name: str, mixture: bool = False) -> Any:
    """Return a game of hold'em that is dealt, and networks with random weights for it."""
    game = DealtHoldem(cp.load(name))
    shape = DeepCFRSettings(hidden=(4,)).shape(game)
    network = new_network(shape, np.random.default_rng(0))
    if mixture:
        return game, Trained(game.name, "single-deep-cfr", {"player0-0": network}, {"weights": [[1.0], [1.0]]})
    return game, Trained(game.name, "deep-cfr", {"average": network})


@pytest.mark.long
def test_networks_of_holdem_that_is_dealt(ask: Any) -> None:
    game, trained = dealt_networks("limit_holdem(board=[0, 3], ranks=4, suits=2, bets=[2, 2])")
    trained.save("dealt.cpz")
    answer = ask("evaluate", "dealt.cpz")
    assert answer["exploitability"] == pytest.approx(game.exploitability(policy_of(trained, game)))
    assert answer["method"] == "deep-cfr"
    assert sum(answer["value"]) == pytest.approx(0, abs=1e-6)


@pytest.mark.long
def test_networks_that_are_not_judged(refuse: Any) -> None:
    dealt_networks("limit_holdem")[1].save("whole.cpz")
    sentence = refuse("evaluate", "whole.cpz")
    assert "limit_holdem has more than 5,000,000 information sets" in sentence
    assert "counterpoise match strategy:whole.cpz" in sentence
    dealt_networks("limit_holdem(board=[0, 3], ranks=4, suits=2, bets=[2, 2])", mixture=True)[1].save("mixture.cpz")
    assert "mixture.cpz holds a mixture" in refuse("evaluate", "mixture.cpz")
    assert "only rebel makes play-throughs" in refuse("evaluate", "whole.cpz", "--play-throughs", 3)
    with pytest.raises(InputError, match=r"whole.cpz holds networks without a table of what they play: judge them"):
        cp.load_strategy("whole.cpz")


@pytest.mark.slow
def test_a_network_that_searches_is_judged_by_play_throughs(ask: Any, call: Any) -> None:
    known = shipped_networks("rebel", "liars_dice(faces=4)")
    Trained(known.game, "rebel(updates=16)", known.networks, known.made).save("dice.cpz")
    answer = ask("evaluate", "dice.cpz", "--play-throughs", 2)
    assert answer["play_throughs"] == 2
    assert answer["infosets"] == 4 * 256  # every set of bids that does not end the game, by four rolls
    beliefs = liars_dice_beliefs(LiarsDice(faces=4))
    settings = METHODS.build("rebel(updates=16)").settings_for(cp.load(known.game))
    solver, endgames = play_solvers(beliefs, known.networks["values"], settings)
    expected = agent_exploitability(WholeGame(beliefs), solver, 2, np.random.default_rng(0), endgames)
    assert answer["exploitability"] == pytest.approx(expected)
    assert "the mean of 1 play-through" in call("evaluate", "dice.cpz", "--play-throughs", 1).stdout


def test_an_agent_by_name(ask: Any, call: Any) -> None:
    found = ask("evaluate", "always-call", "--game", "kuhn_poker")
    assert found["exploitability"] == pytest.approx(1 / 3)
    assert (found["agent"], found["blueprint"], found["mbb_per_game"]) == ("always-call", None, None)
    told = call("evaluate", "always-call", "--game", "kuhn_poker").stdout
    assert "exploitability  0.3333" in told


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["alwys-call", "--game", "kuhn_poker"], "unknown agent 'alwys-call': did you mean always-call"),
        (["random"], "random plays any game"),
        (["nothing.cpz"], "nothing.cpz"),
        (["nothing.cpz", "--all-suits"], "--all-suits makes no sense here: it is for agents"),
    ],
)
def test_neither_file_nor_agent(call: Any, words: list[str], sentence: str) -> None:
    result = call("evaluate", *words)
    assert result.exit_code == 2
    assert sentence in result.stderr

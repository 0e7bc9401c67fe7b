"""`evaluate_agent`: agents judged by exact best responses, their search included."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.agents.base import KnownAgent
from counterpoise.blueprint import Blueprint
from counterpoise.cards import Deck
from counterpoise.errors import InputError
from counterpoise.evaluation.best_response.answer import answer_players
from counterpoise.evaluation.best_response.enumerated import profile_of_players
from counterpoise.evaluation.best_response.evaluate import AgentEvaluation, evaluate_agent
from counterpoise.games.base import Observation
from counterpoise.tree.evaluation import evaluate

TINY = "no_limit_holdem(ranks=2, board=[0, 3], blinds=[1, 2], stack=3, sizes=['100%', 'allin'])"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A blueprint of eight cards that is filled at random."""
    folder = tmp_path_factory.mktemp("tiny")
    game: Any = cp.load(TINY)
    cards = cp.abstraction("IR-PHS-PHS", buckets=(3, 3), deck=Deck(ranks=2), cache=folder, progress=False)
    weights = np.random.default_rng(0).random(len(Blueprint.uniform(game, cards).table)).astype(np.float32)
    Blueprint(game, cards, weights).save(folder / "tiny.cpz")
    return folder / "tiny.cpz"


def judged(agent: str, game: str | None = TINY, **settings: Any) -> AgentEvaluation:
    return evaluate_agent(agent, game, progress=False, **settings)


def by_enumeration(agent: str) -> tuple[list[float], list[float]]:
    """Return what an agent wins from itself and what best responses win from it, infoset by infoset."""
    game: Any = cp.load(TINY)
    tree = cp.enumerate_game(game)
    players = [cp.make_agent(agent).sit(game, seat, Random(0)) for seat in range(2)]
    exact = evaluate(tree, profile_of_players(tree, players))
    return exact.expected.tolist(), exact.best.tolist()


def test_a_blueprint_is_judged_as_in_the_enumerated_game(tiny: Path) -> None:
    found = judged(f"blueprint:{tiny}")
    value, best = by_enumeration(f"blueprint:{tiny}")
    assert found.value == pytest.approx(value, abs=1e-6)
    assert found.best_response_value == pytest.approx(best, abs=1e-6)
    assert found.mbb_per_game == pytest.approx(500 * found.exploitability)
    assert (found.blueprint, found.searches) == (None, 0)


@pytest.mark.slow
def test_an_agent_that_searches_is_judged_as_in_the_enumerated_game(tiny: Path) -> None:
    """Its blueprint is judged beside it; whatever the order of the histories, it answers the same."""
    agent = f"claudico:{tiny}(fast=True, seconds=3600)"  # compiling counts as time
    found = judged(agent, suits_alike=False)
    value, best = by_enumeration(agent)
    assert found.value == pytest.approx(value, abs=1e-6)
    assert found.best_response_value == pytest.approx(best, abs=1e-6)
    assert found.searches > 0
    assert found.cut_short == 0
    assert found.blueprint is not None
    assert found.blueprint.exploitability == pytest.approx(judged(f"blueprint:{tiny}").exploitability, abs=1e-6)
    assert found.to_json()["blueprint"]["searches"] == 0


@pytest.mark.slow
def test_bets_that_are_not_on_the_menu_and_a_fixed_strategy(tiny: Path) -> None:
    """Libratus bets as its own menus say, and the opponent may do so against its blueprint too; asked twice it plays
    the same."""
    first, second = (judged(f"libratus:{tiny}(first_round=1, fast=True, seconds=3600)") for _ in range(2))
    assert first.searches == second.searches > 0
    assert first.best_response_value == second.best_response_value
    assert first.value is not None
    assert sum(first.value) == pytest.approx(0, abs=1e-6)
    below, alone = first.blueprint, judged(f"blueprint:{tiny}")
    assert below is not None
    gained = np.subtract(below.best_response_value, alone.best_response_value)
    assert gained.min() > -1e-9
    assert gained.max() > 1e-4


@dataclass
class OnMenu(KnownAgent):
    """Calls, and raises to 9 after a bet to 5, which is on no menu."""

    def mixed(self, observation: Observation) -> dict[str, float]:
        return {"c": 0.5, "b9": 0.5} if observation.public[-1:] == ("b5",) else {"c": 1.0}


@dataclass
class Searches(OnMenu):
    """Begins with a bet to 5 as though it had searched, and is else like its blueprint."""

    def mixed(self, observation: Observation) -> dict[str, float]:
        return super().mixed(observation) if observation.public else {"b5": 1.0}

    def without_search(self) -> OnMenu:
        return OnMenu()


def test_the_opponent_has_the_same_bets_against_an_agent_and_its_blueprint() -> None:
    """Also those with which the blueprint answers bets of the search; 500 mbb are a chip."""
    rules = cp.load("no_limit_holdem(ranks=2, board=[0, 3], blinds=[1, 2], stack=10, sizes=['100%'])")
    found = evaluate_agent(Searches(), rules, progress=False)
    bets: set[Any] = set()
    for agent in (Searches(), OnMenu(), Searches(), OnMenu()):
        players = [agent.sit(rules, seat, Random(0)) for seat in range(2)]
        below = answer_players(rules, players, "", extra_bets=bets, progress=False)
    assert len(bets) > 1
    players = [Searches().sit(rules, seat, Random(0)) for seat in range(2)]
    again = answer_players(rules, players, "", extra_bets=bets, progress=False)
    assert found.best_response_value == pytest.approx(np.array(again.best_response_value) / 500, abs=1e-9)
    assert found.blueprint is not None
    assert found.blueprint.best_response_value == pytest.approx(np.array(below.best_response_value) / 500, abs=1e-9)


@pytest.mark.slow
def test_rebel_is_judged_by_play_throughs() -> None:
    found = judged("rebel", "liars_dice(dice=1, faces=4)", play_throughs=2)
    assert (found.method, found.play_throughs) == ("play-throughs", 2)
    assert 0 < found.exploitability < 0.5


@pytest.mark.parametrize(
    ("agent", "game", "settings", "sentence"),
    [
        ("random", None, {}, "random plays any game: name the game to judge it in"),
        ("human", "kuhn_poker", {}, "human has no fixed strategy to judge: somebody else decides for it"),
        ("random", "kuhn_poker", {"play_throughs": 2}, "random makes no play-throughs"),
        ("random", "no_limit_holdem", {}, "use counterpoise lbr"),
    ],
)
def test_wrong_input(agent: str, game: str | None, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        judged(agent, game, **settings)

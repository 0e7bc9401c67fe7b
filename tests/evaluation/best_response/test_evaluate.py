"""`evaluate_agent`: agents judged by exact best responses, their search included."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.blueprint import Blueprint
from counterpoise.cards import Deck
from counterpoise.errors import InputError
from counterpoise.evaluation.best_response.enumerated import profile_of_players
from counterpoise.evaluation.best_response.evaluate import AgentEvaluation, evaluate_agent
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
    assert all(more >= fewer for more, fewer in zip(below.best_response_value, alone.best_response_value, strict=True))
    assert below.best_response_value != alone.best_response_value


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

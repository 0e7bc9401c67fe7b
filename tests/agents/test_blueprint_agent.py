"""Agents that follow blueprints: their probabilities, translation of any bet, files."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction.translation import translate
from counterpoise.agents import BlueprintAgent, make_agent
from counterpoise.agents.blueprint_strategy import BlueprintStrategy
from counterpoise.agents.table_games import why_untranslatable
from counterpoise.blueprint import Blueprint
from counterpoise.cards import Deck
from counterpoise.search.public_belief import PublicBelief


@dataclass
class AnyBet(cp.Agent):
    """Bets, raises and calls at random, of any legal size."""

    def act(self, observation: Any) -> str:
        game: Any = self.game
        betting = game.betting_after(observation.public)
        kind = self.random.random()
        if betting.max_raise and kind < 0.6:
            low, high = betting.min_raise, betting.max_raise
            return f"b{int(low + (high - low) * self.random.random() ** 3)}"
        return "f" if betting.to_call and kind > 0.95 else "c"


@pytest.fixture(scope="module")
def blueprint(tmp_path_factory: pytest.TempPathFactory) -> Blueprint:
    game: Any = cp.load("no_limit_holdem(ranks=6, stack=20)")
    cards = cp.abstraction(
        "IR-PHS-PHS", buckets=(6, 5, 5, 5), deck=Deck(ranks=6), cache=tmp_path_factory.mktemp("c"), progress=False
    )
    uniform = Blueprint.uniform(game, cards)
    weights = np.random.default_rng(0).random(len(uniform.table)).astype(np.float32)
    return Blueprint(game, cards, weights)


def test_it_plays_the_blueprint(blueprint: Blueprint) -> None:
    agent = BlueprintAgent.of(blueprint).sit(blueprint.game, 1, Random(0))
    for public in ((), ("b300", "c", "AsKsQh", "c")):
        behaviour, expected = agent.probabilities(public), blueprint.probabilities(public)
        assert behaviour.actions == expected.actions
        np.testing.assert_array_equal(behaviour.table, expected.table)
    seen = cp.Observation(1, ("b300", "c", "AsKsQh", "c"), "AhKh", ("c", "b900", "b2000"), "")
    assert agent.mixed(seen) == blueprint.mixed(seen.public, "AhKh")
    with pytest.raises(cp.InputError, match="seat 1 is not to act"):
        agent.probabilities(("c",))


def test_an_unknown_bet_is_taken_for_its_neighbours(blueprint: Blueprint) -> None:
    """A raise to 500 is between the pot (300) and all-in: a hand mixes its answers to both, by the mapping."""
    agent = BlueprintAgent.of(blueprint).sit(blueprint.game, 0, Random(0))
    found = agent.mixed(cp.Observation(0, ("b500",), "AhKh", ("f", "c"), ""))
    shares = list(translate((500 - 100) / 200, [(300 - 100) / 200, (2000 - 100) / 200]).values())
    for action in ("f", "c"):
        answers = [blueprint.mixed((bet,), "AhKh")[action] for bet in ("b300", "b2000")]
        assert found[action] == pytest.approx(sum(np.array(shares) * answers))
    assert sum(found.values()) == pytest.approx(1)
    table = agent.probabilities(("b500",)).table
    np.testing.assert_allclose(table.sum(axis=1), 1)


def test_smaller_stacks_are_played_by_translation(blueprint: Blueprint) -> None:
    """With 12 big blinds instead of 20 an all-in is a bet of its share of the pot: all beliefs agree on it."""
    game: Any = cp.load("no_limit_holdem(ranks=6, stack=12)")
    agent = BlueprintAgent.of(blueprint).sit(game, 0, Random(0))
    assert agent.remark().startswith("blueprint was made for stacks of 2,000 chips")
    assert BlueprintAgent.of(blueprint).sit(blueprint.game, 0, Random(0)).remark() == ""
    found = agent.mixed(cp.Observation(0, ("b1200",), "AhKh", ("f", "c"), ""))
    shares = list(translate((1200 - 100) / 200, [(300 - 100) / 200, (2000 - 100) / 200]).values())
    folds = [blueprint.mixed((bet,), "AhKh")["f"] for bet in ("b300", "b2000")]
    assert found["f"] == pytest.approx(sum(np.array(shares) * folds))
    belief = PublicBelief.start(game, BlueprintStrategy(blueprint))
    for event in ("b300", "c", "AsKsQh"):
        belief = belief.after(event)
    told, expected = belief.behaviour(), agent.probabilities(("b300", "c", "AsKsQh"))
    live = expected.table.sum(axis=1) > 0
    for column, action in enumerate(told.actions):
        own = expected.table[:, expected.actions.index(action)]
        np.testing.assert_allclose(told.table[live, column], own[live], atol=1e-9)


def test_blinds_in_proportion_are_played_as_at_home(blueprint: Blueprint) -> None:
    """At three times the blinds it plays the same, every bet three times as large; antes and rake are told."""
    game: Any = cp.load("no_limit_holdem(ranks=6, stack=20, blinds=[150, 300])")
    agent = BlueprintAgent.of(blueprint).sit(game, 0, Random(0))
    assert agent.remark() == "blueprint was made for blinds of 50, 100: here its bets are scaled with the blinds"
    for line in (("c",), ("b300",), ("b2000",), ("b300", "c", "AsKsQh"), ("b300", "c", "AsKsQh", "b900", "b2000")):
        expected, found = blueprint.probabilities(line), agent.probabilities(tuple(map(thrice, line)))
        assert found.actions == tuple(map(thrice, expected.actions))
        np.testing.assert_allclose(found.table, expected.table, atol=1e-12)
    other: Any = cp.load("no_limit_holdem(ranks=6, stack=20, ante=10, rake=5, rake_cap=100)")
    told = BlueprintAgent.of(blueprint).sit(other, 0, Random(0)).remark()
    assert "blueprint was made for no antes: with antes of 10" in told
    assert "blueprint was made for no rake: its blueprint does not know of a rake of 5 % up to 100 chips" in told
    for table, reason in (
        ("ranks=6, stack=20, blinds=[50, 150]", "blinds must be in the proportion of 50, 100, not 50, 150"),
        (
            "ranks=6, stack=21, blinds=[1, 2]",
            "stacks must be at most 40 chips, for which it was made, not 42 .20 big blinds, not 21",
        ),
    ):
        with pytest.raises(cp.InputError, match=reason):
            BlueprintAgent.of(blueprint).sit(cp.load(f"no_limit_holdem({table})"), 0, Random(0))
    limit: Any = cp.load("limit_holdem(ranks=6, blinds=[2, 4], bets=[4, 4, 8, 9])")
    assert why_untranslatable(limit, cp.load("limit_holdem(ranks=6)")) == (  # type: ignore[arg-type]
        "bets must be 4, 4, 8, 8 at these blinds, not 4, 4, 8, 9"
    )


def thrice(event: str) -> str:
    """Return a bet three times as large; folds, calls and cards as they are."""
    return f"b{3 * int(event[1:])}" if event[0] == "b" else event


@pytest.mark.slow
@pytest.mark.parametrize("menu", ["", ', sizes=["33%", "75%", "200%"]', ", sizes=any, max_bets=3"])
def test_any_legal_bet_is_answered_legally(blueprint: Blueprint, menu: str) -> None:
    """An opponent bets every size that is legal, at the blueprint's own table and at tables with other menus."""
    game = cp.load(f"no_limit_holdem(ranks=6, stack=20{menu})")
    found = cp.match(game, [blueprint, AnyBet()], 150, seed=7, duplicate=True, progress=False)
    assert not found.compiled
    assert not any(sum(agent.forfeits.values()) for agent in found.agents), found.agents[0].first_fault


def test_files_and_other_games(blueprint: Blueprint, tmp_path: Path) -> None:
    path = tmp_path / "b.cpz"
    blueprint.save(path)
    agent = make_agent(f"blueprint:{path}(translation=nearest)")
    assert isinstance(agent, BlueprintAgent)
    assert make_agent(agent.name) == agent
    assert agent.strategy_id == f"{agent.name}@{blueprint.digest[:12]}"
    copies = [pickle.loads(pickle.dumps(one)) for one in (agent, BlueprintAgent.of(blueprint))]
    assert [one.blueprint.digest for one in copies] == [blueprint.digest] * 2
    for game in ("leduc_poker", "limit_holdem(ranks=6)", "no_limit_holdem(ranks=6, stack=30)", "no_limit_holdem"):
        with pytest.raises(cp.InputError, match=r"blueprint is for no_limit_holdem\(stack=20, ranks=6\), not for "):
            agent.sit(cp.load(game), 0, Random(0))
    two = cp.match(blueprint.game, [agent, "random"], 60, processes=2, seed=1, progress=False)
    one = cp.match(blueprint.game, [agent, "random"], 60, seed=1, progress=False)
    assert [agent.mean for agent in one.agents] == [agent.mean for agent in two.agents]

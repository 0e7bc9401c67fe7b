"""The blueprint that comes with the package: small, sensible, and beaten by no built-in agent."""

from __future__ import annotations

import pickle
from pathlib import Path
from random import Random
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.agents import BlueprintAgent
from counterpoise.blueprint import shipped_blueprint, shipped_header
from counterpoise.blueprint.litmus import litmus_tests
from counterpoise.blueprint.shipped import COMMANDS, SHIPPED, shipped_training
from counterpoise.games.holdem import NoLimitHoldem

MOST_BYTES = 12_000_000


def test_it_is_small_and_says_how_it_was_made() -> None:
    """At most 12 MB, whole heads-up no-limit hold'em of 200 big blinds; the header has the settings and the seed."""
    assert SHIPPED.stat().st_size <= MOST_BYTES
    header = shipped_header()
    game = cp.load(header.game)
    assert isinstance(game, NoLimitHoldem)
    assert (game.seats, game.stack, game.deck.size, game.board) == (2, 200, 52, (0, 3, 1, 1))
    made = header.made
    assert (made["by"], made["settings"]["method"], made["settings"]["seed"]) == ("training", "external", 0)
    page = (Path(__file__).parents[2] / "docs" / "blueprints.md").read_text()
    assert made["commands"] == list(COMMANDS)
    assert "\n".join(COMMANDS) in page
    assert f"-n {made['iterations']} " in COMMANDS[1]
    assert shipped_training() == f"{made['iterations']:,} hands of external sampling, seed 0"


@pytest.mark.slow
def test_agents_share_it_and_read_it_late() -> None:
    """Naming the agent reads only the header; all agents, and copies of them, follow the same tables."""
    agent = cp.make_agent("blueprint(translation=nearest)")
    assert isinstance(agent, BlueprintAgent)
    assert (agent.name, agent.home) == ("blueprint(translation='nearest')", shipped_header().game)
    assert "blueprint" not in vars(agent)
    assert agent.blueprint is shipped_blueprint()
    assert pickle.loads(pickle.dumps(agent)).blueprint is shipped_blueprint()
    assert cp.make_agent(agent.name) == agent


def test_it_plays_with_smaller_stacks_and_other_bets() -> None:
    """Any bet is answered legally, also with other stacks, which it says once; hands follow from translation."""
    notes: list[str] = []

    class Notes(cp.SilentProgress):
        def note(self, sentence: str) -> None:
            notes.append(sentence)

    game = "no_limit_holdem(stack=40, sizes=['33%', '75%', allin])"
    found = cp.match(game, ["blueprint", "random"], 15, seed=1, duplicate=True, progress=Notes())
    assert not any(sum(agent.forfeits.values()) for agent in found.agents), found.agents[0].first_fault
    assert notes == [
        "blueprint was made for stacks of 20,000 chips: with these it plays by translation, worse than with those"
    ]
    seated = cp.make_agent("blueprint").sit(cp.load(game), 0, Random(0))
    aces = seated.mixed(cp.Observation(0, ("b4000",), "AhAs", ("f", "c"), ""))  # type: ignore[attr-defined]
    assert aces.get("f", 0.0) < 0.01
    rags = seated.mixed(cp.Observation(0, ("b4000",), "7s2h", ("f", "c"), ""))  # type: ignore[attr-defined]
    assert rags["f"] > 0.9


@pytest.mark.long
def test_litmus() -> None:
    """Aces and the nuts never fold, and stronger hands call more."""
    assert [one.passed for one in litmus_tests(shipped_blueprint())] == [True, True, True]


@pytest.mark.long
@pytest.mark.parametrize("opponent", ["always-call", "always-raise", "always-fold", "random", "probe"])
def test_no_built_in_agent_beats_it(opponent: str) -> None:
    """100,000 deals in both seats: the lower end of the 95 % interval is above 0."""
    found: Any = cp.match(shipped_header().game, ["blueprint", opponent], 100_000, duplicate=True, progress=False)
    assert found.compiled
    assert found.agents[0].mean - found.agents[0].ci95 > 0

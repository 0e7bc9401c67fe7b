"""The arena: every pair plays, its cross table agrees with exact values, it is kept and continued."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.evaluation.arena import ready_agents
from counterpoise.progress import CancelToken, SilentProgress


@pytest.fixture(scope="module")
def leduc(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Two saved strategies of Leduc hold'em, a poor one and a good one."""
    folder = tmp_path_factory.mktemp("leduc")
    for name, iterations in (("poor", 3), ("good", 100)):
        cp.solve("leduc_poker", "cfr", iterations=iterations, progress=False).save(folder / f"{name}.cpz")
    return f"strategy:{folder}/poor.cpz", f"strategy:{folder}/good.cpz"


@cache
def exact_value(own: str, other: str) -> float:
    """Return what an agent wins per hand of Leduc hold'em over both seats, by the tree."""
    tree = cp.enumerate_game("leduc_poker")
    first = tree.form.first_sequence.astype(np.int64)
    owner = np.repeat(np.arange(2), np.diff(first))
    flats: list[Any] = [cp.make_agent(name).tabulate(tree) for name in (own, other)]
    won = 0.0
    for seat in (0, 1):
        joined = np.where(owner == seat, flats[0], flats[1])
        won += cp.expected_value(tree.game, cp.Strategy(tree.name, tree.table, joined))[seat] / 2
    return won


def test_cells_agree_with_exact_values(leduc: tuple[str, str]) -> None:
    """Every cell is the expected value of the pair, money within its interval, AIVAT exactly; and all columns of the
    table.
    """
    agents = [*leduc, "random", "probe"]
    found = cp.arena(agents, "leduc_poker", 500, seed=3, memory=False, progress=False)
    assert {agent.name for agent in found.agents} == set(agents)
    assert len(found.matches) == 12
    for one in found.matches:
        value = exact_value(one.agent, one.opponent)
        assert abs(one.mean - value) <= 1.7 * one.ci95  # twelve intervals, six of them independent
        mean, width = one.figures
        assert mean == one.aivat_mean
        assert abs(mean - value) <= max(1.7 * width, 1e-9)
    for row, column in itertools.permutations(range(4), 2):
        assert found.table.values[row][column] == pytest.approx(-found.table.values[column][row], abs=1e-12)
    for agent in found.agents:
        values = [one.figures[0] for one in found.matches if one.agent == agent.name]
        assert agent.mean == pytest.approx(np.mean(values))
        assert agent.seconds_per_hand is not None
        assert agent.seconds_per_hand > 0
        assert (agent.hands_played, agent.forfeits) == (3 * 1000, 0)
    means = [agent.mean for agent in found.agents]
    assert means == sorted(means, reverse=True)
    assert [agent.rank for agent in found.agents] == [1, 2, 3, 4]


@dataclass
class Silent(cp.Agent):
    """Says nothing about other hands."""

    def act(self, observation: Any) -> str:
        return "c"


@pytest.mark.long
def test_local_best_response_and_memory() -> None:
    """In hold'em for two the column says what anybody can win; always-fold loses 750 mbb exactly."""
    found = cp.arena(["always-fold", Silent()], "limit_holdem(ranks=4)", 20, lbr_hands=10, progress=False)
    told = {agent.name: agent for agent in found.agents}
    assert (told["always-fold"].lbr, told["always-fold"].lbr_ci95) == (750.0, 0.0)
    memory = told["always-fold"].memory_mb
    assert memory is not None
    assert 0 <= memory < 100
    assert (told["Silent"].lbr, told["Silent"].memory_mb) == (None, None)
    assert found.unit == "mbb"


def test_with_three_seats_one_plays_against_the_field() -> None:
    """Each agent sits alone once in every seat; the same agent in all seats would win 0."""
    game = "limit_holdem(seats=3, ranks=4, board=[0, 3])"
    found = cp.arena(["always-raise", "always-fold", "always-raise"], game, 4, memory=False, progress=False)
    assert {(one.agent, one.opponent) for one in found.matches} == set(
        itertools.permutations(("always-raise", "always-fold", "always-raise#2"), 2)
    )
    cells = {(one.agent, one.opponent): one for one in found.matches}
    assert cells["always-raise", "always-raise#2"].figures == pytest.approx((0.0, 0.0))
    assert cells["always-raise", "always-fold"].mean == 1000  # 3, 2 and 1 chips, by seat
    assert all(agent.lbr is None for agent in found.agents)


class Stopper(SilentProgress):
    """Asks to stop when the second match begins."""

    def __init__(self, cancel: CancelToken) -> None:
        self.cancel, self.notes = cancel, 0

    def note(self, sentence: str) -> None:
        self.notes += sentence.startswith("match")
        if self.notes == 2:
            self.cancel.cancel()


def test_stopped_and_continued(tmp_path: Path) -> None:
    """What was played is kept, and a continued arena plays the same hands as one that was never stopped."""
    agents, words = ["always-call", "probe", "random"], {"seed": 1, "memory": False, "lbr_hands": 2}
    game, token = "limit_holdem(board=[0, 3], ranks=4)", CancelToken()
    stopped = cp.arena(agents, game, 16, resume=tmp_path / "arena", progress=Stopper(token), cancel=token, **words)
    assert stopped.interrupted
    assert len(stopped.matches) == 2
    assert [agent.rank for agent in stopped.agents] == [1, 2, None]
    assert json.loads(json.dumps(stopped.to_json(), allow_nan=False))["agents"][2]["mean"] is None
    whole = cp.arena(agents, game, 16, progress=False, **words)
    again = cp.arena(agents, game, 16, resume=tmp_path / "arena", progress=False, **words)
    assert again.matches == whole.matches
    assert [(one.name, one.lbr) for one in again.agents] == [(one.name, one.lbr) for one in whole.agents]
    more = cp.arena([*agents, "always-fold"], game, 16, resume=tmp_path / "arena", progress=False, **words)
    kept = [one for one in more.matches if "always-fold" not in (one.agent, one.opponent)]
    assert sorted(map(str, kept)) == sorted(map(str, whole.matches))
    with pytest.raises(cp.InputError, match="is of another match: its seed is 1, not 2"):
        cp.arena(agents, game, 16, resume=tmp_path / "arena", progress=False, **(words | {"seed": 2}))


def test_agents_that_tell_nothing(tmp_path: Path) -> None:
    """Two agents that are not known are compared by money, and have no local best response."""
    found = cp.arena([Silent(), Silent()], "limit_holdem(ranks=4)", 30, memory=False, progress=False)
    assert all(one.aivat_mean is None and one.figures == (one.mean, one.ci95) for one in found.matches)
    assert all(agent.lbr is None for agent in found.agents)
    found.save(tmp_path / "arena.json")
    assert json.loads((tmp_path / "arena.json").read_text())["unit"] == "mbb"


def test_who_is_ready(leduc: tuple[str, str]) -> None:
    """Without names all play that need no file and suit the game."""
    assert [agent.name for agent in ready_agents(cp.load("leduc_poker"))] == [
        "always-call",
        "always-fold",
        "always-raise",
        "deep-cfr",
        "probe",
        "random",
    ]
    assert [agent.name for agent in ready_agents(cp.load("liars_dice"))] == ["random", "rebel"]
    assert [agent.name for agent in ready_agents(cp.load("liars_dice(faces=3)"))] == ["random"]
    names = {agent.name for agent in ready_agents(cp.load("no_limit_holdem"))}
    assert "blueprint" in names
    assert not names & {"libratus", "modicum", "pluribus"}  # they search
    found = cp.arena(game="kuhn_poker", hands=20, memory=False, progress=False)
    assert len(found.agents) == 5
    assert not any(math.isnan(agent.mean) for agent in found.agents)


@pytest.mark.parametrize(
    ("agents", "game", "sentence"),
    [
        (["blueprnt", "random"], None, "unknown agent 'blueprnt': did you mean blueprint"),
        (["strategy:none.cpz", "random"], None, "none.cpz does not exist"),
        (["random"], "kuhn_poker", "an arena needs at least 2 agents that can play kuhn_poker, not 1"),
        (["human", "random"], "kuhn_poker", "human is no agent for an arena"),
        (["blueprint", "random"], "leduc_poker", "it plays no_limit_holdem only"),
        (["blueprint", "random"], "no_limit_holdem(seats=3)", "it has a strategy for 2 seats, not 3"),
        (["blueprint", "random"], "no_limit_holdem(ranks=9)", "it knows a deck of 52 cards, not 36"),
        (["blueprint", "random"], "no_limit_holdem(board=[0, 3])", "its rounds have 0, 3, 1, 1 new public cards"),
        (["blueprint", "random"], "no_limit_holdem(stack=300)", "stacks must be at most 20,000 chips"),
        (["blueprint", "random"], "no_limit_holdem(blinds=[50, 150])", "blinds must be in the proportion of 50, 100"),
    ],
)
def test_wrong_input(agents: list[str], game: str | None, sentence: str) -> None:
    with pytest.raises(cp.InputError, match=sentence.replace("(", "\\(")):
        cp.arena(agents, game, 10, memory=False, progress=False)

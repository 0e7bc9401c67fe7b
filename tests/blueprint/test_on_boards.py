"""Blueprints as exact best responses ask them: all lines of a round at once, board by board."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction import CardAbstraction
from counterpoise.agents.blueprint import BlueprintAgent
from counterpoise.blueprint import Blueprint, on_boards
from counterpoise.evaluation.best_response.enumerated import profile_of_players
from counterpoise.tree.evaluation import evaluate


@pytest.mark.parametrize("most_bytes", [on_boards.MOST_BYTES, 0])
def test_best_response_to_a_blueprint(
    blueprint: Blueprint, small: Any, monkeypatch: pytest.MonkeyPatch, most_bytes: int
) -> None:
    """By buckets, or hand by hand where tables of all buckets are too large: what the enumerated tree finds."""
    monkeypatch.setattr(on_boards, "MOST_BYTES", most_bytes)
    agent = BlueprintAgent.of(blueprint)
    assert not cp.estimate_best_response(small, agent).line_by_line
    found = cp.best_response_to(small, agent, progress=False)
    tree = cp.enumerate_game(small)
    players = [agent.sit(small, seat, Random(0)) for seat in range(2)]
    best = evaluate(tree, profile_of_players(tree, players)).best
    np.testing.assert_allclose(found.best_response_value, best * 500, rtol=0, atol=1e-9)


def test_play_on_a_board_is_that_of_each_line(small: Any, coarse: CardAbstraction) -> None:
    random = np.random.default_rng(1)
    size = Blueprint.uniform(small, coarse).layout.size
    player = Blueprint(small, coarse, random.random(size).astype(np.float32)).player(0)
    lines = ((("c", "c"), ()), (("b4", "c"), ("c", "b8")))
    play = player.play_on_boards(lines)((51 - 3, 40, 36))
    for place, public in enumerate((("c", "c", "AsQsJs"), ("b4", "c", "AsQsJs", "c", "b8"))):
        told = player.probabilities(public)
        live = told.table.any(axis=1)
        ours = play.table[place][play.group[live], : len(told.actions)]
        np.testing.assert_allclose(ours, told.table[live], rtol=0, atol=1e-15)


def test_other_bets_are_asked_one_by_one(blueprint: Blueprint) -> None:
    other = cp.load("limit_holdem(board=[0, 3], ranks=8, suits=1, max_bets=1)")
    assert cp.estimate_best_response(other, BlueprintAgent.of(blueprint)).line_by_line

"""Leduc hold'em by beliefs that tell suits apart: the same exploitability as the rule book has, merged or not."""

from __future__ import annotations

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.deep.rebel.evaluation import play_through
from counterpoise.deep.rebel.leduc import leduc_beliefs, leduc_strategy
from counterpoise.deep.rebel.search import BeliefSolver, SearchSettings
from counterpoise.deep.rebel.values import ZeroValues
from counterpoise.deep.rebel.whole import WholeGame
from counterpoise.games.leduc import LeducPoker

MERGED, APART = LeducPoker(), LeducPoker(merge_suits=False)


@pytest.fixture(scope="module")
def whole() -> WholeGame:
    return WholeGame(leduc_beliefs(MERGED))


@pytest.mark.slow
@pytest.mark.parametrize("unsafe", [True, False])
def test_the_strategy_is_as_exploitable_as_what_is_played(whole: WholeGame, unsafe: bool) -> None:
    """With suits apart exploitability is the same number by other code; the mean over suits is at most as exploitable,
    and as much where play treats suits alike, as final averages without a network do."""
    solver = BeliefSolver(whole.game, ZeroValues(whole.game), SearchSettings(iterations=16), 64)
    played = play_through(whole, solver, 3, np.random.default_rng(0), unsafe=unsafe)
    found = whole.exploitability(played)
    assert cp.exploitability(APART, leduc_strategy(APART, whole, played)) == pytest.approx(found, abs=1e-9)
    merged = cp.exploitability(MERGED, leduc_strategy(MERGED, whole, played))
    assert merged == pytest.approx(found, abs=1e-6) if unsafe else 0 < merged <= found


def test_decisions_know_the_public_card(whole: WholeGame) -> None:
    paths = {decision.path for decision in whole.decisions()}
    assert ("c", "r", "c", "Kh", "c") in paths
    assert len(paths) == 6 + 5 * 6 * 6

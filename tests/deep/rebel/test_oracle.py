"""Search with solved leaves: which form converges, and that a drawn iteration is the average in expectation."""

from __future__ import annotations

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.deep.rebel.beliefs import IntArray
from counterpoise.deep.rebel.evaluation import play_through
from counterpoise.deep.rebel.liars_dice import liars_dice_beliefs, two_level_dice
from counterpoise.deep.rebel.rounds import round_beliefs
from counterpoise.deep.rebel.search import BeliefSolver, SearchSettings
from counterpoise.deep.rebel.solved_leaves import OracleSearch, OracleValues
from counterpoise.deep.rebel.whole import WholeGame
from counterpoise.errors import InputError
from counterpoise.games.liars_dice import LiarsDice


@pytest.mark.long
def test_forms_of_search_on_dice() -> None:
    """With solved leaves CFR-D converges faster than the sound CFR-AVG, in Liar's Dice with three faces."""
    game = two_level_dice(LiarsDice(faces=3))
    found = {}
    for algorithm in ("cfr-d", "sound-cfr-avg"):
        search = OracleSearch(game, algorithm, inner=200)
        for _ in range(128):
            search.step()
        found[algorithm] = search.exploitability()
    assert found["cfr-d"] < 0.008
    assert found["cfr-d"] < found["sound-cfr-avg"] < 0.02


@pytest.mark.long
def test_forms_of_search_on_leduc() -> None:
    """In Leduc CFR-D has 0.053 after 128 iterations; solving leaves once more for the average is worse."""
    game = round_beliefs(cp.load("leduc_poker(merge_suits=False)"))
    searches = [OracleSearch(game, name, inner=200) for name in ("cfr-d", "sound-cfr-avg")]
    worst = 0.0
    for t in range(1, 129):
        for search in searches:
            search.step()
        if t % 8 == 0:
            worst = max([worst, *(search.unsafe_exploitability() / search.exploitability() for search in searches)])
    assert searches[0].exploitability() == pytest.approx(0.053, rel=0.25)
    assert searches[1].exploitability() > searches[0].exploitability()
    assert worst >= 1.5


class OneIteration(SearchSettings):
    """Settings that always draw the same iteration."""

    wanted = 1

    def draw(self, random: np.random.Generator, count: int, skipped: int = 0) -> IntArray:
        return np.full(count, self.wanted)


@pytest.mark.slow
def test_drawn_iterations_are_the_average_in_expectation() -> None:
    """Brown 2020, theorem 26: the mean over all iterations of what is played equals the average of CFR-D, leaves
    included.
    """
    game = two_level_dice(LiarsDice(faces=2))
    whole, iterations, inner = WholeGame(game), 12, 60
    search = OracleSearch(game, "cfr-d", inner)
    total = whole.new_table()
    for t in range(1, iterations + 1):
        search.step()
        settings = OneIteration(iterations=iterations, alternating=False)
        object.__setattr__(settings, "wanted", t)
        solver = BeliefSolver(game, OracleValues(whole, inner), settings, 64, np.float64)
        ending = search.below.solver
        total += t * play_through(whole, solver, 1, np.random.default_rng(0), ending)
    assert search.total == pytest.approx(total, abs=1e-6)
    assert search.exploitability() == pytest.approx(whole.exploitability(total), abs=1e-6)


def test_a_game_of_more_levels_is_refused() -> None:
    """The trunk must be followed by subgames that reach the end."""
    with pytest.raises(InputError, match="two levels"):
        OracleSearch(liars_dice_beliefs(LiarsDice(faces=3)))

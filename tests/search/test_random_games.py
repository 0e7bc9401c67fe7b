"""Safe search is safe in any small game, whatever the blueprint; unsafe search is not."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.search import search_subgame, write_part
from counterpoise.search.everywhere import SearchEverywhere, SearchPlan
from counterpoise.tree import Strategy, enumerate_game
from tests.search.blueprints import noisy_solution, random_strategy
from tests.search.random_games import RandomGame
from tests.search.test_safety import SAFE

ERROR = 0.02
"""Of 1,500 iterations, at most, to any hand."""


def sparse_strategy(game, seed):
    """Half of the actions are never taken, so that many hands arrive nowhere."""
    tree, draw = enumerate_game(game), np.random.default_rng(seed)
    strategy = Strategy.uniform(tree)
    for start, actions in zip(tree.table.start.tolist(), tree.table.actions, strict=True):
        weights = draw.random(len(actions)) * (draw.random(len(actions)) < 0.5)
        weights[draw.integers(len(actions))] += 0.1
        strategy.probabilities[start : start + len(actions)] = weights / weights.sum()
    return strategy


def near_solution(game, seed):
    """Little is left to gain, so that what is lost shows."""
    return noisy_solution(game, seed, noise=0.02)


def random_poker(seed):
    """One-card or Leduc poker with bets of random sizes."""
    draw = np.random.default_rng([3, seed])
    sizes = [sorted(draw.uniform(0.2, 3, size=count).round(2).tolist()) for count in draw.integers(1, 3, size=2)]
    one_card = f"one_card_poker(ranks={draw.integers(2, 5)},fractions={sizes},max_bets=[1,1])".replace(" ", "")
    bets = draw.integers(1, 9, size=2).tolist()
    leduc = f"leduc_poker(ranks={draw.integers(2, 5)},bets={bets},max_raises=1)".replace(" ", "")
    return (one_card, leduc)[seed % 2]


BLUEPRINTS = (random_strategy, sparse_strategy, near_solution)
CASES = {
    f"{name}, {blueprint.__name__}, {seed}": (make, blueprint, seed)
    for name, make, seeds in (("random", RandomGame, range(6)), ("poker", random_poker, range(3)))
    for seed in seeds
    for blueprint in (BLUEPRINTS[seed % 3],)
}


def gains(whole, plan, iterations=1_500):
    """What a best response to each seat's searched strategy wins more than before, and the solver's error to a hand."""
    profile, error, searched = whole.blueprint.copy(), [0.0, 0.0], 0
    for searcher in range(2):
        for history in whole.places:
            if whole.subgame(history, searcher) is None:
                continue  # the searcher never gets there
            found = whole.search(history, searcher, plan, iterations)
            assert np.isfinite(found.strategy.probabilities).all()
            if plan.method != "unsafe":
                error[searcher] = max(error[searcher], -float(np.nanmin(found.margins)))
            write_part(profile, history, found.average, searcher)
            searched += 1
    assert searched > 0
    before, after = whole.judge().losses, whole.judge(profile).losses
    return [late - early for early, late in zip(before, after, strict=True)], error


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_4_safe_search_never_raises_exploitability(case):
    """Resolving and maxmargin, with and without gifts: not by more than the solver's own error, for either seat."""
    make, blueprint, seed = case
    game = make(seed)
    whole = SearchEverywhere(game, blueprint(game, seed))
    for name, plan in SAFE.items():
        gained, error = gains(whole, plan)
        assert max(error) <= ERROR, name
        for seat in range(2):
            assert gained[seat] <= error[seat] + 1e-4, name


@pytest.mark.slow
def test_4_unsafe_search_does_raise_it():
    """On the same games, where blueprints are nearly solutions: so that the promise of the others says something."""
    worst = max(
        max(gains(SearchEverywhere(game, near_solution(game, seed)), SearchPlan(method="unsafe"), 300)[0])
        for seed in range(6)
        for game in (RandomGame(seed),)
    )
    assert worst > 0.02


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_23_no_number_is_missing_anywhere(seed):
    """Hands and players that never arrive, no spread at all, decisions without a choice: all figures are numbers."""
    game = RandomGame(seed, fewest=1)
    whole = SearchEverywhere(game, sparse_strategy(game, seed))
    for searcher in range(2):
        for history in whole.places:
            found = whole.subgame(history, searcher)
            if found is None:
                continue
            for opponents in (found, found.with_ranges({found.opponent: np.zeros(len(found.mass))})):
                alternative = whole.alternative(history, searcher, SearchPlan(gifts="exact"))
                results = [search_subgame(opponents.with_full_opponent_range_if_empty(), "unsafe", iterations=7)]
                for method in ("resolve", "maxmargin", "distributional"):
                    for rule in ("step", "hedge"):
                        options = {"alternative": alternative, "spread": 0.0, "rule": rule}
                        results.append(search_subgame(opponents, method, iterations=7, **options))
                for result in results:
                    assert np.isfinite(result.strategy.probabilities).all()
                    for figures in (result.values, result.best_values):
                        np.testing.assert_array_equal(np.isfinite(figures), found.mass > 0)
                    if result.entry is not None:
                        assert ((result.entry >= 0) & (result.entry <= 1 + 1e-6)).all()
                        assert (result.entry[found.mass <= 0] == 0).all()


@pytest.mark.parametrize("seed", range(4))
def test_random_games_are_games(seed):
    """Their rules are consistent, and the public tree is worth what linear programming says."""
    game = RandomGame(seed)
    cp.check_game(game)
    whole = SearchEverywhere(game, Strategy.uniform(enumerate_game(game)), [()])
    found = whole.search_all(SearchPlan(method="unsafe"), 1_000)
    assert found.losses[1] == pytest.approx(cp.exact(game).value[0], abs=0.01)

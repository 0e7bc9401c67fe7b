"""Maxmargin by its gadget against linear programming, which shares no code with it (Brown 2020, section 5.1.2)."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.public import build_dense
from counterpoise.search.everywhere import SearchEverywhere, SearchPlan
from counterpoise.search.maxmargin_lp import best_with_trunk_lp, maxmargin_lp
from counterpoise.tree import Strategy, enumerate_game
from tests.search.blueprints import noisy_solution, random_strategy
from tests.search.random_games import RandomGame

SMALL = "one_card_poker(ranks=3)"
PICKS = ((("c", "c", "Q"), 0), (("r", "c", "J"), 1), (("c", "r", "r", "c", "K"), 0), (("r", "r", "c", "Q"), 1))


def with_choices(strategy, player, choices):
    """The strategy with one player's choices put in."""
    out = Strategy(strategy.game, strategy.table, strategy.probabilities.copy())
    for label, chosen in choices.items():
        start = int(out.table.start[out.table.find((player, label))])
        out.probabilities[start : start + len(chosen)] = list(chosen.values())
    return out


def second_round(tree, seat):
    return {label for player, label in tree.table if player == seat and "/" in label}


@pytest.mark.parametrize(("history", "searcher"), PICKS, ids=lambda value: "".join(map(str, np.atleast_1d(value))))
@pytest.mark.parametrize("gifts", ["none", "exact"])
def test_5_gadget_and_linear_programme_agree(history, searcher, gifts):
    """The smallest margin of both, no margin below 0, and the value of the gadget to the opponent."""
    whole = SearchEverywhere(SMALL, random_strategy(SMALL, 5), [history])
    plan = SearchPlan(gifts=gifts)
    alternative = whole.alternative(history, searcher, plan)
    exact = maxmargin_lp(whole.subgame(history, searcher), alternative)
    found = whole.search(history, searcher, plan, 4_000)
    smallest = np.nanmin(found.margins)
    assert smallest == pytest.approx(exact.margin, rel=0.01, abs=1e-3)
    assert smallest >= -1e-3
    value = np.nansum(found.entry * (found.values - alternative))  # both average strategies against each other
    assert value == pytest.approx(-exact.margin, rel=0.02, abs=5e-3)


@pytest.mark.parametrize(("seed", "searcher"), [(1, 0), (1, 1), (6, 0), (6, 1)])
def test_5_gadget_and_linear_programme_agree_where_hands_differ_in_mass(seed, searcher):
    """Hands that meet much and hands that meet little: entering with one is weighed by 1/N, and only the margin counts.

    The searcher's strategy of the gadget leaves every hand as much as that of the programme, up to the smallest margin.
    """
    game = RandomGame(seed)
    whole = SearchEverywhere(game, random_strategy(game, seed))
    spread = []
    for history in whole.places:
        found = whole.subgame(history, searcher)
        alternative = whole.alternative(history, searcher, SearchPlan())
        exact = maxmargin_lp(found, alternative)
        result = whole.search(history, searcher, SearchPlan(), 3_000)
        assert np.nanmin(result.margins) == pytest.approx(exact.margin, rel=0.01, abs=3e-3)
        met = found.mass[found.mass > 0]
        spread.append(met.max() / met.min())
    assert max(spread) > 4


def test_5_the_linear_programme_keeps_its_promise():
    """Its strategy, played in the subgame, leaves every hand of the opponent what the programme says, or less."""
    history, searcher = PICKS[0]
    blueprint = random_strategy(SMALL, 6)
    whole = SearchEverywhere(SMALL, blueprint, [history])
    alternative = whole.alternative(history, searcher, SearchPlan())
    exact = maxmargin_lp(whole.subgame(history, searcher), alternative)
    subgame = whole.subgame(history, searcher)
    played = subgame.dense.profile(with_choices(blueprint, searcher, exact.strategy))
    best = subgame.root_values(played, best=True)
    assert (best <= exact.values + 1e-5).all()
    assert (alternative - best).min() == pytest.approx(exact.margin, abs=1e-5)


def test_limits_keep_estimates_safe():
    """Alternatives far too low for one hand hurt others, but not with the blueprint's values as limits."""
    history, searcher = PICKS[0]
    whole = SearchEverywhere(SMALL, noisy_solution(SMALL, 2), [history])
    limits = whole.alternative(history, searcher, SearchPlan())
    wrong = limits - np.array([8.0, 0.0, 0.0])
    subgame = whole.subgame(history, searcher)
    free, safe = maxmargin_lp(subgame, wrong), maxmargin_lp(subgame, wrong, limits)
    assert (free.values > limits + 1e-3).any()
    assert (safe.values <= limits + 1e-6).all()
    assert safe.margin < free.margin


@pytest.mark.parametrize("searcher", [0, 1])
def test_the_best_with_a_fixed_trunk(searcher):
    """With the whole game inside it is an equilibrium strategy; with an equilibrium's trunk it loses nothing either."""
    tree = enumerate_game(SMALL)
    value, solved = cp.exact(SMALL)
    for trunk, inside in (
        (random_strategy(SMALL, 1), {label for player, label in tree.table if player == searcher}),
        (solved, second_round(tree, searcher)),
    ):
        best = with_choices(trunk, searcher, best_with_trunk_lp(tree.game, searcher, trunk, inside))
        assert cp.best_response(SMALL, best, 1 - searcher).value == pytest.approx(value[1 - searcher], abs=1e-6)


def test_the_best_with_a_fixed_trunk_by_iterations():
    """`SearchEverywhere.best_with_trunk`, which hold'em has too, finds what the linear programme does."""
    tree, trunk = enumerate_game(SMALL), random_strategy(SMALL, 7)
    judged = SearchEverywhere(SMALL, trunk).best_with_trunk(2_000)
    for searcher in range(2):
        inside = second_round(tree, searcher)
        best = with_choices(trunk, searcher, best_with_trunk_lp(tree.game, searcher, trunk, inside))
        least = cp.best_response(SMALL, best, 1 - searcher).value
        assert judged.losses[searcher] == pytest.approx(least, abs=2e-3)


@pytest.mark.parametrize("error", [0.0, 0.01, 0.1])
def test_7_estimates_within_an_error(error):
    """Brown 2020, theorem 21: alternatives off by at most d cost at most 2 d of exploitability."""
    searcher, tree = 1, enumerate_game(SMALL)
    blueprint = random_strategy(SMALL, 7)
    best = with_choices(
        blueprint, searcher, best_with_trunk_lp(tree.game, searcher, blueprint, second_round(tree, searcher))
    )
    game = build_dense(SMALL)
    target, whole = SearchEverywhere(game, best), SearchEverywhere(game, blueprint)
    draw, searched = np.random.default_rng(0), blueprint
    for history in whole.places:
        values = target.alternative(history, searcher, SearchPlan())
        noise = draw.uniform(-error, error, len(values))
        answer = maxmargin_lp(whole.subgame(history, searcher), values + noise)
        searched = with_choices(searched, searcher, answer.strategy)
    least, got = (cp.best_response(SMALL, strategy, 0).value for strategy in (best, searched))
    assert got <= least + 2 * error + 1e-4
    assert got >= least - 1e-6
    assert cp.best_response(SMALL, blueprint, 0).value > least + 0.2

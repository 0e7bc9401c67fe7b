"""Search in all subgames of a game, put together and judged."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.public import build_dense
from counterpoise.search import search_subgame, with_part
from counterpoise.search.everywhere import SearchEverywhere, SearchPlan, after_chance
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.solvers.run import make_algorithm
from counterpoise.tree import Strategy, enumerate_game
from tests.search.blueprints import random_strategy

SMALL = "one_card_poker(ranks=3)"


def test_9_value_of_leduc_on_the_public_tree():
    """-0.0856 antes for the first player."""
    solver = PublicSolver(make_algorithm("cfr+"), build_dense("leduc_poker"))
    solver.step(1_500)
    assert solver.values()[0] == pytest.approx(-0.0856, abs=5e-4)


def test_where_the_second_round_begins():
    game = build_dense(SMALL)
    histories = ["".join(game.history(node)) for node in after_chance(game)]
    assert len(histories) == 5 * 3
    assert {history[:-1] for history in histories} == {"cc", "crc", "crrc", "rc", "rrc"}
    assert after_chance(build_dense("kuhn_poker")) == []


def test_nothing_searched_is_the_blueprint():
    strategy = random_strategy(SMALL, 0)
    whole = SearchEverywhere(SMALL, strategy, [])
    judged = whole.search_all(SearchPlan(), 10)
    np.testing.assert_allclose(judged.strategy.probabilities, strategy.probabilities, atol=1e-6)
    assert judged.exploitability == pytest.approx(cp.exploitability(SMALL, strategy))
    for seat in range(2):
        assert judged.losses[seat] == pytest.approx(cp.best_response(SMALL, strategy, 1 - seat).value)


def test_search_changes_the_subgames_only():
    strategy = random_strategy(SMALL, 1)
    whole = SearchEverywhere(SMALL, strategy, [("c", "c", "Q")])
    found, before = whole.search_all(SearchPlan(), 50).strategy, whole.judge().strategy
    changed = {label for player, label in found.table if found[player, label] != before[player, label]}
    assert changed
    assert all("cc/Q:" in label for label in changed)


def test_searches_do_not_depend_on_those_before():
    """The same search again, after others in the same subgames, gives the same strategy."""
    whole = SearchEverywhere(SMALL, random_strategy(SMALL, 2), [("r", "c", "K"), ("c", "c", "J")])
    first = whole.search_all(SearchPlan(), 40).strategy
    for method in ("unsafe", "resolve"):
        whole.search_all(SearchPlan(method=method), 15)
    assert whole.search_all(SearchPlan(), 40).strategy == first


def test_unsafe_search_of_the_whole_game_solves_it():
    """Rooted at the start of the game there is nothing that the opponent could have done before."""
    whole = SearchEverywhere("kuhn_poker", random_strategy("kuhn_poker", 0), [()])
    assert whole.search_all(SearchPlan(method="unsafe"), 2_000).exploitability < 1e-3


@pytest.mark.parametrize("method", ["unsafe", "resolve", "maxmargin", "distributional"])
def test_23_places_that_nobody_reaches(method):
    """Where the searcher never goes the blueprint stays; where the opponent never goes search still answers."""
    tree = enumerate_game(SMALL)
    never = {(0, f"{card}:"): {"c": 1.0} for card in "JQK"}
    whole = SearchEverywhere(SMALL, Strategy.from_mapping(tree, never), [("r", "c", "Q")])
    judged = whole.search_all(SearchPlan(method=method), 30)
    found, before = judged.strategy, whole.judge().strategy
    assert np.isfinite(found.probabilities).all()
    for player, label in found.table:
        assert sum(found[player, label].values()) == pytest.approx(1)
        if player == 0:
            assert found[player, label] == before[player, label]
    assert any(found[1, label] != before[1, label] for player, label in found.table if player == 1)
    with pytest.raises(InputError, match="never gets to 'r c Q'"):
        whole.search(("r", "c", "Q"), 0, SearchPlan(method=method))


def test_what_search_found_in_a_whole_strategy():
    """`cp.search_subgame` and `with_part`, place by place, are `search_all`."""
    game, plan = "leduc_poker", SearchPlan(method="resolve")
    whole = SearchEverywhere(game, random_strategy(game, 1))
    blueprint = strategy = whole.judge().strategy
    for searcher in range(2):
        for place in whole.places:
            found = whole.subgame(place, searcher)
            alternative = whole.root_values(place, searcher)
            result = cp.search_subgame(found, "resolve", alternative=alternative, rule="step", iterations=5)
            strategy = with_part(strategy, result.strategy, searcher)
    judged = whole.search_all(plan, 5)
    np.testing.assert_allclose(strategy.probabilities, judged.strategy.probabilities, atol=1e-6)
    assert cp.exploitability(game, strategy) == pytest.approx(judged.exploitability, rel=1e-5)
    assert cp.exploitability(game, strategy) < cp.exploitability(game, blueprint)
    assert cp.search_subgame is search_subgame
    with pytest.raises(InputError, match="player must be seat 0 or 1, not 2"):
        with_part(strategy, result.strategy, 2)


@pytest.mark.slow
def test_cards_that_are_told_apart():
    """With suits a card of the board is in nobody's hand; search gives what it gives without them."""
    plain, apart = (f"leduc_poker(merge_suits={merge})" for merge in (True, False))
    blueprint = random_strategy(plain, 3)
    tree = enumerate_game(apart)
    same = {}
    for player, label in tree.table:
        card, _, story = label.partition(":")
        first, slash, second = story.partition("/")
        merged = f"{card[0]}:{first}" + (f"/{second[0]}{second[2:]}" if slash else "")
        same[player, label] = blueprint[player, merged]
    judged = [
        SearchEverywhere(game, strategy).search_all(SearchPlan(method="resolve", gifts="exact"), 200)
        for game, strategy in ((plain, blueprint), (apart, Strategy.from_mapping(tree, same)))
    ]
    assert judged[1].losses == pytest.approx(judged[0].losses, abs=1e-3)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("method", "safe"),
        ("gifts", "most"),
        ("rule", "softmax"),
        ("scale", -1),
        ("scale", float("nan")),
        ("scale", float("inf")),
        ("scale", "1"),
        ("split", 1),
        ("estimate", None),
    ],
    ids=str,
)
def test_plans_that_make_no_sense(field, value):
    """They are refused before anything is searched."""
    with pytest.raises(InputError, match=f"{field} must be"):
        SearchPlan(**{field: value})


@pytest.mark.parametrize("inside", [("c", "c", "Q"), ("c",), ("c", "c", "Q", "c")], ids=" ".join)
def test_subgames_inside_one_another(inside):
    """Search in both would take the same decisions twice."""
    blueprint = random_strategy("leduc_poker", 0)
    with pytest.raises(InputError, match="histories must be of subgames that have nothing in common: 'c c Q"):
        SearchEverywhere("leduc_poker", blueprint, [("c", "c", "Q"), ("r", "c", "Q"), inside])

"""Wrong input to searches: one sentence that names the field, its value and what is allowed, and never a nan."""

import numpy as np
import pytest

from counterpoise.abstraction.translation import midpoint, share_of_smaller, translate
from counterpoise.errors import InputError
from counterpoise.public import build_dense
from counterpoise.search import search_subgame, subgame
from counterpoise.search.everywhere import SearchEverywhere, SearchPlan
from counterpoise.search.maxmargin_lp import best_with_trunk_lp, maxmargin_lp
from counterpoise.search.nested import play_nested
from counterpoise.search.nested_settings import NestedSearch
from counterpoise.search.one_shot import play_one_shot
from counterpoise.search.translation import Translator, play_translated, translated
from counterpoise.tree import Strategy, enumerate_game

KUHN, POKER = "kuhn_poker", "one_card_poker(ranks=3)"
NO_WHOLE = (0, -3, 1.5, True, float("nan"), "many", None)


@pytest.fixture(scope="module")
def whole():
    return build_dense(KUHN)


@pytest.fixture(scope="module")
def uniform():
    return Strategy.uniform(enumerate_game(KUHN))


@pytest.fixture
def part(whole, uniform):
    return subgame(whole, ["p"], uniform, 0)


@pytest.mark.parametrize("wrong", NO_WHOLE, ids=repr)
def test_counts_are_whole_numbers(part, wrong):
    says = "must be a whole number of at least 1, not "
    with pytest.raises(InputError, match=f"nested search: iterations {says}"):
        NestedSearch(iterations=wrong)
    with pytest.raises(InputError, match=f"^iterations {says}"):
        search_subgame(part, "unsafe", iterations=wrong)


def test_numbers_of_numpy_are_numbers(part):
    assert NestedSearch(iterations=np.int64(5)).iterations == 5
    assert search_subgame(part, "unsafe", iterations=np.int64(2)).entry is None
    assert translate(np.float32(0.5), [0.5, 1]) == {0.5: 1.0}


@pytest.mark.parametrize("wrong", [2, -1, True, 1.0, "first", None], ids=repr)
def test_seats_are_numbers(whole, uniform, wrong):
    profile = whole.profile(uniform)
    calls = {
        "searcher": [
            lambda: subgame(whole, ["p"], uniform, wrong),
            lambda: play_nested(whole, profile, wrong),
            lambda: best_with_trunk_lp(whole.rules, wrong, uniform, ()),
        ],
        "player": [
            lambda: translated(KUHN, KUHN, uniform, wrong),
            lambda: play_translated(whole, profile, wrong),
            lambda: play_one_shot(whole, profile, wrong),
        ],
    }
    for field, makes in calls.items():
        for make in makes:
            with pytest.raises(InputError, match=f"^{field} must be seat 0 or 1, not "):
                make()


@pytest.mark.parametrize("wrong", [-0.1, float("nan"), float("inf"), True, "much", None], ids=repr)
def test_amounts_are_numbers(wrong):
    with pytest.raises(InputError, match="sizes must be finite fractions of the pot"):
        translate(wrong, [0.5, 1])
    with pytest.raises(InputError, match="sizes must be finite fractions of the pot"):
        translate(0.7, [0.5, wrong])
    with pytest.raises(InputError, match="sizes must be finite fractions of the pot"):
        midpoint(wrong, 1)
    with pytest.raises(InputError, match="size must be a fraction of the pot between"):
        share_of_smaller(wrong, 0.5, 1)


@pytest.mark.parametrize(("size", "low", "high"), [(0.4, 0.5, 1), (1.1, 0.5, 1), (0.5, 0.5, 0.5), (0.7, 1, 0.5)])
def test_shares_are_between_two_sizes(size, low, high):
    with pytest.raises(InputError, match=r"size must be a fraction of the pot between .* and a larger"):
        share_of_smaller(size, low, high)


def test_translations_have_names(whole, uniform):
    with pytest.raises(InputError, match="translation must be pseudo-harmonic, midpoint or nearest, not 'best'"):
        Translator(whole.profile(uniform), 0, "best")


@pytest.mark.parametrize("method", ["resolve", "maxmargin", "distributional"])
@pytest.mark.parametrize(
    ("alternative", "says"),
    [
        (None, "needs an alternative per hand of the opponent"),
        ([0.0, 0.0], r"alternative must have 3 numbers, one per hand of the opponent, not \(2,\)"),
        (0.0, r"alternative must have 3 numbers, one per hand of the opponent, not \(\)"),
        ([0.0, np.nan, 0.0], "the alternative of hand 1 must be a number that float32 can hold, not nan"),
        ([0.0, 0.0, -np.inf], "the alternative of hand 2 must be a number that float32 can hold, not -inf"),
        ([1e39, 0.0, 0.0], r"the alternative of hand 0 must be a number that float32 can hold, not 1e\+39"),
        (["a", "b", "c"], r"alternative must be numbers, not \['a', 'b', 'c'\]"),
    ],
    ids=["none", "too few", "one for all", "nan", "infinite", "too large", "words"],
)
def test_alternatives_are_needed_for_every_hand(part, method, alternative, says):
    with pytest.raises(InputError, match=says):
        search_subgame(part, method, alternative=alternative, iterations=1)
    if alternative is not None:
        with pytest.raises(InputError, match=says):
            maxmargin_lp(part, alternative)
        with pytest.raises(InputError, match=says.replace("alternative", "limits")):
            maxmargin_lp(part, np.zeros(3), alternative)


@pytest.mark.parametrize(
    ("spread", "says"),
    [
        (-1.0, "the spread of hand 0 must be at least 0, not -1"),
        ([0.0, 1.0, -0.5], "the spread of hand 2 must be at least 0, not -0.5"),
        (np.nan, "the spread of hand 0 must be a number that float32 can hold, not nan"),
        ([0.0, np.inf, 0.0], "the spread of hand 1 must be a number that float32 can hold, not inf"),
        ([0.0, 1.0], r"spread must have 3 numbers, one per hand of the opponent, not \(2,\)"),
        ("wide", "spread must be numbers, not 'wide'"),
    ],
    ids=["negative", "one negative", "nan", "infinite", "too few", "word"],
)
def test_spreads_are_numbers_of_at_least_0(part, spread, says):
    with pytest.raises(InputError, match=says):
        search_subgame(part, "distributional", alternative=np.zeros(3), spread=spread, iterations=1)


@pytest.mark.parametrize("method", ["unsafe", "resolve", "maxmargin"])
@pytest.mark.parametrize("spread", [0.3, [0.0, 0.3, 0.0]], ids=["one for all", "one hand"])
def test_spreads_are_for_the_distributional_method_only(part, method, spread):
    with pytest.raises(InputError, match=rf"spread \(0.3\) is for the method distributional, not for {method}"):
        search_subgame(part, method, alternative=np.zeros(3), spread=spread, iterations=1)


def test_methods_rules_and_algorithms_have_names(part):
    with pytest.raises(InputError, match="method must be resolve, maxmargin, distributional or unsafe, not 'best'"):
        search_subgame(part, "best", alternative=np.zeros(3))
    with pytest.raises(InputError, match="rule must be step or hedge, not 'leap'"):
        search_subgame(part, "distributional", alternative=np.zeros(3), rule="leap")
    with pytest.raises(InputError, match="search needs a variant of CFR, not"):
        search_subgame(part, "unsafe", algorithm="os-mccfr")


@pytest.mark.parametrize(
    "wrong",
    [{0: [1.0, 1.0]}, {1: [1.0, -0.1, 1.0]}, {0: [1.0, np.nan, 1.0]}, {1: [np.inf, 0.0, 0.0]}],
    ids=["too few", "negative", "nan", "infinite"],
)
def test_ranges_are_numbers_of_at_least_0(part, wrong):
    with pytest.raises(InputError, match=r"the range of seat . must be 3 numbers of at least 0, not"):
        part.with_ranges(wrong)


def test_limits_that_nobody_can_keep(part):
    """An equilibrium of zero-sum payoffs of at least -2: nobody can be held below that."""
    with pytest.raises(InputError, match="limits cannot all be kept"):
        maxmargin_lp(part, np.zeros(3), np.full(3, -10.0))


def test_games_without_public_chance_need_histories(uniform):
    with pytest.raises(InputError, match="kuhn_poker has no public chance event: give histories of its subgames"):
        SearchEverywhere(KUHN, uniform)
    assert SearchEverywhere(KUHN, uniform, [["p"]]).search_all(SearchPlan(), 5).losses


@pytest.mark.parametrize("more", [{"gifts": "exact"}, {"gifts": "lower"}, {"estimate": True}], ids=str)
def test_unsafe_search_has_no_alternatives(more):
    with pytest.raises(InputError, match="unsafe search has no alternatives"):
        SearchPlan(method="unsafe", **more)


def test_places_of_a_whole_game(uniform):
    whole = SearchEverywhere(KUHN, uniform, [["p"]])
    for wrong in (2, -1, True):
        with pytest.raises(InputError, match="searcher must be seat 0 or 1, not "):
            whole.subgame(("p",), wrong)
    with pytest.raises(InputError, match=r"no subgame begins at \('b',\): it must be one of the 1 places"):
        whole.root_values(("b",), 0)


def test_places_that_the_searcher_never_reaches(whole):
    """Search refuses them in one sentence; so does a linear programme."""
    bets = {(0, f"{card}:"): {"b": 1.0} for card in "JQK"}
    strategy = Strategy.from_mapping(enumerate_game(KUHN), bets)
    with pytest.raises(InputError, match="the searcher's strategy never gets there, so there is nothing to search"):
        subgame(whole, ["p"], strategy, 0)
    nobody = subgame(whole, ["b"], strategy, 0).with_ranges({0: np.zeros(3)})
    with pytest.raises(InputError, match="the searcher's strategy never gets there, so there are no margins"):
        maxmargin_lp(nobody, np.zeros(3))
    with pytest.raises(InputError, match="the blueprint never gets there, so unsafe search has no ranges"):
        search_subgame(nobody, "unsafe", iterations=1)


def test_places_that_the_opponent_never_reaches(whole):
    """Unsafe search has no ranges there; safe search needs none, and gives numbers."""
    bets = {(0, f"{card}:"): {"b": 1.0} for card in "JQK"}
    found = subgame(whole, ["p"], Strategy.from_mapping(enumerate_game(KUHN), bets), 1)
    with pytest.raises(InputError, match="the blueprint never gets there, so unsafe search has no ranges"):
        search_subgame(found, "unsafe", iterations=1)
    for method in ("resolve", "maxmargin"):
        result = search_subgame(found, method, alternative=np.zeros(3), iterations=5)
        assert np.isfinite(result.strategy.probabilities).all()
        assert np.isfinite(result.margins).all()
    believed = found.with_full_opponent_range_if_empty()
    assert np.isfinite(search_subgame(believed, "unsafe", iterations=5).best_values).all()


def test_histories_that_the_game_does_not_have(whole, uniform):
    with pytest.raises(InputError, match="'x' is not possible after 'p'"):
        subgame(whole, ["p", "x"], uniform, 0)
    with pytest.raises(InputError, match="is over before 'p'"):
        subgame(whole, ["p", "p", "p"], uniform, 0)


@pytest.mark.parametrize(
    ("history", "says"),
    [
        ("cc", "after c c: chance is next, and a subgame begins after its outcome"),
        ("ccZ", "no private deal allows 'c c Z'"),
        ("cccc", "no private deal allows 'c c c c'"),
        ("ccQx", "'x' is not possible after 'c c Q'"),
        ("rf", "after r f is over: there is nothing to search"),
        ("rfc", "is over before 'c'"),
        ("ccQccc", "is over before 'c'"),
    ],
)
def test_histories_at_which_no_subgame_begins(history, says):
    """A part is closed under what players cannot tell apart only where somebody acts next."""
    strategy = Strategy.uniform(enumerate_game(POKER))
    with pytest.raises(InputError, match=says):
        subgame(build_dense(POKER), history, strategy, 0)
    with pytest.raises(InputError):
        SearchEverywhere(POKER, strategy, [tuple(history)]).search_all(SearchPlan(), 1)


def test_ranges_of_a_subgame_stay_as_they_are(part):
    with pytest.raises(ValueError, match="read-only"):
        part.game.ranges[0, 0] = 0.5

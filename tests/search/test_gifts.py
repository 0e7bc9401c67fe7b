"""Alternatives and gifts of small games: by hand in Coin Toss, by definition elsewhere (Brown 2020, section 5.1)."""

import dataclasses

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.games import as_game
from counterpoise.public import build_dense
from counterpoise.search.alternatives import abstraction_of, held_response
from counterpoise.search.everywhere import SearchEverywhere, SearchPlan
from counterpoise.search.gifts import branching, gift_at
from counterpoise.tree import Strategy, enumerate_game
from tests.search.blueprints import noisy_solution, random_strategy
from tests.search.oracle import gifts, own_depth, respond

TWO = "coin_toss_two_subgames"
SMALL = "one_card_poker(ranks=3)"


def two_subgames():
    even = {"heads": 0.5, "tails": 0.5}
    mapping = {"P2:S1": even, "P2:S2": even, "P1:heads": {"play": 1.0}, "P1:tails": {"play": 1.0}}
    return SearchEverywhere(TWO, Strategy.from_mapping(enumerate_game(TWO), mapping))


def loss_of(difference):
    """What P2 loses when it guesses tails so much more often than heads in both subgames."""
    return max(0.5, difference) / 2 + max(-0.5, -difference) / 2


def test_2_gifts_of_the_two_subgames():
    """Heads could have been sold for 1/2; tails would have cost 1/2."""
    whole = two_subgames()
    np.testing.assert_allclose(whole.gifts(("play", "S1"), 1, "lower"), [0.5, 0])
    assert branching(whole.node(("play", "S1"))) == pytest.approx(2)
    assert whole.judge().losses[1] == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("plan", "difference"),
    [
        (SearchPlan(), 0),
        (SearchPlan(gifts="lower"), 0.25),
        (SearchPlan(gifts="lower", split=False), 0.5),
        (SearchPlan(gifts="lower", scale=2), 0.5),
    ],
    ids=["no gifts", "split", "not split", "twice"],
)
def test_2_maxmargin_with_gifts(plan, difference):
    """Closed form: half the gift goes to each side of the margin."""
    whole = two_subgames()
    judged = whole.search_all(plan, 5_000)
    for label in ("P2:S1", "P2:S2"):
        found = judged.strategy[label]
        assert found["tails"] - found["heads"] == pytest.approx(difference, abs=5e-3)
    assert judged.losses[1] == pytest.approx(loss_of(difference), abs=5e-3)


@pytest.mark.parametrize(("split", "worst", "loss"), [(True, 0.5, 0.0), (False, 1.0, 0.25)])
def test_2_worst_answer_that_resolving_allows(split, worst, loss):
    """Without the split resolving may guess tails always, and then playing heads is worth more than selling it."""
    from scipy.optimize import linprog

    whole = two_subgames()
    alternative = whole.alternative(("play", "S1"), 1, SearchPlan(method="resolve", gifts="lower", split=split))
    # variables: heads, tails; V(heads) = tails - heads, V(tails) = heads - tails
    found = linprog([1, -1], A_ub=[[-1, 1], [1, -1]], b_ub=alternative, A_eq=[[1, 1]], b_eq=[1], bounds=(0, 1))
    assert -found.fun == pytest.approx(worst)
    guess = dict(zip(("heads", "tails"), found.x.tolist(), strict=True))
    value = cp.best_response(TWO, {"P2:S1": guess, "P2:S2": guess}, player=0).value
    assert value == pytest.approx(loss, abs=1e-9)
    assert value == pytest.approx(loss_of(worst), abs=1e-9)


@pytest.mark.parametrize("seat", [0, 1])
def test_values_of_actions_are_best_responses(seat):
    """The response is worth what a best response is, and takes an action of the largest CBV(I, a) everywhere."""
    game = as_game(SMALL)
    tree, strategy = enumerate_game(game), random_strategy(SMALL, 1)
    response = respond(tree, strategy, seat)
    assert cp.expected_value(game, response.strategy)[seat] == pytest.approx(
        cp.best_response(game, strategy, seat).value
    )
    for infoset, owner in enumerate(tree.table.owner.tolist()):
        if owner == seat:
            start, actions = int(tree.table.start[infoset]), tree.table.actions[infoset]
            values = response.action_values[start : start + len(actions)]
            assert response.strategy.probabilities[start + int(values.argmax())] == 1
            assert [response.given_up(infoset, action, "exact") for action in actions] == pytest.approx(
                (values.max() - values).tolist()
            )


def test_only_actions_that_always_end_the_game_bound_a_gift():
    """In the first round that is to fold, in the second also to call a bet or to check behind."""
    tree, game = enumerate_game(SMALL), build_dense(SMALL)
    response = respond(tree, random_strategy(SMALL, 2), 1)
    ends = {}
    for label, history in (("K:r", "r"), ("K:c", "c"), ("K:cc/Q:r", "ccQr"), ("K:cc/Q:c", "ccQc")):
        infoset = tree.table.find((1, label))
        start, actions = int(tree.table.start[infoset]), tree.table.actions[infoset]
        ends[label] = [name for k, name in enumerate(actions) if response.ends[start + k]]
        node = game.find(history)
        assert ends[label] == [name for name, over in zip(node.actions, node.ends_at_once(), strict=True) if over]
    assert ends == {"K:r": ["f"], "K:c": [], "K:cc/Q:r": ["f", "c"], "K:cc/Q:c": ["c"]}


@pytest.mark.parametrize("seed", range(2))
def test_6_gifts_are_not_negative_and_the_bound_is_a_bound(seed):
    """They are also those of the enumerated game, infoset by infoset."""
    game, strategy = as_game("one_card_poker"), noisy_solution("one_card_poker", seed, 0.05)
    whole, tree, some = SearchEverywhere(game, strategy), enumerate_game(game), 0
    for searcher in range(2):
        response = respond(tree, strategy, 1 - searcher)
        for place in whole.places:
            lower, exact = (whole.gifts(place, searcher, kind) for kind in ("lower", "exact"))
            assert (lower >= 0).all()
            assert (exact >= lower - 1e-12).all()
            some += (lower > 0).sum()
            part = dataclasses.replace(whole.subgame(place, searcher), history=whole.game.history(place))
            np.testing.assert_allclose(lower, gifts(part, game, response, "lower"), atol=1e-4)
            np.testing.assert_allclose(exact, gifts(part, game, response, "exact"), atol=1e-4)
    assert some > 0


def test_6_no_gifts_at_scale_0():
    """Reach search with gifts of scale 0 is maxmargin, bit for bit."""
    whole = SearchEverywhere(SMALL, random_strategy(SMALL, 0))
    plain, scaled = (whole.search_all(plan, 30) for plan in (SearchPlan(), SearchPlan(gifts="exact", scale=0)))
    assert plain.strategy == scaled.strategy


def test_gifts_of_someone_who_has_not_acted():
    """After the first player's own action the second has given nothing."""
    whole = SearchEverywhere(SMALL, random_strategy(SMALL, 0), [("r",)])
    assert (whole.gifts(("r",), 0, "exact") == 0).all()


@pytest.mark.parametrize("seat", [0, 1])
def test_groups_of_one_are_no_abstraction(seat):
    tree, strategy = enumerate_game(SMALL), random_strategy(SMALL, 3)
    free, held = respond(tree, strategy, seat), respond(tree, strategy, seat, np.arange(tree.infosets))
    np.testing.assert_allclose(held.action_values, free.action_values, atol=1e-12)
    whole = SearchEverywhere(SMALL, strategy, alike=np.arange(tree.infosets))
    for place in whole.places[::4]:
        free, held = (whole.root_values(place, 1 - seat, estimate) for estimate in (False, True))
        np.testing.assert_allclose(held, free, atol=1e-5)


def test_a_group_takes_one_action():
    """The best single action of a group, by brute force over all of them at one infoset after the other."""
    tree, strategy = enumerate_game("kuhn_poker"), random_strategy("kuhn_poker", 4)
    depth = own_depth(tree, 0)
    groups = np.arange(tree.infosets)
    groups[: len(depth)] = depth  # whatever the card, the first player does the same
    held = respond(tree, strategy, 0, groups)
    best = -np.inf
    for first in "pb":
        for second in "pb":
            mapping = {
                label: {first if not d else second: 1.0} for label, d in zip(tree.table.labels, depth, strict=False)
            }
            profile = Strategy.from_mapping(tree, {(0, label): way for label, way in mapping.items()})
            profile.probabilities[int(tree.form.first_sequence[1]) :] = strategy.probabilities[
                int(tree.form.first_sequence[1]) :
            ]
            best = max(best, cp.expected_value("kuhn_poker", profile)[0])
    assert cp.expected_value("kuhn_poker", held.strategy)[0] == pytest.approx(best)
    game = build_dense("kuhn_poker")
    found = held_response(game, game.profile(strategy), 0, abstraction_of(game, groups))
    np.testing.assert_allclose(game.strategy(found).probabilities, held.strategy.probabilities, atol=1e-6)


def test_wrong_input():
    whole = SearchEverywhere(SMALL, random_strategy(SMALL, 0))
    with pytest.raises(InputError, match="none, lower or exact"):
        whole.gifts(whole.places[0], 0, "most")
    with pytest.raises(InputError, match="none, lower or exact"):
        gift_at(whole.game.root, "c", whole.blueprint, kind="most")
    with pytest.raises(InputError, match="groups"):
        whole.search_all(SearchPlan(estimate=True), 1)
    with pytest.raises(InputError, match="scale"):
        SearchPlan(scale=-1)
    with pytest.raises(InputError, match="one per infoset"):
        SearchEverywhere(SMALL, random_strategy(SMALL, 0), alike=np.zeros(3, dtype=np.int64))
    one_group = np.zeros(len(whole.game.table), dtype=np.int64)
    held = SearchEverywhere(SMALL, random_strategy(SMALL, 0), alike=one_group)
    with pytest.raises(InputError, match="own decisions"):
        held.search_all(SearchPlan(estimate=True), 1)

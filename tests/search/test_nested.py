"""Nested search: answers to actions that the blueprint does not know."""

import dataclasses
from typing import get_args

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.games.leduc import LeducPoker
from counterpoise.public import build_dense
from counterpoise.search import search_subgame
from counterpoise.search.abstraction import ActionAbstraction, build_pair
from counterpoise.search.alternatives import value_at
from counterpoise.search.gadget import MethodName
from counterpoise.search.gifts import gifts_on_the_way
from counterpoise.search.nested import NestedSearcher, play_nested
from counterpoise.search.nested_problem import answer, make_problem
from counterpoise.search.nested_settings import NestedSearch
from counterpoise.search.one_shot import play_one_shot
from counterpoise.search.subgame import subgame
from counterpoise.search.translation import translated
from counterpoise.tree import Strategy, enumerate_game
from tests.search.oracle import respond

HIDDEN = ["r0.75"]


def poker(first=1, second=1, sizes=(0.5, 0.75, 1)):
    return f"one_card_poker(ranks=3, fractions=({sizes}, {sizes}), max_bets=({first}, {second}))"


def solved(game, hidden=HIDDEN, iterations=300):
    """A blueprint without the hidden actions, as {(player, infoset): {action: probability}}."""
    strategy = cp.solve(ActionAbstraction(game, hidden), "cfr+", iterations=iterations, progress=False).strategy
    return {key: strategy[key] for key in strategy.table}


def known_game(game, blueprint, hidden=HIDDEN):
    """The game without the hidden actions, and a blueprint as a profile of it."""
    _, small = build_pair(game, hidden)
    return small, small.profile(blueprint)


def played_nested(game, hidden, blueprint, searcher, settings=None):
    whole, small = build_pair(game, hidden)
    return play_nested(whole, small.profile(blueprint), searcher, settings)


def chosen_at(found, label):
    """What the player to act does at an infoset of the game of an answer."""
    strategy = found.result.strategy
    return strategy[next(key for key in strategy.table if key[1] == label)]


def test_abstraction_is_the_game_without_the_actions():
    small = ActionAbstraction(poker(), HIDDEN)
    cp.check_game(small)
    assert cp.exact(small).value == pytest.approx(cp.exact(poker(sizes=(0.5, 1))).value, abs=1e-9)


def test_abstraction_keeps_hidden_actions_on_its_path_only():
    path = ("r0.75", "c", "K", "c", "r0.75")
    table = enumerate_game(ActionAbstraction(poker(), HIDDEN, path)).table
    actions = dict(zip(table.labels, table.actions, strict=True))
    assert actions["Q:"] == ("c", "r0.5", "r0.75", "r1")
    assert actions["Q:c"] == ("c", "r0.5", "r1")
    assert actions["Q:r0.75c/K:c"] == ("c", "r0.5", "r0.75", "r1")
    assert actions["Q:r0.75c/J:c"] == ("c", "r0.5", "r1")
    assert actions["Q:r0.5c/K:c"] == ("c", "r0.5", "r1")
    assert actions["Q:r0.75c/K:cr0.75"] == ("f", "c")


@pytest.mark.parametrize("seat", [0, 1])
def test_abstraction_of_one_seat_costs_it_at_most_something(seat):
    whole, poorer = cp.exact(poker()).value, cp.exact(ActionAbstraction(poker(), HIDDEN, seat=seat)).value
    assert poorer[seat] <= whole[seat] + 1e-9


@pytest.mark.parametrize(("searcher", "history"), [(1, ()), (0, ("c",)), (1, ("c", "r0.5", "c", "K"))])
def test_alternatives_are_values_before_the_action(searcher, history):
    """What the opponent's infoset itself is worth in the abstraction, not what it is after the hidden action."""
    blueprint = solved(poker())
    small, profile = known_game(poker(), blueprint)
    node = small.find(history)
    assert node.player == 1 - searcher
    found = value_at(node, 1 - searcher, profile)
    problem = make_problem(node, profile, "r0.75", NestedSearch())
    np.testing.assert_array_equal(problem.alternative, found)
    tree = enumerate_game(ActionAbstraction(poker(), HIDDEN))
    strategy = cp.tree.Strategy.from_mapping(tree, blueprint)
    response = respond(tree, strategy, 1 - searcher)
    story = "".join(history).replace("cK", "c/K:")
    for hand, card in enumerate("JQK"):
        at = tree.table.find((1 - searcher, f"{card}:{story}"))
        start, count = int(tree.table.start[at]), len(tree.table.actions[at])
        best = response.action_values[start : start + count].max()
        if np.isfinite(best):
            assert found[hand] == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("method", ["resolve", "maxmargin"])
@pytest.mark.parametrize(("searcher", "history"), [(1, ()), (0, ("c",))])
def test_12_a_bet_that_is_there_already_gains_nothing(method, searcher, history):
    """A hidden bet as large as a known one is worth no more to the opponent than what it had."""
    game, twin = poker(sizes=(0.5, 1, 1.00001)), "r1.00001"
    small, profile = known_game(game, solved(game, [twin], 1000), [twin])
    node = small.find(history)
    assert node.player == 1 - searcher
    found = answer(node, profile, twin, NestedSearch(method=method, iterations=1000))
    assert (found.result.margins >= -5e-3).all()
    assert found.node.player == searcher


@pytest.mark.parametrize("method", get_args(MethodName))
def test_every_method_answers(method):
    """Whatever the gadget, the hidden bet is answered by probabilities."""
    spread = 0.1 if method == "distributional" else 0.0
    settings = NestedSearch(method=method, start="before", spread=spread, iterations=5)
    play = played_nested(poker(), HIDDEN, solved(poker(), iterations=5), 1, settings)
    assert play.searches > 0
    assert all(sum(chosen.values()) == pytest.approx(1) for chosen in play.strategy.values())


def test_a_spread_is_of_distributional_alternatives():
    with pytest.raises(cp.InputError, match=r"spread \(0.1\) is for the method distributional, not for resolve"):
        NestedSearch(method="resolve", spread=0.1)
    with pytest.raises(cp.InputError, match="spread must be"):
        NestedSearch(method="distributional", spread=-1)


def test_nothing_hidden_is_the_blueprint():
    blueprint = cp.solve(poker(), "cfr+", iterations=50, progress=False).strategy
    play = played_nested(poker(), ["r9"], blueprint, 0)
    assert play.searches == 0
    assert play.strategy.keys() == {key for key in blueprint.table if key[0] == 0}
    for key, chosen in play.strategy.items():
        assert chosen == pytest.approx(blueprint[key], abs=1e-6)


@pytest.mark.parametrize("seat", [0, 1])
def test_answers_every_hidden_action(seat):
    """One search per public place: once before the board, and six ways to each of three boards."""
    small = cp.solve(ActionAbstraction(poker(), HIDDEN), "cfr+", iterations=300, progress=False).strategy
    play = played_nested(poker(), HIDDEN, small, seat, NestedSearch(method="resolve", iterations=300))
    assert play.searches == 1 + 6 * 3
    own = {label for owner, label in enumerate_game(poker()).table if owner == seat}
    taken_by_itself = {label for label in own if _bets(label, seat)}
    assert {label for _, label in play.strategy} == own - taken_by_itself
    for chosen in play.strategy.values():
        assert sum(chosen.values()) == pytest.approx(1)
    mapped = translated(poker(), poker(sizes=(0.5, 1)), small, seat)
    lost = [cp.best_response(poker(), one, player=1 - seat).value for one in (play.strategy, mapped)]
    assert lost[0] < lost[1]


def _bets(label, seat):
    """Whether a seat has itself bet 3/4 before an infoset."""
    for betting in label.split("/"):
        moves = betting.split(":")[1].replace("r0.5", "s").replace("r0.75", "h").replace("r1", "l")
        if any(move == "h" and number % 2 == seat for number, move in enumerate(moves)):
            return True
    return False


def test_ranges_go_on_from_the_solution():
    """After unsafe search before an action, all hands of both players weigh by what the solutions say."""
    game, history = poker(2, 1), ("r0.5",)
    small, profile = known_game(game, solved(game))
    node = small.find(history)
    found = answer(node, profile, "r0.75", NestedSearch(method="unsafe", start="before", iterations=200))
    before, after = node.reach(profile), found.node.reach(found.profile)
    chosen = [chosen_at(found, f"{card}:r0.5")["r0.75"] for card in "JQK"]
    np.testing.assert_allclose(after[1], before[1] * chosen, rtol=1e-5)
    np.testing.assert_allclose(after[0], before[0], rtol=1e-6)
    assert 0 < max(chosen) < 1


def test_22_frozen_decisions_are_as_played():
    """From the start of the round: the searcher's line is reached as before, the opponent's strategies are free."""
    game, history = poker(2, 1), ("r0.5",)
    blueprint = solved(game)
    small, profile = known_game(game, blueprint)
    node = small.find(history)
    assert node.street_start == small.root
    assert small.find(("r0.5", "c", "K", "c")).street_start == small.find(("r0.5", "c", "K"))
    found = answer(node, profile, "r0.75", NestedSearch(method="unsafe", start="round", iterations=200))
    assert small.history(found.node) == ("r0.5", "r0.75")
    for card in "JQK":
        assert chosen_at(found, f"{card}:") == pytest.approx(blueprint[0, f"{card}:"], abs=1e-6)
    np.testing.assert_allclose(found.node.reach(found.profile)[0], node.reach(profile)[0], atol=1e-6)
    others = [(1, f"{card}:{story}") for card in "JQK" for story in ("r0.5", "c")]
    answered = found.result.strategy
    assert any(
        answered[key].get(action, 0) != pytest.approx(likely, abs=1e-2)
        for key in others
        for action, likely in blueprint[key].items()
    )


def test_22_freezing_the_own_hand_only():
    game = poker(2, 1)
    blueprint = solved(game, iterations=20)
    small, profile = known_game(game, blueprint)
    settings = NestedSearch(method="unsafe", start="round", freeze="own_hand", iterations=200)
    found = answer(small.find(("r0.5",)), profile, "r0.75", settings, hand=1)
    assert chosen_at(found, "Q:") == pytest.approx(blueprint[0, "Q:"], abs=1e-6)
    assert any(chosen_at(found, key) != pytest.approx(blueprint[0, key], abs=1e-3) for key in ("J:", "K:"))


@pytest.mark.parametrize(
    ("freeze", "hand", "says"),
    [
        ("own_hand", None, "hand must be given, the number of the one that the searcher holds"),
        ("own_hand", 3, "hand must be a whole number from 0 to 2, not 3"),
        ("own_hand", -1, "hand must be a whole number from 0 to 2, not -1"),
        ("own_hand", "Q", "hand must be a whole number from 0 to 2, not 'Q'"),
        ("all_hands", 1, r"hand \(1\) is for searches that freeze the own hand only"),
    ],
)
def test_22_the_own_hand_must_be_known(freeze, hand, says):
    """Neither all hands nor none are frozen in silence when the hand that is held is missing or wrong."""
    game = poker(2, 1)
    small, profile = known_game(game, solved(game, iterations=1))
    settings = NestedSearch(method="unsafe", start="round", freeze=freeze, iterations=1)
    with pytest.raises(cp.InputError, match=says):
        answer(small.find(("r0.5",)), profile, "r0.75", settings, hand=hand)
    with pytest.raises(cp.InputError, match=says):
        NestedSearcher(profile, 0, settings, hand=hand)


@pytest.mark.slow
def test_own_hands_make_one_strategy():
    """Every hand plays what was searched for it; with one bet a round nothing of its own comes before."""
    blueprint = cp.solve(ActionAbstraction(poker(), HIDDEN), "cfr+", iterations=50, progress=False).strategy
    own = NestedSearch(method="unsafe", start="round", freeze="own_hand", iterations=50)
    single, joint = (
        played_nested(poker(), HIDDEN, blueprint, 1, one) for one in (own, dataclasses.replace(own, freeze="all_hands"))
    )
    assert single.searches == 3 * joint.searches
    assert single.strategy == joint.strategy


@pytest.mark.slow
def test_own_hands_play_what_was_searched_for_them():
    """With two bets a round the searcher's own bet is frozen for the hand that is held, so that answers differ."""
    game = poker(2, 1, sizes=(0.5, 0.75))
    blueprint = cp.solve(ActionAbstraction(game, HIDDEN), "cfr+", iterations=3, progress=False).strategy
    settings = NestedSearch(method="unsafe", start="round", freeze="own_hand", iterations=15)
    played = played_nested(game, HIDDEN, blueprint, 0, settings).strategy
    small, profile = known_game(game, blueprint)
    node, others = small.find(("r0.5",)), 0
    answers = [answer(node, profile, "r0.75", settings, hand=hand) for hand in range(3)]
    for hand, card in enumerate("JQK"):
        label = f"{card}:r0.5r0.75"
        chosen = [chosen_at(found, label) for found in answers]
        assert played[0, label] == pytest.approx(chosen[hand], abs=1e-6)
        others += sum(one != pytest.approx(played[0, label], abs=1e-3) for one in chosen)
    assert others > 0


def test_opponents_nobody_believes_in():
    """If the strategies say that the opponent comes with no hand, it may have any."""
    game, history = poker(2, 1), ("c", "r0.5")
    blueprint = solved(game, iterations=50)
    for card in "JQK":
        blueprint[0, f"{card}:"] = {"c": 0.0, "r0.5": 0.5, "r1": 0.5}
    small, profile = known_game(game, blueprint)
    settings = NestedSearch(method="unsafe", start="before", iterations=50)
    found = answer(small.find(history), profile, "r0.75", settings)
    for card in "JQK":
        assert sum(chosen_at(found, f"{card}:cr0.5r0.75").values()) == pytest.approx(1)
    assert chosen_at(found, "K:cr0.5r0.75")["f"] < chosen_at(found, "J:cr0.5r0.75")["f"]


def test_a_searcher_who_never_arrives_is_not_searched_for():
    game = poker()
    blueprint = cp.solve(ActionAbstraction(game, HIDDEN), "cfr+", iterations=20, progress=False).strategy
    tree = enumerate_game(ActionAbstraction(game, HIDDEN))
    never = {key: blueprint[key] for key in blueprint.table}
    for card in "JQK":
        never[1, f"{card}:c"] = {"c": 0.0, "r0.5": 1.0, "r1": 0.0}
    strategy = cp.tree.Strategy.from_mapping(tree, never)
    play = played_nested(game, HIDDEN, strategy, 1, NestedSearch(method="resolve", iterations=20))
    assert play.searches == 1 + 4 * 3  # not after c c, nor after c r1 c


def test_gifts_raise_alternatives_of_hands_that_should_have_folded():
    """Against a player who bets four pots with the best card only, all others gave up their difference to a fold."""
    game = "one_card_poker(ranks=3, fractions=((0.5, 0.75, 4), (0.1, 0.75)), max_bets=(1, 1))"
    history = ("c", "r4", "c", "K")
    blueprint = solved(game, iterations=30)
    for card, bets in (("J", 0.01), ("Q", 0.01), ("K", 1.0)):
        blueprint[1, f"{card}:c"] = {"c": 1 - bets, "r0.5": 0.0, "r4": bets}
    small, profile = known_game(game, blueprint)
    node = small.find(history)
    given = gifts_on_the_way(node, 0, profile, "lower")
    before, after = (
        make_problem(node, profile, "r0.75", NestedSearch(gifts=gifts), gifts=given).alternative
        for gifts in (False, True)
    )
    tree = enumerate_game(ActionAbstraction(game, HIDDEN))
    response = respond(tree, cp.tree.Strategy.from_mapping(tree, blueprint), 0)
    for hand, card in enumerate("JQK"):
        fold, call = response.action_values[int(tree.table.start[tree.table.find((0, f"{card}:cr4"))]) :][:2]
        assert fold == pytest.approx(-1)
        assert after[hand] - before[hand] == pytest.approx(max(fold - call, 0), abs=1e-5)
    assert after[0] > before[0] + 0.1


def test_expected_values_as_alternatives():
    """They are at most those of a best response, and in an equilibrium the same at a place that is reached."""
    gaps = []
    for iterations in (20, 3000):
        small, profile = known_game(poker(), solved(poker(), iterations=iterations))
        best, expected = (
            make_problem(small.root, profile, "r0.75", NestedSearch(expected=one)).alternative for one in (False, True)
        )
        gaps.append(best - expected)
    assert (gaps[0] >= -1e-6).all()
    assert (gaps[0] > 1e-3).any()
    np.testing.assert_allclose(gaps[1], 0, atol=1e-3)


@pytest.mark.slow
def test_known_actions_are_answered_too():
    """After each action that does not end a round: the answers are those of the search there, and no hand gains."""
    blueprint = cp.solve(ActionAbstraction(poker(), HIDDEN), "cfr+", iterations=30, progress=False).strategy
    settings = NestedSearch(method="resolve", always=True, iterations=300)
    play, plain = (
        played_nested(poker(), HIDDEN, blueprint, 0, one)
        for one in (settings, dataclasses.replace(settings, always=False))
    )
    # the opponent bets after a check: three sizes before the board, and on three boards after six ways to get there
    assert (play.searches, plain.searches) == (3 + 3 * 3 * 6, 1 + 3 * 6)
    assert play.strategy.keys() == plain.strategy.keys()
    small, profile = known_game(poker(), blueprint)
    found, after = answer(small.find(("c",)), profile, "r0.5", settings), small.find(("c", "r0.5"))
    np.testing.assert_allclose(found.result.alternative, value_at(after, 1, profile), atol=1e-6)  # as it is known
    assert found.result.margins.min() > -2e-3
    for card in "JQK":
        label = f"{card}:cr0.5"
        assert play.strategy[0, label] == pytest.approx(found.result.strategy[0, label], abs=1e-6)
    assert any(play.strategy[0, f"{card}:cr0.5"] != pytest.approx(blueprint[0, f"{card}:cr0.5"]) for card in "JQK")
    lost = [cp.best_response(poker(), one.strategy, player=1).value for one in (play, plain)]
    assert lost[0] < lost[1] - 1e-3


def one_shot(game, hidden, blueprint, player, iterations):
    whole, small = build_pair(game, hidden)
    strategy = whole.strategy(play_one_shot(whole, small.profile(blueprint), player, iterations=iterations))
    return {key: strategy[key] for key in strategy.table if key[0] == player}


def test_one_shot_endgames_follow_translation_before_the_board():
    small = cp.solve(ActionAbstraction(poker(), HIDDEN), "cfr+", iterations=300, progress=False).strategy
    mapped = translated(poker(), poker(sizes=(0.5, 1)), small, 1)
    found = one_shot(poker(), HIDDEN, small, 1, iterations=300)
    assert found.keys() == mapped.keys()
    for key, chosen in found.items():
        assert sum(chosen.values()) == pytest.approx(1)
        if "/" not in key[1]:
            assert chosen == pytest.approx(mapped[key])
    lost = [cp.best_response(poker(), one, player=0).value for one in (found, mapped)]
    assert lost[0] < lost[1]


class OneSuit(LeducPoker):
    """Three cards of three ranks, one of them public; bets are named by a size."""

    def actions(self, state):
        return [action.replace("r", "r1") for action in super().actions(state)]

    def next(self, state, action):
        return super().next(state, action.replace("r1", "r"))


def test_one_shot_endgames_against_hands_that_cannot_be_there():
    """Both have a queen after two checks, they believe, though there is only one: then anything goes."""
    game = OneSuit(suits=1)
    check, bet = {"c": 1.0, "r1": 0.0}, {"c": 0.0, "r1": 1.0}
    mapping = {(0, f"{card}:"): check if card == "Q" else bet for card in "JQK"}
    mapping |= {(1, f"{card}:c"): check if card == "Q" else bet for card in "JQK"}
    blueprint = Strategy.from_mapping(enumerate_game(game), mapping)
    found = one_shot(game, [], blueprint, 1, iterations=200)
    endgame = subgame(build_dense(game), ("c", "c", "J"), {key: check for key in mapping}, 1)
    queen = endgame.dense.deals.hands[1][0]  # the first deal is jack and queen
    solved = search_subgame(endgame.with_ranges({1: np.eye(3)[queen]}), "unsafe", iterations=200).strategy
    for key in ((1, "Q:cc/J:c"), (1, "Q:cc/J:r")):
        assert found[key] == pytest.approx(solved[key])
        assert found[key] != pytest.approx(dict.fromkeys(found[key], 1 / len(found[key])), abs=0.05)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"method": "best"}, "nested search: method must be"),
        ({"start": "now"}, "start must be"),
        ({"freeze": "none"}, "freeze must be"),
        (
            {"freeze": "own_hand"},
            r"freeze \(own_hand\) is for searches that start with the round, not after the action",
        ),
        ({"freeze": "own_hand", "start": "before"}, "that start with the round, not before the action"),
        ({"method": "unsafe"}, "cannot start after"),
        ({"method": "unsafe", "start": "before", "gifts": True}, "neither gifts nor"),
        ({"method": "unsafe", "start": "before", "expected": True}, "neither gifts nor"),
    ],
)
def test_refuses_wrong_settings(wrong, says):
    with pytest.raises(cp.InputError, match=says):
        NestedSearch(**wrong)


def test_refuses_wrong_seats_and_empty_menus():
    with pytest.raises(cp.InputError, match="searcher must be seat 0 or 1, not 2"):
        NestedSearcher(known_game(poker(), solved(poker(), iterations=1))[1], 2)
    with pytest.raises(cp.InputError, match="nothing is left to do at"):
        enumerate_game(ActionAbstraction(poker(), ["f", "c", "r0.5", "r0.75", "r1"]))

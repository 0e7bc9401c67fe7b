"""Nested search: answers to actions that the blueprint does not know."""

import dataclasses

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.games.leduc import LeducPoker
from counterpoise.public import DenseTree
from counterpoise.search import search
from counterpoise.search.abstraction import ActionAbstraction
from counterpoise.search.alternatives import respond
from counterpoise.search.continuations import bias_approach
from counterpoise.search.leaves import LeafTable
from counterpoise.search.nested import Nest, NestedSearch, play_nested
from counterpoise.search.nested_depth_limited import DepthLimitedNest
from counterpoise.search.one_shot import play_one_shot
from counterpoise.search.subgame import reaches, subgame
from counterpoise.search.translation import translated
from counterpoise.tree import Strategy, enumerate_game

HIDDEN = ["r0.75"]


def poker(first=1, second=1, sizes=(0.5, 0.75, 1)):
    return f"one_card_poker(ranks=3, fractions=({sizes}, {sizes}), max_bets=({first}, {second}))"


def solved(game, hidden=HIDDEN, iterations=300):
    """A blueprint without the hidden actions, as {(player, infoset): {action: probability}}."""
    strategy = cp.solve(ActionAbstraction(game, hidden), "cfr+", iterations=iterations, progress=False).strategy
    return {key: strategy[key] for key in strategy.table}


def test_abstraction_is_the_game_without_the_actions():
    small = ActionAbstraction(poker(), HIDDEN)
    cp.check_game(small)
    assert cp.exact(small).value == pytest.approx(cp.exact(poker(sizes=(0.5, 1))).value, abs=1e-9)


def test_abstraction_keeps_hidden_actions_on_its_path_only():
    path = ("r0.75", "c", "K", "c", "r0.75")
    actions = dict(zip(*(lambda table: (table.labels, table.actions))(
        enumerate_game(ActionAbstraction(poker(), HIDDEN, path)).table), strict=True))  # fmt: skip
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
    nest = Nest(poker(), HIDDEN, searcher)
    found = nest.alternatives(history, history, blueprint)
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
    nest = Nest(game, [twin], searcher, NestedSearch(method=method, iterations=1000))
    result = nest.search(history, twin, solved(game, [twin], 1000))
    assert (result.margins >= -5e-3).all()


def test_nothing_hidden_is_the_blueprint():
    blueprint = cp.solve(poker(), "cfr+", iterations=50, progress=False).strategy
    play = play_nested(poker(), ["r9"], blueprint, 0)
    assert play.searches == 0
    assert play.strategy == {key: blueprint[key] for key in blueprint.table if key[0] == 0}


@pytest.mark.parametrize("seat", [0, 1])
def test_answers_every_hidden_action(seat):
    """One search per public place: once before the board, and six ways to each of three boards."""
    small = cp.solve(ActionAbstraction(poker(), HIDDEN), "cfr+", iterations=300, progress=False).strategy
    play = play_nested(poker(), HIDDEN, small, seat, NestedSearch(method="resolve", iterations=300))
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
    game, history, searcher = poker(2, 1), ("r0.5",), 0
    blueprint = solved(game)
    nest = Nest(game, HIDDEN, searcher, NestedSearch(method="unsafe", start="before", iterations=200))
    answered = nest.answer(history, "r0.75", blueprint)
    before, after = reaches(nest.whole, history, blueprint), reaches(nest.whole, (*history, "r0.75"), answered)
    chosen = [answered[1, f"{card}:r0.5"]["r0.75"] for card in "JQK"]
    np.testing.assert_allclose(after[1], before[1] * chosen)
    np.testing.assert_allclose(after[0], before[0])
    assert 0 < max(chosen) < 1


def test_22_frozen_decisions_are_as_played():
    """From the start of the round: the searcher's line is reached as before, the opponent's strategies are free."""
    game, history = poker(2, 1), ("r0.5",)
    blueprint = solved(game)
    nest = Nest(game, HIDDEN, 0, NestedSearch(method="unsafe", start="round", iterations=200))
    assert nest.round_start(history) == ()
    assert nest.round_start(("r0.5", "c", "K", "c")) == ("r0.5", "c", "K")
    answered = nest.answer(history, "r0.75", blueprint)
    for card in "JQK":
        assert answered[0, f"{card}:"] == pytest.approx(blueprint[0, f"{card}:"], abs=1e-6)
    np.testing.assert_allclose(
        reaches(nest.whole, (*history, "r0.75"), answered)[0], reaches(nest.whole, history, blueprint)[0], atol=1e-6
    )
    others = [(1, f"{card}:{story}") for card in "JQK" for story in ("r0.5", "c")]
    assert any(answered[key] != pytest.approx(blueprint[key], abs=1e-2) for key in others)


def test_22_freezing_the_own_hand_only():
    game, history = poker(2, 1), ("r0.5",)
    blueprint = solved(game, iterations=20)
    settings = NestedSearch(method="unsafe", start="round", freeze="own_hand", iterations=200)
    nest = Nest(game, HIDDEN, 0, settings)
    answered = nest.answer(history, "r0.75", blueprint, hand=1)
    assert answered[0, "Q:"] == pytest.approx(blueprint[0, "Q:"], abs=1e-6)
    assert any(answered[0, key] != pytest.approx(blueprint[0, key], abs=1e-3) for key in ("J:", "K:"))


def test_own_hands_make_one_strategy():
    """Every hand plays what was searched for it; with one bet a round nothing of its own comes before."""
    blueprint = cp.solve(ActionAbstraction(poker(), HIDDEN), "cfr+", iterations=50, progress=False).strategy
    own = NestedSearch(method="unsafe", start="round", freeze="own_hand", iterations=50)
    single, joint = (
        play_nested(poker(), HIDDEN, blueprint, 1, one) for one in (own, dataclasses.replace(own, freeze="all_hands"))
    )
    assert single.searches == 3 * joint.searches
    assert single.strategy == joint.strategy


def test_own_hands_play_what_was_searched_for_them():
    """With two bets a round the searcher's own bet is frozen for the hand that is held, so that answers differ."""
    game, history = poker(2, 1, sizes=(0.5, 0.75)), ("r0.5",)
    blueprint = cp.solve(ActionAbstraction(game, HIDDEN), "cfr+", iterations=3, progress=False).strategy
    settings = NestedSearch(method="unsafe", start="round", freeze="own_hand", iterations=15)
    played = play_nested(game, HIDDEN, blueprint, 0, settings).strategy
    nest, current = Nest(game, HIDDEN, 0, settings), {key: blueprint[key] for key in blueprint.table}
    others = 0
    for card in "JQK":
        key = (0, f"{card}:r0.5r0.75")
        answers = [nest.answer(history, "r0.75", current, hand)[key] for hand in range(3)]
        assert played[key] == answers["JQK".index(card)]
        others += sum(answer != pytest.approx(played[key], abs=1e-3) for answer in answers)
    assert others > 0


def test_opponents_nobody_believes_in():
    """If the strategies say that the opponent comes with no hand, it may have any."""
    game, history = poker(2, 1), ("c", "r0.5")
    blueprint = solved(game, iterations=50)
    for card in "JQK":
        blueprint[0, f"{card}:"] = {"c": 0.0, "r0.5": 0.5, "r1": 0.5}
    nest = Nest(game, HIDDEN, 1, NestedSearch(method="unsafe", start="before", iterations=50))
    answered = nest.answer(history, "r0.75", blueprint)
    for card in "JQK":
        chosen = answered[1, f"{card}:cr0.5r0.75"]
        assert sum(chosen.values()) == pytest.approx(1)
    assert answered[1, "K:cr0.5r0.75"]["f"] < answered[1, "J:cr0.5r0.75"]["f"]


def test_a_searcher_who_never_arrives_is_not_searched_for():
    game = poker()
    blueprint = cp.solve(ActionAbstraction(game, HIDDEN), "cfr+", iterations=20, progress=False).strategy
    tree = enumerate_game(ActionAbstraction(game, HIDDEN))
    never = {key: blueprint[key] for key in blueprint.table}
    for card in "JQK":
        never[1, f"{card}:c"] = {"c": 0.0, "r0.5": 1.0, "r1": 0.0}
    strategy = cp.tree.Strategy.from_mapping(tree, never)
    play = play_nested(game, HIDDEN, strategy, 1, NestedSearch(method="resolve", iterations=20))
    assert play.searches == 1 + 4 * 3  # not after c c, nor after c r1 c


def test_gifts_raise_alternatives_of_hands_that_should_have_folded():
    """Against a player who bets four pots with the best card only, all others gave up their difference to a fold."""
    game = "one_card_poker(ranks=3, fractions=((0.5, 0.75, 4), (0.1, 0.75)), max_bets=(1, 1))"
    history = ("c", "r4", "c", "K")
    blueprint = solved(game, iterations=30)
    for card, bets in (("J", 0.01), ("Q", 0.01), ("K", 1.0)):
        blueprint[1, f"{card}:c"] = {"c": 1 - bets, "r0.5": 0.0, "r4": bets}
    plain, reach = (Nest(game, HIDDEN, 1, NestedSearch(gifts=gifts)) for gifts in (False, True))
    before, after = (nest.alternatives(history, history, blueprint) for nest in (plain, reach))
    tree = enumerate_game(ActionAbstraction(game, HIDDEN))
    response = respond(tree, cp.tree.Strategy.from_mapping(tree, blueprint), 0)
    for hand, card in enumerate("JQK"):
        fold, call = response.action_values[int(tree.table.start[tree.table.find((0, f"{card}:cr4"))]) :][:2]
        assert fold == pytest.approx(-1)
        assert after[hand] - before[hand] == pytest.approx(max(fold - call, 0), abs=1e-5)
    assert after[0] > before[0] + 0.1


def test_expected_values_as_alternatives():
    """They are at most those of a best response, and in an equilibrium the same at a place that is reached."""
    best, expected = (Nest(poker(), HIDDEN, 1, NestedSearch(expected=one)) for one in (False, True))
    rough, settled = solved(poker(), iterations=20), solved(poker(), iterations=3000)
    gaps = [best.alternatives((), (), one) - expected.alternatives((), (), one) for one in (rough, settled)]
    assert (gaps[0] >= -1e-6).all()
    assert (gaps[0] > 1e-3).any()
    np.testing.assert_allclose(gaps[1], 0, atol=1e-3)


def test_known_actions_are_answered_too():
    """After each action that does not end a round: the answers are those of the search there, and no hand gains."""
    blueprint = cp.solve(ActionAbstraction(poker(), HIDDEN), "cfr+", iterations=30, progress=False).strategy
    settings = NestedSearch(method="resolve", always=True, iterations=300)
    play, plain = (
        play_nested(poker(), HIDDEN, blueprint, 0, one)
        for one in (settings, dataclasses.replace(settings, always=False))
    )
    # the opponent bets after a check: three sizes before the board, and on three boards after six ways to get there
    assert (play.searches, plain.searches) == (3 + 3 * 3 * 6, 1 + 3 * 6)
    assert play.strategy.keys() == plain.strategy.keys()
    nest, current = Nest(poker(), HIDDEN, 0, settings), {key: blueprint[key] for key in blueprint.table}
    found, after = nest.search(("c",), "r0.5", current), nest.subgame(("c", "r0.5"), ("c", "r0.5"), current)
    after.play(current)
    np.testing.assert_allclose(found.alternative, after.best_values(), atol=1e-6)  # after the action, as it is known
    assert found.margins.min() > -2e-3
    for card in "JQK":
        assert play.strategy[0, f"{card}:cr0.5"] == found.strategy[0, f"{card}:cr0.5"]
    assert any(play.strategy[0, f"{card}:cr0.5"] != blueprint[0, f"{card}:cr0.5"] for card in "JQK")
    lost = [cp.best_response(poker(), one.strategy, player=1).value for one in (play, plain)]
    assert lost[0] < lost[1] - 1e-3


def test_one_shot_endgames_follow_translation_before_the_board():
    small = cp.solve(ActionAbstraction(poker(), HIDDEN), "cfr+", iterations=300, progress=False).strategy
    mapped = translated(poker(), poker(sizes=(0.5, 1)), small, 1)
    found = play_one_shot(poker(), HIDDEN, small, 1, iterations=300)
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
    found = play_one_shot(game, [], blueprint, 1, iterations=200)
    endgame = subgame(DenseTree(game), ("c", "c", "J"), {key: check for key in mapping}, 1)
    queen = endgame.dense.deals.hands[1][0]  # the first deal is jack and queen
    solved = search(endgame.with_ranges({1: np.eye(3)[queen]}), "unsafe", iterations=200).strategy
    for key in ((1, "Q:cc/J:c"), (1, "Q:cc/J:r")):
        assert found[key] == pytest.approx(solved[key])
        assert found[key] != pytest.approx(dict.fromkeys(found[key], 1 / len(found[key])), abs=0.05)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"method": "best"}, "nested search: method must be"),
        ({"start": "now"}, "start must be"),
        ({"freeze": "none"}, "freeze must be"),
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
        Nest(poker(), HIDDEN, 2)
    with pytest.raises(cp.InputError, match="nothing is left to do at"):
        enumerate_game(ActionAbstraction(poker(), ["f", "c", "r0.5", "r0.75", "r1"]))


def limited(searcher, continuations, settings):
    """Depth-limited nested search with leaves from a solution of the game, and what it loses at worst."""
    game = poker()
    solution = cp.solve(game, "cfr+", iterations=300, progress=False).strategy
    others = bias_approach(solution, 10) if continuations == 4 else [solution]
    picks = [[solution], others] if searcher == 0 else [others, [solution]]
    nest = DepthLimitedNest(game, HIDDEN, searcher, LeafTable(game, picks), settings)
    play = nest.everywhere(solved(game))
    return play, cp.best_response(game, play.strategy, player=1 - searcher).value


def test_depth_limited_answers_are_as_good_with_enough_continuations():
    """Round by round with four continuations it is as good as to the end of the game."""
    settings = NestedSearch(method="resolve", iterations=300)
    four, worst = limited(1, 4, settings)
    whole = play_nested(
        poker(), HIDDEN, cp.solve(ActionAbstraction(poker(), HIDDEN), "cfr+", iterations=300).strategy, 1, settings
    )
    loss = cp.best_response(poker(), whole.strategy, player=0).value
    assert four.strategy.keys() == whole.strategy.keys()
    assert four.searches == whole.searches + 3  # once more on each board after the hidden bet
    assert worst == pytest.approx(loss, abs=1e-3)


@pytest.mark.parametrize("searcher", [0, 1])
@pytest.mark.parametrize(
    "method", [{"method": "maxmargin"}, {"method": "unsafe", "start": "before"}], ids=["maxmargin", "unsafe"]
)
def test_depth_limited_answers_everywhere(method, searcher):
    """At the same infosets as search to the end of the game, as good as that, and better than translation."""
    settings = NestedSearch(iterations=200, **method)
    play, worst = limited(searcher, 4, settings)
    small = cp.solve(ActionAbstraction(poker(), HIDDEN), "cfr+", iterations=300, progress=False).strategy
    whole = play_nested(poker(), HIDDEN, small, searcher, settings)
    assert play.strategy.keys() == whole.strategy.keys()
    assert play.searches == whole.searches + 3
    loss, mapped = (
        cp.best_response(poker(), one, player=1 - searcher).value
        for one in (whole.strategy, translated(poker(), poker(sizes=(0.5, 1)), small, searcher))
    )
    assert worst == pytest.approx(loss, abs=1e-3)
    assert worst < mapped - 3e-3
    if method["method"] == "maxmargin":  # the hidden bet is worth hardly more than what the opponent had without it
        known = cp.best_response(ActionAbstraction(poker(), HIDDEN), small, player=1 - searcher).value
        assert worst <= known + 5e-3


def test_depth_limited_search_takes_no_gifts():
    with pytest.raises(cp.InputError, match="takes no gifts"):
        limited(0, 1, NestedSearch(gifts=True))


def test_continuations_leave_what_the_whole_game_would():
    """With the blueprint as the only continuation: its own values on the board, hand by hand."""
    game, history = poker(), ("c", "r0.75", "c", "K")
    solution = cp.solve(game, "cfr+", iterations=100, progress=False).strategy
    nest = DepthLimitedNest(game, HIDDEN, 1, LeafTable(game, [[solution], [solution]]))
    current = {key: solution[key] for key in solution.table}
    found = nest.subgame(history, history, current)
    left = nest.left_by(found, history)
    exact = subgame(nest.whole, history, current, 1, game)
    exact.play(current)
    np.testing.assert_allclose(left, exact.values(), atol=1e-5)


def test_the_best_continuation_is_left_to_each_hand():
    """The largest of what each continuation gets on the board against the searcher's range and blueprint."""
    game, history = poker(), ("c", "r0.75", "c", "K")
    solution = cp.solve(game, "cfr+", iterations=20, progress=False).strategy
    four = bias_approach(solution, 10)
    nest = DepthLimitedNest(game, HIDDEN, 1, LeafTable(game, [four, [solution]]))
    current = {key: solution[key] for key in solution.table}
    left = nest.left_by(nest.subgame(history, history, current), history)
    exact = subgame(nest.whole, history, current, 1, game)
    by_continuation = []
    for continuation in four:
        exact.play({key: (continuation if key[0] == 0 else solution)[key] for key in solution.table})
        by_continuation.append(exact.values())
    np.testing.assert_allclose(left, np.max(by_continuation, axis=0), atol=1e-5)
    assert (left > by_continuation[0] + 1e-2).any()
    assert len(set(np.argmax(by_continuation, axis=0))) > 1

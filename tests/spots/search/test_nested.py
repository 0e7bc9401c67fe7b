"""Searching further inside a search: ranges, alternatives and bets are those of the search, not of the solution."""

import numpy as np
import pytest

import counterpoise as cp
from tests.spots.conftest import RIVER, TURN
from tests.spots.gluing import at_random, best_responses, glued, searched

FINER = {"river": {"bet": ["33%", "75%", "allin"], "raise": ["allin"]}}
WIDE_TURN = TURN | {"oop": "AhKh,9d8d,7c7s:0.5,QhTh,5h5c", "ip": "KdQd,JhTh:0.75,AdQc,8h8c,6s5s"}


@pytest.fixture(scope="module")
def answer():
    """Out of position answers a bet that the solution does not know."""
    solution = cp.solve_spot(cp.Spot(**WIDE_TURN), target=0.1, progress=False, threads=1)
    return searched(solution, "r:0:c", facing=30, sizes={"river": {"bet": ["50%"], "raise": ["allin"]}})


@pytest.mark.slow
@pytest.mark.parametrize("method", ["resolve", "maxmargin"])
@pytest.mark.parametrize("gifts", ["none", "lower", "exact"])
def test_no_more_exploitable_than_the_search(method, gifts):
    """A rough search of bets that the solution does not know, searched further behind these bets."""
    for seed in range(2):
        first = searched(at_random(RIVER, seed), "r:0", sizes=FINER, iterations=5, target=None)
        before = best_responses(first.stored.average)
        for node in ("r:0:b33", "r:0:c:b75", "r:0:c:b75:b150", "r:0:b75:b150"):
            for seat, searcher in enumerate(("oop", "ip")):
                if node.endswith("b150") and first.node(node).player != searcher:
                    continue  # who is all-in has nothing left to decide
                found = searched(first, node, searcher=searcher, method=method, gifts=gifts)
                rise = glued(first, found) - before[1 - seat]
                assert rise <= found.cost + 1e-3
                assert rise <= 0.1
                assert found.smallest_margin > -1.5


@pytest.mark.parametrize("method", ["unsafe", "resolve"])
def test_the_guarantee_is_against_the_solution(method, tmp_path):
    """Costs add up: in the solution's own tree both searches together lose no more than the second one says."""
    rises = []
    for seed in range(4):
        solution = at_random(RIVER, seed)
        first = searched(solution, "r:0:c", searcher="ip", method=method, iterations=3, target=None)
        second = searched(first, "r:0:c:b50:b150", searcher="ip", method=method, iterations=3, target=None)
        assert (first.cost_before, second.cost_before) == (0.0, first.cost)
        assert second.guarantee == first.cost + second.cost
        rise = glued(solution, first, second) - best_responses(solution.stored.average)[0]
        assert rise <= second.guarantee + 1e-3
        rises.append(rise - second.cost)
    assert max(rises) > 0.1  # the second one's cost alone would not do
    second.save(tmp_path / "second.cpz")
    assert cp.load_search(tmp_path / "second.cpz").guarantee == second.guarantee


def test_the_other_player_of_a_search_has_no_guarantee(answer, tmp_path):
    """Its strategy there is what answers the searcher's, not one that the solution bounds."""
    found = searched(answer, "r:0:c:b30:c:8h", searcher="ip", iterations=5, target=None)
    assert np.isnan(found.guarantee)
    assert (found.safe, found.verdict[:13]) == (False, "No guarantee:")
    assert found.cost >= 0
    found.save(tmp_path / "other.cpz")
    again = cp.load_search(tmp_path / "other.cpz")
    assert np.isnan(again.cost_before)
    assert np.isnan(searched(again, searcher="ip", iterations=5, target=None).guarantee)


def test_a_second_unknown_bet(answer, tmp_path):
    """30 on the turn, called; on the 8h another unknown bet, by the same player as before."""
    node = "r:0:c:b30:c:8h:c"
    found = searched(answer, node, facing=40)
    assert (found.id, found.first, found.searcher, found.facing) == (node, f"{node}:b70", "oop", "b70")
    assert found.facing_name == "bet 40"
    assert found.root.pot == 200
    assert found.root.range("oop") == pytest.approx(answer.node(node).range("oop"), abs=1e-6)
    assert found.ev_before == {player: answer.node(node).ev(player=player) for player in ("oop", "ip")}
    assert found.smallest_margin > -2
    found.save(tmp_path / "second.cpz")
    again = cp.load_search(tmp_path / "second.cpz")
    assert (again.hands, again.first, again.root.rows()) == (found.hands, found.first, found.root.rows())
    third = searched(tmp_path / "second.cpz", sizes={"river": {"raise": ["allin"]}})  # from a file, at its first node
    assert (third.id, third.searcher) == (found.first, "oop")
    assert third.smallest_margin > -2
    assert third.frequencies_before == found.root.frequencies


def test_sizes_of_the_search_are_kept(answer):
    assert answer.node("r:0:c:b30:c:8h").actions == ("c", "b110")  # 50 % of 160 after 30 each
    found = searched(answer, "r:0:c:b30:c:8h")
    assert found.root.actions == ("c", "b110")
    with pytest.raises(cp.InputError, match="this bet is in the tree, search node r:0:c:b30:c:8h:b110"):
        searched(answer, "r:0:c:b30:c:8h", facing=80)


@pytest.mark.parametrize("node", ["r:0:b50", "r:0:b50:c:8h", "r:0:c:c:8h:c"])
def test_the_same_again_is_worth_the_same(node):
    """With ranges of an equilibrium the value of a subgame is unique: here of the first search, with its own sizes."""
    solution = cp.solve_spot(cp.Spot(**WIDE_TURN), iterations=30, progress=False, threads=1)
    first = searched(solution, "r:0", method="unsafe", sizes={"river": {"bet": ["50%"], "raise": ["allin"]}})
    found = searched(first, node, method="unsafe")
    for player in ("oop", "ip"):
        assert found.ev_after[player] == pytest.approx(found.ev_before[player], abs=1.0)
    assert searched(first, node).mean_loss < 0.3


@pytest.mark.parametrize(
    ("node", "options", "sentence"),
    [
        ("r:0", {}, "is not below r:0:c:b30, where the search begins"),
        ("r:0:c:b50", {}, "is not below r:0:c:b30"),
        ("r:0:c:b30:b60", {}, "'b60' is not in the tree here"),
        ("r:0:c:b30:c", {}, "deals a card"),
        ("r:0:c:b30", {"facing": 40}, "may raise to 60 to 150 chips"),
        ("r:0:c:b30", {"sizes": {"flop": {}}}, "'flop' is no street from here on"),
    ],
)
def test_wrong_input(answer, node, options, sentence):
    with pytest.raises(cp.InputError, match=sentence):
        searched(answer, node, **options)

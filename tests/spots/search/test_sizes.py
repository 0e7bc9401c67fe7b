"""The bet sizes of a search: new ones for the searcher, old and new ones for its opponent, who loses none."""

import pytest

import counterpoise as cp
from counterpoise.spots.search.sizes import search_sizes
from tests.spots.conftest import RIVER
from tests.spots.gluing import at_random, best_responses, glued, searched

OLD = {"turn": {"bet": ["50%"]}, "river": {"bet": ["50%", "allin"], "raise": {"oop": ["60%"], "ip": ["allin"]}}}


@pytest.mark.parametrize(
    ("given", "searcher", "bets", "raises"),
    [
        ({"bet": ["33%"]}, 0, (["33%"], ["50%", "allin", "33%"]), ([], ["allin"])),
        ({"bet": ["33%"]}, 1, (["50%", "allin", "33%"], ["33%"]), (["60%"], [])),
        ({"bet": {"oop": ["1%"], "ip": ["2%"]}}, 0, (["1%"], ["50%", "allin", "2%"]), ([], ["allin"])),
        ({"bet": ["50%", "allin"], "raise": ["60%"]}, 0, ["50%", "allin"], (["60%"], ["allin", "60%"])),
    ],
    ids=["oop", "ip", "per player", "the same"],
)
def test_new_for_the_searcher_both_for_the_opponent(given, searcher, bets, raises):
    found = search_sizes(OLD, {"river": given}, 2, searcher)
    assert found["turn"] == OLD["turn"]
    for kind, lists in (("bet", bets), ("raise", raises)):
        expected = lists if isinstance(lists, list) else dict(zip(("oop", "ip"), lists, strict=True))
        assert found["river"][kind] == expected


@pytest.mark.parametrize(
    ("old", "new", "searcher", "donk"),
    [
        (["20%"], None, 0, ["20%"]),
        (["20%"], None, 1, ["20%"]),
        (["20%"], ["30%"], 0, ["30%"]),
        (["20%"], ["30%"], 1, ["20%", "30%"]),
        (None, ["30%"], 0, ["30%"]),
        (None, ["30%"], 1, ["50%", "allin", "30%"]),  # where none were given, the bets served
        (None, None, 1, None),
    ],
)
def test_donk_bets_are_kept(old, new, searcher, donk):
    """They are the bets of the player out of position into the raiser of the street before."""
    before = OLD["river"] | ({"donk": old} if old else {})
    given = {"bet": ["75%"]} | ({"donk": new} if new else {})
    assert search_sizes({"river": before}, {"river": given}, 3, searcher)["river"].get("donk") == donk


@pytest.mark.parametrize("method", ["resolve", "maxmargin"])
@pytest.mark.parametrize(
    ("node", "searcher", "sizes"),
    [
        ("r:0:c", "ip", {"bet": ["50%", "allin"], "raise": []}),
        ("r:0:c", "ip", {"bet": ["50%"], "raise": ["allin"]}),
        ("r:0", "oop", {"bet": ["50%"], "raise": []}),
        ("r:0", "ip", {"bet": [], "raise": []}),
    ],
)
def test_the_verdict_holds_against_all_that_the_solution_knew(solved_river, node, searcher, sizes, method):
    """A best response in the whole tree of the solution, with every bet dropped, gains as much as it says at most."""
    for solution in (solved_river, at_random(RIVER, 1)):
        found = searched(solution, node, searcher=searcher, sizes={"river": sizes}, method=method)
        rise = glued(solution, found) - best_responses(solution.stored.average)[("ip", "oop").index(searcher)]
        assert rise <= found.cost + 1e-3


def test_no_bet_of_the_opponent_is_dropped(solved_river):
    """In position gives up its raises; out of position may still raise, and the answer to that is as good as before."""
    found = searched(solved_river, "r:0:c", sizes={"river": {"bet": ["50%", "allin"], "raise": []}})
    assert found.safe
    assert found.node("r:0:c:b50").actions == solved_river.node("r:0:c:b50").actions == ("f", "c", "b150")
    assert found.sizes["river"]["raise"] == {"oop": ["allin"], "ip": []}
    with pytest.raises(cp.InputError, match="this bet is in the tree, search node r:0:c:b50:b150"):
        searched(found, "r:0:c:b50", facing=150)
    again = searched(found, "r:0:c:b50:b150")
    assert (again.searcher, again.safe) == ("ip", True)
    other = searched(found, "r:0:c:b50", searcher="oop", sizes={"river": {"raise": []}})
    assert other.sizes["river"]["raise"] == []  # each has dropped its own

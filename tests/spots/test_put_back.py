"""Searches put back into the solutions that they were made in."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.spots.put_back import guarantee_in
from tests.spots.conftest import RIVER, TURN
from tests.spots.gluing import at_random, best_responses, glued, searched

WIDE_TURN = TURN | {"oop": "AhKh,9d8d,7c7s:0.5,QhTh,5h5c", "ip": "KdQd,JhTh:0.75,AdQc,8h8c,6s5s"}


@pytest.mark.parametrize(("node", "searcher"), [("r:0:c", "ip"), ("r:0:b50", "oop"), ("r:0:c:b50", "ip")])
def test_the_searcher_plays_what_was_found(node, searcher, tmp_path):
    """As an exact best response sees it, and within what the search says that it may cost; saved and read back."""
    for seed in range(2):
        solution = at_random(RIVER, seed)
        seat = ("oop", "ip").index(searcher)
        found = searched(solution, node, searcher=searcher)
        before = best_responses(solution.stored.average)[1 - seat]
        changed = found.put_into(solution)
        after = best_responses(changed.stored.average)[1 - seat]
        assert after == pytest.approx(glued(solution, found), abs=1e-4)
        assert after - before <= guarantee_in(found, solution) + 1e-3
        assert guarantee_in(found, solution) == found.guarantee
        assert best_responses(solution.stored.average)[1 - seat] == before  # the solution stays as it was
        changed.save(tmp_path / "changed.cpz")
        again = cp.load_solution(tmp_path / "changed.cpz")
        assert again.exploitability_pct == pytest.approx(changed.exploitability_pct)
        assert np.array_equal(again.stored.average.numbers, changed.stored.average.numbers)
        assert again.node(node).strategy("KdQd" if found.root.player == "ip" else "AhKh") == pytest.approx(
            changed.node(node).strategy("KdQd" if found.root.player == "ip" else "AhKh")
        )


def test_bets_that_the_search_has_dropped_are_not_made():
    solution = at_random(RIVER, 1)
    found = searched(solution, "r:0:c", sizes={"river": {"bet": ["50%"], "raise": ["allin"]}})
    changed = found.put_into(solution)
    assert changed.node("r:0:c").frequencies["b150"] == 0
    assert changed.node("r:0:c").frequencies["b50"] == pytest.approx(found.root.frequencies["b50"], abs=1e-6)


def test_cards_that_suits_make_the_same():
    """A search on one of them is put in on all of them, and its cost counts for each."""
    bets = {"turn": {"bet": ["allin"]}, "river": {"bet": ["allin"]}}
    spot = cp.Spot(board="Qs Qh 6h 6s", pot=20, stack=20, oop="AA,77", ip="KK,88", deck="short", **bets)
    solution = cp.solve_spot(spot, iterations=4, progress=False, threads=1)
    for node in ("r:0:c:c:9d", "r:0:c:c:9c"):
        found = searched(solution, node, searcher="oop")
        changed = found.put_into(solution)
        for other in ("r:0:c:c:9d", "r:0:c:c:9c"):
            assert changed.node(other).frequencies == pytest.approx(found.root.frequencies, abs=1e-6)
        assert guarantee_in(found, solution) == pytest.approx(2 * found.cost)
        rise = best_responses(changed.stored.average)[1] - best_responses(solution.stored.average)[1]
        assert rise <= guarantee_in(found, solution) + 1e-3


def test_what_cannot_be_put_in(solved_river):
    other = cp.solve_spot(cp.Spot(**(RIVER | {"pot": 90})), iterations=20, progress=False, threads=1)
    faced = searched(solved_river, "r:0:c", facing=30, iterations=5, target=None)
    with pytest.raises(cp.InputError, match=r"has no bet 30 at node 'r:0:c': an answer to it cannot be put in"):
        faced.put_into(solved_river)
    found = searched(solved_river, "r:0:c", iterations=5, target=None)
    with pytest.raises(cp.InputError, match="of another spot than the solution"):
        found.put_into(other)
    finer = searched(solved_river, "r:0:c", sizes={"river": {"bet": ["33%", "50%"]}}, iterations=5, target=None)
    with pytest.raises(cp.InputError, match=r"other bets than the solution \(b33\): solve the spot with them"):
        finer.put_into(solved_river)
    below = searched(at_random(RIVER, 0), "r:0:c:b50", searcher="ip", iterations=5, target=None)
    with pytest.raises(cp.InputError, match="was made in another solution of this spot: ip arrives at r:0:c:b50"):
        below.put_into(solved_river)

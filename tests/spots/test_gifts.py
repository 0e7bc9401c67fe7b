"""Gifts in spots: against the general tree, never below 0, safe when added, unsafe when scaled up."""

import pytest

import counterpoise as cp
from counterpoise.search.alternatives import respond
from tests.spots.conftest import RIVER, TURN
from tests.spots.gluing import at_random, glued, rough, searched
from tests.spots.oracle import SpotGame, as_strategy

WIDE_TURN = TURN | {"oop": "AhKh,9d8d,7c7s:0.5,QhTh,5h5c,3h2h", "ip": "KdQd,JhTh:0.75,AdQc,8h8c,6s5s,3c2d"}
SMALL_TURN = TURN | {"oop": "AhKh,3h2h", "ip": "KdQd,8h8c"}


@pytest.mark.parametrize("kind", ["lower", "exact"])
@pytest.mark.parametrize(
    ("spot", "node", "searcher"),
    [
        (RIVER, "r:0:b50", "ip"),
        (RIVER, "r:0:c:b50:b150", "ip"),
        (RIVER, "r:0:b50:b150", "oop"),
        (SMALL_TURN, "r:0:c:b50:c:9h", "ip"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_against_the_general_tree(spot, node, searcher, kind):
    """The sum over the opponent's decisions of what a counterfactual best response makes of its actions."""
    solution = rough(spot) if spot is SMALL_TURN else at_random(spot, 3)
    game, seat = SpotGame(solution.spot), ("ip", "oop").index(searcher)
    tree = cp.enumerate_game(game)
    profile = cp.Strategy.from_mapping(tree, as_strategy(solution, game))
    response = respond(tree, profile, seat)
    found = searched(solution, node, searcher=searcher, gifts=kind, iterations=1, target=None)
    steps, expected = node.split(":")[2:], {}
    for hand in found.hands:
        names = [f"{hand.hand} {':'.join(['r:0', *steps[:at]])}" for at in range(len(steps))]
        expected[hand.hand] = sum(
            response.given_up(tree.table.find((seat, name)), step, kind)
            for name, step in zip(names, steps, strict=True)
            if (seat, name) in profile
        )
    assert {hand.hand: hand.gift for hand in found.hands} == pytest.approx(expected, abs=2e-3)
    assert all(hand.gift >= 0 for hand in found.hands)
    could_end = node in ("r:0:c:b50:b150", "r:0:b50:b150", "r:0:c:b50:c:9h")
    assert (max(expected.values()) > 0.5) == (kind == "exact" or could_end)


@pytest.mark.parametrize("method", ["resolve", "maxmargin"])
@pytest.mark.parametrize("kind", ["lower", "exact"])
def test_6_the_spot_gets_no_more_exploitable(method, kind):
    """Whatever the blueprint, with gifts too; the rise is within what the search says that it costs at most."""
    tried = 0
    for seed in range(4):
        solution = at_random(RIVER, seed)
        before = solution.tree.best_response_values()
        for node in ("r:0:b50", "r:0:b150", "r:0:c:b50", "r:0:c:b50:b150", "r:0:b50:b150"):
            for seat, searcher in enumerate(("oop", "ip")):
                found = searched(solution, node, searcher=searcher, method=method, gifts=kind)
                rise = glued(solution, found) - before[1 - seat]
                assert rise <= found.cost + 1e-3
                assert rise <= 0.1
                tried += max(hand.gift for hand in found.hands) > 1
    assert tried >= 10


def test_6_across_a_deal():
    """The same on the river after a turn, where the gift was made a street earlier and one card of many has come."""
    solution = rough(WIDE_TURN)
    before = solution.tree.best_response_values()
    for node, searcher in (("r:0:c:b50:c:8h", "ip"), ("r:0:b50:c:2c", "oop"), ("r:0:b50:c:2c:c", "oop")):
        found = searched(solution, node, searcher=searcher, gifts="lower", method="maxmargin")
        assert max(hand.gift for hand in found.hands) > 1
        assert glued(solution, found) - before[("ip", "oop").index(searcher)] <= found.cost + 1e-3
        assert found.cost < 0.01
    whole = searched(solution, "r:0:c:b50", searcher="ip", gifts="exact")  # glued on all river cards
    assert glued(solution, whole) - before[0] <= whole.cost + 1e-3


def test_the_cost_bounds_what_is_lost():
    """Unsafe search and over-scaled gifts do make a spot more exploitable, by no more than they say."""
    rises = {"unsafe": [], "scaled": []}
    for seed in range(6):
        solution = at_random(RIVER, seed)
        before = solution.tree.best_response_values()
        for node, searcher in (("r:0:c:b50:b150", "ip"), ("r:0:b50:b150", "oop"), ("r:0:b50", "ip")):
            for name, options in (
                ("unsafe", {"method": "unsafe"}),
                ("scaled", {"method": "maxmargin", "gifts": "exact", "gift_scale": 100}),
            ):
                found = searched(solution, node, searcher=searcher, iterations=2000, **options)
                rise = glued(solution, found) - before[("ip", "oop").index(searcher)]
                assert rise <= found.cost + 1e-3
                rises[name].append(rise)
    assert max(rises["unsafe"]) > 1
    assert max(rises["scaled"]) > 1


def test_6b_scale_0_is_no_gift_bit_for_bit():
    solution = at_random(RIVER, 0)
    options = {"method": "maxmargin", "searcher": "ip", "iterations": 60, "target": None}
    plain, none = (
        searched(solution, "r:0:c:b50:b150", **options, **more) for more in ({}, {"gifts": "lower", "gift_scale": 0})
    )
    assert plain.hands == none.hands
    assert plain.root.rows() == none.root.rows()
    given = searched(solution, "r:0:c:b50:b150", **options, gifts="lower")
    assert given.root.rows() != plain.root.rows()
    assert given.mean_gift > 0

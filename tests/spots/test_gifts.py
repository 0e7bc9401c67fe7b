"""Gifts in spots: against the general tree, never below 0, safe when added, unsafe when scaled up."""

from dataclasses import replace

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.public import Profile, build_holdem, transfer
from counterpoise.search.gifts import gifts_on_the_way
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.spots.engine import settings_of
from counterpoise.spots.paths import find, public_node
from tests.search.oracle import respond
from tests.spots.conftest import RIVER, TURN
from tests.spots.gluing import at_random, best_responses, glued, rough, searched
from tests.spots.oracle import SpotGame, as_strategy

WIDE_TURN = TURN | {"oop": "AhKh,9d8d,7c7s:0.5,QhTh,5h5c,3h2h", "ip": "KdQd,JhTh:0.75,AdQc,8h8c,6s5s,3c2d"}
SMALL_TURN = TURN | {"oop": "AhKh,3h2h", "ip": "KdQd,8h8c"}


@pytest.mark.long
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


@pytest.mark.slow
@pytest.mark.parametrize("method", ["resolve", "maxmargin"])
@pytest.mark.parametrize("kind", ["lower", "exact"])
def test_6_the_spot_gets_no_more_exploitable(method, kind):
    """Whatever the blueprint, with gifts too; the rise is within what the search says that it costs at most."""
    tried = 0
    for seed in range(4):
        solution = at_random(RIVER, seed)
        before = best_responses(solution.stored.average)
        for node in ("r:0:b50", "r:0:b150", "r:0:c:b50", "r:0:c:b50:b150", "r:0:b50:b150"):
            for seat, searcher in enumerate(("oop", "ip")):
                if node.endswith("b150") and solution.node(node).player != searcher:
                    continue  # who is all-in has nothing left to decide
                found = searched(solution, node, searcher=searcher, method=method, gifts=kind)
                rise = glued(solution, found) - before[1 - seat]
                assert rise <= found.cost + 1e-3
                assert rise <= 0.1
                tried += max(hand.gift for hand in found.hands) > 1
    assert tried >= 8


def test_6_across_a_deal():
    """The same on the river after a turn, where the gift was made a street earlier and one card of many has come."""
    solution = rough(WIDE_TURN)
    before = best_responses(solution.stored.average)
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
        before = best_responses(solution.stored.average)
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
    figures = [[(hand.value, hand.margin, hand.entry) for hand in part.hands] for part in (plain, none)]
    assert figures[0] == figures[1]
    assert plain.root.rows() == none.root.rows()
    given = searched(solution, "r:0:c:b50:b150", **options, gifts="lower")
    assert given.root.rows() != plain.root.rows()
    assert given.mean_gift == none.mean_gift > 0


@pytest.mark.parametrize(("scale", "counted"), [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (3.0, 1.0)])
def test_what_of_a_gift_counts(scale, counted):
    """Gifts are told unscaled; margins count no more of them than was given up."""
    found = searched(at_random(RIVER, 0), "r:0:c:b50:b150", searcher="ip", gifts="lower", gift_scale=scale)
    assert max(hand.gift for hand in found.hands) > 1
    for hand in found.hands:
        assert hand.margin == pytest.approx(hand.alternative + counted * hand.gift - hand.value)


def test_with_gifts_the_verdict_speaks_of_them():
    found = searched(at_random(RIVER, 0), "r:0:c:b50:b150", searcher="ip", gifts="exact", target=0.001)
    assert "given up on its way" in found.verdict
    assert any(hand.value > hand.alternative + 1 for hand in found.hands)  # more than against the old strategy


@pytest.mark.slow
def test_merged_suits():
    """Gifts of a tree that merges suits are those of one that tells them apart, hand by hand, on any card dealt."""
    bets = {"flop": {"bet": ["50%"]}, "turn": {"bet": ["allin"]}, "river": {}}
    spot = cp.Spot(board="Qs Qh 6h", pot=20, stack=40, oop="AA,77", ip="KK,88", deck="short", **bets)
    merged, apart = (build_holdem(replace(spot.rules, isomorphism=isomorphism)) for isomorphism in (True, False))
    assert len(merged.board_nodes) < len(apart.board_nodes)
    solver = PublicSolver(settings_of(None), merged)
    solver.step(10)
    spelled = Profile(apart)
    transfer(solver.average, spelled)
    for card in ("9d", "9c", "6s", "Ac"):
        place = find(spot, f"r:0:c:b10:c:{card}:b40")[-1]
        for kind in ("lower", "exact"):
            gifts, plain = (
                gifts_on_the_way(public_node(profile.game, place), 0, profile, kind)
                for profile in (solver.average, spelled)
            )
            assert gifts.max() > 1
            np.testing.assert_allclose(gifts, plain, atol=1e-3)

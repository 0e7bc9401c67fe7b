"""How often sizes are used, against the frequencies of the nodes where they can be."""

from __future__ import annotations

import pytest

import counterpoise as cp
from counterpoise.spots.sizes.usage import Size, bet_usage, size_usage


def test_river_bets_are_the_frequencies_of_their_node(solved_river):
    for seat, id in ((0, "r:0"), (1, "r:0:c")):
        frequencies = solved_river.node(id).frequencies
        used = bet_usage(solved_river, seat)["river"]
        assert used["50%"] == pytest.approx(frequencies["b50"], abs=1e-5)
        assert used["allin"] == pytest.approx(frequencies["b150"], abs=1e-5)


def test_raises_are_weighted_by_how_often_they_are_possible(solved_river):
    """Out of position may raise after check and bet of 50 only: all-in cannot be raised."""
    used = size_usage(solved_river, 0)[Size("river", "raise", "allin")]
    assert used == pytest.approx(solved_river.node("r:0:c:b50").frequencies["b150"], abs=1e-5)


def test_a_later_street_counts_all_its_boards(solved_turn):
    """Check, check, then the first river bet of out of position: the mean over all cards, by how often they come."""
    chances = bets = 0.0
    for id in ("r:0:c:c", "r:0:b50:c", "r:0:c:b50:c"):
        for card in solved_turn.node(id).cards:
            river = solved_turn.node(f"{id}:{card}")
            chances += river.pair_mass
            bets += river.pair_mass * next(share for action, share in river.frequencies.items() if action != "c")
    used = bet_usage(solved_turn, 0)["river"]["allin"]
    assert used == pytest.approx(bets / chances, abs=1e-4)


def test_sizes_that_are_the_same_bet_count_it_whole():
    spot = cp.Spot(
        board="Ks 7d 4c Jd 2s", pot=100, stack=100, oop="AhKh,9h8h", ip="KdQd,6h5h", river={"bet": ["100%", "allin"]}
    )
    solution = cp.solve_spot(spot, iterations=20, progress=False, threads=1)
    used = bet_usage(solution, 1)["river"]
    assert used["100%"] == pytest.approx(used["allin"])

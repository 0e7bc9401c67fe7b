"""Estimates: exact for trees that are built, refusals that say what to cut, and no hanging on absurd ones."""

from __future__ import annotations

import pytest

import counterpoise as cp
from counterpoise.spots.tree_count import count_betting
from tests.spots.conftest import TURN

WIDE = {
    "name": "wide",
    "board": "Qs Jh 2h",
    "pot": 100,
    "stack": 2000,
    "oop": "random",
    "ip": "random",
    "flop": {"bet": ["33%", "75%"], "raise": ["60%"]},
    "turn": {"bet": ["33%", "75%", "150%"], "raise": ["60%"]},
    "river": {"bet": {"oop": ["33%", "75%"], "ip": ["75%", "150%"]}, "raise": ["60%"]},
}


def test_nodes_are_those_of_the_tree(solved_turn, solved_river):
    for solution in (solved_turn, solved_river):
        found = cp.estimate(solution.spot)
        assert found.nodes == solution.nodes
        assert found.bits == 32
        assert found.memory_mb[16] < found.memory_mb[32] < 2 * solution.memory_mb
        assert found.cpu_seconds > 0


def test_betting_is_counted_as_it_is_walked(turn):
    def walk(state):
        if state.to_act == cp.CHANCE:
            return walk(turn.betting.deal(state))
        actions = turn.sizes.actions(turn.betting, state) if state.to_act >= 0 else ()
        return 1 + sum(walk(turn.betting.apply(state, action)) for action in actions)

    assert count_betting(turn.betting, turn.sizes).nodes.sum() == walk(turn.betting.initial())


def test_a_lower_target_takes_longer(turn):
    assert cp.estimate(turn, target=0.1).cpu_seconds > cp.estimate(turn, target=1).cpu_seconds


def test_16_bits_where_32_do_not_fit(turn):
    found = cp.estimate(turn)
    between = (found.memory_mb[16] + found.memory_mb[32]) / 2
    assert cp.estimate(turn, memory_mb=between).bits == 16
    with pytest.raises(cp.InputError, match=r"with 32 bits \(16 bits would need .* and fit\)"):
        cp.estimate(turn, memory_mb=between, bits=32)
    locked = cp.Spot(**TURN, lock=[{"node": "r:0", "strategy": {"random": {"c": 1.0}}}])
    with pytest.raises(cp.InputError, match="with 32 bits, and"):
        cp.estimate(locked, memory_mb=0.01)


def test_says_which_size_to_leave_out():
    spot = cp.Spot(**WIDE)
    with pytest.raises(cp.InputError) as caught:
        cp.estimate(spot, memory_mb=5000)
    sentence = str(caught.value)
    assert sentence.startswith("wide needs ")
    assert "5.0 GB may be used: leave out " in sentence
    assert "and it needs about" in sentence
    named = sentence.split("leave out ")[1].split(",")[0].split(" and ")[0]
    street, key = named.split(" ")[0].split(".")[:2]
    assert street in WIDE
    assert key in ("bet", "raise")
    with pytest.raises(cp.InputError, match=r"even without .* it would need about"):
        cp.estimate(spot, memory_mb=0.001)


def test_absurd_trees_are_refused_at_once():
    sizes = {"bet": [f"{k}%" for k in range(3, 60)], "raise": [f"{k}%" for k in range(3, 60)]}
    absurd = cp.Spot(**WIDE | {"stack": 10**6, "flop": sizes, "turn": sizes, "river": sizes})
    with pytest.raises(cp.InputError, match="more than 100,000 different betting situations"):
        cp.estimate(absurd)


def test_wrong_numbers(turn):
    with pytest.raises(cp.InputError, match="target must be a positive number"):
        cp.estimate(turn, target=0)
    with pytest.raises(cp.InputError, match="bits must be 16 or 32"):
        cp.estimate(turn, bits=64)

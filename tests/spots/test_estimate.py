"""Estimates: exact for trees that are built, refusals that say what to cut, and no hanging on absurd ones."""

from __future__ import annotations

import pytest

import counterpoise as cp
from counterpoise.betting.tree_count import count_betting
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_very_many_sizes_are_refused_at_once(turn):
    """A page asks while the user types: so few tries that the answer takes about a second, and no advice one by one."""
    many = [f"{share}%" for share in range(1, 200)]
    river = {"board": "Ks 7d 4c Jd 2s", "oop": "AhKh", "ip": "QdQh", "pot": 100, "stack": 900}
    tried = cp.Spot(**river, river={"bet": many, "raise": many})
    with pytest.raises(cp.InputError, match="the bet sizes are too many to count the tree"):
        cp.estimate(tried)
    assert cp.estimate(cp.Spot(**river, river={"bet": many, "raise": many[-2:]})).nodes > 1000
    wide = cp.Spot(**turn.to_dict() | {"turn": {"bet": {"oop": ["50%"], "ip": many}}})
    with pytest.raises(cp.InputError, match=r"may be used: leave out most of the 199 sizes of turn.bet.ip$"):
        cp.estimate(wide, memory_mb=0.1)


@pytest.mark.slow
def test_absurd_trees_are_refused_at_once():
    sizes = {"bet": [f"{k}%" for k in range(3, 60)]}
    absurd = cp.Spot(**WIDE | {"stack": 10**6, "flop": sizes, "turn": sizes, "river": sizes})
    with pytest.raises(cp.InputError, match="more than 100,000 different betting situations"):
        cp.estimate(absurd)


def test_wrong_numbers(turn):
    with pytest.raises(cp.InputError, match="target must be a positive number"):
        cp.estimate(turn, target=0)
    with pytest.raises(cp.InputError, match="bits must be 16 or 32"):
        cp.estimate(turn, bits=64)


@pytest.mark.slow
def test_deep_stacks_do_not_exhaust_the_stack_of_calls():
    """A betting line of more than a thousand raises: counted, or refused in one sentence."""
    sizes = {"bet": ["1c"], "raise": ["1c"]}
    deep = {"board": "Ks 7d 4c Jd 2s", "oop": "AhKh", "ip": "QdQh", "pot": 1, "stack": 1200, "river": sizes}
    spot = cp.Spot(**deep)
    assert count_betting(spot.betting, spot.sizes).nodes.sum() > 2400
    assert cp.estimate(spot).nodes > 2400
    with pytest.raises(cp.InputError, match="different betting situations"):
        cp.estimate(cp.Spot(**deep | {"stack": 10**6}))


def test_states_are_limited_when_they_are_entered(turn, monkeypatch):
    monkeypatch.setattr("counterpoise.betting.tree_count.MOST_STATES", 3)
    asked = []
    actions = type(turn.sizes).actions
    monkeypatch.setattr(type(turn.sizes), "actions", lambda *args: asked.append(args) or actions(*args))
    with pytest.raises(cp.InputError, match="more than 3 different"):
        count_betting(turn.betting, turn.sizes)
    assert len(asked) <= 4


@pytest.mark.parametrize("bits", [16, 32])
@pytest.mark.parametrize("algorithm", ["dcfr", "pcfr+"])
def test_memory_covers_all_tables(turn, bits, algorithm):
    """At least what the tables take, and what is more is the same for both kinds of algorithm."""
    solution = cp.solve_spot(turn, iterations=1, bits=bits, algorithm=algorithm, progress=False)
    tables = sum(array.nbytes for array in solution.solver.arrays().values()) / 1e6
    found = cp.estimate(turn, bits=bits, algorithm=algorithm).memory_mb[bits]
    assert 0.95 * tables <= found
    rest = cp.estimate(turn, bits=bits).memory_mb[bits] - tables * (2 / 3 if algorithm == "pcfr+" else 1)
    assert found == pytest.approx(tables + rest, rel=0.05)

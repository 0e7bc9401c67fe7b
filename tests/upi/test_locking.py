"""Strategies that are written and locked: runs keep them, the rest answers."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.upi.hand_order import HANDS
from tests.upi.talk import RIVER, RIVER_LINES, TURN, TURN_LINES, Talk, at, spot_of


@pytest.fixture
def talk():
    return Talk().solve(RIVER, RIVER_LINES)


def written(rows):
    return " ".join(f"{number:g}" for row in rows for number in row)


def test_a_strategy_that_is_set_is_shown_and_counts(talk):
    """All of them bet 120: the EV of the node is that of the bet."""
    children = [line for line in talk.ask("show_children r:0") if line.startswith("r:")]
    rows = np.zeros((3, 1326))
    rows[children.index("r:0:b120")] = 1
    talk.do(f"set_strategy r:0 {written(rows)}")
    assert [row[at("AdAc")] for row in talk.numbers("show_strategy r:0")] == [1, 0, 0]
    assert talk.numbers("calc_global_freq r:0:b120")[0][0] == pytest.approx(1)
    node, bet = talk.numbers("calc_ev OOP r:0")[0], talk.numbers("calc_ev OOP r:0:b120")[0]
    assert node[at("KdKc")] == pytest.approx(bet[at("KdKc")], abs=1e-5)
    talk.do("go 200")
    talk.do("wait_for_solver")
    assert talk.numbers("calc_global_freq r:0:b120")[0][0] < 0.9  # nothing was locked


def test_a_locked_node_is_kept_and_the_other_player_answers(talk):
    rows = np.zeros((3, 1326))
    rows[2] = 1  # check everything
    talk.do(f"set_strategy r:0 {written(rows)}")
    talk.do("lock_node r:0")
    assert talk.ask("show_locked_nodes") == ["r:0"]
    talk.do("go 150")
    talk.do("wait_for_solver")
    assert "LOCKED" in talk.ask("show_node r:0")[5]
    strategy = talk.numbers("show_strategy r:0")
    held = talk.numbers("show_range OOP r:0")[0] > 0
    assert strategy[2][held] == pytest.approx(1)
    lock = {"node": "r:0", "strategy": {"TT+,AK,T9s": {"check": 1.0}}}
    other = cp.solve_spot(spot_of(RIVER, RIVER_LINES).with_locks([lock]), iterations=400, threads=1, progress=False)
    assert results(talk)["EV IP"] == pytest.approx(other.ev["ip"], abs=0.02 * RIVER["pot"])
    talk.do("unlock_node r:0")
    talk.do("set_accuracy 0.005 fraction")
    talk.do("go")
    talk.do("wait_for_solver")
    assert "LOCKED" not in talk.ask("show_node r:0")[5]
    assert talk.numbers("calc_global_freq r:0:c")[0][0] < 0.99


def test_single_hands_are_locked(talk):
    flags = np.array([float(hand in ("AdAc", "AhAc", "2d2c")) for hand in HANDS])
    before = [row[at("AdAc")] for row in talk.numbers("show_strategy r:0")]
    talk.do(f"combo_lock_node r:0 {written([flags])}")
    locked = talk.numbers("show_locked_combos r:0")[0]
    assert {HANDS[place] for place in np.flatnonzero(locked)} == {"AdAc", "AhAc"}  # 2d2c is not in the range
    talk.do("go 30")
    talk.do("wait_for_solver")
    assert [row[at("AdAc")] for row in talk.numbers("show_strategy r:0")] == pytest.approx(before, abs=1e-6)


def test_the_most_exploitative_strategy_wins_what_was_said(talk):
    """After set_mes a player's EV is what calc_results called its MES, on a turn tree too."""
    for found in (talk, Talk().solve(TURN, TURN_LINES, steps=5)):
        before = results(found)
        found.do("set_mes IP")
        assert results(found)["EV IP"] == pytest.approx(before["IP's MES"], abs=2e-3)
        assert results(found)["EV IP"] > before["EV IP"] + 0.1


def results(talk):
    return {name: float(value) for name, value in (line.split(": ") for line in talk.ask("calc_results"))}


def test_a_tree_is_locked_before_its_first_run():
    talk = Talk()
    talk.describe(RIVER, RIVER_LINES)
    talk.do("build_tree")
    talk.do("lock_node r:0")
    talk.do("set_threads 1")
    talk.do("go 10")
    talk.do("wait_for_solver")
    assert [row[at("AdAc")] for row in talk.numbers("show_strategy r:0")] == pytest.approx([1 / 3] * 3, abs=1e-6)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("lock_node r:0:b50:c", "nobody acts at node"),
        ("lock_node r", "nobody acts at node 'r'"),
        ("unlock_node r:0", "node 'r:0' is not locked"),
        ("set_strategy r:0 1 2 3", "takes 3,978 numbers, 3 for each hand, not 3"),
        (f"set_strategy r:0 {'0.7 ' * 3978}", "must sum to 1, not to 2.1"),
        (f"set_strategy r:0 {'nan ' * 3978}", "must be numbers from 0 to 1, not 'nan'"),
        (f"combo_lock_node r:0 {'0 ' * 1326}", "no hand is to be locked"),
        (f"combo_lock_node r:0 1 {'0 ' * 1325}", "no such hand is in the range"),
        ("show_locked_combos", "takes 1 arguments, not 0"),
    ],
)
def test_what_cannot_be_locked(talk, line, complaint):
    (answer,) = talk.ask(line)
    assert answer.startswith("ERROR: ")
    assert complaint in answer

"""Strategies, ranges, EVs, equities and frequencies are those of the Python interface, in UPI's order and units."""

import itertools
import math

import numpy as np
import pytest
from phevaluator import evaluate_cards

import counterpoise as cp
from counterpoise.spots.solve import unsolved
from counterpoise.upi.hand_order import HANDS
from tests.upi.talk import RIVER, RIVER_LINES, TURN, TURN_LINES, Talk, at, spot_of, weights

RAKE = (0.05, 12.0)


@pytest.fixture(scope="module")
def turn():
    return Talk().solve(TURN, TURN_LINES, rake=RAKE)


@pytest.fixture(scope="module")
def solution():
    return cp.solve_spot(spot_of(TURN, TURN_LINES, RAKE), iterations=40, threads=1, progress=False)


def nodes(talk, most=25):
    """Some nodes of every type, found as a client finds them."""
    found, stack = [], ["r:0"]
    while stack and len(found) < most:
        id = stack.pop(0)
        kind = talk.ask(f"show_node {id}")[1]
        found.append((id, kind))
        children = [line for line in talk.ask(f"show_children {id}") if line.startswith("r:")]
        stack += children[:: 17 if kind == "SPLIT_NODE" else 1]
    return found


def test_strategies_are_those_of_the_solution(turn, solution):
    for id in ("r:0", "r:0:c", "r:0:c:b50", "r:0:c:c:2h", "r:0:b50:b150:c:9h"):
        node = solution.node(id)
        rows = turn.numbers(f"show_strategy {id}")
        children = [line for line in turn.ask(f"show_children {id}") if line.startswith("r:")]
        assert children == [f"{id}:{action}" for action in reversed(node.actions)]
        for hand in node.range(node.player):
            expected = node.strategy(hand)
            for child, row in zip(children, rows, strict=True):
                place = at(hand) if hand in HANDS else at(hand[2:] + hand[:2])
                assert row[place] == pytest.approx(expected[child.rpartition(":")[2]], abs=1e-8)


def test_ranges_evs_and_equities_are_those_of_the_solution(turn, solution):
    """EVs count from the root: chips that a player has put in since then are taken off."""
    for id in ("r:0", "r:0:c:b50", "r:0:c:c:2h", "r:0:b50:b150:c:9h"):
        node = solution.node(id)
        for seat, player in enumerate(("oop", "ip")):
            held = turn.numbers(f"show_range {player.upper()} {id}")[0]
            evs, matchups = turn.numbers(f"calc_ev {player.upper()} {id}")
            equities, again, total = turn.numbers(f"calc_eq_node {player.upper()} {id}")
            assert np.array_equal(matchups, again)
            assert total[0] == pytest.approx(node.equity(player=player), abs=1e-8)
            for hand, weight in node.range(player).items():
                place = at(hand) if hand in HANDS else at(hand[2:] + hand[:2])
                assert held[place] == pytest.approx(weight, abs=1e-8)
                if matchups[place]:
                    expected = node.ev(hand, player) - node.place.state.paid[seat]
                    assert evs[place] == pytest.approx(expected, abs=1e-5)
                    assert equities[place] == pytest.approx(node.equity(hand, player), abs=1e-8)
            assert np.isnan(evs[held == 0]).sum() > 1000


@pytest.mark.slow
def test_children_of_all_types_add_up_to_their_parent(turn):
    """The EV of a decision is the mean of its children's, ends and deals among them, for both players."""
    kinds = set()
    for id, kind in nodes(turn):
        kinds.add(kind)
        children = [line for line in turn.ask(f"show_children {id}") if line.startswith("r:")]
        if kind == "END_NODE":
            assert not children
            continue
        for player in ("OOP", "IP"):
            evs, matchups = turn.numbers(f"calc_ev {player} {id}")
            pairs = [turn.numbers(f"calc_ev {player} {child}") for child in children]
            won = sum(np.where(weight > 0, ev, 0.0) * weight for ev, weight in pairs)
            share = 44.0 if kind == "SPLIT_NODE" else 1.0  # cards that two hands on a board of four leave
            known = matchups > 0
            assert won[known] / share == pytest.approx((evs * matchups)[known], rel=1e-4, abs=1e-4)
            assert sum(weight for _, weight in pairs)[known] / share == pytest.approx(matchups[known], abs=1e-6)
    assert kinds == {"OOP_DEC", "IP_DEC", "SPLIT_NODE", "END_NODE"}


def test_frequencies_add_up(turn, solution):
    assert turn.numbers("calc_global_freq r")[0][0] == 1.0
    for id in ("r:0", "r:0:c", "r:0:c:c", "r:0:c:c:2h"):
        children = [line for line in turn.ask(f"show_children {id}") if line.startswith("r:")]
        own = turn.numbers(f"calc_global_freq {id}")[0][0]
        assert sum(turn.numbers(f"calc_global_freq {child}")[0][0] for child in children) == pytest.approx(
            own, abs=1e-7
        )
    root = solution.root.frequencies
    assert turn.numbers("calc_line_freq r:0:b50")[0][0] == pytest.approx(root["b50"], abs=1e-7)
    checked = turn.numbers("calc_global_freq r:0:c:c")[0][0]
    for id in ("r:0:c:c:2h", "r:0:c:c:3h:c"):  # out of position, the river is always checked
        assert turn.numbers(f"calc_line_freq {id}")[0][0] == pytest.approx(checked, abs=1e-7)


@pytest.mark.slow
def test_frequencies_of_all_lines(turn):
    """As public clients read them: a line, " - " and a number."""
    everywhere, here = (
        {line: float(share) for line, share in (row.split(" - ") for row in turn.ask(f"show_all_freqs {kind}"))}
        for kind in ("global", "local")
    )
    assert list(everywhere) == turn.ask("show_all_lines")
    for line, node in (("r:0:b50:c:c", "r:0:b50:c:2h:c"), ("r:0:c:b50:f", "r:0:c:b50:f")):
        assert everywhere[line] == turn.numbers(f"calc_line_freq {node}")[0][0]
        assert here[line] == pytest.approx(everywhere[line] / everywhere[line.rpartition(":")[0]], rel=1e-6)
    ends = [line for line in everywhere if not any(other.startswith(f"{line}:") for other in everywhere)]
    assert sum(everywhere[line] for line in ends) == pytest.approx(1.0, abs=1e-6)


def test_results_are_those_of_the_solution(turn, solution):
    found = dict(line.split(": ") for line in turn.ask("calc_results"))
    assert float(found["EV OOP"]) == pytest.approx(solution.ev["oop"], abs=1e-3)
    assert float(found["EV IP"]) == pytest.approx(solution.ev["ip"], abs=1e-3)
    assert float(found["Exploitable for"]) == pytest.approx(solution.exploitability_pct, abs=1e-3)  # the pot is 100
    gains = [float(found[f"{player}'s MES"]) - float(found[f"EV {player}"]) for player in ("OOP", "IP")]
    assert float(found["Exploitable for"]) == pytest.approx(sum(gains) / 2, abs=1.5e-3)


def test_lines_by_hand_say_the_same(turn):
    rows = turn.numbers("show_strategy r:0")
    for line in turn.ask("show_strategy_pp r:0"):
        hand, _, numbers = line.partition(": ")
        assert [float(word) for word in numbers.split()] == [row[at(hand)] for row in rows]
    for command in ("calc_ev", "calc_eq"):
        values, matchups = turn.numbers(f"{'calc_ev' if command == 'calc_ev' else 'calc_eq_node'} IP r:0:c")[:2]
        shown = turn.ask(f"{command}_pp IP r:0:c")
        assert len(shown) == np.count_nonzero(matchups)
        for line in shown:
            hand, _, numbers = line.partition(": ")
            assert [float(word) for word in numbers.split()] == [values[at(hand)], matchups[at(hand)]]


def test_equities_of_ranges_are_those_of_another_evaluator():
    """By phevaluator, over all rivers and all pairs of hands."""
    talk = Talk()
    board, oop, ip = "Ks 7d 4c Jd", "AhKh,9d8d,7c7s:0.5", "KdQd,JhTh:0.75,8c8d"
    talk.do(f"set_board {board}")
    talk.do(f"set_range OOP {weights(oop)}")
    talk.do(f"set_range IP {weights(ip)}")
    hands = [
        [
            (hand[:2], hand[2:], weight)
            for hand, weight in zip(HANDS, map(float, weights(text).split()), strict=True)
            if weight
        ]
        for text in (oop, ip)
    ]
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    for seat, player in enumerate(("OOP", "IP")):
        equities, matchups = talk.numbers(f"calc_eq {player}")
        for first, second, weight in hands[seat]:
            won = met = 0.0
            for one, two, other in hands[1 - seat]:
                if {first, second} & {one, two}:
                    continue
                for river in itertools.filterfalse({first, second, one, two, *board.split()}.__contains__, deck):
                    mine, theirs = (
                        evaluate_cards(*pair, river, *board.split()) for pair in ((first, second), (one, two))
                    )
                    won += other * (1.0 if mine < theirs else 0.5 if mine == theirs else 0.0) / 44
                met += other
            assert matchups[at(first + second)] == pytest.approx(weight * met)
            expected = won / met if met else math.nan
            assert equities[at(first + second)] == pytest.approx(expected, nan_ok=True, abs=1e-8)


def test_a_tree_answers_before_it_is_solved():
    talk = Talk()
    talk.describe(RIVER, RIVER_LINES)
    talk.do("build_tree")
    place = at("AdAc")
    assert [row[place] for row in talk.numbers("show_strategy r:0")] == pytest.approx([1 / 3] * 3, abs=1e-8)
    assert talk.numbers("calc_eq_node OOP r:0")[2][0] == pytest.approx(
        unsolved(spot_of(RIVER, RIVER_LINES), threads=1).root.equity(player="oop"), abs=1e-8
    )
    assert talk.ask("show_iters") == ["0"]

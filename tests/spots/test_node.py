"""Nodes of a solution: strategies, EV and equity of hands against enumeration, children, cards, and wrong questions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from phevaluator import evaluate_cards

import counterpoise as cp
from counterpoise.spots import Deal, Decision
from counterpoise.spots.engine import build_game
from counterpoise.spots.node import known_mass
from tests.spots.conftest import RIVER
from tests.spots.oracle import SpotGame, overlap


def split(hand):
    return (hand[:2], hand[2:])


def enumerated(solution, id):
    """EV per hand of both players at a node, by following every pair of hands through the general game."""
    game, strategies = SpotGame(solution.spot), {}
    node = solution.node(id)
    paid = node.place.state.paid

    def worth(state):
        seat = game.player(state)
        if seat == cp.TERMINAL:
            return np.array(game.payoffs(state))
        if seat == cp.CHANCE:
            return sum(p * worth(game.next(state, card)) for card, p in game.chance(state))
        if state[3] not in strategies:
            strategies[state[3]] = {row["hand"]: row for row in solution.node(state[3]).rows()}
        row = strategies[state[3]]["".join(state[0][seat])]
        return sum(row[action] * worth(game.next(state, action)) for action in game.actions(state))

    totals = [{}, {}]
    weights = [node.range("oop"), node.range("ip")]
    for a, b in product(weights[0], weights[1]):
        if overlap(split(a), split(b)):
            continue
        state = game.next(None, f"{a}|{b}")
        for token in id.split(":")[2:]:
            state = game.next(state, token)
        value = worth(state)
        for seat, own, other in ((0, a, weights[1][b]), (1, b, weights[0][a])):
            total = totals[seat].setdefault(own, [0.0, 0.0])
            total[0] += other * value[seat]
            total[1] += other
    half = solution.spot.pot / 2
    return [
        {hand: total / mass + half + paid[seat] for hand, (total, mass) in found.items()}
        for seat, found in enumerate(totals)
    ]


@pytest.mark.parametrize("id", ["r:0", "r:0:c", "r:0:b50", "r:0:c:b50:b150"])
def test_ev_of_hands_on_the_river(solved_river, id):
    node = solved_river.node(id)
    for seat, player in enumerate(("oop", "ip")):
        for hand, value in enumerated(solved_river, id)[seat].items():
            assert node.ev(hand, player) == pytest.approx(value, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("id", ["r:0", "r:0:b50", "r:0:c:c:2h", "r:0:b50:c:9c:c", "r:0:c:b50:c:Ac"])
def test_ev_of_hands_on_the_turn(solved_turn, id):
    node = solved_turn.node(id)
    for seat, player in enumerate(("oop", "ip")):
        for hand, value in enumerated(solved_turn, id)[seat].items():
            assert node.ev(hand, player) == pytest.approx(value, abs=0.02)


def test_actions_are_worth_what_follows(solved_river):
    """Folding is worth nothing; an action is worth the node after it, less what it costs."""
    node = solved_river.node("r:0:b50")
    for hand in node.range("ip"):
        worth, strategy = node.action_evs(hand), node.strategy(hand)
        assert worth["f"] == pytest.approx(0, abs=1e-3)
        assert node.ev(hand) == pytest.approx(sum(worth[a] * strategy[a] for a in node.actions), abs=1e-3)
        after = solved_river.node("r:0:b50:b150")
        assert worth["b150"] == pytest.approx(after.ev(hand, "ip") - 150, abs=1e-2)


def test_ranges_are_followed_down(solved_river):
    node = solved_river.node("r:0:c:b50")
    for hand, weight in node.range("oop").items():
        start = solved_river.root.range("oop")[hand]
        assert weight == pytest.approx(start * solved_river.root.strategy(hand)["c"], abs=1e-6)


def equity(board, hand, opponents):
    """The share of the pot by enumeration with phevaluator; `opponents` maps hands to weights."""
    from counterpoise.cards import STANDARD_DECK, format_card

    deck = [format_card(card) for card in STANDARD_DECK.cards.tolist()]
    won = mass = 0.0
    for other, weight in opponents.items():
        if overlap(split(hand), split(other)):
            continue
        left = [card for card in deck if card not in (*board, *split(hand), *split(other))]
        shares = []
        for more in [()] if len(board) == 5 else [(card,) for card in left]:
            ours, theirs = (evaluate_cards(*board, *more, *split(own)) for own in (hand, other))
            shares.append(1.0 if ours < theirs else 0.5 if ours == theirs else 0.0)
        won += weight * sum(shares) / len(shares)
        mass += weight
    return won / mass


@pytest.mark.parametrize(
    ("kind", "id"), [("river", "r:0"), ("turn", "r:0"), ("turn", "r:0:b50"), ("turn", "r:0:c:c:2h")]
)
def test_equities_by_enumeration(kind, id, request):
    node = request.getfixturevalue(f"solved_{kind}").node(id)
    for player, other in (("oop", "ip"), ("ip", "oop")):
        for hand in node.range(player):
            expected = equity(node.board.split(), hand, node.range(other))
            assert node.equity(hand, player) == pytest.approx(expected, abs=1e-9)
    assert node.equity(player="oop") + node.equity(player="ip") == pytest.approx(1)


def test_frequencies_are_means_over_the_range(solved_river):
    root = solved_river.root
    assert sum(root.frequencies.values()) == pytest.approx(1)
    rows = root.to_frame()
    assert list(rows.columns[:3]) == ["hand", "weight", "c"]
    assert len(rows) == 5
    low, high = rows["c"].min(), rows["c"].max()
    assert low - 1e-9 <= root.frequencies["c"] <= high + 1e-9
    met = {
        hand: sum(weight for other, weight in root.range("ip").items() if not overlap(split(hand), split(other)))
        for hand in root.range("oop")
    }
    weights = [root.range("oop")[hand] * met[hand] for hand in ("AhKh", "QhJh")]
    mean = np.average([root.strategy(hand)["c"] for hand in ("AhKh", "QhJh")], weights=weights)
    assert root.strategy("AhKh,QhJh")["c"] == pytest.approx(mean, abs=1e-6)


def test_the_value_is_shared_out(solved_turn):
    root = solved_turn.root
    for player in ("oop", "ip"):
        assert root.ev(player=player) == pytest.approx(solved_turn.ev[player], abs=1e-3)


def test_children_and_cards(solved_turn):
    assert solved_turn.root.children() == ["r:0:c", "r:0:b50"]
    deal = solved_turn.node("r:0:b50:c")
    assert isinstance(deal, Deal)
    assert deal.player == "chance"
    assert deal.pot == 200
    assert len(deal.cards) == 48
    assert deal.cards[0] == "Ac"
    child = solved_turn.node(deal.children()[0])
    assert isinstance(child, Decision)
    assert child.player == "oop"
    assert child.board == "Ks 7d 4c Jd Ac"
    assert child.action_names == ("check", "all-in 100")


def test_cards_weigh_what_they_are_likely(solved_turn):
    deal = solved_turn.node("r:0:c:c")
    report = deal.over_cards()
    assert len(report.rows) == 48
    assert sum(row.probability for row in report.rows) == pytest.approx(1)
    # The mean over cards is what checking back was worth to the hands that do it.
    back = solved_turn.node("r:0:c")
    arriving = dict(zip(deal.hand_names[1], deal.reaches[1] * deal.masses[1], strict=True))
    worth = {hand: back.action_evs(hand)["c"] for hand in back.range("ip")}
    expected = sum(arriving[hand] * worth[hand] for hand in worth) / sum(arriving.values())
    assert sum(row.probability * row.ev["ip"] for row in report.rows) == pytest.approx(expected, abs=0.01)
    for row in report.rows:
        assert row.ev["oop"] + row.ev["ip"] == pytest.approx(deal.pot, abs=0.01)
    assert report.frequencies["c"] == pytest.approx(
        sum(row.probability * row.frequencies["c"] for row in report.rows), abs=1e-12
    )
    two = next(row for row in report.rows if row.card == "2h")
    node = solved_turn.node("r:0:c:c:2h")
    assert two.frequencies == node.frequencies
    assert two.ev["ip"] == node.ev(player="ip")
    below = solved_turn.node("r:0:c:c:2h:c").over_cards()
    assert below.player == "ip"
    assert [row.card for row in below.rows] == [row.card for row in report.rows]


@pytest.mark.parametrize(
    ("id", "words"),
    [
        ("r:0:b50:f", "is the end of the hand, it is folded"),
        ("r:0:c:c:2h:b150:c", "is the end of the hand, only the showdown is left"),
        ("r:0:b60", "'b60' is not in the tree here, only c, b50"),
        ("r:0:c:c:Ks", "Ks is on the board already"),
        ("r:0:c:c:zz", "a card such as 8h is due where 'zz' stands"),
        ("x", "must start with r:0"),
        (3, "a node is named by its id"),
    ],
)
def test_nodes_that_are_not_there(solved_turn, id, words):
    with pytest.raises(cp.InputError, match=words):
        solved_turn.node(id)


def test_wrong_questions(solved_turn):
    root = solved_turn.root
    with pytest.raises(cp.InputError, match="QhQd is not in the range of oop on board Ks 7d 4c Jd"):
        root.strategy("QhQd")
    with pytest.raises(cp.InputError, match="'XX' cannot be read"):
        root.ev("XX")
    with pytest.raises(cp.InputError, match="player must be oop or ip, not 'me'"):
        root.range("me")
    with pytest.raises(cp.InputError, match="a hand is a text"):
        root.strategy(7)
    with pytest.raises(cp.InputError, match="comes before any deal"):
        root.over_cards()
    with pytest.raises(cp.InputError, match="9d8d is not in the range of oop"):
        solved_turn.node("r:0:c:c:9d").strategy("9d8d")


@pytest.mark.parametrize("id", ["r:0:b50", "r:0:b50:c", "r:0:b50:c:2h"])
def test_nodes_that_nobody_reaches(turn, id):
    lock = [{"node": "r:0", "strategy": {"random": {"check": 1.0}}}]
    node = cp.solve_spot(cp.Spot(**turn.to_dict(), lock=lock), iterations=20, progress=False).node(id)
    assert not node.reached
    assert np.isnan(node.equity(player="ip"))
    if isinstance(node, Decision):
        assert np.isnan([*node.frequencies.values(), node.ev(), node.ev("KdQd", "ip")]).all()
        assert "never reached" in str(node.grid())
        assert "nan" not in str(node.grid())
    else:
        with pytest.raises(cp.InputError, match="never reached"):
            node.over_cards()


def test_what_rounding_leaves_is_no_mass():
    """The only opponent hand is blocked by our own; single precision leaves a little of its weight."""
    game = build_game(cp.Spot(**RIVER | {"oop": "AhKh,QcJc", "ip": "AhKh,9h8h"}))
    blocked = [int(np.argmax(hands.max(axis=1))) for hands in game.hands]  # where the ace is
    reach = np.full(2, 3e-8)
    reach[blocked[1]] = 1.0
    mass = known_mass(game.root, 0, reach)
    assert game.root.mass(0, reach)[blocked[0]] == pytest.approx(3e-8, rel=1e-6)
    assert (mass[blocked[0]], mass[1 - blocked[0]]) == (0.0, pytest.approx(1.0))

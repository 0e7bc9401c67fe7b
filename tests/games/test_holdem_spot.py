"""A spot as a game: who is dealt what, what is paid, and what is refused."""

from itertools import product
from random import Random

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.cards import Range
from counterpoise.games import load
from counterpoise.spots import Spot
from counterpoise.spots.table.rules import spot_game

from .walk import outcome

TURN = "holdem_spot(cards=Ks7d4cJd, oop='AA,77:0.5', ip='KQs,76s:0.25', pot=60, stack=200)"


def test_hands_are_dealt_by_their_weights():
    """The probability of a pair is the product of its weights over all pairs without a common card."""
    game = load(TURN)
    ranges = [{hand: w for hand, w in zip(game.deck.hand_names, own.weights, strict=True) if w} for own in game.ranges]
    pairs = {(a, b): ranges[0][a] * ranges[1][b] for a, b in product(*ranges) if not {a[:2], a[2:]} & {b[:2], b[2:]}}
    start, found = game.initial(), {}
    for first, chance in game.chance(start):
        for second, given in game.chance(game.next(start, first)):
            found[first, second] = chance * given
    assert found.keys() == pairs.keys()
    total = sum(pairs.values())
    for pair, weight in pairs.items():
        assert found[pair] == pytest.approx(weight / total, rel=1e-12)
    assert sum("Kd" in hand for hand in ranges[1]) == 1  # the board's king is gone, and its seven is
    assert ranges[0].get("7d7c") is None


def test_a_draw_picks_from_the_list_of_outcomes():
    game = load(TURN)
    rng, start = Random(4), game.initial()
    drawn = [game.sample_chance(start, rng) for _ in range(4000)]
    for hand, chance in game.chance(start):
        assert drawn.count(hand) / len(drawn) == pytest.approx(chance, abs=4.5 * np.sqrt(chance / len(drawn)))


@pytest.mark.parametrize(
    ("line", "payoffs"),
    [
        (("AhAs", "KcQc", "c", "c", "2c", "c", "c"), (30, -30)),  # half of the pot each
        (("AhAs", "KcQc", "b60", "c", "Qd", "c", "c"), (-90, 90)),
        (("AhAs", "KcQc", "b60", "f"), (30, -30)),
        (("7h7s", "7c6c", "c", "b200", "c", "6h"), (230, -230)),
    ],
)
def test_lines_of_play(line, payoffs):
    assert outcome(load(TURN), *line) == payoffs


def test_what_is_seen():
    game = load(TURN)
    state = game.next(game.next(game.next(game.initial(), "AhAs"), "KcQc"), "b40")
    seen = game.observation(state, 1)
    assert seen.public == ("Ks7d4cJd", "b40")
    assert seen.infoset == "KcQc:Ks7d4cJd:b40"
    assert game.betting_after(seen.public) == state.betting
    assert seen.actions[:2] == ("f", "c")


def test_rake_and_short_deck_come_from_the_spot():
    spot = Spot(
        board="Ks 7d 9c Jd 6s",
        pot=100,
        stack=50,
        oop="AA",
        ip="KK",
        deck="short",
        river={"bet": ["allin"]},
        rake={"percent": 5, "cap": 3},
    )
    game = spot_game(spot)
    assert (game.ranks, game.ranking) == (9, "short")
    assert outcome(game, "AhAs", "KdKh", "c", "c") == (-50, 47)
    assert load(game.name) == game
    assert hash(load(game.name)) == hash(game)
    np.testing.assert_array_equal(game.ranges[0].weights, Range.from_string("AA", game.deck).weights)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("holdem_spot(cards='Ks7d')", "cards must be a board of 3 to 5, not 2"),
        ("holdem_spot(cards='Ks7d4cKs2s')", "Ks is repeated"),
        ("holdem_spot(oop='AsAh', ip='AsAd')", "no two hands that can meet"),
        ("holdem_spot(oop='no range')", "range"),
        ("holdem_spot(pot=0)", "pot must be a whole number"),
        ("holdem_spot(seats=3)", "seats must be left out"),
        ("holdem_spot(sizes=[1])", "sizes must be a table"),
        ("holdem_spot(cards='Ks7d4cJd', sizes={'river': {}})", "turn must be given"),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(cp.InputError, match=message):
        load(text)


def test_hands_outside_the_range_are_refused():
    game = load(TURN)
    with pytest.raises(cp.InputError, match="2c2h is not in the range of oop"):
        game.next(game.initial(), "2h2c")

"""Names of hands: what they have made is what another evaluator says, and draws are those that players see."""

import pytest
from phevaluator import evaluate_cards

from counterpoise.upi.hand_order import HANDS
from tests.upi.talk import Talk, at

WEAKEST = (7462, 6185, 3325, 2467, 1609, 1599, 322, 166, 10)
"""The weakest rank of phevaluator in each category, from high card to straight flush; the best hand is 1."""


def named(talk, board):
    """Of each hand the name of what it has made and of its draw."""
    names = [row.split() for row in talk.ask("show_category_names")]
    numbers = [[int(word) for word in row.split()] for row in talk.ask(f"show_categories {board}")]
    assert [len(row) for row in numbers] == [1326, 1326]
    return [tuple(own[one] for own, one in zip(names, pair, strict=True)) for pair in zip(*numbers, strict=True)]


@pytest.mark.parametrize("board", ["Ks 7d 4c", "9hTh7h8c", "QsQhQd5c5d"])
def test_made_hands_are_those_of_another_evaluator(board):
    talk = Talk()
    categories = talk.ask("show_category_names")[0].split()
    assert (categories[0], categories[-1], len(categories)) == ("high_card", "straight_flush", len(WEAKEST))
    found, text = named(talk, board), board.replace(" ", "")
    cards = {text[place : place + 2] for place in range(0, len(text), 2)}
    for hand, (made, draw) in zip(HANDS, found, strict=True):
        if cards & {hand[:2], hand[2:]}:
            assert (made, draw) == ("high_card", "no_draw")
        else:
            rank = evaluate_cards(hand[:2], hand[2:], *cards)
            assert made == categories[sum(rank <= weakest for weakest in WEAKEST) - 1]
    assert len(cards) < 5 or {draw for _, draw in found} == {"no_draw"}


def test_draws():
    found = named(Talk(), "9h 8h 2c")
    for hand, name in {
        "AsKs": "no_draw",
        "Td7s": "open-ended_straight_draw",
        "Jd7s": "gutshot",
        "QsTs": "gutshot",
        "AhKh": "flush_draw",
        "QhTh": "flush_draw_and_gutshot",
        "JhTh": "flush_draw_and_open-ended_straight_draw",
        "9d9c": "no_draw",
    }.items():
        assert found[at(hand)][1] == name, hand


@pytest.mark.parametrize("board", ["", "KsKs2c", "Ks 7d", "Ks7d4c2c3c5c"])
def test_other_boards_are_refused(board):
    (answer,) = Talk().ask(f"show_categories {board}")
    assert answer.startswith("ERROR: ")

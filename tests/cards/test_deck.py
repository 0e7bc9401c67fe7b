"""Cards, hands and decks."""

import numpy as np
import pytest

from counterpoise.cards import (
    NO_HAND,
    SHORT_DECK,
    STANDARD_DECK,
    Deck,
    check_cards,
    format_card,
    format_cards,
    parse_card,
    parse_cards,
    parse_hand,
)
from counterpoise.errors import InputError


def test_card_numbers():
    """A card is 4 * rank + suit, and its name reads back."""
    assert [parse_card(name) for name in ("2s", "2h", "2d", "2c", "3s", "Ac")] == [0, 1, 2, 3, 4, 51]
    assert [parse_card(format_card(card)) for card in range(52)] == list(range(52))


def test_spaces_and_case_do_not_matter():
    cards = parse_cards("Qs Jh 2h 8d")
    assert cards == parse_cards("QsJh2h8d") == parse_cards(" qS  jH2h\t8d ") == parse_cards("Qs,Jh, 2h 8d")
    assert format_cards(cards) == "Qs Jh 2h 8d"
    assert parse_cards("") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Qs Jh Qs", "card Qs is repeated in 'Qs Jh Qs'"),
        ("Qs Jx", "'Jx' is not a card"),
        ("Qs J", "'J' is not a card"),
        ("QsJh2", "'2' is not a card"),
        ("10s", "'10' is not a card"),
        ("1s", "'1s' is not a card: write a rank of 23456789TJQKA and a suit of shdc, such as Qs"),
    ],
)
def test_wrong_cards_are_named(text, message):
    with pytest.raises(InputError, match=message):
        parse_cards(text)


@pytest.mark.parametrize("text", ["AKs", "As", "AsKhQd", ""])
def test_one_hand_is_two_cards(text):
    with pytest.raises(InputError, match=f"a hand has two cards, each with its suit, such as AsKh, not '{text}'"):
        parse_hand(text)
    assert parse_hand("As, Kh") == parse_hand("KhAs")


def test_cards_outside_the_deck():
    with pytest.raises(InputError, match=r"card 9s is not in the deck of 20 cards \(ranks T to A, suits s, h, d, c\)"):
        parse_cards("As 9s", Deck(ranks=5))
    with pytest.raises(InputError, match="card Ac is not in the deck of 24 cards"):
        parse_card("Ac", Deck(ranks=8, suits=3))
    with pytest.raises(InputError, match="a card is a number from 0 to 51, not 52"):
        check_cards([52])
    with pytest.raises(InputError, match="card As is repeated in the board 'As Kd As'"):
        check_cards([48, 46, 48])


def test_hands_are_in_the_order_of_the_libratus_endgames():
    """2s2h, 2s2d, 2s2c, 2s3s, 2s3h, ..., 2sAc, 2h2d, 2h2c, ..., AdAc (data/libratus_endgames/README.md)."""
    names = [format_cards(hand, separator="") for hand in STANDARD_DECK.hands]
    assert names[:5] == ["2s2h", "2s2d", "2s2c", "2s3s", "2s3h"]
    assert names[50:53] == ["2sAc", "2h2d", "2h2c"]
    assert names[-1] == "AdAc"
    assert len(names) == len(set(names)) == 1326


@pytest.mark.parametrize("deck", [STANDARD_DECK, SHORT_DECK, Deck(ranks=5), Deck(ranks=8, suits=3), Deck(3, 2)])
def test_hand_numbers_and_back(deck):
    low, high = deck.hands.T
    assert np.all(low < high)
    assert np.array_equal(deck.hand_table[low, high], np.arange(deck.hand_count))
    assert np.array_equal(deck.hand_table[high, low], np.arange(deck.hand_count))
    assert np.count_nonzero(deck.hand_table != NO_HAND) == 2 * deck.hand_count
    assert [parse_cards(name, deck) for name in deck.hand_names] == deck.hands[:, ::-1].tolist()


def test_sizes_of_the_mini_games():
    """Hands of the top R ranks; hands left on a flop, turn and river."""
    assert [Deck(ranks=ranks).hand_count for ranks in (3, 4, 5, 6, 8)] == [66, 120, 190, 276, 496]
    assert (SHORT_DECK.size, SHORT_DECK.hand_count, SHORT_DECK.names[0]) == (36, 630, "6")
    board = parse_cards("Qs Jh 2h 8d 8c")
    assert [int(STANDARD_DECK.live_hands(board[:n]).sum()) for n in (0, 3, 4, 5)] == [1326, 1176, 1128, 1081]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"ranks": 1}, "deck: ranks must be a whole number from 2 to 13, not 1"),
        ({"ranks": 14}, "deck: ranks must be a whole number from 2 to 13, not 14"),
        ({"suits": 2.5}, "deck: suits must be a whole number from 1 to 4, not 2.5"),
        ({"ranking": "low"}, "deck: ranking must be standard or short, not 'low'"),
        ({"ranking": "short"}, "ranks must be 2 to 9, not 13"),
    ],
)
def test_impossible_decks(fields, message):
    with pytest.raises(InputError, match=message):
        Deck(**fields)

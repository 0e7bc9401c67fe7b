"""Typed public events: they are their own words, and every history of hold'em is made of them."""

import copy
import json
import pickle

import pytest
from hypothesis import given, strategies as st

from counterpoise import InputError, load
from counterpoise.betting.rules import CALL, FOLD
from counterpoise.cards.deck import format_cards
from counterpoise.games.events import (
    ActionEvent,
    DealEvent,
    PublicEvent,
    ShowEvent,
    actions_of,
    public_cards,
    read_action,
    read_event,
    shown_hands,
    without_shown,
)

WORDS = ("b300", "c", "QsJh2d", "f", "seat 1 shows AsKh", "")


@given(st.integers(FOLD, 10**9))
def test_an_action_is_its_word(bet: int) -> None:
    event = ActionEvent(bet)
    word = {FOLD: "f", CALL: "c"}.get(bet, f"b{bet}")
    assert event == word
    assert hash(event) == hash(word)
    assert read_action(word).bet == bet
    assert read_event(event) is event


@given(st.lists(st.integers(0, 51), min_size=1, max_size=5, unique=True))
def test_a_deal_knows_its_cards(cards: list[int]) -> None:
    event = read_event(format_cards(cards, ""))
    assert isinstance(event, DealEvent)
    assert list(event.cards) == cards


def test_a_shown_hand_knows_its_seat() -> None:
    event = read_event("seat 1 shows AsKh")
    assert isinstance(event, ShowEvent)
    assert (event.seat, event.hand) == (1, "AsKh")
    assert shown_hands(("K", "r", "seat 0 shows Q", "seat 1 shows J")) == {0: "Q", 1: "J"}
    assert without_shown(("K", "r", "seat 0 shows Q")) == ("K", "r")


@pytest.mark.parametrize("word", WORDS)
def test_copies_keep_type_and_fields(word: str) -> None:
    event = read_event(word)
    for twin in (copy.deepcopy(event), pickle.loads(pickle.dumps(event))):
        assert type(twin) is type(event)
        assert twin == word
    assert json.loads(json.dumps([event])) == [word]
    assert type(str(event)) is str


@pytest.mark.parametrize("word", ["b", "b0", "b-1", "b٣", "fold", "call", "QsJ", "1s", "seat 1"])
def test_other_words_are_refused(word: str) -> None:
    with pytest.raises(InputError):
        read_event(word)


def test_a_card_is_no_action() -> None:
    with pytest.raises(InputError, match="'Qs' is no action"):
        read_action("Qs")


def test_histories_of_holdem_are_typed() -> None:
    game = load("no_limit_holdem(board=[0, 3])")
    state = game.initial()
    for step in ("AsKh", "QcQd", "c", "c", "7s4h2d", "b300", "c"):
        state = game.next(state, step)
    public = game.public(state)
    assert all(isinstance(event, PublicEvent) for event in public)
    assert public == ("c", "c", "7s4h2d", "b300", "c", "seat 0 shows AsKh", "seat 1 shows QcQd")
    assert [event.bet for event in actions_of(public)] == [CALL, CALL, 300, CALL]
    assert format_cards(public_cards(public), "") == "7s4h2d"

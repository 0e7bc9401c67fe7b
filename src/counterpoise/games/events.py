"""Public events of hold'em as types: an action, a deal, a hand that is shown.

Public events are written as words, in node ids ("r:0:b50:c:8h"), infosets ("AsKh:b300:c:QsJh2d"), logs and saved
strategies. `read_event` turns a word into a typed event once, where it enters; from then on the type says what happened
and its fields say how much and which cards.

An event is a `str` and stays its own word: it equals that word, hashes like it, joins into ids and labels, and is saved
as text. Histories of words and of events are therefore the same keys, and rule books may return either from `public`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from counterpoise.betting.rules import BetAction
from counterpoise.betting.sizes import label, read_label
from counterpoise.cards.deck import Card, parse_card, split_cards
from counterpoise.errors import InputError
from counterpoise.parameters import shown

MOST_REMEMBERED = 2**16
"""Words whose events are remembered: all flops, turns and rivers, and the usual bets."""
_ACTION_LETTERS = ("f", "c", "b")
_SHOWN = re.compile(r"seat (\d+) shows (\w+)")


class PublicEvent(str):
    """One event that all seats see."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and other processes read the word again."""
        return read_event, (str.__str__(self),)


class ActionEvent(PublicEvent):
    """What the seat to act has done: "f", "c" or "b300".

    >>> ActionEvent(300), ActionEvent(300).bet
    ('b300', 300)
    """

    __slots__ = ("bet",)
    bet: BetAction
    """`FOLD`, `CALL`, or the total in chips of a bet or raise."""

    def __new__(cls, bet: BetAction) -> ActionEvent:
        event = super().__new__(cls, label(bet))
        event.bet = bet
        return event


class DealEvent(PublicEvent):
    """Public cards that were dealt: "QsJh2d".

    >>> DealEvent("QsJh2d").cards
    (40, 37, 2)
    """

    __slots__ = ("cards",)
    cards: tuple[Card, ...]
    """The numbers of the cards, in the order of the word."""

    def __new__(cls, word: str) -> DealEvent:
        event = super().__new__(cls, word)
        event.cards = tuple([parse_card(name) for name in split_cards(word)])
        return event


class ShowEvent(PublicEvent):
    """A hand that is shown at the end: "seat 1 shows AsKh".

    >>> ShowEvent(1, "AsKh"), ShowEvent(1, "AsKh").hand
    ('seat 1 shows AsKh', 'AsKh')
    """

    __slots__ = ("hand", "seat")
    seat: int
    hand: str

    def __new__(cls, seat: int, hand: str) -> ShowEvent:
        event = super().__new__(cls, f"seat {seat} shows {hand}")
        event.seat, event.hand = seat, hand
        return event


def read_event(word: str) -> PublicEvent:
    """Return the public event that a word of hold'em stands for; an event is returned as it is.

    >>> [type(read_event(word)).__name__ for word in ("b300", "QsJh2d", "seat 1 shows AsKh")]
    ['ActionEvent', 'DealEvent', 'ShowEvent']
    """
    return word if isinstance(word, PublicEvent) else _parse(word)


def read_action(word: str) -> ActionEvent:
    """Return the action that a word stands for; an action is returned as it is.

    >>> read_action("c").bet
    0
    """
    event = read_event(word)
    if not isinstance(event, ActionEvent):
        raise InputError(f'{shown(word)} is no action: write "f", "c" or "b" and the total in chips')
    return event


def actions_of(public: Iterable[str]) -> list[ActionEvent]:
    """Return the actions among public events, first to last."""
    return [event for event in map(read_event, public) if isinstance(event, ActionEvent)]


def public_cards(public: Iterable[str]) -> list[Card]:
    """Return the public cards of a history of hold'em, in the order in which they were dealt."""
    return [card for event in map(read_event, public) if isinstance(event, DealEvent) for card in event.cards]


def shown_hands(public: Iterable[str]) -> dict[int, str]:
    """Return the hands that were shown, by seat.

    >>> shown_hands(("b300", "c", "seat 0 shows AsKh"))
    {0: 'AsKh'}
    """
    return {event.seat: event.hand for event in map(read_shown, public) if isinstance(event, ShowEvent)}


def without_shown(public: Iterable[str]) -> tuple[str, ...]:
    """Return the events before hands are shown: the actions and the deals."""
    return tuple([event for event in public if not isinstance(read_shown(event), ShowEvent)])


def read_shown(word: str) -> str:
    """Return a word as a `ShowEvent` if it says that a hand is shown, else as it is; for events of any game."""
    if isinstance(word, PublicEvent) or not (found := _SHOWN.fullmatch(word)):
        return word
    return ShowEvent(int(found[1]), found[2])


@lru_cache(maxsize=MOST_REMEMBERED)
def _parse(word: str) -> PublicEvent:
    if word[:1] in _ACTION_LETTERS:
        return ActionEvent(read_label(word))
    event = read_shown(word)
    return event if isinstance(event, ShowEvent) else DealEvent(word)

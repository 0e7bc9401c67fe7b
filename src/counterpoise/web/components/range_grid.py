"""The range editor: a 13 x 13 square that is painted by dragging or by the keyboard, with weights and suits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from nicegui import events
from nicegui.element import Element

from counterpoise.cards import RANKS, STANDARD_DECK, Range
from counterpoise.errors import InputError

Painted = Callable[[str], Any]


class RangeGrid(Element, component="range_grid.js", dependencies=["counterpoise_cards.mjs"]):
    """A range as a square of hand kinds; `painted` gets the new range string after every stroke."""

    def __init__(self, label: str, value: str, painted: Painted) -> None:
        super().__init__()
        self._painted = painted
        self._props["label"] = label
        self.show(value)
        self.on("paint", self._take)

    def show(self, text: str) -> None:
        """Show another range; one that cannot be read leaves the square as it is."""
        try:
            kinds, hands = split_range(text)
        except InputError:
            return
        self._props["kinds"], self._props["hands"] = kinds, hands

    def _take(self, event: events.GenericEventArguments) -> Any:
        text = str(event.args)
        kinds, hands = split_range(text)
        with self._props.suspend_updates():  # the browser has painted it already
            self._props["kinds"], self._props["hands"] = kinds, hands
        return self._painted(canonical(text))


def canonical(text: str) -> str:
    """Return a range string as the library spells it; an empty one stays empty."""
    return Range.from_string(text).to_string() if text.strip() else ""


def split_range(text: str) -> tuple[dict[str, float], dict[str, float]]:
    """Return the weights of kinds whose hands are all alike, and those of the other hands.

    >>> split_range("AKs:0.5,AsAh")
    ({'AKs': 0.5}, {'AhAs': 1.0})
    """
    if not text.strip():
        return {}, {}
    weights, names = Range.from_string(text).weights, STANDARD_DECK.hand_names
    by_kind: dict[str, list[int]] = {}
    for index in range(len(names)):
        by_kind.setdefault(kind_of(names[index]), []).append(index)
    kinds: dict[str, float] = {}
    hands: dict[str, float] = {}
    for kind, own in by_kind.items():
        found = weights[own]
        if np.all(found == found[0]):
            kinds |= {kind: float(found[0])} if found[0] > 0 else {}
        else:
            hands |= {names[index]: float(weights[index]) for index in own if weights[index] > 0}
    return kinds, hands


def kind_of(hand: str) -> str:
    """Return the kind of a hand.

    >>> [kind_of(hand) for hand in ("AsKs", "AsKh", "2c2d")]
    ['AKs', 'AKo', '22']
    """
    first, second = sorted((hand[0], hand[2]), key=RANKS.index, reverse=True)
    return first + second + ("" if first == second else "s" if hand[1] == hand[3] else "o")

"""Ranges: how likely a player is to hold each hand, and the strings that players write for them.

A range string is a list of tokens between commas. A token names hands and may end in ``:weight``, a number from 0 to
1 (1 if left out):

======================  ===========================================================
``AA``  ``AKs``  ``AKo``  a pair, suited cards, offsuit cards
``AK``                  suited and offsuit
``TT+``                 the pair and all higher ones
``ATs+``  ``AT+``       the lower card rises up to just below the higher: AT AJ AQ AK
``AA-TT``  ``A5s-A2s``  from one to the other, in either order
``JTs-76s``             both cards fall together
``AsKh``                one hand
``random``  ``any two``  every hand
======================  ===========================================================

A later token overrides an earlier one where they name the same hand, so ``random,72o:0`` is everything but 72o.
Spaces do not matter, nor does the case of ranks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoise.cards.deck import RANKS, STANDARD_DECK, Card, Deck, format_cards, parse_cards, parse_hand
from counterpoise.errors import InputError
from counterpoise.parameters import shown

Weights = NDArray[np.float64]

_CLASS = re.compile(rf"([{RANKS}])([{RANKS}])([so]?)", re.IGNORECASE)
_COMBO = re.compile(rf"[{RANKS}][shdc][{RANKS}][shdc]", re.IGNORECASE)
_EVERYTHING = ("random", "anytwo", "any", "any2")


class Range:
    """A weight from 0 to 1 for every hand of a deck; immutable.

    >>> villain = Range.from_string("TT+, AKs:0.5")
    >>> villain.count, villain.combos, villain.weight("AsKs")
    (34, 32.0, 0.5)
    >>> str(villain)
    'TT+,AKs:0.5'
    >>> Range.from_string("AA,KQx")
    Traceback (most recent call last):
    counterpoise.errors.InputError: range token 'KQx' cannot be read: write it like TT+, A5s-A2s, KQo, AsKh or random
    """

    def __init__(self, weights: ArrayLike, deck: Deck = STANDARD_DECK) -> None:
        values = np.array(weights, dtype=np.float64)
        if values.shape != (deck.hand_count,):
            raise InputError(f"a range has {deck.hand_count} weights, one per hand, not the shape {values.shape}")
        bad = ~((values >= 0) & (values <= 1))
        if bad.any():
            at = int(np.flatnonzero(bad)[0])
            raise InputError(f"range: the weight of {deck.hand_names[at]} must be from 0 to 1, not {values[at]}")
        if not values.any():
            raise InputError("range: no hand has a weight above 0")
        values.flags.writeable = False
        self.weights = values
        self.deck = deck

    @classmethod
    def from_string(cls, text: str, deck: Deck = STANDARD_DECK) -> Range:
        """Read a range string; see the module's table."""
        weights = np.zeros(deck.hand_count)
        tokens = [token.strip() for token in text.split(",")]
        if len(tokens) > 1 and not tokens[-1]:
            tokens.pop()
        if len(tokens) > MOST_TOKENS:
            raise InputError(f"range must have at most {MOST_TOKENS:,} items between commas, not {len(tokens):,}")
        for at, token in enumerate(tokens):
            if not token:
                raise InputError(
                    f"range {shown(text)} is empty" if len(tokens) == 1 else f"range token {at + 1} is empty"
                )
            hands, weight = _read_token(token, deck)
            weights[hands] = weight
        return cls(weights, deck)

    @classmethod
    def everything(cls, deck: Deck = STANDARD_DECK) -> Range:
        """Return every hand with weight 1."""
        return cls(np.ones(deck.hand_count), deck)

    @property
    def count(self) -> int:
        """Number of hands with a weight above 0."""
        return int(np.count_nonzero(self.weights))

    @property
    def combos(self) -> float:
        """Sum of all weights."""
        return float(self.weights.sum())

    @property
    def hands(self) -> NDArray[np.intp]:
        """Indices of the hands with a weight above 0."""
        return np.flatnonzero(self.weights)

    def weight(self, hand: str) -> float:
        """Return the weight of one hand, such as ``"AsKh"``."""
        return float(self.weights[parse_hand(hand, self.deck)])

    def live(self, board: Sequence[Card] | str) -> Range:
        """Return the range without the hands that share a card with the board; refused if nothing is left.

        >>> Range.from_string("AA,KK").live("As Kd 2c").count
        6
        """
        cards = parse_cards(board, self.deck) if isinstance(board, str) else list(board)
        weights = np.where(self.deck.live_hands(cards), self.weights, 0.0)
        if not weights.any():
            raise InputError(f"range {self.to_string()!r}: every hand shares a card with board {format_cards(cards)}")
        return Range(weights, self.deck)

    def to_string(self) -> str:
        """Return a compact string that `from_string` reads back to exactly this range."""
        return ",".join(_spell(self))

    __str__ = to_string

    def __repr__(self) -> str:
        return f"Range.from_string({self.to_string()!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and self.deck == other.deck and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash((self.deck, self.weights.tobytes()))


Cell = tuple[int, int]  # row and column in the grid
MOST_TOKENS = 5000
"""Items of a range at most: each of the 1,326 hands may be there more than once."""


@cache
def _cells(deck: Deck) -> dict[Cell, NDArray[np.intp]]:
    """Return the hands of every cell of the grid that has any: ace first, suited hands above the diagonal of pairs."""
    low, high = (len(RANKS) - 1 - deck.hands.astype(np.intp) // 4).T  # 0 is the ace
    suited = deck.hands[:, 0] % 4 == deck.hands[:, 1] % 4
    row, column = np.where(suited, high, low), np.where(suited, low, high)
    cells = ((r, c) for r in range(deck.ranks) for c in range(deck.ranks))
    hands = {cell: np.flatnonzero((row == cell[0]) & (column == cell[1])) for cell in cells}
    return {cell: found for cell, found in hands.items() if len(found)}


def _read_token(token: str, deck: Deck) -> tuple[NDArray[np.intp], float]:
    """Read the hands that a token names, and their weight."""
    body, colon, number = "".join(token.split()).partition(":")
    weight = 1.0
    if colon:
        try:
            weight = float(number)
        except ValueError:
            weight = math.nan
        if not 0 <= weight <= 1:
            raise InputError(f"range token {shown(token)}: the weight must be a number from 0 to 1, not {number!r}")
    if body.lower() in _EVERYTHING:
        return np.arange(deck.hand_count), weight
    if _COMBO.fullmatch(body):
        try:
            return np.array([parse_hand(body, deck)]), weight
        except InputError as error:
            raise InputError(f"range token {shown(token)}: {error}") from None
    cells = _cells(deck)
    found = [cells[cell] for cell in _named_cells(body, token, deck) if cell in cells]
    if not found:
        raise InputError(f"range token {shown(token)} names no hand of the deck")
    return np.concatenate(found), weight


def _named_cells(body: str, token: str, deck: Deck) -> Iterator[Cell]:
    """Return the grid cells of ``TT``, ``TT+``, ``A5s-A2s``, ..."""
    start, dash, stop = body.removesuffix("+").partition("-")
    high, low, kind = _read_class(start, token, deck)
    if body.endswith("+"):
        if dash:
            raise InputError(f"range token {shown(token)} cannot have both '-' and '+'")
        last = (0, 0) if high == low else (high, high + 1)
    elif dash:
        other_high, other_low, other_kind = _read_class(stop, token, deck)
        last = (other_high, other_low)
        if kind != other_kind:
            raise InputError(f"range token {shown(token)}: both ends must be suited, or both offsuit, or neither")
    else:
        last = (high, low)
    (high, low), (last_high, last_low) = max((high, low), last), min((high, low), last)
    pairs = (high == low) + (last_high == last_low)
    together = high - last_high == low - last_low  # pairs, or connectors of one gap
    if pairs == 1 or (high != last_high and not together):
        raise InputError(
            f"range token {shown(token)}: both ends must be pairs, share the higher card or have equal gaps"
        )
    for step in range(low - last_low + 1):
        top = last_high + step if together else high
        if kind != "o":
            yield top, last_low + step
        if kind != "s":
            yield last_low + step, top


def _read_class(text: str, token: str, deck: Deck) -> tuple[int, int, str]:
    """Read the grid positions of the higher and the lower card, and "s", "o" or ""."""
    match = _CLASS.fullmatch(text)
    if not match:
        raise InputError(f"range token {shown(token)} cannot be read: write it like TT+, A5s-A2s, KQo, AsKh or random")
    letters = [letter.upper() for letter in match.group(1, 2)]
    high, low = sorted(len(RANKS) - 1 - RANKS.index(letter) for letter in letters)
    kind = match.group(3).lower()
    if low >= deck.ranks:
        raise InputError(f"range token {shown(token)}: rank {RANKS[-1 - low]} is not in the deck")
    if high == low and kind:
        raise InputError(f"range token {shown(token)}: a pair is neither suited nor offsuit")
    return high, low, kind


def _spell(hand_range: Range) -> Iterator[str]:
    """Yield the tokens of a range: pairs, then by the higher card; single hands where a kind has several weights."""
    deck, weights = hand_range.deck, hand_range.weights
    if np.all(weights == weights[0]):
        yield "random" + _suffix(weights[0])
        return
    uniform, mixed = {}, []
    for cell, hands in _cells(deck).items():
        if np.all(weights[hands] == weights[hands[0]]):
            uniform[cell] = float(weights[hands[0]])
        else:
            mixed += [hand for hand in hands if weights[hand] > 0]
    yield from _spell_line([uniform.get((i, i), 0.0) for i in range(deck.ranks)], None, "")
    for high in range(deck.ranks):
        lows = range(high + 1, deck.ranks)
        suited = [uniform.get((high, low), 0.0) for low in lows]
        offsuit = [uniform.get((low, high), 0.0) for low in lows]
        apart = _spell_line(suited, high, "s") + _spell_line(offsuit, high, "o")
        both = [s if s == o else 0.0 for s, o in zip(suited, offsuit, strict=True)]
        merged = (
            _spell_line(both, high, "")
            + _spell_line([0.0 if b else s for s, b in zip(suited, both, strict=True)], high, "s")
            + _spell_line([0.0 if b else o for o, b in zip(offsuit, both, strict=True)], high, "o")
        )
        yield from min(apart, merged, key=len)
    for hand in sorted(mixed, reverse=True):
        yield deck.hand_names[hand] + _suffix(weights[hand])


def _spell_line(weights: list[float], high: int | None, kind: str) -> list[str]:
    """Return tokens for the pairs (`high` is None) or for one higher card: equal neighbours become one token."""
    names = RANKS[::-1]

    def name(at: int) -> str:
        return names[at] * 2 if high is None else names[high] + names[high + 1 + at] + kind

    tokens = []
    start = 0
    for stop in range(1, len(weights) + 1):
        if stop < len(weights) and weights[stop] == weights[start]:
            continue
        if weights[start] > 0:
            if stop - start == 1:
                token = name(start)
            elif start == 0:
                token = name(stop - 1) + "+"
            else:
                token = f"{name(start)}-{name(stop - 1)}"
            tokens.append(token + _suffix(weights[start]))
        start = stop
    return tokens


def _suffix(weight: float) -> str:
    return "" if weight == 1 else f":{float(weight)!r}"

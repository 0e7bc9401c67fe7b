"""Reading the arguments of a command: words, quoted paths, numbers, positions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.words import PLAYERS
from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.upi.hand_order import HANDS


def split_words(text: str) -> list[str]:
    """Return the words of a line; one that holds spaces stands in double quotes, and backslashes mean nothing.

    >>> split_words('dump_tree "C:/my files/a.cpz" no_rivers')
    ['dump_tree', 'C:/my files/a.cpz', 'no_rivers']
    """
    words: list[str] = []
    for at, part in enumerate(text.split('"')):
        words += [part] if at % 2 else part.split()
    if text.count('"') % 2:
        raise InputError("a quotation mark is not closed")
    return words


def require_count(words: Sequence[str], least: int, most: int | None = None) -> None:
    """Refuse too few or too many arguments."""
    most = least if most is None else most
    if not least <= len(words) <= most:
        allowed = str(least) if least == most else f"{least} to {most}"
        raise InputError(f"the command takes {allowed} arguments, not {len(words)}")


def read_whole(word: str, what: str, least: int = 0, most: int = 10**9) -> int:
    """Return a whole number; one written as 100.0 is one too."""
    number = read_number(word, what, least, most)
    if number != int(number):
        raise InputError(f"{what} must be a whole number, not {shown(word)}")
    return int(number)


def read_number(word: str, what: str, least: float = 0, most: float = 1e9) -> float:
    """Return a finite number from `least` to `most`."""
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not least <= number <= most:
        raise InputError(f"{what} must be a number from {least:g} to {most:g}, not {shown(word)}")
    return number


def read_numbers(words: Sequence[str], what: str, rows: int = 1) -> NDArray[np.float64]:
    """Return rows of 1,326 numbers from 0 to 1, one for each hand, in the order of UPI."""
    if len(words) != rows * len(HANDS):
        raise InputError(f"{what} takes {rows * len(HANDS):,} numbers, {rows} for each hand, not {len(words):,}")
    try:
        numbers = np.array(words, dtype=np.float64)
    except ValueError:
        bad = next(word for word in words if not _is_number(word))
        raise InputError(f"{what} must be numbers from 0 to 1, not {shown(bad)}") from None
    wrong = np.flatnonzero(~((numbers >= 0) & (numbers <= 1)))
    if len(wrong):
        raise InputError(f"{what} must be numbers from 0 to 1, not {shown(words[int(wrong[0])])}")
    return numbers.reshape(rows, len(HANDS))


def read_position(word: str) -> int:
    """Return the seat of OOP or IP: 0 or 1."""
    if word.lower() not in PLAYERS:
        raise InputError(f"a position is OOP or IP, not {shown(word)}")
    return PLAYERS.index(word.lower())


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True

"""Action translation: which bet of an abstraction stands for one that it does not have.

See Brown 2020, sections 4.3.3, 5.1.

Sizes are fractions of the pot. A bet x between the neighbouring sizes A < B of the abstraction is taken

- `pseudo-harmonic`: for A with probability f(x) = (B - x)(1 + A) / ((B - A)(1 + x)), else for B;
- `midpoint`: for A if x is below (A + B + 2AB) / (A + B + 2), where f is 1/2, else for B;
- `nearest`: for whichever is nearer.

Size 0, a check or a call, is below all bets; above the largest size everything is the largest.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

from counterpoise.abstraction.kernels.translation import middle, share_below
from counterpoise.errors import InputError
from counterpoise.parameters import is_amount, require_choice

Translation = Literal["pseudo-harmonic", "midpoint", "nearest"]


def translate(size: float, sizes: Iterable[float], translation: Translation = "pseudo-harmonic") -> dict[float, float]:
    """Return the sizes of an abstraction that a bet stands for, with their probabilities; size 0 is a check or a call.

    >>> translate(0.75, [0.5, 1])
    {0.5: 0.42857142857142855, 1: 0.5714285714285714}
    >>> translate(0.75, [0.5, 1], "midpoint"), translate(3, [0.5, 1])
    ({1: 1.0}, {1: 1.0})
    """
    require_choice("translation", translation, get_args(Translation))
    sizes = tuple(sizes)
    if not is_amount(size) or not all(is_amount(one) for one in sizes):
        raise InputError(f"sizes must be finite fractions of the pot of at least 0, not {size!r} among {sizes!r}")
    known = sorted({0.0, *sizes})
    below, above = [one for one in known if one <= size], [one for one in known if one > size]
    if not above or below[-1] == size:
        return {below[-1]: 1.0}
    low, high = below[-1], above[0]
    if translation == "pseudo-harmonic":
        share = share_of_smaller(size, low, high)
        return {low: share, high: 1 - share}
    threshold = midpoint(low, high) if translation == "midpoint" else (low + high) / 2
    return {low if size < threshold else high: 1.0}


def share_of_smaller(size: float, low: float, high: float) -> float:
    """Return f of the pseudo-harmonic mapping: how often a bet between two sizes is taken for the smaller one."""
    if not (all(is_amount(one) for one in (size, low, high)) and low < high and low <= size <= high):
        raise InputError(f"size must be a fraction of the pot between {low!r} and a larger {high!r}, not {size!r}")
    return share_below(size, low, high)


def midpoint(low: float, high: float) -> float:
    """Return the bet that the pseudo-harmonic mapping takes for either size equally often.

    >>> midpoint(0, 1), round(midpoint(1 / 3, 1), 12)
    (0.3333333333333333, 0.6)
    """
    if not (is_amount(low) and is_amount(high)):
        raise InputError(f"sizes must be finite fractions of the pot of at least 0, not {low!r} and {high!r}")
    return middle(low, high)

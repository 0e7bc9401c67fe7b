"""What can be set in an algorithm, for people and programs."""

from __future__ import annotations

from typing import Any

from counterpoise.descriptions import describe
from counterpoise.names import Catalogue, parse, split_outside_brackets
from counterpoise.solvers import ALGORITHMS, MODIFIERS, make_algorithm


def describe_settings(text: str) -> list[dict[str, Any]]:
    """Return the algorithm and the modifiers that a name is made of, every setting with its default and its meaning.

    A modifier may be named alone. Settings that the name gives a value have it too.

    >>> [part["name"] for part in describe_settings("cfr+/rbp(theta=10)")]
    ['cfr+', 'rbp']
    """
    first, *changes = [parse(part) for part in split_outside_brackets(text, "/")]
    if first[0] in MODIFIERS and not changes:
        MODIFIERS.build(text)
        return [_given(MODIFIERS, *first)]
    make_algorithm(text)  # refuses what `solve` refuses
    return [_given(ALGORITHMS, *first), *(_given(MODIFIERS, *change) for change in changes)]


def _given(catalogue: Catalogue[Any], name: str, values: dict[str, Any]) -> dict[str, Any]:
    part = describe(name, catalogue[name])
    for key, value in values.items():
        part["parameters"][key]["value"] = value
    return part

"""The arrays of an abstraction that were read from a file, held against their rules before anything is looked up.

Rows and clusters are indices that kernels follow, and training by public clusters rests on every bucket lying inside
the public bucket of its flop. `counterpoise.store.schemas` has the rules; here is what they need to know of the cards.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.boards import orders
from counterpoise.abstraction.config import PUBLISHED_CLUSTERS, AbstractionConfig
from counterpoise.abstraction.models import Model, model_from_arrays
from counterpoise.errors import InputError
from counterpoise.store.schemas import CARDS, STEP_CENTRES, STEP_FIGURES, STEP_ROWS, STREET

CUTS = ("columns", "outer", "inner")
CENTRES = ("centres", "metric")


class AbstractionArrays:
    """The arrays of an abstraction in a file; their names there begin with `prefix`."""

    def __init__(
        self,
        config: AbstractionConfig,
        arrays: Mapping[str, NDArray[Any]],
        path: str | os.PathLike[str],
        prefix: str = "",
    ) -> None:
        self.config, self.arrays, self.path, self.prefix = config, arrays, path, prefix
        self.cards = config.cards
        needed = {
            "public": config.public is not None,
            "cluster_of": any(street.method == "KO" for street in config.streets),
        }
        wanted = [name for name, is_needed in needed.items() if is_needed]
        found = CARDS.check(path, arrays, card_sizes(config), only=wanted, prefix=prefix)
        self.public: NDArray[np.int32] | None = found.get("public")
        self.cluster_of: NDArray[np.uint8] | None = found.get("cluster_of")

    def street(self, number: int) -> tuple[NDArray[Any] | None, Model | None]:
        """Return the rows of a street, -1 for dead hands, and what makes its buckets; either may be missing."""
        stored, parts = self.names(number)
        wanted = [f"model_{{street}}_{part}" for part in parts] + ["rows_{street}"] * stored
        found = STREET.check(
            self.path, self.arrays, self.sizes(number, stored), only=wanted, prefix=self.prefix, street=number
        )
        model = {part: found[f"model_{{street}}_{part}"] for part in parts}
        rows = unpacked(found["rows_{street}"]) if stored else None
        return rows, model_from_arrays(model) if model else None

    def names(self, number: int) -> tuple[bool, tuple[str, ...]]:
        """Return whether a street has rows, and the arrays of what makes its buckets."""
        method = self.config.streets[number].method
        stored = number < 2 if method == "C" else number < self.cards.last
        return stored, {"C": (), "PHS": CUTS}.get(method, CENTRES)

    def sizes(self, number: int, stored: bool) -> dict[str, Any]:
        """Return the numbers that the rules of a street name; those of its boards if it has rows."""
        config, settings = self.config, self.config.streets[number]
        sizes = {
            "hands": self.cards.deck.hand_count,
            "buckets": config.buckets(number),
            "groups": config.groups(number),
            "buckets per group": settings.per_group,
            "cut points": settings.buckets - 1,
            "buckets of the first cut": settings.buckets,
            "second cut points": settings.split - 1,
            "components": self._components(number),
        }
        return sizes | self._boards(number) if stored else sizes

    def _components(self, number: int) -> int:
        """Return how many components the points of a street have that is clustered."""
        settings = self.config.streets[number]
        if settings.method == "KE":
            return 1 if number == self.cards.last else settings.bins - 1
        if settings.method == "KP":
            return self.config.buckets(number + 1)
        if settings.method == "KO":
            assert self.cluster_of is not None
            return int(self.cluster_of.max()) + 1
        return 0

    def _boards(self, number: int) -> dict[str, Any]:
        """Return what the rows of a street must fit: the cards of their boards, and the buckets of their groups."""
        config, deck = self.config, self.cards.deck
        boards = self.cards.boards(number)
        ways = orders(boards.count) if config.groups(number) > 1 else np.arange(boards.count)[None]
        dealt = np.repeat(boards.cards, len(ways), axis=0)
        first = None
        if self.public is not None and config.groups(number) > 1:
            flops = np.concatenate([boards.cards[:, None, way[:3]] for way in ways], axis=1).reshape(-1, 3)
            group = self.public[self.cards.boards(1).locate(flops)[0]].astype(np.int64)
            first = group * config.streets[number].per_group
        return {
            "rows": len(dealt),
            "board masks": _masks(dealt),
            "hand masks": _masks(deck.hands),
            "first buckets": first,
        }


class StepChecks:
    """Checks of the finished steps of a build; `public` and `cluster_of` are those of the build, once it has them."""

    def __init__(self, config: AbstractionConfig) -> None:
        self.config, self.shared = config, dict[str, NDArray[Any]]()

    def add(self, name: str, array: NDArray[Any]) -> None:
        """Note the public buckets, or the clusters of opponents, which the rules of streets need."""
        self.shared[name] = array

    def check_cards(self, name: str, path: os.PathLike[str], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Refuse public buckets, or clusters of opponents, that are not of the cards."""
        CARDS.check(path, arrays, card_sizes(self.config), only=[name])

    def check_street(self, number: int, path: os.PathLike[str], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Refuse a finished street that could not be part of the abstraction."""
        whole = {f"model_{number}_{name}": array for name, array in arrays.items()} | self.shared
        stored, parts = AbstractionArrays(self.config, whole, path).names(number)
        if set(arrays) != {*STEP_FIGURES.arrays, *parts, *["rows"] * stored}:
            raise InputError(f"{path} is damaged: it holds other arrays than a street has")
        STEP_FIGURES.check(path, arrays, {"buckets": self.config.buckets(number)})
        if stored:
            whole[f"rows_{number}"] = _packed(path, arrays["rows"])
        AbstractionArrays(self.config, whole, path).street(number)

    def check_rows(
        self, number: int, begin: int, end: int, path: os.PathLike[str], arrays: Mapping[str, NDArray[Any]]
    ) -> None:
        """Refuse rows of the boards from `begin` to `end` that could not be part of the street."""
        sizes = AbstractionArrays(self.config, self.shared, path).sizes(number, True)
        ways = sizes["rows"] // self.config.cards.boards(number).size
        places = slice(begin * ways, end * ways)
        first = sizes["first buckets"]
        sizes |= {
            "rows": (end - begin) * ways,
            "last bucket": sizes["buckets"] - 1,
            "board masks": sizes["board masks"][places],
            "first buckets": None if first is None else first[places],
        }
        rows = STEP_ROWS.check(path, arrays, sizes)["rows"]
        packed = {f"rows_{number}": _packed(path, rows)}
        STREET.check(path, packed, sizes, only=["rows_{street}"], street=number)

    def check_centres(
        self, number: int, groups: int, path: os.PathLike[str], arrays: Mapping[str, NDArray[Any]]
    ) -> None:
        """Refuse centres of clusters that could not be those of some groups of a street."""
        sizes = AbstractionArrays(self.config, self.shared, path).sizes(number, False) | {"groups": groups}
        STEP_FIGURES.check(path, arrays, sizes)
        STEP_CENTRES.check(path, arrays, sizes)


def card_sizes(config: AbstractionConfig) -> dict[str, int]:
    """Return the numbers that the rules of what all streets share name."""
    return {
        "flops": config.cards.boards(1).size,
        "hands": config.cards.deck.hand_count,
        "last public bucket": (config.public or 1) - 1,
        "last cluster": PUBLISHED_CLUSTERS - 1,
    }


def _packed(path: os.PathLike[str], rows: NDArray[Any]) -> NDArray[np.uint32]:
    """Return rows as files of abstractions hold them, 0 for dead hands."""
    if rows.dtype.kind != "i" or (rows.size and rows.min() < -1):
        raise InputError(f"{path} is damaged: its rows are no buckets")
    return np.asarray(np.add(rows, 1, dtype=np.uint32, casting="unsafe"))


def unpacked(rows: NDArray[Any]) -> NDArray[Any]:
    """Return rows as they are looked up, -1 for dead hands."""
    return np.asarray(np.subtract(rows, 1, dtype=np.int16 if rows.dtype.itemsize == 1 else np.int32))


def first_line(error: Exception) -> str:
    """Return what is wrong, on one line."""
    return " ".join(str(error).split())[:200]


def _masks(cards: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the cards of each row as a set of bits."""
    found = np.zeros(len(cards), dtype=np.uint64)
    for column in cards.T:
        found |= np.uint64(1) << column.astype(np.uint64)
    return found

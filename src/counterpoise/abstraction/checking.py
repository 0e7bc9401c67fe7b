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
from counterpoise.store.schemas import CARDS, STREET

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
        sizes = {
            "flops": self.cards.boards(1).size,
            "hands": self.cards.deck.hand_count,
            "last public bucket": (config.public or 1) - 1,
            "last cluster": PUBLISHED_CLUSTERS - 1,
        }
        needed = {
            "public": config.public is not None,
            "cluster_of": any(street.method == "KO" for street in config.streets),
        }
        wanted = [name for name, is_needed in needed.items() if is_needed]
        found = CARDS.check(path, arrays, sizes, only=wanted, prefix=prefix)
        self.public: NDArray[np.int32] | None = found.get("public")
        self.cluster_of: NDArray[np.uint8] | None = found.get("cluster_of")

    def street(self, number: int) -> tuple[NDArray[Any] | None, Model | None]:
        """Return the rows of a street, -1 for dead hands, and what makes its buckets; either may be missing."""
        settings = self.config.streets[number]
        stored = number < 2 if settings.method == "C" else number < self.cards.last
        parts = {"C": (), "PHS": CUTS}.get(settings.method, CENTRES)
        wanted = [f"model_{{street}}_{part}" for part in parts] + ["rows_{street}"] * stored
        found = STREET.check(
            self.path, self.arrays, self._sizes(number, stored), only=wanted, prefix=self.prefix, street=number
        )
        model = {part: found[f"model_{{street}}_{part}"] for part in parts}
        rows = unpacked(found["rows_{street}"]) if stored else None
        return rows, model_from_arrays(model) if model else None

    def _sizes(self, number: int, stored: bool) -> dict[str, Any]:
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

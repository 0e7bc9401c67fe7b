"""The value of a best response to known play as a programme of sums over the other's actions and maxima over own
actions.

The responder to a player who ignores its cards faces only chance: the value of a betting line is a weighted sum over
the other's actions and a maximum over its own. Lines of the same value share one entry, so that the 638 street trees of
limit hold'em become some dozens per stake.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from counterpoise.evaluation.best_response.kernels.programme import BEST, INPUT, MEAN, ProgrammeArrays


class Programme:
    """Entries of one stage of the game, each equal one once; `roots` are those that are asked for."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, tuple[tuple[int, float], ...], float]] = []
        self._number: dict[Any, int] = {}
        self._roots: dict[int, int] = {}

    def root(self, entry: int) -> int:
        """Return the place of an entry among the results, requesting it."""
        return self._roots.setdefault(entry, len(self._roots))

    def input(self, row: int) -> int:
        """Return the entry of an input row."""
        return self._add(INPUT, (), float(row))

    def mean(self, terms: Iterable[tuple[float, int]], constant: float = 0.0) -> int:
        """Return the entry of a weighted sum plus a constant; terms of weight 0 are left out."""
        gathered: dict[int, float] = {}
        for weight, entry in terms:
            kind, inner, own = self._entries[entry]
            if kind == MEAN and not inner:
                constant += weight * own
            elif weight:
                gathered[entry] = gathered.get(entry, 0.0) + weight
        if len(gathered) == 1 and not constant and next(iter(gathered.values())) == 1:
            return next(iter(gathered))
        return self._add(MEAN, tuple(sorted(gathered.items())), constant)

    def best(self, entries: Iterable[int]) -> int:
        """Return the entry of the maximum."""
        among = sorted(set(entries))
        return among[0] if len(among) == 1 else self._add(BEST, tuple((entry, 1.0) for entry in among), 0.0)

    def arrays(self) -> ProgrammeArrays:
        """Return the programme as kernels read it."""
        kinds, terms, constants = zip(*self._entries, strict=True)
        flat = [term for own in terms for term in own]
        return ProgrammeArrays(
            kind=np.array(kinds, dtype=np.uint8),
            start=np.concatenate(([0], np.cumsum([len(own) for own in terms]))).astype(np.uint32),
            term=np.array([entry for entry, _ in flat], dtype=np.uint32),
            weight=np.array([weight for _, weight in flat], dtype=np.float64),
            constant=np.array(constants, dtype=np.float64),
            root=np.array(list(self._roots), dtype=np.uint32),
        )

    def _add(self, kind: int, terms: tuple[tuple[int, float], ...], constant: float) -> int:
        entry = kind, terms, constant
        if entry not in self._number:
            self._number[entry] = len(self._entries)
            self._entries.append(entry)
        return self._number[entry]

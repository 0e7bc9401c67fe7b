"""How large a game is with an abstraction, and how buckets are spread over its streets.

See Johanson 2016, sections 5.5, 11.3.1.

An abstract information set is a bucket at a decision point of the betting, so a street has as many as its decision
points times its buckets. A solver keeps numbers for each pair of an information set and an action.

>>> abstraction_size((169, 9000, 9000, 9000)).total_infosets
57331352
>>> fitting_buckets((169, None, None, 1950), infosets=57_331_352)  # the same size with fewer buckets on the river
(169, 66105, 66105, 1950)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from counterpoise.betting.rules import Betting
from counterpoise.betting.sizes import BetSizes, EveryAction
from counterpoise.betting.tree_count import count_betting
from counterpoise.errors import InputError
from counterpoise.parameters import require_number, require_whole
from counterpoise.store.json import JsonResult

LIMIT_HOLDEM = Betting((1000, 1000), blinds=(1, 2), limit=(2, 2, 4, 4), max_bets=(4, 4, 4, 4))
"""Heads-up limit hold'em; stacks never matter."""
BYTES_PER_PAIR = 8
"""A regret and a sum of the average strategy of four bytes each."""

Counts = tuple[int, ...]


@dataclass(frozen=True)
class BettingSize:
    """How many decision points each street of a betting tree has, and how many actions they have together."""

    decisions: Counts
    actions: Counts

    def exchange(self, street: int, other: int) -> float:
        """Return how many buckets of another street cost as many information sets as one of `street`.

        >>> size = betting_size(LIMIT_HOLDEM)
        >>> [size.exchange(3, street) for street in (2, 1, 0)]
        [9.0, 81.0, 708.75]
        """
        return self.decisions[street] / self.decisions[other]

    def first(self, streets: int) -> BettingSize:
        """Return the size of the first streets alone: limits on their bets do not depend on what follows."""
        return BettingSize(self.decisions[:streets], self.actions[:streets])


@cache
def betting_size(betting: Betting, sizes: BetSizes | None = None) -> BettingSize:
    """Return the size of a betting tree; no-limit betting needs the `sizes` that are allowed.

    >>> betting_size(LIMIT_HOLDEM)
    BettingSize(decisions=(8, 70, 630, 5670), actions=(21, 182, 1638, 14742))
    """
    if betting.limit is None and sizes is None:
        raise InputError("sizes must be given for no-limit betting, which has a bet of every number of chips")

    count = count_betting(betting, EveryAction() if sizes is None else sizes)
    decisions, actions = (tuple(map(int, found)) for found in (count.decisions, count.actions.sum(axis=1)))
    return BettingSize(decisions, actions)


@dataclass(frozen=True)
class AbstractionSize(JsonResult):
    """Buckets, abstract information sets and pairs of one and an action on each street."""

    buckets: Counts
    infosets: Counts
    pairs: Counts

    @property
    def total_infosets(self) -> int:
        """Abstract information sets of all streets."""
        return sum(self.infosets)

    @property
    def total_pairs(self) -> int:
        """Pairs of an information set and an action on all streets."""
        return sum(self.pairs)

    @property
    def memory(self) -> int:
        """Bytes of a solver's tables: a regret and an average of four bytes for each pair."""
        return BYTES_PER_PAIR * self.total_pairs

    def to_json(self) -> dict[str, Any]:
        """Return all fields and the totals."""
        totals = {"total_infosets": self.total_infosets, "total_pairs": self.total_pairs, "memory": self.memory}
        return super().to_json() | totals


def abstraction_size(buckets: Sequence[int], betting: BettingSize | None = None) -> AbstractionSize:
    """Return the size of a game with a number of buckets on each of its streets; by default limit hold'em.

    With perfect recall the buckets of a street are all sequences of buckets up to it.
    """
    tree = betting or betting_size(LIMIT_HOLDEM)
    _check_streets(buckets, tree)
    for count in buckets:
        require_whole("buckets", count)
    infosets, pairs = (
        tuple(one * count for one, count in zip(per_bucket, buckets, strict=True))
        for per_bucket in (tree.decisions, tree.actions)
    )
    return AbstractionSize(tuple(buckets), infosets, pairs)


def fitting_buckets(
    buckets: Sequence[int | None],
    *,
    infosets: int | None = None,
    memory: float | None = None,
    betting: BettingSize | None = None,
) -> Counts:
    """Return the buckets of each street, as many on every street that is None as the limit allows.

    The limit is a number of abstract `infosets`, or the bytes of `memory` that a solver's tables may take. The streets
    that are left open get the same number of buckets each.
    """
    tree = betting or betting_size(LIMIT_HOLDEM)
    _check_streets(buckets, tree)
    if (infosets is None) == (memory is None):
        raise InputError("infosets or memory must be given, and not both: they say what fits")
    if infosets is not None:
        require_whole("infosets", infosets)
        prices, limit, unit = tree.decisions, infosets, "information sets"
    else:
        assert memory is not None
        require_number("memory", memory, 0)
        prices, limit, unit = tuple(BYTES_PER_PAIR * one for one in tree.actions), int(memory), "bytes"
    given = sum(price * count for price, count in zip(prices, buckets, strict=True) if count is not None)
    price = sum(price for price, count in zip(prices, buckets, strict=True) if count is None)
    if price == 0:
        raise InputError("buckets must leave a street open: write None where the number is to be found")
    if limit < given + price:
        raise InputError(f"one bucket on each open street needs {given + price:,} {unit}; {limit:,} are allowed")
    return tuple((limit - given) // price if count is None else count for count in buckets)


def _check_streets(buckets: Sequence[int | None], betting: BettingSize) -> None:
    if len(buckets) != len(betting.decisions):
        raise InputError(f"buckets must be {len(betting.decisions)} numbers, one per street, not {len(buckets)}")

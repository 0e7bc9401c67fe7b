"""The state of the page of a solution, all of which stands in its address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from pydantic import TypeAdapter, ValidationError

from counterpoise.errors import InputError
from counterpoise.spots.spot import SpotLock
from counterpoise.web.components.strategy_grid import COLOURS
from counterpoise.web.pages.address import pack, unpack
from counterpoise.web.pages.query import Query

TABS = {
    "hands": "Hands",
    "equity": "Equity",
    "blockers": "Blockers",
    "cards": "Cards",
    "lock": "Lock",
    "search": "Safe search",
    "compare": "Compare",
    "sizes": "Best sizes",
    "run": "Run",
}

_LOCKS = TypeAdapter(list[SpotLock])


@dataclass(frozen=True)
class SolutionState(Query):
    """What the page shows."""

    PATH: ClassVar[str] = "/solution"

    name: str = ""
    """A solution in the library, or the id of a job."""
    node: str = ""
    """The id of a node; empty: the first."""
    colour: str = "actions"
    tab: str = "hands"
    hand: str = ""
    """The kind of hand that is open, such as AKs."""
    other: str = ""
    """The solution to compare with."""
    locks: str = ""
    """Locks that are not solved yet, packed."""
    unlocked: str = ""
    """The nodes, between commas, whose locks the next solve is to leave out."""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self:
        """Return the state that a query means; words that are not known are left at their default."""
        state = super().of(query)
        if state.colour not in COLOURS:
            state = replace(state, colour=cls.colour)
        if state.tab not in TABS:
            state = replace(state, tab=cls.tab)
        try:
            _ = state.open_locks
        except InputError:  # the address is damaged
            state = replace(state, locks="")
        return state

    @property
    def open_locks(self) -> list[dict[str, Any]]:
        """The locks that are not solved yet: tables with node and strategy."""
        try:
            return [lock.model_dump() for lock in _LOCKS.validate_python(unpack(self.locks) if self.locks else [])]
        except ValidationError:
            raise InputError("the address is damaged: copy the whole link") from None

    @property
    def unlocked_nodes(self) -> list[str]:
        """The nodes whose locks the next solve is to leave out."""
        return [node for node in self.unlocked.split(",") if node]

    def with_locks(self, locks: list[dict[str, Any]]) -> Self:
        """Return the state with these locks."""
        return replace(self, locks=pack(locks) if locks else "")

"""The state of the page of a solution, all of which stands in its address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from counterpoise.errors import InputError
from counterpoise.spots.spot import SpotLock
from counterpoise.web.components.strategy_grid import COLOURS
from counterpoise.web.pages.address import address, pack, unpack

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
class View:
    """What the page shows; the words of the address have the names of the fields."""

    name: str
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

    @classmethod
    def of(cls, query: Mapping[str, str]) -> View:
        """Return the state that a query means; words that are not known are left at their default."""
        given = {field.name: query[field.name] for field in fields(cls) if query.get(field.name)}
        view = cls(**({"name": ""} | given))
        if view.colour not in COLOURS or view.tab not in TABS:
            view = replace(view, colour="actions", tab="hands")
        try:
            _ = view.open_locks
        except InputError:  # the address is damaged
            view = replace(view, locks="")
        return view

    @property
    def address(self) -> str:
        """The address of the state, words at their default left out."""
        first = View(self.name)
        words = {field.name: getattr(self, field.name) for field in fields(self)}
        return address(
            "/solution", {key: value for key, value in words.items() if key == "name" or value != getattr(first, key)}
        )

    @property
    def open_locks(self) -> list[dict[str, Any]]:
        """The locks that are not solved yet: tables with node and strategy."""
        try:
            return [lock.model_dump() for lock in _LOCKS.validate_python(unpack(self.locks) if self.locks else [])]
        except ValidationError:
            raise InputError("the address is damaged: copy the whole link") from None

    def with_locks(self, locks: list[dict[str, Any]]) -> View:
        """Return the state with these locks."""
        return replace(self, locks=pack(locks) if locks else "")

"""On what an experiment judges the claims of its source: game, size and protocol, here and there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from counterpoise.errors import InputError
from counterpoise.names import suggest


@dataclass(frozen=True)
class Basis:
    """Game, size and protocol on which claims are judged, those of the source, and what both are worth to a verdict."""

    here: str = ""
    """Game, size and protocol of this experiment, with the seeds of random runs."""
    there: str = ""
    """Those of the source."""
    another_game: bool = False
    """Whether the game is another one than the source's: a claim that fails on it is not decided."""
    random: bool = False
    """Whether figures depend on random numbers: a claim is then judged by an interval or not at all."""
    general: tuple[str, ...] = ()
    """Claims that the source makes of every game, or proves: one game that contradicts them decides."""
    exact: tuple[str, ...] = ()
    """Claims of an experiment with random runs that use no random figure."""
    printed: tuple[str, ...] = ()
    """Claims about the source's own printed figures, whatever the game that is played beside them."""
    fixed: str = ""
    """What was fixed before figures were seen, and what was not."""

    def is_random(self, claim: str) -> bool:
        """Return whether the figures of a claim depend on random numbers."""
        return self.random and claim not in self.exact and claim not in self.printed

    def cannot_refute(self, claim: str) -> bool:
        """Return whether a claim that fails here may still hold in the source's game."""
        return self.another_game and claim not in self.general and claim not in self.printed


def read_basis(id: str, entry: Mapping[str, Any]) -> Basis:
    """Return the basis that an experiment declares; a field that none has is refused."""
    known = [field.name for field in fields(Basis)]
    for name in entry:
        if name not in known:
            raise InputError(f"{id} declares judged.{name}: {suggest(name, known)}")
    values: dict[str, Any] = {name: tuple(part) if isinstance(part, list) else part for name, part in entry.items()}
    return Basis(**values)

"""A blueprint as a range strategy, which beliefs follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour

if TYPE_CHECKING:
    from counterpoise.blueprint import Blueprint


@dataclass(frozen=True, eq=False)
class BlueprintStrategy:
    """A blueprint as a range strategy."""

    blueprint: Blueprint

    @property
    def rules(self) -> Holdem:
        """The game of the blueprint."""
        return self.blueprint.game

    def behaviour(self, line: tuple[str, ...]) -> Behaviour:
        """Return what the seat to act does with every hand of the deck."""
        return self.blueprint.probabilities(line)

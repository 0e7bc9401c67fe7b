"""Games in which every player chooses once and nobody sees another's choice before the end.

The choices are made in seat order, hidden; every seat has the one infoset "P1", "P2", ...
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from counterpoise.games.base import TERMINAL, RuleBook

Choices = tuple[str, ...]


class OneShot(RuleBook):
    """Base of the one-shot rule books; a subclass says the choices of each seat and the payoffs."""

    players: int

    @abstractmethod
    def choices(self, seat: int) -> Sequence[str]:
        """What `seat` may choose."""

    def initial(self) -> Choices:
        return ()

    def player(self, state: Choices) -> int:
        return len(state) if len(state) < self.players else TERMINAL

    def actions(self, state: Choices) -> Sequence[str]:
        return self.choices(len(state))

    def chance(self, state: Choices) -> Sequence[tuple[str, float]]:
        return ()

    def next(self, state: Choices, action: str) -> Choices:
        return (*state, action)

    def infoset(self, state: Choices) -> str:
        return f"P{len(state) + 1}"

    def public(self, state: Choices) -> tuple[str, ...]:
        """All choices once everybody has made one."""
        return tuple(state) if len(state) == self.players else ()

    def private(self, state: Choices, seat: int) -> str:
        return state[seat] if seat < len(state) else ""

"""Undo and redo: states that were, and states that were undone."""

from __future__ import annotations

from typing import Generic, TypeVar

State = TypeVar("State")
MOST = 200
"""States that are kept."""


class Undo(Generic[State]):
    """A line of states with a place on it.

    >>> steps = Undo(1)
    >>> steps.record(2)
    >>> steps.undo(), steps.undo(), steps.redo()
    (1, None, 2)
    """

    def __init__(self, state: State) -> None:
        self._states, self._at = [state], 0

    def record(self, state: State) -> None:
        """Note a new state; what was undone is gone."""
        if state != self._states[self._at]:
            self._states = [*self._states[: self._at + 1], state][-MOST:]
            self._at = len(self._states) - 1

    @property
    def can_undo(self) -> bool:
        """Whether there is a state before this one."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Whether a state was undone."""
        return self._at + 1 < len(self._states)

    def undo(self) -> State | None:
        """Return the state before, which is now the present one; None at the first."""
        if not self.can_undo:
            return None
        self._at -= 1
        return self._states[self._at]

    def redo(self) -> State | None:
        """Return the state that was undone last; None if there is none."""
        if not self.can_redo:
            return None
        self._at += 1
        return self._states[self._at]

"""The rules of a table that are not the game's: time limits, and what happens to an agent that breaks a rule.

An agent that raises an exception, answers with an illegal action or is late **forfeits the hand**: it folds, where it
cannot fold it checks or calls, in games without these it takes the first action of the menu, and it is not asked again
in this hand. The match continues; forfeits are counted by kind and reported. An agent that has used up the time of the
match forfeits all remaining hands. Time is that of the agent's own decisions, on the wall clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from counterpoise.games.base import Action, Game
from counterpoise.games.moves import CALL, FOLD, action_kinds
from counterpoise.parameters import is_number, require, shown

FAULTS = ("error", "illegal", "late")
"""Why an agent forfeits a hand."""


@dataclass(frozen=True)
class TableRules:
    """Time limits of each agent, in seconds; None: without."""

    decision_seconds: float | None = None
    hand_seconds: float | None = None
    match_seconds: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            require(
                value is None or (is_number(value) and value > 0),
                f"{field.name} must be a positive number, not {shown(value)}",
            )

    @property
    def timed(self) -> bool:
        """Whether there is any limit."""
        return any(getattr(self, field.name) is not None for field in fields(self))


def forfeit(game: Game, actions: Sequence[Action], infoset: str) -> Action:
    """Return the action that is taken for an agent that forfeits the hand."""
    kinds = action_kinds(game, infoset, actions)
    if kinds is None:
        return actions[0]
    return actions[kinds.index(FOLD if FOLD in kinds else CALL)]

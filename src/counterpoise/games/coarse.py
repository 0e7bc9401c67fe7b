"""A game seen through coarser eyes: states that the rules tell apart, but that are to be played alike.

A solution of the coarse game is a strategy of the game itself once every information set plays as the coarse one it
falls into (`counterpoise.lift`), and a place to start from there (BROWN 3.2.5).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from counterpoise.games.base import Action, Game, game_name


@dataclass(frozen=True)
class CoarseGame:
    """`game` with the same rules and payoffs, in which players see only ``coarse(label)`` of an infoset's label.

    Infosets that are merged must offer the same actions, and a player must not forget what it saw or did before:
    enumerating the game refuses anything else.
    """

    game: Game
    coarse: Callable[[str], str]

    @property
    def name(self) -> str:
        """The game's name and the function's."""
        return f"{game_name(self.game)} by {getattr(self.coarse, '__name__', 'a coarse label')}"

    @property
    def players(self) -> int:
        """Number of seats."""
        return self.game.players

    def initial(self) -> Any:
        """As in the game."""
        return self.game.initial()

    def player(self, state: Any) -> int:
        """As in the game."""
        return self.game.player(state)

    def actions(self, state: Any) -> Sequence[Action]:
        """As in the game."""
        return self.game.actions(state)

    def chance(self, state: Any) -> Sequence[tuple[Action, float]]:
        """As in the game."""
        return self.game.chance(state)

    def next(self, state: Any, action: Action) -> Any:
        """As in the game."""
        return self.game.next(state, action)

    def infoset(self, state: Any) -> str:
        """What is left of the label."""
        return self.coarse(self.game.infoset(state))

    def payoffs(self, state: Any) -> Sequence[float]:
        """As in the game."""
        return self.game.payoffs(state)

"""A game seen through coarser eyes: states that the rules tell apart, but that are to be played alike.

A solution of the coarse game is a strategy of the game itself once every information set plays as the coarse one it
falls into (`counterpoise.lift`), and a place to start from there (BROWN 3.2.5).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from counterpoise.games.base import Game, game_name
from counterpoise.games.view import GameView


@dataclass(frozen=True)
class CoarseGame(GameView):
    """`game` with the same rules and payoffs, in which players see only ``coarse(label)`` of an infoset's label.

    Infosets that are merged must offer the same actions, and a player must not forget what it saw or did before:
    enumerating the game refuses anything else.
    """

    game: Game
    coarse: Callable[[str], str]

    @property
    def name(self) -> str:  # type: ignore[override]
        """The game's name and the function's."""
        return f"{game_name(self.game)} by {getattr(self.coarse, '__name__', 'a coarse label')}"

    def infoset(self, state: Any) -> str:
        """The coarse label."""
        return self.coarse(self.game.infoset(state))

"""A game in which a player's strategy is given away in part: chance plays it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from counterpoise.games.base import CHANCE, Action, Game, game_name
from counterpoise.games.view import GameView


class FixedStrategy(GameView):
    """`game` in which chance plays for a player at all infosets of `given`, by the probabilities given there.

    What is best for the others, and for the player where it is free, is then a solution of an ordinary game.
    """

    def __init__(self, game: Game, player: int, given: Mapping[str, Mapping[str, float]]) -> None:
        super().__init__(game)
        self.seat, self.given, self.name = player, given, f"{game_name(game)}, partly fixed"

    def player(self, state: Any) -> int:
        """Who acts; chance where the player's strategy is given."""
        seat = self.game.player(state)
        return CHANCE if seat == self.seat and self.game.infoset(state) in self.given else seat

    def chance(self, state: Any) -> Sequence[tuple[Action, float]]:
        """The outcomes of chance, or the player's strategy."""
        if self.game.player(state) == CHANCE:
            return self.game.chance(state)
        return list(self.given[self.game.infoset(state)].items())

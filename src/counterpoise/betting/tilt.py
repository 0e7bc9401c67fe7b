"""Tilted payoffs: scaled by how a hand ended for a player, which makes a game general-sum.

See Johanson 2016, sections 2.6, 6.3.2.
"""

from __future__ import annotations

from typing import NamedTuple


class PayoffTilt(NamedTuple):
    """The per cent by which a payoff grows, for each way in which the hand can end for its player."""

    win_showdown: float = 0.0
    lose_showdown: float = 0.0
    lose_fold: float = 0.0
    win_fold: float = 0.0

    def apply(self, payoff: float, folded: bool) -> float:
        """Return a player's payoff u (1 + tilt / 100), in the same unit; a tie that pays 0 stays 0."""
        won, lost = (self.win_fold, self.lose_fold) if folded else (self.win_showdown, self.lose_showdown)
        return payoff * (1 + (won if payoff > 0 else lost) / 100)

    @property
    def factors(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """What payoffs are multiplied by: after a showdown if lost and if won, after a fold if lost and if won."""
        kinds = (self.lose_showdown, self.win_showdown), (self.lose_fold, self.win_fold)
        shown, folded = ((1 + lost / 100, 1 + won / 100) for lost, won in kinds)
        return shown, folded


NO_TILT = PayoffTilt()
"""The true game."""

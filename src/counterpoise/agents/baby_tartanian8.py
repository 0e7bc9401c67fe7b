"""Baby Tartanian8: two asymmetric blueprints, purified and packed into bits, looked up at once.

See Brown 2020, section 6.3.

1. Cards: public clusters of flops with buckets inside.
2. Bets: two solves, in each of which the opponent has more bets than the agent; the agent plays its half of each.
3. Training: by public clusters, with regret-based sampling of actions, which is switched off for the last fifth.
4. Play: the most likely action of every decision and bucket, in as few bits as tell the actions apart; the first
   round stays mixed. Bets that the blueprint lacks are translated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from counterpoise.agents.base import Measured, agent
from counterpoise.agents.halves import HalvesAgent
from counterpoise.agents.recipes import TrainedByRecipe
from counterpoise.agents.settings import SETTING, settings_of
from counterpoise.blueprint import PackedBlueprint, PackedChoices

if TYPE_CHECKING:
    from counterpoise.blueprint import Blueprint


@agent("baby-tartanian8")
@dataclass
@settings_of("baby-tartanian8")
class BabyTartanian8(TrainedByRecipe, HalvesAgent):
    """Looks its play up in purified, packed blueprints, one per seat: baby-tartanian8:FOLDER, two seats."""

    source = "Brown 2020, section 6.3"
    measured = Measured(38, 0.0007)

    pure_from: int = SETTING
    """The round from which only the most likely action is played."""

    def processed(self, half: Blueprint) -> Blueprint:
        """Return the blueprint purified and packed."""
        return PackedBlueprint(PackedChoices.of(half, self.pure_from))

"""Tartanian7 (Brown 2020, section 6.1): a blueprint by public clusters of flops, looked up without search.

1. Cards: flops are put into public clusters, hands inside them into buckets that never leave their cluster.
2. Bets: one menu for both seats (symmetric).
3. Training: the clusters are owned by worker processes, a head owns the first round.
4. Play: the blueprint, mixed; bets that it lacks are translated.
"""

from __future__ import annotations

from dataclasses import dataclass

from counterpoise.agents.base import Measured, agent
from counterpoise.agents.halves import HalvesAgent
from counterpoise.agents.recipes import TrainedByRecipe


@agent("tartanian7")
@dataclass
class Tartanian7(TrainedByRecipe, HalvesAgent):
    """Looks its play up in a blueprint by public clusters of flops: tartanian7:FOLDER, two seats."""

    source = "Brown 2020, section 6.1"
    measured = Measured(34, 0.0006)

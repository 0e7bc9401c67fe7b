"""Polaris as it played in 2008: the best so far of five strategies plays the next hand.

See Johanson 2016, section 8.2.

Pink is an equilibrium of the abstract game, Orange, Peach, Red and Green are tilted (Johanson 2016, section 2.6, table
2.3). All have imperfect recall: public textures of the flop, and percentiles of hand strength inside each; Red and
Green have fewer buckets. After every hand the winnings of each strategy are estimated from what was seen (off-policy,
partial information, all own hands imagined), with DIVAT subtracted at showdowns. That is biased, which is acceptable
for choosing and never for reporting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from counterpoise.agents.base import Measured, agent
from counterpoise.agents.colours import ColourAgent, colours_of
from counterpoise.agents.settings import SETTING, settings_of
from counterpoise.agents.switching import Estimator
from counterpoise.parameters import require_choice


@agent("polaris-2008")
@dataclass
@settings_of("polaris-2008")
class Polaris2008(ColourAgent):
    """Plays limit hold'em with the best of five strategies so far, hand by hand: polaris-2008:FOLDER."""

    source = "Johanson 2016, section 8.2"
    measured = Measured(30, 0.011)

    estimator: Estimator = SETTING
    """The estimator of values: all cards and, after showdowns, DIVAT or BC-DIVAT too, which is biased."""

    def __post_init__(self) -> None:
        require_choice("polaris-2008: estimator", self.estimator, get_args(Estimator))
        self._take(colours_of(self.registered_name), self.estimator)

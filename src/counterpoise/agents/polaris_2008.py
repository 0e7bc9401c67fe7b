"""Polaris as it played in 2008: five strategies, of which the best so far plays the next hand (JOHANSON 8.2).

Pink is an equilibrium of the abstract game, Orange, Peach, Red and Green are tilted (JOHANSON 2.6, table 2.3). All have
imperfect recall: public textures of the flop, and percentiles of hand strength inside each; Red and Green have fewer
buckets. After every hand what each would have won is estimated from what was seen (off-policy, partial information, all
own hands imagined), with DIVAT taken off at showdowns: that is biased, and accepted for choosing, never for reporting.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from counterpoise.agents.base import agent
from counterpoise.agents.colours import load_colours, recipe, train_colours
from counterpoise.agents.recipes import Tier, TrainedByRecipe
from counterpoise.agents.settings import agent_settings
from counterpoise.agents.switching import Estimator, SwitchingAgent
from counterpoise.names import spell
from counterpoise.parameters import require_choice
from counterpoise.progress import CancelToken, Progress

DEFAULTS = agent_settings("polaris-2008")


@dataclass(frozen=True)
class Polaris2008Settings:
    """What the agent is made of; the file of settings says what each means."""

    tilts: Mapping[str, Sequence[float]] = field(default_factory=lambda: DEFAULTS["tilts"])
    smoke: Mapping[str, Any] = field(default_factory=lambda: DEFAULTS["smoke"])
    mini: Mapping[str, Any] = field(default_factory=lambda: DEFAULTS["mini"])
    full_mini: Mapping[str, Any] = field(default_factory=lambda: DEFAULTS["full_mini"])


@agent("polaris-2008")
@dataclass
class Polaris2008(TrainedByRecipe, SwitchingAgent):
    """Plays limit hold'em with the best of five strategies so far, hand by hand: polaris-2008:FOLDER."""

    colon_field = "folder"
    source = "JOHANSON 8.2"

    folder: str = ""
    """The folder with a strategy for each of the five colours, which `train` makes."""
    selection: str = DEFAULTS["selection"]
    """How the next strategy is chosen; see `implicit`."""
    estimator: Estimator = DEFAULTS["estimator"]
    """What values are estimated by: all cards, and after showdowns DIVAT or BC-DIVAT too, which is biased."""

    def __post_init__(self) -> None:
        colours = tuple(DEFAULTS["tilts"])
        require_choice("polaris-2008: estimator", self.estimator, get_args(Estimator))
        self._begin(load_colours("polaris-2008", self.folder, colours), colours, self.selection, self.estimator)

    @classmethod
    def training(cls) -> str:
        """Return what trains its strategies: none come with the package."""
        return "by counterpoise train-agent polaris-2008, into a folder that it is given"

    @classmethod
    def train(
        cls,
        folder: str | os.PathLike[str],
        tier: Tier = "smoke",
        progress: Progress | bool | None = None,
        *,
        cancel: CancelToken | None = None,
        cache: str | os.PathLike[str] | None = None,
    ) -> None:
        """Train its strategies into a folder, which then follows its name after a colon; finished ones are kept."""
        settings = Polaris2008Settings()
        train_colours(folder, recipe(vars(settings), tier, settings.tilts), progress, cancel=cancel, cache=cache)

    @property
    def name(self) -> str:
        """The name from which `make_agent` makes this agent again."""
        usual = {name: DEFAULTS[name] for name in ("selection", "estimator")}
        changed = {name: getattr(self, name) for name, value in usual.items() if getattr(self, name) != value}
        return spell(f"polaris-2008:{self.folder}", changed)

    @property
    def home(self) -> str:
        """The name of the game that it was trained for."""
        return self.members[0].home

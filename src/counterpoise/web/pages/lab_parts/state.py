"""The state of the lab, all of which stands in its address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from counterpoise.games.registry import OPENSPIEL_PREFIX
from counterpoise.web.jobs.requests import RaceGame
from counterpoise.web.pages.query import Query, split_names

OPENSPIEL = "openspiel"
AXES = {"iteration": "Iterations", "nodes_touched": "Nodes", "seconds": "Seconds"}


@dataclass(frozen=True)
class LabView(Query):
    """What the page shows: a race that is being chosen, a race, or a saved run."""

    PATH: ClassVar[str] = "/lab"

    game: str = "leduc_poker"
    """A game of the package, a file of the library, or `OPENSPIEL`, whose game `settings` then names."""
    settings: str = ""
    algorithms: str = "cfr;cfr+;dcfr"
    iterations: str = "300"
    target: str = ""
    seconds: str = ""
    seed: str = "0"
    job: str = ""
    """The id of a race; the words before it do not matter then."""
    against: str = "iteration"
    """The horizontal axis, one of `AXES`."""
    run: str = ""
    """The run whose strategy is shown: an algorithm of the race, or a file of the library."""
    text: str = ""
    """What the names of the information sets that are shown have in them."""
    player: str = ""
    start: str = "0"

    @property
    def field(self) -> list[str]:
        """The algorithms."""
        return split_names(self.algorithms)

    @property
    def game_name(self) -> str:
        """The game with its settings."""
        if self.game == OPENSPIEL:
            return f"{OPENSPIEL_PREFIX}{self.settings}"
        return f"{self.game}({self.settings})" if self.settings and "/" not in self.game else self.game

    @property
    def request(self) -> RaceGame:
        """The race that was chosen."""
        limits: dict[str, Any] = {
            name: getattr(self, name).strip() or None for name in ("iterations", "target", "seconds")
        }
        return RaceGame.model_validate(
            {"game": self.game_name, "algorithms": self.field, "seed": self.seed.strip() or 0} | limits
        )

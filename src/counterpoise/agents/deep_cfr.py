"""Deep CFR at the table: the network of its average strategy, in games small enough to tabulate it.

See Brown 2020, section 4.1.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from counterpoise.agents.base import KnownAgent, Measured, agent
from counterpoise.errors import InputError
from counterpoise.games.base import Action, Observation, game_name

if TYPE_CHECKING:
    from counterpoise.agents.base import FloatArray
    from counterpoise.tree import Strategy, Tree


@agent("deep-cfr")
@dataclass
class DeepCFRAgent(KnownAgent):
    """Follows the strategy of the network that Deep CFR has trained for Leduc hold'em and that the package has.

    Networks that you train play as strategy:FILE, also in hold'em of any size; those of ReBeL play as rebel:FILE.
    """

    source = "Brown 2020, section 4.1"
    measured = Measured(15, 7e-05)

    @property
    def home(self) -> str:
        """The name of the game that its network was trained for."""
        from counterpoise.deep.shipped import shipped_headers

        return next(iter(shipped_headers("deep-cfr")))

    @property
    def strategy(self) -> Strategy:
        """What the network plays in every information set of its game."""
        from counterpoise.deep.shipped import shipped_networks

        found = shipped_networks("deep-cfr", self.home).strategy
        assert found is not None
        return found

    @property
    def strategy_id(self) -> str:
        """The name and the first digits of the SHA-256 of the probabilities."""
        return f"{self.name}@{hashlib.sha256(self.strategy.probabilities.tobytes()).hexdigest()[:12]}"

    @classmethod
    def default_seats(cls) -> int | None:
        """Return the seats of the game that its network was trained for."""
        return 2

    @classmethod
    def training(cls) -> str:
        """Return how its network was trained."""
        from counterpoise.deep.shipped import shipped_headers

        made = next(iter(shipped_headers("deep-cfr").values())).made
        return f"{made['iterations']:,} iterations, seed {made['seed']}"

    def prepare(self) -> None:
        """Refuse a game that the network is not for."""
        if game_name(self.game) != self.home:
            raise InputError(
                f"{self} has a network for {self.home}, not for {game_name(self.game)}: train one with counterpoise "
                "train --method deep-cfr and let it play as strategy:FILE"
            )

    def mixed(self, observation: Observation) -> Mapping[Action, float]:
        """Return its probabilities in an information set."""
        return self.strategy[self.seat, observation.infoset]

    def tabulate(self, tree: Tree) -> FloatArray | None:
        """Return its strategy for both seats if it is one for this game."""
        return self.strategy.probabilities if self.strategy.table.same_as(tree.table) else None

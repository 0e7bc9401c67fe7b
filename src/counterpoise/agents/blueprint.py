"""An agent that follows a blueprint, by translation where the table has seen bets that it does not know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, get_args

from counterpoise.abstraction.translation import Translation
from counterpoise.agents.base import Measured, agent
from counterpoise.agents.blueprint_strategy import FollowsBlueprint
from counterpoise.errors import InputError
from counterpoise.games.base import Action, Observation
from counterpoise.games.known import Behaviour, BoardPlay, Line
from counterpoise.parameters import require_choice

if TYPE_CHECKING:
    from counterpoise.blueprint import Blueprint
    from counterpoise.sampling import BettingTree, NodeStrategy


@agent("blueprint")
@dataclass
class BlueprintAgent(FollowsBlueprint):
    """Follows a blueprint, a strategy of whole hold'em in buckets: that of the package, or blueprint:FILE.

    The table may allow other bets than the blueprint knows, and have smaller stacks, antes, rake and blinds in
    proportion. A bet that it does not know is translated to one or both of its neighbours, by `translation`.
    """

    measured = Measured(90, 0.001)
    made_for = "is for"

    file: str = ""
    """The file with the blueprint; without one that of the package, heads-up no-limit hold'em of 200 big blinds."""
    translation: Translation = "pseudo-harmonic"
    """How a bet between two known ones is translated: by the pseudo-harmonic mapping, by its midpoint, or to the
    nearest."""

    def __post_init__(self) -> None:
        require_choice("blueprint: translation", self.translation, get_args(Translation))
        self._in_memory = False
        if self.file:
            self.blueprint  # noqa: B018, a wrong file is refused at once

    @classmethod
    def of(cls, blueprint: Blueprint, translation: Translation = "pseudo-harmonic") -> Self:
        """Return an agent that follows a blueprint in memory."""
        own = cls.__new__(cls)
        own.file, own.translation, own._in_memory = "", translation, True
        own.blueprint = blueprint
        return own

    def __reduce__(self) -> Any:
        """Copies in other processes read the file again; a blueprint in memory is sent as it is."""
        if self._in_memory:
            return type(self).of, (self.blueprint, self.translation)
        return type(self), (self.file, self.translation)

    @property
    def name(self) -> str:
        """The name from which `make_agent` makes this agent again."""
        if self._in_memory:
            return "blueprint in memory"
        chosen = "" if self.translation == "pseudo-harmonic" else f"(translation={self.translation!r})"
        return f"blueprint{':' if self.file else ''}{self.file}{chosen}"

    @property
    def home(self) -> str:
        """The name of the game that it was made for."""
        if self.file or self._in_memory:
            return super().home
        from counterpoise.blueprint import shipped_header

        return shipped_header().game

    @classmethod
    def training(cls) -> str:
        """Return how the blueprint of the package was trained."""
        from counterpoise.blueprint.shipped import shipped_training

        return shipped_training()

    def mixed(self, observation: Observation) -> Mapping[Action, float]:
        """Return its probabilities in an information set."""
        if self._at_home(observation.public):
            return self.blueprint.mixed(observation.public, observation.private)
        return super().mixed(observation)

    def probabilities(self, public: tuple[str, ...]) -> Behaviour:
        """Return its strategy after a public history with every hand that it could hold."""
        if self._at_home(tuple(public)):
            return self.blueprint.player(self.seat).probabilities(tuple(public))
        if self.belief(tuple(public)).betting.to_act != self.seat:
            raise InputError(f"seat {self.seat} is not to act after {':'.join(public) or 'the deal'}")
        return super().probabilities(public)

    def play_on_boards(self, lines: tuple[Line, ...]) -> Callable[[tuple[int, ...]], BoardPlay] | None:
        """Return a function from the public cards to what it does in lines of one round; None for other bets."""
        if self.game != self.blueprint.game:
            return None
        return self.blueprint.player(self.seat).play_on_boards(lines)

    def betting_tree(self) -> BettingTree:
        """Return the betting tree of the blueprint."""
        return self.blueprint.tree

    def betting_table(self, tree: BettingTree) -> NodeStrategy | None:
        """Return its weights for all seats if the blueprint is one for this game."""
        from counterpoise.sampling import NodeStrategy

        if self.blueprint.game != tree.game:
            return None
        return NodeStrategy(self.blueprint.layout, self.blueprint.table, self.blueprint.abstractions)

    def _at_home(self, public: tuple[str, ...]) -> bool:
        """Return whether the game is the blueprint's own and all bets so far are in its tree."""
        return self.game == self.blueprint.game and self.blueprint.tree.knows(public)

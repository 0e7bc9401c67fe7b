"""A blueprint as a range strategy, and what agents that follow one have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from counterpoise.abstraction.translation import Translation
from counterpoise.agents.base import KnownAgent
from counterpoise.agents.table_games import differences, why_untranslatable
from counterpoise.errors import InputError
from counterpoise.games import load
from counterpoise.games.base import Action, Observation, game_name
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour, ValuesOfHands
from counterpoise.search.public_belief import PublicBelief

if TYPE_CHECKING:
    from counterpoise.blueprint import Blueprint


BOTH_SEATS = "blueprint.cpz"
"""The blueprint in a folder that a recipe has made."""


@dataclass(frozen=True, eq=False)
class BlueprintStrategy:
    """A blueprint as a range strategy."""

    blueprint: Blueprint

    @property
    def game(self) -> Holdem:
        """The game of the blueprint."""
        return self.blueprint.game

    def behaviour(self, line: tuple[str, ...]) -> Behaviour:
        """Return what the seat to act does with every hand of the deck."""
        return self.blueprint.probabilities(line)


class FollowsBlueprint(KnownAgent):
    """An agent that follows a blueprint, at least until it searches."""

    file: str
    """The file with the blueprint, or the folder of `counterpoise train-agent`; without one that of the package."""

    translation: Translation = "pseudo-harmonic"
    """How a bet between two known ones is translated."""
    made_for: ClassVar[str] = "has a blueprint for"
    """The words with which messages say which game it was made for."""
    most_beliefs: ClassVar[int] = 256
    """The number of public histories whose beliefs it remembers."""

    @classmethod
    def default_seats(cls) -> int | None:
        """Return the seats of the blueprint of the package."""
        from counterpoise.blueprint.shipped import shipped_header

        return load(shipped_header().game).players

    @cached_property
    def blueprint(self) -> Blueprint:
        """The blueprint that it follows; that of the package is read when it is needed."""
        return self._load()

    def _load(self) -> Blueprint:
        from counterpoise.blueprint import shared_blueprint, shipped_blueprint

        if not self.file:
            return shipped_blueprint()
        place = Path(self.file)
        return shared_blueprint(place / BOTH_SEATS if place.is_dir() else place)

    @property
    def hand_values(self) -> ValuesOfHands | None:
        """What hands are worth if both seats play the blueprint, if that can be computed."""
        return self.blueprint.values

    @property
    def home(self) -> str:
        """The name of the game that its blueprint was made for."""
        return self.blueprint.game.name

    @property
    def strategy_id(self) -> str:
        """The name and the first digits of the SHA-256 of the blueprint."""
        return f"{self.name}@{self.blueprint.digest[:12]}"

    @property
    def holdem(self) -> Holdem:
        """The game at the table."""
        assert isinstance(self.game, Holdem)
        return self.game

    def prepare(self) -> None:
        """Refuse a game that the blueprint is not for; `why_untranslatable` says what may differ."""
        home, reason = self.blueprint.game, why_untranslatable(self.game, self.blueprint.game)
        if reason:
            raise InputError(f"{self} {self.made_for} {home.name}, not for {game_name(self.game)}: {reason}")
        self.belief = lru_cache(maxsize=self.most_beliefs)(self._belief)

    def remark(self) -> str:
        """Return how the table differs from the game that its blueprint was made for."""
        return differences(self, self.game, self.blueprint.game)

    def blueprint_belief(self) -> PublicBelief:
        """Return the belief of the blueprint before the first action."""
        return PublicBelief.start(self.holdem, BlueprintStrategy(self.blueprint), self.translation, self.seat)

    def _belief(self, public: tuple[str, ...]) -> PublicBelief:
        """Return where play is after a public history."""
        return self.observe(self.belief(public[:-1]), public[-1]) if public else self.blueprint_belief()

    def observe(self, belief: PublicBelief, event: str) -> PublicBelief:
        """Return the belief after a public event, which follows the same strategy unless an agent overrides this."""
        return belief.after(event)

    def mixed(self, observation: Observation) -> Mapping[Action, float]:
        """Return its probabilities in an information set."""
        return self.belief(tuple(observation.public)).behaviour().of_hand(observation.private)

    def probabilities(self, public: tuple[str, ...]) -> Behaviour:
        """Return what it does after a public history with every hand that it could hold."""
        return self.belief(tuple(public)).behaviour()


def half_file(seat: int) -> str:
    """Return the name of the file of a seat's blueprint in a folder that has one for each."""
    return f"seat-{seat}.cpz"

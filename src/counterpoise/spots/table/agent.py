"""An agent that follows the solution of a spot, by translation where the table has seen bets that it does not know."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.translation import Translation
from counterpoise.agents.base import KnownAgent, agent
from counterpoise.agents.table_games import same_but_for_bets
from counterpoise.errors import InputError
from counterpoise.games.base import Action, Observation, brief, game_name
from counterpoise.games.events import ActionEvent, DealEvent, public_cards, read_action, read_event
from counterpoise.games.holdem_spot import HoldemSpot
from counterpoise.games.known import Behaviour
from counterpoise.parameters import require_choice
from counterpoise.proportions import proportional
from counterpoise.search.hand_translation import HandTranslator
from counterpoise.spots.solution import Solution
from counterpoise.spots.solve import load_solution
from counterpoise.spots.table.rules import spot_game

AtNode = tuple[tuple[Action, ...], NDArray[np.float64]]
"""The actions at a decision and their probabilities, [action, hand of the seat]."""
MOST_NODES = 512
"""Nodes whose strategies are kept at a seat."""


@agent("spot")
@dataclass
class SpotAgent(KnownAgent):
    """Follows the solution of a spot in a .cpz file that `counterpoise spot --out` has saved: spot:FILE.

    The game is that spot, which is also what `play` and `match` take if no game is named. A bet that the solution does
    not know is translated to one or both of its neighbours, by `translation`.
    """

    file: str = ""
    """The file with the solution."""
    translation: Translation = "pseudo-harmonic"
    """How a bet between two known ones is translated: by the pseudo-harmonic mapping, by its midpoint, or to the
    nearest."""

    def __post_init__(self) -> None:
        require_choice("spot: translation", self.translation, get_args(Translation))
        if not self.file:
            raise InputError("spot: name its file after a colon, as in spot:turn.cpz")
        self._follow(load_solution(self.file, resumable=False))

    @classmethod
    def of(cls, solution: Solution, translation: Translation = "pseudo-harmonic") -> Self:
        """Return an agent that follows a solution in memory."""
        own = cls.__new__(cls)
        own.file, own.translation = "", translation
        own._follow(solution)
        return own

    def _follow(self, solution: Solution) -> None:
        self.solution, self.rules = solution, spot_game(solution.spot)

    def __reduce__(self) -> Any:
        """Copies in other processes read the file again; a solution in memory is sent as it is."""
        if self.file:
            return type(self), (self.file, self.translation)
        return type(self).of, (self.solution, self.translation)

    @property
    def name(self) -> str:
        """The name from which `make_agent` makes this agent again."""
        chosen = "" if self.translation == "pseudo-harmonic" else f"(translation={self.translation!r})"
        return f"spot:{self.file}{chosen}" if self.file else "spot"

    @property
    def strategy_id(self) -> str:
        """The name and the first digits of the SHA-256 of the file, or of the strategies in memory."""
        kept = Path(self.file).read_bytes() if self.file else self.solution.stored.average.numbers.tobytes()
        return f"{self.name}@{hashlib.sha256(kept).hexdigest()[:12]}"

    @property
    def home(self) -> str:
        """The name of the game that it was made for."""
        return self.rules.name

    def prepare(self) -> None:
        """Refuse a game that the solution is not for; only the bets may differ."""
        if not isinstance(self.game, HoldemSpot) or not same_but_for_bets(self.game, self.rules):
            raise InputError(f"{self} is for the spot {brief(self.rules.name)}, not for {brief(game_name(self.game))}")
        names = self.rules.deck.hand_names
        self._place = {names[hand]: at for at, hand in enumerate(self.solution.game.hand_numbers[self.seat].tolist())}
        self._known = lru_cache(maxsize=MOST_NODES)(self._find)
        self._shadows = HandTranslator(self.rules, self.game, self._answers, self.seat, self.translation)

    def mixed(self, observation: Observation) -> Mapping[Action, float]:
        """Return its probabilities in an information set."""
        if self._known(observation.public) is not None:
            return self._answers(observation.public, observation.private)
        return self._shadows.mixture(observation.public, observation.private)

    def probabilities(self, public: tuple[str, ...]) -> Behaviour:
        """Return what it does after a public history with every hand that it could hold."""
        known = self._known(tuple(public))
        if known is None:
            return super().probabilities(public)
        actions, rows = known
        table = self.solution.game.scatter_to_deck(self.seat, rows).T
        live = self.rules.possible_hands(self.seat, public_cards(tuple(public)))
        return Behaviour(self.rules.deck.hand_names, actions, table * live[:, None])

    def _answers(self, public: tuple[str, ...], hand: str) -> Mapping[Action, float]:
        """Return the probabilities of a hand at a decision of the solution."""
        known = self._known(public)
        if known is None or hand not in self._place:
            raise InputError(f"{self} has no decision of seat {self.seat} with {hand} after {':'.join(public)}")
        actions, rows = known
        return dict(zip(actions, rows[:, self._place[hand]].tolist(), strict=True))

    def _find(self, public: tuple[str, ...]) -> AtNode | None:
        """Return what the solution does after a public history, the board first; None if it lacks one of the bets."""
        node = self.solution.game.root
        for event in public[1:]:
            event = read_event(event)
            if isinstance(event, DealEvent):
                node = node.deal(event.cards)
            elif (action := read_action(event).bet) in node.actions:
                node = node.child(action)
            else:
                return None
        if node.kind != "decision" or node.player != self.seat:
            raise InputError(f"seat {self.seat} of {self.rules.name} is not to act after {':'.join(public)}")
        rows = node.strategy(self.solution.stored.at(node))
        rows = proportional(rows, rows.sum(axis=0), 1 / len(rows))
        return tuple([ActionEvent(action) for action in node.actions]), rows

"""An agent that plays limit hold'em as solved out of core, as Cepheus was (Johanson 2016, chapter 9)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from counterpoise.agents.base import KnownAgent, agent
from counterpoise.agents.table_games import why_untranslatable
from counterpoise.betting.rules import CALL, BetAction, Betting
from counterpoise.errors import InputError
from counterpoise.games.base import Action, Observation, game_name
from counterpoise.games.events import ActionEvent, DealEvent, read_action, read_event
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour, BoardPlay, Line
from counterpoise.search.action_translation import chip_scale, scaled

if TYPE_CHECKING:
    from counterpoise.solvers.out_of_core import FolderStrategy
    from counterpoise.solvers.out_of_core.strategy import Step

FloatArray = NDArray[np.float64]
AtNode = tuple[tuple[Action, ...], FloatArray]
"""The actions at a decision and their probabilities, [action, hand of the deck]."""
MOST_NODES = 512
"""Decisions whose strategies are kept at a seat."""


@agent("cepheus")
@dataclass
class CepheusAgent(KnownAgent):
    """Plays limit hold'em by the current strategies of a run: cepheus:DIR, with DIR from `solve --out-of-core DIR`.

    The table must have the game of the run; blinds and bets may be larger in proportion, as in the ACPC's files. A run
    that continues meanwhile changes nothing for an agent that has opened the folder.
    """

    colon_field = "folder"

    folder: str = ""
    """The folder of the run."""

    def __post_init__(self) -> None:
        if not self.folder:
            raise InputError("cepheus: name its folder after a colon, as in cepheus:flop_holdem")
        from counterpoise.solvers.out_of_core import FolderStrategy

        self.strategy: FolderStrategy = FolderStrategy.open(self.folder)

    @classmethod
    def of(cls, strategy: FolderStrategy, folder: str) -> Self:
        """Return an agent that follows strategies of a folder that is open."""
        own = cls.__new__(cls)
        own.folder, own.strategy = folder, strategy
        return own

    def __reduce__(self) -> Any:
        """Copies in other processes open the folder again, at the same update of the run."""
        return type(self).of, (self.strategy, self.folder)

    @property
    def strategy_id(self) -> str:
        """The name and the first digits of the SHA-256 of what the strategies follow from."""
        return f"{self.name}@{self.strategy.digest[:12]}"

    @property
    def home(self) -> str:
        """The name of the game that was solved."""
        return self.strategy.game.name

    def prepare(self) -> None:
        """Refuse a game other than that of the run; only the size of its chips may differ."""
        home, table = self.strategy.game, self.game
        wrong = why_untranslatable(table, home)
        if isinstance(table, Holdem) and not wrong:
            wrong = _other_betting(table.betting, home.betting)
            self._scale = chip_scale(home.betting, table.betting)
        if wrong:
            raise InputError(f"{self.name} plays {self.home}, not {game_name(table)}: {wrong}")
        self._number = {name: number for number, name in enumerate(home.deck.hand_names)}
        self._known = lru_cache(maxsize=MOST_NODES)(self._find)

    def mixed(self, observation: Observation) -> Mapping[Action, float]:
        """Return its probabilities in an information set."""
        actions, table = self._known(observation.public)
        return dict(zip(actions, table[:, self._number[observation.private]].tolist(), strict=True))

    def probabilities(self, public: tuple[str, ...]) -> Behaviour:
        """Return what it does after a public history with every hand that it could hold."""
        actions, table = self._known(tuple(public))
        return Behaviour(self.strategy.game.deck.hand_names, actions, table.T)

    def play_on_boards(self, lines: tuple[Line, ...]) -> Callable[[tuple[int, ...]], BoardPlay]:
        """Return a function from the public cards, as dealt, to what it does in lines of one round."""
        dealt = list(accumulate(self.strategy.game.board))
        hands = np.arange(self.strategy.game.deck.hand_count)

        def play(board: tuple[int, ...]) -> BoardPlay:
            found = []
            for line in lines:
                steps: list[Step] = []
                for street, actions in enumerate(line):
                    if street:
                        steps.append(board[dealt[street - 1] : dealt[street]])
                    steps += [self._own(read_action(action)) for action in actions]
                found.append(self.strategy.at(steps)[1])
            most = max(map(len, found))
            table = np.zeros((len(lines), len(hands), most))
            for number, rows in enumerate(found):
                table[number, :, : len(rows)] = rows.T
            return BoardPlay(hands, table)

        return play

    def _find(self, public: tuple[str, ...]) -> AtNode:
        """Return what it does after a public history, at the end of which it must be to act."""
        events = [read_event(event) for event in public]
        steps = [event.cards if isinstance(event, DealEvent) else self._own(read_action(event)) for event in events]
        node, table = self.strategy.at(steps)
        if node.player != self.seat:
            raise InputError(f"seat {self.seat} is not to act after {':'.join(public) or 'the deal'}")
        return tuple([ActionEvent(self._at_table(action)) for action in node.actions]), table

    def _own(self, action: ActionEvent) -> BetAction:
        """Return an action at the table in chips of the run's game."""
        own = action.bet / self._scale if action.bet > CALL else Fraction(action.bet)
        if own.denominator != 1:
            raise InputError(f"{action} is no bet of {self.home} at these blinds")
        return int(own)

    def _at_table(self, action: BetAction) -> BetAction:
        """Return an action of the run's game in chips of the table."""
        return int(action * self._scale) if action > CALL else action


def _other_betting(table: Betting, home: Betting) -> str:
    """Return how the betting at a table differs from that of a game, the size of chips apart; "" if it does not."""
    scale = chip_scale(home, table)
    for field in dataclasses.fields(home):
        own, other = getattr(home, field.name), getattr(table, field.name)
        if field.name in ("stacks", "blinds", "limit"):
            own = scaled(own, scale)
        elif field.name == "ante":
            own *= scale
        if own != other and field.name == "rake":
            return "it was solved without rake"
        if own != other:
            return f"{field.name} must be {_told(own)}, not {_told(other)}"
    return ""


def _told(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)

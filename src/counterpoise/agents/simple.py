"""Agents without knowledge, the usual yardsticks (JOHANSON 2.2): they look at what is legal and at no card.

Actions are told apart by their labels: "f" folds, "c" (or "k") checks or calls, all others bet or raise; in Kuhn poker
"p" and "b" mean what the moves before make of them.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Literal

from counterpoise.agents.base import KnownAgent, agent
from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, TERMINAL, Action, Game, Observation, draw_chance, game_name
from counterpoise.games.kuhn import KuhnPoker
from counterpoise.parameters import require_choice

if TYPE_CHECKING:
    from counterpoise.agents.base import FloatArray
    from counterpoise.tree import Tree

FOLDS, CALLS = ("f", "fold"), ("c", "call", "k", "check")
BETS = re.compile(r"[br][\d.]*|bet.*|raise.*", re.IGNORECASE)


def fold_in(game: Game, actions: Sequence[Action], infoset: str) -> Action | None:
    """Return the action that gives up the hand, None if there is none."""
    if isinstance(game, KuhnPoker):
        return "p" if "b" in infoset.partition(":")[2] else None
    return next((action for action in actions if action.lower() in FOLDS), None)


def call_in(game: Game, actions: Sequence[Action], infoset: str) -> Action | None:
    """Return the action that checks or calls, None if there is none."""
    if isinstance(game, KuhnPoker):
        return "b" if "b" in infoset.partition(":")[2] else "p"
    return next((action for action in actions if action.lower() in CALLS), None)


def bets_in(game: Game, actions: Sequence[Action], infoset: str) -> list[Action]:
    """Return the actions that bet or raise, in the order of the menu: the smallest first."""
    if isinstance(game, KuhnPoker):
        return [] if "b" in infoset.partition(":")[2] else ["b"]
    return [action for action in actions if BETS.fullmatch(action)]


class TableAgent(KnownAgent):
    """An agent that goes by the legal actions and the name of the information set, in any seat."""

    @abstractmethod
    def weigh(self, game: Game, actions: Sequence[Action], infoset: str) -> Mapping[Action, float]:
        """Return its probabilities in an information set."""

    def mixed(self, observation: Observation) -> Mapping[Action, float]:
        """Return its probabilities of acting in one of several ways."""
        return self.weigh(self.game, observation.actions, observation.infoset)

    def tabulate(self, tree: Tree) -> FloatArray | None:
        """Return its strategy for all seats of an enumerated game as a flat array."""
        import numpy as np

        table = tree.table
        flat = np.ones(table.size)
        for start, actions, infoset in zip(table.start.tolist(), table.actions, table.labels, strict=True):
            chosen = self.weigh(tree.game, actions, infoset)
            flat[start : start + len(actions)] = [chosen.get(action, 0.0) for action in actions]
        return flat


class PokerAgent(TableAgent):
    """An agent that calls where it can do nothing better."""

    def prepare(self) -> None:
        """Refuse games without calls, by their first decision."""
        game, state, chance = self.game, self.game.initial(), Random(0)
        while (mover := game.player(state)) == CHANCE:
            state = game.next(state, draw_chance(game, state, chance))
        if mover == TERMINAL or call_in(game, game.actions(state), game.infoset(state)) not in game.actions(state):
            raise InputError(f"{self} plays games with checks and calls; {game_name(game)} has none")

    def weigh(self, game: Game, actions: Sequence[Action], infoset: str) -> Mapping[Action, float]:
        """Return its probabilities in an information set."""
        chosen = self.choose(game, actions, infoset)
        return {chosen if chosen is not None else call_in(game, actions, infoset) or actions[0]: 1.0}

    @abstractmethod
    def choose(self, game: Game, actions: Sequence[Action], infoset: str) -> Action | None:
        """Return what it does, None to check or call."""


@agent("always-call")
@dataclass
class AlwaysCall(PokerAgent):
    """Checks and calls, whatever happens."""

    def choose(self, game: Game, actions: Sequence[Action], infoset: str) -> Action | None:
        """Return None: it calls."""
        return None


@agent("always-fold")
@dataclass
class AlwaysFold(PokerAgent):
    """Folds to every bet and checks otherwise; loses 750 mbb per hand in heads-up hold'em."""

    def choose(self, game: Game, actions: Sequence[Action], infoset: str) -> Action | None:
        """Return the fold, None where nothing is owed."""
        return fold_in(game, actions, infoset)


@dataclass
class Raiser(PokerAgent):
    """What agents that raise have in common."""

    size: Literal["smallest", "largest"] = "smallest"
    """Which bet of the game's menu it makes, where there are several."""

    def __post_init__(self) -> None:
        require_choice(f"{self.registered_name}: size", self.size, ("smallest", "largest"))

    def choose(self, game: Game, actions: Sequence[Action], infoset: str) -> Action | None:
        """Return the bet that it makes, None where it cannot bet."""
        bets = bets_in(game, actions, infoset)
        return bets[0 if self.size == "smallest" else -1] if bets else None


@agent("always-raise")
@dataclass
class AlwaysRaise(Raiser):
    """Bets or raises whenever it may, and calls otherwise."""


@agent("probe")
@dataclass
class Probe(Raiser):
    """Never folds; calls and raises half of the time each where both are legal (JOHANSON 6.3)."""

    def weigh(self, game: Game, actions: Sequence[Action], infoset: str) -> Mapping[Action, float]:
        """Return its probabilities in an information set."""
        call, bet = call_in(game, actions, infoset) or actions[0], self.choose(game, actions, infoset)
        return {call: 1.0} if bet is None else {call: 0.5, bet: 0.5}


@agent("random")
@dataclass
class RandomAgent(TableAgent):
    """Plays every action of the game's menu equally often."""

    def weigh(self, game: Game, actions: Sequence[Action], infoset: str) -> Mapping[Action, float]:
        """Return equal probabilities."""
        return dict.fromkeys(actions, 1 / len(actions))

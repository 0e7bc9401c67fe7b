"""Trivial agents, the usual yardsticks: they look at the legal actions and at no card.

See Johanson 2016, section 2.6.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np

from counterpoise.agents.base import KnownAgent, agent
from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, LONGEST_MENU, TERMINAL, Action, Game, Observation, draw_chance, game_name
from counterpoise.games.moves import RAISE, SHARES, action_kinds, share_out
from counterpoise.parameters import require_choice

if TYPE_CHECKING:
    from counterpoise.agents.base import FloatArray
    from counterpoise.sampling import BettingTree, NodeStrategy
    from counterpoise.tree import Tree


class TableAgent(KnownAgent):
    """An agent that decides by the legal actions and the name of the information set, in any seat."""

    @abstractmethod
    def weigh(self, game: Game, actions: Sequence[Action], infoset: str) -> Mapping[Action, float]:
        """Return its probabilities in an information set."""

    def mixed(self, observation: Observation) -> Mapping[Action, float]:
        """Return the probabilities of its actions."""
        return self.weigh(self.game, observation.actions, observation.infoset)

    def tabulate(self, tree: Tree) -> FloatArray | None:
        """Return its strategy for all seats of an enumerated game as a flat array."""
        table = tree.table
        flat = np.ones(table.size)
        for start, actions, infoset in zip(table.start.tolist(), table.actions, table.labels, strict=True):
            chosen = self.weigh(tree.game, actions, infoset)
            flat[start : start + len(actions)] = [chosen.get(action, 0.0) for action in actions]
        return flat

    def betting_table(self, tree: BettingTree) -> NodeStrategy | None:
        """Return its strategy for all seats by betting node, if it looks at no card."""
        from counterpoise.sampling import NodeStrategy

        kind = type(self)
        if not self.ignores_cards or kind.mixed is not TableAgent.mixed or kind.act is not KnownAgent.act:
            return None  # it may play otherwise than by `weigh`
        return NodeStrategy.without_cards(tree, lambda actions: self.weigh(tree.game, actions, ""))


class PokerAgent(TableAgent):
    """A trivial agent of poker: what is not legal becomes a check or a call."""

    ignores_cards = True

    def prepare(self) -> None:
        """Refuse games without calls, by their first decision."""
        game, state, chance = self.game, self.game.initial(), Random(0)
        while (mover := game.player(state)) == CHANCE:
            state = game.next(state, draw_chance(game, state, chance))
        if mover == TERMINAL or action_kinds(game, game.infoset(state), game.actions(state)) is None:
            raise InputError(f"{self} plays games with checks and calls; {game_name(game)} has none")

    def weigh(self, game: Game, actions: Sequence[Action], infoset: str) -> Mapping[Action, float]:
        """Return its probabilities in an information set."""
        kinds = action_kinds(game, infoset, actions)
        if kinds is None:
            raise InputError(f"{self} plays games with checks and calls, not {', '.join(actions)}")
        spread = _spread if len(actions) <= LONGEST_MENU else _spread.__wrapped__
        return spread(self.registered_name, kinds, tuple(actions))


@lru_cache(maxsize=4096)
def _spread(name: str, kinds: tuple[int, ...], actions: tuple[Action, ...]) -> Mapping[Action, float]:
    """Return what a trivial agent does with actions of these kinds."""
    shares = share_out(SHARES[name], kinds)
    return MappingProxyType({action: share for action, share in zip(actions, shares, strict=True) if share > 0})


@agent("always-call")
@dataclass
class AlwaysCall(PokerAgent):
    """Checks and calls, whatever happens."""


@agent("always-fold")
@dataclass
class AlwaysFold(PokerAgent):
    """Folds to every bet and checks otherwise; loses 750 mbb per hand in heads-up hold'em."""


@dataclass
class Raiser(PokerAgent):
    """What agents that raise have in common."""

    size: Literal["smallest", "largest"] = "smallest"
    """Which bet of the game's menu it makes."""

    def __post_init__(self) -> None:
        require_choice(f"{self.registered_name}: size", self.size, ("smallest", "largest"))

    def weigh(self, game: Game, actions: Sequence[Action], infoset: str) -> Mapping[Action, float]:
        """Return its probabilities in an information set."""
        if self.size == "largest":
            kinds = action_kinds(game, infoset, actions) or ()
            bets = [action for action, kind in zip(actions, kinds, strict=False) if kind == RAISE]
            actions = [action for action in actions if action not in bets[:-1]]
        return super().weigh(game, actions, infoset)


@agent("always-raise")
@dataclass
class AlwaysRaise(Raiser):
    """Bets or raises whenever it may, and calls otherwise."""


@agent("probe")
@dataclass
class Probe(Raiser):
    """Never folds; calls and raises half of the time each where both are legal (Johanson 2016, section 6.3)."""


@agent("random")
@dataclass
class RandomAgent(TableAgent):
    """Plays every action of the game's menu equally often."""

    ignores_cards = True

    def weigh(self, game: Game, actions: Sequence[Action], infoset: str) -> Mapping[Action, float]:
        """Return equal probabilities."""
        return dict.fromkeys(actions, 1 / len(actions))

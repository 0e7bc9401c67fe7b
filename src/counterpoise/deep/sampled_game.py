"""What methods that learn from samples need of a game, whatever its representation.

An information set is found by a key, a row of whole numbers. Networks read `encode(keys)` and have one output for each
of the game's `actions`; `legal(keys)` says which of them there are. A policy returns the probabilities of all actions
for the keys of one player. Two representations follow this contract: enumerated games (`enumerated.py`) and hands of
hold'em that are dealt and walked in lock-step (`dealt.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.integer[Any]]
Rows = NDArray[np.floating[Any]]
Policy = Callable[[int, Keys], Rows]
"""The probabilities [key, action] with which a player acts at its infosets."""


class SampledWalk(NamedTuple):
    """What traversals have sampled: advantages of the traverser and strategies of its opponent, each with keys."""

    keys: Keys
    advantages: Rows
    other_keys: Keys
    strategies: Rows
    touched: int
    """Nodes touched, those of chance and terminals included."""


class Episodes(NamedTuple):
    """The decisions of games that were played to their ends, one row each."""

    keys: Keys
    action: NDArray[np.int32]
    """The action that was played, as a number of `SampledGame.actions`."""
    seat: NDArray[np.int8]
    learning: NDArray[np.bool_]
    """Whether the seat played the whole episode by the first of two policies."""
    reward: Rows
    """At the last decision of a seat what it received at the end, in units of the largest payoff; 0 before."""
    following: NDArray[np.int64]
    """The row of the seat's next decision in the episode, -1 after its last."""
    touched: int
    """Nodes touched, those of chance and terminals included."""


class CardLayout(NamedTuple):
    """An encoding of hold'em: groups of cards with the same number of inputs each, then the inputs of bets."""

    groups: int
    card_inputs: int
    bet_inputs: int


class SampledGame(ABC):
    """A two-player game as samplers and networks see it."""

    name: str
    actions: tuple[str, ...]
    """What the outputs of a network stand for."""
    key_width: int
    key_type: type[np.integer[Any]]
    inputs: int
    """Numbers of an encoding."""
    unit: float
    """What payoffs are divided by before anything learns from them: the most that a player can win or lose, unless an
    enumerated game is given another unit."""

    @property
    def card_layout(self) -> CardLayout | None:
        """Where cards and bets stand in an encoding; None for a game without cards of hold'em."""
        return None

    @abstractmethod
    def encode(self, keys: Keys) -> NDArray[np.float32]:
        """Return what networks read of infosets [key, input]."""

    @abstractmethod
    def legal(self, keys: Keys) -> NDArray[np.bool_]:
        """Return which actions there are at infosets [key, action]."""

    @abstractmethod
    def require_keys(self, keys: Keys) -> None:
        """Refuse keys that are not of information sets of this game; nothing else looks at what they are."""

    @abstractmethod
    def walk(self, traverser: int, count: int, policy: Policy, random: NDArray[np.uint64]) -> SampledWalk:
        """Return what `count` external-sampling traversals find (Brown 2020, section 4.1.2).

        Payoffs are divided by `unit`: regret matching does not depend on the unit, the speed of fitting does.
        """

    @abstractmethod
    def play(self, count: int, policies: tuple[Policy, Policy], share: float, random: NDArray[np.uint64]) -> Episodes:
        """Return the decisions of `count` games between two seats.

        In each game a seat plays by the first policy with probability `share`, else by the second.
        """

    @abstractmethod
    def exploitability(self, policy: Policy) -> float | None:
        """Return NashConv / 2 of a policy by exact best responses, in the game's own unit; None if that is too much."""

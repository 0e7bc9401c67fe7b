"""A node of a solved spot, seen with the ranges that arrive there: strategy, EV and equity of every hand.

Units: chips; shares and probabilities from 0 to 1. EV is the mean winnings of a hand from here on: chips that a player
has put in before belong to the pot, so folding has EV 0. At the root it is the share of the starting pot.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BetAction
from counterpoise.betting.sizes import label
from counterpoise.betting.words import PLAYERS, describe, seat_of
from counterpoise.cards import Range, format_cards
from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.public import BelowNode, NodeValues, PublicNode
from counterpoise.public.showdowns import showdown_equities
from counterpoise.public.thresholds import LEAST_ARRIVING
from counterpoise.spots.paths import SpotPlace, next_cards
from counterpoise.spots.rivers import StoredStrategies
from counterpoise.spots.spot import Spot
from counterpoise.store.json import plain_json

if TYPE_CHECKING:
    import pandas as pd

    from counterpoise.spots.card_report import CardReport
    from counterpoise.spots.grid import Grid

Numbers = NDArray[np.float64]
Reaches = tuple[Numbers, Numbers]


class Node(ABC):
    """What decisions and deals share: the board, the pot, both ranges and equities."""

    def __init__(
        self,
        spot: Spot,
        stored: StoredStrategies,
        at: PublicNode,
        places: Sequence[SpotPlace],
        node: Callable[[str], Decision | Deal],
    ) -> None:
        """`places` lead from where the strategies begin to the node; `node` finds other nodes by their ids."""
        self.spot, self.stored, self.at, self.places, self.node = spot, stored, at, places, node
        self.place = place = places[-1]
        self.game = stored.game
        first, second = (np.asarray(~np.isin(hands, list(place.cards)).any(axis=1)) for hands in self.game.hands)
        self.live: tuple[NDArray[np.bool_], NDArray[np.bool_]] = (first, second)
        reach = at.reach(stored.at(at))
        self.reaches: Reaches = (reach[0] * first, reach[1] * second)
        """Range weights times own action probabilities on the path."""

    def to_json(self) -> dict[str, Any]:
        """Return what the node shows in the types of JSON; null for what is not known."""
        names = ("id", "board", "player", "pot", "reached")
        return {name: plain_json(getattr(self, name)) for name in names}

    @property
    def id(self) -> str:
        """The node's id, such as ``r:0:b50:c:8h``."""
        return self.place.id

    @property
    def board(self) -> str:
        """The cards on the board."""
        return format_cards(self.place.cards)

    @property
    def pot(self) -> int:
        """All chips in the middle."""
        return self.spot.betting.total_pot(self.place.state)

    @property
    def player(self) -> str:
        """The player to act: "oop", "ip", or "chance" where a card is dealt."""
        seat = self.place.state.to_act
        return PLAYERS[seat] if seat >= 0 else "chance"

    def range(self, player: str) -> dict[str, float]:
        """Return the weight from 0 to 1 of every hand with which a player arrives here."""
        seat = seat_of(player)
        names = self.hand_names[seat]
        return {names[k]: float(self.reaches[seat][k]) for k in np.flatnonzero(self.reaches[seat])}

    def equity(self, hand: str | None = None, player: str | None = None) -> float:
        """Return the share of the pot that a hand (or the whole range) wins if both check to the end, from 0 to 1."""
        seat = self._seat_of(player)
        return self._mean(self.equities[seat], seat, hand)

    def ev(self, hand: str | None = None, player: str | None = None) -> float:
        """Return the EV of a hand, or of the whole range, of a player (default: the one to act), in chips."""
        seat = self._seat_of(player)
        return self._mean(self.evs[seat], seat, hand)

    @cached_property
    def evs(self) -> Reaches:
        """EV of every hand of both players; nan where it can meet no hand of the opponent."""
        return self._in_chips(self._worth[0], 0), self._in_chips(self._worth[1], 1)

    @property
    @abstractmethod
    def _worth(self) -> Reaches:
        """Counterfactual value of every hand of both players."""

    def _in_chips(self, values: Numbers, seat: int) -> Numbers:
        mass = np.where(self.masses[seat] > 0, self.masses[seat], np.nan)
        return np.asarray(values / mass + self.spot.pot / 2 + self.place.state.paid[seat])

    def decision(self, id: str) -> Decision:
        """Return another node of the same solution, where a player must act."""
        found = self.node(id)
        if not isinstance(found, Decision):
            raise InputError(f"node {id!r} deals a card: nobody acts there")
        return found

    def over_cards(self) -> CardReport:
        """Return this betting on every card: at a deal those that may come, below one its last card exchanged."""
        from counterpoise.spots.card_report import card_report

        return card_report(self)

    def plot_over_cards(self, path: str | os.PathLike[str]) -> Path:
        """Draw `over_cards` into a PNG, SVG or PDF file."""
        return self.over_cards().plot(path)

    @cached_property
    def masses(self) -> Reaches:
        """The weight of the opponent's hands that each hand of each player can meet here."""
        return known_mass(self.at, 0, self.reaches[1]), known_mass(self.at, 1, self.reaches[0])

    @property
    def reached(self) -> bool:
        """Whether both players arrive here; if not, the strategies are those of early iterations, or nan."""
        whole = [float(own.weights.sum()) for own in self.spot.ranges]
        arrive = [float(own.sum()) > LEAST_ARRIVING * total for own, total in zip(self.reaches, whole, strict=True)]
        return all(arrive) and self.pair_mass > 0

    @property
    def pair_mass(self) -> float:
        """The weight of all pairs of hands that can meet here."""
        return float(self.reaches[0] @ self.masses[0])

    @cached_property
    def equities(self) -> Reaches:
        """The equity of every hand of both players; nan where it can meet no hand of the opponent."""
        return showdown_equities(self.game, self.place.cards, self.reaches)

    @property
    def hand_names(self) -> tuple[list[str], list[str]]:
        """The hands of both players, in the game's order."""
        return self.stored.hand_names

    def _seat_of(self, player: str | None) -> int:
        return max(self.place.state.to_act, 0) if player is None else seat_of(player)

    def weights(self, seat: int) -> Numbers:
        """Return the weight of each hand of a player here; where none arrives, all live hands weigh the same."""
        weights = self.reaches[seat] * self.masses[seat]
        return weights if weights.any() else self.live[seat].astype(np.float64)

    def _mean(self, numbers: Numbers, seat: int, hand: str | None = None) -> float:
        """Return the mean over a player's range (nan if no hands meet here), or over the hands that a text names."""
        if hand is None and not self.pair_mass > 0:
            return float("nan")
        chosen = self.live[seat] if hand is None else self._chosen(hand, seat)
        known = chosen & np.isfinite(numbers)
        if not known.any():
            return float("nan")
        weights = self.weights(seat)[known]
        if not weights.any():
            weights = np.ones(len(weights))
        return float(weights @ numbers[known] / weights.sum())

    def _chosen(self, hand: str, seat: int) -> NDArray[np.bool_]:
        """Return the hands of a player that a text names: ``AhKh``, ``AKs`` or any range in words."""
        if not isinstance(hand, str):
            raise InputError(f"a hand is a text such as 'AhKh', not {shown(hand)}")
        deck = self.spot.card_deck
        named = Range.from_string(hand, deck).weights > 0
        low, high = self.game.hands[seat].T
        chosen = named[deck.hand_table[low, high]] & self.live[seat]
        if not chosen.any():
            raise InputError(f"{hand} is not in the range of {PLAYERS[seat]} on board {self.board}")
        return np.asarray(chosen)


class Decision(Node):
    """A node where a player acts."""

    @property
    def actions(self) -> tuple[str, ...]:
        """The labels of node ids: "f", "c", and "b" with the total put in since the root."""
        return tuple(label(action) for action in self.raw_actions)

    @property
    def action_names(self) -> tuple[str, ...]:
        """The actions in words: "check", "bet 50", "raise to 150", "all-in 400"."""
        state, betting = self.place.state, self.spot.betting
        return tuple(describe(action, state, betting) for action in self.raw_actions)

    @property
    def frequencies(self) -> dict[str, float]:
        """The frequency of each action here, over all hands weighted by their reach."""
        return self._by_action(self.probabilities)

    def strategy(self, hand: str) -> dict[str, float]:
        """Return the probability of each action with a hand such as ``AhKh``; for ``AKs`` or a range, the mean."""
        return self._by_action(self.probabilities, hand)

    def action_evs(self, hand: str | None = None) -> dict[str, float]:
        """Return the EV of each action with a hand or with the whole range, in chips."""
        return self._by_action(self.worth_of_actions, hand)

    def _by_action(self, rows: Numbers, hand: str | None = None) -> dict[str, float]:
        seat = self.place.state.to_act
        return {name: self._mean(row, seat, hand) for name, row in zip(self.actions, rows, strict=True)}

    def to_json(self) -> dict[str, Any]:
        """Return what the node shows in the types of JSON; null for what is not known."""
        figures = {
            "actions": self.actions,
            "frequencies": list(self.frequencies.values()),
            "ev": {player: self.ev(player=player) for player in PLAYERS},
            "equity": {player: self.equity(player=player) for player in PLAYERS},
            "hands": self.rows(),
        }
        return super().to_json() | {name: plain_json(figure) for name, figure in figures.items()}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per hand of the player to act: weight, strategy, EV, EV of each action, equity."""
        seat = self.place.state.to_act
        found = []
        for k in np.flatnonzero(self.live[seat]):
            row: dict[str, Any] = {"hand": self.hand_names[seat][k], "weight": float(self.reaches[seat][k])}
            row |= {name: float(self.probabilities[a, k]) for a, name in enumerate(self.actions)}
            row |= {"ev": float(self.evs[seat][k])}
            row |= {f"ev {name}": float(self.worth_of_actions[a, k]) for a, name in enumerate(self.actions)}
            found.append(row | {"equity": float(self.equities[seat][k])})
        return found

    def to_frame(self) -> pd.DataFrame:
        """Return `rows` as a pandas table."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def grid(self) -> Grid:
        """Return the 13 x 13 grid of this node; print it, or print it with rich for colours."""
        from counterpoise.spots.grid import make_grid

        return make_grid(self)

    def plot_grid(self, path: str | os.PathLike[str]) -> Path:
        """Draw the grid, actions and EV, into a PNG, SVG or PDF file."""
        return self.grid().draw(path)

    def children(self) -> list[str]:
        """Return the ids after each action, those that end the hand included."""
        return [f"{self.id}:{action}" for action in self.actions]

    @cached_property
    def probabilities(self) -> Numbers:
        """The average strategy of the player to act: one row per action, hands in the game's order."""
        return self.at.strategy(self.stored.at(self.at))

    @cached_property
    def _worth(self) -> Reaches:
        return self._values.node[0], self._values.node[1]

    @cached_property
    def worth_of_actions(self) -> Numbers:
        """EV of every hand of the player to act, one row per action."""
        return self._in_chips(self._values.actions, self.place.state.to_act)

    @cached_property
    def _values(self) -> NodeValues:
        return self.stored.values(self.at)

    @property
    def raw_actions(self) -> tuple[BetAction, ...]:
        """The actions as the betting rules number them."""
        return self.at.actions


class Deal(Node):
    """A node where the next card of the board is dealt."""

    @cached_property
    def _worth(self) -> Reaches:
        below = BelowNode(self.at, self.stored.below(self.at))
        return below.values(0, self.reaches[1]), below.values(1, self.reaches[0])

    def to_json(self) -> dict[str, Any]:
        """Return what the node shows in the types of JSON; null for what is not known."""
        ev = {player: plain_json(self.ev(player=player)) for player in PLAYERS}
        return super().to_json() | {"cards": self.cards, "ev": ev}

    @property
    def cards(self) -> list[str]:
        """The cards that may come, high ones first."""
        return [format_cards([card]) for card in next_cards(self.spot, self.place.cards)]

    def children(self) -> list[str]:
        """Return the ids after each card."""
        return [f"{self.id}:{card}" for card in self.cards]


def known_mass(node: PublicNode, player: int, reach: Numbers) -> Numbers:
    """Return, for each hand of a player, the mass of the other's reach that it can meet."""
    mass = node.mass(player, reach)
    # What rounding leaves of a difference of equal sums is no mass; profiles hold single precision.
    return np.asarray(np.where(mass > LEAST_ARRIVING * max(reach.sum(), 1e-300), mass, 0.0))

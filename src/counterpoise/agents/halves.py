"""Agents with a blueprint for each seat: the two halves of an asymmetric action abstraction.

See Brown 2020, sections 6.2 and 6.3.

Each seat has a solve of its own, in which the opponent has more bets to choose from than the agent; the agent plays its
own half of each. The other half is used only for the ranges of its own game, and values of two halves are never mixed.
A folder has `seat-0.cpz` and `seat-1.cpz`, or `blueprint.cpz` where one serves both seats.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from counterpoise.agents.base import Agent
from counterpoise.agents.blueprint_strategy import BOTH_SEATS, half_file
from counterpoise.agents.searching import SearchingAgent
from counterpoise.blueprint import load_blueprint
from counterpoise.errors import InputError
from counterpoise.games.holdem import NoLimitHoldem

if TYPE_CHECKING:
    from counterpoise.blueprint import Blueprint


def load_halves(name: str, path: str) -> tuple[Blueprint, ...]:
    """Return the blueprints in a file or a folder: one for both seats, or one per seat; `name` is for messages."""
    if not path:
        raise InputError(
            f"{name}: name the folder or file of its blueprints after a colon; counterpoise train-agent {name} makes it"
        )
    place = Path(path)
    if not place.is_dir():
        return (load_blueprint(place),)
    if (place / BOTH_SEATS).is_file():
        return (load_blueprint(place / BOTH_SEATS),)
    found = tuple([load_blueprint(place / half_file(seat)) for seat in range(2)])
    games = [_neutral(half) for half in found]
    if games[0] != games[1] or found[0].players != 2:
        raise InputError(f"{name}: {path} has blueprints of different games, {games[0]} and {games[1]}")
    return found


@dataclass
class HalvesAgent(SearchingAgent):
    """An agent with one blueprint per seat, or one for both; unless it says otherwise it never searches.

    Bets that the blueprint lacks are translated by the pseudo-harmonic mapping.
    """

    thinks = False

    def _load(self) -> Blueprint:
        self.halves = tuple([self.processed(half) for half in load_halves(self.registered_name, self.file)])
        return self.halves[0]

    @classmethod
    def training(cls) -> str:
        """Return the command that trains its blueprints; the package has none."""
        return f"by counterpoise train-agent {cls.registered_name}, into a folder that it is given"

    def processed(self, half: Blueprint) -> Blueprint:
        """Return the form in which a blueprint is played."""
        return half

    @property
    def home(self) -> str:
        """The game that it was made for, with the usual menu if its halves have menus of their own."""
        return self.blueprint.game.name if len(self.halves) == 1 else _neutral(self.halves[0])

    @property
    def strategy_id(self) -> str:
        """The name and the first digits of a SHA-256 of its blueprints."""
        digests = "".join([half.digest for half in self.halves])
        return f"{self.name}@{hashlib.sha256(digests.encode()).hexdigest()[:12]}"

    def prepare(self) -> None:
        """Take the half of the seat, and refuse a game that it is not for."""
        self.blueprint = self.halves[min(self.seat, len(self.halves) - 1)]
        super().prepare()

    def without_search(self) -> Agent | None:
        """Return None: it never searches."""
        return None


def _neutral(half: Blueprint) -> str:
    """Return the name of a blueprint's game with the usual menu."""
    game = half.game
    if not isinstance(game, NoLimitHoldem):
        return game.name
    return replace(game, sizes=NoLimitHoldem.sizes, max_bets=None, button_sizes=None).name

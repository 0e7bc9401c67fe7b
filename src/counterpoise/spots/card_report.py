"""One betting line over all cards that may come: action frequencies, EV and equity, card by card."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoise.betting.sizes import node_id
from counterpoise.betting.words import PLAYERS, action_kind
from counterpoise.cards import format_card
from counterpoise.errors import InputError
from counterpoise.plots.card_bars import CardBar, card_bars
from counterpoise.plots.grid import GridAction, action_colours
from counterpoise.spots.paths import SpotPlace, next_cards

if TYPE_CHECKING:
    from counterpoise.spots.node import Node


@dataclass(frozen=True)
class CardRow:
    """One card: its probability, action frequencies there, EV in chips and equity by player."""

    card: str
    probability: float
    frequencies: dict[str, float]
    ev: dict[str, float]
    equity: dict[str, float]


@dataclass(frozen=True)
class CardReport:
    """All cards at one point of the betting, high cards first."""

    node: str
    player: str
    actions: tuple[str, ...]
    action_names: tuple[str, ...]
    rows: list[CardRow]
    colours: list[str]

    @property
    def frequencies(self) -> dict[str, float]:
        """The frequency of each action over all cards, weighted by their probabilities."""
        return {name: sum(row.probability * row.frequencies[name] for row in self.rows) for name in self.actions}

    def to_rows(self) -> list[dict[str, Any]]:
        """Return flat rows, one per card."""
        return [
            {"card": row.card, "probability": row.probability}
            | row.frequencies
            | {f"ev {player}": row.ev[player] for player in PLAYERS}
            | {f"equity {player}": row.equity[player] for player in PLAYERS}
            for row in self.rows
        ]

    def plot(self, path: str | os.PathLike[str]) -> Path:
        """Draw stacked bars of the actions and both players' EV per card, as PNG, SVG or PDF."""
        mean = self.frequencies
        actions = [
            GridAction(name, colour, mean[action])
            for name, colour, action in zip(self.action_names, self.colours, self.actions, strict=True)
        ]
        bars = [CardBar(row.card, tuple(row.frequencies.values()), row.ev) for row in self.rows]
        title = f"{self.node}   {self.player.upper()} to act, card by card"
        return card_bars(bars, actions, path, title=title, value_label="EV in chips")


def card_report(node: Node) -> CardReport:
    """Return the decision at or right after a node on every card that could be dealt in place of the last one."""
    decisions = [found for found in map(node.decision, _ids(node)) if found.pair_mass > 0]
    if not decisions:
        raise InputError(f"node {node.id!r} is never reached: there is no card to report on")
    total = sum(decision.pair_mass for decision in decisions)
    rows = [
        CardRow(
            format_card(decision.place.cards[-1]),
            decision.pair_mass / total,
            decision.frequencies,
            {player: decision.ev(player=player) for player in PLAYERS},
            {player: decision.equity(player=player) for player in PLAYERS},
        )
        for decision in decisions
    ]
    first = decisions[0]
    colours = action_colours([action_kind(action) for action in first.raw_actions])
    return CardReport(node.id, first.player, first.actions, first.action_names, rows, colours)


def last_deal(place: SpotPlace) -> int:
    """Return the number of the step to a place that is its last deal, or the next one; refused if there is none."""
    if place.dealing:
        return len(place.steps)
    deals = [at for at, step in enumerate(place.steps) if isinstance(step, str)]
    if not deals:
        raise InputError(f"node {place.id!r} comes before any deal: name a node where a street has ended, or later")
    return deals[-1]


def _ids(node: Node) -> list[str]:
    """Return the node's id with every possible card at its last deal; at a deal, followed by every card."""
    steps, cards = node.place.steps, node.place.cards
    at = last_deal(node.place)
    before = cards if at == len(steps) else cards[:-1]
    return [node_id((*steps[:at], format_card(card), *steps[at + 1 :])) for card in next_cards(node.spot, before)]

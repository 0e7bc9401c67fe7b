"""Locked strategies: from the words of a user to a probability per action for single hands at one node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from counterpoise.betting.rules import BetAction, Betting, BettingState
from counterpoise.betting.sizes import read_node
from counterpoise.betting.words import PLAYERS, action_names
from counterpoise.cards import Range, format_card, parse_card
from counterpoise.errors import InputError
from counterpoise.names import suggest
from counterpoise.parameters import shown
from counterpoise.seats import CHANCE

if TYPE_CHECKING:
    from counterpoise.spots.spot import Spot, SpotLock

TOLERANCE = 1e-6


class NodeLock(NamedTuple):
    """A node, by the actions and cards that lead to it, and the strategy of single hands there."""

    steps: tuple[BetAction | str, ...]
    player: int
    actions: tuple[BetAction, ...]
    hands: dict[int, tuple[float, ...]]
    """Hand index of the deck -> a probability per action."""


def read_lock(where: str, entry: SpotLock, spot: Spot) -> NodeLock:
    """Return the lock of one node; `where` begins every complaint. Later hands override earlier ones, as in ranges."""
    betting, sizes, ranges, node = spot.betting, spot.sizes, spot.ranges, entry.node
    try:
        found = read_node(betting, node, sizes)
        cards = check_dealt(node, found.cards, spot.cards, ranges[0])
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    state = found.state
    if state.to_act < 0:
        what = "a card is dealt" if state.to_act == CHANCE else "the hand is over"
        raise InputError(f"{where}: nobody acts at node {node!r}: {what}")
    actions = sizes.actions(betting, state)
    own = ranges[state.to_act]
    live = own.weights * own.deck.live_hands(cards) > 0
    hands: dict[int, tuple[float, ...]] = {}
    for text, wishes in entry.strategy.items():
        place = f"{where}: strategy.{text}"
        row = _probabilities(place, wishes, actions, betting, state)
        try:
            named = Range.from_string(text, own.deck).weights
        except InputError as error:
            raise InputError(f"{place}: {error}") from None
        if np.any((named > 0) & (named < 1)):
            raise InputError(f"{place}: hands that are locked have no weights")
        chosen = np.flatnonzero((named > 0) & live)
        if not len(chosen):
            raise InputError(f"{place}: no such hand is in the range of {PLAYERS[state.to_act]} at node {node!r}")
        hands |= dict.fromkeys(chosen.tolist(), row)
    return NodeLock(found.steps, state.to_act, actions, hands)


def check_dealt(node: str, dealt: Sequence[str], board: Sequence[int], own: Range) -> tuple[int, ...]:
    """Return the board at a node whose id deals these cards; refused if one is on the board already."""
    cards = list(board)
    for text in dealt:
        try:
            card = parse_card(text, own.deck)
        except InputError as error:
            raise InputError(f"node {node!r}: {error}") from None
        if card in cards:
            raise InputError(f"node {node!r}: {format_card(card)} is on the board already")
        cards.append(card)
    return tuple(cards)


def _probabilities(
    place: str, wishes: Mapping[str, float], actions: tuple[BetAction, ...], betting: Betting, state: BettingState
) -> tuple[float, ...]:
    names = action_names(actions, betting, state)
    row = np.zeros(len(actions))
    for name, probability in wishes.items():
        if name not in names:
            raise InputError(f"{place}: {name!r} is no action here: {suggest(name, names)}")
        if not 0 <= probability <= 1:
            raise InputError(f"{place}.{name} must be a probability from 0 to 1, not {shown(probability)}")
        row[names[name]] += probability
    if abs(row.sum() - 1) > TOLERANCE:
        raise InputError(f"{place}: the probabilities must sum to 1, not to {row.sum():g}")
    return tuple((row / row.sum()).tolist())

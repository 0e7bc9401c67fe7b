"""Find the place in a spot that a node id names: the actions and cards on its path, the board and the betting."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from counterpoise.betting.rules import BetAction, BettingState
from counterpoise.betting.sizes import BetSizes, NodePath, label, node_id, read_node
from counterpoise.cards import parse_card
from counterpoise.errors import InputError
from counterpoise.public import HoldemGame, PublicNode
from counterpoise.seats import CHANCE, TERMINAL
from counterpoise.spots.locks import check_dealt
from counterpoise.spots.spot import Spot

LONGEST_ID = 1000
"""The most letters of a node id."""


class SpotPlace(NamedTuple):
    """A decision or a deal of a spot, whether or not a tree has it."""

    cards: tuple[int, ...]
    """The whole board there."""
    state: BettingState
    steps: tuple[BetAction | str, ...]

    @property
    def id(self) -> str:
        """The node's id."""
        return node_id(self.steps)

    @property
    def dealing(self) -> bool:
        """Whether a card is dealt here."""
        return self.state.to_act == CHANCE


def find(spot: Spot, node: str) -> list[SpotPlace]:
    """Return the places from the root to a node, the node last; refused if the hand is over there."""
    _check_id(node)
    return _places(spot, node, read_node(spot.betting, node, spot.sizes))


def find_below(spot: Spot, start: SpotPlace, id: str, sizes: BetSizes) -> list[SpotPlace]:
    """Return the places from where a search with given bet sizes begins to a node."""
    _check_id(id)
    found = read_node(spot.betting, id)
    if found.steps[: len(start.steps)] != start.steps:
        raise InputError(f"node {id!r} is not below {start.id}, where the search begins")
    places = _places(spot, id, found)[len(start.steps) :]
    for place, after in pairwise(places):
        if not place.dealing:
            require_action(id, after.steps[-1], sizes.actions(spot.betting, place.state))
    return places


def require_action(id: str, step: BetAction | str, actions: Sequence[BetAction]) -> None:
    """Refuse an action on the path to a node that the tree lacks."""
    if step not in actions:
        known = ", ".join(label(action) for action in actions)
        raise InputError(
            f"node {id!r}: {step if isinstance(step, str) else label(step)!r} is not in the tree here, only {known}"
        )


def extend(spot: Spot, place: SpotPlace, action: BetAction) -> SpotPlace:
    """Return the place where the other player acts after a bet that need not be in any tree."""
    return SpotPlace(place.cards, spot.betting.apply(place.state, action), (*place.steps, action))


def public_node(game: HoldemGame, place: SpotPlace, begun: int = 0) -> PublicNode:
    """Return the node of a game at a place, whose steps number `begun` is the first of that game."""
    node = game.root
    for step in place.steps[begun:]:
        if isinstance(step, str):
            node = node.deal(parse_card(step, game.deck))
        else:
            require_action(place.id, step, node.actions)
            node = node.child(step)
    return node


def next_cards(spot: Spot, cards: Sequence[int]) -> list[int]:
    """Return the cards of the deck that are not on the board, high cards first."""
    return [int(card) for card in spot.card_deck.cards[::-1] if card not in cards]


def _places(spot: Spot, node: str, found: NodePath) -> list[SpotPlace]:
    """Return the places from the root to a node that was read; refused if cards clash or the hand is over there."""
    cards, board = check_dealt(node, found.cards, spot.cards, spot.ranges[0]), len(spot.cards)
    places = [SpotPlace(spot.cards, found.states[0], ())]
    for number, (step, state) in enumerate(zip(found.steps, found.states[1:], strict=True), 1):
        if state.to_act == TERMINAL:
            end = "it is folded" if len(state.live) == 1 else "only the showdown is left"
            raise InputError(f"node {node!r} is the end of the hand, {end}: nobody has a decision there")
        board += isinstance(step, str)
        places.append(SpotPlace(cards[:board], state, found.steps[:number]))
    return places


def _check_id(id: str) -> None:
    if not isinstance(id, str) or len(id) > LONGEST_ID:
        raise InputError(f"a node is named by its id, such as 'r:0:b50', not {id!r:.60}")

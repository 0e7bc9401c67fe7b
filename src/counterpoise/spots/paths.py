"""From a node id to a place in the engine's lines: which line, which decision, which board, which betting state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from counterpoise.betting.rules import BetAction, BettingState
from counterpoise.betting.sizes import label, node_id, read_node
from counterpoise.errors import InputError
from counterpoise.games import TERMINAL
from counterpoise.public.lines import Line
from counterpoise.spots.locks import check_dealt
from counterpoise.spots.spot import Spot

DEALING = -1
LONGEST_ID = 1000
"""In letters."""


class Place(NamedTuple):
    """A decision, or a deal (`decision` is `DEALING` and `line` the line that begins after it)."""

    line: int
    decision: int
    cards: tuple[int, ...]
    """The whole board there."""
    state: BettingState
    steps: tuple[BetAction | str, ...]

    @property
    def id(self) -> str:
        """The node's id."""
        return node_id(self.steps)


def find(spot: Spot, lines: Sequence[Line], node: str) -> list[Place]:
    """The places on the way from the root to the node, the node last; refused if the hand is over there."""
    _check_id(node)
    found = read_node(spot.betting, node, spot.sizes)
    check_dealt(node, found.cards, spot.cards, spot.ranges[0])
    places = [Place(0, 0, spot.cards, spot.betting.initial(), ())]
    for step in found.steps:
        places.append(after(spot, lines, places[-1], step, node))
    return places


def after(spot: Spot, lines: Sequence[Line], place: Place, step: BetAction | str, node: str) -> Place:
    """The place that a step leads to; `node` is the id that is being looked for."""
    steps = (*place.steps, step)
    if isinstance(step, str):
        (*_, card) = check_dealt(node, [step], place.cards, spot.ranges[0])
        return Place(place.line, 0, (*place.cards, card), spot.betting.deal(place.state), steps)
    state = spot.betting.apply(place.state, step)
    if state.to_act == TERMINAL:
        end = "it is folded" if len(state.live) == 1 else "only the showdown is left"
        raise InputError(f"node {node!r} is the end of the hand, {end}: nobody has a decision there")
    if (place.decision, step) not in lines[place.line].children:
        known = [label(action) for action in lines[place.line].decisions[place.decision].actions]
        raise InputError(f"node {node!r}: {label(step)!r} is not in the tree here, only {', '.join(known)}")
    kind, number = lines[place.line].children[place.decision, step]
    if kind == "decision":
        return Place(place.line, number, place.cards, state, steps)
    return Place(lines[place.line].leaves[number].line, DEALING, place.cards, state, steps)


def find_below(spot: Spot, start: Place, lines: Sequence[Line], id: str) -> list[Place]:
    """The places on the way from where a search begins to a node."""
    _check_id(id)
    found = read_node(spot.betting, id)
    if found.steps[: len(start.steps)] != start.steps:
        raise InputError(f"node {id!r} is not below {start.id}, where the search begins")
    places = [start._replace(line=0, decision=0)]
    for step in found.steps[len(start.steps) :]:
        places.append(after(spot, lines, places[-1], step, id))
    return places


def extend(spot: Spot, place: Place, action: BetAction) -> Place:
    """Where the other player acts after a bet that the tree of `place` need not have."""
    return Place(0, 0, place.cards, spot.betting.apply(place.state, action), (*place.steps, action))


def next_cards(spot: Spot, cards: Sequence[int]) -> list[int]:
    """The cards of the deck that are not on the board, high cards first."""
    return [int(card) for card in spot.card_deck.cards[::-1] if card not in cards]


def _check_id(id: str) -> None:
    if not isinstance(id, str) or len(id) > LONGEST_ID:
        raise InputError(f"a node is named by its id, such as 'r:0:b50', not {id!r:.60}")

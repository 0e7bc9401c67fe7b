"""A node of a solution: who acts, what may be done and how often, hand by hand, with EV, equity and both ranges."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from counterpoise.betting.rules import Betting, BettingState
from counterpoise.betting.sizes import label, node_id
from counterpoise.betting.words import PLAYERS, action_kind, describe
from counterpoise.cards.draws import describe_hands
from counterpoise.plots.grid import action_colours
from counterpoise.seats import CHANCE, TERMINAL
from counterpoise.spots import Deal, Decision
from counterpoise.spots.node import Node
from counterpoise.web.views.numbers import Figures, figure, figures

After = Literal["decision", "deal", "end"]
Mover = Literal["oop", "ip", "chance"]


class ActionView(BaseModel):
    """An action at a node."""

    label: str
    """The action as node ids write it: "f", "c", or "b" with the total put in since the root."""
    words: str
    """The action as players say it: "check", "bet 50"."""
    colour: str
    frequency: float | None
    ev: float | None
    """What the action is worth to the whole range, in chips; None if EVs were not asked for or are not known."""
    child: str
    """The id of the node after it."""
    after: After
    """What is there: a decision, a deal, or the end of the hand, which is no node."""


class HandsView(BaseModel):
    """The hands of the player to act, in columns of one length; None for what is not known."""

    hands: list[str]
    weight: Figures
    """How much of the hand arrives here, from 0 to 1."""
    share: list[float]
    """How much of the range the hand is, from 0 to 1: its weight and what it can meet. Means over hands go by it."""
    strategy: list[Figures]
    """One column per action."""
    ev: Figures | None = None
    """In chips."""
    action_ev: list[Figures] | None = None
    equity: Figures | None = None
    eqr: Figures | None = None
    """EV over equity times the pot."""
    made: list[str]
    draws: list[list[str]]


class RangeView(BaseModel):
    """The hands with which a player arrives."""

    hands: list[str]
    weight: list[float]


class Crumb(BaseModel):
    """One step on the way to a node."""

    node: str
    words: str
    player: str


class NodeView(BaseModel):
    """A node of a solution."""

    id: str
    board: str
    player: Mover
    pot: int
    reached: bool
    path: list[Crumb]
    """The way from the root, the node itself last."""
    actions: list[ActionView] = []
    """What the player to act may do; empty where a card is dealt."""
    cards: list[str] = []
    """The cards that may come; empty where a player acts."""
    ev: dict[str, float | None] | None = None
    equity: dict[str, float | None] | None = None
    hands: HandsView | None = None
    ranges: dict[str, RangeView]


def view_node(node: Decision | Deal) -> NodeView:
    """Return what a node shows at once, without EV and equity, which take the most time."""
    view = NodeView(
        id=node.id,
        board=node.board,
        player=cast(Mover, node.player),
        pot=node.pot,
        reached=node.reached,
        path=view_path(node),
        ranges={player: _range(node, seat) for seat, player in enumerate(PLAYERS)},
    )
    if isinstance(node, Deal):
        view.cards = node.cards
    else:
        view.actions, view.hands = actions_of(node), _hands(node)
    return view


def add_values(view: NodeView, node: Decision | Deal) -> NodeView:
    """Return the view with EV and equity of the node; the view that is given stays as it is."""
    equity = {player: figure(node.equity(player=player)) for player in PLAYERS}
    ev = {player: figure(node.ev(player=player)) for player in PLAYERS}
    if isinstance(node, Deal):
        return view.model_copy(update={"ev": ev, "equity": equity})
    worth = node.action_evs()
    actions = [action.model_copy(update={"ev": figure(worth[action.label])}) for action in view.actions]
    assert view.hands is not None
    hands = view.hands.model_copy(update=_values_of_hands(node))
    return view.model_copy(update={"actions": actions, "hands": hands, "ev": ev, "equity": equity})


def actions_of(node: Decision) -> list[ActionView]:
    """Return the actions of a decision, without their EV."""
    betting, state = node.spot.betting, node.place.state
    colours = action_colours([action_kind(action) for action in node.raw_actions])
    return [
        ActionView(
            label=name,
            words=describe(action, state, betting),
            colour=colour,
            frequency=figure(node.frequencies[name]),
            ev=None,
            child=f"{node.id}:{name}",
            after=_after(betting, betting.apply(state, action)),
        )
        for name, action, colour in zip(node.actions, node.raw_actions, colours, strict=True)
    ]


def _hands(node: Decision) -> HandsView:
    """Return the hands of the player to act that the board leaves."""
    seat = node.place.state.to_act
    live = np.flatnonzero(node.live[seat])
    words = describe_hands(node.place.cards, node.game.hands[seat][live], node.spot.card_deck)
    return HandsView(
        hands=[node.hand_names[seat][k] for k in live],
        weight=figures(node.reaches[seat][live]),
        share=_shares(node.weights(seat)[live]),
        strategy=[figures(row[live]) for row in node.probabilities],
        made=[one.made for one in words],
        draws=[list(one.draws) for one in words],
    )


def _values_of_hands(node: Decision) -> dict[str, Any]:
    """Return EV, equity and equity realisation of these hands, by the names of `HandsView`."""
    seat = node.place.state.to_act
    live = np.flatnonzero(node.live[seat])
    worth, equity = node.evs[seat][live], node.equities[seat][live]
    share = equity * node.pot
    return {
        "ev": figures(worth),
        "equity": figures(equity),
        "action_ev": [figures(row[live]) for row in node.worth_of_actions],
        "eqr": figures(np.divide(worth, share, out=np.full(len(worth), np.nan), where=share > 0)),
    }


def _shares(weights: NDArray[np.float64]) -> list[float]:
    total = float(weights.sum())
    shares: list[float] = (weights / total if total > 0 else np.zeros(len(weights))).tolist()
    return shares


def _range(node: Node, seat: int) -> RangeView:
    held = np.flatnonzero(node.reaches[seat])
    return RangeView(hands=[node.hand_names[seat][k] for k in held], weight=node.reaches[seat][held].tolist())


def view_path(node: Decision | Deal) -> list[Crumb]:
    """Return the way to a node, step by step, in words."""
    betting, places, found = node.spot.betting, node.places, list[Crumb]()
    for place in places:
        to_act = place.state.to_act
        words = "start"
        if place.steps and place is not places[0]:
            before, step = places[len(found) - 1], place.steps[-1]
            words = step if isinstance(step, str) else describe(step, before.state, betting)
        player = PLAYERS[to_act] if to_act >= 0 else "chance"
        found.append(Crumb(node=place.id, words=words, player=player))
    return found


def line_words(path: Sequence[Crumb]) -> str:
    """Return the way to a node in words, such as "OOP check, IP bet 50"."""
    steps = [
        f"{step.words} dealt" if before.player == "chance" else f"{before.player.upper()} {step.words}"
        for before, step in pairwise(path)
    ]
    return ", ".join(steps) or "the first decision"


def _after(betting: Betting, state: BettingState) -> After:
    return "end" if state.to_act == TERMINAL else "deal" if state.to_act == CHANCE else "decision"


class LinesView(BaseModel):
    """The node and what follows it, for a tree of lines that opens step by step."""

    node: str
    player: str
    children: list[LineView]


class LineView(BaseModel):
    """One continuation."""

    node: str
    label: str
    words: str
    after: After
    frequency: float | None = None


def view_lines(node: Decision | Deal) -> LinesView:
    """Return the continuations of a node: its actions, or the cards that may come."""
    if isinstance(node, Deal):
        children = [LineView(node=f"{node.id}:{card}", label=card, words=card, after="decision") for card in node.cards]
        return LinesView(node=node.id, player=node.player, children=children)
    betting, state = node.spot.betting, node.place.state
    children = [
        LineView(
            node=node_id((*node.place.steps, action)),
            label=label(action),
            words=describe(action, state, betting),
            after=_after(betting, betting.apply(state, action)),
            frequency=figure(node.frequencies[label(action)]),
        )
        for action in node.raw_actions
    ]
    return LinesView(node=node.id, player=node.player, children=children)

"""Reports on a node: equity distribution of both ranges, blockers, every card that may come, two solutions compared."""

from __future__ import annotations

import numpy as np
from pydantic import BaseModel

from counterpoise.betting.words import PLAYERS
from counterpoise.cards import format_card
from counterpoise.spots import CardReport, Decision, Solution, SpotSearch
from counterpoise.spots.node import Node
from counterpoise.web.views.numbers import Figures, figure, figures


class EquityCurve(BaseModel):
    """The hands of a player from the weakest to the strongest, each as often as it is there."""

    hands: list[str]
    share: list[float]
    """The share of the range up to and including each hand, from 0 to 1."""
    equity: list[float]


class EquityDistribution(BaseModel):
    """The equities of both ranges at a node."""

    node: str
    oop: EquityCurve
    ip: EquityCurve


class BlockerRow(BaseModel):
    """One card in the hand of the player to act."""

    card: str
    share: float
    """How much of the range holds the card, from 0 to 1."""
    frequencies: dict[str, float | None]
    """How often each action is taken with it."""
    ev: float | None
    """In chips, of the hands that hold it."""
    opponent_share: float
    """How much of the other's range holds the card, and is gone when the player to act holds it."""


class Blockers(BaseModel):
    """Every card: how holding it changes what the player to act does."""

    node: str
    player: str
    actions: list[str]
    frequencies: dict[str, float | None]
    """How often the whole range takes each action, to compare with."""
    rows: list[BlockerRow]


class CardRowView(BaseModel):
    """One card that may come."""

    card: str
    probability: float
    frequencies: dict[str, float | None]
    ev: dict[str, float | None]
    equity: dict[str, float | None]


class CardsView(BaseModel):
    """One betting line over all cards."""

    node: str
    player: str
    actions: list[str]
    words: list[str]
    colours: list[str]
    frequencies: dict[str, float | None]
    rows: list[CardRowView]


class ComparedSolution(BaseModel):
    """One of two solutions at a node."""

    name: str
    exploitability_pct: float
    actions: list[str]
    words: list[str]
    frequencies: dict[str, float | None]
    ev: dict[str, float | None]


class Comparison(BaseModel):
    """Two solutions at one node."""

    node: str
    player: str
    first: ComparedSolution
    second: ComparedSolution
    hands: list[str]
    """Hands that both have."""
    distance: list[float]
    """Per hand, half the sum of the differences of all probabilities: 0 alike, 1 nothing in common."""
    mean_distance: float | None
    """Over the hands as often as they are there in the first."""
    ev_difference: Figures
    """Per hand, EV in the second less EV in the first, in chips."""


def equity_distribution(node: Node) -> EquityDistribution:
    """Return the equity of every hand of both ranges, sorted."""
    return EquityDistribution(node=node.id, oop=_curve(node, 0), ip=_curve(node, 1))


def _curve(node: Node, seat: int) -> EquityCurve:
    weights, equity = node.weights(seat), node.equities[seat]
    known = np.flatnonzero((node.reaches[seat] > 0) & np.isfinite(equity))
    order = known[np.argsort(equity[known], kind="stable")]
    total = weights[order].sum()
    share = np.cumsum(weights[order]) / total if total > 0 else np.zeros(len(order))
    names = [node.hand_names[seat][k] for k in order]
    return EquityCurve(hands=names, share=share.tolist(), equity=equity[order].tolist())


def blockers(node: Decision) -> Blockers:
    """Return for every card what the player to act does with it, and how much of the other's range it removes."""
    seat = node.place.state.to_act
    own, other = node.game.hands[seat], node.game.hands[1 - seat]
    weights, against = node.weights(seat), node.weights(1 - seat)
    worth = node.evs[seat]
    rows = []
    for card in node.spot.card_deck.cards.tolist():
        if card in node.place.cards:
            continue
        mine = (own == card).any(axis=1)
        here = weights * mine
        total = here.sum()
        if total <= 0:
            continue
        mixed = node.probabilities @ here / total
        known = mine & np.isfinite(worth) & (weights > 0)
        ev = float(weights[known] @ worth[known] / weights[known].sum()) if known.any() else float("nan")
        rows.append(
            BlockerRow(
                card=format_card(card),
                share=float(total / weights.sum()),
                frequencies=dict(zip(node.actions, figures(mixed), strict=True)),
                ev=figure(ev),
                opponent_share=float(against[(other == card).any(axis=1)].sum() / against.sum()),
            )
        )
    frequencies = {name: figure(share) for name, share in node.frequencies.items()}
    return Blockers(
        node=node.id, player=node.player, actions=list(node.actions), frequencies=frequencies, rows=rows[::-1]
    )


def view_cards(report: CardReport) -> CardsView:
    """Return a report over all cards."""
    rows = [
        CardRowView(
            card=row.card,
            probability=row.probability,
            frequencies={name: figure(share) for name, share in row.frequencies.items()},
            ev={player: figure(row.ev[player]) for player in PLAYERS},
            equity={player: figure(row.equity[player]) for player in PLAYERS},
        )
        for row in report.rows
    ]
    return CardsView(
        node=report.node,
        player=report.player,
        actions=list(report.actions),
        words=list(report.action_names),
        colours=report.colours,
        frequencies={name: figure(share) for name, share in report.frequencies.items()},
        rows=rows,
    )


Solved = Solution | SpotSearch


def compare(first: tuple[str, Solved, Decision], second: tuple[str, Solved, Decision]) -> Comparison:
    """Return two solutions at the same node, which may have other actions; each is given by name, whole and node."""
    one, two = first[2], second[2]
    seat = one.place.state.to_act
    places = {name: k for k, name in enumerate(two.hand_names[seat]) if two.live[seat][k]}
    mine = [k for k, name in enumerate(one.hand_names[seat]) if one.live[seat][k] and name in places]
    theirs = [places[one.hand_names[seat][k]] for k in mine]
    labels = list(dict.fromkeys((*one.actions, *two.actions)))
    distance = np.zeros(len(mine))
    for name in labels:
        distance += np.abs(_probability(one, name, mine) - _probability(two, name, theirs)) / 2
    weights = one.weights(seat)[mine]
    mean = float(weights @ distance / weights.sum()) if len(mine) and weights.sum() > 0 else float("nan")
    return Comparison(
        node=one.id,
        player=one.player,
        first=_compared(*first),
        second=_compared(*second),
        hands=[one.hand_names[seat][k] for k in mine],
        distance=distance.tolist(),
        mean_distance=figure(mean),
        ev_difference=figures(two.evs[seat][theirs] - one.evs[seat][mine]),
    )


def _probability(node: Decision, action: str, hands: list[int]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    if action not in node.actions:
        return np.zeros(len(hands))
    return np.asarray(node.probabilities[node.actions.index(action)][hands], dtype=np.float64)


def _compared(name: str, solved: Solved, node: Decision) -> ComparedSolution:
    return ComparedSolution(
        name=name,
        exploitability_pct=solved.exploitability_pct,
        actions=list(node.actions),
        words=list(node.action_names),
        frequencies={action: figure(share) for action, share in node.frequencies.items()},
        ev={player: figure(node.ev(player=player)) for player in PLAYERS},
    )

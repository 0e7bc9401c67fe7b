"""What agents thought in a hand that is over: their range and strategy at each decision; your actions' worth."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from counterpoise.agents.base import Agent
from counterpoise.betting.words import describe
from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, TERMINAL, Game, is_observed
from counterpoise.games.events import read_action, without_shown
from counterpoise.games.holdem import Holdem
from counterpoise.logs.record import HandRecord, replay
from counterpoise.play import MatchTable
from counterpoise.spots.table.agent import SpotAgent
from counterpoise.store.json import plain_json
from counterpoise.web.play.models import Thought, Thoughts

LEAST_WEIGHT = 1e-4
"""Hands that arrive less often, beside the one that arrives most, are not listed."""


def thoughts_of(game: Game, table: MatchTable, record: HandRecord, you: int, number: int) -> Thoughts:
    """Return every decision of a hand: of agents what they thought, of the person what the actions were worth."""
    rules: Any = game
    if not is_observed(game):
        raise InputError("this game does not say what is public and what is private, so there is nothing to tell")
    ranges: dict[int, dict[str, float]] = {}
    decisions = []
    for state, action in replay(game, record.history):
        seat = game.player(state)
        if seat in (CHANCE, TERMINAL):
            continue
        seen = rules.observation(state, seat)
        thought = Thought(seat=seat, name=table.names[seat], events=list(seen.public), action=action, hand=seen.private)
        if seat == you:
            thought.values, thought.missing = _values(table, seen.public, seen.private, you)
        else:
            _think(thought, table.agents[seat], seen.public, action, ranges)
        thought.words = _words(game, seen.public, (action, *thought.actions, *thought.values))
        decisions.append(thought)
    return Thoughts(hand=number, decisions=decisions)


def _think(
    thought: Thought, agent: Agent, public: tuple[str, ...], action: str, ranges: dict[int, dict[str, float]]
) -> None:
    """Write what an agent thought at a decision, and keep the range with which it continues."""
    try:
        behaviour = agent.probabilities(public)
    except InputError as error:
        thought.missing = str(error)
        return
    except Exception as error:  # an agent that cannot be asked once more must not hide the rest of the hand
        thought.missing = f"it cannot say ({type(error).__name__}: {error})"[:200]
        return
    known = np.asarray(behaviour.table, dtype=np.float64)
    before = ranges.get(agent.seat)
    possible = known.sum(axis=1) > 0
    start = _start(agent, behaviour.hands)
    weights = np.array(
        [start[at] if before is None else before.get(hand, 0.0) for at, hand in enumerate(behaviour.hands)]
    )
    weights = weights * possible
    total = weights.sum()
    thought.actions = list(behaviour.actions)
    if total > 0:
        largest = weights.max()
        thought.range = {
            hand: float(weight / largest)
            for hand, weight in zip(behaviour.hands, weights, strict=True)
            if weight > LEAST_WEIGHT * largest
        }
        rows = known.round(4).tolist()
        thought.strategy = {hand: row for hand, row in zip(behaviour.hands, rows, strict=True) if hand in thought.range}
        shares = weights @ known / total
        thought.frequencies = dict(zip(behaviour.actions, shares.tolist(), strict=True))
    if thought.hand in behaviour.hands:
        own = known[behaviour.hands.index(thought.hand)]
        thought.own = dict(zip(behaviour.actions, own.tolist(), strict=True))
    if action in behaviour.actions:  # a bet by translation may have another label: the range then stays as it is
        weights = weights * known[:, behaviour.actions.index(action)]
    ranges[agent.seat] = dict(zip(behaviour.hands, weights.tolist(), strict=True))


def _words(game: Game, public: tuple[str, ...], actions: Iterable[str]) -> dict[str, str]:
    """Return actions as players say them."""
    if not isinstance(game, Holdem):
        return {action: action for action in actions}
    state = game.betting_after(without_shown(public))
    return {action: describe(read_action(action).bet, state, game.betting) for action in actions}


def _start(agent: Agent, hands: tuple[str, ...]) -> list[float]:
    """Return the weights of an agent's hands when the hand begins: those of a spot's range, else all alike."""
    if not isinstance(agent, SpotAgent):
        return [1.0] * len(hands)
    own = agent.solution.spot.ranges[agent.seat]
    names = agent.solution.spot.card_deck.hand_names
    weight = dict(zip(names, own.weights.tolist(), strict=True))
    return [weight.get(hand, 0.0) for hand in hands]


def _values(
    table: MatchTable, public: tuple[str, ...], hand: str, you: int
) -> tuple[dict[str, float | None], str | None]:
    """Return what each action was worth with the person's hand, if an opponent follows a solution of the spot."""
    agent = next((one for seat, one in enumerate(table.agents) if seat != you), None)
    if not isinstance(agent, SpotAgent):
        return {}, "the values of your actions are known where the opponent follows a solution of the spot"
    try:
        node: Any = agent.solution.node(":".join(("r:0", *public[1:])))
        return plain_json(node.action_evs(hand)), None
    except InputError as error:
        return {}, str(error)

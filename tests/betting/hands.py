"""Hands of betting played in tests: along given actions, or with actions drawn at random."""

from counterpoise.betting.rules import CALL, FOLD
from counterpoise.games.base import CHANCE


def play(betting, *actions, deal=True):
    """The state after `actions`, with the cards of every finished round dealt on the way."""
    state = betting.initial()
    for action in actions:
        state = betting.apply(state, action)
        while deal and state.to_act == CHANCE:
            state = betting.deal(state)
    return state


def choose(chance, state, may_raise):
    """Draw an action: mostly calls, often the least raise, rarely a fold."""
    roll = chance.random()
    if state.to_call and roll < 0.12:
        return FOLD
    if may_raise and roll > 0.7:
        low, high = state.min_raise, state.max_raise
        return chance.choice((low, low, low, min(high, 2 * low), chance.randint(low, high), high))
    return CALL

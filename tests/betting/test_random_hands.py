"""Properties of betting over random hands, with short blinds and every seat as the button."""

import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from counterpoise.betting.rules import Betting, Rake
from counterpoise.games.base import CHANCE, TERMINAL

from .hands import choose


@pytest.mark.slow
def test_settlement_chip_by_chip():
    """Payoffs equal those of settling every layer of one chip by itself; nobody loses more than the stack."""
    for seed in range(1500):
        chance = random.Random(seed)
        betting = random_rules(chance)
        state = finish(chance, betting)
        strengths = [chance.randint(0, 3) for _ in betting.stacks]
        expected = [float(-paid) for paid in state.paid]
        for layer in range(max(state.paid)):
            seats = [seat for seat in state.live if state.paid[seat] > layer]
            best = max(strengths[seat] for seat in seats)
            winners = [seat for seat in seats if strengths[seat] == best]
            for seat in winners:
                expected[seat] += sum(paid > layer for paid in state.paid) / len(winners)
        payoffs = betting.payoffs(state, strengths)
        assert payoffs == pytest.approx(expected, abs=1e-6), seed
        assert all(-stack <= payoff for stack, payoff in zip(betting.stacks, payoffs, strict=True)), seed
        raked = replace(betting, rake=Rake(percent=5, cap=7), whole_chips=True).payoffs(state, strengths)
        assert all(isinstance(payoff, int) for payoff in raked), seed
        assert 0 <= -sum(raked) <= 7, seed


@pytest.mark.long
def test_random_hands():
    """100,000 random hands conserve chips, raise enough, split side pots, end legally.

    Two to ten seats, limit and no-limit. `test_settlement_chip_by_chip` and PokerKit look at samples closer.
    """
    chance, counts = random.Random("random hands"), Counter()
    for _ in range(2_000):
        betting = random_rules(chance)
        for _ in range(50):
            counts += checked_hand(chance, betting)
    assert counts["hands"] == 100_000
    assert counts["raises"] > 50_000
    assert counts["side pots"] > 10_000


def checked_hand(chance, betting):
    """Play one hand, asserting what is legal at every step; return what happened in it, as counts."""
    state, blind, raises = betting.initial(), max(betting.blinds[1], 1), 0
    full = blind
    while state.to_act != TERMINAL:
        if state.to_act == CHANCE:
            state, full = betting.deal(state), blind
            continue
        seat = state.to_act
        stack = betting.stacks[seat]
        assert seat in state.live
        assert 0 <= state.to_call <= stack - state.paid[seat]
        assert state.to_call or state.max_raise
        if state.max_raise and betting.limit is None:
            # The least raise is the last full one on top of what is owed; all-in is always enough.
            assert state.min_raise == min(state.stake + full, stack)
            assert state.min_raise <= state.max_raise <= stack
        action = choose(chance, state, bool(state.max_raise))
        if action > 0:
            full, raises = max(full, action - state.stake), raises + 1
        paid, state = state.paid[seat], betting.apply(state, action)
        assert paid <= state.paid[seat] <= stack
    payoffs, pots = betting.payoffs(state, [chance.randint(0, 3) for _ in betting.stacks]), betting.pots(state)
    assert abs(sum(payoffs)) < 1e-6
    assert all([-paid <= won for paid, won in zip(state.paid, payoffs, strict=True)])
    assert all([set(later.seats) < set(pot.seats) for pot, later in pairwise(pots)])
    return Counter({"hands": 1, "raises": raises, "side pots": len(pots) > 1})


def test_turning_the_table_changes_nothing():
    """The same hand with every seat, and the button, moved on by one."""
    for seed in range(500):
        chance = random.Random(seed)
        betting = random_rules(chance)
        stacks, button = betting.stacks, (betting.button + 1) % betting.players
        moved = replace(betting, stacks=stacks[-1:] + stacks[:-1], button=button)
        first, second = betting.initial(), moved.initial()
        while first.to_act != TERMINAL:
            assert second.paid == first.paid[-1:] + first.paid[:-1], seed
            if first.to_act == CHANCE:
                first, second = betting.deal(first), moved.deal(second)
                continue
            assert second.to_act == (first.to_act + 1) % betting.players, seed
            assert moved.actions(second) == betting.actions(first), seed
            action = choose(chance, first, bool(first.max_raise))
            first, second = betting.apply(first, action), moved.apply(second, action)
        assert second.to_act == TERMINAL, seed


def random_rules(chance):
    players = chance.randint(2, 10)
    limit = chance.random() < 0.3
    return Betting(
        tuple(chance.randint(1, chance.choice((8, 40, 300))) for _ in range(players)),
        blinds=chance.choice(((0, 0), (5, 10), (1, 2))),
        ante=chance.choice((0, 0, 1, 4)),
        button=chance.randrange(players),
        limit=(10, 10, 20, 20) if limit else None,
        max_bets=(4,) * 4 if limit else None,
    )


def finish(chance, betting):
    state = betting.initial()
    while state.to_act != TERMINAL:
        if state.to_act == CHANCE:
            state = betting.deal(state)
        else:
            assert state.to_act in state.live
            assert state.to_call or state.max_raise
            state = betting.apply(state, choose(chance, state, bool(state.max_raise)))
    return state

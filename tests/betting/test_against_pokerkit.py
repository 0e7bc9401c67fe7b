"""Betting against PokerKit, random hands side by side: who acts, what is legal, the pot, the street, the payoffs.

PokerKit 0.7 differs from the rules stated in `counterpoise.betting.rules` in four places, each of which is
recognised here and nowhere else tolerated:

1. an all-in below the big blind that opens the betting counts as a full bet and so reopens it;
2. once several short all-ins have made a full raise together, one more closes the betting again for
   seats that owe more than a full raise;
3. a seat that can only check may be asked all the same;
4. pots are merged when a losing hand is mucked, which moves odd chips: whole chips are compared where there
   is one pot, exact shares everywhere.

A big blind too short for its blind (there PokerKit lets others call less) is left out.
"""

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from counterpoise.betting.rules import CALL, FOLD, Betting, Rake
from counterpoise.games.base import CHANCE, TERMINAL

from .hands import choose

RANKS = "23456789TJQKA"


@pytest.mark.slow
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in range(1, 5))])
@pytest.mark.parametrize("limit", [False, True], ids=["no-limit", "fixed limit"])
def test_random_hands(limit, part):
    """5,000 hands in all, 2 to 9 seats."""
    pytest.importorskip("pokerkit")
    hands = 600 if not limit else 400
    found = Counter()
    for number in range(hands):
        found += compare_hand(random.Random(f"{limit} {part} {number}"), limit)
    assert found["hands"] == hands
    assert found["decisions"] > 6 * hands
    assert found["payoffs"] > hands / 2
    for event in ("folded out", "showdowns", "run-outs", "side pots", "ties", "short all-ins"):
        assert found[event] > hands / 50, event


def compare_hand(chance, limit):
    """Play one random hand on both, asserting equality all the way; what happened in it, as counts."""
    players = chance.choice((2, 2, 3, 3, 4, 5, 6, 7, 8, 9))
    big = chance.choice((2, 4, 10, 20))
    ante = chance.choice((0, 0, 1, big // 2, big))
    depth = chance.choice((2, 5, 20, 100))
    stacks = [chance.randint(1, depth * big) for _ in range(players)]
    big_blind_seat = 0 if players == 2 else 1
    stacks[big_blind_seat] = max(stacks[big_blind_seat], ante + big)
    whole = chance.random() < 0.5
    percent = chance.choice((0, 0, 5, 10))
    betting = Betting(
        tuple(stacks),
        blinds=(big // 2, big),
        ante=ante,
        limit=(big, big, 2 * big, 2 * big) if limit else None,
        max_bets=(4,) * 4 if limit else None,
        rake=Rake(percent),
        whole_chips=whole,
    )
    deck = [rank + suit for rank in RANKS for suit in "cdhs"]
    chance.shuffle(deck)
    hands = [deck[2 * seat : 2 * seat + 2] for seat in range(players)]
    strengths = [strength(hand) for hand in hands]
    other = pokerkit_state(betting, percent, whole)
    for hand in hands:
        other.deal_hole("".join(hand))
    found = Counter(hands=1)
    state = betting.initial()
    while True:
        skip_forced_checks(other, state)
        if state.to_act == CHANCE:
            state = betting.deal(state)
            continue
        if state.to_act == TERMINAL:
            break
        found["decisions"] += 1
        compare_decision(betting, state, other, found)
        both_raise = bool(state.max_raise and other.min_completion_betting_or_raising_to_amount)
        action = choose(chance, state, both_raise)
        found["short all-ins"] += 0 < action < state.stake + state.raise_by
        if action == FOLD:
            other.fold()
        elif action == CALL:
            other.check_or_call()
        else:
            other.complete_bet_or_raise_to(action - state.round_stake)
        state = betting.apply(state, action)
    assert not other.status, "PokerKit has finished the hand too"
    compare_payoffs(betting, state, other, strengths, found)
    return found


def compare_decision(betting, state, other, found):
    seat = state.to_act
    assert (other.actor_index, other.street_index) == (seat, state.round)
    assert other.total_pot_amount == betting.total_pot(state)
    assert list(other.stacks) == [betting.behind(state, each) for each in range(betting.players)]
    assert tuple(each for each, live in enumerate(other.statuses) if live) == state.live
    assert other.checking_or_calling_amount == state.to_call
    assert other.can_fold() == (state.to_call > 0)
    low, high = other.min_completion_betting_or_raising_to_amount, other.max_completion_betting_or_raising_to_amount
    theirs = (low + state.round_stake, high + state.round_stake) if low else (0, 0)
    ours = (state.min_raise, state.max_raise)
    if theirs != ours:
        assert seat in state.acted
        assert 0 in (low or 0, state.min_raise), "both allow a raise, with other limits"
        owed = state.stake - state.paid[seat]
        if low:
            assert owed < state.raise_by
            assert other.completion_betting_or_raising_amount < betting.blinds[1] * (2 if state.round > 1 else 1)
            found["difference 1"] += 1
        else:
            assert owed >= state.raise_by
            assert 0 < sum(other.consecutive_short_all_in_amounts) < state.raise_by
            found["difference 2"] += 1


def compare_payoffs(betting, state, other, strengths, found):
    folded_out = len(state.live) == 1
    several = len(betting.pots(state)) > 1
    best = max(strengths[seat] for seat in state.live)
    tie = sum(strengths[seat] == best for seat in state.live) > 1
    found["folded out"] += folded_out
    found["showdowns"] += not folded_out
    found["run-outs"] += betting.rounds_due(state) > 0
    found["side pots"] += several
    found["ties"] += tie and not folded_out
    ours = betting.payoffs(state, strengths)
    if folded_out:
        ours = replace(betting, rake=Rake()).payoffs(state)  # PokerKit rakes less than the called chips here
        if betting.rake.percent:
            return
    different = len({strengths[seat] for seat in state.live}) == len(state.live)
    if not (betting.whole_chips and several) or (different and not betting.rake.percent):
        assert ours == pytest.approx([float(payoff) for payoff in other.payoffs], abs=1e-9)
        found["payoffs"] += 1


def skip_forced_checks(other, state):
    """Difference 3: check for a seat that PokerKit asks and that can do nothing else."""
    while (
        other.actor_index is not None
        and (other.actor_index, other.street_index) != (state.to_act, state.round)
        and other.checking_or_calling_amount == 0
        and other.min_completion_betting_or_raising_to_amount is None
    ):
        other.check_or_call()


def strength(cards):
    """A coarse strength of two hole cards, so that ties are common."""
    return max(RANKS.index(str(card)[0]) for card in cards) // 3


def pokerkit_state(betting, percent, whole):
    """The same hand in PokerKit, with `strength` for the ranking of hands."""
    from pokerkit import Automation, FixedLimitTexasHoldem, NoLimitTexasHoldem

    class Strength:
        low = False

        @staticmethod
        def from_game(hole_cards, board_cards=()):
            return strength([repr(card) for card in hole_cards])

    class NoLimit(NoLimitTexasHoldem):
        hand_types = (Strength,)

    class FixedLimit(FixedLimitTexasHoldem):
        hand_types = (Strength,)

    def exact_rake(amount, state):
        raked = Fraction(amount * percent, 100)
        return (int(raked), amount - int(raked)) if whole else (raked, amount - raked)

    def exact_share(amount, winners):
        return divmod(amount, winners) if whole else (Fraction(amount) / winners, 0)

    big = betting.blinds[1]
    automatic = tuple(step for step in Automation if step != Automation.HOLE_DEALING)
    arguments = (automatic, True, betting.ante, betting.blinds)
    options = {"divmod": exact_share, "rake": exact_rake}
    game = FixedLimit(*arguments, big, 2 * big, **options) if betting.limit else NoLimit(*arguments, big, **options)
    if betting.limit:  # PokerKit allows four raises over the big blind; here the big blind is the first of four bets
        first, *later = game.streets
        game.streets = (replace(first, max_completion_betting_or_raising_count=3), *later)
    return game(betting.stacks, betting.players)

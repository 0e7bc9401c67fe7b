"""Hold'em as a game: lines of play by hand, PokerKit hand by hand, public trees and OpenSpiel in exploitability."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import pytest

import counterpoise as cp
from counterpoise.betting.rules import CALL, FOLD
from counterpoise.betting.sizes import label
from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL, Observation, check_game, draw_chance, load
from counterpoise.public import build_dense
from counterpoise.public.mini_holdem import FlopHoldem, mini_holdem

from ..betting.hands import choose
from ..betting.test_against_pokerkit import compare_decision, skip_forced_checks
from ..public.helpers import Played
from .lockstep import assert_same_game


def play(game, *labels):
    state = game.initial()
    for one in labels:
        state = game.next(state, one)
    return state


class TestLinesOfPlay:
    def test_a_hand_of_no_limit_heads_up(self):
        game = load("no_limit_holdem")
        state = play(game, "AsKh", "JcJd")
        assert (game.player(state), game.actions(state)) == (1, ("f", "c", "b300", "b20000"))
        assert game.observation(state, 1) == Observation(1, (), "JcJd", ("f", "c", "b300", "b20000"), "JcJd:")
        state = play(game, "AsKh", "JcJd", "b300", "c")
        assert (game.player(state), game.public(state)) == (CHANCE, ("b300", "c"))
        state = game.next(state, "2h7dQs")
        assert (game.player(state), game.infoset(state)) == (0, "AsKh:b300:c:Qs7d2h")
        state = play(game, "AsKh", "JcJd", "b300", "c", "Qs7d2h", "b20000", "c", "3c", "Kd")
        assert game.player(state) == TERMINAL, "both are all-in, so the rest is dealt without betting"
        assert game.payoffs(state) == (20000.0, -20000.0)
        assert game.public(state)[-3:] == ("Kd", "seat 0 shows AsKh", "seat 1 shows JcJd")

    def test_folding_ends_the_hand_and_shows_nothing(self):
        game = load("limit_holdem")
        state = play(game, "AsKh", "JcJd", "f")
        assert (game.player(state), game.payoffs(state), game.public(state)) == (TERMINAL, (1.0, -1.0), ("f",))

    def test_limit_bets(self):
        game = load("limit_holdem")
        state = play(game, "AsKh", "JcJd", "c", "b4", "b6", "b8")
        assert game.actions(state) == ("f", "c"), "four bets, the big blind being the first"
        state = play(game, "AsKh", "JcJd", "c", "c", "Qs7d2h", "c", "c", "3c")
        assert game.actions(state) == ("c", "b6"), "4 on top of the 2 of the first round"

    def test_three_seats_with_a_side_pot(self):
        game = load("no_limit_holdem(seats=3, stacks=[100, 300, 300], blinds=[1, 2], whole_chips=True)")
        hands = ("AsAh", "KsKh", "QsQh")
        state = play(game, *hands, "b300", "c", "c", "Ad7d2h", "3c", "4d")
        assert game.payoffs(state) == (200.0, 100.0, -300.0)
        assert game.name == "no_limit_holdem(seats=3, stacks=[100, 300, 300], blinds=[1, 2], whole_chips=True)"

    def test_play_is_not_bound_to_the_menu(self):
        game = load("no_limit_holdem")
        state = play(game, "AsKh", "JcJd", "b237")
        assert game.betting_after(game.public(state)) == state.betting
        assert (state.betting.min_raise, state.betting.max_raise) == (374, 20000)
        with pytest.raises(InputError, match="seat 0 cannot raise to 300 chips: it may raise to 374 to 20000"):
            game.next(state, "b300")
        with pytest.raises(InputError, match="'call' is no action"):
            game.next(state, "call")

    def test_every_whole_chip_size(self):
        game = load("no_limit_holdem(stack=3, blinds=[1, 2], sizes=any)")
        assert game.actions(play(game, "AsKh", "JcJd")) == ("f", "c", "b4", "b5", "b6")

    def test_menus_by_round(self):
        game = load('no_limit_holdem(board=[0, 3], sizes=[["3x"], ["50%", "allin"]], max_bets=[2, 1])')
        assert game.actions(play(game, "AsKh", "JcJd")) == ("f", "c", "b300")
        assert game.actions(play(game, "AsKh", "JcJd", "b300")) == ("f", "c"), "at most two bets"
        assert game.actions(play(game, "AsKh", "JcJd", "b300", "c", "Qs7d2h")) == ("c", "b600", "b20000")

    def test_rounds_without_cards_and_cards_before_the_first_round(self):
        game = load("limit_holdem(board=[0, 0, 3, 0])")
        state = play(game, "AsKh", "JcJd", "c", "c")
        assert (game.player(state), state.betting.round) == (0, 1)
        state = play(game, "AsKh", "JcJd", "c", "c", "c", "c", "Qs7d2h", "c", "c")
        assert (game.player(state), state.betting.round) == (0, 3)
        assert game.betting_after(game.public(state)) == state.betting
        game = load("limit_holdem(board=[3, 1, 1])")
        assert game.player(play(game, "AsKh", "JcJd")) == CHANCE
        assert game.player(play(game, "AsKh", "JcJd", "Qs7d2h")) == 1
        game = load("no_limit_holdem(board=[3, 0, 0], stack=1)")
        state = play(game, "AsKh", "JcJd", "Qs7d2h")
        assert game.actions(state) == ("f", "c")
        assert game.payoffs(game.next(state, "c")) == (-100.0, 100.0)

    def test_rake(self):
        game = load("no_limit_holdem(rake=5, rake_cap=30)")
        state = play(game, "AsKh", "JcJd", "c", "c", "Qs7d2h", "c", "c", "3c", "c", "c", "4d", "c", "c")
        assert game.payoffs(state) == (-100.0, 90.0)

    def test_short_deck_has_its_own_ranking(self):
        line = ("AsKs", "7d6d", *["c", "c", "Qs8s6s", "c", "c", "6h", "c", "c", "7h", "c", "c"])
        assert load("no_limit_holdem(ranks=9, ranking=short)").payoffs(
            play(load("no_limit_holdem(ranks=9, ranking=short)"), *line)
        ) == (100.0, -100.0)
        assert load("no_limit_holdem").payoffs(play(load("no_limit_holdem"), *line)) == (-100.0, 100.0)


class TestChance:
    def test_outcomes_are_unordered_deals_of_the_cards_left(self):
        game = load("limit_holdem(ranks=3, board=[0, 3])")
        first = game.chance(game.initial())
        assert len(first) == math.comb(12, 2)
        assert first[0] == ("AcAd", 1 / 66)
        flop = dict(game.chance(play(game, "AcAd", "QsKh", "c", "c")))
        assert len(flop) == math.comb(8, 3)
        assert not any(card in deal for deal in flop for card in ("Ac", "Ad", "Qs", "Kh"))
        assert game.least_histories == 66 * 45 * 56

    def test_drawing_is_fair_and_never_lists(self):
        game, chance = load("limit_holdem(ranks=2, board=[0, 3])"), random.Random(5)
        found = Counter(game.sample_chance(game.initial(), chance) for _ in range(5600))
        assert set(found) == {deal for deal, _ in game.chance(game.initial())}
        assert sum((count - 200) ** 2 / 200 for count in found.values()) < 60, "chi-squared with 27 degrees of freedom"

    @pytest.mark.parametrize("deal", ["AsK", "AsAs", "Asxx", "AsKhQd", "As2h"])
    def test_wrong_cards_are_refused(self, deal):
        game = load("limit_holdem(ranks=3)")
        with pytest.raises(InputError, match="2 cards of those left in the deck are due, not"):
            game.next(game.initial(), deal)
        with pytest.raises(InputError, match="are due, not 'KhAs'"):
            play(game, "AsKh", "KhAs")

    def test_cards_may_be_given_in_any_order(self):
        game = load("limit_holdem")
        assert play(game, "KhAs", "JdJc") == play(game, "AsKh", "JcJd")


@pytest.mark.parametrize(
    "name",
    [
        "limit_holdem",
        "no_limit_holdem",
        "no_limit_holdem(stack=20, seats=6)",
        "no_limit_holdem(seats=10, stacks=[100, 90, 800, 70, 600, 50, 40, 300, 200, 1000], blinds=[5, 10], ante=1)",
        "no_limit_holdem(ranks=9, ranking=short, sizes=any, stack=5)",
        "limit_holdem(seats=3, board=[0, 1, 1, 1, 1, 1], max_bets=[2, 1, 1, 1, 1, 2])",
    ],
)
def test_large_games_are_checked_along_playouts(name):
    game = load(name)
    assert load(game.name) == game
    report = check_game(game, playouts=60)
    assert (report.terminals, report.sum, report.complete) == (60, "zero-sum", False)


def test_a_small_game_is_checked_whole():
    report = check_game(load("no_limit_holdem(ranks=7, suits=1, board=[0, 3], stack=2)"))
    assert report.complete
    assert report.sum == "zero-sum"


@pytest.mark.parametrize("name", ["limit_holdem", "no_limit_holdem", "no_limit_holdem(seats=6)"])
@pytest.mark.parametrize("algorithm", ["cfr", "es-mccfr"])
def test_whole_games_are_refused_at_once(name, algorithm):
    with pytest.raises(InputError, match=r"is too large to enumerate, with at least .* histories: use a smaller deck"):
        cp.solve(name, algorithm, iterations=1)


def test_no_public_tree_of_a_whole_game():
    with pytest.raises(InputError, match=r"limit_holdem is too large to enumerate, with at least .* histories"):
        build_dense("limit_holdem")


class TestAgainstOtherEngines:
    """A fixed number of iterations of CFR from the uniform strategy leads to the same strategies everywhere."""

    @pytest.mark.slow
    def test_limit_as_a_public_tree(self):
        tree = Played(mini_holdem(2, (2, 1)))
        run = cp.solve("limit_holdem(ranks=2, board=[0, 3], max_bets=[2, 1])", "cfr", iterations=1)
        assert run.value == pytest.approx(tree.root_values(), abs=1e-5)
        assert run.nash_conv == pytest.approx(sum(tree.best_response_values()), abs=1e-5)

    @pytest.mark.slow
    def test_no_limit_as_a_public_tree(self):
        tree = Played(FlopHoldem(ranks=2, stack=4).game())
        run = cp.solve("no_limit_holdem(ranks=2, board=[0, 3], stack=4)", "cfr", iterations=1)
        assert run.value == pytest.approx(tree.root_values(), abs=1e-3)
        assert run.nash_conv == pytest.approx(sum(tree.best_response_values()), abs=1e-3)

    @pytest.mark.long
    def test_no_limit_as_openspiel_plays_it(self):
        pytest.importorskip("pyspiel")
        theirs = (
            "openspiel:universal_poker(betting=nolimit,numPlayers=2,numRounds=2,blind=100 50,firstPlayer=2 1,"
            "numSuits=1,numRanks=7,numHoleCards=2,numBoardCards=0 3,stack=400 400,bettingAbstraction=fcpa)"
        )
        ours = "no_limit_holdem(suits=1, ranks=7, board=[0, 3], stack=4)"
        runs = [cp.solve(name, "cfr", iterations=3) for name in (ours, theirs)]
        assert runs[0].value == pytest.approx(runs[1].value)
        assert runs[0].exploitability == pytest.approx(runs[1].exploitability)

    def test_limit_in_lockstep_with_openspiel(self):
        pyspiel = pytest.importorskip("pyspiel")
        theirs = pyspiel.load_game(
            "universal_poker(betting=limit,numPlayers=2,numRounds=2,blind=2 1,firstPlayer=2 1,numSuits=4,numRanks=2,"
            "numHoleCards=2,numBoardCards=0 3,raiseSize=2 4,maxRaises=1 1)"
        )
        ours = load("limit_holdem(ranks=2, board=[0, 3], max_bets=[2, 1])")

        def deal(cards):
            numbers = [4 * "KA".index(a) + "cdhs".index(b) for a, b in zip(cards[::2], cards[1::2], strict=True)]
            return numbers, math.factorial(len(numbers))

        walked = {deal for deal, _ in ours.chance(ours.initial()) if deal in ("AhAs", "AsKs", "KdKh", "AdKc")}
        nodes = assert_same_game(
            ours,
            theirs,
            action=lambda name: {"f": 0, "c": 1}.get(name, 2),
            deal=deal,
            walk_deal=lambda name: len(name) == 6 or name in walked,
        )
        assert nodes > 400


class TestAgainstPokerKit:
    """Random hands of 2, 3 and 6 seats side by side: who acts, what is legal, pots, streets, cards and payoffs.

    The differences of PokerKit's rules of betting that `tests/betting` lists are the only ones. It evaluates hands
    itself in the first test, and with the much faster `phevaluator` in the second.
    """

    @pytest.mark.slow
    def test_random_hands(self):
        compare_hands(range(30_000, 30_100))

    @pytest.mark.long
    def test_20_000_random_hands(self):
        compare_hands(range(100, 20_100), Phevaluator)


class Phevaluator:
    """A hand type for PokerKit: larger is better."""

    low = False

    @staticmethod
    def from_game(hole_cards, board_cards=()):
        return phevaluator_strength(tuple(repr(card) for card in (*hole_cards, *board_cards)))


@lru_cache(maxsize=64)
def phevaluator_strength(cards):
    from phevaluator import evaluate_cards

    return -evaluate_cards(*cards) if len(cards) >= 5 else 0


def compare_hands(numbers, hand_type=None):
    pytest.importorskip("pokerkit")
    found = Counter()
    for number in numbers:
        found += compare_hand(random.Random(f"hold'em {number}"), hand_type)
    assert found["hands"] == len(numbers)
    for event in ("folded out", "showdowns", "run-outs", "side pots", "split pots"):
        assert found[event] > len(numbers) / 100, event


def compare_hand(chance, hand_type):
    """Play one random hand on both, asserting equality all the way; what happened in it, as counts."""
    game, other = random_game(chance, hand_type)
    state, found = game.initial(), Counter(hands=1)
    while (player := game.player(state)) != TERMINAL:
        if player == CHANCE:
            cards = draw_chance(game, state, chance)
            if len(state.hands) < game.players:
                other.deal_hole(cards)
            else:
                skip_forced_checks(other, state.betting)
                other.burn_card("??")
                other.deal_board(cards)
            state = game.next(state, cards)
            continue
        betting = state.betting
        skip_forced_checks(other, betting)
        compare_decision(game.betting, betting, other, found)
        both_raise = bool(betting.max_raise and other.min_completion_betting_or_raising_to_amount)
        action = choose(chance, betting, both_raise)
        if action == FOLD:
            other.fold()
        elif action == CALL:
            other.check_or_call()
        else:
            other.complete_bet_or_raise_to(action - betting.round_stake)
        state = game.next(state, label(action))
        assert game.betting_after(game.public(state)) == state.betting
    assert not other.status, "PokerKit has finished the hand too"
    assert game.payoffs(state) == pytest.approx([float(payoff) for payoff in other.payoffs], abs=1e-9)
    live = state.betting.live
    found["folded out" if len(live) == 1 else "showdowns"] += 1
    found["run-outs"] += game.betting.rounds_due(state.betting) > 0
    found["side pots"] += len(game.betting.pots(state.betting)) > 1
    found["split pots"] += any(payoff % 1 for payoff in game.payoffs(state))
    return found


def random_game(chance, hand_type):
    """A game with random seats, stacks and antes, and the same hand in PokerKit with exact shares."""
    from pokerkit import Automation, FixedLimitTexasHoldem, NoLimitTexasHoldem

    seats, big = chance.choice((2, 3, 6)), chance.choice((2, 4, 10))
    ante, depth = chance.choice((0, 0, 1, big)), chance.choice((2, 5, 20, 100))
    stacks = [chance.randint(1, depth * big) for _ in range(seats)]
    big_blind_seat = 0 if seats == 2 else 1
    stacks[big_blind_seat] = max(stacks[big_blind_seat], ante + big)
    limit = chance.random() < 0.3
    rules = {"seats": seats, "stacks": stacks, "blinds": (big // 2, big), "ante": ante}
    game = load("limit_holdem" if limit else "no_limit_holdem", **rules)
    by_hand = (Automation.HOLE_DEALING, Automation.BOARD_DEALING, Automation.CARD_BURNING)
    automatic = tuple(step for step in Automation if step not in by_hand)
    arguments = (automatic, True, ante, (big // 2, big))
    options = {"divmod": lambda amount, winners: (Fraction(amount) / winners, 0)}
    if limit:
        theirs = FixedLimitTexasHoldem(*arguments, big, 2 * big, **options)
        first, *later = theirs.streets
        theirs.streets = (replace(first, max_completion_betting_or_raising_count=3), *later)
    else:
        theirs = NoLimitTexasHoldem(*arguments, big, **options)
    if hand_type is not None:
        theirs.hand_types = (hand_type,)
    return game, theirs(stacks, seats)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("limit_holdem(seats=1)", "limit_holdem: seats must be a whole number from 2 to 10, not 1"),
        ("limit_holdem(stack=0)", "limit_holdem: stack must be a whole number from 1 to 1000000000, not 0"),
        ("limit_holdem(ranks=14)", "limit_holdem: ranks must be a whole number from 2 to 13, not 14"),
        ("limit_holdem(suits=0)", "limit_holdem: suits must be a whole number from 1 to 4, not 0"),
        ("limit_holdem(ranking=short)", "limit_holdem: ranking short is for decks without 2..5, so ranks must be"),
        ("limit_holdem(ranks=2, seats=3)", "limit_holdem: ranks x suits must be at least the 11 cards"),
        ("limit_holdem(stacks=[5])", "limit_holdem: stacks must be one number for each of the 2 seats, not (5,)"),
        ("limit_holdem(stacks=[5, 0])", "limit_holdem: stacks of a seat must be a whole number from 1"),
        ("limit_holdem(blinds=2)", "limit_holdem: blinds must be a list of the small blind and the big blind, not 2"),
        ("limit_holdem(blinds=[2])", "limit_holdem: blinds must be two, the small and the big one, not (2,)"),
        ("limit_holdem(blinds=[2, 1])", "limit_holdem: blinds must be the small one, then the big one"),
        ("limit_holdem(blinds=[1, x])", "limit_holdem: blinds must be a whole number from 0"),
        ("limit_holdem(ante=-1)", "limit_holdem: ante must be a whole number from 0"),
        ("limit_holdem(board=[0, 2])", "limit_holdem: board must be 3 to 5 public cards in all, not (0, 2)"),
        ("limit_holdem(board=[])", "limit_holdem: board must have 1 to 10 rounds, not 0"),
        ("limit_holdem(board=[0, 6])", "limit_holdem: board of a round must be a whole number from 0 to 5, not 6"),
        ("limit_holdem(bets=[2, 4])", "limit_holdem: bets must be one number, or one for each of the 4 rounds"),
        ("limit_holdem(bets=[0, 2, 4, 4])", "limit_holdem: bets of a round must be a whole number from 1"),
        ("limit_holdem(max_bets=[4, 4])", "limit_holdem: max_bets must be one number, or one for each of the 4"),
        ("limit_holdem(rake=101)", "limit_holdem: rake.percent must be a number from 0 to 100, not 101"),
        ("limit_holdem(whole_chips=1)", "limit_holdem: whole_chips must be True or False, not 1"),
        ("no_limit_holdem(sizes=pot)", 'no_limit_holdem: sizes must be a list such as ["50%", "allin"], or any'),
        ('no_limit_holdem(sizes=["pot"])', "no_limit_holdem: sizes: 'pot' is not a bet size: write"),
        ("no_limit_holdem(button_sizes=7)", 'no_limit_holdem: button_sizes must be a list such as ["50%", "allin"]'),
        ('no_limit_holdem(sizes=any, button_sizes=["50%"])', "no_limit_holdem: button_sizes must be a list such as"),
        ('no_limit_holdem(sizes=[["50%"]])', "no_limit_holdem: sizes must be one list, or one list for each of the 4"),
        ("no_limit_holdem(max_bets=x)", "no_limit_holdem: max_bets of a round must be a whole number from 0"),
    ],
)
def test_wrong_parameters(name, sentence):
    with pytest.raises(InputError) as error:
        load(name)
    assert str(error.value).startswith(sentence)

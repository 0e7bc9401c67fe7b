"""Betting rules against published counts and along lines of play worked out by hand."""

from collections import Counter
from dataclasses import replace

import pytest

from counterpoise.betting.rules import CALL, FOLD, NOBODY, Betting, Pot, Rake
from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, TERMINAL

from .hands import play

LIMIT_HOLDEM = Betting((1000, 1000), blinds=(1, 2), limit=(2, 2, 4, 4), max_bets=(4, 4, 4, 4))


def moves(betting, *actions):
    """What is legal after `actions`."""
    return list(betting.actions(play(betting, *actions)))


def count(betting):
    """Decisions, rounds that go on, folds and showdowns, each by round."""
    counts = {name: Counter() for name in ("decisions", "continue", "folds", "showdowns")}

    def walk(state):
        if state.to_act == TERMINAL:
            counts["folds" if len(state.live) == 1 else "showdowns"][state.round] += 1
        elif state.to_act == CHANCE:
            counts["continue"][state.round] += 1
            walk(betting.deal(state))
        else:
            counts["decisions"][state.round] += 1
            for action in betting.actions(state):
                walk(betting.apply(state, action))

    walk(betting.initial())
    return {name: [counter[key] for key in sorted(counter)] for name, counter in counts.items()}


class TestCounts:
    def test_heads_up_limit_holdem(self):
        """8/10/10/10 decisions and 7/9/9 continuing sequences per round."""
        assert count(LIMIT_HOLDEM) == {
            "decisions": [8, 7 * 10, 7 * 9 * 10, 7 * 9 * 9 * 10],
            "continue": [7, 7 * 9, 7 * 9 * 9],
            "folds": [7, 7 * 8, 7 * 9 * 8, 7 * 9 * 9 * 8],
            "showdowns": [7 * 9 * 9 * 9],
        }

    @pytest.mark.parametrize(("bets", "decisions", "continuing"), [((2, 1), 4, 3), ((4, 4), 10, 7)])
    def test_two_round_holdem(self, bets, decisions, continuing):
        """[2-1] and [2-4] hold'em."""
        game = Betting((1000, 1000), blinds=(1, 2), rounds=2, limit=(2, 4), max_bets=bets)
        counts = count(game)
        assert counts["continue"] == [continuing]
        assert counts["decisions"][1] == continuing * decisions

    def test_a_tiny_no_limit_game_by_enumeration(self):
        """Two chips each, blinds 1 and 2: the small blind folds or calls, and both are all-in."""
        assert count(Betting((2, 2), blinds=(1, 2))) == {
            "decisions": [1],
            "continue": [],
            "folds": [1],
            "showdowns": [1],
        }


class TestOrder:
    def test_heads_up(self):
        """The button posts the small blind, acts first before the flop and second afterwards."""
        hunl = Betting((20000, 20000), blinds=(50, 100))
        state = hunl.initial()
        assert (state.paid, state.to_act, list(hunl.actions(state))) == ((100, 50), 1, [FOLD, CALL, 200, 20000])
        state = hunl.apply(state, CALL)
        assert (state.to_act, list(hunl.actions(state))) == (0, [CALL, 200, 20000]), "the big blind has an option"
        state = hunl.apply(state, CALL)
        assert (state.to_act, state.round) == (CHANCE, 0)
        state = hunl.deal(state)
        assert (state.to_act, state.round, list(hunl.actions(state))) == (0, 1, [CALL, 200, 20000])

    def test_heads_up_with_the_button_in_seat_0(self):
        state = play(Betting((500, 500), blinds=(1, 2), button=0))
        assert (state.paid, state.to_act) == ((1, 2), 0)
        assert play(Betting((500, 500), blinds=(1, 2), button=0), CALL, CALL).to_act == 1

    def test_six_seats(self):
        """Seat 2 opens before the flop; afterwards the first seat left from seat 0."""
        six = Betting((10000,) * 6, blinds=(50, 100))
        state = six.initial()
        assert (state.paid, state.waiting) == ((50, 100, 0, 0, 0, 0), (2, 3, 4, 5, 0, 1))
        assert play(six, CALL, CALL, CALL, CALL, FOLD, CALL).waiting == (1, 2, 3, 4, 5)

    def test_a_round_without_blinds_starts_after_the_button(self):
        state = Betting((100,) * 4, ante=5, button=1).initial()
        assert (state.paid, state.waiting, state.to_call) == ((5, 5, 5, 5), (2, 3, 0, 1), 0)

    def test_leader_is_the_aggressor_of_the_round_before(self):
        spot = Betting.spot(100, 400, first_round=1)
        assert play(spot, CALL, 50, CALL).leader == 1
        assert play(spot, CALL, CALL).leader == NOBODY
        assert play(spot, 50, 150, CALL, CALL, CALL).leader == NOBODY, "only the last round counts"


class TestRaises:
    def test_minimum_raise_is_the_last_full_raise(self):
        spot = Betting.spot(100, 1000, first_round=3, min_bet=10)
        assert moves(spot) == [CALL, 10, 1000]
        assert moves(spot, 50) == [FOLD, CALL, 100, 1000]
        assert moves(spot, 50, 250) == [FOLD, CALL, 450, 1000]
        assert moves(spot, 50, 250, 900) == [FOLD, CALL, 1000], "all-in below the minimum is legal"
        assert moves(spot, 50, 1000) == [FOLD, CALL]

    def test_minimum_starts_again_in_each_round(self):
        spot = Betting.spot(100, 1000, first_round=2, min_bet=10)
        state = play(spot, 50, 250, CALL)
        assert (state.round_stake, list(spot.actions(state))) == (250, [CALL, 260, 1000])

    def test_short_all_in_does_not_reopen(self):
        """Seat 0 bets 100, seat 1 is all-in for 150: seat 2, yet to act, may raise; seat 0 may not."""
        game = Betting((1000, 150, 1000), pot=90, first_round=1, min_bet=10)
        assert moves(game, 100, 150) == [FOLD, CALL, 250, 1000]
        assert moves(game, 100, 150, CALL) == [FOLD, CALL]
        assert moves(game, 100, 150, 250) == [FOLD, CALL, 350, 1000], "a full raise reopens"

    def test_short_all_ins_together_reopen(self):
        """150 and 200 on a bet of 100: the bettor owes a full raise, the caller of 150 does not."""
        game = Betting((1000, 150, 1000, 200), pot=90, first_round=1, min_bet=10)
        state = play(game, 100, 150, CALL, 200)
        assert (state.to_act, list(game.actions(state))) == (0, [FOLD, CALL, 300, 1000])
        state = game.apply(state, CALL)
        assert (state.to_act, list(game.actions(state))) == (2, [FOLD, CALL])

    def test_short_opening_bet_does_not_reopen_for_who_has_checked(self):
        game = Betting((1000, 4, 1000), pot=90, first_round=1, min_bet=10)
        state = play(game, CALL, 4)
        assert (state.to_act, list(game.actions(state))) == (2, [FOLD, CALL, 14, 1000])
        state = game.apply(state, CALL)
        assert (state.to_act, list(game.actions(state))) == (0, [FOLD, CALL])

    def test_nobody_left_to_answer_a_raise(self):
        game = Betting((1000, 100, 100), blinds=(5, 10))
        state = play(game, 100, CALL, CALL)
        assert (state.to_act, game.rounds_due(state)) == (TERMINAL, 3)
        assert moves(game, 100) == [FOLD, CALL]

    def test_cap_in_limit(self):
        state = play(LIMIT_HOLDEM, 4, 6, 8)
        assert (state.bets, list(LIMIT_HOLDEM.actions(state))) == (4, [FOLD, CALL])
        assert moves(LIMIT_HOLDEM, CALL, CALL, 4) == [FOLD, CALL, 6]
        assert moves(LIMIT_HOLDEM, CALL, CALL, CALL, CALL, 6) == [FOLD, CALL, 10], "bets of 4 from round 2"

    def test_limit_all_in_for_less(self):
        game = Betting((100, 13), blinds=(5, 10), limit=(10,) * 4, max_bets=(4,) * 4)
        assert moves(game) == [FOLD, CALL, 13]


class TestBlinds:
    def test_short_big_blind_is_owed_in_full(self):
        """Seat 1 posts 6 of 10. Seat 2 owes 10; once seat 2 is out, seat 0 owes only what seat 1 has in."""
        game = Betting((100, 6, 100), blinds=(5, 10))
        assert (play(game).to_call, moves(game)) == (10, [FOLD, CALL, 20, 100])
        state = play(game, FOLD)
        assert (state.to_call, list(game.actions(state))) == (1, [FOLD, CALL])
        assert game.payoffs(game.apply(state, FOLD)) == (-5, 5, 0)
        assert game.payoffs(play(game, CALL, FOLD), (0, 1, 2)) == (-5, -6, 11)
        assert game.payoffs(play(game, CALL, FOLD), (0, 2, 1)) == (-5, 11, -6), "4 chips were called by nobody but 0"

    @pytest.mark.parametrize("big_blind_stack", [1, 5])
    def test_heads_up_big_blind_shorter_than_the_small_blind(self, big_blind_stack):
        game = Betting((big_blind_stack, 100), blinds=(5, 10))
        state = game.initial()
        assert (state.to_act, game.rounds_due(state)) == (TERMINAL, 3), "nothing to decide"
        assert game.payoffs(state, (1, 0)) == (big_blind_stack, -big_blind_stack)

    def test_who_could_only_check_is_not_asked(self):
        """The small blind is all-in and everybody else folds: the big blind waits for the cards."""
        game = Betting((5, 100, 100), blinds=(5, 10))
        state = play(game, FOLD)
        assert (state.to_act, game.uncalled(state)) == (TERMINAL, (1, 5))

    def test_antes_shorter_than_the_ante(self):
        """Seat 2 antes 3 of 5 and can win 3 from each."""
        game = Betting((100, 100, 3), blinds=(5, 10), ante=5)
        state = play(game, CALL, CALL)
        assert (state.round, state.paid) == (1, (15, 15, 3))
        state = play(game, *[CALL] * 8)
        assert game.pots(state) == [Pot(9, (0, 1, 2)), Pot(24, (0, 1))]
        assert game.payoffs(state, (2, 1, 3)) == (9, -15, 6)


class TestSettlement:
    three = Betting((100, 60, 30), pot=12, first_round=3, whole_chips=True)

    def test_side_pots(self):
        state = play(self.three, 100, CALL, CALL)
        assert self.three.uncalled(state) == (0, 40)
        assert self.three.pots(state) == [Pot(12 + 90, (0, 1, 2)), Pot(60, (0, 1))]
        assert self.three.payoffs(state, (1, 2, 3)) == (-60, 0, 72)
        assert self.three.payoffs(state, (1, 2, 2)) == (-60, 51, 21)
        assert self.three.payoffs(state, (1, 1, 1)) == (4, 4, 4)

    def test_odd_chips_go_to_the_first_winner_after_the_button(self):
        spot = Betting((50, 50, 50), pot=11, first_round=3, whole_chips=True)
        assert spot.payoffs(play(spot, CALL, CALL, CALL), (1, 1, 1)) == (5, 3, 3)
        assert spot.payoffs(play(spot, CALL, CALL, CALL), (0, 1, 1)) == (0, 6, 5)
        moved = replace(spot, button=1)
        assert moved.payoffs(play(moved, CALL, CALL, CALL), (1, 1, 0)) == (6, 5, 0)
        assert moved.payoffs(play(moved, CALL, CALL, CALL), (1, 1, 1)) == (3, 3, 5)
        exact = replace(spot, whole_chips=False)
        assert exact.payoffs(play(exact, CALL, CALL, CALL), (0, 1, 1)) == (0, 5.5, 5.5)

    def test_fold_needs_no_strengths(self):
        spot = Betting.spot(100, 400, first_round=3)
        assert spot.payoffs(play(spot, 50, FOLD)) == (100, 0)
        assert spot.payoffs(play(spot, 50, 200, FOLD)) == (-50, 150)

    def test_chips_of_folded_seats_stay_in_the_pot_they_were_paid_for(self):
        """Seat 0 puts in 80 and folds; seat 2 is all-in for 30 and can win 30 of them."""
        game = Betting((200, 200, 30), first_round=2, min_bet=1)
        state = play(game, 30, CALL, CALL, 80, 200, FOLD)
        assert game.pots(state) == [Pot(90, (1, 2)), Pot(100, (1,))]
        assert game.payoffs(state, (9, 1, 2)) == (-80, 20, 60)

    def test_rake(self):
        spot = Betting.spot(100, 400, first_round=3, rake=Rake(percent=5, cap=8))
        assert spot.payoffs(play(spot, CALL, CALL), (1, 0)) == (95, 0)
        assert spot.payoffs(play(spot, CALL, CALL), (1, 1)) == (47.5, 47.5)
        assert spot.payoffs(play(spot, 50, CALL), (1, 0)) == (142, -50), "10 is more than the cap"
        assert spot.payoffs(play(spot, 50, FOLD)) == (95, 0), "uncalled chips are not raked"

    def test_rake_is_taken_from_the_main_pot_first(self):
        game = replace(self.three, rake=Rake(percent=10, cap=12))
        state = play(game, 100, CALL, CALL)
        assert game.payoffs(state, (1, 2, 3)) == (-60, -2, 62), "10 (rounded down) of 102 and the 2 left of 60"

    @pytest.mark.parametrize(("no_drop", "expected"), [(True, (5, -5)), (False, (4.5, -5))])
    def test_no_flop_no_drop(self, no_drop, expected):
        game = Betting((100, 100), blinds=(5, 10), rake=Rake(percent=5, no_flop_no_drop=no_drop))
        assert game.payoffs(play(game, FOLD)) == expected

    def test_no_flop_no_drop_takes_rake_from_an_all_in_run_out(self):
        game = Betting((100, 100), blinds=(5, 10), rake=Rake(percent=5, no_flop_no_drop=True))
        assert game.payoffs(play(game, 100, CALL), (1, 0)) == (90, -100)

    def test_a_seat_without_chips_plays_for_the_pot_of_the_spot(self):
        game = Betting((100, 100, 0), pot=90, first_round=2)
        state = play(game, 100, CALL)
        assert game.pots(state) == [Pot(90, (0, 1, 2)), Pot(200, (0, 1))]
        assert game.payoffs(state, (2, 1, 3)) == (100, -100, 90)


class TestErrors:
    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"stacks": (100,)}, "stacks must have 2 to 10 seats, not 1"),
            ({"stacks": (100, 0)}, "stacks of a seat must be a whole number from 1"),
            ({"stacks": (100, 99.5)}, "stacks of a seat must be a whole number from 1"),
            ({"stacks": 100}, "stacks must be a list"),
            ({"blinds": (10, 5)}, "the small one, then the big one, not (10, 5)"),
            ({"blinds": (1, 2, 4)}, "blinds must be two"),
            ({"ante": -1}, "ante must be a whole number from 0"),
            ({"first_round": 4}, "first_round must be a whole number from 0 to 3, not 4"),
            ({"first_round": 2, "blinds": (1, 2)}, "first_round must be 0 in a hand with blinds"),
            ({"button": 2}, "button must be a whole number from -1 to 1, not 2"),
            ({"limit": (2, 2)}, "limit must have one number per round (4), not (2, 2)"),
            ({"limit": (2, 2, 4, 4), "min_bet": 2}, "min_bet is for no-limit"),
            ({"max_bets": (4, 4, 4, -1)}, "max_bets of a round must be a whole number from 0"),
            ({"rake": 5}, "rake must be a Rake, not 5"),
            ({"whole_chips": 1}, "whole_chips must be True or False, not 1"),
        ],
    )
    def test_rules(self, fields, words):
        with pytest.raises(InputError) as error:
            Betting(**{"stacks": (100, 100), **fields})
        assert words in str(error.value)

    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"percent": 101}, "rake.percent must be a number from 0 to 100, not 101"),
            ({"percent": 5, "cap": -1}, "rake.cap must be a number of chips, 0 or more, not -1"),
            ({"percent": 5, "cap": 0}, "leave it out for no cap"),
        ],
    )
    def test_rake(self, fields, words):
        with pytest.raises(InputError) as error:
            Rake(**fields)
        assert words in str(error.value)

    @pytest.mark.parametrize(
        ("actions", "wrong", "words"),
        [
            ((), FOLD, "seat 0 cannot fold: nothing is owed, it may check"),
            ((), 9, "seat 0 cannot bet to 9 chips: it may bet to 10 to 400"),
            ((50,), 99, "seat 1 cannot raise to 99 chips: it may raise to 100 to 400"),
            ((400,), 500, "seat 1 cannot raise to 500 chips: no raise is legal"),
            ((), -2, "-2 is no action"),
            ((50, FOLD), CALL, "nobody is to act: the hand is over"),
            ((CALL, CALL), CALL, "nobody is to act: cards are due"),
        ],
    )
    def test_actions(self, actions, wrong, words):
        spot = Betting.spot(100, 400, first_round=2, min_bet=10)
        state = play(spot, *actions, deal=False)
        with pytest.raises(InputError) as error:
            spot.apply(state, wrong)
        assert words in str(error.value)

    def test_too_early(self):
        spot = Betting.spot(100, 400, first_round=2)
        with pytest.raises(InputError, match="no cards are due"):
            spot.deal(spot.initial())
        with pytest.raises(InputError, match="only when the hand is over"):
            spot.payoffs(spot.initial(), (1, 0))
        with pytest.raises(InputError, match="strengths of all 2 seats"):
            spot.payoffs(play(spot, 400, CALL))

"""Translation in flop hold'em: bets that abstract states know, observe and make."""

from dataclasses import replace

import numpy as np
import pytest

from counterpoise.betting.rules import CALL, FOLD
from counterpoise.public import Profile
from counterpoise.public.mini_holdem import FlopHoldem
from counterpoise.search import play_nested, play_translated
from counterpoise.search.translation import Translator

from .flop_holdem import (
    KNOWN,
    best_responses,
    blueprint,
    decisions,
    flop,
    follow,
    game,
    iterate,
    judged,
    same_strategies,
    settings,
)


@pytest.mark.slow
@pytest.mark.parametrize("searcher", [0, 1])
def test_translation_of_known_bets_is_the_identity(searcher):
    same_strategies(play_translated(game(KNOWN).game(), blueprint(), searcher), blueprint(), searcher)


def chosen(profile, action, *way, cards=()):
    """How often each hand takes an action."""
    node = follow(profile.game, *way, cards=cards)
    return node.strategy(profile)[node.actions.index(action)]


def random_strategies(game):
    """Strategies of seat 0 at random."""
    found, rng = Profile(game), np.random.default_rng(0)
    for node in decisions(game, 0):
        node.set_strategy(found, rng.random((len(node.actions), game.hand_counts[0])))
    return found


class TestAbstractStates:
    def test_weights(self):
        """3/4 of the pot is 1/2 with probability 3/7 and 1 with 4/7; two such bets are all pairs of these."""
        small, whole = blueprint((2, 2)), judged(1, (2, 2))
        translator = Translator(small, 1)
        belief, node, seen = translator.start(whole.root), whole.root, []
        for action in (CALL, 250, CALL, 625):
            belief, node = translator.after(node, belief, action), node.child(action)
            if node.kind == "deal":
                node = node.deal(flop(small.game, 1))
                belief = translator.dealt(belief, node)
            assert belief.table.node == node
            seen.append(sorted(state.chance for state in belief.states))
            assert sum(seen[-1]) == pytest.approx(1)
        half, one = 3 / 7, 4 / 7
        assert seen[1] == pytest.approx([half, one])
        assert seen[-1] == pytest.approx([half**2, half * one, half * one, one**2])

    @pytest.mark.slow
    def test_mixture(self):
        """What a hand does along a line is the mean over all ways in which its opponent's bets may be taken."""
        small = random_strategies(game(KNOWN).game())
        whole = play_translated(judged(0), small, 0)
        cards = flop(small.game, 1)
        # Seat 1 opens with 3/4, is called; seat 0 bets 1/2, is raised by 3/4 and calls.
        played = chosen(whole, CALL, 250, cards=cards)
        bet = 250 + 250
        raised = bet + round(0.75 * 4 * 250)
        for way, action in (((250, CALL), bet), ((250, CALL, bet, raised), CALL)):
            played = played * chosen(whole, action, *way, cards=cards)
        wanted = np.zeros_like(played)
        for opening, first in ((200, 3 / 7), (300, 4 / 7)):
            bet = opening + opening
            for size, second in ((0.5, 3 / 7), (1, 4 / 7)):
                own = chosen(small, CALL, opening)
                raised = bet + round(size * 4 * opening)
                for way, action in (((opening, CALL), bet), ((opening, CALL, bet, raised), CALL)):
                    own = own * chosen(small, action, *way, cards=cards)
                wanted += first * second * own
        np.testing.assert_allclose(played, wanted, atol=1e-6)
        assert wanted.max() > 0.01


def always_the_last(game, street=None):
    """A strategy of seat 0: the largest bet everywhere (on a street; elsewhere to call)."""
    found = Profile(game)
    for node in decisions(game, 0):
        rows = np.zeros((len(node.actions), game.hand_counts[0]))
        rows[-1 if street in (None, node.street_tree.street) else node.actions.index(CALL)] = 1
        node.set_strategy(found, rows)
    return found


class TestTableActions:
    """The real bets that the bets of abstract states become."""

    def strategy(self, small, whole, *way, street=None):
        profile = play_translated(whole, always_the_last(small, street), 0)
        node = follow(whole, *way, cards=flop(whole, 1))
        return dict(zip(node.actions, node.strategy(profile).max(axis=1).round(6).tolist(), strict=True))

    @pytest.mark.slow
    def test_all_in_is_all_in(self):
        """All-in is 1.17 of the pot after the call of the state's raise of the pot, and 1.5 after the real raise."""
        words = ("100%", "allin")
        small = FlopHoldem(3, 10, words, words, (3, 1)).game()
        whole = FlopHoldem(3, 10, (words, ("75%", "100%", "allin")), words, (3, 1)).game()
        assert self.strategy(small, whole, 250) == {FOLD: 0, CALL: 0, 750: 0, 1000: 1}
        assert self.strategy(small, whole, 300) == {FOLD: 0, CALL: 0, 900: 0, 1000: 1}

    def test_shares_in_pots_that_do_not_divide(self):
        """62.5% is 250 of 400 chips and 313, 62.6%, of 500: the same bet."""
        small = FlopHoldem(3, 200, ("50%", "100%"), ("62.5%",), (2, 1)).game()
        whole = FlopHoldem(3, 200, ("50%", "75%", "100%"), ("62.5%",), (2, 1)).game()
        assert self.strategy(small, whole, 250, CALL, street=1) == {CALL: 0, 250 + 313: 1}
        assert self.strategy(small, whole, 200, CALL, street=1) == {CALL: 0, 200 + 250: 1}

    @pytest.mark.slow
    def test_bets_that_differ_by_less_than_a_hundredth_of_the_pot(self):
        """What follows one of them does not follow the other."""
        words = ("50%", "50.4%", "100%")
        small, whole = (FlopHoldem(3, 200, ("1000%",), words, (2, 2)).game() for _ in range(2))
        cards, known = flop(small, 1), random_strategies(small)
        played = play_translated(whole, known, 0)
        way = 2100, CALL, CALL
        bets = follow(small, *way, cards=cards).actions[1:]
        assert [round((bet - 2100) / 4200, 3) for bet in bets] == [0.5, 0.504, 1]
        for bet in bets:
            mine, other = (
                follow(profile.game, *way, bet, cards=cards).strategy(profile) for profile in (played, known)
            )
            np.testing.assert_allclose(mine, other, atol=1e-6)

    def test_a_bet_that_is_the_same_but_for_rounding_is_not_a_call(self):
        """A bet of seat 1 that the state knows as 62.5% is heard as that alone, in any pot."""
        small = FlopHoldem(3, 200, ("50%", "100%"), ("62.5%",), (2, 1)).game()
        whole = FlopHoldem(3, 200, ("50%", "75%", "100%"), ("62.5%",), (2, 1)).game()
        cards, translator = flop(small, 1), Translator(Profile(small), 0)
        for opening, size in ((200, 250), (250, 313)):
            belief = translator.start(follow(whole, opening, CALL, CALL, cards=cards))
            place = replace(belief.states[0].place, node=follow(small, 200, CALL, CALL, cards=cards))
            belief = replace(belief, states=(belief.states[0]._replace(place=place),))
            (heard,) = belief.act(opening + size).states
            assert heard.chance == 1
            assert heard.place.node.state.stake == 200 + 250


@pytest.mark.long
def test_search_beats_translation():
    """On 12 cards a best response wins less against nested search than against translation."""
    small, whole = iterate(game(KNOWN, ranks=3).game(), 400), judged(1, ranks=3)
    translation = best_responses(play_translated(whole, small, 1))[0]
    play = play_nested(whole, small, 1, settings("maxmargin", 300))
    assert best_responses(play.profile)[0] < translation - 0.3  # chips: 3 mbb

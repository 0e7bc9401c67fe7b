"""Nested search in flop hold'em that begins at the start of the round."""

from dataclasses import replace

import numpy as np
import pytest

from counterpoise.betting.rules import CALL
from counterpoise.search import NestedSearch, answer, play_nested, play_translated
from counterpoise.search.nested import NestedSearcher

from .flop_holdem import SMALL, best_responses, blueprint, deck_reach, flop, follow, judged, on_the_deck, settings


class TestFromTheStartOfTheRound:
    """Own decisions of the round are frozen, those of the opponent are free."""

    def answered(self, hand=None, **options):
        profile = blueprint()
        node = follow(profile.game, 200, CALL, 400, cards=flop(profile.game, 1))  # seat 0 has bet, seat 1 raises
        chosen = NestedSearch(start="round", algorithm="dcfr", iterations=100, **options)
        return profile, node, answer(node, profile, 700, chosen, hand=hand)

    @pytest.mark.parametrize("method", ["unsafe", "resolve", "maxmargin"])
    def test_frozen_decisions_are_as_played(self, method):
        profile, node, found = self.answered(method=method)
        game, new = profile.game, found.node.game
        assert new.root.dealt == node.dealt
        assert new.root.actions == node.street_start.actions
        assert found.node.steps == (400, 700)
        assert found.node.state.stake == 700
        played = game.scatter_to_deck(0, node.street_start.strategy(profile))
        kept = new.scatter_to_deck(0, new.root.strategy(found.profile))
        alive = kept.sum(axis=0) > 0
        np.testing.assert_allclose(kept[:, alive], played[:, alive], atol=1e-6)
        np.testing.assert_allclose(on_the_deck(found, 0), deck_reach(node, profile, 0), rtol=1e-4, atol=1e-7)
        faced, before = new.root.child(400), node
        assert 700 in faced.actions
        assert 700 not in before.actions
        known = [faced.actions.index(action) for action in before.actions]
        old = game.scatter_to_deck(1, before.strategy(profile))[:, game.hand_numbers[1]]
        free = new.scatter_to_deck(1, faced.strategy(found.profile))[known][:, game.hand_numbers[1]]
        assert abs(free - old).max() > 0.05

    def test_only_the_hand_that_is_held(self):
        """Suits are told apart then, as one hand alone keeps its decisions."""
        profile, node, _ = self.answered(method="unsafe")
        game = profile.game
        held = int(np.flatnonzero(node.reach(profile)[0] > 0.1)[0])
        profile, node, found = self.answered(hand=held, method="unsafe", freeze="own_hand")
        new = found.node.game
        assert not new.rules.isomorphism
        played = game.scatter_to_deck(0, node.street_start.strategy(profile))
        kept = new.scatter_to_deck(0, new.root.strategy(found.profile))
        number = int(game.hand_numbers[0][held])
        np.testing.assert_allclose(kept[:, number], played[:, number], atol=1e-6)
        others = [k for k in new.hand_numbers[0].tolist() if k != number]
        assert abs(kept[:, others] - played[:, others]).max() > 0.05

    def test_a_second_unknown_raise_keeps_the_first(self):
        """The next search of the round begins at its start again and knows both raises."""
        profile = blueprint((2, 4))
        node = follow(profile.game, 200, CALL, CALL, cards=flop(profile.game, 1))  # seat 1 bets after a check
        searcher = NestedSearcher(profile, 0, NestedSearch(method="maxmargin", start="round", iterations=30))
        view = replace(searcher.start(node.game.root), node=node)
        view = searcher.after(node, view, 350)
        assert view.node.steps == (CALL, 350)
        raised = view.node.actions[-1]
        again = searcher.after(view.node, view, raised)
        assert again.node.player == 1
        unknown = raised + (raised - 350) + 77
        last = searcher.after(again.node, again, unknown)
        assert last.node.steps == (CALL, 350, raised, unknown)
        assert searcher.searches == 2
        np.testing.assert_allclose(
            deck_reach(last.node, last.profile, 0), deck_reach(again.node, again.profile, 0), rtol=1e-3, atol=1e-6
        )

    def test_everywhere(self):
        """Whole strategies: the searcher's is a probability everywhere, and safe search costs little."""
        whole, small = judged(0, SMALL), blueprint(SMALL)
        chosen = NestedSearch(method="resolve", start="round", algorithm="dcfr", iterations=100)
        play = play_nested(whole, small, 0, chosen)
        plain = play_nested(whole, small, 0, settings("resolve", 100))
        assert play.searches == plain.searches
        assert best_responses(play.profile)[1] < best_responses(play_translated(whole, small, 0))[1] + 0.5

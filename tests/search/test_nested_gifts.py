"""Alternatives and gifts of nested search in flop hold'em, against float64 evaluation hand by hand."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from counterpoise.betting.rules import CALL
from counterpoise.search import NestedSearch, answer, play_nested
from counterpoise.search.alternatives import value_at
from counterpoise.search.gifts import gift_at
from counterpoise.search.nested import NestedSearcher
from counterpoise.search.nested_problem import make_problem
from tests.public.holdem_oracle import Oracle

from .flop_holdem import SMALL, best_responses, blueprint, flop, follow, judged, settings


class TestOracle:
    """Alternatives and gifts of a hand-by-hand evaluation that knows no symmetry."""

    oracle = staticmethod(cache(Oracle))

    def best(self, node, profile, player, after=None):
        oracle = self.oracle(profile)
        reach = node.reach(profile)[1 - player]
        live = oracle.alive(node.dealt)
        mass = (oracle.apart if player == 0 else oracle.apart.T) @ (reach * live[1 - player])
        values = oracle.values(after or node, player, reach)[1]
        known = live[player] & (mass > 1e-5 * reach.sum())
        return np.where(known, values / np.where(known, mass, 1), np.nan)

    @pytest.mark.parametrize("way", [(), (CALL,), (CALL, CALL), (CALL, 200), (CALL, CALL, 300)], ids=str)
    def test_alternatives(self, way):
        profile = blueprint(SMALL)
        node = follow(profile.game, *way, cards=flop(profile.game, 2))
        found, wanted = value_at(node, node.player, profile), self.best(node, profile, node.player)
        np.testing.assert_allclose(found[np.isfinite(wanted)], wanted[np.isfinite(wanted)], atol=0.05)

    def test_gifts(self):
        """Of a bet that could have been a showdown: what the showdown is worth more, and nothing if it is not."""
        profile = blueprint(SMALL)
        node = follow(profile.game, CALL, CALL, cards=flop(profile.game, 2))  # seat 1, after a check
        after = {action: self.best(node, profile, 1, node.child(action)) for action in (CALL, 200)}
        wanted = np.fmax(after[CALL] - after[200], 0)
        found = gift_at(node, 200, profile)
        np.testing.assert_allclose(found[np.isfinite(wanted)], wanted[np.isfinite(wanted)], atol=0.05)
        assert wanted[np.isfinite(wanted)].max() > 1

    def test_exploitability(self):
        """A whole strategy of searches is worth the same by hand-by-hand evaluation."""
        play = play_nested(judged(0, SMALL), blueprint(SMALL), 0, settings("resolve"))
        np.testing.assert_allclose(best_responses(play.profile), Oracle(play.profile).totals()[1], atol=1e-3)


@pytest.mark.parametrize("start", ["after", "before"])
def test_the_gift_of_an_answered_bet(start):
    """A raise instead of a fold or a call gives up what these are worth more than the raise in the new tree."""
    profile = blueprint(SMALL)
    game = profile.game
    node = follow(game, CALL, 200, cards=flop(game, 2))  # seat 1 faces 1/2 pot
    found = answer(node, profile, 500, NestedSearch(method="resolve", start=start, algorithm="dcfr", iterations=100))
    mass, new = node.mass(1, node.reach(profile)[0]), found.node.game
    alive = mass > 0
    ends = node.best_action_values(profile)[:2, alive] / mass[alive]
    taken = found.result.best_values
    if start == "before":
        number = new.root.actions.index(500)
        taken = new.root.best_action_values(found.profile)[number] / new.from_hands_of(game, 1, mass)
    taken = game.from_hands_of(new, 1, taken)[alive]
    wanted = np.fmax((ends - taken).max(axis=0), 0)
    given = gift_at(node, 500, profile, led_to=(found.node, found.profile))
    np.testing.assert_allclose(given[alive], wanted, atol=1e-3)
    assert wanted.max() > 1


def test_gifts_along_nested_answers():
    """What was given up before an answered bet, by it and after it adds up, in the order of each game's own hands."""
    profile = blueprint((2, 4))
    searcher = NestedSearcher(profile, 0, NestedSearch(gifts=True, algorithm="dcfr", iterations=60))
    first = follow(profile.game, 200, CALL, CALL, cards=flop(profile.game, 1))
    view = searcher.after(
        first, replace(searcher.start(profile.game.root), node=first), 350
    )  # not known: 3/8 of the pot
    bet = gift_at(first, 350, profile, led_to=(view.node, view.profile))
    np.testing.assert_allclose(view.path.gifts, bet)
    raised = view.node.actions[-1]
    node = searcher.after(view.node, view, raised)
    assert node.node.player == 1
    unknown = raised + (raised - 350) + 77
    last = searcher.after(node.node, node, unknown)
    second = gift_at(node.node, unknown, node.profile, led_to=(last.node, last.profile))
    total = node.node.game.from_hands_of(profile.game, 1, bet) + second
    np.testing.assert_allclose(last.path.gifts, total, atol=1e-6)
    assert total.max() > 1
    used = make_problem(node.node, node.profile, unknown, searcher.settings, gifts=node.path.gifts_in(node.node))
    plain = value_at(node.node, 1, node.profile)
    raised_by = used.subgame.game.from_hands_of(node.node.game, 1, plain + node.path.gifts_in(node.node))
    known = np.isfinite(raised_by)
    np.testing.assert_allclose(used.alternative[known], raised_by[known], atol=1e-6)

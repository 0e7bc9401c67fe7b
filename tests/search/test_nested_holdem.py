"""Nested search in flop hold'em: what it plays, where it begins and what it gains."""

from itertools import pairwise

import numpy as np
import pytest

from counterpoise.betting.rules import CALL, FOLD, Betting
from counterpoise.betting.sizes import BetSizes
from counterpoise.cards import Range, parse_cards
from counterpoise.errors import InputError
from counterpoise.public import HoldemRules, Profile, Traverser, build_holdem
from counterpoise.search import NestedSearch, Subgame, answer, play_nested, play_translated
from counterpoise.search.alternatives import value_at

from .flop_holdem import (
    ALL,
    KNOWN,
    METHODS,
    SMALL,
    best_responses,
    blueprint,
    decisions,
    deck_reach,
    flop,
    follow,
    game,
    iterate,
    judged,
    on_the_deck,
    same_strategies,
    settings,
)


@pytest.mark.parametrize("searcher", [0, 1])
def test_without_unknown_bets_the_blueprint_is_played(searcher):
    play = play_nested(game(KNOWN).game(), blueprint(), searcher)
    assert play.searches == 0
    same_strategies(play.profile, blueprint(), searcher)


@pytest.mark.parametrize("play", [lambda *args: play_nested(*args).profile, play_translated])
def test_a_blueprint_may_know_more_of_suits(play):
    """A tree of all flops one by one plays what a blueprint of kinds of flops says."""
    rules = game(KNOWN, SMALL)
    everything = Range(np.ones(rules.deck.hand_count), rules.deck)
    ranges = (everything, everything)
    whole = build_holdem(HoldemRules((), ranges, rules.betting, rules.sizes, rules.deck, deals=(3,), isomorphism=False))
    same_strategies(play(whole, blueprint(SMALL), 0), blueprint(SMALL), 0)


@pytest.mark.parametrize("searcher", [0, 1])
@pytest.mark.parametrize("name", [*METHODS, "translation"])
def test_the_strategy_is_a_probability_everywhere(name, searcher):
    """Every hand has a distribution at every decision; one search for each unknown bet on each flop."""
    whole = judged(searcher, SMALL)
    if name == "translation":
        profile = play_translated(whole, blueprint(SMALL), searcher)
    else:
        play = play_nested(whole, blueprint(SMALL), searcher, settings(name, 30))
        profile = play.profile
        assert play.searches == 3 * (len(whole.board_nodes) - 1)
    for node in decisions(whole, searcher):
        place = whole.place(node.tree, node.at[1], node.board)
        count, held = len(node.actions), int(whole.boards.held[searcher, node.board])
        stored = profile.numbers[place.entry : place.entry + count * place.stride].reshape(count, -1)[:, :held]
        assert (stored >= 0).all()
        np.testing.assert_allclose(stored.sum(axis=0), 1, atol=1e-5)


@pytest.mark.parametrize("method", ["resolve", "maxmargin"])
@pytest.mark.parametrize("where", ["opening", "flop", "raise"])
def test_12_a_bet_that_is_known_gains_nothing(method, where):
    """If an "unknown" bet has the size of a known one, no hand wins more by it than it could without."""
    profile = blueprint()
    cards = flop(profile.game, 1)
    way, bet = {"opening": ((), 300), "flop": ((200, CALL), 400), "raise": ((200, CALL, 400), 800)}[where]
    iterations = 4000 if where == "opening" else 1000
    found = answer(follow(profile.game, *way, cards=cards), profile, bet, settings(method, iterations))
    assert np.nanmax(found.result.margins) >= 0
    assert np.nanmin(found.result.margins) > -0.1  # chips; the bet is 100 and more


def test_a_river_of_52_cards():
    """Cards dealt since the tree began are no obstacle: a bet on the river that is known gains nothing."""
    board = tuple(parse_cards("Qs Jh 2h 8d"))
    ranges = Range.from_string("AA,KK,QQ,T9s"), Range.from_string("KQ,88,76s,A5s")
    sizes = BetSizes.read({street: {"bet": ["50%", "100%"], "raise": []} for street in ("turn", "river")}, 2)
    rules = HoldemRules(board, ranges, Betting.spot(pot=100, stack=1000, first_round=2), sizes)
    profile = iterate(build_holdem(rules), 200)
    node = follow(profile.game, CALL, CALL, cards=tuple(parse_cards("3c")))
    found = answer(node, profile, 50, settings("resolve", 300))
    assert np.nanmin(found.result.margins) > -0.5
    unknown = answer(node, profile, 75, settings("maxmargin", 300))
    assert unknown.node.actions == (FOLD, CALL)
    np.testing.assert_allclose(on_the_deck(unknown, 1), deck_reach(node, profile, 1), rtol=1e-4)


def test_ranges_after_an_answer():
    """The new tree begins with the searcher's reach in the old one, and the opponent's where search uses it."""
    profile = blueprint()
    node = follow(profile.game, 200, CALL, 400, cards=flop(profile.game, 1))  # seat 0 has bet, seat 1 raises
    searcher = 0
    for name in ("maxmargin", "unsafe"):
        found = answer(node, profile, 700, settings(name, 50))
        assert found.node.player == searcher
        assert found.node.state.stake == 700
        np.testing.assert_allclose(on_the_deck(found, searcher), deck_reach(node, profile, searcher), rtol=1e-4)
    chosen = found.node.game.root  # unsafe: the opponent's decision, with the bet in it
    assert 700 in chosen.actions
    bets = chosen.strategy(found.profile)[chosen.actions.index(700)]
    made = chosen.game.scatter_to_deck(1, bets) * deck_reach(node, profile, 1)
    np.testing.assert_allclose(on_the_deck(found, 1), made, rtol=1e-4, atol=1e-9)


@pytest.mark.slow
def test_suits_change_nothing():
    """Flops searched one by one give what their representatives give."""

    def loss(isomorphism):
        def built(words):
            rules = game(words, SMALL)
            everything = Range(np.ones(rules.deck.hand_count), rules.deck)
            ranges = (everything, everything)
            return build_holdem(
                HoldemRules((), ranges, rules.betting, rules.sizes, rules.deck, deals=(3,), isomorphism=isomorphism)
            )

        play = play_nested(built((ALL, KNOWN)), iterate(built(KNOWN), 100), 1, settings("maxmargin", 50))
        return play.searches, best_responses(play.profile)[0]

    classes, found = loss(True)
    flops, wanted = loss(False)
    assert flops == 3 * 56 > classes
    assert found == pytest.approx(wanted, abs=0.02)  # chips


def test_a_subtree_is_worth_what_it_is_worth_in_the_whole():
    profile = blueprint()
    game = profile.game
    for place in (follow(game, CALL), follow(game, 200, CALL, CALL, cards=flop(game, 3))):
        part = game.subtree(place, place.reach(profile))
        again = game.subtree(place, place.reach(profile), share_boards_with=part)
        assert again.boards is part.boards
        for copy in (part, again):
            copied = Profile(copy)
            for node in copy.root.decisions_below():
                mirror = place
                for above, after in pairwise(node.path()):
                    if above.kind == "deal":
                        mirror = mirror.deal(after.dealt[len(above.dealt) :])
                    else:
                        mirror = mirror.child(next(action for action, child in above.children() if child == after))
                node.set_strategy(copied, copy.from_hands_of(game, node.player, mirror.strategy(profile)))
            for player in range(2):
                found = copy.root.best_values(player, copied)
                wanted = copy.from_hands_of(game, player, place.best_values(player, profile))
                np.testing.assert_allclose(found, wanted, atol=1e-4 * abs(wanted).max())


def test_nobody_was_expected():
    """If every hand of the opponent is believed in after all, totals are those of a tree with these ranges."""
    profile = blueprint(SMALL)
    node = follow(profile.game, CALL, cards=flop(profile.game, 1))
    ours, ones = node.reach(profile)[0] / 2, np.ones(28)
    nobody, everybody = (profile.game.subtree(node, (ours, other)) for other in (np.zeros(28), ones))
    found = Subgame(nobody, 0).with_full_opponent_range_if_empty().game
    assert found.mass == pytest.approx(everybody.mass)
    assert found.pair_mass == pytest.approx(everybody.pair_mass)
    for one, other in zip(found.weights, everybody.weights, strict=True):
        assert one == pytest.approx(other)
    ours, theirs = (iterate(part, 20) for part in (found, everybody))
    mine, other = Traverser(found), Traverser(everybody)
    assert mine.exploitability(ours) == pytest.approx(other.exploitability(theirs), rel=1e-3, abs=1e-3)
    assert mine.root_values(ours) == pytest.approx(other.root_values(theirs), rel=1e-3, abs=1e-3)
    assert nobody.mass == 0


def test_numbers_of_numpy_are_bets():
    profile = blueprint(SMALL)
    node = follow(profile.game, CALL, CALL, cards=flop(profile.game, 2))
    found, again = (answer(node, profile, bet, settings("resolve", 5)) for bet in (np.int64(250), 250))
    assert np.array_equal(found.result.best_values, again.result.best_values, equal_nan=True)


def test_nothing_to_search_where_the_searcher_never_comes():
    profile = iterate(game(KNOWN, SMALL).game(), 20)
    root = profile.game.root
    rows = np.zeros((len(root.actions), profile.game.hand_counts[1]))
    rows[root.actions.index(FOLD)] = 1
    root.set_strategy(profile, rows)
    with pytest.raises(InputError, match="never gets there"):
        answer(follow(profile.game, CALL, cards=flop(profile.game, 1)), profile, 250)
    assert play_nested(judged(1, SMALL), profile, 1).searches == 0


def test_known_actions_are_answered_too():
    """With `always` each known bet is answered by search, from its own value, and no hand gains by it."""
    profile = blueprint()
    node = follow(profile.game, 200, CALL, cards=flop(profile.game, 1))
    chosen = NestedSearch(method="resolve", always=True, algorithm="dcfr", iterations=500)
    found = answer(node, profile, 400, chosen)
    expected = found.node.game.from_hands_of(profile.game, node.player, value_at(node.child(400), node.player, profile))
    known = np.isfinite(found.result.alternative)
    np.testing.assert_allclose(found.result.alternative[known], expected[known], atol=1e-6)
    assert np.nanmin(found.result.margins) > -0.5
    rough = iterate(game(KNOWN, SMALL).game(), 10)
    searched, plain = (
        play_nested(rough.game, rough, 0, NestedSearch(method="resolve", always=always, iterations=100))
        for always in (True, False)
    )
    assert plain.searches == 0
    bets = [at for at in decisions(rough.game, 1) if at.dealt]
    after = sum(child.kind == "decision" for at in bets for _, child in at.children())
    assert searched.searches == after > 30
    assert best_responses(searched.profile)[1] < best_responses(plain.profile)[1]

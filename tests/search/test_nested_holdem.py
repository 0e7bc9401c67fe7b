"""Nested search and translation in flop hold'em, against float64 evaluation hand by hand and flop by flop."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from counterpoise.betting.rules import CALL, FOLD, Betting
from counterpoise.betting.sizes import BetSizes
from counterpoise.cards import Range, parse_cards
from counterpoise.errors import InputError
from counterpoise.public import HoldemRules, Profile, Traverser, build_holdem
from counterpoise.public.mini_holdem import FlopHoldem
from counterpoise.search import NestedSearch, Subgame, answer, play_nested, play_translated
from counterpoise.search.alternatives import value_at
from counterpoise.search.gifts import gift_at
from counterpoise.search.nested import NestedSearcher, make_problem
from counterpoise.search.translation import Translator
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.solvers.run import make_algorithm
from tests.public.holdem_oracle import Oracle

KNOWN, ALL = ("50%", "100%"), ("50%", "75%", "100%")
SMALL = (1, 2)  # no bet before the flop, where the big blind is not even asked; two on it
METHODS = {
    "resolve": NestedSearch(method="resolve"),
    "maxmargin": NestedSearch(method="maxmargin"),
    "reach": NestedSearch(method="maxmargin", gifts=True),
    "unsafe": NestedSearch(method="unsafe", start="before"),
    "expensive": NestedSearch(method="maxmargin", gifts=True, start="before"),
    "expected": NestedSearch(method="resolve", expected=True),
}


def game(words, max_bets=(2, 3), ranks=2):
    return FlopHoldem(ranks, preflop=words, flop=words, max_bets=max_bets)


def judged(searcher, max_bets=(2, 3), ranks=2):
    """The game in which the searcher lacks bets of 3/4."""
    return game((KNOWN, ALL) if searcher == 0 else (ALL, KNOWN), max_bets, ranks).game()


def iterate(game, iterations=300):
    """The average strategies after some iterations."""
    solver = PublicSolver(make_algorithm("dcfr"), game)
    solver.step(iterations)
    return solver.average


@cache
def blueprint(max_bets=(2, 3), ranks=2):
    return iterate(game(KNOWN, max_bets, ranks).game())


def best_responses(profile):
    return Traverser(profile.game).best_response_values(profile)


def settings(name, iterations=100):
    chosen = METHODS[name]
    return NestedSearch(**{**chosen.__dict__, "algorithm": "dcfr", "iterations": iterations})


def decisions(game, player):
    """All decisions of a player on all expanded boards."""
    return [node for node in game.root.decisions_below() if node.player == player]


def flop(game, number):
    """The cards of an expanded board."""
    return game.board_nodes[number].cards


def follow(game, *actions, cards=()):
    """The node after actions, the flop being dealt where it is due."""
    node = game.root
    for action in actions:
        node = node.child(action)
        if node.kind == "deal":
            node = node.deal(cards)
    return node


def deck_reach(node, profile, player):
    return node.game.scatter_to_deck(player, node.reach(profile)[player])


def on_the_deck(found, player):
    """A player's reach where play goes on after an answer, by hand of the deck."""
    return deck_reach(found.node, found.profile, player)


def same_strategies(profile, other, player):
    for node in decisions(profile.game, player):
        mirror = other.game.root
        for above, after in pairwise(node.path()):
            if above.kind == "deal":
                mirror = mirror.deal(after.dealt[len(above.dealt) :])
            else:
                mirror = mirror.child(next(action for action, child in above.children() if child == after))
        np.testing.assert_allclose(node.strategy(profile), mirror.strategy(other), atol=1e-6)


@pytest.mark.parametrize("searcher", [0, 1])
def test_without_unknown_bets_the_blueprint_is_played(searcher):
    play = play_nested(game(KNOWN).game(), blueprint(), searcher)
    assert play.searches == 0
    same_strategies(play.profile, blueprint(), searcher)


@pytest.mark.parametrize("searcher", [0, 1])
def test_translation_of_known_bets_is_the_identity(searcher):
    same_strategies(play_translated(game(KNOWN).game(), blueprint(), searcher), blueprint(), searcher)


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
    """If an "unknown" bet has the size of a known one, no hand wins more by it than it could without (check 12)."""
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


class TestShadows:
    def test_weights(self):
        """3/4 of the pot is 1/2 with probability 3/7 and 1 with 4/7; two such bets are all pairs of these."""
        small, whole = blueprint((2, 2)), judged(1, (2, 2))
        translator = Translator(small, 1)
        view, node, seen = translator.start(), whole.root, []
        for action in (CALL, 250, CALL, 625):
            view, node = translator.after(node, view, action), node.child(action)
            if node.kind == "deal":
                node = node.deal(flop(small.game, 1))
                view = translator.dealt(view, node)
            seen.append(sorted(shadow.chance for shadow in view))
            assert sum(seen[-1]) == pytest.approx(1)
        half, one = 3 / 7, 4 / 7
        assert seen[1] == pytest.approx([half, one])
        assert seen[-1] == pytest.approx([half**2, half * one, half * one, one**2])

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


class TestAnswersOfShadows:
    """The real bets that the bets of shadows become."""

    def strategy(self, small, whole, *way, street=None):
        profile = play_translated(whole, always_the_last(small, street), 0)
        node = follow(whole, *way, cards=flop(whole, 1))
        return dict(zip(node.actions, node.strategy(profile).max(axis=1).round(6).tolist(), strict=True))

    def test_all_in_is_all_in(self):
        """All-in is 1.17 of the pot after the call of the shadow's raise of the pot, and 1.5 after the real raise."""
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
        """A bet of seat 1 that the shadow knows as 62.5% is heard as that alone, in any pot."""
        small = FlopHoldem(3, 200, ("50%", "100%"), ("62.5%",), (2, 1)).game()
        whole = FlopHoldem(3, 200, ("50%", "75%", "100%"), ("62.5%",), (2, 1)).game()
        cards, translator = flop(small, 1), Translator(Profile(small), 0)
        for opening, size in ((200, 250), (250, 313)):
            (shadow,) = translator.start()
            shadow = shadow._replace(at=follow(small, 200, CALL, CALL, cards=cards))
            at = follow(whole, opening, CALL, CALL, cards=cards)
            (heard,) = translator.after(at, [shadow], opening + size)
            assert heard.chance == 1
            assert heard.at.state.stake == 200 + 250


OTHER_GAMES = {
    "deck": FlopHoldem(3, preflop=KNOWN, flop=KNOWN, max_bets=SMALL),
    "betting": FlopHoldem(2, 100, preflop=KNOWN, flop=KNOWN, max_bets=SMALL),
}


@pytest.mark.parametrize("play", [play_nested, play_translated])
@pytest.mark.parametrize("differs", list(OTHER_GAMES))
def test_blueprints_of_other_games(play, differs):
    with pytest.raises(InputError, match=f"the blueprint must be of the same game but for bet sizes; .* {differs}"):
        play(OTHER_GAMES[differs].game(), blueprint(SMALL), 0)


def test_blueprints_on_other_boards():
    profile = blueprint(SMALL)
    game, parts = profile.game, []
    for board in (1, 2):
        node = follow(game, CALL, CALL, cards=flop(game, board))
        parts.append(game.subtree(node, node.reach(profile)))
    with pytest.raises(InputError, match=r"it has another board$"):
        play_translated(parts[0], Profile(parts[1]), 0)


def test_boards_of_another_game():
    """Only games of the same cards share boards; another board, deck, range or symmetry is not the same."""
    profile = blueprint(SMALL)
    game = profile.game
    first, second = (follow(game, CALL, CALL, cards=flop(game, number)) for number in (1, 2))
    made = game.subtree(first, first.reach(profile))
    with pytest.raises(InputError, match=r"boards can be shared by games of the same cards; they differ in board$"):
        game.subtree(second, second.reach(profile), share_boards_with=made)
    with pytest.raises(InputError, match=r"they differ in board$"):
        answer(second, profile, 250, settings("resolve", 5), share_boards_with=made)
    with pytest.raises(InputError, match=r"they differ in board and deal$"):
        game.subtree(first, first.reach(profile), share_boards_with=game)
    full = Range(np.ones(28), game.deck)
    half = Range(np.r_[np.ones(14), np.zeros(14)], game.deck)

    def rules(ranges, **more):
        return HoldemRules((), ranges, game.betting, game.sizes, game.deck, deals=(3,), **more)

    with pytest.raises(InputError, match=r"they differ in range$"):
        build_holdem(rules((full, full)), share_boards_with=build_holdem(rules((half, full))))
    plain = build_holdem(rules((full, full), isomorphism=False))
    with pytest.raises(InputError, match=r"they differ in use of isomorphism$"):
        build_holdem(rules((full, full)), share_boards_with=plain)
    with pytest.raises(InputError, match="they differ in deck"):
        build_holdem(rules((full, full)), share_boards_with=blueprint(SMALL, 3).game)


def test_cards_that_cannot_be_dealt():
    profile = blueprint(SMALL)
    deal = follow(profile.game, CALL, CALL).parent if False else profile.game.root.child(CALL)
    for cards in ((0,), (0, 1), (0, 1, 2, 3), (0, 0, 1)):
        with pytest.raises(InputError, match="cards dealt"):
            deal.deal(cards).strategy(profile)


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


@pytest.mark.long
def test_search_beats_translation():
    """On 12 cards a best response wins less against nested search than against translation."""
    small, whole = iterate(game(KNOWN, ranks=3).game(), 400), judged(1, ranks=3)
    translation = best_responses(play_translated(whole, small, 1))[0]
    play = play_nested(whole, small, 1, settings("maxmargin", 300))
    assert best_responses(play.profile)[0] < translation - 0.3  # chips: 3 mbb


@pytest.mark.parametrize(
    ("bet", "chosen", "gifts", "message"),
    [
        (150, NestedSearch(), None, "bet 150 is not possible: it may be 200 to 20000 chips in all"),
        (True, NestedSearch(), None, "bet True is not possible"),
        (250, NestedSearch(gifts=True), None, "gifts must be given"),
        (250, NestedSearch(gifts=True), np.array(3.0), r"gifts must be 28 .*not \(\)"),
    ],
    ids=["bet", "no bet", "gifts", "one gift"],
)
def test_wrong_input(bet, chosen, gifts, message):
    profile = blueprint()
    with pytest.raises(InputError, match=message):
        answer(profile.game.root, profile, bet, chosen, gifts=gifts)


def test_wrong_seats_and_words():
    profile = blueprint(SMALL)
    with pytest.raises(InputError, match="bet 250 is not possible: no bet is"):
        answer(profile.game.root, profile, 250)
    with pytest.raises(InputError, match="searcher must be seat 0 or 1, not 2"):
        play_nested(profile.game, profile, 2)
    with pytest.raises(InputError, match="translation must be"):
        play_translated(profile.game, profile, 0, "best")


def test_nothing_to_search_where_the_searcher_never_comes():
    profile = iterate(game(KNOWN, SMALL).game(), 20)
    root = profile.game.root
    rows = np.zeros((len(root.actions), profile.game.hand_counts[1]))
    rows[root.actions.index(FOLD)] = 1
    root.set_strategy(profile, rows)
    with pytest.raises(InputError, match="never gets there"):
        answer(follow(profile.game, CALL, cards=flop(profile.game, 1)), profile, 250)
    assert play_nested(judged(1, SMALL), profile, 1).searches == 0


class TestFromTheStartOfTheRound:
    """Check 22: own decisions of the round are frozen, those of the opponent are free."""

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
        view = searcher.start()._replace(node=node)
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


def test_gifts_along_nested_answers():
    """What was given up before an answered bet, by it and after it adds up, in the order of each game's own hands."""
    profile = blueprint((2, 4))
    searcher = NestedSearcher(profile, 0, NestedSearch(gifts=True, algorithm="dcfr", iterations=60))
    first = follow(profile.game, 200, CALL, CALL, cards=flop(profile.game, 1))
    view = searcher.after(first, searcher.start()._replace(node=first), 350)  # not known: 3/8 of the pot
    bet = gift_at(first, 350, profile, led_to=(view.node, view.profile))
    np.testing.assert_allclose(view.way.gifts, bet)
    raised = view.node.actions[-1]
    node = searcher.after(view.node, view, raised)
    assert node.node.player == 1
    unknown = raised + (raised - 350) + 77
    last = searcher.after(node.node, node, unknown)
    second = gift_at(node.node, unknown, node.profile, led_to=(last.node, last.profile))
    total = node.node.game.from_hands_of(profile.game, 1, bet) + second
    np.testing.assert_allclose(last.way.gifts, total, atol=1e-6)
    assert total.max() > 1
    used = make_problem(node.node, node.profile, unknown, searcher.settings, gifts=node.way.gifts_in(node.node))
    plain = value_at(node.node, 1, node.profile)
    raised_by = used.subgame.game.from_hands_of(node.node.game, 1, plain + node.way.gifts_in(node.node))
    known = np.isfinite(raised_by)
    np.testing.assert_allclose(used.alternative[known], raised_by[known], atol=1e-6)

"""Nested search and translation in flop hold'em, against float64 evaluation hand by hand and flop by flop."""

from functools import cache

import numpy as np
import pytest

from counterpoise.betting.rules import CALL, FOLD, Betting
from counterpoise.betting.sizes import BetSizes
from counterpoise.cards import Range, parse_cards
from counterpoise.errors import InputError
from counterpoise.public import HoldemTree
from counterpoise.public.lines import Leaf
from counterpoise.public.mini_holdem import FlopHoldem
from counterpoise.search import NestedSearch, Subgame, answer, play_nested_holdem, play_translated_holdem
from counterpoise.search.nested_holdem import given_up, root_values
from counterpoise.search.play_holdem import Place
from counterpoise.search.translation_holdem import HoldemShadow, HoldemTranslator
from counterpoise.solvers.public.solver import public_schedule
from counterpoise.solvers.run import make_algorithm
from tests.public.test_mini_holdem import Oracle

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
    return game((KNOWN, ALL) if searcher == 0 else (ALL, KNOWN), max_bets, ranks).tree()


def iterate(tree, iterations=300):
    tree.iterate(public_schedule(make_algorithm("dcfr"), 0, iterations))
    return tree


@cache
def blueprint(max_bets=(2, 3), ranks=2):
    return iterate(game(KNOWN, max_bets, ranks).tree())


def settings(name, iterations=100):
    chosen = METHODS[name]
    return NestedSearch(**{**chosen.__dict__, "algorithm": "dcfr", "iterations": iterations})


def decisions(tree, player):
    """All decisions of a player on all expanded boards: line, decision, board."""
    for number, line in enumerate(tree.lines):
        for board, table in enumerate(tree.tables_of):
            if table.street == line.street:
                for place, decision in enumerate(line.decisions):
                    if decision.player == player:
                        yield number, place, board


def follow(tree, *actions, cards=()):
    """The place after actions, the flop being dealt where it is due."""
    place = Place(tree, 0, 0, ())
    for action in actions:
        following = place.after(action)
        place = Place(tree, following.line, 0, cards) if isinstance(following, Leaf) else following
    return place


def same_strategies(tree, other, player):
    for line, decision, board in decisions(tree, player):
        cards = tree.tables_of[board].cards
        np.testing.assert_allclose(
            tree.behaviour(line, decision, cards), other.behaviour(line, decision, cards), atol=1e-6
        )


@pytest.mark.parametrize("searcher", [0, 1])
def test_without_unknown_bets_the_blueprint_is_played(searcher):
    whole = game(KNOWN).tree()
    assert play_nested_holdem(whole, blueprint(), searcher) == 0
    same_strategies(whole, blueprint(), searcher)


@pytest.mark.parametrize("searcher", [0, 1])
def test_translation_of_known_bets_is_the_identity(searcher):
    whole = game(KNOWN).tree()
    play_translated_holdem(whole, blueprint(), searcher)
    same_strategies(whole, blueprint(), searcher)


@pytest.mark.parametrize("play", [play_nested_holdem, play_translated_holdem])
def test_a_blueprint_may_know_more_of_suits(play):
    """A tree of all flops one by one plays what a blueprint of kinds of flops says."""
    rules = game(KNOWN, SMALL)
    everything = Range(np.ones(rules.deck.hand_count), rules.deck)
    ranges = (everything, everything)
    whole = HoldemTree((), ranges, rules.betting, rules.sizes, rules.deck, deals=(3,), isomorphism=False)
    play(whole, blueprint(SMALL), 0)
    same_strategies(whole, blueprint(SMALL), 0)


@pytest.mark.parametrize("searcher", [0, 1])
@pytest.mark.parametrize("name", [*METHODS, "translation"])
def test_the_strategy_is_a_probability_everywhere(name, searcher):
    """Every hand has a distribution at every decision; one search for each unknown bet on each flop."""
    whole = judged(searcher, SMALL)
    if name == "translation":
        play_translated_holdem(whole, blueprint(SMALL), searcher)
    else:
        found = play_nested_holdem(whole, blueprint(SMALL), searcher, settings(name, 30))
        assert found == 3 * (len(whole.tables_of) - 1)
    for line, decision, board in decisions(whole, searcher):
        stored = whole._read(whole.tables.average, line, decision, board)
        assert (stored >= 0).all()
        np.testing.assert_allclose(stored.sum(axis=0), 1, atol=1e-5)


@pytest.mark.parametrize("method", ["resolve", "maxmargin"])
@pytest.mark.parametrize("where", ["opening", "flop", "raise"])
def test_12_a_bet_that_is_known_gains_nothing(method, where):
    """If an "unknown" bet has the size of a known one, no hand wins more by it than it could without (check 12)."""
    tree = blueprint()
    cards = tree.tables_of[1].cards
    place, bet = {
        "opening": (follow(tree), 300),
        "flop": (follow(tree, 200, CALL, cards=cards), 400),
        "raise": (follow(tree, 200, CALL, 400, cards=cards), 800),
    }[where]
    found = answer(place, bet, settings(method, 1000))
    assert np.nanmax(found.result.margins) >= 0
    assert np.nanmin(found.result.margins) > -0.1  # chips; the bet is 100 and more


def test_a_river_of_52_cards():
    """Cards dealt since the tree began are no obstacle: a bet on the river that is known gains nothing."""
    board = tuple(parse_cards("Qs Jh 2h 8d"))
    ranges = Range.from_string("AA,KK,QQ,T9s"), Range.from_string("KQ,88,76s,A5s")
    sizes = BetSizes.read({street: {"bet": ["50%", "100%"], "raise": []} for street in ("turn", "river")}, 2)
    tree = iterate(HoldemTree(board, ranges, Betting.spot(pot=100, stack=1000, first_round=2), sizes), 200)
    place = follow(tree, CALL, CALL, cards=(*board, *parse_cards("3c")))
    found = answer(place, 50, settings("resolve", 300))
    assert np.nanmin(found.result.margins) > -0.5
    unknown = answer(place, 75, settings("maxmargin", 300))
    assert unknown.place.node.actions == (FOLD, CALL)
    np.testing.assert_allclose(unknown.place.reaches[1], place.reaches[1], rtol=1e-4)


@pytest.mark.parametrize("start", ["after", "before"])
def test_the_gift_of_an_answered_bet(start):
    """A raise instead of a fold or a call gives up what these are worth more than the raise in the new tree."""
    tree = blueprint(SMALL)
    place = follow(tree, CALL, 200, cards=tree.tables_of[2].cards)  # seat 1 faces 1/2 pot
    found = answer(place, 500, NestedSearch(method="resolve", start=start, algorithm="dcfr", iterations=100))
    mass = place.met[1]
    ends = tree.by_deck(1, tree.best_action_values(place.line, place.decision, place.cards)[:2]) / mass
    new = found.place.tree
    if start == "after":
        taken, rows = found.result.best_values, new.in_rows(1, 0, np.arange(len(mass)))
    else:
        number = new.lines[0].decisions[0].actions.index(500)
        rows = new.in_rows(1, 0, np.arange(len(mass)))
        taken = (new.by_deck(1, new.best_action_values(0, 0, place.cards)[number]) / mass)[rows]
    wanted = np.fmax((ends[:, rows] - taken).max(axis=0), 0)
    np.testing.assert_allclose(given_up(place, 500, found.place)[rows], wanted, atol=1e-3)
    assert wanted.max() > 1


def test_ranges_after_an_answer():
    """The new tree begins with the searcher's reach in the old one, and the opponent's where search uses it."""
    tree = blueprint()
    cards = tree.tables_of[1].cards
    place = follow(tree, 200, CALL, 400, cards=cards)  # seat 0 has bet, seat 1 raises
    searcher = 0
    for name in ("maxmargin", "unsafe"):
        found = answer(place, 700, settings(name, 50))
        assert found.place.node.player == searcher
        assert found.place.state.stake == 700
        np.testing.assert_allclose(found.place.reaches[searcher], place.reaches[searcher], rtol=1e-4)
    chosen = Place(found.place.tree, 0, 0, cards)  # unsafe: the opponent's decision, with the bet in it
    assert 700 in chosen.node.actions
    made = chosen.strategy[chosen.node.actions.index(700)] * place.reaches[1]
    np.testing.assert_allclose(found.place.reaches[1], made, rtol=1e-4, atol=1e-9)


class TestOracle:
    """Alternatives and gifts of a hand-by-hand evaluation that knows no symmetry."""

    oracle = cache(lambda tree, sizes: Oracle(tree, sizes))

    def best(self, place, player, state=None, at=None):
        tree = place.tree
        oracle = TestOracle.oracle(tree, tree.sizes)
        reach = tree.reaches(place.line, place.decision, place.cards)[1 - player]
        live = oracle.alive(place.cards)
        mass = (oracle.apart if player == 0 else oracle.apart.T) @ (reach * live[1 - player])
        number = place.decision if at is None else at
        values = oracle._walk(place.line, number, state or place.state, place.cards, player, reach)[1]
        known = live[player] & (mass > 1e-5 * reach.sum())
        return np.where(known, values / np.where(known, mass, 1), np.nan)

    @pytest.mark.parametrize("way", [(), (CALL,), (CALL, CALL), (CALL, 200), (CALL, CALL, 300)], ids=str)
    def test_alternatives(self, way):
        tree = blueprint(SMALL)
        place = follow(tree, *way, cards=tree.tables_of[2].cards)
        player = place.node.player
        found = root_values(place)[tree.deck.hand_table[tree.hands[player][:, 0], tree.hands[player][:, 1]]]
        wanted = self.best(place, player)
        np.testing.assert_allclose(found[np.isfinite(wanted)], wanted[np.isfinite(wanted)], atol=0.05)

    def test_gifts(self):
        """Of a bet that could have been a showdown: what the showdown is worth more, and nothing if it is not."""
        tree = blueprint(SMALL)
        place = follow(tree, CALL, CALL, cards=tree.tables_of[2].cards)  # seat 1, after a check
        line = tree.lines[place.line]
        after = {}
        for action in (CALL, 200):
            state = tree.betting.apply(place.state, action)
            after[action] = self.best(place, 1, state, line.children[place.decision, action][1])
        wanted = np.fmax(after[CALL] - after[200], 0)
        found = given_up(place, 200)[tree.deck.hand_table[tree.hands[1][:, 0], tree.hands[1][:, 1]]]
        np.testing.assert_allclose(found[np.isfinite(wanted)], wanted[np.isfinite(wanted)], atol=0.05)
        assert wanted[np.isfinite(wanted)].max() > 1

    def test_exploitability(self):
        """A whole strategy of searches is worth the same by hand-by-hand evaluation."""
        whole = judged(0, SMALL)
        play_nested_holdem(whole, blueprint(SMALL), 0, settings("resolve"))
        wanted = Oracle(whole, whole.sizes).totals()[1]
        np.testing.assert_allclose(whole.best_response_values(), wanted, atol=1e-3)


def test_suits_change_nothing():
    """Flops searched one by one give what their representatives give."""

    def loss(isomorphism):
        def tree(words):
            rules = game(words, SMALL)
            everything = Range(np.ones(rules.deck.hand_count), rules.deck)
            ranges = (everything, everything)
            return HoldemTree(
                (), ranges, rules.betting, rules.sizes, rules.deck, deals=(3,), isomorphism=isomorphism
            )  # fmt: skip

        whole, small = tree((ALL, KNOWN)), iterate(tree(KNOWN), 100)
        searches = play_nested_holdem(whole, small, 1, settings("maxmargin", 50))
        return searches, whole.best_response_values()[0]

    classes, found = loss(True)
    flops, wanted = loss(False)
    assert flops == 3 * 56 > classes
    assert found == pytest.approx(wanted, abs=0.02)  # chips


def test_a_part_is_worth_what_it_is_worth_in_the_whole():
    tree = blueprint()
    for place in (follow(tree, CALL), follow(tree, 200, CALL, CALL, cards=tree.tables_of[3].cards)):
        part = tree.part(place.state, place.cards, place.reaches)
        again = tree.part(place.state, place.cards, place.reaches, like=part)
        assert again.boards is part.boards
        for copy in (part, again):
            stack = [(Place(copy, 0, 0, place.cards), place)]
            while stack:
                new, old = stack.pop()
                board, _ = copy.find(new.cards)
                rows = copy.in_rows(new.node.player, board, old.strategy)
                copy.set_average(new.line, new.decision, board, rows)
                for action in new.node.actions:
                    following, earlier = new.after(action), old.after(action)
                    if isinstance(following, Place):
                        stack.append((following, earlier))
                    elif following.line:
                        for child in range(1, len(copy.tables_of)):
                            dealt = copy.tables_of[child].cards
                            stack.append((Place(copy, following.line, 0, dealt), Place(tree, earlier.line, 0, dealt)))
            for player in range(2):
                found = copy.by_deck(player, copy.best_values(player, 0, 0, place.cards))
                wanted = tree.by_deck(player, tree.best_values(player, place.line, place.decision, place.cards))
                np.testing.assert_allclose(found, wanted, atol=1e-4 * abs(wanted).max())


class TestShadows:
    def test_weights(self):
        """3/4 of the pot is 1/2 with probability 3/7 and 1 with 4/7; two such bets are all pairs of these."""
        small, whole = blueprint((2, 2)), judged(1, (2, 2))
        translator = HoldemTranslator(small, 1)
        view = [HoldemShadow(Place(small, 0, 0, ()), 1.0, np.ones(small.deck.hand_count))]
        cards = small.tables_of[1].cards
        place = Place(whole, 0, 0, ())
        seen = []
        for action in (CALL, 250, CALL, 625):
            view = translator.after(place, view, action)
            following = place.after(action)
            if isinstance(following, Leaf):
                view, following = translator.dealt(view, cards), Place(whole, following.line, 0, cards)
            place = following
            seen.append(sorted(shadow.chance for shadow in view))
            assert sum(seen[-1]) == pytest.approx(1)
        half, one = 3 / 7, 4 / 7
        assert seen[1] == pytest.approx([half, one])
        assert seen[-1] == pytest.approx([half**2, half * one, half * one, one**2])

    def test_mixture(self):
        """What a hand does along a line is the mean over all ways in which its opponent's bets may be taken."""
        small, whole, rng = game(KNOWN).tree(), judged(0), np.random.default_rng(0)
        for line, decision, board in decisions(small, 0):
            shape = small.average_strategy(line, decision, board).shape
            small.set_average(line, decision, board, rng.random(shape))
        play_translated_holdem(whole, small, 0)
        cards = small.tables_of[1].cards
        # Seat 1 opens with 3/4, is called; seat 0 bets 1/2, is raised by 3/4 and calls.
        place = follow(whole, 250, cards=cards)
        played = place.strategy[place.node.actions.index(CALL)]
        bet = 250 + 250
        raised = bet + round(0.75 * 4 * 250)
        for way, action in (((250, CALL), bet), ((250, CALL, bet, raised), CALL)):
            place = follow(whole, *way, cards=cards)
            played = played * place.strategy[place.node.actions.index(action)]
        wanted = np.zeros_like(played)
        for opening, first in ((200, 3 / 7), (300, 4 / 7)):
            bet = opening + opening
            for size, second in ((0.5, 3 / 7), (1, 4 / 7)):
                place = follow(small, opening)
                own = place.strategy[place.node.actions.index(CALL)]
                raised = bet + round(size * 4 * opening)
                for way, action in (((opening, CALL), bet), ((opening, CALL, bet, raised), CALL)):
                    place = follow(small, *way, cards=cards)
                    own = own * place.strategy[place.node.actions.index(action)]
                wanted += first * second * own
        np.testing.assert_allclose(played, wanted, atol=1e-6)
        assert wanted.max() > 0.01


def always_the_last(tree, street=None):
    """A strategy of seat 0 for a tree: the largest bet everywhere (on a street; elsewhere to call)."""
    for line, decision, board in decisions(tree, 0):
        actions = tree.lines[line].decisions[decision].actions
        rows = np.zeros(tree.average_strategy(line, decision, board).shape)
        rows[-1 if street in (None, tree.lines[line].street) else actions.index(CALL)] = 1
        tree.set_average(line, decision, board, rows)
    return tree


class TestAnswersOfShadows:
    """The real bets that the bets of shadows become."""

    def strategy(self, small, whole, *way, street=None):
        play_translated_holdem(whole, always_the_last(small, street), 0)
        place = follow(whole, *way, cards=whole.tables_of[1].cards)
        return dict(zip(place.node.actions, place.strategy.max(axis=1).round(6).tolist(), strict=True))

    def test_all_in_is_all_in(self):
        """All-in is 1.17 of the pot after the call of the shadow's raise of the pot, and 1.5 after the real raise."""
        words = ("100%", "allin")
        small = FlopHoldem(3, 10, words, words, (3, 1)).tree()
        whole = FlopHoldem(3, 10, (words, ("75%", "100%", "allin")), words, (3, 1)).tree()
        assert self.strategy(small, whole, 250) == {FOLD: 0, CALL: 0, 750: 0, 1000: 1}
        assert self.strategy(small, whole, 300) == {FOLD: 0, CALL: 0, 900: 0, 1000: 1}

    def test_shares_in_pots_that_do_not_divide(self):
        """62.5% is 250 of 400 chips and 313, 62.6%, of 500: the same bet."""
        small = FlopHoldem(3, 200, ("50%", "100%"), ("62.5%",), (2, 1)).tree()
        whole = FlopHoldem(3, 200, ("50%", "75%", "100%"), ("62.5%",), (2, 1)).tree()
        assert self.strategy(small, whole, 250, CALL, street=1) == {CALL: 0, 250 + 313: 1}
        assert self.strategy(small, whole, 200, CALL, street=1) == {CALL: 0, 200 + 250: 1}

    def test_bets_that_differ_by_less_than_a_hundredth_of_the_pot(self):
        """What follows one of them does not follow the other."""
        words = ("50%", "50.4%", "100%")
        small, whole = (FlopHoldem(3, 200, ("1000%",), words, (2, 2)).tree() for _ in range(2))
        cards, rng = small.tables_of[1].cards, np.random.default_rng(0)
        for line, decision, board in decisions(small, 0):
            shape = small.average_strategy(line, decision, board).shape
            small.set_average(line, decision, board, rng.random(shape))
        play_translated_holdem(whole, small, 0)
        way = 2100, CALL, CALL
        bets = follow(small, *way, cards=cards).node.actions[1:]
        assert [round((bet - 2100) / 4200, 3) for bet in bets] == [0.5, 0.504, 1]
        for bet in bets:
            mine, other = (follow(tree, *way, bet, cards=cards).strategy for tree in (whole, small))
            np.testing.assert_allclose(mine, other, atol=1e-6)

    def test_a_bet_that_is_the_same_but_for_rounding_is_not_a_call(self):
        """A bet of seat 1 that the shadow knows as 62.5% is heard as that alone, in any pot."""
        small = FlopHoldem(3, 200, ("50%", "100%"), ("62.5%",), (2, 1)).tree()
        whole = FlopHoldem(3, 200, ("50%", "75%", "100%"), ("62.5%",), (2, 1)).tree()
        cards = small.tables_of[1].cards
        for opening, size in ((200, 250), (250, 313)):
            shadow = HoldemShadow(follow(small, 200, CALL, CALL, cards=cards), 1.0, np.ones(66))
            at = follow(whole, opening, CALL, CALL, cards=cards)
            (heard,) = HoldemTranslator(small, 0).after(at, [shadow], opening + size)
            assert heard.chance == 1
            assert heard.at.state.stake == 200 + 250


OTHER_GAMES = {
    "deck": FlopHoldem(3, preflop=KNOWN, flop=KNOWN, max_bets=SMALL),
    "betting": FlopHoldem(2, 100, preflop=KNOWN, flop=KNOWN, max_bets=SMALL),
}


@pytest.mark.parametrize("play", [play_nested_holdem, play_translated_holdem])
@pytest.mark.parametrize("differs", list(OTHER_GAMES))
def test_blueprints_of_other_games(play, differs):
    with pytest.raises(InputError, match=f"the blueprint must be of the same game but for bet sizes; .* {differs}"):
        play(OTHER_GAMES[differs].tree(), blueprint(SMALL), 0)


def test_blueprints_on_other_boards():
    tree = blueprint(SMALL)
    parts = []
    for board in (1, 2):
        place = follow(tree, CALL, CALL, cards=tree.tables_of[board].cards)
        parts.append(tree.part(place.state, place.cards, place.reaches))
    with pytest.raises(InputError, match=r"it has another board$"):
        play_translated_holdem(parts[0], parts[1], 0)


class TestParts:
    """Parts that cannot be made."""

    def part(self, tree, cards, like=None):
        place = follow(tree, CALL, cards=tree.tables_of[1].cards)
        return tree.part(tree.lines[1].state, cards, place.reaches, like=like)

    def test_boards_of_another_tree(self):
        """`like` must have the same cards; an answer on another board, deck, range or symmetry is not like it."""
        tree = blueprint(SMALL)
        first, second = tree.tables_of[1].cards, tree.tables_of[2].cards
        made = self.part(tree, first)
        with pytest.raises(InputError, match=r"like must be a tree of the same cards; it has another board$"):
            self.part(tree, second, made)
        with pytest.raises(InputError, match=r"it has another board$"):
            answer(follow(tree, CALL, CALL, cards=second), 250, settings("resolve", 5), like=made)
        with pytest.raises(InputError, match=r"it has another board and another deal$"):
            self.part(tree, first, tree)
        full = Range(np.ones(28), tree.deck)
        half = Range(np.r_[np.ones(14), np.zeros(14)], tree.deck)
        ranges = HoldemTree((), (half, full), tree.betting, tree.sizes, tree.deck, deals=(3,))
        with pytest.raises(InputError, match=r"it has another range$"):
            HoldemTree((), (full, full), tree.betting, tree.sizes, tree.deck, deals=(3,), like=ranges)
        plain = HoldemTree((), (full, full), tree.betting, tree.sizes, tree.deck, deals=(3,), isomorphism=False)
        with pytest.raises(InputError, match=r"it has another use of isomorphism$"):
            HoldemTree((), (full, full), tree.betting, tree.sizes, tree.deck, deals=(3,), like=plain)
        with pytest.raises(InputError, match="another deck"):
            HoldemTree((), (full, full), tree.betting, tree.sizes, tree.deck, deals=(3,), like=blueprint(SMALL, 3))

    @pytest.mark.parametrize("count", [1, 2, 4])
    def test_cards_that_no_deal_brings(self, count):
        tree = blueprint(SMALL)
        with pytest.raises(InputError, match="cards must be the 0 or 3 on the board after a deal"):
            self.part(tree, tuple(tree.deck.cards[:count].tolist()))

    def test_cards_that_do_not_follow_the_board(self):
        tree = blueprint(SMALL)
        part = self.part(tree, tree.tables_of[1].cards)
        with pytest.raises(InputError, match="its own first"):
            part.part(part.lines[0].state, tree.tables_of[2].cards, (np.ones(28), np.ones(28)))


def test_nobody_was_expected():
    """If every hand of the opponent is believed in after all, totals are those of a tree with these ranges."""
    tree = blueprint(SMALL)
    place = follow(tree, CALL, cards=tree.tables_of[1].cards)
    ours, ones = place.reaches[0] / 2, np.ones(28)
    nobody, everybody = (tree.part(place.state, place.cards, (ours, other)) for other in (np.zeros(28), ones))
    found = Subgame(nobody, 0).believing_in_all_hands().tree
    assert found.mass == pytest.approx(everybody.mass)
    assert found.pair_mass == pytest.approx(everybody.pair_mass)
    for one, other in zip(found.weights, everybody.weights, strict=True):
        assert one == pytest.approx(other)
    for part in (found, everybody):
        iterate(part, 20)
    assert found.exploitability() == pytest.approx(everybody.exploitability(), rel=1e-3, abs=1e-3)
    assert found.root_values() == pytest.approx(everybody.root_values(), rel=1e-3, abs=1e-3)
    assert nobody.mass == 0


def test_numbers_of_numpy_are_bets():
    tree = blueprint(SMALL)
    place = follow(tree, CALL, CALL, cards=tree.tables_of[2].cards)
    found, again = (answer(place, bet, settings("resolve", 5)) for bet in (np.int64(250), 250))
    assert np.array_equal(found.result.best_values, again.result.best_values, equal_nan=True)


@pytest.mark.slow
def test_search_beats_translation():
    """On 12 cards a best response wins less against nested search than against translation."""
    small, whole = iterate(game(KNOWN, ranks=3).tree(), 400), judged(1, ranks=3)
    play_translated_holdem(whole, small, 1)
    translation = whole.best_response_values()[0]
    play_nested_holdem(whole, small, 1, settings("maxmargin", 300))
    assert whole.best_response_values()[0] < translation - 0.3  # chips: 3 mbb


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda at: answer(at, 150), "bet 150 is not possible: it may be 200 to 20000 chips in all"),
        (lambda at: answer(at, True), "bet True is not possible"),
        (lambda at: answer(at, 250, NestedSearch(method="resolve", start="round")), "not with the round"),
        (lambda at: answer(at, 250, NestedSearch(method="resolve", always=True)), "always must be False"),
        (lambda at: answer(at, 250, NestedSearch(gifts=True)), "gifts must be given"),
        (lambda at: answer(at, 250, NestedSearch(gifts=True), gifts=np.array(3.0)), r"gifts must be 28 .*not \(\)"),
        (lambda at: answer(Place(blueprint(SMALL), 0, 0, ()), 250), "bet 250 is not possible: no bet is"),
        (lambda at: play_nested_holdem(at.tree, at.tree, 2), "searcher"),
        (lambda at: play_translated_holdem(at.tree, at.tree, 0, "best"), "translation must be"),
    ],
    ids=["bet", "no bet", "round", "always", "gifts", "one gift", "no more bets", "searcher", "translation"],
)
def test_wrong_input(act, message):
    with pytest.raises(InputError, match=message):
        act(Place(blueprint(), 0, 0, ()))


def test_nothing_to_search_where_the_searcher_never_comes():
    tree = iterate(game(KNOWN, SMALL).tree(), 20)
    root = Place(tree, 0, 0, ())
    rows = np.zeros((len(root.node.actions), len(tree.hands[1])))
    rows[root.node.actions.index(FOLD)] = 1
    tree.set_average(0, 0, 0, rows)
    place = follow(tree, CALL, cards=tree.tables_of[1].cards)
    with pytest.raises(InputError, match="never gets there"):
        answer(place, 250)
    whole = judged(1, SMALL)
    assert play_nested_holdem(whole, tree, 1, settings("resolve")) == 0

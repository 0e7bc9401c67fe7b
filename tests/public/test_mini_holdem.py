"""Hold'em of two rounds: sizes, closed forms, and float64 evaluation hand by hand and flop by flop."""

from functools import cache
from itertools import combinations
from math import comb

import numpy as np
import pytest

from counterpoise.betting.rules import CALL, FOLD, Betting
from counterpoise.betting.sizes import BetSizes
from counterpoise.cards import SHORT_DECK, STANDARD_DECK, Deck, Range, isomorphism, parse_cards, strengths
from counterpoise.errors import Cancelled, InputError
from counterpoise.progress import CancelToken, SilentProgress
from counterpoise.public import HoldemRules, build_holdem
from counterpoise.public.mini_holdem import BIG_BLIND, millibigblinds, mini_betting, mini_holdem
from counterpoise.solvers import make_algorithm

from .helpers import Played
from .holdem_oracle import Oracle

mini = cache(mini_holdem)
"""Games never change, so tests may share them."""


def fill(played, rule):
    """Make the average strategy of every decision and board what ``rule(tree, decision, cards, hands)`` says."""
    game = played.game
    for number, tree in enumerate(game.street_trees):
        for board, node in enumerate(game.board_nodes):
            if node.street != tree.street:
                continue
            for place, decision in enumerate(tree.decisions):
                hands = game.hands[decision.player][node.hands[decision.player]]
                played.average.set_strategy(number, place, board, rule(number, place, node.cards, hands))


def random_rule(game, kind, seed=0):
    rng = np.random.default_rng(seed)

    def rule(tree, decision, cards, hands):
        count = len(game.street_trees[tree].decisions[decision].actions)
        rows = rng.random((count, len(hands)))
        if kind == "uniform":
            rows[:] = 1
        elif kind == "pure":
            rows = (rows == rows.max(axis=0)).astype(float)
        elif kind == "with zeros":
            rows[rng.random(rows.shape) < 0.4] = 0
        return rows

    return rule


def by_action(game, choose):
    def rule(tree, decision, cards, hands):
        actions = game.street_trees[tree].decisions[decision].actions
        return np.array([[float(action == choose(actions))] * len(hands) for action in actions])

    return rule


def symmetric_rule(game, seed=0):
    """Random strategies of the classes that suits do not tell apart."""
    classes = {street: isomorphism(rounds, game.deck) for street, rounds in enumerate(((2,), (2, 3)))}

    @cache
    def numbers(cards):
        deals = np.concatenate([game.deck.hands, np.tile(np.array(cards, np.uint8), (game.deck.hand_count, 1))], axis=1)
        alive = ~np.isin(game.deck.hands, cards).any(axis=1)
        out = np.zeros(game.deck.hand_count, dtype=np.int64)
        out[alive] = classes[1 if cards else 0].index(deals[alive])
        return out

    @cache
    def table(tree, decision):
        node = game.street_trees[tree]
        rng = np.random.default_rng([seed, tree, decision])
        return rng.random((len(node.decisions[decision].actions), classes[node.street].size))

    def rule(tree, decision, cards, hands):
        own = game.deck.hand_table[hands[:, 0], hands[:, 1]]
        return table(tree, decision)[:, numbers(tuple(sorted(cards)))[own]]

    return rule


@pytest.mark.parametrize(
    ("ranks", "hands", "pairs", "flops", "expanded", "classes", "four", "one"),
    [
        (3, 66, 9, 220, 20, 417, 29_262, 5_040),
        (4, 120, 16, 560, 48, 2_216, 155_248, 26_656),
        (5, 190, 25, 1_140, 95, 7_760, 543_400, 93_220),
        (6, 276, 36, 2_024, 166, 21_150, 1_480_788, 253_944),
        (8, 496, 64, 4_960, 400, 99_792, 6_985_952, 1_197_760),
    ],
)
def test_sizes(ranks, hands, pairs, flops, expanded, classes, four, one):
    """Hands, flops, those expanded, and information sets up to suits with four bets per round and with one raise."""
    game = mini(ranks, (2, 1))
    after = [node for node in game.board_nodes if node.street == 1]
    assert [len(own) for own in game.hands] == [hands, hands]
    assert (len(after), sum(len(node.images) for node in after)) == (expanded, flops)
    found = isomorphism((2,), game.deck).size, isomorphism((2, 3), game.deck).size
    assert found == (pairs, classes)
    assert infosets(game, found) == one
    assert infosets(mini(3), found) == four  # betting does not depend on the deck


def test_rounds():
    """Three and four rounds have the bets of limit hold'em: 8, 70 and 630 decisions, sizes 2, 2, 4, 4."""
    three = mini(3, rounds=3)
    decisions = np.bincount(
        [tree.street for tree in three.street_trees], [len(t.decisions) for t in three.street_trees]
    )
    assert decisions.tolist() == [8, 70, 630]
    assert [node.cards for node in three.board_nodes if len(node.cards) == 4]
    assert mini_betting((4, 4, 4, 4)).limit == (2, 2, 4, 4)
    assert mini(3, (1, 1, 1, 1)).streets == 4
    assert max(tree.state.paid[0] for tree in mini(3, rounds=3).street_trees) == 2 * 8
    with pytest.raises(InputError, match="one number for each of the 3 rounds"):
        mini_holdem(3, (1, 1), rounds=3)
    with pytest.raises(InputError, match="one to three later streets"):
        mini_holdem(3, (1,))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"rounds": "x"}, "rounds must be a whole number from 2 to 4, not 'x'"),
        ({"rounds": 2.0}, "rounds must be a whole number from 2 to 4, not 2.0"),
        ({"rounds": 10**9}, "rounds must be a whole number from 2 to 4"),
        ({"bets": 5}, "bets must be the most bets before the flop"),
        ({"bets": ("a", "b")}, "bets must be the most bets before the flop"),
        ({"bets": (2.5, 1)}, "bets must be the most bets before the flop"),
        ({"bets": (10**9, 1)}, "at most 100,000 ways to a showdown"),
        ({"isomorphism": "x"}, "isomorphism must be True or False"),
        ({"ranks": 2, "rounds": 4}, "2 ranks has too few cards for 4 rounds"),
        ({"ranks": 13, "rounds": 4}, r"has 2,619,605 boards, which take about 1\d\d GB, and the most is 4 GB"),
        ({"ranks": 13, "rounds": 3, "isomorphism": False}, "has 1,105,001 boards"),
    ],
)
def test_games_that_are_refused(given, sentence):
    """At once and in a sentence; boards as Johanson 2016 counts them: 1 + 1,755 + 63,193 + 2,554,656."""
    with pytest.raises(InputError, match=sentence):
        mini_holdem(**{"ranks": 3} | given)


def infosets(game, classes):
    return sum(len(tree.decisions) * classes[tree.street] for tree in game.street_trees)


def test_betting():
    """The dealer (seat 1) has the small blind and acts first; 8 decisions before the flop and 7 x 10 on it."""
    trees = mini(3).street_trees
    assert [len(tree.decisions) for tree in trees] == [8] + [10] * 7
    first = mini_betting().initial()
    assert (first.to_act, first.paid) == (1, (2, 1))
    assert trees[0].decisions[0].actions == (FOLD, CALL, 4)
    assert trees[1].decisions[0].player == 0
    assert max(tree.state.paid[0] for tree in trees) == 8
    assert millibigblinds(3 * BIG_BLIND / 4) == 750
    with pytest.raises(InputError, match="bets must be the most bets before the flop"):
        mini_holdem(3, (0, 4))


@pytest.mark.long
@pytest.mark.parametrize(
    ("ranks", "bets", "kind"),
    [
        (3, (2, 2), "uniform"),
        (3, (2, 2), "random"),
        (3, (2, 2), "pure"),
        (3, (3, 2), "with zeros"),
        (5, (1, 1), "with zeros"),
        (2, (1, 1, 1), "with zeros"),
    ],
)
def test_best_response_is_that_of_all_histories(ranks, bets, kind):
    """Values and best responses of any strategy, each flop played in its own way [1e-5 of the blinds]."""
    played = Played(mini(ranks, bets, isomorphism=False))
    fill(played, random_rule(played.game, kind))
    values, best = Oracle(played.average).totals()
    np.testing.assert_allclose(played.root_values(), values, atol=1e-5 * 3)
    np.testing.assert_allclose(played.best_response_values(), best, atol=1e-5 * 3)


@pytest.mark.long
@pytest.mark.parametrize("ranks", [5, 6])
def test_isomorphic_flops_change_nothing(ranks):
    """One flop of each orbit gives the values of all flops, in total and hand by hand [1e-5 of the blinds].

    For a random strategy that treats suits alike, and for what three iterations make of both games.
    """
    small, full = (mini_holdem(ranks, (2, 2), isomorphism=alike) for alike in (True, False))
    assert len(small.board_nodes) < 0.1 * len(full.board_nodes)
    plays = [Played(game) for game in (small, full)]
    for played in plays:
        fill(played, symmetric_rule(played.game))
    _agree(*plays)
    solvers = [make_algorithm("dcfr").on(game) for game in (small, full)]
    for solver, played in zip(solvers, plays, strict=True):
        solver.step(3)
        played.average.copy_from(solver.average)
    _agree(*plays)


def _agree(small, full):
    np.testing.assert_allclose(small.root_values(), full.root_values(), atol=3e-5)
    np.testing.assert_allclose(small.best_response_values(), full.best_response_values(), atol=3e-5)
    cards = tuple(full.game.board_nodes[-1].cards)
    mass = full.game.pair_mass / len(full.game.hands[0])
    for tree, dealt in ((0, ()), (1, cards)):
        one, other = (played.node(tree, 0, dealt).values(played.average) for played in (small, full))
        reach = [max(row.max(), 1e-9) for row in full.node(tree, 0, dealt).reach(full.average)]
        for player in range(2):
            np.testing.assert_allclose(
                one.node[player] / (mass * reach[1 - player]),
                other.node[player] / (mass * reach[1 - player]),
                atol=1e-4,
            )
    classes = isomorphism((2,), small.game.deck).index(small.game.hands[0])
    per_hand = small.game.root.values(small.average).node[0]
    for number in np.unique(classes):
        assert np.ptp(per_hand[classes == number]) <= 1e-5 * mass


@pytest.mark.slow
def test_always_call_and_always_fold():
    """What a best response wins from a caller has a closed form, and a folder loses three quarters of a big blind.

    Against a caller a bet more per round is free to choose, so only the sign of the expected showdown counts:
    1 big blind x E[(2 E - 1)+] before the flop and 2 x E[(2 HS - 1)+] on it.
    """
    played = Played(mini(5))
    game = played.game
    hands, deck = game.hands[0], game.deck
    apart = Oracle(played.average).apart
    pre, flop = np.zeros(len(hands)), 0.0
    for cards in combinations(deck.cards.tolist(), 3):
        alive = np.flatnonzero(~np.isin(hands, cards).any(axis=1))
        strong = strengths(cards, hands[alive], deck).astype(int)
        lead = (np.sign(strong[:, None] - strong[None, :]) * apart[np.ix_(alive, alive)]).sum(axis=1)
        pre[alive] += lead
        flop += np.maximum(lead, 0).sum()
    deals = apart.sum() * comb(deck.size - 4, 3)
    expected = 2 * (np.maximum(pre, 0).sum() + 2 * flop) / deals
    fill(played, by_action(game, lambda actions: CALL))
    np.testing.assert_allclose(played.best_response_values(), [expected, expected], rtol=1e-5)
    fill(played, by_action(game, lambda actions: FOLD if FOLD in actions else CALL))
    assert millibigblinds(played.exploitability()) == pytest.approx(750, rel=1e-6)


@pytest.mark.slow
def test_converges_to_the_value():
    """CFR+ on five ranks: the dealer wins 66.9 mbb/g, by an independent solution."""
    solver = make_algorithm("cfr+").on(mini(5))
    solver.step(128)
    assert millibigblinds(solver.exploitability()) < 8
    other, dealer = (millibigblinds(value) for value in solver.traverser.best_response_values(solver.average))
    assert -other < 66.9 < dealer
    assert -other <= millibigblinds(solver.values()[1]) <= dealer


@pytest.mark.parametrize("bits", [16, 32])
def test_threads_change_no_bit(bits):
    one, two = (make_algorithm("cfr+").on(mini(4, (3, 2)), threads=threads, bits=bits) for threads in (1, 2))
    for solver in (one, two):
        solver.step(5)
    assert all(np.array_equal(array, two.arrays()[name]) for name, array in one.arrays().items())
    best = [solver.traverser.best_response_values(solver.average) for solver in (one, two)]
    assert np.array_equal(*best)
    assert np.array_equal(one.values(), two.values())


@pytest.mark.slow
def test_16_bits_agree_with_32():
    """After 200 iterations exploitability and values agree within 0.02 % of the largest pot."""
    measured = []
    for bits in (16, 32):
        solver = make_algorithm("dcfr").on(mini(4), bits=bits)
        solver.step(200)
        measured.append([solver.exploitability(), *solver.values()])
    np.testing.assert_allclose(measured[0], measured[1], atol=0.0002 * 48)


TEXTURES = [
    (Deck(ranks=5), "As Ks Qs"),
    (Deck(ranks=5), "As Ah Kd"),
    (Deck(ranks=5), "Ts Th Td"),
    (Deck(ranks=5), "Qs Jd Tc"),
    (SHORT_DECK, "As 6s 7s"),
    (SHORT_DECK, "9s 9h 6c"),
    (STANDARD_DECK, "2s 7d Kc"),
]


@pytest.mark.parametrize(
    ("deck", "flop"), TEXTURES, ids=lambda value: value if isinstance(value, str) else f"{value.size}"
)
def test_ends_equal_matrices(deck, flop):
    """Folds and showdowns for random reach with zeros, against all pairs of hands [1e-5 of the mass at stake]."""
    cards = tuple(parse_cards(flop))
    betting = Betting((8, 8), pot=4, rounds=1, limit=(4,), max_bets=(1,))
    sizes = BetSizes.read({"preflop": {"bet": ["allin"], "raise": ["allin"]}}, rounds=1)
    rng = np.random.default_rng(3)
    everything = Range(np.ones(deck.hand_count), deck)
    game = build_holdem(HoldemRules(cards, (everything, everything), betting, sizes, deck, deals=()))
    strong = [strengths(cards, game.hands[p], deck).astype(int) for p in range(2)]
    first, second = (hands.astype(int) for hands in game.hands)
    meet = (first[:, None, :, None] != second[None, :, None, :]).all(axis=(2, 3)).astype(float)
    sign = np.sign(strong[0][:, None] - strong[1][None, :]) * meet
    tree = game.street_trees[0]
    facing = next(n for n, d in enumerate(tree.decisions) if d.player == 1 and FOLD in d.actions)
    assert tree.decisions[facing].actions == (FOLD, CALL)
    for zeros in (0, 0.5, 0.95):
        reach = rng.random((2, len(first))) * (rng.random((2, len(first))) >= zeros)
        played = Played(game.with_ranges(dict(enumerate(reach))))
        node = played.node(0, facing, cards)
        met, values = node.reach(played.average)[0], node.values(played.average).actions
        mass = max(met.sum(), 1e-9)
        np.testing.assert_allclose(values[0] / mass, -2 * (met @ meet) / mass, atol=1e-5)
        np.testing.assert_allclose(values[1] / mass, -6 * (met @ sign) / mass, atol=1e-5)


@pytest.mark.parametrize("board", ["Ks 7d 8c Jd 6s", "Ts 9h 6h Ac"])
def test_short_deck_spots(board):
    """River and turn with 36 cards (a flush beats a full house, A-6-7-8-9 is a straight) [1e-5 of the pot]."""
    cards = tuple(parse_cards(board))
    first = len(cards) - 2
    street = {"bet": ["75%"], "raise": ["allin"]}
    sizes = BetSizes.read({"turn": street, "river": street}, first)
    betting = Betting.spot(60, 150, first_round=first)
    ranges = tuple(Range.from_string(text, SHORT_DECK) for text in ("AA,A6s,98s,QJo:0.5,77", "KK,T9s,A9s,76s,JJ:0.25"))
    played = Played(build_holdem(HoldemRules(cards, ranges, betting, sizes, SHORT_DECK)))
    for _ in range(2):
        values, best = Oracle(played.average).totals()
        np.testing.assert_allclose(played.root_values(), values, atol=1e-5 * 60)
        np.testing.assert_allclose(played.best_response_values(), best, atol=1e-5 * 60)
        solver = make_algorithm("dcfr").on(played.game)
        solver.step(20)
        played.average.copy_from(solver.average)


def test_building_boards_is_watched_and_cancelled():
    """A large game says how many boards are done, and stops when it is told to."""
    shown = []

    class Seen(SilentProgress):
        def show(self, fraction, figure):
            shown.append(figure)

    mini_holdem(5, (1, 1, 1), progress=Seen())
    assert any("boards dealt" in figure for figure in shown)
    assert shown[-1].endswith("boards")
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        mini_holdem(5, (1, 1, 1), cancel=cancel)

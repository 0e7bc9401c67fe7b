"""Buckets of games: sizes, the same bucket for the same hand on any board of any game, recall, and what is refused."""

from functools import cache
from itertools import permutations

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.betting.rules import Betting
from counterpoise.betting.sizes import BetSizes
from counterpoise.cards import Deck, Range, isomorphism, parse_cards
from counterpoise.errors import InputError
from counterpoise.proportions import proportional
from counterpoise.public import Buckets, HoldemRules, build_dense, build_holdem, combine_by_player, gather, lossless
from counterpoise.sampling.boards.bucket_tables import BucketTables

from .test_mini_holdem import mini

ANY = {"bet": ["allin"], "raise": ["allin"]}


@cache
def table(name, buckets, ranks=5):
    return cp.abstraction(name, buckets, deck=Deck(ranks=ranks), threads=1, progress=False, sample=20_000)


def later_street(board, deck, isomorphism=True, oop="TT+,AT+", ip="AK,QJ:0.5"):
    """A spot that begins on the flop, the turn or the river."""
    cards = tuple(parse_cards(board))
    sizes = BetSizes.read({street: ANY for street in ("flop", "turn", "river")[len(cards) - 3 :]}, len(cards) - 2)
    ranges = Range.from_string(oop, deck), Range.from_string(ip, deck)
    betting = Betting.spot(100, 100, len(cards) - 2)
    return build_holdem(HoldemRules(cards, ranges, betting, sizes, deck, isomorphism=isomorphism))


@pytest.mark.parametrize(
    ("ranks", "bets", "infosets"),
    [(3, (4, 4), 29_262), (4, (4, 4), 155_248), (5, (4, 4), 543_400), (5, (2, 1), 93_220), (6, (2, 1), 253_944)],
)
def test_lossless_classes(ranks, bets, infosets):
    """As many classes as suit isomorphism has, before the flop and on it, and the infosets that they give."""
    game = mini(ranks, bets)
    counts = lossless(game).count
    assert counts.tolist() == 2 * [[isomorphism((2,), game.deck).size, isomorphism((2, 3), game.deck).size]]
    assert BucketTables(game).infosets == infosets


def test_infosets_of_abstractions():
    game = mini(5)
    assert BucketTables(game, table("PR-PHS-PHS", (3, 3))).infosets == 3 * 8 + 9 * 70
    assert BucketTables(game, table("IR-C-PHS", (20,))).infosets == 25 * 8 + 20 * 70
    assert BucketTables(game, (table("PR-PHS-PHS", (3, 3)), None)).infosets < BucketTables(game).infosets


@pytest.mark.slow
@pytest.mark.parametrize("game", [mini(3, (2, 1)), mini(3, rounds=3), build_dense("leduc_poker")])
def test_profiles_of_tables(game):
    """Bit by bit what NumPy makes of a table: float64 shares of every hand, however small, then float32."""
    tables, rng = BucketTables(game), np.random.default_rng(5)
    table = np.exp(rng.normal(0, 40, tables.entries)) * rng.choice([-1.0, 0.0, 1.0], tables.entries)
    positive, found = np.maximum(tables.expand_to_hands(table), 0), tables.profile(table).numbers
    for number, tree in enumerate(game.street_trees):
        for board in np.flatnonzero(game.street_of == tree.street).tolist():
            for place, decision in enumerate(tree.decisions):
                _, entry, _, stride = game.place(number, place, board)
                count = len(decision.actions)
                here = slice(entry, entry + count * stride)
                rows = positive[here].reshape(count, stride)
                expected = proportional(rows, rows.sum(axis=0), 1 / count).astype(np.float32)
                np.testing.assert_array_equal(found[here].reshape(count, stride), expected)


def test_every_hand_of_a_rule_book_is_a_bucket():
    game = build_dense("leduc_poker")
    assert BucketTables(game).infosets == len(game.table.labels)


@pytest.mark.parametrize("isomorphism", [True, False])
@pytest.mark.parametrize(("name", "buckets"), [("PR-PHS-PHS", (3, 4)), ("IR-C-KO", (10,)), ("IR-KE-PHS", (4, 9))])
def test_every_real_hand_on_every_real_flop_has_its_bucket(name, buckets, isomorphism):
    """With suits merged or not, a hand on a flop as it is dealt is in the bucket that the abstraction says."""
    alike = table(name, buckets)
    game = mini(5, (2, 1), isomorphism=isomorphism)
    found = gather(game, alike)
    rng = np.random.default_rng(1)
    for _ in range(20):
        flop = tuple(int(card) for card in np.sort(rng.choice(game.deck.cards, 3, replace=False)))
        row, located = alike.row(flop), game.locate(flop)
        for player in range(2):
            begin, held = (int(getattr(game.boards, part)[player, located.board]) for part in ("begin", "held"))
            of = found.bucket_of_hand[begin : begin + held].astype(float)
            ours = game.from_rows(player, of + 1, located).astype(int) - 1  # -1: the flop blocks the hand
            np.testing.assert_array_equal(ours, row[game.hand_numbers[player]])


@pytest.mark.parametrize("board", ["Ts Jd Qc", "Ts Js Qs Kh", "Ts Js Qh Kh Ad"])
@pytest.mark.parametrize("isomorphism", [True, False])
def test_games_that_begin_on_a_later_street(board, isomorphism):
    """A spot's own board, and every card dealt after it, in the order in which it came."""
    game = later_street(board, Deck(ranks=6), isomorphism)
    alike = table("PR-PHS-PHS-PHS-PHS", (2, 2, 2, 2), 6)
    found = gather(game, alike)
    assert found.count[0].tolist() == list(alike.buckets[len(game.rules.board) - 2 :])
    for number, node in enumerate(game.board_nodes):
        for player in range(2):
            begin = int(game.boards.begin[player, number])
            of = found.bucket_of_hand[begin : begin + len(node.hands[player])]
            expected = alike.row(node.cards)[game.hand_numbers[player][node.hands[player]]]
            np.testing.assert_array_equal(of[expected >= 0], expected[expected >= 0])
    assert found.remember(game)


def test_canonical_streets_of_a_spot_keep_only_buckets_with_hands():
    game = later_street("Ts Js Qs Kh", Deck(ranks=6))
    found = gather(game, table("IR-C-C-C-PHS", (10,), 6))
    own = lossless(game)
    assert found.count[0, 0] <= own.count[0, 0] == np.unique(own.bucket_of_hand[: len(game.hands[0])]).size
    assert found.count[0, 1] == 10


def test_recall():
    game = mini(5, (2, 1))
    assert lossless(game).remember(game)
    assert gather(game, table("PR-PHS-PHS", (3, 4))).remember(game)
    forgets = gather(game, table("IR-C-PHS", (20,)))
    assert not forgets.remember(game)
    assert not combine_by_player(game, lossless(game), forgets).remember(game)


def test_wrong_buckets():
    game = mini(3, (2, 1))
    with pytest.raises(InputError, match=r"a deck of 20 cards \(5 ranks, standard\), the game has 12"):
        gather(game, table("PR-PHS-PHS", (3, 3)))
    with pytest.raises(InputError, match="hold'em"):
        gather(build_dense("leduc_poker"), table("PR-PHS-PHS", (3, 3)))
    with pytest.raises(InputError, match="must be Buckets of the game or a card abstraction, not 5"):
        BucketTables(game, 5)
    with pytest.raises(InputError, match="a pair, one per player, not 3"):
        BucketTables(game, (None, None, None))
    with pytest.raises(InputError, match="the board must have 0, 3 cards, not 4"):
        gather(later_street("Ts Js Qs Kh", Deck(ranks=5)), table("PR-PHS-PHS", (3, 3)))
    with pytest.raises(InputError, match="for another game"):
        combine_by_player(game, lossless(game), lossless(mini(4, (2, 1))))


def test_buckets_that_kernels_could_not_read():
    """Walks index tables by bucket without a check, so what a user brings is checked before."""
    game = mini(3, (2, 1))
    own = lossless(game)
    of, count = own.bucket_of_hand, own.count
    for wrong, sentence in (
        ((of + 1, count), r"bucket_of_hand must be from 0 to 8 for player 0 on street 0, where there are 9 buckets"),
        ((of.astype(np.int64) - 1, count), "bucket_of_hand must be from 0 to 8 for player 0"),
        ((of, count - [[0, 1], [0, 0]]), "for player 0 on street 1"),
        ((of, count * 0), "count must be 1 or more everywhere"),
        ((of, count.tolist()), "count must be an array of whole numbers, not a list"),
        ((of.astype(float), count), "bucket_of_hand must be an array of whole numbers, not of float64"),
        ((of, count[0]), "for another game"),
    ):
        with pytest.raises(InputError, match=sentence):
            cp.make_algorithm("cfr").on(game, buckets=Buckets(*wrong))


def test_order_of_the_flop_does_not_matter():
    alike = table("PR-PHS-PHS", (3, 4))
    rows = [alike.row(order) for order in permutations((51, 47, 42))]
    assert all((row == rows[0]).all() for row in rows)

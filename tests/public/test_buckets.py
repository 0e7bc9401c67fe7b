"""Bucket maps: sizes of the lossless one, masses, order and nesting of percentiles, features by brute force."""

from itertools import combinations

import numpy as np
import pytest

from counterpoise.cards import isomorphism, strengths
from counterpoise.errors import InputError
from counterpoise.public import build_dense
from counterpoise.public.buckets import features, imperfect_recall, lossless, percentiles, perfect_recall
from counterpoise.public.sampling import BucketTraversal

from .test_mini_holdem import mini


@pytest.mark.parametrize(
    ("ranks", "bets", "infosets"),
    [(3, (4, 4), 29_262), (4, (4, 4), 155_248), (5, (4, 4), 543_400), (5, (2, 1), 93_220), (6, (2, 1), 253_944)],
)
def test_lossless_classes(ranks, bets, infosets):
    """As many classes as suit isomorphism has, before the flop and on it, and the infosets that they give."""
    game = mini(ranks, bets)
    counts = lossless(game).count
    assert counts.tolist() == 2 * [[isomorphism((2,), game.deck).size, isomorphism((2, 3), game.deck).size]]
    assert BucketTraversal(game).infosets == infosets


def test_infosets_of_abstractions():
    game = mini(5)
    assert BucketTraversal(game, perfect_recall(game, (3, 3))).infosets == 3 * 8 + 9 * 70
    assert BucketTraversal(game, imperfect_recall(game, (None, 20))).infosets == 25 * 8 + 20 * 70


def test_every_hand_of_a_rule_book_is_a_bucket():
    game = build_dense("leduc_poker")
    assert BucketTraversal(game).infosets == len(game.table.labels)


def test_features_by_brute_force():
    """Hand strength on the flop and its mean square before it, over all flops and all opponents."""
    game = mini(4, (2, 1))
    hands, deck = game.hands[0].astype(int), game.deck
    apart = (hands[:, None, :, None] != hands[None, :, None, :]).all(axis=(2, 3))
    squares, seen = np.zeros(len(hands)), np.zeros(len(hands))
    found = features(game, 0)
    classes = lossless(game)
    for flop in combinations(deck.cards.tolist(), 3):
        alive = np.flatnonzero(~np.isin(hands, flop).any(axis=1))
        strong = strengths(flop, hands[alive], deck).astype(int)
        meet = apart[np.ix_(alive, alive)]
        beaten = ((strong[:, None] > strong[None, :]) & meet).sum(axis=1)
        tied = ((strong[:, None] == strong[None, :]) & meet).sum(axis=1)
        strength = (beaten + tied / 2) / meet.sum(axis=1)
        assert strength.mean() == pytest.approx(0.5, abs=1e-12)
        squares[alive] += strength**2
        seen[alive] += 1
        board, renamed = game.locate(flop)
        if not (renamed[list(flop)] == flop).all():
            continue  # one board stands for all that suits make alike
        begin, node = int(game.boards.begin[0, board]), game.board_nodes[board]
        ours = found[1][0][classes.bucket_of_hand[begin : begin + len(node.hands[0])]]
        place = {int(hand): k for k, hand in enumerate(alive)}
        np.testing.assert_allclose(ours, [strength[place[int(hand)]] for hand in node.hands[0]], atol=1e-12)
    np.testing.assert_allclose(found[0][0][classes.bucket_of_hand[: len(hands)]], squares / seen, atol=1e-12)
    assert [mass.sum() for _, mass in found] == pytest.approx([1, 1])


@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_27_percentiles_have_equal_masses(count):
    """Each bucket's mass is within the largest atom of its share, and buckets rise with the feature."""
    rng = np.random.default_rng(count)
    feature, mass = rng.integers(0, 40, 300) / 40, rng.random(300)
    bucket = percentiles(feature, mass, count)
    atoms = np.bincount(np.unique(feature, return_inverse=True)[1], mass)
    masses = np.bincount(bucket, mass, count)
    assert np.abs(masses - mass.sum() / count).max() <= atoms.max() + 1e-12
    order = np.argsort(feature, kind="stable")
    assert (np.diff(bucket[order]) >= 0).all()
    for value in np.unique(feature):
        assert len(set(bucket[feature == value])) == 1


def test_27_buckets_of_mini():
    """Five ranks: masses within the largest atom; inner cuts stay inside outer buckets."""
    game = mini(5, (2, 1))
    classes, recall, forget = lossless(game), perfect_recall(game, (3, 4)), imperfect_recall(game, (None, 10))
    (_, mass_before), (flop, mass_flop) = features(game, 0)

    def by_class(buckets, street):
        chosen = np.full(int(classes.count[0, street]), -1)
        boards = range(1) if street == 0 else range(1, len(game.board_nodes))
        for board in boards:
            at = slice(int(game.boards.begin[0, board]), int(game.boards.begin[0, board] + game.boards.held[0, board]))
            chosen[classes.bucket_of_hand[at]] = buckets.bucket_of_hand[at]
        return chosen

    outer, inner = by_class(recall, 0), by_class(recall, 1)
    assert recall.count.tolist() == [[3, 12], [3, 12]]
    assert np.abs(np.bincount(outer, mass_before, 3) - 1 / 3).max() <= mass_before.max()
    for board in range(1, len(game.board_nodes)):
        begin, hands = int(game.boards.begin[0, board]), game.board_nodes[board].hands[0]
        assert (recall.bucket_of_hand[begin : begin + len(hands)] // 4 == recall.bucket_of_hand[hands]).all()
    for bucket in range(3):
        here = inner // 4 == bucket
        atoms = np.bincount(np.unique(np.round(flop[here], 9), return_inverse=True)[1], mass_flop[here])
        shares = np.bincount(inner[here] - 4 * bucket, mass_flop[here], 4)
        assert np.abs(shares - mass_flop[here].sum() / 4).max() <= atoms.max() + 1e-12
    assert by_class(forget, 0).tolist() == list(range(25))
    whole = by_class(forget, 1)
    assert (np.diff(whole[np.argsort(flop, kind="stable")]) >= 0).all()
    strongest = whole == 9
    assert (
        len(set(outer[np.unique(classes.bucket_of_hand[_parents(game, classes, strongest)])])) > 1
    )  # they do not remember


def _parents(game, classes, chosen):
    """Hands before the flop of the flop classes chosen."""
    hands = []
    for board in range(1, len(game.board_nodes)):
        begin, own = int(game.boards.begin[0, board]), game.board_nodes[board].hands[0]
        hands += own[chosen[classes.bucket_of_hand[begin : begin + len(own)]]].tolist()
    return np.unique(hands)


def test_wrong_counts():
    game = mini(3, (2, 1))
    with pytest.raises(InputError, match="counts must be 2 numbers of buckets"):
        perfect_recall(game, (3,))
    with pytest.raises(InputError, match="counts must be"):
        imperfect_recall(game, (None, 0))

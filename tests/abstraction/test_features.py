"""Hand strength and the features made of it, against enumeration and a table of figures computed beforehand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from counterpoise.abstraction.boards import BOARD_CARDS, renamings
from counterpoise.abstraction.clusters import CLUSTERS, kmeans_clusters, published_clusters
from counterpoise.abstraction.emd import cumulative, emd
from counterpoise.abstraction.features import Histogram, Moments, Ochs, Potential, ochs_tables
from counterpoise.abstraction.kernels import strength as kernels
from counterpoise.abstraction.kernels.strength import DEAD
from counterpoise.abstraction.kmeans import KMeans
from counterpoise.abstraction.strength import HoldemCards, board_wins, last_street_wins
from counterpoise.cards import (
    STANDARD_DECK,
    Deck,
    disjoint_hands,
    evaluate,
    parse_cards,
    parse_hand,
    strength_tables,
)
from counterpoise.jobs.pieces import Work

PREFLOP = {
    "AsAh": (0.85204, 0.73721),
    "KsKh": (0.82396, 0.69225),
    "AsKs": (0.67045, 0.51113),
    "KsQs": (0.63400, 0.47463),
    "6s6h": (0.63285, 0.43758),
    "JsTs": (0.57528, 0.42284),
    "4s4h": (0.57023, 0.37292),
    "2s2h": (0.50334, 0.31115),
    "7s2h": (0.34584, 0.20729),
    "3s2h": (0.32303, 0.19951),
}


def enumerated(deck: Deck, hand: list[int], board: list[int], count: int) -> list[float]:
    """Final strengths of a hand over all completions of a board, opponents counted one by one."""
    free = [int(card) for card in deck.cards if card not in (*hand, *board)]
    found = []
    for added in combinations(free, count - len(board)):
        full = board + list(added)
        others = [list(pair) for pair in combinations([card for card in free if card not in added], 2)]
        own = int(evaluate([hand + full])[0])
        theirs = evaluate([pair + full for pair in others]).astype(int)
        found.append(float(((theirs < own) + 0.5 * (theirs == own)).mean()))
    return found


def enumerated_ochs(hand: list[int], board: list[int]) -> np.ndarray:
    """The chance of winning against each published cluster over all completions, opponents counted one by one."""
    cluster_of, free = published_clusters(), [card for card in range(52) if card not in (*hand, *board)]
    sums, boards = np.zeros(8), list(combinations(free, 5 - len(board)))
    for added in boards:
        full = board + list(added)
        others = [list(pair) for pair in combinations([card for card in free if card not in added], 2)]
        own, theirs = int(evaluate([hand + full])[0]), evaluate([pair + full for pair in others]).astype(int)
        clusters = cluster_of[[STANDARD_DECK.hand_table[one, two] for one, two in others]]
        won = np.bincount(clusters, weights=(theirs < own) + 0.5 * (theirs == own), minlength=8)
        sums += won / np.bincount(clusters, minlength=8)
    return sums / len(boards)


@pytest.mark.parametrize(
    ("hand", "board"),
    [("Ah Kh", "Qh Jh Td"), ("Ts Tc", "Ks Kd Th"), ("As Kd", "Ah Qd Jc Ts"), ("Qs Jh", "Qc Td Th Ad Kc")],
)
def test_moments_and_histograms_agree_with_enumeration(
    small: HoldemCards, wins: np.ndarray, hand: str, board: str
) -> None:
    deck, cards, held = small.deck, parse_cards(board), parse_cards(hand)
    street = (0, 3, 4, 5).index(len(cards))
    strengths = np.array(enumerated(deck, held, cards, 5))
    number, renaming = small.boards(street).locate([cards])
    at = renamings(deck).hand_maps[renaming[0], parse_hand(hand, deck)]
    point = np.array([number[0]]), np.array([at])
    expected, square = Moments(small, street, wins).points(*point)[0]
    assert expected == pytest.approx(strengths.mean(), abs=1e-12)
    assert square == pytest.approx((strengths**2).mean(), abs=1e-12)
    counts = Histogram(small, street, wins, 10).points(*point)[0]
    bins = np.minimum(np.round(strengths * small.most_wins).astype(int) * 10 // small.most_wins, 9)
    assert counts.tolist() == np.bincount(bins, minlength=10).tolist()


def test_before_the_flop_agrees_with_enumeration() -> None:
    """The flop as the last street of 12 cards: strength there is that of five cards."""
    cards = HoldemCards(Deck(ranks=3), 2)
    found = Moments(cards, 0, last_street_wins(cards, Work())).points(np.zeros(66, dtype=int), np.arange(66))
    for hand in ("AsAh", "AsKs", "KsQh"):
        strengths = np.array(enumerated(cards.deck, parse_cards(hand), [], 3))
        number = parse_hand(hand, cards.deck)
        assert found[number] == pytest.approx([strengths.mean(), (strengths**2).mean()], abs=1e-12)


def test_wins_of_a_board(small: HoldemCards, wins: np.ndarray) -> None:
    """Wins, ties and losses add up, mean strength of a board is a half, E[HS^2] >= E[HS]^2."""
    for cards, table in ((small, wins), (HoldemCards(), None)):
        generator = np.random.default_rng(5)
        for _ in range(20):
            board = generator.choice(cards.deck.cards, 5, replace=False).tolist()
            row = board_wins(cards, board).astype(np.int64)
            live = row != DEAD
            assert (live == cards.deck.live_hands(board)).all()
            assert row[live].mean() == cards.most_wins / 2
            assert row[live].max() <= cards.most_wins
        if table is not None:
            assert (table[cards.boards(3).locate([board])[0][0]] != DEAD).sum() == live.sum()
    boards, hands = np.nonzero(small.boards(2).representative >= 0)
    moments = Moments(small, 2, wins).points(boards, hands)
    assert (moments[:, 1] >= moments[:, 0] ** 2 - 1e-12).all()


def test_flop_as_last_street_meets_1081_hands() -> None:
    """The same for the [2-4] game."""
    assert HoldemCards(STANDARD_DECK, 2).most_wins == 2 * 1081
    assert HoldemCards().most_wins == 2 * 990


@pytest.mark.long
def test_distinct_river_strengths(whole_deck_wins: np.ndarray) -> None:
    """Exactly 1,950 different strengths occur on the river."""
    assert len(np.unique(whole_deck_wins)) == 1950 + 1  # and the mark of dead hands


@pytest.mark.long
@pytest.mark.parametrize(("hand", "board"), [("Ah Kh", "Qh Jh 2c"), ("7s 7d", "7h 2c 2d Ks"), ("9s 8s", "Td 7c 3h 3s")])
def test_whole_deck_agrees_with_enumeration(whole_deck_wins: np.ndarray, hand: str, board: str) -> None:
    """With 52 cards: every opponent on every completion of the board, one by one."""
    cards, dealt = HoldemCards(), parse_cards(board)
    street = BOARD_CARDS.index(len(dealt))
    strengths = np.array(enumerated(STANDARD_DECK, parse_cards(hand), dealt, 5))
    assert len(strengths) == cards.completions(street)
    number, renaming = cards.boards(street).locate_one(dealt)
    at = renamings(STANDARD_DECK).hand_maps[renaming, parse_hand(hand)]
    point = np.array([number]), np.array([at])
    expected = [strengths.mean(), (strengths**2).mean()]
    assert Moments(cards, street, whole_deck_wins).points(*point)[0] == pytest.approx(expected, abs=1e-12)
    bins = np.minimum(np.round(strengths * 1980).astype(int) * 50 // 1980, 49)
    counts = Histogram(cards, street, whole_deck_wins).points(*point)[0]
    assert counts.tolist() == np.bincount(bins, minlength=50).tolist()
    full = cards.boards(street).completed(np.array([number]), 5)[0]
    found = Ochs(cards, 3, published_clusters()).on_boards(full, 1)[0, at] / len(strengths)
    assert found == pytest.approx(enumerated_ochs(parse_cards(hand), dealt), abs=1e-5)


@pytest.mark.long
def test_preflop_table(whole_deck_wins: np.ndarray) -> None:
    """The reference values before the flop, to all printed digits."""
    hands = np.arange(1326)
    found = Moments(HoldemCards(), 0, whole_deck_wins).points(np.zeros_like(hands), hands)
    for hand, values in PREFLOP.items():
        assert found[parse_hand(hand)].round(5).tolist() == pytest.approx(values, abs=1e-9)
    assert found.mean(axis=0).round(5).tolist() == [0.5, 0.33692]


@pytest.mark.long
def test_emd_and_strength_group_four_hands_differently(whole_deck_wins: np.ndarray) -> None:
    """EMD puts 44 with 66 and JTs with KQs, E[HS] puts 44 with JTs and 66 with KQs; the distances, too."""
    hands = np.array([parse_hand(text) for text in ("4s4h", "6s6h", "JsTs", "KsQs")])
    fine = Histogram(HoldemCards(), 0, whole_deck_wins, 1980).points(np.zeros(4, dtype=int), hands)
    coarse = Histogram(HoldemCards(), 0, whole_deck_wins, 50).points(np.zeros(4, dtype=int), hands)
    expected = {(0, 1): 0.0627, (2, 3): 0.0625, (0, 2): 0.1240, (1, 3): 0.1061, (0, 3): 0.1031, (1, 2): 0.1299}
    for (one, two), distance in expected.items():
        assert emd(fine[one], fine[two]) == pytest.approx(distance, abs=1e-4)
        assert emd(coarse[one], coarse[two]) == pytest.approx(distance, abs=1e-3)
    by_emd = KMeans(2, "emd", restarts=10).fit(cumulative(coarse), np.ones(4)).labels
    assert by_emd[0] == by_emd[1] != by_emd[2] == by_emd[3]
    strength = Moments(HoldemCards(), 0, whole_deck_wins).points(np.zeros(4, dtype=int), hands)[:, :1]
    by_strength = KMeans(2, restarts=10).fit(strength.astype(np.float32), np.ones(4)).labels
    assert by_strength[0] == by_strength[2] != by_strength[1] == by_strength[3]


def test_published_clusters() -> None:
    """224, 188, 164, 202, 140, 206, 160 and 42 hands; the strongest cluster is the high pairs."""
    found = published_clusters()
    assert np.bincount(found).tolist() == [224, 188, 164, 202, 140, 206, 160, 42]
    assert len(CLUSTERS) == 8
    pairs = [parse_hand(f"{rank}s{rank}h") for rank in "89TJQKA"]
    assert set(found[pairs].tolist()) == {7}
    assert found[parse_hand("7s7h")] != 7


@pytest.mark.slow
def test_ochs_weighted_by_opponents_is_strength() -> None:
    """HS is the sum of OCHS weighted with the hands of each cluster that can be met, on 1,000 rivers.

    The kernel adds up in the type of its output: tables are float32, which is exact to about 1e-7.
    """
    cards, cluster_of = HoldemCards(), published_clusters()
    generator = np.random.default_rng(26)
    boards = np.array([generator.choice(52, 5, replace=False) for _ in range(1000)], dtype=np.uint8)
    exact = np.zeros((1000, 1326, 8))
    tables = strength_tables(cards.deck.ranking)
    kernels.cluster_strengths(boards, cards.deck.hands, tables, cluster_of, 8, exact)
    assert np.abs(Ochs(cards, 3, cluster_of).on_boards(boards) - exact).max() < 1e-6
    apart = disjoint_hands(STANDARD_DECK.hands, STANDARD_DECK.hands).astype(np.float32)
    clusters = np.eye(8, dtype=np.float32)[cluster_of]
    for board, found in zip(boards.tolist(), exact, strict=True):
        live = STANDARD_DECK.live_hands(board)
        met = (apart @ (clusters * live[:, None])).astype(np.float64)[live]
        assert (met.sum(axis=1) == 990).all()
        strength = board_wins(cards, board)[live] / 1980
        assert np.abs((met * found[live]).sum(axis=1) / 990 - strength).max() < 1e-12


def test_ochs_before_the_last_street_is_the_average(small: HoldemCards, wins: np.ndarray) -> None:
    cluster_of = kmeans_clusters(small, wins, 3, Work())
    tables = ochs_tables(small, 0, cluster_of, Work())
    last = Ochs(small, 3, cluster_of)
    for street, board in ((2, 11), (1, 5)):
        full = small.boards(street).completed(np.array([board]), 5)[0]
        means = last.on_boards(full).sum(axis=0) / small.completions(street)
        assert tables[street][board] == pytest.approx(means, abs=1e-5)
    one = small.boards(1)
    weighted = np.einsum("b,bhk->hk", one.multiplicity.astype(float), tables[1]) / one.multiplicity.sum()
    assert weighted.mean(axis=0) == pytest.approx(
        tables[0][0].mean(axis=0) * (one.representative >= 0).mean(), rel=1e-2
    )


def test_kmeans_clusters_rise_in_strength(small: HoldemCards, wins: np.ndarray) -> None:
    cluster_of = kmeans_clusters(small, wins, 4, Work())
    hands = np.arange(190)
    strength = Moments(small, 0, wins).points(np.zeros_like(hands), hands)[:, 0]
    means = [strength[cluster_of == cluster].mean() for cluster in range(4)]
    assert means == sorted(means)
    assert cluster_of[parse_hand("AsAh", small.deck)] == 3


def test_potential_counts_the_next_buckets(small: HoldemCards) -> None:
    turns = small.boards(2)
    rows = np.where(turns.representative < 0, DEAD, np.arange(190) % 7).astype(np.uint16)
    found = Potential(small, 1, rows, 7).points(np.array([3]), np.array([40]))
    assert found.sum() == pytest.approx(1)
    assert (found * 15).round(4).tolist() == (found * 15).round().tolist()  # 15 turn cards

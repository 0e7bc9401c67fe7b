"""Hand strength against phevaluator, against printed counts and against a rule book written only for this test."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from counterpoise.cards import (
    SHORT_DECK,
    STANDARD_DECK,
    Deck,
    board_strengths,
    category,
    evaluate,
    isomorphism,
    parse_cards,
    strength_count,
    strengths,
)
from counterpoise.errors import InputError

CATEGORIES = [
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
]


def random_deals(count, cards, seed, lowest=0):
    """Rows of different random cards."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(lowest, 52, size=(count * 2 + 100, cards), dtype=np.uint8)
    in_order = np.sort(rows, axis=1)
    return rows[(np.diff(in_order, axis=1) > 0).all(axis=1)][:count]


def phevaluator_strengths(rows):
    """Our strength of every row by phevaluator, whose ranks run from 1, the best, to 7,462; its cards are ours."""
    native = pytest.importorskip("phevaluator._pheval")
    function = getattr(native, f"evaluate_{rows.shape[1]}cards")
    return 7463 - np.fromiter(map(function, *(column.tolist() for column in rows.T)), dtype=np.int64, count=len(rows))


def rule_book(cards, short=False):
    """What five cards are worth, as a tuple that compares like the hands: category, then ranks by weight."""
    ranks = sorted((card // 4 for card in cards), reverse=True)
    counts = Counter(ranks)
    by_weight = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    shape = sorted(counts.values(), reverse=True)
    flush = len({card % 4 for card in cards}) == 1
    straight = len(counts) == 5 and ranks[0] - ranks[4] == 4
    if ranks == ([12, 7, 6, 5, 4] if short else [12, 3, 2, 1, 0]):
        straight, by_weight = True, by_weight[1:]
    order = CATEGORIES.copy()
    if short:
        order[5], order[6] = order[6], order[5]
    if straight:
        name = "straight flush" if flush else "straight"
    elif flush:
        name = "flush"
    else:
        name = {
            (4, 1): "four of a kind",
            (3, 2): "full house",
            (3, 1, 1): "three of a kind",
            (2, 2, 1): "two pair",
            (2, 1, 1, 1): "pair",
            (1, 1, 1, 1, 1): "high card",
        }[tuple(shape)]
    return order.index(name), by_weight, name


@pytest.mark.slow
def test_every_five_card_hand_agrees_with_phevaluator():
    """All 2,598,960 hands; and the numbers of hands in each category are the well-known ones."""
    hands = np.array(list(combinations(range(52), 5)), dtype=np.uint8)
    ours = evaluate(hands)
    assert np.array_equal(ours, phevaluator_strengths(hands))
    assert np.array_equal(np.unique(ours), np.arange(1, 7463))
    frequency = np.bincount(ours)
    found = Counter()
    for strength in range(1, 7463):
        found[category(strength)] += int(frequency[strength])
    expected = [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]
    assert found == dict(zip(CATEGORIES, expected, strict=True))


@pytest.mark.parametrize("cards", [6, 7])
def test_random_hands_agree_with_phevaluator(cards):
    hands = random_deals(500_000, cards, seed=cards)
    assert np.array_equal(evaluate(hands), phevaluator_strengths(hands))


@pytest.mark.long
def test_ten_million_seven_card_hands_agree_with_phevaluator():
    for seed in range(20):
        hands = random_deals(500_000, 7, seed=100 + seed)
        assert np.array_equal(evaluate(hands), phevaluator_strengths(hands))


@pytest.mark.long
def test_all_seven_card_hands_fall_into_the_known_categories():
    """133,784,560 hands through their suit classes, weighted by orbit size: evaluator and isomorphism at once."""
    classes = isomorphism((7,))
    hands = classes.unindex(np.arange(classes.size))
    frequency = np.bincount(evaluate(hands), weights=classes.orbit_sizes(hands), minlength=7463)
    found = Counter()
    for strength in range(1, 7463):
        found[category(strength)] += int(frequency[strength])
    expected = [23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 41584]
    assert found == dict(zip(CATEGORIES, expected, strict=True))
    assert np.count_nonzero(frequency) == 4824  # the classes that seven cards can make


@pytest.mark.parametrize("short", [False, True])
def test_five_cards_by_the_rule_book(short):
    """Equal strength exactly where the rule book says tie, and the same order; short deck: flush over full house."""
    hands = random_deals(30_000, 5, seed=1, lowest=16 if short else 0)
    special = [
        "As 6h 7d 8c 9s",
        "As 6s 7s 8s 9s",
        "As 2h 3d 4c 5s",
        "Th 6h 7d 8c 9s",
        "8h 8s 8d 9c 9h",
        "As 9s 8s 7s Ts",
    ]
    special = [parse_cards(text) for text in special if not short or "2" not in text]
    hands = np.concatenate([hands, np.array(special, dtype=np.uint8)])
    ranking = "short" if short else "standard"
    worth = [rule_book(hand, short) for hand in hands.tolist()]
    order = {value: at for at, value in enumerate(sorted({(w[0], tuple(w[1])) for w in worth}))}
    theirs = np.array([order[w[0], tuple(w[1])] for w in worth])
    ours = evaluate(hands, ranking)
    pairs = np.unique(np.stack([ours, theirs], axis=1), axis=0)
    assert np.all(np.diff(pairs[:, 0]) > 0)
    assert np.all(np.diff(pairs[:, 1]) > 0)
    assert all(category(int(strength), ranking) == w[2] for strength, w in zip(ours, worth, strict=True))


@pytest.mark.parametrize("ranking", ["standard", "short"])
@pytest.mark.parametrize("cards", [6, 7])
def test_more_cards_are_worth_their_best_five(ranking, cards):
    hands = random_deals(20_000, cards, seed=2, lowest=16 if ranking == "short" else 0)
    best = np.max([evaluate(hands[:, five], ranking) for five in combinations(range(cards), 5)], axis=0)
    assert np.array_equal(evaluate(hands, ranking), best)


def test_short_deck_has_1404_classes_in_376992_hands():
    hands = np.array(list(combinations(SHORT_DECK.cards.tolist(), 5)), dtype=np.uint8)
    frequency = np.bincount(evaluate(hands, "short"))
    assert strength_count("short") == len(frequency) - 1 == 1404
    assert frequency[0] == 0
    assert np.all(frequency[1:] > 0)
    count = Counter()
    for strength in range(1, 1405):
        count[category(strength, "short")] += int(frequency[strength])
    assert (count["straight flush"], count["straight"]) == (6 * 4, 6 * (4**5 - 4))
    assert (count["flush"], count["full house"]) == (4 * 120, 9 * 4 * 8 * 6)


@pytest.mark.parametrize("cards", [3, 4, 5])
@pytest.mark.parametrize("deck", [STANDARD_DECK, SHORT_DECK, Deck(ranks=8, suits=3), Deck(ranks=5)])
def test_strengths_on_a_board(cards, deck):
    """Every live hand as `evaluate` sees it; every hand that shares a card with the board is marked 0."""
    rng = np.random.default_rng(3)
    boards = np.array([rng.permutation(deck.cards)[:cards] for _ in range(20)])
    together = board_strengths(boards, deck=deck)
    for board, row in zip(boards.tolist(), together, strict=True):
        live = deck.live_hands(board)
        seven = np.concatenate([deck.hands, np.tile(np.array(board, dtype=np.uint8), (deck.hand_count, 1))], axis=1)
        assert np.array_equal(row[live], evaluate(seven[live], deck.ranking))
        assert not row[~live].any()
        assert np.array_equal(strengths(board, deck=deck), row)
        assert np.array_equal(strengths(board, deck.hands[::-1], deck), row[::-1])


@pytest.mark.parametrize(("cards", "opponents"), [(5, 990), (3, 1081)])
def test_hand_strength_counts(cards, opponents):
    """Every hand beats, ties or loses to 990 hands (1,081 on the flop); the mean hand strength is one half."""
    board = parse_cards("Ks 7d 4c Jd 2s")[:cards]
    live = STANDARD_DECK.live_hands(board)
    hands, strength = STANDARD_DECK.hands[live], strengths(board)[live].astype(int)
    meets = ~(hands[:, None, :, None] == hands[None, :, None, :]).any(axis=(2, 3))
    assert np.all(meets.sum(axis=1) == opponents)
    beaten = (meets & (strength[:, None] > strength)).sum(axis=1)
    tied = (meets & (strength[:, None] == strength)).sum(axis=1)
    assert np.mean((beaten + tied / 2) / opponents) == pytest.approx(0.5, abs=1e-12)


def test_categories_by_name():
    named = {
        "straight flush": "As 2s 3s 4s 5s Kd Kh",
        "four of a kind": "8s 8h 8d 8c Kd Kh Ks",
        "full house": "8s 8h 8d Kc Kd Kh 2s",
        "flush": "As Ks 9s 4s 2s 3s Ah",
        "straight": "As 2d 3s 4h 5s 5d 5h",
        "three of a kind": "8s 8h 8d Kc 2d 3h 4s",
        "two pair": "8s 8h Kd Kc 2d 2h As",
        "pair": "8s 8h Kd Qc 2d 3h As",
        "high card": "8s 7h Kd Qc 2d 3h As",
    }
    for name, cards in named.items():
        assert category(int(evaluate([parse_cards(cards)])[0])) == name


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: evaluate([[0, 1, 2, 3]]), "an array of 5 or 6 or 7 columns, not of shape \\(1, 4\\)"),
        (lambda: evaluate([[0, 1, 2, 3, 52]]), "from 0 to 51, not 52"),
        (lambda: evaluate([[0, 1, 2, 3, -1]]), "from 0 to 51, not -1"),
        (lambda: evaluate([[0, 1, 2, 3, 4.5]]), "cards must be whole numbers"),
        (lambda: evaluate([[0, 1, 2, 3, 4], [0, 1, 2, 3, 3]]), "card 2c is repeated in row 1, '2s 2h 2d 2c 2c'"),
        (
            lambda: evaluate([[0, 20, 24, 28, 32]], "short"),
            "card of the short ranking is a number from 16 to 51, not 0",
        ),
        (lambda: evaluate([[0, 1, 2, 3, 4]], "high"), "ranking must be standard or short, not 'high'"),
        (lambda: board_strengths([[0, 1, 1]]), "card 2h is repeated in row 0"),
        (lambda: strengths([0, 1]), "an array of 3 or 4 or 5 columns"),
        (lambda: strengths([0, 1, 1]), "card 2h is repeated in the board '2s 2h 2h'"),
        (lambda: category(0), "a strength of the standard ranking is from 1 to 7462, not 0"),
        (lambda: category(1405, "short"), "from 1 to 1404, not 1405"),
    ],
)
def test_wrong_input(call, message):
    with pytest.raises(InputError, match=message):
        call()

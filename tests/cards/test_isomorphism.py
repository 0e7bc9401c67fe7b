"""Suit classes: exact counts, no gaps, invariance, and the way back."""

from itertools import combinations, permutations
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from counterpoise.cards import HOLDEM_ROUNDS, SHORT_DECK, STANDARD_DECK, Deck, Isomorphism, isomorphism, parse_cards
from counterpoise.errors import InputError

CLASSES = {
    (2,): 169,
    (2, 3): 1_286_792,
    (2, 3, 1): 55_190_538,
    (2, 3, 1, 1): 2_428_287_420,
    (3,): 1_755,
    (3, 1): 63_193,
    (3, 1, 1): 2_554_656,
    (4,): 16_432,
    (5,): 134_459,
    (2, 4): 13_960_050,
    (2, 5): 123_156_254,
}
SMALL = [
    ((2, 2), Deck(4, 4)),
    ((2, 3), Deck(3, 4)),
    ((2, 1, 1), Deck(4, 3)),
    ((2, 3), Deck(5, 3)),
    ((1, 1, 1, 1), Deck(4, 3)),
    ((3, 2), Deck(5, 2)),
    ((2, 2, 1), Deck(6, 1)),
    ((4, 4), Deck(2, 4)),
    ((2,), SHORT_DECK),
]


def burnside(rounds, deck):
    """Number of classes: the mean, over all suit permutations, of the number of deals that the permutation fixes.

    A fixed deal shows the same ranks in all suits of a cycle, so a cycle of length L that takes n ranks in a round
    uses L * n of its cards.
    """
    total = 0
    for permutation in permutations(range(deck.suits)):
        cycles, seen = [], set()
        for suit in range(deck.suits):
            length = 0
            while suit not in seen:
                seen.add(suit)
                suit, length = permutation[suit], length + 1
            if length:
                cycles.append(length)
        ways = {(0,) * len(rounds): 1}  # cards used up in each round -> number of fixed deals so far
        for length in cycles:
            grown = {}
            for used, number in ways.items():
                steps = {(): (number, deck.ranks)}
                for cards, taken in zip(rounds, used, strict=True):
                    steps = {
                        (*counts, n): (w * comb(free, n), free - n)
                        for counts, (w, free) in steps.items()
                        for n in range((cards - taken) // length + 1)
                        if n <= free
                    }
                for counts, (w, _) in steps.items():
                    key = tuple(taken + length * n for taken, n in zip(used, counts, strict=True))
                    grown[key] = grown.get(key, 0) + w
            ways = grown
        total += ways.get(tuple(rounds), 0)
    classes, rest = divmod(total, factorial(deck.suits))
    assert rest == 0
    return classes


def deals_of(rounds, cards):
    """Every deal, round by round."""
    if not rounds:
        yield ()
        return
    for now in combinations(cards, rounds[0]):
        for later in deals_of(rounds[1:], [card for card in cards if card not in now]):
            yield now + later


def smallest_image(deal, rounds, deck):
    """The least of all images of a deal, by trying every permutation of suits."""
    images = []
    for permutation in permutations(range(deck.suits)):
        image, start = [], 0
        for cards in rounds:
            image.append(sorted(card - card % 4 + permutation[card % 4] for card in deal[start : start + cards]))
            start += cards
        images.append(image)
    return tuple(card for part in min(images) for card in part)


@pytest.mark.parametrize(("rounds", "classes"), CLASSES.items())
def test_counts(rounds, classes):
    """The classes of the full deck; forgetting the order of the board, (2, 4) and (2, 5), merges classes."""
    assert isomorphism(rounds).size == burnside(rounds, STANDARD_DECK) == classes


@pytest.mark.parametrize(
    ("ranks", "hands", "flops", "both"),
    [(3, 9, 20, 417), (4, 16, 48, 2216), (5, 25, 95, 7760), (6, 36, 166, 21150), (8, 64, 400, 99792)],
)
def test_counts_of_the_mini_games(ranks, hands, flops, both):
    """Classes before the flop, canonical flops, hands with flops."""
    deck = Deck(ranks=ranks)
    assert [isomorphism(rounds, deck).size for rounds in ((2,), (3,), (2, 3))] == [hands, flops, both]


@pytest.mark.parametrize(
    ("ranks", "classes"),
    [
        (6, (36, 21_150, 93_750, 324_552)),
        (8, (64, 99_792, 625_240, 3_122_728)),
        (13, (169, 1_286_792, 13_960_050, 123_156_254)),
    ],
)
def test_classes_of_agents_games(ranks, classes):
    """Hands on boards of 0, 3, 4 and 5 cards by Burnside and as numbered; flops are n + 2n(n-1) + 5 C(n, 3).

    The classes of agents 1.3 forget in which order a board was dealt; 55,190,538 and 2.4 billion of 1.1 do not.
    """
    deck = Deck(ranks=ranks)
    rounds = ((2,), (2, 3), (2, 4), (2, 5))
    assert tuple(isomorphism(dealt, deck).size for dealt in rounds) == classes
    assert tuple(burnside(dealt, deck) for dealt in rounds) == classes
    flops = ranks + 2 * ranks * (ranks - 1) + 5 * comb(ranks, 3)
    assert flops == isomorphism((3,), deck).size == burnside((3,), deck) == {6: 166, 8: 400, 13: 1_755}[ranks]


@pytest.mark.parametrize("deck", [Deck(7, 3), Deck(9, 2), Deck(5, 1), SHORT_DECK, Deck(2, 4)])
@pytest.mark.parametrize("rounds", [(2,), (2, 3), (2, 1, 1), (1, 1, 1, 1), (5,), (1, 2, 2)])
def test_counts_by_burnside_on_other_decks(rounds, deck):
    assert isomorphism(rounds, deck).size == burnside(rounds, deck)


@pytest.mark.slow
@pytest.mark.parametrize(("rounds", "deck"), SMALL)
def test_every_deal_of_small_decks(rounds, deck):
    """Deals have equal numbers exactly if they are isomorphic; numbers have no gaps; orbit sizes are right."""
    classes = isomorphism(rounds, deck)
    deals = list(deals_of(rounds, deck.cards.tolist()))
    numbers = classes.index(deals)
    images = [smallest_image(deal, rounds, deck) for deal in deals]
    of_image = dict(zip(images, numbers.tolist(), strict=True))
    assert [of_image[image] for image in images] == numbers.tolist()
    assert sorted(of_image.values()) == list(range(classes.size))
    assert np.array_equal(classes.orbit_sizes(deals), np.bincount(numbers)[numbers])

    canonical = classes.unindex(np.arange(classes.size))
    assert np.array_equal(classes.index(canonical), np.arange(classes.size))
    assert np.array_equal(classes.canonical(deals), canonical[numbers])


@pytest.mark.long
def test_every_hand_on_every_flop():
    """All 25,989,600 deals of hole cards and a flop fall into the 1,286,792 classes, as many as the orbit sizes say."""
    classes = isomorphism((2, 3))
    canonical = classes.unindex(np.arange(classes.size))
    assert np.array_equal(classes.index(canonical), np.arange(classes.size))
    sizes = classes.orbit_sizes(canonical)
    assert sizes.sum() == 1326 * comb(50, 3)

    flops = np.array(list(combinations(range(52), 3)), dtype=np.uint8)
    flop_sets = (1 << flops.astype(np.int64)).sum(axis=1)
    hand_sets = (1 << STANDARD_DECK.hands.astype(np.int64)).sum(axis=1)
    numbers = []
    for hand, hand_set in zip(STANDARD_DECK.hands, hand_sets, strict=True):
        live = flops[(flop_sets & hand_set) == 0]
        numbers.append(classes.index(np.concatenate([np.broadcast_to(hand, (len(live), 2)), live], axis=1)))
    assert np.array_equal(np.bincount(np.concatenate(numbers)), sizes)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [*HOLDEM_ROUNDS, (2, 5), (3, 1, 1), (4, 3, 1, 1), (1, 1, 1, 1, 1)])
def test_there_and_back_on_random_classes(rounds):
    """index(unindex(i)) == i, first and last class included; canonical deals are fixed points."""
    classes = isomorphism(rounds)
    numbers = np.random.default_rng(0).integers(0, classes.size, 100_000)
    numbers[:2] = 0, classes.size - 1
    deals = classes.unindex(numbers)
    assert np.array_equal(classes.index(deals), numbers)
    assert np.array_equal(classes.canonical(deals), deals)


STREETS = st.sampled_from([*HOLDEM_ROUNDS, (3,), (2, 4), (1, 2, 1)])


@settings(max_examples=60, deadline=None)
@given(rounds=STREETS, cards=st.permutations(range(52)), data=st.data())
def test_renaming_suits_changes_nothing(rounds, cards, data):
    """All 24 renamings and any order within rounds give one class, whose canonical deal is one of the renamings."""
    classes = isomorphism(rounds)
    deal = np.array(cards[: classes.width])
    renamed = np.array([deal - deal % 4 + np.array(suits)[deal % 4] for suits in permutations(range(4))])
    numbers = classes.index(renamed)
    assert np.all(numbers == numbers[0])
    assert classes.orbit_sizes(deal) == len({smallest(rounds, image) for image in renamed.tolist()})

    start, shuffled = 0, []
    for count in rounds:
        shuffled += data.draw(st.permutations(deal[start : start + count].tolist()))
        start += count
    assert classes.index(shuffled) == numbers[0]
    assert smallest(rounds, classes.unindex(numbers[0])) in {smallest(rounds, image) for image in renamed.tolist()}


def smallest(rounds, deal):
    """A deal with its rounds in order."""
    parts = np.split(np.asarray(deal), np.cumsum(rounds)[:-1])
    return tuple(card for part in parts for card in sorted(part.tolist()))


def test_perfect_recall_of_rounds():
    """On the river the same seven cards, dealt in another order, are another class."""
    river = isomorphism((2, 3, 1, 1))
    one, two = parse_cards("As Kd 7s 7h 2d 9c 3h"), parse_cards("As Kd 7s 7h 2d 3h 9c")
    assert river.index(one) != river.index(two)
    assert isomorphism((2, 5)).index(one) == isomorphism((2, 5)).index(two)


def test_shapes():
    flop = isomorphism((2, 3))
    deal = parse_cards("As Kd 7s 7h 2d")
    assert flop.index(deal).shape == ()
    assert flop.index([[deal] * 3] * 2).shape == (2, 3)
    assert flop.unindex([[1, 2, 3]]).shape == (1, 3, 5)
    assert flop.index(np.zeros((0, 5), dtype=np.int64)).shape == (0,)


def test_hands_on_a_board():
    board = parse_cards("Qs Jh 2h")
    found = isomorphism((2, 3)).hand_classes(board)
    live = STANDARD_DECK.live_hands(board)
    assert np.all(found[~live] == -1)
    # Diamonds and clubs are alike; their exchange fixes C(23, 2) hands of spades and hearts and 13 pairs.
    assert len(np.unique(found[live])) == (1176 + 253 + 13) // 2
    row = STANDARD_DECK.hands[live][100].tolist() + board
    assert found[live][100] == isomorphism((2, 3)).index(row)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: isomorphism((2, 3)).index([0, 1, 2, 3, 3]),
            "card 2c is repeated in the deal of row 0: '2s 2h 2d 2c 2c'",
        ),
        (lambda: isomorphism((2, 3)).index([0, 1, 2, 3]), "has 5 cards, not the shape \\(4,\\)"),
        (lambda: isomorphism((2,)).index([0, 52]), "from 0 to 51, not 52"),
        (lambda: isomorphism((2,)).index(np.array([0, 255], dtype=np.uint8)), "from 0 to 51, not 255"),
        (lambda: isomorphism((2,)).index([0.0, 1.0]), "cards must be whole numbers"),
        (lambda: isomorphism((2,), SHORT_DECK).index([0, 50]), "card 2s is not in the deck of 36 cards"),
        (lambda: isomorphism((2,), Deck(5, 3)).index([51, 50]), "card Ac is not in the deck of 15 cards"),
        (lambda: isomorphism((2,)).unindex([3, 169]), "class 169 does not exist: they are from 0 to 168"),
        (lambda: isomorphism((2,)).unindex(0.5), "classes must be whole numbers"),
        (lambda: isomorphism(()), "rounds must be positive whole numbers of cards, not \\(\\)"),
        (lambda: isomorphism((2, 0)), "rounds must be positive whole numbers of cards"),
        (lambda: isomorphism((7,), Deck(3, 2)), "need 7 cards, and the deck has 6"),
        (lambda: Isomorphism((1,) * 9), "too many"),
        (lambda: isomorphism((2, 3)).hand_classes([0, 1]), "has 3 cards, not 2"),
    ],
)
def test_wrong_input(call, message):
    with pytest.raises(InputError, match=message):
        call()

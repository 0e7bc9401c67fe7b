"""Suits that a public state cannot tell apart."""

from itertools import combinations, permutations

import numpy as np
import pytest

from counterpoise.cards import STANDARD_DECK, Deck, Range, isomorphism, parse_cards, suit_symmetry
from counterpoise.errors import InputError


def symmetric_values(board, card):
    """Values that depend only on the class of (hand | board | card): what a suit-symmetric strategy produces."""
    classes = isomorphism((2, len(board), len(card))).hand_classes([*board, *card])
    return np.where(classes >= 0, np.sin(classes), 0.0)


@pytest.mark.parametrize(
    ("board", "order"),
    [("", 24), ("Qs Jh 2h", 2), ("Qs Jh 2d", 1), ("Qs Js 2s", 6), ("Qs Qh 2d", 2), ("Qs Qh Qd", 6), ("Qs Qh 2s 2h", 4)],
)
def test_order_of_the_group(board, order):
    group = suit_symmetry([parse_cards(board)])
    assert len(group) == order
    assert group.permutations[0].tolist() == [0, 1, 2, 3]
    cards = set(parse_cards(board))
    for card_map, hand_map in zip(group.card_maps, group.hand_maps, strict=True):
        assert {int(card_map[card]) for card in cards} == cards
        low, high = STANDARD_DECK.hands.T
        assert np.array_equal(hand_map, STANDARD_DECK.hand_table[card_map[low], card_map[high]])


def test_rounds_of_the_board_are_kept_apart():
    """The set Qs Ts Td Qd is its own image when s and d change places; Qs Ts Td, then Qd, is not."""
    flop, turn = parse_cards("Qs Ts Td"), parse_cards("Qd")
    assert len(suit_symmetry([flop + turn])) == 4
    assert len(suit_symmetry([flop, turn])) == 2
    assert len(suit_symmetry([flop]).deal(turn)) == 2


def test_ranges_break_symmetries():
    """Only suits that both ranges treat alike may be exchanged; weights of dead hands do not count."""
    board = parse_cards("Qs 8s 2s")
    alike = Range.from_string("TT+,AKs:0.5,76o").weights
    clubs = Range.from_string("TT+,AcKc:0.5").weights
    dead = Range.from_string("TT+,QsKh,76o").weights
    assert len(suit_symmetry([board], [alike, alike])) == 6
    assert len(suit_symmetry([board], [alike, clubs])) == 2
    assert len(suit_symmetry([board], [clubs, Range.from_string("AhKh").weights])) == 1
    assert len(suit_symmetry([board], [alike, dead])) == 6
    assert len(suit_symmetry([], [alike, dead])) == 2


@pytest.mark.parametrize("board", ["Qs Jh 2h", "Qs Jh 2d", "Qs Js 2s", "Qs Qh 2d", "Qs Qh Qd"])
def test_orbits_of_the_next_card(board):
    """Members partition the live cards; each map takes its member to the representative."""
    cards = parse_cards(board)
    group = suit_symmetry([cards])
    orbits = group.orbits()
    assert sorted(orbits.members.ravel().tolist()) == [card for card in range(52) if card not in cards]
    assert orbits.multiplicity.sum() == 49
    assert len(orbits) == len(orbits.representatives)
    for k in range(len(orbits)):
        rows = range(orbits.first[k], orbits.first[k + 1])
        assert len(rows) == orbits.multiplicity[k]
        assert orbits.members[rows[0]] == orbits.representatives[k] == orbits.members[rows].min()
        for row in rows:
            assert group.card_maps[orbits.maps[row], orbits.members[row]] == orbits.representatives[k]
        assert len(group) == orbits.multiplicity[k] * len(group.deal(orbits.representatives[k].tolist()))


@pytest.mark.parametrize("board", ["Qs Jh 2h", "Qs Js 2s", "Qs Qh 2d", "Qs Jh 2d"])
def test_values_of_all_cards_from_those_of_the_representatives(board):
    """Per hand: by renaming hands for every member, and by averaging over the group with multiplicities."""
    cards = parse_cards(board)
    group = suit_symmetry([cards])
    orbits = group.orbits()
    brute = sum(symmetric_values(cards, [card]) for card in range(52) if card not in cards)
    renamed = np.zeros(1326)
    averaged = np.zeros(1326)
    multiplicities_only = np.zeros(1326)
    for k in range(len(orbits)):
        values = symmetric_values(cards, orbits.representatives[k].tolist())
        for row in range(orbits.first[k], orbits.first[k + 1]):
            mapped = values[group.hand_maps[orbits.maps[row]]]
            assert np.array_equal(mapped, symmetric_values(cards, orbits.members[row].tolist()))
            renamed += mapped
        averaged += orbits.multiplicity[k] * group.average(values)
        multiplicities_only += orbits.multiplicity[k] * values
    assert renamed == pytest.approx(brute, abs=1e-12)
    assert averaged == pytest.approx(brute, abs=1e-12)
    assert (len(group) > 1) == (np.abs(multiplicities_only - brute).max() > 1e-3)


def test_flops_and_turns():
    """By orbits: 1,755 flops, and 63,193 turns after them."""
    group = suit_symmetry([])
    flops = group.orbits(3)
    assert (len(flops), flops.multiplicity.sum()) == (1755, 22100)
    assert sum(len(group.deal(flop).orbits()) for flop in flops.representatives.tolist()) == 63193
    images = np.sort(group.card_maps[flops.maps[:, None], flops.members], axis=1)
    assert np.array_equal(images, np.repeat(flops.representatives, flops.multiplicity, axis=0))


@pytest.mark.parametrize("deck", [Deck(5, 4), Deck(8, 3), Deck(6, 2)])
def test_smaller_decks(deck):
    group = suit_symmetry([], deck=deck)
    assert len(group.orbits(3)) == isomorphism((3,), deck).size
    assert group.hand_maps.shape == (len(list(permutations(range(deck.suits)))), deck.hand_count)
    flop = next(combinations(deck.cards.tolist(), 3))
    after = group.deal(flop).orbits()
    assert after.multiplicity.sum() == deck.size - 3


def test_wrong_input():
    with pytest.raises(InputError, match="card Qs is repeated"):
        suit_symmetry([parse_cards("Qs Jh 2h"), parse_cards("Qs")])
    with pytest.raises(InputError, match="1326 weights, one per hand, not the shape \\(169,\\)"):
        suit_symmetry([], [np.ones(169)])
    with pytest.raises(InputError, match="0 cards cannot be dealt from 52"):
        suit_symmetry([]).orbits(0)

"""Range strings and what they stand for."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from counterpoise.cards import SHORT_DECK, STANDARD_DECK, Deck, Range, format_cards, parse_cards
from counterpoise.errors import InputError

SRP_OOP = (
    "TT-22,AJs-A2s,KQs-K2s,QJs-Q4s,JTs-J6s,T9s-T6s,98s-95s,87s-85s,76s-74s,65s-63s,54s-53s,43s,AJo-A4o:0.9,KQo-KTo,"
    "QJo-QTo,JTo-J9o,T9o-T8o:0.75,98o:0.5"
)
SRP_IP = (
    "AA-22,AKs-A2s,KQs-K2s,QJs-Q3s,JTs-J5s,T9s-T6s,98s-95s,87s-85s,76s-74s,65s-64s,54s-53s,43s,AKo-A2o,KQo-K7o,QJo-Q9o,"
    "JTo-J8o,T9o-T8o,98o,87o:0.5"
)
THREE_BET_OOP = (
    "AA-TT,99:0.5,AKs-AQs,AJs:0.6,ATs:0.4,A5s-A2s:0.8,KQs,KJs:0.7,KTs:0.4,QJs:0.5,JTs:0.5,T9s:0.4,98s:0.3,87s:0.3,76s:0.4,"
    "65s:0.4,AKo,AQo:0.8,AJo:0.3,KQo:0.5"
)
THREE_BET_IP = (
    "JJ-22,AQs-ATs,A9s-A6s:0.5,A5s-A4s,KQs-KTs,K9s:0.4,QJs-QTs,Q9s:0.5,JTs-J9s,T9s-T8s,98s-97s,87s-86s,76s-75s,65s-64s,"
    "54s,AQo,AJo:0.7,ATo:0.3,KQo:0.8,KJo:0.3"
)
SPOTS = [
    ("Ks 7d 4c Jd 2s", SRP_OOP, SRP_IP, 412, 537),
    ("Ts 9h 4h 2c", SRP_OOP, SRP_IP, 416, 563),
    ("Ah 8d 3d", THREE_BET_OOP, THREE_BET_IP, 133, 207),
    ("Qs 9s 5h", SRP_OOP, SRP_IP, 430, 568),
]


def kinds(text, deck=STANDARD_DECK):
    """The kinds of hands in a range that has no partial weights and no partial kinds, sorted."""
    found = Range.from_string(text, deck)
    names = set()
    for low, high in deck.hands[found.hands].tolist():
        first, second = (format_cards([card])[0] for card in (high, low))
        names.add(first + second + ("" if first == second else "s" if low % 4 == high % 4 else "o"))
    sizes = {"": 6, "s": 4, "o": 12}
    assert found.combos == found.count == sum(sizes[name[2:]] for name in names)
    return " ".join(sorted(names))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AA", "AA"),
        ("JJ+", "AA JJ KK QQ"),
        ("AA+", "AA"),
        ("TT-QQ", "JJ QQ TT"),
        ("QQ-TT", "JJ QQ TT"),
        ("AKs", "AKs"),
        ("AKo", "AKo"),
        ("AK", "AKo AKs"),
        ("KA", "AKo AKs"),
        ("AQ+", "AKo AKs AQo AQs"),
        ("ATs+", "AJs AKs AQs ATs"),
        ("A2s-A4s", "A2s A3s A4s"),
        ("A4o-A2o", "A2o A3o A4o"),
        ("K3-K2", "K2o K2s K3o K3s"),
        ("KQs+", "KQs"),
        ("JTs-87s", "87s 98s JTs T9s"),
        ("97o-T8o", "97o T8o"),
        ("aks,tT", "AKs TT"),
        (" A5s - A4s ,\n 2 2 ", "22 A4s A5s"),
        ("AA,", "AA"),
    ],
)
def test_tokens(text, expected):
    assert kinds(text) == expected


def test_single_hands_and_everything():
    assert Range.from_string("KhAs:0.25").weight("AsKh") == 0.25
    assert Range.from_string("AsKh").count == 1
    for text in ("random", "any two", "ANY", "22+,32+,42+,52+,62+,72+,82+,92+,T2+,J2+,Q2+,K2+,A2+"):
        assert Range.from_string(text) == Range.everything()
    assert Range.everything().count == 1326


def test_later_tokens_override_earlier_ones():
    both = Range.from_string("AK:0.5, AKs, AsKs:0.25, AhKh:0")
    assert [both.weight(hand) for hand in ("AsKh", "AdKd", "AsKs", "AhKh")] == [0.5, 1.0, 0.25, 0.0]
    assert both.count == 15
    assert Range.from_string("random,72o:0").count == 1314


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AA,KQx", "range token 'KQx' cannot be read: write it like"),
        ("AA,AKs:1.5", "range token 'AKs:1.5': the weight must be a number from 0 to 1, not '1.5'"),
        ("AKs:-0.1", "range token 'AKs:-0.1': the weight must"),
        ("AKs:nan", "range token 'AKs:nan': the weight must"),
        ("AKs:half", "range token 'AKs:half': the weight must be a number from 0 to 1, not 'half'"),
        ("AKs:", "range token 'AKs:': the weight must be a number from 0 to 1, not ''"),
        ("AKs:0.5:0.5", "range token 'AKs:0.5:0.5': the weight must"),
        ("", "range '' is empty"),
        ("  ", "range '  ' is empty"),
        ("AA,,KK", "range token 2 is empty"),
        ("AA," * 100_000, "range must have at most 5,000 items between commas, not 100,000"),
        ("AAs", "range token 'AAs': a pair is neither suited nor offsuit"),
        ("AKs-AJo", "range token 'AKs-AJo': both ends must be suited, or both offsuit, or neither"),
        ("AKs-AJ", "both ends must be suited, or both offsuit, or neither"),
        ("AKs-QTs", "range token 'AKs-QTs': both ends must be pairs, share the higher card or have equal gaps"),
        ("AA-AK", "both ends must be pairs, share the higher card or have equal gaps"),
        ("AA-AKs", "both ends must be"),
        ("KJs-KTs+", "range token 'KJs-KTs\\+' cannot have both '-' and '\\+'"),
        ("A-K", "range token 'A-K' cannot be read"),
        ("AK++", "cannot be read"),
        ("1As", "range token '1As' cannot be read"),
        ("AsAs", "range token 'AsAs': card As is repeated"),
        ("AsKx", "range token 'AsKx' cannot be read"),
        ("AA:0", "range: no hand has a weight above 0"),
    ],
)
def test_errors_name_the_token(text, message):
    with pytest.raises(InputError, match=message):
        Range.from_string(text)


@pytest.mark.parametrize(("board", "oop", "ip", "oop_hands", "ip_hands"), SPOTS)
def test_live_hands_of_the_spots(board, oop, ip, oop_hands, ip_hands):
    """Live hands of the four benchmark spots."""
    assert Range.from_string(oop).live(board).count == oop_hands
    assert Range.from_string(ip).live(parse_cards(board)).count == ip_hands


def test_a_board_may_empty_a_range():
    aces = Range.from_string("AA")
    assert aces.live("As Ah 2c").count == 1
    with pytest.raises(InputError, match="range 'AA': every hand shares a card with board As Ah Ad"):
        aces.live("As Ah Ad")
    with pytest.raises(InputError, match="card As is repeated"):
        aces.live([48, 48])


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("TT,JJ,QQ,KK,AA", "TT+"),
        ("AA-JJ,55-33,22:0.5", "JJ+,55-33,22:0.5"),
        ("AKs,AQs,AJs,A9s", "AJs+,A9s"),
        ("AKs,AKo,AQs,AQo", "AQ+"),
        ("A2s+,AKo", "A2s+,AKo"),
        ("AKs,AKo:0.3,KQ", "AKs,AKo:0.3,KQ"),
        ("AsKh,AsKs:0.125", "AsKh,AsKs:0.125"),
        ("22+,32+,42+,52+,62+,72+,82+,92+,T2+,J2+,Q2+,K2+,A2+", "random"),
        ("random:0.5", "random:0.5"),
    ],
)
def test_strings_are_compact(text, short):
    assert Range.from_string(text).to_string() == short
    assert Range.from_string(short) == Range.from_string(text)


@pytest.mark.parametrize("text", [SRP_OOP, SRP_IP, THREE_BET_OOP, THREE_BET_IP])
def test_strings_of_the_spots_read_back(text):
    original = Range.from_string(text)
    assert Range.from_string(original.to_string()) == original
    assert len(original.to_string()) <= len(text)
    assert Range.from_string(original.live("Ks 7d 4c Jd 2s").to_string()) == original.live("Ks 7d 4c Jd 2s")


WEIGHTS = st.one_of(st.sampled_from([0.0, 1.0, 0.5]), st.floats(0, 1))


@settings(max_examples=50, deadline=None)
@given(
    deck=st.sampled_from([STANDARD_DECK, SHORT_DECK, Deck(5, 4), Deck(8, 3), Deck(4, 1)]),
    seed=st.integers(0, 2**32 - 1),
    palette=st.lists(WEIGHTS, min_size=1, max_size=4),
    single_hands=st.integers(0, 20),
)
def test_any_range_reads_back(deck, seed, palette, single_hands):
    """from_string(to_string(r)) == r, bit for bit, for kinds and single hands of any weight."""
    rng = np.random.default_rng(seed)
    grid = rng.choice(palette, size=(deck.ranks, deck.ranks))
    grid[0, 1] = 1.0
    ranks, suits = 12 - deck.hands.astype(int) // 4, deck.hands % 4
    suited = suits[:, 0] == suits[:, 1]
    weights = np.where(suited, grid[ranks.min(axis=1), ranks.max(axis=1)], grid[ranks.max(axis=1), ranks.min(axis=1)])
    weights[rng.integers(0, deck.hand_count, single_hands)] = rng.choice(palette)
    if weights.any():
        original = Range(weights, deck)
        assert Range.from_string(original.to_string(), deck) == original


def test_combos():
    some = Range.from_string("AA,AKs:0.5")
    assert (some.count, some.combos) == (10, 8.0)
    assert [STANDARD_DECK.hand_names[hand] for hand in Range.from_string("AhAs,2h2s").hands] == ["2h2s", "AhAs"]


def test_smaller_decks():
    assert kinds("TT+,AQs+", Deck(5)) == "AA AKs AQs JJ KK QQ TT"
    assert Range.from_string("AK,AA", Deck(8, 3)).count == 9 + 3
    with pytest.raises(InputError, match="range token '55': rank 5 is not in the deck"):
        Range.from_string("55", SHORT_DECK)
    with pytest.raises(InputError, match="range token '9s8s': card 9s is not in the deck of 20 cards"):
        Range.from_string("9s8s", Deck(5))
    with pytest.raises(InputError, match="range token 'AA' names no hand of the deck"):
        Range.from_string("AA", Deck(5, 1))


def test_ranges_do_not_change():
    everything = Range.everything()
    with pytest.raises(ValueError, match="read-only"):
        everything.weights[0] = 0
    assert hash(everything) == hash(Range.from_string("random"))
    assert everything != Range.from_string("AA")
    assert repr(Range.from_string("QQ+")) == "Range.from_string('QQ+')"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Range(np.ones(169)), "1326 weights, one per hand, not the shape \\(169,\\)"),
        (lambda: Range(np.full(1326, 1.5)), "the weight of 2h2s must be from 0 to 1, not 1.5"),
        (lambda: Range(np.full(1326, np.nan)), "the weight of 2h2s must be from 0 to 1, not nan"),
        (lambda: Range(np.zeros(1326)), "no hand has a weight above 0"),
        (
            lambda: Range.everything().weight("AsKhQd"),
            "a hand has two cards, each with its suit, such as AsKh, not 'AsKhQd'",
        ),
    ],
)
def test_wrong_input(call, message):
    with pytest.raises(InputError, match=message):
        call()

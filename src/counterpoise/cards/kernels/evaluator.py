"""Strength of five, six and seven cards by two table look-ups.

Every card adds one 64-bit key, so that the sum of the keys of a hand holds three things:

- bits 0..16: how often each of the seven lowest ranks occurs, as a number in base 5;
- bits 20..33: the same for the six highest ranks;
- bits 48..63: four counters of four bits, one per suit. They start at 3, so the top bit of a counter says "flush".

Without a flush the strength depends on the ranks alone. For n cards, k of them low, the two base-5 numbers are turned
into a gapless number of the multiset of ranks: ``low[n - 5, lows]`` is the first number for these low ranks (the low
multisets of k cards, each followed by all high multisets of n - k cards) and ``high[highs]`` counts on from there.
There are 6,175, 18,395 and 49,205 such multisets of 5, 6 and 7 cards. With a flush the ranks of that suit decide,
since five cards of one suit and two others never make four of a kind or a full house.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

LOW_RANKS = 7
LOW_CODES = 5**LOW_RANKS
HIGH_CODES = 5 ** (13 - LOW_RANKS)
MULTISETS = (6_175, 18_395, 49_205)  # of 5, 6 and 7 ranks
LOW_BITS = np.uint64(0x1FFFF)
HIGH_SHIFT = np.uint64(20)
HIGH_BITS = np.uint64(0x3FFF)
SUIT_SHIFT = 48
NO_CARDS = np.uint64(0x3333 << SUIT_SHIFT)
FLUSH = np.uint64(0x8888 << SUIT_SHIFT)
ONE = np.uint64(1)
ZERO = np.uint64(0)
PART: dict[str, Any] = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # called from kernels only
NO_RANK: Any = np.int64(-1)  # of a fixed type: for every literal number Numba would compile once more
DEAD = np.uint16(0)  # strength of a hand that shares a card with the board


class StrengthTables(NamedTuple):
    """Look-up tables of one ranking, in the layout kernels read (see the module docstring)."""

    key: NDArray[np.uint64]  # [card]
    low: NDArray[np.uint16]  # [cards - 5, code of the low ranks]
    high: NDArray[np.uint16]  # [code of the high ranks]
    ranks: NDArray[np.uint16]  # [cards - 5, number of the multiset of ranks] -> strength
    flush: NDArray[np.uint16]  # [set of ranks] -> strength


@njit(cache=True, nogil=True)
def evaluate(cards, tables, out):
    """Write the strength of every row of 5, 6 or 7 `cards`. Returns the first row with a repeated card, or -1."""
    count = cards.shape[1]
    low = tables.low[count - 5]
    ranks = tables.ranks[count - 5]
    for i in range(cards.shape[0]):
        key = NO_CARDS
        union = ZERO
        total = ZERO
        for j in range(count):
            card = cards[i, j]
            key += tables.key[card]
            bit = ONE << np.uint64(card)
            union |= bit
            total += bit
        if union != total:
            return i
        if key & FLUSH:
            out[i] = tables.flush[_flush_ranks(cards[i], key & FLUSH)]
        else:
            out[i] = ranks[low[key & LOW_BITS] + np.uint32(tables.high[(key >> HIGH_SHIFT) & HIGH_BITS])]
    return -1


@njit(cache=True, nogil=True)
def board_strengths(boards, hands, tables, out):
    """Write the strength of every hand on every board (rows of 3, 4 or 5 cards); `DEAD` where they share a card.

    Returns the first board with a repeated card, or -1.
    """
    count = boards.shape[1] + 2
    low = tables.low[count - 5]
    ranks = tables.ranks[count - 5]
    seven = np.empty(count, dtype=np.uint8)
    hand_keys = np.empty(len(hands), dtype=np.uint64)
    hand_sets = np.empty(len(hands), dtype=np.uint64)
    for h in range(len(hands)):
        hand_keys[h] = tables.key[hands[h, 0]] + tables.key[hands[h, 1]]
        hand_sets[h] = (ONE << np.uint64(hands[h, 0])) | (ONE << np.uint64(hands[h, 1]))
    for b in range(len(boards)):
        board_key = NO_CARDS
        board_set = ZERO
        for j in range(count - 2):
            bit = ONE << np.uint64(boards[b, j])
            if board_set & bit:
                return b
            seven[j] = boards[b, j]
            board_key += tables.key[boards[b, j]]
            board_set |= bit
        for h in range(len(hands)):
            key = board_key + hand_keys[h]
            if board_set & hand_sets[h]:
                out[b, h] = DEAD
            elif key & FLUSH:
                seven[count - 2] = hands[h, 0]
                seven[count - 1] = hands[h, 1]
                out[b, h] = tables.flush[_flush_ranks(seven, key & FLUSH)]
            else:
                out[b, h] = ranks[low[key & LOW_BITS] + np.uint32(tables.high[(key >> HIGH_SHIFT) & HIGH_BITS])]
    return -1


@njit(cache=True, nogil=True)
def _flush_ranks(cards, flag):
    """Return the set of ranks of the suit with the flush; `flag` is the top bit of its counter."""
    suit = 0
    while not (flag >> np.uint64(SUIT_SHIFT + 4 * suit + 3)) & ONE:
        suit += 1
    found = np.int64(0)
    for card in cards:
        if card & 3 == suit:
            found |= 1 << np.int64(card >> 2)  # one byte would not hold the ranks above nine
    return found


class RankingRules(NamedTuple):
    """What tells the ranking of a short deck from the ordinary one."""

    lowest: int  # rank
    wheel: int  # set of ranks of the straight below an ace played low
    full_house: int  # category, as are the next two
    flush: int
    straight_flush: int


@njit(cache=True, nogil=True)
def fill_tables(rules, low, high, scores, flush):
    """Fill the numberings `low` and `high` of `StrengthTables` and the scores of all hands, by which they are ordered.

    `scores[n - 5]` are those of the multisets of n ranks without a flush, `flush` those of the sets of five to seven
    ranks of one suit. Ranks below the lowest are left out.
    """
    low_cards = _digit_sums(LOW_CODES)
    high_cards = _digit_sums(HIGH_CODES)
    _number_multisets(low_cards, high_cards, low, high)
    # The codes of the high ranks, sorted by how many cards they stand for.
    codes = np.empty(HIGH_CODES, dtype=np.int64)
    first = np.zeros(9, dtype=np.int64)
    total = 0
    for cards in range(8):
        for code in range(HIGH_CODES):
            if high_cards[code] == cards:
                codes[total] = code
                total += 1
        first[cards + 1] = total
    for n in range(5, 8):
        _score_multisets(n, rules, low_cards, codes, first, low[n - 5], high, scores[n - 5])
    _score_flushes(rules, flush)


@njit(**PART)
def _digit_sums(size):
    """Sum of the base-5 digits of 0, 1, 2, ...: how many cards a code of ranks stands for."""
    out = np.zeros(size, dtype=np.int64)
    for code in range(1, size):
        out[code] = out[code // 5] + code % 5
    return out


@njit(**PART)
def _number_multisets(low_cards, high_cards, low, high):
    """Fill the two numberings of `StrengthTables`; `low_cards` and `high_cards` are the digit sums of all codes."""
    low_sizes = np.zeros(32, dtype=np.int64)
    high_sizes = np.zeros(32, dtype=np.int64)
    for code in range(HIGH_CODES):
        high[code] = high_sizes[high_cards[code]]
        high_sizes[high_cards[code]] += 1
    for code in range(LOW_CODES):
        low_sizes[low_cards[code]] += 1
    for n in range(5, 8):
        total = 0
        first = np.zeros(8, dtype=np.int64)
        for cards in range(n + 1):
            first[cards] = total
            total += low_sizes[cards] * high_sizes[n - cards]
        for code in range(LOW_CODES):
            cards = low_cards[code]
            if cards <= n:
                low[n - 5, code] = first[cards]
                first[cards] += high_sizes[n - cards]


@njit(**PART)
def _score_multisets(n, rules, low_cards, codes, first, low, high, out):
    """Score every multiset of n ranks by its number; `codes[first[k]:first[k + 1]]` are the high codes of k cards."""
    counts = np.empty(13, dtype=np.int64)
    for low_code in range(0, LOW_CODES, 5**rules.lowest):
        rest = n - low_cards[low_code]
        if rest < 0:
            continue
        _put_digits(low_code, counts, 0, LOW_RANKS)
        for place in range(first[rest], first[rest + 1]):
            high_code = codes[place]
            _put_digits(high_code, counts, LOW_RANKS, 13)
            out[np.int64(low[low_code]) + high[high_code]] = _score(counts, rules.wheel, rules.full_house)


@njit(**PART)
def _put_digits(code, out, begin, end):
    """Write the base-5 digits of a code to `out[begin:end]`, the lowest first."""
    for place in range(begin, end):
        out[place] = code % 5
        code //= 5


@njit(**PART)
def _score_flushes(rules, out):
    """Score every set of five to seven ranks of one suit."""
    ones = np.empty(13, dtype=np.int64)
    for ranks in range(8192):
        size = 0
        for rank in range(13):
            ones[rank] = (ranks >> rank) & 1
            size += ones[rank]
        if size < 5 or size > 7 or ranks % (1 << rules.lowest) > 0:
            continue
        top = _straight(ranks, rules.wheel)
        if top >= 0:
            out[ranks] = rules.straight_flush << 20 | top
        else:
            out[ranks] = rules.flush << 20 | _highest(ones, np.int64(5), NO_RANK, NO_RANK)


@njit(**PART)
def _score(counts, wheel, full_house):
    """Return the category (high card 0, pair 1, two pair 2, three 3, straight 4, full house, four 7), then ranks.

    A whole number that orders hands: the category from bit 20, below it the deciding ranks in four bits each.
    """
    four = three = second_three = pair = second_pair = NO_RANK
    present = 0
    for rank in range(12, -1, -1):
        if counts[rank] > 0:
            present |= 1 << rank
        if counts[rank] == 4 and four < 0:
            four = rank
        elif counts[rank] == 3:
            if three < 0:
                three = rank
            elif second_three < 0:
                second_three = rank
        elif counts[rank] == 2:
            if pair < 0:
                pair = rank
            elif second_pair < 0:
                second_pair = rank
    if four >= 0:
        return 7 << 20 | four << 4 | _highest(counts, np.int64(1), four, NO_RANK)
    if three >= 0 and max(second_three, pair) >= 0:
        return full_house << 20 | three << 4 | max(second_three, pair)
    top = _straight(present, wheel)
    if top >= 0:
        return 4 << 20 | top
    if three >= 0:
        return 3 << 20 | three << 8 | _highest(counts, np.int64(2), three, NO_RANK)
    if second_pair >= 0:
        return 2 << 20 | pair << 8 | second_pair << 4 | _highest(counts, np.int64(1), pair, second_pair)
    if pair >= 0:
        return 1 << 20 | pair << 12 | _highest(counts, np.int64(3), pair, NO_RANK)
    return _highest(counts, np.int64(5), NO_RANK, NO_RANK)


@njit(**PART)
def _highest(counts, wanted, without, nor):
    """Return the `wanted` highest ranks that occur, except two, in four bits each."""
    found = 0
    for rank in range(12, -1, -1):
        if wanted > 0 and counts[rank] > 0 and rank != without and rank != nor:
            found = found << 4 | rank
            wanted -= 1
    return found


@njit(**PART)
def _straight(present, wheel):
    """Return the top rank of the best straight among ranks, or -1; `wheel` is the straight below an ace played low."""
    for top in range(12, 3, -1):
        if (present >> (top - 4)) & 31 == 31:
            return top
    if present & wheel == wheel:
        top = -1
        for rank in range(12):
            if (wheel >> rank) & 1:
                top = rank
        return top
    return -1

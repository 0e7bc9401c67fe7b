"""Numbering of deals up to a permutation of suits, and back (the idea of Waugh 2013).

What a deal shows of one suit is a sequence of rank sets, one per round, each disjoint from the earlier ones. How many
ranks each round holds is the suit's *code*; which ranks they are is the suit's *place* among all sequences with that
code (each set ranked in colexicographic order among the ranks still free). Suits are interchangeable, so a deal is a
multiset of (code, place): sorted from high to low, its codes make the *configuration*, and suits with equal codes make
a *group*, whose places are a multiset, ranked like a combination with repetition. The number of a deal is the first
number of its configuration plus its groups' ranks in mixed radix. Every number between is used: the numbering has no
gaps and needs no search.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

SUITS = 4  # a deck of fewer suits has empty ones
PLACE_BITS = np.uint64(48)
PLACE = np.uint64((1 << 48) - 1)
SET_BITS = np.uint64(16)  # the rank sets of all suits lie side by side in one 64-bit word
SET = np.uint64((1 << 16) - 1)
SUIT1, SUIT2, SUIT3 = np.uint64(16), np.uint64(32), np.uint64(48)
ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)


class IndexTables(NamedTuple):
    """One round structure on one deck, in the layout kernels read (see the module docstring)."""

    suits: int
    ranks: int
    lowest: int  # lowest rank of the deck
    rounds: NDArray[np.uint32]  # [round] number of cards
    steps: NDArray[np.uint64]  # [round] what a card of the round adds to its suit's code
    counts: NDArray[np.int64]  # [code, round] the counts that a code stands for
    places: NDArray[np.uint64]  # [code] number of places
    lookup: NDArray[np.uint32]  # [suit, code] these add up, over all suits but the last, to a row of the next
    configuration: NDArray[np.uint32]  # number of the configuration with these codes
    codes: NDArray[np.int64]  # [configuration, suit] codes from high to low
    sizes: NDArray[np.uint8]  # [configuration, suit] how many suits of its group are not before it
    radix: NDArray[np.uint64]  # [configuration, suit] number of deals of the groups after its own
    first: NDArray[np.uint64]  # [configuration] first deal; one more entry than configurations
    choose: NDArray[np.uint64]  # [n, k] binomial coefficients
    ones: NDArray[np.uint8]  # [set of ranks] its size


@njit(cache=True, nogil=True)
def index(deals, tables, out):
    """Write the number of every row of `deals`. Returns the first row that is not a deal of the deck, or -1."""
    lookup, sizes, radix = tables.lookup, tables.sizes, tables.radix
    for i in range(len(deals)):
        a, b, c, d = _suit_keys(deals, i, tables)
        if a == ZERO:
            return i
        row = lookup[0, a >> PLACE_BITS] + lookup[1, b >> PLACE_BITS] + lookup[2, c >> PLACE_BITS]
        at = tables.configuration[row]
        out[i] = (
            tables.first[at]
            + radix[at, 0] * _multichoose(a & PLACE, sizes[at, 0])
            + radix[at, 1] * _multichoose(b & PLACE, sizes[at, 1])
            + radix[at, 2] * _multichoose(c & PLACE, sizes[at, 2])
            + radix[at, 3] * _multichoose(d & PLACE, sizes[at, 3])
        )
    return -1


@njit(cache=True, nogil=True)
def orbit_sizes(deals, tables, out):
    """Write how many deals every row stands for. Returns the first row that is not a deal of the deck, or -1."""
    for i in range(len(deals)):
        keys = _suit_keys(deals, i, tables)
        if keys[0] == ZERO:
            return i
        size = 1
        run = 1
        for s in range(1, tables.suits):
            run = run + 1 if keys[s] == keys[s - 1] else 1
            size = size * (s + 1) // run  # suits! / product of (equal suits)!
        out[i] = size
    return -1


@njit(cache=True, nogil=True)
def unindex(numbers, tables, deals):
    """Write the canonical deal of every number: suits by falling key, the cards of each round in order."""
    codes, sizes, radix = tables.codes, tables.sizes, tables.radix
    rounds = len(tables.rounds)
    starts = np.zeros(rounds + 1, dtype=np.int64)
    starts[1:] = np.cumsum(tables.rounds)
    filled = np.empty(rounds, dtype=np.int64)
    set_ranks = np.empty(rounds, dtype=np.uint64)
    for i in range(len(numbers)):
        configuration = _find(tables.first, numbers[i])
        rest = numbers[i] - tables.first[configuration]
        rank = rest
        for j in range(rounds):
            filled[j] = starts[j]
        for s in range(SUITS):
            code = codes[configuration, s]
            if s == 0 or code != codes[configuration, s - 1]:
                rank = rest // radix[configuration, s]
                rest -= rank * radix[configuration, s]
            place = _largest_multichoose(rank, sizes[configuration, s], tables.places[code] - ONE)
            rank -= _multichoose(place, sizes[configuration, s])
            _write_suit(s, code, place, tables, set_ranks, deals, i, filled)
        for j in range(rounds):
            _sort(deals, i, starts[j], starts[j + 1])


@njit(cache=True, nogil=True)
def _suit_keys(deals, i, tables):
    """Return code and place of every suit in one number, from high to low; zeros if row i is not a deal."""
    rounds, steps, choose, ones = tables.rounds, tables.steps, tables.choose, tables.ones
    ranks, lowest = np.uint64(tables.ranks), np.uint64(tables.lowest)
    nothing = ZERO, ZERO, ZERO, ZERO
    used = codes = place0 = place1 = place2 = place3 = ZERO
    start = np.uint32(0)
    for j in range(len(rounds)):
        stop = np.uint32(start + rounds[j])
        now = set_ranks = ZERO
        for at in range(start, stop):
            shift = SET_BITS * np.uint64(deals[i, at] & 3)
            rank = np.uint64(deals[i, at] >> 2) - lowest  # wraps around below the lowest
            bit = ONE << (shift + rank)
            if rank >= ranks or shift >= SET_BITS * np.uint64(tables.suits) or (used | now) & bit:
                return nothing
            now |= bit
            codes += steps[j] << shift
        for at in range(start, stop):
            shift = SET_BITS * np.uint64(deals[i, at] & 3)
            rank = np.uint64(deals[i, at] >> 2) - lowest
            below = (ONE << rank) - ONE
            free_below = rank - np.uint64(ones[(used >> shift) & below])
            order = np.uint64(ones[(now >> shift) & below]) + ONE
            set_ranks += choose[free_below, order] << shift
        place0 = _longer(place0, used & SET, now & SET, set_ranks & SET, ranks, choose, ones)
        place1 = _longer(place1, used >> SUIT1 & SET, now >> SUIT1 & SET, set_ranks >> SUIT1 & SET, ranks, choose, ones)
        place2 = _longer(place2, used >> SUIT2 & SET, now >> SUIT2 & SET, set_ranks >> SUIT2 & SET, ranks, choose, ones)
        place3 = _longer(place3, used >> SUIT3, now >> SUIT3, set_ranks >> SUIT3, ranks, choose, ones)
        used |= now
        start = stop
    a = (codes & SET) << PLACE_BITS | place0
    b = ((codes >> SUIT1) & SET) << PLACE_BITS | place1
    c = ((codes >> SUIT2) & SET) << PLACE_BITS | place2
    d = (codes >> SUIT3) << PLACE_BITS | place3
    a, b, c, d = max(a, b), min(a, b), max(c, d), min(c, d)
    high, b, c, low = max(a, c), min(a, c), max(b, d), min(b, d)
    return high, max(b, c), min(b, c), low


@njit(cache=True, nogil=True)
def _longer(place, used, now, set_rank, ranks, choose, ones):
    """Return the place of a suit after one more round: mixed radix, digits as large as there are possible sets."""
    return place * choose[ranks - np.uint64(ones[used]), ones[now]] + set_rank


@njit(cache=True, nogil=True)
def _write_suit(suit, code, place, tables, set_ranks, deals, i, filled):
    """Write the cards of one suit, given by its code and place, into row i."""
    counts, choose = tables.counts, tables.choose
    rounds = len(filled)
    free = tables.ranks
    for j in range(rounds):
        free -= counts[code, j]
    for j in range(rounds - 1, -1, -1):  # digits come off the mixed radix in reverse
        if counts[code, j] > 0:
            free += counts[code, j]
            number = choose[free, counts[code, j]]
            set_ranks[j] = place % number
            place //= number
    used = 0
    for j in range(rounds):
        position = tables.ranks
        now = 0
        for k in range(counts[code, j], 0, -1):
            position -= 1
            while choose[position, k] > set_ranks[j]:
                position -= 1
            set_ranks[j] -= choose[position, k]
            rank = _nth_free(used, position)
            now |= 1 << rank
            deals[i, filled[j]] = 4 * (rank + tables.lowest) + suit
            filled[j] += 1
        used |= now


@njit(cache=True, nogil=True)
def _nth_free(used, position):
    """Return the rank with exactly `position` unused ranks below it."""
    rank = 0
    while position > 0 or (used >> rank) & 1:
        if not (used >> rank) & 1:
            position -= 1
        rank += 1
    return rank


@njit(cache=True, nogil=True)
def _find(first, number):
    """Return the configuration that holds `number`: the last whose first deal is not after it."""
    low = 0
    high = len(first) - 2
    while low < high:
        middle = (low + high + 1) // 2
        if first[middle] <= number:
            low = middle
        else:
            high = middle - 1
    return low


@njit(cache=True, nogil=True)
def _multichoose(n, k):
    """Return the number of multisets of k out of n: C(n + k - 1, k), for k from 1 to 4."""
    if k == 1:
        return n
    pairs = (n * (n + ONE)) >> ONE
    if k == 2:
        return pairs
    triples = pairs * (n + TWO) // THREE
    if k == 3:
        return triples
    return (triples * (n + THREE)) >> TWO


@njit(cache=True, nogil=True)
def _largest_multichoose(rank, k, high):
    """Return the largest n up to `high` with multichoose(n, k) <= rank."""
    if k == 1:
        return rank
    low = ZERO
    while low < high:
        middle = (low + high + ONE) >> ONE
        if _multichoose(middle, k) <= rank:
            low = middle
        else:
            high = middle - ONE
    return low


@njit(cache=True, nogil=True)
def _sort(deals, i, start, stop):
    for left in range(start + 1, stop):
        card = deals[i, left]
        at = left
        while at > start and deals[i, at - 1] > card:
            deals[i, at] = deals[i, at - 1]
            at -= 1
        deals[i, at] = card

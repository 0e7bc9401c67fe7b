"""Deal a hand of hold'em, or the rest of one, and look up the bucket of every seat in every round.

A board is looked up under its class and the renaming of suits that takes it to the class's canonical board. The rows of
buckets of all rounds lie in one flat array: the bucket of a hand is at ``first_row[seat, round] + (class * places +
place) * hands + renamed hand``, where `place` says which of the canonical cards came on the turn and on the river, in
rounds where that matters. In a hand that is under way rows are kept for the boards that may follow alone, and found by
the cards that are still to come.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.cards.kernels.evaluator import StrengthTables, evaluate
from counterpoise.cards.kernels.isomorphism import index
from counterpoise.kernels.drawing import draw_cards_first, find_draw
from counterpoise.kernels.options import LEAN
from counterpoise.kernels.random import STEP, scramble, uniform, wrapping

MOST_CARDS = 52
MOST_DRAWS = 100_000
"""How often hands are drawn until they share no card."""
_1 = np.uint64(1)


class CardArrays(NamedTuple):
    """The cards of a game and the buckets of all hands on all boards (see the module docstring)."""

    deck: NDArray[np.uint8]  # [place]
    hand_of: NDArray[np.uint16]  # [card, card]
    hands: NDArray[np.uint8]  # [hand, 2]
    card_maps: NDArray[np.uint8]  # [renaming, card]
    hand_maps: NDArray[np.uint16]  # [renaming, hand]
    renaming: NDArray[np.uint8]  # [suits from the one with most cards on, two bits each]
    board_cards: NDArray[np.uint8]  # [round]
    places: NDArray[np.uint8]  # [round] 1, or as many as there are orders of turn and river
    first_board: NDArray[np.uint32]  # [round] of `canonical`
    canonical: NDArray[np.uint8]  # [board, card] canonical boards of the rounds in which order matters
    first_row: NDArray[np.uint64]  # [seat, round]
    rows: NDArray[Any]  # unsigned
    numbering: tuple[Any, ...]  # [round] of boards; the last one again up to four rounds
    strength: StrengthTables
    known: int = -1
    """The cards on the board after which rows are found by the cards to come; -1: rows are found by classes."""
    ranges: object = None
    """`Ranges` of a hand that is under way; None: whole hands are dealt."""


class Ranges(NamedTuple):
    """What is known where the rest of a hand begins: the board, who is live, and how likely each hand is.

    Cards that folded seats hold are not known, and are dealt as if they were in the deck.
    """

    board: NDArray[np.uint8]  # [card]
    live: NDArray[np.uint8]  # seats that have not folded
    edges: NDArray[np.float64]  # [seat, hand] sums of the weights up to a hand
    round: int  # in which every hand is a bucket of its own


class Dealt(NamedTuple):
    """One dealt hand, written by `deal_hand`: what a walk reads; and its random numbers."""

    random: NDArray[np.uint64]  # [4]
    deck: NDArray[np.uint8]
    board: NDArray[np.uint8]  # [1, 5]
    number: NDArray[np.int64]  # [1]
    hand: NDArray[np.int64]  # [seat]
    buckets: NDArray[np.uint32]  # [round, seat]
    looked_up: NDArray[np.uint32]  # [round, seat] `buckets` before hands became buckets of their own
    shown: NDArray[np.uint8]  # [seat, all cards of a seat at the end]
    strengths: NDArray[np.uint16]  # [seat]


@njit(**LEAN)
def seed_hand(seed, number, random):
    """Set the generator of one hand: other seeds and numbers of hands make independent ones."""
    at = scramble(seed + number * STEP)
    for k in range(4):
        at += STEP
        random[k] = scramble(at)


seed_hand = wrapping(seed_hand)


@njit(**LEAN)
def deal_hand(cards, dealt):
    """Draw the cards of all seats and the full board; write buckets and strengths."""
    draw(cards, cards.ranges, dealt)
    look_up(cards, dealt)
    tell_apart(cards.ranges, dealt)


@njit(**LEAN)
def draw(cards, ranges, dealt):
    """Draw all cards of a hand, or those that are not known if it is under way."""
    if ranges is None:
        draw_cards(cards, dealt)
    else:
        draw_from_ranges(cards, ranges, dealt)


@njit(**LEAN)
def tell_apart(ranges, dealt):
    """Make every hand a bucket of its own in the round in which the rest of a hand begins."""
    if ranges is not None:
        rounds, seats = dealt.buckets.shape
        for number in range(rounds):
            for seat in range(seats):
                dealt.looked_up[number, seat] = dealt.buckets[number, seat]
        for seat in range(seats):
            dealt.buckets[ranges.round, seat] = dealt.hand[seat]


@njit(**LEAN)
def draw_from_ranges(cards, ranges, dealt):
    """Draw hands of the live seats, all at once by the product of their ranges, then the rest of the board.

    Hands that share a card are drawn again. Folded seats get the hand of the first live one, which is never looked at.
    """
    total, known, full = len(cards.deck), len(ranges.board), dealt.shown.shape[1] - 2
    taken = np.uint64(0)
    # Hands of all live seats by their ranges, again if two of them share a card.
    for _ in range(MOST_DRAWS):
        taken = np.uint64(0)
        for k in range(known):
            taken |= _1 << np.uint64(ranges.board[k])
        fits = True
        for k in range(len(ranges.live)):
            seat = ranges.live[k]
            sums = ranges.edges[seat]
            hand = find_draw(sums, np.uint64(0), len(sums), uniform(dealt.random) * sums[len(sums) - 1])
            mine = (_1 << np.uint64(cards.hands[hand, 0])) | (_1 << np.uint64(cards.hands[hand, 1]))
            if taken & mine:
                fits = False
                break
            taken |= mine
            dealt.shown[seat, 0], dealt.shown[seat, 1] = cards.hands[hand, 0], cards.hands[hand, 1]
        if fits:
            break
    # Folded seats.
    first, at = ranges.live[0], 0
    for seat in range(dealt.shown.shape[0]):
        if at < len(ranges.live) and ranges.live[at] == seat:
            at += 1
        else:
            dealt.shown[seat, 0], dealt.shown[seat, 1] = dealt.shown[first, 0], dealt.shown[first, 1]
    # The cards that are left, and as many of them as the board lacks.
    left = 0
    for k in range(total):
        if not (taken >> np.uint64(cards.deck[k])) & _1:
            dealt.deck[left] = cards.deck[k]
            left += 1
    for k in range(known):
        dealt.board[0, k] = ranges.board[k]
    draw_cards_first(dealt.deck, left, full - known, dealt.random)
    for k in range(full - known):
        dealt.board[0, known + k] = dealt.deck[k]


@njit(**LEAN)
def draw_cards(cards, dealt):
    """Draw the board, then two cards for every seat, into `shown` and `board`."""
    deck, seats, board = dealt.deck, dealt.shown.shape[0], dealt.shown.shape[1] - 2
    total = len(deck)
    for k in range(total):
        deck[k] = cards.deck[k]
    draw_cards_first(deck, total, 2 * seats + board, dealt.random)
    for k in range(board):
        dealt.board[0, k] = deck[k]
    for seat in range(seats):
        for k in range(2):
            dealt.shown[seat, k] = deck[board + 2 * seat + k]


@njit(**LEAN)
def draw_after_flop(cards, flops, dealt):
    """Draw one of `flops` [flop, 3], then the rest of the board, into `board`."""
    deck, board = dealt.deck, dealt.shown.shape[1] - 2
    chosen = np.int64(uniform(dealt.random) * len(flops))
    for k in range(3):
        dealt.board[0, k] = flops[chosen, k]
    left = 0
    for card in cards.deck:
        if card != flops[chosen, 0] and card != flops[chosen, 1] and card != flops[chosen, 2]:
            deck[left] = card
            left += 1
    draw_cards_first(deck, left, board - 3, dealt.random)
    for k in range(board - 3):
        dealt.board[0, 3 + k] = deck[k]


@njit(**LEAN)
def look_up(cards, dealt):
    """Write buckets and strengths of the cards in `shown` and `board`."""
    seats, board = dealt.shown.shape[0], dealt.shown.shape[1] - 2
    for seat in range(seats):
        dealt.hand[seat] = cards.hand_of[dealt.shown[seat, 0], dealt.shown[seat, 1]]
        for k in range(board):
            dealt.shown[seat, 2 + k] = dealt.board[0, k]
    evaluate(dealt.shown, cards.strength, dealt.strengths)
    hands = np.uint64(len(cards.hands))
    for number in range(len(cards.board_cards)):
        at, renaming = locate(cards, number, dealt)
        for seat in range(seats):
            renamed = np.uint64(cards.hand_maps[renaming, dealt.hand[seat]])
            place = cards.first_row[seat, number] + np.uint64(at) * hands + renamed
            dealt.buckets[number, seat] = cards.rows[place]


@njit(**LEAN)
def locate(cards, number, dealt):
    """Return the row of the dealt board of a round, and the renaming of suits by which hands are looked up there."""
    count = np.int64(cards.board_cards[number])
    if count == 0:
        return np.int64(0), np.int64(0)
    if cards.known >= 0:
        at = np.int64(0)
        for k in range(cards.known, count):
            at = at * MOST_CARDS + np.int64(dealt.board[0, k])
        return at, np.int64(0)
    # Suits by falling number of cards and ranks; the lower of equals first.
    a, b, c, d = np.int64(3), np.int64(2), np.int64(1), np.int64(0)
    for k in range(count):
        card = np.int64(dealt.board[0, k])
        gain = ((1 << 13) + (1 << (card >> 2))) << 2
        suit = card & 3
        if suit == 0:
            a += gain
        elif suit == 1:
            b += gain
        elif suit == 2:
            c += gain
        else:
            d += gain
    a, b, c, d = max(a, b), min(a, b), max(c, d), min(c, d)
    a, b, c, d = max(a, c), max(b, d), min(a, c), min(b, d)
    b, c = max(b, c), min(b, c)
    code = (3 - (a & 3)) | (3 - (b & 3)) << 2 | (3 - (c & 3)) << 4 | (3 - (d & 3)) << 6
    renaming = np.int64(cards.renaming[code])
    index(dealt.board, cards.numbering[number], dealt.number)
    at = dealt.number[0]
    places = np.int64(cards.places[number])
    if places == 1:
        return at, renaming
    # Where the turn card, and the river card among the others, lie in the canonical board.
    first = np.int64(cards.first_board[number])
    turn = place_of(cards, first + at, count, cards.card_maps[renaming, dealt.board[0, 3]])
    place = turn
    if count == 5:
        river = place_of(cards, first + at, count, cards.card_maps[renaming, dealt.board[0, 4]])
        place = turn * 4 + river - np.int64(river > turn)
    return at * places + place, renaming


@njit(**LEAN, inline="always")
def place_of(cards, board, count, card):
    """Return where a card lies in a canonical board."""
    for k in range(count):
        if cards.canonical[board, k] == card:
            return np.int64(k)
    return np.int64(0)

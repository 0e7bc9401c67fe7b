"""Play the rest of a hand many times for given hands of two seats behind the ends of the second betting round."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.drawing import draw_cards_first
from counterpoise.kernels.options import LEAN
from counterpoise.sampling.kernels.dealing import look_up, seed_hand
from counterpoise.sampling.kernels.ends import end_value
from counterpoise.sampling.kernels.leaves import play_on

_1 = np.uint64(1)
_EXACT = LEAN | {"error_model": "numpy"}


class Pairs(NamedTuple):
    """What is known before the rest is played."""

    leaf: NDArray[np.uint32]  # [pair] place among the leaves
    flop: NDArray[np.uint8]  # [pair, 3]
    hands: NDArray[np.uint8]  # [pair, seat, 2]


class Plays(NamedTuple):
    """How the rest is played: which pairs of continuations, how often, and by which random numbers."""

    picks: NDArray[np.int64]  # [pick, seat]
    rollouts: int
    seed: np.uint64
    first: np.uint64  # the number of the first pair: other numbers draw others


@njit(**_EXACT)
def roll_out_pairs(cards, leaves, pairs, plays, dealt, scratch, out):
    """Write what seat 0 wins, ``out[pair, half, pick]`` in chips, as means over each half of the roll-outs.

    A roll-out deals the rest of the board anew. All picks meet the same boards and the same random numbers.
    """
    for pair in range(len(pairs.leaf)):
        for half in range(2):
            for pick in range(len(plays.picks)):
                out[pair, half, pick] = 0.0
            for k in range(plays.rollouts):
                number = ((plays.first + np.uint64(pair)) * np.uint64(2) + np.uint64(half)) * np.uint64(plays.rollouts)
                seed_hand(plays.seed, number + np.uint64(k), dealt.random)
                deal_rest(cards, pairs.flop[pair], pairs.hands[pair], dealt)
                for word in range(4):
                    scratch.random[word] = dealt.random[word]
                for pick in range(len(plays.picks)):
                    for word in range(4):
                        dealt.random[word] = scratch.random[word]
                    for seat in range(2):
                        scratch.picked[seat] = plays.picks[pick, seat]
                    end, _ = play_on(leaves, np.uint64(pairs.leaf[pair]), dealt, scratch)
                    out[pair, half, pick] += end_value(leaves.tree, dealt.strengths, end, np.int64(0)) / plays.rollouts


@njit(**_EXACT)
def deal_rest(cards, flop, hands, dealt):
    """Draw the cards that follow a flop with the hands of both seats known, and look up buckets and strengths."""
    taken = np.uint64(0)
    for k in range(3):
        taken |= _1 << np.uint64(flop[k])
        dealt.board[0, k] = flop[k]
    for seat in range(2):
        for k in range(2):
            taken |= _1 << np.uint64(hands[seat, k])
            dealt.shown[seat, k] = hands[seat, k]
    # The cards that are left, and as many of them as the board lacks.
    left = 0
    for card in cards.deck:
        if not (taken >> np.uint64(card)) & _1:
            dealt.deck[left] = card
            left += 1
    due = dealt.shown.shape[1] - 5
    draw_cards_first(dealt.deck, left, due, dealt.random)
    for k in range(due):
        dealt.board[0, 3 + k] = dealt.deck[k]
    look_up(cards, dealt)
    for number in range(dealt.buckets.shape[0]):
        for seat in range(2):
            dealt.looked_up[number, seat] = dealt.buckets[number, seat]

"""Play deals of an enumerated game between agents that are tables of probabilities.

The random numbers are those of `counterpoise.play.chance`, in the same order as at a table: the cards of a deal from
its stream 0, the actions at each seat of each room from a stream of their own. So a deal ends as it does at a table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.options import LEAN
from counterpoise.kernels.random import STEP, as_unit, scramble, wrapping


class DealTree(NamedTuple):
    """The histories of a game as a walk along single paths needs them.

    `player` is the seat that acts, -1 chance, -2 the end; `block` where the probabilities of a decision begin, or the
    row of `payoffs` of an end; `cumulative` is over the children of a chance node, and belongs to each child.
    """

    player: NDArray[np.int8]
    first_child: NDArray[np.uint32]
    children: NDArray[np.uint32]
    block: NDArray[np.uint32]
    cumulative: NDArray[np.float64]
    payoffs: NDArray[np.float64]


class Score(NamedTuple):
    """Sums over deals of what each agent won in all rooms, of its square, and decisions; `won` is scratch.

    Row 0 counts payoffs, row 1 what was won without luck, which `adjusted` says: [seating, end, seat], perhaps nothing.
    """

    total: NDArray[np.float64]
    squares: NDArray[np.float64]
    decisions: NDArray[np.int64]
    won: NDArray[np.float64]
    adjusted: NDArray[np.float64]


@njit(**LEAN)
def play_deals(tree, strategies, seatings, duplicate, seed, first, deals, score):
    """Play the deals from `first` on in all rooms; `seed` is the seed scrambled, `strategies` has a row per agent."""
    rooms, players = seatings.shape
    cards, actions = np.uint64(0), np.uint64(0)
    for hand in range(first, first + deals):
        start = scramble(np.uint64(seed) + np.uint64(hand) * STEP)
        score.won[:] = 0.0
        for place in range(rooms if duplicate else 1):
            seated = place if duplicate else hand % rooms
            seating = seatings[seated]
            stream = np.uint64(1 + place * players)
            cards = scramble(start)
            node = np.uint32(0)
            steps = score.decisions[players:]  # draws of each seat so far
            steps[:] = 0
            while True:
                seat = tree.player[node]
                if seat == -2:
                    break
                begin, count = tree.first_child[node], tree.children[node]
                if seat == -1:
                    # chance: where the number falls among the cumulative probabilities
                    cards += STEP
                    share = as_unit(scramble(cards)) * tree.cumulative[begin + count - np.uint32(1)]
                    low, high = begin, begin + count - np.uint32(1)
                    while low < high:
                        middle = (low + high) >> np.uint32(1)
                        if share < tree.cumulative[middle]:
                            high = middle
                        else:
                            low = middle + np.uint32(1)
                    node = low
                    continue
                # decision: take probabilities off the number until it is below 0
                steps[seat] += 1
                actions = scramble(start + (stream + np.uint64(seat)) * STEP) + np.uint64(steps[seat]) * STEP
                share = as_unit(scramble(actions))
                agent, block = seating[seat], tree.block[node]
                chosen = np.uint32(0)
                for action in range(count):
                    probability = strategies[agent, block + np.uint32(action)]
                    if probability > 0:
                        chosen = np.uint32(action)
                        share -= probability
                        if share < 0:
                            break
                score.decisions[agent] += 1
                node = begin + chosen
            for seat in range(players):
                score.won[0, seating[seat]] += tree.payoffs[tree.block[node], seat]
                if len(score.adjusted) > 0:
                    score.won[1, seating[seat]] += score.adjusted[seated, tree.block[node], seat]
        for kind in range(2):
            for agent in range(players):
                score.total[kind, agent] += score.won[kind, agent]
                score.squares[kind, agent] += score.won[kind, agent] * score.won[kind, agent]


play_deals = wrapping(play_deals)

"""Deal and play hands of hold'em between agents that are tables by betting node and bucket.

The random numbers are those of `counterpoise.play.chance`, in the same order as at a table: the cards of a deal from
its stream 0, whatever is done, the actions at each seat of each room from a stream of their own. First all cards of
some deals are drawn; their buckets and strengths are looked up in between; then the betting is walked, room by room.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoise.kernels.options import LEAN
from counterpoise.kernels.random import STEP, as_unit, scramble, wrapping
from counterpoise.sampling.kernels.layouts import END, BettingArrays, Ends, settle


class Pack(NamedTuple):
    """The deck from the highest card to the lowest, and how many cards are drawn at a time: hands, then rounds."""

    cards: NDArray[np.uint8]
    counts: NDArray[np.int64]
    choose: NDArray[np.int64]  # [n, k] binomial coefficients


class AgentTable(NamedTuple):
    """The weights of an agent: where those of a node begin, and the table itself, in bytes or in float32."""

    start: NDArray[np.uint64]  # [node]
    packed: NDArray[np.uint8]  # empty if `weights` has them
    weights: NDArray[np.float32]


class Rooms(NamedTuple):
    """Where hands are played: the betting, and who sits where."""

    tree: BettingArrays
    ends: Ends
    seatings: NDArray[np.uint32]  # [room, seat] agent
    duplicate: bool
    cards_of: NDArray[np.int64]  # [agent, seat] by which buckets the agent plays there, -1 if by none


class Dealt(NamedTuple):
    """Deals in a row: what is known of their cards."""

    first: int
    buckets: NDArray[np.int32]  # [abstraction, deal, seat, round]
    strengths: NDArray[np.uint16]  # [deal, seat] on the full board


class HandScore(NamedTuple):
    """Sums over deals of what each agent won in all rooms, of its square, and decisions; the rest is scratch."""

    total: NDArray[np.float64]
    squares: NDArray[np.float64]
    decisions: NDArray[np.int64]
    won: NDArray[np.float64]  # [agent]
    wins: NDArray[np.float64]  # [seat]
    steps: NDArray[np.int64]  # [seat]


@njit(**LEAN)
def deal_cards(pack, seed, first, out):
    """Write the cards of the deals from `first` on, hand by hand and then round by round, the highest first."""
    for deal in range(len(out)):
        cards = scramble(scramble(np.uint64(seed) + np.uint64(first + deal) * STEP))
        used = np.uint64(0)
        left = np.int64(len(pack.cards))
        at = 0
        for count in pack.counts:
            # One number picks the places of the cards among those that are left, in the order of combinations.
            cards += STEP
            number = np.int64(as_unit(scramble(cards)) * np.float64(pack.choose[left, count]))
            place, wanted = np.int64(0), count
            for card in pack.cards:
                if wanted == 0:
                    break
                if (used >> np.uint64(card)) & np.uint64(1):
                    continue
                behind = pack.choose[left - place - 1, wanted - 1]
                if number < behind:
                    out[deal, at] = card
                    at += 1
                    wanted -= 1
                else:
                    number -= behind
                place += 1
            for drawn in range(at - count, at):
                used |= np.uint64(1) << np.uint64(out[deal, drawn])
            left -= count


@njit(cache=True, nogil=True, inline="always")
def _choose(table, at, count, share):
    """Return the action that a number picks: probabilities are taken off it until it is below 0."""
    packed = len(table.packed) > 0
    total = 0.0
    for action in range(count):
        total += np.float64(table.packed[at + action]) if packed else np.float64(table.weights[at + action])
    chosen = np.uint64(0)
    for action in range(count):
        if total > 0.0:
            weight = np.float64(table.packed[at + action]) if packed else np.float64(table.weights[at + action])
            probability = weight / total
        else:
            probability = 1.0 / np.float64(count)
        if probability > 0.0:
            chosen = np.uint64(action)
            share -= probability
            if share < 0.0:
                break
    return chosen


@njit(**LEAN)
def play_hands(rooms, tables, dealt, seed, score):
    """Play deals in all rooms; `seed` is the seed scrambled, `tables` has one of `AgentTable` per agent."""
    tree = rooms.tree
    places, players = rooms.seatings.shape
    for deal in range(len(dealt.strengths)):
        hand = dealt.first + deal
        start = scramble(np.uint64(seed) + np.uint64(hand) * STEP)
        score.won[:] = 0.0
        for place in range(places if rooms.duplicate else 1):
            seating = rooms.seatings[place if rooms.duplicate else hand % places]
            stream = np.uint64(1 + place * players)
            score.steps[:] = 0
            node = np.uint64(0)
            while tree.player[node] != END:
                seat = tree.player[node]
                agent = seating[seat]
                # The bucket of the agent's cards; one that looks at no card has a single bucket.
                source, bucket = rooms.cards_of[agent, seat], np.uint64(0)
                if source >= 0:
                    bucket = np.uint64(dealt.buckets[source, deal, seat, tree.round[node]])
                score.steps[seat] += 1
                stream_start = scramble(start + (stream + np.uint64(seat)) * STEP)
                share = as_unit(scramble(stream_start + np.uint64(score.steps[seat]) * STEP))
                table = tables[agent]
                count = np.uint64(tree.actions[node])
                chosen = _choose(table, table.start[node] + bucket * count, count, share)
                score.decisions[agent] += 1
                node = np.uint64(tree.first_child[node]) + chosen
            settle(rooms.ends, tree.end[node], dealt.strengths[deal], score.wins)
            for seat in range(players):
                score.won[seating[seat]] += score.wins[seat]
        for agent in range(players):
            score.total[agent] += score.won[agent]
            score.squares[agent] += score.won[agent] * score.won[agent]


deal_cards, play_hands = wrapping(deal_cards), wrapping(play_hands)

"""Suits that a public state cannot tell apart, and the next cards that are therefore alike.

At a public state, a permutation of suits that maps the board to itself and leaves both players' ranges as they are
maps the whole game below onto itself. It is enough to deal one card of each orbit of such permutations, and to read
the values after any other card of the orbit off the representative's, with hands renamed:

    values[member] = values[representative][hand_maps[map]]

where `map` names a permutation that takes the member to the representative. Summed over the members this is the
average over the group, weighted by the size of the orbit: a multiplicity alone would be wrong per hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoise.cards.deck import STANDARD_DECK, Card, CardArray, Deck, HandArray, check_cards
from counterpoise.errors import InputError


@dataclass(frozen=True, eq=False)
class Orbits:
    """The possible next deals at a public state, those that are alike gathered.

    Orbit k has the representative ``representatives[k]``, is ``multiplicity[k]`` deals large and consists of the rows
    ``first[k]:first[k + 1]`` of `members`, the representative first. Permutation ``maps[row]`` of the group takes that
    member to its representative. Deals are rows of cards in rising order.
    """

    representatives: CardArray
    multiplicity: NDArray[np.uint32]
    first: NDArray[np.uint32]
    members: CardArray
    maps: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.representatives)


@dataclass(frozen=True, eq=False)
class SuitSymmetry:
    """The suit permutations that fix a public state: a group, the identity first.

    ``permutations[g, suit]`` is the suit that permutation g puts in place of `suit`.
    """

    deck: Deck
    board: tuple[tuple[Card, ...], ...]
    permutations: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.permutations)

    @cached_property
    def card_maps(self) -> CardArray:
        """``card_maps[g, card]`` is the card that permutation g puts in place of `card`."""
        cards = np.arange(52)
        suits = np.tile(np.arange(4, dtype=np.uint8), (len(self), 1))
        suits[:, : self.deck.suits] = self.permutations
        return (cards - cards % 4 + suits[:, cards % 4]).astype(np.uint8, order="C")

    @cached_property
    def hand_maps(self) -> HandArray:
        """``hand_maps[g, hand]`` is the hand that permutation g puts in place of `hand`; all hand indices."""
        low, high = self.deck.hands.T
        return np.ascontiguousarray(self.deck.hand_table[self.card_maps[:, low], self.card_maps[:, high]])

    def deal(self, cards: Sequence[Card]) -> SuitSymmetry:
        """Return the permutations that are left after one more round of public cards."""
        board = (*self.board, tuple(cards))
        check_cards([card for part in board for card in part], self.deck)
        fixed = (np.sort(self.card_maps[:, list(cards)], axis=1) == np.sort(np.asarray(cards))).all(axis=1)
        return SuitSymmetry(self.deck, board, self.permutations[fixed])

    def orbits(self, count: int = 1) -> Orbits:
        """Return the next deals of `count` cards (3 for a flop) that are not on the board, gathered into orbits.

        >>> from counterpoise.cards import parse_cards
        >>> flop = parse_cards("Qs Jh 2h")
        >>> len(suit_symmetry([]).orbits(3)), len(suit_symmetry([flop]).orbits())
        (1755, 36)
        """
        dead = [card for part in self.board for card in part]
        live = [int(card) for card in self.deck.cards if card not in dead]
        if not 1 <= count <= len(live):
            raise InputError(f"{count} cards cannot be dealt from {len(live)}")
        deals = np.array(list(combinations(live, count)), dtype=np.uint8)
        images = np.sort(self.card_maps[:, deals], axis=2)  # [permutation, deal, card]
        places = 64 ** np.arange(count - 1, -1, -1, dtype=np.int64)
        numbers = images @ places  # order of numbers = lexicographic order of deals
        maps = numbers.argmin(axis=0)
        smallest = numbers.min(axis=0)
        order = np.argsort(smallest, kind="stable")  # deals are in rising order, so representatives come first
        firsts = np.flatnonzero(np.diff(smallest[order], prepend=-1))
        first = np.append(firsts, len(deals))
        return Orbits(
            representatives=deals[order[firsts]],
            multiplicity=np.diff(first).astype(np.uint32),
            first=first.astype(np.uint32),
            members=deals[order],
            maps=maps[order].astype(np.uint8),
        )

    def average(self, values: ArrayLike) -> NDArray[np.float64]:
        """Average a vector over hands over the group: what a public state with these symmetries may tell apart."""
        vector = np.asarray(values, dtype=np.float64)
        return np.asarray(vector[..., self.hand_maps].mean(axis=-2))


def suit_symmetry(
    board: Sequence[Sequence[Card]], ranges: Sequence[ArrayLike] = (), deck: Deck = STANDARD_DECK
) -> SuitSymmetry:
    """Return the suit permutations that map each round of the board to itself and change no range vector.

    `board` lists the public cards round by round; where the past does not matter, as in a spot with given ranges, the
    whole board may be one round. `ranges` are vectors over the deck's hands; weights of hands that share a card with
    the board do not count.

    >>> from counterpoise.cards import parse_cards
    >>> [len(suit_symmetry([parse_cards(flop)])) for flop in ("Qs Jh 2h", "Qs Qh 2d", "Qs 8s 2s")]
    [2, 2, 6]
    """
    rounds = tuple(tuple(part) for part in board)
    cards = [card for part in rounds for card in part]
    live = deck.live_hands(cards)
    vectors = [np.asarray(weights, dtype=np.float64) for weights in ranges]
    for vector in vectors:
        if vector.shape != (deck.hand_count,):
            raise InputError(f"a range has {deck.hand_count} weights, one per hand, not the shape {vector.shape}")
    everything = np.array(list(permutations(range(deck.suits))), dtype=np.uint8)
    group = SuitSymmetry(deck, (), everything)
    for part in rounds:
        group = group.deal(part)
    fixed = [
        all(np.array_equal(np.where(live, vector, 0.0)[hand_map], np.where(live, vector, 0.0)) for vector in vectors)
        for hand_map in group.hand_maps
    ]
    return SuitSymmetry(deck, rounds, group.permutations[fixed])

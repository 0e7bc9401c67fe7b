"""Leaves of a search of the flop's betting, valued by networks before it is solved (Brown et al. 2018, section 6).

Every leaf is asked for once, for all pairs of hands and all continuations of the picking seat; from then on its values
are matrices, linear in the opponent's reach. The picking seat's winnings are the searcher's losses, and pairs that
share a card count 0. In small games the traversals get the matrices and multiply by them; in large ones the matrices,
once in the order of each seat, would take too much memory, and are multiplied here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.cards import Deck
from counterpoise.deep.leaves.features import BETTING, FEATURES, PICKS, FlopCards, betting_features
from counterpoise.deep.leaves.files import LeafNetworks
from counterpoise.errors import InputError
from counterpoise.parameters import require_seat
from counterpoise.public import HoldemGame, LeafBatch, PublicGame, PublicNode
from counterpoise.public.leaves import Groups, LeafMatrix, Picks, first_of
from counterpoise.public.showdowns import showdown_margin
from counterpoise.search.leaves import Values, groups_at, pot_of

FloatRows = NDArray[np.float32]
ROWS = 65_536
"""Pairs of hands that go through a network at once, about."""
MOST_TABLES = 150e6
"""Bytes of matrices, in float32 and for both seats, that are handed to traversals."""


class NetworkLeaves:
    """A leaf evaluator by networks, for leaves at which the opponent of a searching seat picks its continuation.

    With `single` it plays its blueprint, the only continuation.
    """

    def __init__(self, networks: LeafNetworks, seat: int, *, single: bool = False) -> None:
        require_seat("seat", seat)
        self.networks, self.picker = networks, 1 - seat
        choices = 1 if single else PICKS
        self.counts = (1, choices) if seat == 0 else (choices, 1)
        self._boards: dict[Any, _Pairs] = {}
        self._known: dict[Any, FloatRows] = {}

    @property
    def megabytes(self) -> float:
        """Size of the values computed so far, in units of 10^6 bytes."""
        return sum(part.nbytes for part in self._known.values()) / 1e6

    def values(self, batch: LeafBatch) -> Values:
        """Return the values of all leaves for the ranges of a batch."""
        own, other, found = self.picker, 1 - self.picker, [np.zeros_like(reach) for reach in batch.reach]
        for number, (leaf, picked) in enumerate(zip(batch.leaves, batch.picks, strict=True)):
            pairs, won = self._pairs(leaf), self.won(leaf)[picked[own]]
            met = [batch.reach[seat][number, pairs.first[seat]].astype(np.float32) for seat in range(2)]
            wins = won @ met[other], -(pairs.sizes[own] * met[own] @ won) / pairs.sizes[other]
            for seat, values in zip((own, other), wins, strict=True):
                groups = pairs.groups[seat]
                found[seat][number] = np.where(groups >= 0, values[groups], 0.0)
        return found[0], found[1]

    def matrices(
        self, game: PublicGame, leaves: Sequence[PublicNode], picks: Sequence[Picks]
    ) -> list[LeafMatrix] | None:
        """Return the matrix of each leaf for the continuation picked there; None if they are too large."""
        if sum(self._pairs(leaf).table_bytes for leaf in leaves) > MOST_TABLES:
            return None
        found = []
        for leaf, picked in zip(leaves, picks, strict=True):
            pairs, won = self._pairs(leaf), self.won(leaf)[picked[self.picker]].astype(np.float64)
            lost = -won.T * pairs.sizes[self.picker] / pairs.sizes[1 - self.picker][:, None]
            found.append(LeafMatrix(pairs.groups, (won, lost) if self.picker == 0 else (lost, won)))
        return found

    def won(self, leaf: PublicNode) -> FloatRows:
        """Return what the picking seat wins at a leaf by each continuation, in chips.

        [continuation, own group, group of the other], against all hands of a group with reach 1.
        """
        key = leaf.game, leaf.steps
        if key not in self._known:
            self._known[key] = self._evaluate(leaf)
        return self._known[key]

    def _evaluate(self, leaf: PublicNode) -> FloatRows:
        pairs, game = self._pairs(leaf), _holdem(leaf)
        betting = betting_features(game.betting, leaf.state, self.picker)
        pot = pot_of(leaf)
        behind = min(stack - paid for stack, paid in zip(game.betting.stacks, leaf.state.paid, strict=True))
        most = 0.5 + behind / pot  # pots that a hand can win or lose from here on
        network, own, other = self.networks.networks[self.picker], pairs.hands[0], pairs.hands[1]
        groups, choices = pairs.groups[1 - self.picker], self.counts[self.picker]
        found = np.empty((choices, len(own), len(pairs.sizes[1 - self.picker])), dtype=np.float32)
        step = max(ROWS // max(len(other), 1), 1)
        rows = np.empty((min(step, len(own)), len(other), FEATURES), dtype=np.float32)
        for begin in range(0, len(own), step):
            part = own[begin : begin + step]
            some = rows[: len(part)]
            pairs.cards.fill(some, part, other, pairs.margin[begin : begin + step])
            some[..., :BETTING] = betting
            shares = network(some.reshape(-1, FEATURES)).reshape(len(part), len(other), PICKS)[..., :choices]
            chips = np.clip(shares, -most, most) * (pot * pairs.apart[begin : begin + step])[..., None]
            found[:, begin : begin + step] = _by_group(chips.transpose(2, 0, 1), groups, found.shape[2])
        return found

    def _pairs(self, leaf: PublicNode) -> _Pairs:
        key = leaf.game, leaf.dealt
        if key not in self._boards:
            self._boards[key] = _pairs_at(leaf, self.picker)
        return self._boards[key]


class _Pairs(NamedTuple):
    """The pairs at the leaves of one board: a hand of each group of the picking seat with each hand of the other's."""

    groups: Groups
    first: tuple[NDArray[np.int64], NDArray[np.int64]]
    """A hand of each group, of each seat."""
    sizes: tuple[FloatRows, FloatRows]
    """How many hands each group has, of each seat."""
    cards: FlopCards
    hands: tuple[NDArray[np.int64], NDArray[np.int64]]
    """The numbers in the deck of a hand of each group of the picking seat, and of all hands of the other."""
    apart: NDArray[np.bool_]
    """Whether they share no card."""
    margin: FloatRows
    """How much more often the first wins than the second if all cards to come are shown."""

    @property
    def table_bytes(self) -> float:
        """Bytes of the matrices of a leaf, for both seats."""
        return 8.0 * len(self.sizes[0]) * len(self.sizes[1])


def _pairs_at(leaf: PublicNode, picker: int) -> _Pairs:
    game, groups = _holdem(leaf), groups_at(leaf)
    if len(leaf.dealt) != 3:
        raise InputError(f"networks of leaf values are for leaves after the flop, not after {len(leaf.dealt)} cards")
    first = first_of(groups[0]), first_of(groups[1])
    sizes = [np.bincount(own[own >= 0]).astype(np.float32) for own in groups]
    margin = showdown_margin(game, leaf.dealt)
    margin, apart = (margin, game.pairs_apart) if picker == 0 else (-margin.T, game.pairs_apart.T)
    own, other = game.hand_numbers[picker].astype(np.int64), game.hand_numbers[1 - picker].astype(np.int64)
    chosen = first[picker]
    return _Pairs(
        groups,
        first,
        (sizes[0], sizes[1]),
        flop_cards(game.deck, tuple(sorted(leaf.dealt)), sum(game.rules.to_come)),
        (own[chosen], other),
        apart[chosen],
        margin[chosen].astype(np.float32),
    )


@lru_cache(maxsize=8)
def flop_cards(deck: Deck, flop: tuple[int, ...], due: int) -> FlopCards:
    """Return the features of all hands on a flop; those of the last few are kept."""
    return FlopCards(deck, flop, due)


def _holdem(leaf: PublicNode) -> HoldemGame:
    if not isinstance(leaf.game, HoldemGame):
        raise InputError(f"networks of leaf values are for hold'em, not for {leaf.game.name}")
    return leaf.game


def _by_group(values: NDArray[Any], groups: NDArray[np.int64], count: int) -> NDArray[Any]:
    """Return the sums over the hands (last axis) of each group."""
    if count == len(groups):
        found = np.empty_like(values)
        found[..., groups] = values
        return found
    order = np.argsort(groups, kind="stable")
    order = order[groups[order] >= 0]
    return np.add.reduceat(values[..., order], np.searchsorted(groups[order], np.arange(count)), axis=-1)

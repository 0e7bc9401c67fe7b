"""Hands that share a strategy: lossless classes, or the buckets of a card abstraction, on the boards of a game.

`Buckets` hold the bucket of every hand on every board of one game; `gather` makes them from anything that knows the
bucket of each hand on a board, such as a `CardAbstraction`. Solvers pass their argument to `as_buckets`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from counterpoise.cards import Deck
from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.public.game import PublicGame
from counterpoise.public.holdem import HoldemGame


class BucketRows(Protocol):
    """An object that knows the bucket of every hand of a deck on any board, such as a `CardAbstraction`."""

    deck: Deck

    @property
    def buckets(self) -> tuple[int, ...]:
        """The number of buckets of each street."""
        ...

    def street(self, board: Sequence[int]) -> int:
        """Return the number of a board's street; refuse a board of no street."""
        ...

    def row(self, board: Sequence[int]) -> NDArray[Any]:
        """Return the bucket of every hand of the deck on a board as dealt, -1 where they share a card."""
        ...


@dataclass(frozen=True, eq=False)
class Buckets:
    """The bucket of every hand on every board; `count` is their number, [player, street].

    Hands stand as in the boards of the game: player p's hands on board b begin at ``boards.begin[p, b]``.
    """

    bucket_of_hand: NDArray[np.uint32]
    count: NDArray[np.int64]

    def require_fit(self, game: PublicGame) -> None:
        """Refuse a game for which these buckets were not made, and numbers out of range."""
        of, count, boards = self.bucket_of_hand, self.count, game.boards
        for name, given in (("bucket_of_hand", of), ("count", count)):
            kind = f"of {given.dtype}" if isinstance(given, np.ndarray) else f"a {type(given).__name__}"
            if not isinstance(given, np.ndarray) or given.dtype.kind not in "iu":
                raise InputError(f"buckets: {name} must be an array of whole numbers, not {kind}")
        size = (int(boards.stride.sum()),)
        if count.shape != (2, game.streets) or of.shape != size:
            raise InputError(
                f"these buckets are for another game: they have {count.shape[-1] if count.ndim else 0} streets and "
                f"{of.size:,} places of hands, not {game.streets} and {size[0]:,}"
            )
        if count.min() < 1:
            raise InputError(f"buckets: count must be 1 or more everywhere, not {shown(count.tolist())}")
        first = boards.begin.ravel().astype(np.int64)  # kernels read the places of all hands, also of blocked ones
        least, most = (part.reduceat(of, first).reshape(2, -1) for part in (np.minimum, np.maximum))
        for player, board in np.argwhere((least < 0) | (most >= count[:, game.street_of]))[:1].tolist():
            street = int(game.street_of[board])
            raise InputError(
                f"buckets: bucket_of_hand must be from 0 to {count[player, street] - 1:,} for player {player} on "
                f"street {street}, where there are {count[player, street]:,} buckets"
            )

    def remember(self, game: PublicGame) -> bool:
        """Return whether a hand's bucket determines its buckets of earlier streets, so that the players have perfect
        recall."""
        seen, count = hands_before(game), self.count
        first_player = int(game.boards.held[0, last_boards(game)].sum())
        for player, hands in enumerate((slice(0, first_player), slice(first_player, None))):
            own = self.bucket_of_hand[seen[:, hands]].astype(np.int64)
            for street in range(1, game.streets):
                pairs = np.unique(own[street] * count[player, street - 1] + own[street - 1])
                if len(pairs) > len(np.unique(own[street])):
                    return False
        return True


BucketsLike: TypeAlias = Buckets | BucketRows | tuple[Buckets | BucketRows | None, Buckets | BucketRows | None]
"""Buckets of a game, an abstraction, or a pair of either, one per player (None: nothing is abstracted)."""


def as_buckets(game: PublicGame, given: BucketsLike | None) -> Buckets:
    """Return the buckets that a user names: an abstraction, buckets of the game, one of them per player, or none."""
    if given is None:
        return lossless(game)
    if isinstance(given, tuple):
        if len(given) != 2:
            raise InputError(f"buckets must be those of both players or a pair, one per player, not {len(given)}")
        return combine_by_player(game, as_buckets(game, given[0]), as_buckets(game, given[1]))
    if isinstance(given, Buckets):
        given.require_fit(game)
        return given
    return gather(game, given)


def gather(game: PublicGame, rows: BucketRows) -> Buckets:
    """Return the buckets of a hold'em game from an object that knows them on any board.

    The game may begin on a later street and end on an earlier one than `rows` knows. Where there are more buckets than
    hands of the game, only those that a hand is in are kept.
    """
    if not all(hasattr(rows, name) for name in ("deck", "buckets", "street", "row")):
        raise InputError(f"buckets must be Buckets of the game or a card abstraction, not {shown(rows)}")
    if not isinstance(game, HoldemGame):
        raise InputError(f"a card abstraction is for hold'em: {game.name} has no cards that it knows")
    if rows.deck != game.deck:
        raise InputError(
            f"the abstraction is for a deck of {rows.deck.size} cards ({rows.deck.ranks} ranks, {rows.deck.ranking}), "
            f"the game has {game.deck.size} ({game.deck.ranks} ranks, {game.deck.ranking})"
        )
    boards, street_of = game.boards, game.street_of
    of = np.zeros(int(boards.stride.sum()), dtype=np.int64)
    count = np.zeros((2, game.streets), dtype=np.int64)
    for street in range(game.streets):
        count[:, street] = rows.buckets[rows.street(game.board_nodes[int(np.argmax(street_of == street))].cards)]
    places: list[list[list[NDArray[np.int64]]]] = [[[] for _ in range(game.streets)] for _ in range(2)]
    for board, node in enumerate(game.board_nodes):
        row = rows.row(node.cards)
        for player in range(2):
            here = int(boards.begin[player, board]) + np.arange(len(node.hands[player]))
            of[here] = row[game.hand_numbers[player][node.hands[player]]]
            places[player][node.street].append(here)
    for player in range(2):
        for street, parts in enumerate(places[player]):
            here = np.concatenate(parts)
            here, blocked = here[of[here] >= 0], here[of[here] < 0]  # before the last street boards keep blocked hands
            found, of[blocked] = of[here], 0
            if found.max(initial=-1) >= count[player, street]:
                raise InputError(f"the abstraction has buckets beyond its {count[player, street]:,} on street {street}")
            if count[player, street] > len(here):
                kept, of[here] = np.unique(found, return_inverse=True)
                count[player, street] = len(kept)
    return Buckets(of.astype(np.uint32), count)


def lossless(game: PublicGame) -> Buckets:
    """Return one bucket for each class of hands that suits make alike, on every board."""
    boards, streets = game.boards, game.street_of
    of = np.zeros(int(boards.stride.sum()), dtype=np.uint32)
    count = np.zeros((2, game.streets), dtype=np.int64)
    for player in range(2):
        for board, street in enumerate(streets):
            begin, held = int(boards.begin[player, board]), int(boards.held[player, board])
            alike = game.to_rows(player, board, game.hand_groups(board)[player])
            classes = np.unique(alike, return_inverse=True)[1]
            of[begin : begin + held] = count[player, street] + classes
            count[player, street] += int(classes.max()) + 1
    return Buckets(of, count)


def coarsened(game: PublicGame, buckets: Buckets, street: int) -> Buckets:
    """Return buckets with a single one on a street."""
    count, of = buckets.count.copy(), buckets.bucket_of_hand.copy()
    count[:, street] = 1
    for board in np.flatnonzero(game.street_of == street):
        for player in range(2):
            begin = int(game.boards.begin[player, board])
            of[begin : begin + int(game.boards.stride[player, board])] = 0
    return Buckets(of, count)


def combine_by_player(game: PublicGame, first: Buckets, second: Buckets) -> Buckets:
    """Return the buckets of the one for player 0 and those of the other for player 1.

    See Johanson 2016, chapter 11, asymmetric.
    """
    first.require_fit(game)
    second.require_fit(game)
    begin = int(game.boards.begin[1, 0])  # player 1's hands stand after player 0's
    of = np.concatenate((first.bucket_of_hand[:begin], second.bucket_of_hand[begin:]))
    return Buckets(of, np.stack((first.count[0], second.count[1])))


def last_boards(game: PublicGame) -> NDArray[np.int64]:
    """Return the boards of the last street, on which all public cards are known."""
    return np.flatnonzero(game.street_of == game.streets - 1)


def hands_before(game: PublicGame) -> NDArray[np.int64]:
    """Return where every hand of the last street's boards stands among all hands, [street, hand].

    Hands are in the order of players, then of `last_boards`.
    """
    boards, parents, last = game.boards, game.board_above, last_boards(game)
    seen = [np.zeros(0, dtype=np.int64)] * game.streets
    for player in range(2):
        parts: list[list[NDArray[np.int64]]] = [[] for _ in range(game.streets)]
        for board in last:
            slots, at = np.arange(int(boards.held[player, board])), int(board)
            for street in range(game.streets - 1, -1, -1):
                places = int(boards.begin[player, at]) + slots
                parts[street].append(places)
                slots, at = boards.parent_hand[places].astype(np.int64), int(parents[at])
        seen = [np.concatenate([seen[street], *parts[street]]) for street in range(game.streets)]
    return np.stack(seen)

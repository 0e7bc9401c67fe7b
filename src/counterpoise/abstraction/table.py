"""A finished abstraction: the bucket of every hand on any board, from one file.

Before the last street a row is one slice of a table and a renaming of suits. On the last street buckets are not stored,
their centres or cut points are: the row is computed when the board is dealt.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.boards import BOARD_CARDS, renamings
from counterpoise.abstraction.checking import AbstractionArrays, first_line
from counterpoise.abstraction.config import AbstractionConfig
from counterpoise.abstraction.lookup import HandLookup
from counterpoise.abstraction.models import Model, model_from_arrays
from counterpoise.abstraction.strength import HoldemCards, board_wins
from counterpoise.cards import HOLDEM_ROUNDS, Card, Deck, check_cards, isomorphism, parse_cards, parse_hand
from counterpoise.errors import InputError
from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.headers import AbstractionHeader

if TYPE_CHECKING:
    from counterpoise.abstraction.cache import Arrays
    from counterpoise.abstraction.features import Ochs

KIND, VERSION = "abstraction", 1
Row = NDArray[np.signedinteger]


@dataclass(frozen=True, eq=False)
class StreetBuckets:
    """The buckets of one street: stored rows, or the model that computes them; neither if hands are canonical.

    `rows` is [board, hand] with -1 for dead hands; where the order of the board matters, [board and place of the turn
    card in the canonical board, hand]. Fewer buckets are `filled` than there are where fewer hands differ; on the last
    street those count that hold any of the points from which they were made. `objective` is that of k-means, or 0.
    """

    buckets: int
    rows: NDArray[Any] | None = None
    model: Model | None = None
    filled: int = 0
    objective: float = 0.0

    def arrays(self) -> Arrays:
        """Return everything but the number of buckets."""
        figures: Arrays = {"filled": np.array(self.filled), "objective": np.array(self.objective)}
        rows: Arrays = {} if self.rows is None else {"rows": self.rows}
        return figures | rows | ({} if self.model is None else self.model.arrays())

    @classmethod
    def from_arrays(cls, buckets: int, arrays: Arrays) -> StreetBuckets:
        """Return the street whose `arrays` were kept."""
        rest = dict(arrays)
        filled, objective, rows = rest.pop("filled"), rest.pop("objective"), rest.pop("rows", None)
        return cls(buckets, rows, model_from_arrays(rest) if rest else None, int(filled), float(objective))


class CardAbstraction:
    """Which hands share a bucket on each street; see `row`."""

    def __init__(
        self,
        config: AbstractionConfig,
        streets: Sequence[StreetBuckets],
        public: NDArray[np.int32] | None,
        cluster_of: NDArray[np.uint8] | None,
    ) -> None:
        self.config, self.streets, self.public, self.cluster_of = config, tuple(streets), public, cluster_of
        self.cards: HoldemCards = config.cards
        self.deck: Deck = self.cards.deck
        self._cards = frozenset(self.deck.cards.tolist())
        self._maps = renamings(self.deck).hand_maps.astype(np.intp)

    @property
    def buckets(self) -> tuple[int, ...]:
        """The number of buckets of each street."""
        return tuple(street.buckets for street in self.streets)

    @property
    def filled(self) -> tuple[int, ...]:
        """How many of them hold any hand (see `StreetBuckets`)."""
        return tuple(street.filled for street in self.streets)

    @property
    def objectives(self) -> tuple[float, ...]:
        """The objective of k-means on each street; 0 where there is none."""
        return tuple(street.objective for street in self.streets)

    def street(self, board: Sequence[Card]) -> int:
        """Return the number of the street that a board belongs to: 0 before the flop."""
        if len(board) not in BOARD_CARDS[: self.cards.streets]:
            allowed = ", ".join(str(count) for count in BOARD_CARDS[: self.cards.streets])
            raise InputError(f"the board must have {allowed} cards, not {len(board)}")
        return BOARD_CARDS.index(len(board))

    def row(self, board: Sequence[Card] | str) -> Row:
        """Return the bucket of every hand of the deck on a board as dealt, flop first; -1 where they share a card."""
        cards = self.read_board(board)
        number = self._check_board(cards)
        street = self.streets[number]
        if street.rows is not None:
            at, renaming = self._stored(number, cards, street.rows)
            return np.asarray(street.rows[at].take(self._maps[renaming]), dtype=np.int32)
        if street.model is None:
            found = isomorphism(HOLDEM_ROUNDS[number], self.deck).hand_classes(cards)
            return found if street.buckets > np.iinfo(np.int32).max else found.astype(np.int32)
        return self._computed(cards, street.model)

    def bucket(self, hand: int | str, board: Sequence[Card] | str = ()) -> int:
        """Return the bucket of one hand, given by number or name, on a board."""
        number, cards = self.read_hand(hand), self.read_board(board)
        self._check_board(cards)
        if not set(cards).isdisjoint(self.deck.hands[number].tolist()):
            raise InputError(f"hand {self.deck.hand_names[number]} shares a card with the board")
        return int(self.hand_buckets(np.array([number]), np.array([cards], dtype=np.uint8))[0])

    def _check_board(self, cards: Sequence[Card]) -> int:
        """Return the street of a board; refuse one with a card twice or a card that the deck does not have."""
        if not self._cards.issuperset(cards) or len(set(cards)) < len(cards):
            check_cards(list(cards), self.deck)
        return self.street(cards)

    def hand_buckets(self, hands: NDArray[Any], boards: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the bucket of each hand on its own board, [point, card] as dealt, much faster than by `row`.

        Nothing is checked: boards must be of the deck, without repeated cards, and share none with the hand.
        """
        return self._lookup.buckets(hands, boards)

    @cached_property
    def _lookup(self) -> HandLookup:
        return HandLookup(self)

    def read_board(self, board: Sequence[Card] | str) -> Sequence[Card]:
        """Return the cards of a board that may be given as text."""
        return parse_cards(board, self.deck) if isinstance(board, str) else board

    def read_hand(self, hand: int | str) -> int:
        """Return the number of a hand that may be given as text."""
        return parse_hand(hand, self.deck) if isinstance(hand, str) else hand

    def _stored(self, number: int, board: Sequence[Card], rows: NDArray[Any]) -> tuple[int, int]:
        if number == 0:
            return 0, 0
        classes = self.cards.boards(number)
        at, renaming = classes.locate_one(board)
        if len(rows) > classes.size:  # the turn card matters
            turned = renamings(self.deck).card_maps[renaming, board[-1]]
            at = at * len(board) + int(np.flatnonzero(classes.cards[at] == turned)[0])
        return at, renaming

    def _computed(self, board: Sequence[Card], model: Model) -> Row:
        live = self.deck.live_hands(list(board))
        groups = self._groups(board, live)
        points = self.features(board)[live]
        row = np.full(self.deck.hand_count, -1, dtype=np.int32)
        row[live] = model.assign(points, groups)
        return row

    def features(self, board: Sequence[Card]) -> NDArray[Any]:
        """Return the vectors by which the hands of a full board are put into buckets, [hand, component]."""
        method = self.config.streets[-1].method
        if method == "KO":
            return np.asarray(self._ochs.on_boards(np.array([board], dtype=np.uint8))[0])
        return last_street_vectors(method, board_wins(self.cards, board) / self.cards.most_wins)

    @cached_property
    def _ochs(self) -> Ochs:
        from counterpoise.abstraction.features import Ochs

        assert self.cluster_of is not None
        return Ochs(self.cards, self.cards.last, self.cluster_of)

    def _groups(self, board: Sequence[Card], live: NDArray[np.bool_]) -> Row | None:
        if self.config.groups(self.cards.last) == 1:
            return None
        if self.public is None:
            return self.row(board[: BOARD_CARDS[self.cards.last - 1]])[live]
        group = self.public[self.cards.boards(1).locate_one(board[:3])[0]]
        return np.full(int(live.sum()), group, dtype=np.int32)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the abstraction to one file, whole or not at all."""
        write_cpz(path, KIND, *self.parts())

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays of a file of this abstraction; `from_parts` makes it again."""
        arrays: Arrays = {}
        for number, street in enumerate(self.streets):
            if street.rows is not None:
                arrays[f"rows_{number}"] = _packed(street.rows, street.buckets)
            if street.model is not None:
                arrays |= {f"model_{number}_{name}": array for name, array in street.model.arrays().items()}
        for name, array in (("public", self.public), ("cluster_of", self.cluster_of)):
            if array is not None:
                arrays[name] = array
        header = {"config": self.config.model_dump(mode="json"), "objectives": self.objectives, "filled": self.filled}
        return {"abstraction_version": VERSION, **header}, arrays

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of everything that decides about buckets: abstractions with equal digests are the same."""
        header, arrays = self.parts()
        found = hashlib.sha256(json.dumps(header["config"], sort_keys=True).encode())
        for name, array in sorted(arrays.items()):
            found.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
            found.update(np.ascontiguousarray(array).tobytes())
        return found.hexdigest()

    @classmethod
    def load(cls, path: str | os.PathLike[str], deck: Deck | None = None) -> CardAbstraction:
        """Read an abstraction; with `deck`, refuse one of another deck."""
        raw, arrays = read_cpz(path, KIND)
        found = cls.from_parts(raw, arrays, path)
        if deck is not None and found.deck != deck:
            raise InputError(f"{path} is for a deck of {found.deck.size} cards, not {deck.size}")
        return found

    @classmethod
    def from_parts(
        cls, raw: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], path: str | os.PathLike[str], prefix: str = ""
    ) -> CardAbstraction:
        """Return the abstraction of a header and of arrays that were read from a file; refuse what does not fit.

        The names of its arrays begin with `prefix`.
        """
        header = AbstractionHeader.read(raw, path)
        try:
            config = AbstractionConfig.model_validate(header.config).check()
        except ValueError as error:
            raise InputError(f"{path} is damaged: its header describes no abstraction ({first_line(error)})") from None
        if not len(header.filled) == len(header.objectives) == len(config.streets):
            raise InputError(f"{path} is damaged: its header has figures of other streets than it describes")
        checked = AbstractionArrays(config, arrays, path, prefix)
        streets = [
            StreetBuckets(config.buckets(number), *checked.street(number), filled, objective)
            for number, (filled, objective) in enumerate(zip(header.filled, header.objectives, strict=True))
        ]
        return cls(config, streets, checked.public, checked.cluster_of)


def last_street_vectors(method: str, strength: NDArray[np.float64]) -> NDArray[Any]:
    """Return the vectors by which hands of the last street are compared, from their strength: KE or PHS."""
    return last_street_emd(strength) if method == "KE" else np.stack([strength, strength**2], axis=1)


def last_street_emd(strength: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return what stands for an impulse in place of a cumulative histogram: the area under it, one number."""
    return (1 - strength[:, None]).astype(np.float32)


def _packed(rows: NDArray[Any], buckets: int) -> NDArray[Any]:
    """Return rows in the smallest unsigned type, dead hands 0 and buckets from 1."""
    kind = np.uint8 if buckets < 2**8 else np.uint16 if buckets < 2**16 else np.uint32
    return (rows + 1).astype(kind)

"""The buckets of all hands on all boards of a game as one table, so that a dealt hand is looked up in nanoseconds.

Before the last street a `CardAbstraction` has such rows. On the last it computes them board by board, which is too slow
inside a walk, so they are computed once, here: 134,459 boards of 52 cards, a byte or two for each of 1,326 hands. Where
buckets depend on the order in which the board came (canonical hands, perfect recall, public buckets) there are rows for
every order of turn and river, twenty times as many: 3.6 GB or 7.1 GB of 52 cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import combinations, permutations
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from counterpoise.abstraction.boards import BOARD_CARDS, orders, renamings
from counterpoise.abstraction.kernels.strength import strength_table
from counterpoise.abstraction.table import CardAbstraction, last_street_vectors
from counterpoise.cards import isomorphism, strength_tables
from counterpoise.errors import InputError
from counterpoise.jobs.pieces import Work, pieces
from counterpoise.progress import memory_size
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.kernels.dealing import MOST_CARDS, CardArrays, Dealt

MOST_ORDERED = 1_000_000
"""The most rows that are computed one by one."""
SPARE = 0.9
"""Share of the free memory that tables may take."""
BOARDS_AT_ONCE = 256


def lookup_bytes(tree: BettingTree, abstractions: Sequence[CardAbstraction]) -> int:
    """Return the size of the table of buckets, in bytes."""
    return _entries(tree, abstractions) * int(_kind(abstractions)().itemsize)


def bucket_lookup(tree: BettingTree, abstractions: Sequence[CardAbstraction], work: Work | None = None) -> CardArrays:
    """Return the cards of a game with the bucket of every hand on every board, for one abstraction or one per seat."""
    deck, work = tree.game.deck, work or Work()
    size, kind = _entries(tree, abstractions), _kind(abstractions)
    needed, free = lookup_bytes(tree, abstractions), SPARE * psutil.virtual_memory().available
    slow = _ordered_rows(tree, abstractions)
    if needed > free or slow > MOST_ORDERED:
        why = f"and {memory_size(free)} are free" if needed > free else f"with {slow:,} boards to look up one by one"
        raise InputError(
            f"the table of buckets of {tree.game.name} would take {memory_size(needed)}, {why}: take an abstraction of "
            "imperfect recall without public buckets or canonical hands on the last street (IR-PHS-PHS), or a smaller "
            "deck"
        )
    streets = [BOARD_CARDS.index(cards) for cards in tree.board_cards]
    rows = np.empty(size, dtype=kind)
    first_row = np.zeros((tree.players, tree.rounds), dtype=np.uint64)
    places = [max(_places(one, street) for one in abstractions) for street in streets]
    start = 0
    for number, street in enumerate(streets):
        boards = deck_boards(tree, street) * places[number] * deck.hand_count
        for seat, one in enumerate(abstractions):
            first_row[seat, number] = start
            fill = _Rows(one, street, places[number], rows[start : start + boards].reshape(-1, deck.hand_count))
            fill.run(work)
            start += boards
    if len(abstractions) == 1:
        first_row[:] = first_row[0]
    first_board, canonical = _canonical(tree, streets, places)
    return cards_without_buckets(tree)._replace(
        places=np.array(places, dtype=np.uint8),
        first_board=first_board,
        canonical=canonical,
        first_row=first_row,
        rows=rows,
    )


def board_lookup(tree: BettingTree, abstractions: Sequence[CardAbstraction], board: tuple[int, ...]) -> CardArrays:
    """Return the cards of a game with the bucket of every hand on the boards that may follow a board of three or more
    cards, for one abstraction, one per seat, or none, which has one bucket."""
    cards, kind = cards_without_buckets(tree), _kind(abstractions)
    rows, first_row, start = [np.zeros((1, tree.game.deck.hand_count), dtype=kind)], cards.first_row.copy(), 1
    if not abstractions:
        return cards._replace(rows=rows[0].ravel(), known=5)
    for number, count in enumerate(tree.board_cards):
        for seat, one in enumerate(abstractions if count >= len(board) else ()):
            found = _following_rows(one, board, count)
            first_row[seat if len(abstractions) > 1 else slice(None), number] = start * tree.game.deck.hand_count
            rows.append(found.astype(kind, copy=False))
            start += len(found)
    return cards._replace(rows=np.concatenate(rows).ravel(), first_row=first_row, known=len(board))


@lru_cache(maxsize=16)
def _following_rows(abstraction: CardAbstraction, board: tuple[int, ...], count: int) -> NDArray[Any]:
    """Return the rows of all boards of `count` cards that begin with a board, by the cards to come in base 52."""
    due, street = count - len(board), BOARD_CARDS.index(count)
    left = [card for card in abstraction.deck.cards.tolist() if card not in board]
    ordered = _places(abstraction, street) > 1
    later = list((permutations if ordered else combinations)(left, due))
    boards = np.array([[*board, *cards] for cards in later], dtype=np.uint8)
    if abstraction.streets[street].rows is None and not ordered:
        found = _Rows(abstraction, street, 1, np.zeros((0, 1))).on_boards(boards)
    else:
        found = np.stack([np.maximum(abstraction.row(one), 0) for one in boards.tolist()])
    rows = np.zeros((MOST_CARDS**due, abstraction.deck.hand_count), dtype=_kind([abstraction]))
    keys = np.array(later, dtype=np.int64).reshape(len(later), due)
    for order in [tuple(range(due))] if ordered else permutations(range(due)):
        rows[(keys[:, order] * MOST_CARDS ** np.arange(due)[::-1]).sum(axis=1)] = found
    return rows


def cards_without_buckets(tree: BettingTree) -> CardArrays:
    """Return the cards of a game without any buckets, of the same types for games of any rounds and suits."""
    deck = tree.game.deck
    maps = renamings(deck)
    numbering = [isomorphism((max(count, 1),), deck).tables for count in tree.board_cards]
    numbering += numbering[-1:] * (len(BOARD_CARDS) - len(numbering))
    return CardArrays(
        deck=deck.cards,
        hand_of=deck.hand_table,
        hands=deck.hands,
        card_maps=maps.card_maps,
        hand_maps=maps.hand_maps,
        renaming=_renaming_of(maps.permutations),
        board_cards=np.array(tree.board_cards, dtype=np.uint8),
        places=np.ones(tree.rounds, dtype=np.uint8),
        first_board=np.zeros(tree.rounds, dtype=np.uint32),
        canonical=np.zeros((1, 5), dtype=np.uint8),
        first_row=np.zeros((tree.players, tree.rounds), dtype=np.uint64),
        rows=np.zeros(0, dtype=np.uint8),
        numbering=tuple(numbering),
        strength=strength_tables(deck.ranking),
    )


def dealt_hand(tree: BettingTree) -> Dealt:
    """Return scratch arrays for one dealt hand of a game."""
    seats, rounds, board = tree.players, tree.rounds, tree.board_cards[-1]
    return Dealt(
        random=np.zeros(4, dtype=np.uint64),
        deck=np.zeros(tree.game.deck.size, dtype=np.uint8),
        board=np.zeros((1, 5), dtype=np.uint8),
        number=np.zeros(1, dtype=np.int64),
        hand=np.zeros(seats, dtype=np.int64),
        buckets=np.zeros((rounds, seats), dtype=np.uint32),
        looked_up=np.zeros((rounds, seats), dtype=np.uint32),
        shown=np.zeros((seats, 2 + board), dtype=np.uint8),
        strengths=np.zeros(seats, dtype=np.uint16),
    )


def deck_boards(tree: BettingTree, street: int) -> int:
    """Return the number of boards of a street up to isomorphism."""
    cards = BOARD_CARDS[street]
    return isomorphism((cards,), tree.game.deck).size if cards else 1


class _Rows:
    """Fills the rows of one street of one abstraction."""

    def __init__(self, abstraction: CardAbstraction, street: int, places: int, out: NDArray[Any]) -> None:
        self.abstraction, self.street, self.places, self.out = abstraction, street, places, out
        self.stored = abstraction.streets[street].rows
        self.model: Any = abstraction.streets[street].model

    def run(self, work: Work) -> None:
        """Fill all rows, on the threads of `work`."""
        cards, own = self.abstraction.cards, _places(self.abstraction, self.street)
        boards = len(self.out) // self.places
        if self.stored is not None and len(self.stored) == boards * own and own in (1, self.places):
            repeat = self.places // own
            for begin, end in pieces(len(self.stored), 4096):
                live = np.maximum(self.stored[begin:end], 0)
                self.out[begin * repeat : end * repeat] = np.repeat(live, repeat, axis=0)
            return
        do = self._last_street
        if _one_by_one(self.abstraction, self.street):
            do = self._ordered
        elif self.abstraction.config.groups(self.street) > 1:
            do = self._recalled if self.abstraction.public is None else self._clustered
        work.run(pieces(boards, BOARDS_AT_ONCE), do, f"buckets of {boards:,} boards of the {cards.names[self.street]}")

    def _last_street(self, begin: int, end: int) -> None:
        found = self.on_boards(self.abstraction.cards.boards(self.street).cards[begin:end])
        self.out[begin * self.places : end * self.places] = np.repeat(found, self.places, axis=0)

    def on_boards(self, boards: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Return the buckets of all hands on full boards, [board, hand]; arbitrary for hands that they block."""
        cards = self.abstraction.cards
        if self.abstraction.config.streets[-1].method == "KO":
            found = np.zeros((len(boards), cards.deck.hand_count), dtype=np.int32)
            points = self.abstraction._ochs.on_boards(boards)
            live = _live(boards, cards.deck.hands)
            found[live] = self.model.assign(points[live])
            return found
        # Every other method asks only how many hands are beaten: one table serves all boards.
        return np.asarray(self.by_wins[0][self._wins(boards)])

    def _clustered(self, begin: int, end: int) -> None:
        """Fill in the last street inside public buckets, which depend on the cards that were the flop."""
        cards, public = self.abstraction.cards, self.abstraction.public
        assert public is not None
        boards = cards.boards(self.street).cards[begin:end]
        wins = self._wins(boards)
        for place, order in enumerate(orders(boards.shape[1])):
            group = public[cards.boards(1).locate(boards[:, order[:3]])[0]]
            self.out[begin * self.places + place : end * self.places : self.places] = self.by_wins[group[:, None], wins]

    def _recalled(self, begin: int, end: int) -> None:
        """Fill in the last street inside the buckets of the street before, which depend on the cards that came then."""
        cards, known = self.abstraction.cards, BOARD_CARDS[self.street - 1]
        boards = cards.boards(self.street).cards[begin:end]
        wins = self._wins(boards)
        for place, order in enumerate(orders(boards.shape[1])):
            before = self._buckets_before(boards[:, order[:known]])
            self.out[begin * self.places + place : end * self.places : self.places] = self.by_wins[before, wins]

    def _buckets_before(self, boards: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the bucket of each hand on boards of the street before, as dealt, [board, hand]; 0 for dead hands."""
        number, rows = self.street - 1, self.abstraction.streets[self.street - 1].rows
        assert rows is not None
        classes, maps = self.abstraction.cards.boards(number), renamings(self.abstraction.deck)
        at, renaming = (one.astype(np.int64) for one in classes.locate(boards))
        if len(rows) > classes.size:  # the turn card matters
            turned = maps.card_maps[renaming, boards[:, -1]]
            at = at * classes.count + (classes.cards[at] == turned[:, None]).argmax(axis=1)
        return np.asarray(np.maximum(rows[at[:, None], maps.hand_maps[renaming]], 0), dtype=np.int64)

    def _wins(self, boards: NDArray[np.uint8]) -> NDArray[np.uint16]:
        """Return the hands that each hand beats on each board, wins counted twice and ties once; dead hands get the
        largest number."""
        deck = self.abstraction.deck
        wins = np.empty((len(boards), deck.hand_count), dtype=np.uint16)
        strength_table(boards, deck.hands, strength_tables(deck.ranking), wins)
        return np.minimum(wins, np.uint16(self.abstraction.cards.most_wins))

    @cached_property
    def by_wins(self) -> NDArray[np.int32]:
        """The bucket of each group's hands by wins, counted twice, plus ties, [group, wins]."""
        most, config = self.abstraction.cards.most_wins, self.abstraction.config
        vectors = last_street_vectors(config.streets[-1].method, np.arange(most + 1) / most)
        groups = config.groups(self.street)
        return np.stack([self.model.assign(vectors, np.full(most + 1, one, dtype=np.int32)) for one in range(groups)])

    def _ordered(self, begin: int, end: int) -> None:
        count = BOARD_CARDS[self.street]
        for number in range(begin, end):
            board = self.abstraction.cards.boards(self.street).cards[number].tolist()
            for place, late in enumerate(permutations(board, count - 3)):
                early = [card for card in board if card not in late]
                row = self.abstraction.row([*early, *late])
                self.out[number * self.places + place] = np.maximum(row, 0)


def _live(boards: NDArray[np.uint8], hands: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which hands share no card with each board, [board, hand]."""
    dead = np.zeros((len(boards), 52), dtype=np.bool_)
    np.put_along_axis(dead, boards.astype(np.int64), True, axis=1)
    return np.asarray(~(dead[:, hands[:, 0]] | dead[:, hands[:, 1]]))


def _places(abstraction: CardAbstraction, street: int) -> int:
    """Return the number of orders of a board that must be told apart."""
    if street < 2:
        return 1
    kept, boards = abstraction.streets[street].rows, abstraction.cards.boards(street)
    if kept is not None:
        return len(kept) // boards.size
    config, last = abstraction.config, abstraction.streets[street]
    ordered = last.model is None or config.groups(street) > 1
    return (4 if street == 2 else 20) if ordered else 1


def _ordered_rows(tree: BettingTree, abstractions: Sequence[CardAbstraction]) -> int:
    """Return the number of rows that must be computed one by one."""
    streets = {BOARD_CARDS.index(cards) for cards in tree.board_cards}
    return sum(
        deck_boards(tree, street) * _places(one, street)
        for one in abstractions
        for street in streets
        if _places(one, street) > 1 and _one_by_one(one, street)
    )


def _one_by_one(abstraction: CardAbstraction, street: int) -> bool:
    """Return whether rows of a street are computed one by one: those of canonical hands or inside them, and those by
    opponent clusters inside groups."""
    here, config = abstraction.streets[street], abstraction.config
    inside = config.groups(street) > 1
    canonical = inside and abstraction.public is None and abstraction.streets[street - 1].rows is None
    by_clusters = inside and config.streets[street].method == "KO"
    return here.rows is None and (here.model is None or canonical or by_clusters)


def _entries(tree: BettingTree, abstractions: Sequence[CardAbstraction]) -> int:
    streets = [BOARD_CARDS.index(cards) for cards in tree.board_cards]
    boards = sum(deck_boards(tree, street) * max(_places(one, street) for one in abstractions) for street in streets)
    return boards * len(abstractions) * tree.game.deck.hand_count


def _kind(abstractions: Sequence[CardAbstraction]) -> Any:
    most = max([max(one.buckets) for one in abstractions], default=1)
    return np.uint8 if most <= 2**8 else np.uint16 if most <= 2**16 else np.uint32


def _renaming_of(renamed: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the number of the renaming that takes each order of suits to the canonical one."""
    found = np.zeros(256, dtype=np.uint8)
    suits = renamed.shape[1]
    for number, order in enumerate(np.argsort(renamed).tolist()):
        whole = [*order, *range(suits, 4)]
        found[sum(suit << 2 * place for place, suit in enumerate(whole))] = number
    return found


def _canonical(
    tree: BettingTree, streets: Sequence[int], places: Sequence[int]
) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Return the canonical boards of the rounds in which order matters, and where those of each round begin."""
    first, parts, total = np.zeros(len(streets), dtype=np.uint32), [np.zeros((1, 5), dtype=np.uint8)], 1
    for number, street in enumerate(streets):
        if places[number] > 1:
            count = BOARD_CARDS[street]
            classes = isomorphism((count,), tree.game.deck)
            boards = np.zeros((classes.size, 5), dtype=np.uint8)
            boards[:, :count] = classes.unindex(np.arange(classes.size))
            first[number] = total
            parts.append(boards)
            total += len(boards)
    return first, np.concatenate(parts)

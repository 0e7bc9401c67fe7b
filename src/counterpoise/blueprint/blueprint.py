"""The blueprint: a strategy for every seat of a game of hold'em, by betting node and bucket.

A blueprint is a game, its betting tree (`counterpoise.sampling.BettingTree`), an abstraction of cards, shared or one
per seat, and one flat table of *weights* in the order of a `TableLayout`: the weights of a decision with a bucket are

    ``table[start[node] + bucket * actions[node] :][: actions[node]]``

and the strategy there is in proportion to them; where all are 0 every action is equally likely. So a table may be the
sums of an average strategy as a trainer has them (float32), probabilities in one byte each (`packed`: L = 255 times the
probability, rounded; of n actions none is off by more than (n + 1) / (2L - n), since the bytes need not sum to L; fewer
levels L make smaller files), or purified (one weight of 1, `purified`).

Strategies are looked up by public history, the tuple of public events of the game ("c", "b300", "QsJh2d"); hands are in
the order of the deck, or named ("AsKh").
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from random import Random
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.boards import BOARD_CARDS
from counterpoise.abstraction.table import CardAbstraction
from counterpoise.betting.rules import FOLD as FOLD_ACTION
from counterpoise.cards import Card
from counterpoise.games.base import Action
from counterpoise.games.events import ActionEvent, public_cards, read_event
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour, BoardPlay, KnownPlayer, Line
from counterpoise.games.moves import CALL, FOLD, RAISE
from counterpoise.parameters import require, require_choice, require_number, require_whole
from counterpoise.proportions import proportional
from counterpoise.sampling.betting_tree import BettingTree, build_betting_tree
from counterpoise.sampling.kernels.tables import TableRows, pack_rows, purify_rows
from counterpoise.sampling.tables import TableLayout, biased_table

if TYPE_CHECKING:
    import os

    from counterpoise.blueprint.values import BlueprintValues

FloatArray = NDArray[np.float64]
Table = NDArray[np.uint8] | NDArray[np.float32]
KINDS = (np.dtype(np.uint8), np.dtype(np.float32))
"""The types of tables: bytes or float32."""
FEWEST_LEVELS, MOST_LEVELS = 10, 255
"""Multiples of a probability that a byte counts; with ten no row of up to 19 actions loses all its weight."""


class Blueprint:
    """The strategy of all seats of a game of hold'em (see the module docstring).

    `table` is not copied. `made` records in the types of JSON how the blueprint was made; nothing depends on it.
    """

    def __init__(
        self,
        game: Holdem,
        abstraction: CardAbstraction | Sequence[CardAbstraction],
        table: Table,
        *,
        tree: BettingTree | None = None,
        made: Mapping[str, Any] | None = None,
    ) -> None:
        self.game, self.tree = game, tree or build_betting_tree(game)
        given = (abstraction,) if isinstance(abstraction, CardAbstraction) else tuple(abstraction)
        self.abstractions: tuple[CardAbstraction, ...] = given
        self.layout = layout_of(self.tree, given)
        require(
            table.ndim == 1 and table.dtype in KINDS and len(table) == self.layout.size,
            f"the table of a blueprint for {game.name} must be {self.layout.size:,} bytes or float32 in a row, "
            f"not {table.dtype} of shape {table.shape}",
        )
        self._table, self.made = table, dict(made or {})
        # Caches do not hold the blueprint itself: its table is freed with the last who uses it.
        self._row = lru_cache(maxsize=64)(partial(_find_row, given))
        self._bucket = lru_cache(maxsize=256)(partial(_find_bucket, given))
        self._located = lru_cache(maxsize=256)(partial(_locate, self.tree))

    def __reduce__(self) -> Any:
        return Blueprint, (self.game, self.abstractions, self.table)

    @classmethod
    def uniform(cls, game: Holdem, abstraction: CardAbstraction | Sequence[CardAbstraction]) -> Self:
        """Return the blueprint that plays every action of the menu equally often."""
        tree = build_betting_tree(game)
        given = (abstraction,) if isinstance(abstraction, CardAbstraction) else tuple(abstraction)
        table = np.zeros(layout_of(tree, given).size, dtype=np.uint8)
        return cls(game, given, table, tree=tree, made={"by": "uniform"})

    @classmethod
    def from_players(
        cls, game: Holdem, abstraction: CardAbstraction | Sequence[CardAbstraction], players: Sequence[KnownPlayer]
    ) -> Blueprint:
        """Return the blueprint of known players, one per seat, averaged over the hands of each bucket.

        Every board is dealt, so the deck must be small; see `counterpoise.blueprint.average`.
        """
        from counterpoise.blueprint.average import average_players

        return average_players(game, abstraction, players)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Blueprint:
        """Read a blueprint from a file."""
        from counterpoise.blueprint.files import load_blueprint

        return load_blueprint(path)

    def save(self, path: str | os.PathLike[str], *, level: int = 1) -> None:
        """Write the blueprint to one file, its abstraction included, whole or not at all.

        `level` is that of the compression, from 1 (fast) to 9 (small).
        """
        from counterpoise.blueprint.files import save_blueprint

        save_blueprint(self, path, level=level)

    @property
    def players(self) -> int:
        """Number of seats."""
        return self.game.players

    @property
    def table(self) -> Table:
        """The weights of all decisions, buckets and actions, in the order of `layout`."""
        return self._table

    def block(self, node: int) -> NDArray[Any]:
        """Return the weights of a decision, [bucket, action]."""
        return self.layout.block(self.tree, node, self.table)

    @property
    def bits(self) -> int:
        """Bits of a weight: 8 or 32."""
        return 8 * int(self.table.dtype.itemsize)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of game, abstraction and table: blueprints with equal digests play the same."""
        found = hashlib.sha256(f"{self.game.name}\n{self.table.dtype}\n".encode())
        for one in self.abstractions:
            found.update(one.digest.encode())
        found.update(np.ascontiguousarray(self.table).view(np.uint8).data)
        return found.hexdigest()

    def packed(self, levels: int = MOST_LEVELS) -> Blueprint:
        """Return the blueprint with one byte per probability, rounded to multiples of 1 / `levels`.

        Few levels make a small file: small probabilities vanish, and the remaining bytes repeat.
        """
        require_whole("levels", levels, FEWEST_LEVELS, MOST_LEVELS)
        return self._remade(self._bytes(levels), packed=levels)

    def purified(self, first_round: int = 0) -> Blueprint:
        """Return the packed blueprint in which the most likely action is certain, from a round on."""
        table = self._bytes()
        purify_rows(self.table, table_rows(self.tree, self.layout, first_round), table)
        return self._remade(table, purified=first_round)

    def biased(self, kind: int, factor: float) -> Blueprint:
        """Return the blueprint with the probabilities of one kind of action times a factor, normalised (the bias
        approach; Brown 2020, section 5.2).

        `kind` is `FOLD`, `CALL` or `RAISE` of `counterpoise.games.moves`. Nothing changes where the kind is missing,
        has no weight or is the only one played. The table is in float32.
        """
        require_choice("kind", kind, (FOLD, CALL, RAISE))
        require_number("factor", factor, low=0, high=10**6)
        table = biased_table(self.tree, self.layout, self.table, kind, factor)
        return self._remade(table, biased=[kind, factor])

    def probabilities(self, public: Sequence[str]) -> Behaviour:
        """Return what the seat to act does after a public history with every hand that it could hold."""
        node = self.decision_after(tuple(public))
        buckets = self.buckets_after(tuple(public), int(self.tree.arrays.player[node]))
        found = normalised(self.block(node)[np.maximum(buckets, 0)])
        found[buckets < 0] = 0.0
        return Behaviour(self.game.deck.hand_names, self.tree.labels(node), found)

    def mixed(self, public: Sequence[str], hand: int | str) -> dict[Action, float]:
        """Return the probabilities of one hand after a public history, the actions of the menu in order."""
        node, board = self._located(tuple(public))
        bucket = self._bucket(hand, board, int(self.tree.arrays.player[node]) if len(self.abstractions) > 1 else 0)
        weights = self.block(node)[bucket].tolist()
        total = 0.0
        for weight in weights:  # one by one, as kernels add: `sum` would round less
            total += weight
        shares = [weight / total for weight in weights] if total > 0 else [1 / len(weights)] * len(weights)
        return dict(zip(self.tree.labels(node), shares, strict=True))

    def sample(self, public: Sequence[str], hand: int | str, random: Random) -> Action:
        """Draw an action of one hand."""
        shares = self.mixed(public, hand)
        return random.choices(list(shares), list(shares.values()))[0]

    def reach(self, public: Sequence[str], seat: int) -> FloatArray:
        """Return the reach of each hand of a seat along a public history; 0 for hands that the board rules out."""
        found = np.ones(self.game.deck.hand_count)
        for before, action, actor in self._decisions(tuple(public)):
            if actor == seat:
                known = self.probabilities(before)
                found *= known.table[:, known.actions.index(action)]
        return np.where(self.game.deck.live_hands(public_cards(tuple(public))), found, 0.0)

    def ranges(self, public: Sequence[str]) -> FloatArray:
        """Return the reach of every seat, [seat, hand]."""
        return np.stack([self.reach(public, seat) for seat in range(self.players)])

    def player(self, seat: int) -> BlueprintPlayer:
        """Return a seat of it as a known player."""
        return BlueprintPlayer(self, seat)

    def decision_after(self, public: tuple[str, ...]) -> int:
        """Return the node of the decision after a public history; refuse histories with bets that it lacks."""
        return self._located(public)[0]

    def buckets_after(self, public: tuple[str, ...], seat: int) -> NDArray[np.signedinteger]:
        """Return the bucket of every hand of a seat on the board of a public history, -1 for those that it blocks."""
        return self.board_row(tuple(public_cards(public)), seat)

    def board_row(self, board: tuple[Card, ...], seat: int) -> NDArray[np.signedinteger]:
        """Return the bucket of every hand of a seat on a board, -1 for those that it blocks."""
        return self._row(board, seat if len(self.abstractions) > 1 else 0)

    @cached_property
    def values(self) -> BlueprintValues | None:
        """What hands are worth if both seats play it; None if it is too large for that or has other seats."""
        from counterpoise.blueprint.values import BlueprintValues

        return BlueprintValues(self) if BlueprintValues.possible(self) else None

    def abstraction_of(self, seat: int) -> CardAbstraction:
        """Return the abstraction by which a seat sees its cards."""
        return self.abstractions[seat if len(self.abstractions) > 1 else 0]

    def _decisions(self, public: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Action, int]]:
        """Yield the history before every action, the action and who took it."""
        for place, event in enumerate(public):
            if isinstance(read_event(event), ActionEvent):
                before = public[:place]
                yield before, event, int(self.tree.arrays.player[self.tree.node_after(before)])

    def _bytes(self, levels: int = MOST_LEVELS) -> NDArray[np.uint8]:
        """Return the table in bytes."""
        table = np.zeros(self.layout.size, dtype=np.uint8)
        pack_rows(self.table, table_rows(self.tree, self.layout), float(levels), table)
        return table

    def _remade(self, table: Table, **note: Any) -> Blueprint:
        return Blueprint(self.game, self.abstractions, table, tree=self.tree, made=self.made | note)


def _locate(tree: BettingTree, public: tuple[str, ...]) -> tuple[int, tuple[int, ...]]:
    """Return the node of a decision and the board."""
    node: int = tree.node_after(public)
    require(bool(tree.decisions[node]), f"nobody is to act after {':'.join(public)}: the hand is over")
    board, due = tuple(public_cards(public)), tree.board_cards[tree.arrays.round[node]]
    require(len(board) == due, f"{due} public cards are due after {':'.join(public) or 'the deal'}, not {len(board)}")
    return node, board


def _find_bucket(
    abstractions: tuple[CardAbstraction, ...], hand: int | str, board: tuple[int, ...], number: int
) -> int:
    return abstractions[number].bucket(hand, board)


def _find_row(
    abstractions: tuple[CardAbstraction, ...], board: tuple[int, ...], number: int
) -> NDArray[np.signedinteger]:
    return abstractions[number].row(board)


@dataclass(frozen=True)
class BlueprintPlayer:
    """One seat of a blueprint, as `counterpoise.games.known.KnownPlayer` has it."""

    blueprint: Blueprint
    seat: int

    @property
    def hand_values(self) -> BlueprintValues | None:
        """What hands are worth if both seats play the blueprint, if that can be computed."""
        return self.blueprint.values

    def probabilities(self, public: tuple[str, ...]) -> Behaviour:
        """Return what the seat does after a public history, after which it is to act, with every hand."""
        actor = self.blueprint.tree.arrays.player[self.blueprint.decision_after(tuple(public))]
        require(actor == self.seat, f"seat {self.seat} is not to act after {':'.join(public) or 'the deal'}")
        return self.blueprint.probabilities(public)

    def play_on_boards(self, lines: tuple[Line, ...]) -> Callable[[tuple[int, ...]], BoardPlay]:
        """Return a function from the public cards to what the seat does in lines of one round."""
        from counterpoise.blueprint.on_boards import PlayOnBoards

        return PlayOnBoards(self.blueprint, self.seat, lines)


def layout_of(tree: BettingTree, abstractions: Sequence[CardAbstraction]) -> TableLayout:
    """Return the order of tables for a betting tree with an abstraction, or one for each seat; refuse one that
    is for other cards."""
    name = tree.game.name
    require(
        len(abstractions) in (1, tree.players),
        f"{name} needs one abstraction, or one for each of {tree.players} seats, not {len(abstractions)}",
    )
    for one in abstractions:
        require(
            one.deck == tree.game.deck,
            f"the abstraction is for a deck of {one.deck.size} cards, {name} is played with {tree.game.deck.size}",
        )
        known = BOARD_CARDS[: one.cards.streets]
        require(
            set(tree.board_cards) <= set(known),
            f"the abstraction knows boards of {', '.join(map(str, known))} cards, {name} has "
            f"{', '.join(map(str, tree.board_cards))}",
        )
    counts = [[one.buckets[BOARD_CARDS.index(cards)] for cards in tree.board_cards] for one in abstractions]
    if len(counts) == 1:
        counts *= tree.players
    return TableLayout.of(tree, counts)


def table_rows(tree: BettingTree, layout: TableLayout, first_round: int = 0) -> TableRows:
    """Return where the rows of all decisions are, from a round on."""
    chosen = np.flatnonzero(tree.decisions & (tree.arrays.round >= first_round))
    rows = layout.buckets[tree.arrays.player[chosen], tree.arrays.round[chosen]]
    folds = tree.action[tree.arrays.first_child[chosen]] == FOLD_ACTION  # the menu begins with a fold where it is legal
    return TableRows(layout.start[chosen], rows, tree.arrays.actions[chosen], folds.astype(np.uint16))


def normalised(weights: NDArray[Any]) -> FloatArray:
    """Return rows of weights as probabilities; rows of 0 become uniform."""
    found = weights.astype(np.float64)
    return proportional(found, found.sum(axis=1, keepdims=True), 1 / found.shape[1])

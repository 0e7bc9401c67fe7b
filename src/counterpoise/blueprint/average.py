"""A blueprint of players whose strategy is known, on decks small enough to deal every board.

A bucket plays the mean of its hands' strategies over all boards of the round, each hand weighted by its own reach of
the line; where no hand of the bucket reaches it, all count the same. With a bucket for every hand this is the players'
strategy itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.table import CardAbstraction
from counterpoise.blueprint.blueprint import Blueprint, layout_of
from counterpoise.cards.deck import format_cards
from counterpoise.errors import InputError
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import KnownPlayer
from counterpoise.parameters import require
from counterpoise.sampling.betting_tree import BettingTree, build_betting_tree

MOST_BOARDS = 100_000
"""The most deals of the public cards, round by round, for which players are averaged."""


class _Place(NamedTuple):
    """A public state: a node, the history that led there, and each seat's reach, [seat, hand]."""

    node: int
    public: tuple[str, ...]
    board: tuple[int, ...]
    reach: NDArray[np.float64]


def average_players(
    game: Holdem, abstraction: CardAbstraction | Sequence[CardAbstraction], players: Sequence[KnownPlayer]
) -> Blueprint:
    """Return the blueprint in which a bucket plays the mean of its hands' strategies.

    `players` has one known player for each seat, in the order of seats.
    """
    seats = [one.seat for one in players]
    require(seats == list(range(game.players)), f"players must be those of seats 0 to {game.players - 1}, not {seats}")
    _check_boards(game)
    tree = build_betting_tree(game)
    given = (abstraction,) if isinstance(abstraction, CardAbstraction) else tuple(abstraction)
    layout = layout_of(tree, given)
    reached, even = np.zeros(layout.size), np.zeros(layout.size)
    hands = game.deck.hand_count
    stack = [_Place(0, (), (), np.ones((game.players, hands)))]
    if game.board[0]:
        stack = list(_dealt(game, stack[0], tree.board_cards[0]))
    while stack:
        place = stack.pop()
        node, seat = place.node, int(tree.arrays.player[place.node])
        if not tree.decisions[node]:
            continue
        labels = tree.labels(node)
        known = players[seat].probabilities(place.public)
        table = np.zeros((hands, len(labels)))
        for column, action in enumerate(known.actions):
            if action not in labels:
                raise InputError(f"seat {seat} plays {action} after {':'.join(place.public)}, which is not on the menu")
            table[:, labels.index(action)] = known.table[:, column]
        buckets = given[seat if len(given) > 1 else 0].row(place.board)
        live = buckets >= 0
        for out, weight in ((reached, place.reach[seat]), (even, np.ones(hands))):
            np.add.at(layout.block(tree, node, out), buckets[live], (weight[:, None] * table)[live])
        stack += _after(game, tree, place, table)
    for node in np.flatnonzero(tree.decisions).tolist():
        own, plain = (layout.block(tree, node, out) for out in (reached, even))
        empty = own.sum(axis=1) == 0
        own[empty] = plain[empty]
        total = own.sum(axis=1, keepdims=True)
        np.divide(own, total, out=own, where=total > 0)
    return Blueprint(game, given, reached.astype(np.float32), tree=tree, made={"by": "averaging known players"})


def _after(game: Holdem, tree: BettingTree, place: _Place, table: NDArray[np.float64]) -> Iterator[_Place]:
    """Yield the public states that follow a decision."""
    seat = int(tree.arrays.player[place.node])
    for column, (child, action) in enumerate(zip(tree.children(place.node), tree.labels(place.node), strict=True)):
        reach = place.reach.copy()
        reach[seat] *= table[:, column]
        following = _Place(child, (*place.public, action), place.board, reach)
        if tree.decisions[child]:
            yield from _dealt(game, following, tree.board_cards[tree.arrays.round[child]])


def _dealt(game: Holdem, place: _Place, cards: int) -> Iterator[_Place]:
    """Yield a public state with every board of a number of cards, dealt round by round."""
    if len(place.board) == cards:
        yield place
        return
    counts, known = [], 0
    for count in game.board:
        known += count
        if len(place.board) < known <= cards and count:
            counts.append(count)
    left = [card for card in reversed(game.deck.cards.tolist()) if card not in place.board]
    for chosen in combinations(left, counts[0]):
        event = format_cards(chosen, separator="")
        yield from _dealt(game, place._replace(public=(*place.public, event), board=(*place.board, *chosen)), cards)


def _check_boards(game: Holdem) -> None:
    left, boards = game.deck.size, 1
    for count in game.board:
        boards *= comb(left, count)
        left -= count
    if boards > MOST_BOARDS:
        raise InputError(
            f"{game.name} has {boards:.2g} ways to deal the public cards, and players are averaged over at most "
            f"{MOST_BOARDS:,}: use a smaller deck (ranks=3) or fewer rounds (board=[0, 3])"
        )

"""A card abstraction of one-card poker: buckets of the second round.

Second-round infosets go by betting and bucket only: the buckets are groups of about equal size by the equity of card
and board against a random card of the opponent, equal equities in one bucket. They forget the private card (imperfect
recall).
"""

from __future__ import annotations

import numpy as np

from counterpoise.games.cards import top_ranks
from counterpoise.games.leduc import OneCardPoker
from counterpoise.search.alternatives import Groups
from counterpoise.tree import Tree


def equity_buckets(game: OneCardPoker, count: int) -> dict[tuple[str, str], int]:
    """Return the bucket of every (card, board), `count` of them with about equal shares of all deals.

    Equal equities go where the first of their deals goes.
    """
    ranks = list(top_ranks(game.ranks))
    pairs, equities, deals = [], [], []
    for card in ranks:
        for board in ranks:
            left = {rank: game.suits - (rank == card) - (rank == board) for rank in ranks}
            if left[card] < 0:
                continue
            mine = _strength(ranks, card, board)
            points = sum(
                copies * (1.0 if mine > _strength(ranks, rank, board) else 0.5 if rank == card else 0.0)
                for rank, copies in left.items()
            )
            pairs.append((card, board))
            equities.append(points / sum(left.values()))
            deals.append(float(game.suits * (game.suits - (card == board))))
    _, atom = np.unique(np.round(equities, 9), return_inverse=True)
    shares = np.bincount(atom, deals) / sum(deals)
    parts = np.floor((np.cumsum(shares) - shares) * count + 1e-9).astype(np.int64)[atom]
    return dict(zip(pairs, parts.tolist(), strict=True))


def bucket_groups(tree: Tree, game: OneCardPoker, count: int) -> Groups:
    """Return the group of every infoset: second-round infosets of a seat with the same betting and bucket are one."""
    buckets = equity_buckets(game, count)
    numbers: dict[tuple[object, ...], int] = {}
    groups = np.zeros(tree.infosets, dtype=np.int64)
    for infoset, (player, label) in enumerate(tree.table):
        card, _, betting = label.partition(":")
        first, _, second = betting.partition("/")
        board, _, later = second.partition(":")
        key = (player, label) if not board else (player, first, later, buckets[card, board])
        groups[infoset] = numbers.setdefault(key, len(numbers))
    return groups


def _strength(ranks: list[str], card: str, board: str) -> int:
    return len(ranks) if card == board else ranks.index(card)

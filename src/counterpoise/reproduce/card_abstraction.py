"""Blueprints in a card abstraction of one-card poker: buckets of the second round, and CFR+ that plays them alike.

Second-round infosets go by betting and bucket only: the buckets are groups of about equal size by the equity of card
and board against a random card of the opponent, equal equities in one bucket. They forget the private card (imperfect
recall).
"""

from __future__ import annotations

import numpy as np

from counterpoise.games.cards import top_ranks
from counterpoise.games.leduc import OneCardPoker
from counterpoise.search.alternatives import Groups
from counterpoise.tree import Strategy, Tree
from counterpoise.tree.kernels.layouts import FloatArray
from counterpoise.tree.kernels.sequence_form import counterfactual_values, gradient, realisation_weights


def equity_buckets(game: OneCardPoker, count: int) -> dict[tuple[str, str], int]:
    """The bucket of every (card, board), `count` of them with about equal shares of all deals.

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
    """Per infoset the number of its group: second-round infosets of a seat with the same betting and bucket are one."""
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


def solve_alike(tree: Tree, groups: Groups, iterations: int) -> Strategy:
    """CFR+ with alternating updates and linear averaging in which the infosets of a group share regrets and average.

    Members weigh in the group's average by chance times the player's own reach. Iteration t adds t times the strategy
    that was played in it, so that the even strategy of the first one leaves no infoset without an average.
    """
    form, table = tree.form, tree.table
    sizes = np.array([len(actions) for actions in table.actions])
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    slots = np.cumsum(sizes[first]) - sizes[first]  # where the shared actions of a group begin
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    places, shared = np.repeat(table.start, sizes) + within, np.repeat(slots[group], sizes) + within
    owner = np.repeat(table.owner.astype(np.int64), sizes)
    regrets, average = np.zeros(sizes[first].sum()), np.zeros(sizes[first].sum())
    chance = np.repeat(tree.infoset_reach(np.ones(table.size)), sizes)
    profile, reach, values = np.ones(table.size), np.zeros(table.size), np.zeros(table.size)
    infoset_values = np.zeros(tree.infosets)

    def matched(weights: FloatArray) -> FloatArray:
        totals = np.repeat(np.add.reduceat(weights, slots), sizes[first])
        even = 1 / np.repeat(sizes[first], sizes[first])
        return np.asarray(np.where(totals > 0, weights / np.where(totals > 0, totals, 1), even)[shared])

    profile[places] = matched(regrets)
    for seat in range(2):
        realisation_weights(form, seat, profile, reach)
    for t in range(1, iterations + 1):
        for seat in range(2):
            gradient(form, seat, reach, values)
            counterfactual_values(form, seat, profile, values, infoset_values)
            own = owner == seat
            average += t * np.bincount(shared[own], chance[own] * reach[places[own]], len(average))
            gains = values[places[own]] - np.repeat(infoset_values, sizes)[own]
            regrets = np.maximum(regrets + np.bincount(shared[own], gains, len(regrets)), 0.0)
            profile[places[own]] = matched(regrets)[own]
            realisation_weights(form, seat, profile, reach)
    profile[places] = matched(average)
    return Strategy(tree.name, table, profile)


def _strength(ranks: list[str], card: str, board: str) -> int:
    return len(ranks) if card == board else ranks.index(card)

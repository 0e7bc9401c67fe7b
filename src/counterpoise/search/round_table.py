"""The first betting round as a public game that stops where the flop is due (Brown et al. 2018, appendix A).

The round is small: one board, no cards to come, and hands that differ only by their suits are played alike. A
`RoundTable` has the value of what follows: for each end of the round in a blueprint's betting tree, and for each pair
of continuations that the seats may pick there, the mean value of each pair of classes of hands
(`sampling.leaf_values.hand_classes`).

Ends of the round that the blueprint lacks, after bets of other sizes, are worth what similar ones are, as a share of
the pot: the same actions with the nearest bets of the blueprint, or the mean over both neighbours of a bet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BetAction
from counterpoise.betting.sizes import BetSizes, label, read_label
from counterpoise.cards import Range
from counterpoise.errors import InputError
from counterpoise.games.holdem import GameMenu, Holdem
from counterpoise.proportions import proportional
from counterpoise.public import (
    Cut,
    HoldemGame,
    HoldemRules,
    LeafBatch,
    LeafEvaluator,
    Profile,
    PublicGame,
    PublicNode,
    build_holdem,
)
from counterpoise.public.leaves import LeafMatrix, Picks, linear_values
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.tables import NodeStrategy
from counterpoise.search.blueprint_nodes import BlueprintNode, begin, catch_up, neighbours
from counterpoise.search.leaves import SimilarLeaves, Values, groups_at, met_groups, pot_of

Similarity = Literal["average", "nearest"]
MOST_SIMILAR = 8
"""The largest number of ends of the blueprint's round over which the value of an unknown one is averaged."""


def first_round(game: Holdem, sizes: BetSizes, choices: tuple[int, int] = (1, 1)) -> HoldemRules:
    """Return the rules of the first betting round of a game from its beginning."""
    everything = Range(np.ones(game.deck.hand_count), game.deck)
    return HoldemRules(
        (),
        (everything, everything),
        game.betting,
        sizes,
        game.deck,
        game.board[1:],
        cut=Cut(choices=choices, runouts=True),
        name=f"the first round of {game.name}",
    )


@dataclass(frozen=True, eq=False)
class RoundTable:
    """What the ends of the first round of a blueprint's betting tree are worth: a leaf evaluator (see the module)."""

    tree: BettingTree
    means: Mapping[Picks, NDArray[np.float32]]
    """By the continuations that the seats pick, [end of the round, class of seat 0, class of seat 1]: chips that seat
    0 wins."""
    counts: tuple[int, int] = field(default=(1, 1))
    """The number of continuations each seat chooses from."""

    def __post_init__(self) -> None:
        if self.tree.game.board[0] != 0 or len(self.tree.game.board) < 2:
            raise InputError(f"{self.tree.game.name} has no betting round before the first public cards")

    @cached_property
    def round_game(self) -> HoldemGame:
        """The first round with the blueprint's bets."""
        return build_holdem(first_round(self.tree.game, GameMenu(home=self.tree.game)))

    def picked_by(self, seat: int, count: int | None = None) -> RoundTable:
        """Return the table in which one seat alone picks, among the first `count` of its continuations or all."""
        known = 1 + max(picks[seat] for picks in self.means)
        if count is not None and not 1 <= count <= known:
            raise InputError(f"the table has {known} continuations of seat {seat}, not {count!r}")
        chosen = known if count is None else count
        return self._counted((chosen, 1) if seat == 0 else (1, chosen))

    def picked_by_both(self) -> RoundTable:
        """Return the table in which both seats pick among all continuations."""
        first, second = (1 + max(picks[seat] for picks in self.means) for seat in range(2))
        if len(self.means) < first * second:
            raise InputError("the table has no values for two seats that both pick: make it so")
        return self._counted((first, second))

    def _counted(self, counts: tuple[int, int]) -> RoundTable:
        found = RoundTable(self.tree, self.means, counts)
        found.__dict__.update({name: getattr(self, name) for name in ("round_game", "_numbers", "_known_groups")})
        return found

    def values(self, batch: LeafBatch) -> Values:
        """Return the values of all leaves for the ranges of a batch."""
        return linear_values(self.matrices(batch.game, batch.leaves, batch.picks), batch)

    def matrices(self, game: PublicGame, leaves: Sequence[PublicNode], picks: Sequence[Picks]) -> list[LeafMatrix]:
        """Return the matrix of each leaf of the blueprint's first round for the continuations picked there."""
        groups, met = self._known_groups
        found = []
        for leaf, picked in zip(leaves, picks, strict=True):
            won = self.means[picked][self._numbers[leaf.steps]].astype(np.float64)
            found.append(LeafMatrix(groups, (won * met[0], -won.T * met[1])))
        return found

    @cached_property
    def _numbers(self) -> dict[tuple[BetAction, ...], int]:
        ends = self.tree.round_exits(0).tolist()
        return {tuple(map(read_label, self.tree.line(node))): number for number, node in enumerate(ends)}

    @cached_property
    def _known_groups(self) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], Values]:
        groups = groups_at(self.round_game.root)
        return groups, met_groups(self.round_game.root, groups)


def leaves_after(
    leaves: LeafEvaluator, table: RoundTable, game: Holdem, public: tuple[str, ...], similar: Similarity = "average"
) -> SimilarLeaves:
    """Return an evaluator for the first round from a public history on, made from one for the blueprint's first
    round."""
    before = tuple(map(read_label, public))

    @cache
    def ends(steps: tuple[BetAction, ...]) -> list[PublicNode]:
        return similar_ends(table, game, (*before, *steps), similar)

    return SimilarLeaves(leaves, lambda leaf: ends(leaf.steps), pot_of)


def similar_ends(
    table: RoundTable, game: Holdem, actions: tuple[BetAction, ...], similar: Similarity = "average"
) -> list[PublicNode]:
    """Return the ends of the blueprint's first round that stand for the one after real actions."""
    tree = table.tree
    places, real = [begin(tree)], game.betting_after(())
    for action in actions:
        found = [after for at in places for after in _first(neighbours(tree, at, game, real, action), similar)]
        places = list({at.node: at for at in found}.values())[:MOST_SIMILAR]
        real = game.betting.apply(real, action)
    ends = dict.fromkeys(catch_up(tree, at, 1).node for at in places)
    return [table.round_game.find([read_label(action) for action in tree.line(node)]) for node in ends]


def round_profile(table: RoundTable, strategy: NodeStrategy) -> Profile:
    """Return a blueprint's strategies in the first round as a profile of `table.round_game`."""
    found = Profile(table.round_game)
    for node in table.round_game.root.decisions_below():
        block = strategy.layout.block(table.tree, table.tree.node_after(tuple(map(label, node.steps))), strategy.table)
        rows = block[_buckets(strategy, node.player)].astype(np.float64)
        shares = proportional(rows, rows.sum(axis=1, keepdims=True), 1 / rows.shape[1])
        node.set_strategy(found, table.round_game.gather_from_deck(node.player, shares.T))
    return found


def write_round(table: RoundTable, profile: Profile, seat: int, strategy: NodeStrategy) -> NDArray[np.float32]:
    """Return a table of the blueprint's tree in which a seat plays the first round according to a profile.

    A bucket plays the unweighted mean of its hands' strategies.
    """
    found = strategy.table.astype(np.float32)
    buckets = _buckets(strategy, seat)
    for node in profile.game.root.decisions_below():
        if node.player == seat and not node.decision.choice:
            at = table.tree.node_after(tuple(map(label, node.steps)))
            rows = table.round_game.scatter_to_deck(seat, node.strategy(profile)).T
            block = strategy.layout.block(table.tree, at, found)
            block[:] = 0.0
            np.add.at(block, buckets, rows)
    return found


def _buckets(strategy: NodeStrategy, seat: int) -> NDArray[np.int64]:
    own = strategy.abstractions[seat if len(strategy.abstractions) > 1 else 0]
    return np.asarray(own.row(()), dtype=np.int64)


def _first(places: list[BlueprintNode], similar: Similarity) -> list[BlueprintNode]:
    return places if similar == "average" else places[:1]

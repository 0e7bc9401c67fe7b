"""A leaf evaluator for the end of the second or third betting round, by dealt boards.

See Brown et al. 2018, section 4.

Leaves are computed once, before the search, for each pair of hands and each pair of continuations of a blueprint
(`sampling.leaf_values.hands`), so that the search itself traverses all hands at once and samples nothing. With 24 cards
that is far less noisy than roll-outs in each visit of a leaf for the same work; with 52 cards there are too many pairs
of hands.

Leaves that the blueprint lacks, after bets of other sizes, are worth what similar ones are, as a share of the pot
(Brown 2020, section 5.2.3).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterpoise.betting.rules import BetAction
from counterpoise.errors import InputError
from counterpoise.games.holdem import Holdem
from counterpoise.public import HoldemGame, LeafBatch, PublicGame, PublicNode
from counterpoise.public.leaves import LeafMatrix, Picks, linear_values
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.leaf_values.ends import EndsBelow, FloatRow
from counterpoise.sampling.leaf_values.hands import HandValues
from counterpoise.sampling.tables import TableLayout
from counterpoise.search.blueprint_nodes import BlueprintNode, blueprint_node_after, catch_up, neighbours
from counterpoise.search.leaves import Values, pot_of
from counterpoise.search.round_table import MOST_SIMILAR, Similarity

Tables = tuple[Sequence[FloatRow], Sequence[FloatRow]]
"""The continuations of each seat, probabilities of actions (`action_probabilities`), the blueprint's first."""


class BoardValues:
    """Values at nodes of a blueprint's betting tree on one board, computed when they are first asked for."""

    def __init__(self, tree: BettingTree, layout: TableLayout, tables: Tables, values: HandValues) -> None:
        self.tree, self.layout, self.tables, self.values = tree, layout, tables, values
        self._known: dict[tuple[int, Picks], FloatRow] = {}

    def at(self, nodes: Sequence[int], picks: Sequence[Picks]) -> dict[tuple[int, Picks], FloatRow]:
        """Return what seat 0 wins with each pair of hands of the deck, by node and continuations picked there."""
        missing = [node for node in dict.fromkeys(nodes) if any((node, pair) not in self._known for pair in picks)]
        if missing:
            below, due = EndsBelow(self.tree, self.layout, missing), list(dict.fromkeys(picks))
            means = self.values.run(below, [(self.tables[0][first], self.tables[1][second]) for first, second in due])
            for number, pair in enumerate(due):
                for place, node in enumerate(below.leaves):
                    self._known[node, pair] = means[number, place]
        return self._known


class DealtLeaves:
    """The leaves of a search that begins after a public history and ends with the betting round, as values.

    One seat or both choose a continuation there: `counts` are the numbers of continuations each seat chooses from. The
    game of the search must tell all hands apart (`HoldemRules.isomorphism` switched off).
    """

    def __init__(
        self,
        values: BoardValues,
        game: Holdem,
        public: tuple[str, ...],
        counts: tuple[int, int],
        similar: Similarity = "average",
    ) -> None:
        self.board_values, self.game, self.public, self.counts, self.similar = values, game, public, counts, similar
        self._start = blueprint_node_after(values.tree, game, public)
        self._round = game.betting_after(public).round

    def values(self, batch: LeafBatch) -> Values:
        """Return the values of all leaves for the ranges of a batch."""
        return linear_values(self.matrices(batch.game, batch.leaves, batch.picks), batch)

    def matrices(self, game: PublicGame, leaves: Sequence[PublicNode], picks: Sequence[Picks]) -> list[LeafMatrix]:
        """Return the matrix of each leaf for the continuations picked there."""
        if not isinstance(game, HoldemGame) or game.rules.isomorphism:
            raise InputError(f"{game.name} does not tell all hands apart: build it without isomorphism")
        nodes = {leaf.steps: self._nodes(leaf.steps) for leaf in leaves}
        known = self.board_values.at([node for own in nodes.values() for node, _ in own], picks)
        groups = np.arange(game.hand_counts[0]), np.arange(game.hand_counts[1])
        pairs = np.ix_(*game.hand_numbers)
        found = []
        for leaf, picked in zip(leaves, picks, strict=True):
            own = nodes[leaf.steps]
            shares = [known[node, picked][pairs] * (pot_of(leaf) / (pot * len(own))) for node, pot in own]
            won = np.where(game.pairs_apart, np.sum(shares, axis=0), 0.0)
            found.append(LeafMatrix(groups, (won, -won.T)))
        return found

    def _nodes(self, actions: tuple[BetAction, ...]) -> list[tuple[int, float]]:
        """Return the nodes of the blueprint's tree that stand for the leaf after real actions, and their pots."""
        tree, real = self.board_values.tree, self.game.betting_after(self.public)
        places = [self._start]
        for action in actions:
            found = [after for at in places for after in self._first(neighbours(tree, at, self.game, real, action))]
            places = list({at.node: at for at in found}.values())[:MOST_SIMILAR]
            real = self.game.betting.apply(real, action)
        ends = {at.node: at for at in (catch_up(tree, at, self._round + 1) for at in places)}
        return [(node, float(tree.game.betting.total_pot(at.state))) for node, at in ends.items()]

    def _first(self, places: list[BlueprintNode]) -> list[BlueprintNode]:
        return places if self.similar == "average" else places[:1]

"""Modicum's values of the ends of the second round, where all pairs of hands can be valued beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import comb, prod

from counterpoise.blueprint import Blueprint
from counterpoise.games.known import public_cards
from counterpoise.games.moves import CALL, FOLD, RAISE
from counterpoise.sampling.leaf_values.ends import FloatRow, action_probabilities, ends_after, next_rounds_after
from counterpoise.sampling.leaf_values.hands import HandValues
from counterpoise.sampling.lookup import board_lookup
from counterpoise.sampling.tables import biased_table
from counterpoise.search.blueprint_nodes import blueprint_node_after
from counterpoise.search.dealt_leaves import BoardValues, DealtLeaves
from counterpoise.search.public_belief import PublicBelief
from counterpoise.search.round_table import Similarity

SUMMED, COMPARED = 90, 45
"""The cost of adding a board's values of one leaf, and of comparing hands on a board, in products of reach."""
SEVERAL = 4
"""Continuations of the bias approach: the blueprint, and with folds, calls or raises more likely."""


class FlopLeaves:
    """Leaf values of a blueprint and its biased forms, or of the blueprint alone; those of the last board are kept."""

    def __init__(self, blueprint: Blueprint, factor: float, several: bool, seed: int) -> None:
        self.blueprint, self.factor, self.several, self.seed = blueprint, factor, several, seed
        self._last: tuple[tuple[int, ...], BoardValues] | None = None
        ends_after(blueprint.tree, 0)  # counts once what every decision asks for

    @property
    def count(self) -> int:
        """The number of continuations to choose from."""
        return SEVERAL if self.several else 1

    def boards(self, belief: PublicBelief, counts: tuple[int, int], products: float, limits: Sequence[int]) -> int:
        """Return the number of boards on which a budget of products values leaves, within limits.

        A single value for each leaf gets as many boards as several, so that the two differ in nothing else.
        """
        least, most = limits
        return int(min(max(self._boards_paid(belief, counts, products), least), most))

    def affordable(self, belief: PublicBelief, products: float, least: int) -> bool:
        """Return whether a budget of products values several continuations on the least number of boards."""
        return self._boards_paid(belief, (1, 1), products) >= least

    def _boards_paid(self, belief: PublicBelief, counts: tuple[int, int], products: float) -> float:
        """Return the number of boards that a budget pays for; below 0 if it does not even pay for comparing hands."""
        tree = self.blueprint.tree
        node, deck = blueprint_node_after(tree, belief.game, belief.public).node, belief.game.deck.size
        known, last = len(public_cards(belief.public)), tree.board_cards[-1]
        pairs = comb(deck - last, 2) ** 2
        each = ends_after(tree, node) + SUMMED * next_rounds_after(tree, node)
        compared = COMPARED * comb(deck - known, last - known)
        return (products / pairs - compared) / max(each * max(prod(counts), SEVERAL), 1)

    def after(self, belief: PublicBelief, counts: tuple[int, int], boards: int, similar: Similarity) -> DealtLeaves:
        """Return the leaves of a search that begins at a belief, reusing values computed on the same number of
        boards."""
        board, known = tuple(public_cards(belief.public)), self.blueprint
        last = self._last
        if last is None or last[0] != board or boards != last[1].values.boards:
            cards = board_lookup(known.tree, known.abstractions, board)
            values = HandValues(known.tree, cards, board, boards, seed=self.seed)
            last = board, BoardValues(known.tree, known.layout, (self._tables, self._tables), values)
            self._last = last
        return DealtLeaves(last[1], belief.game, belief.public, counts, similar)

    @cached_property
    def _tables(self) -> list[FloatRow]:
        """The blueprint and its biased forms, as probabilities of actions."""
        tree, layout, table = self.blueprint.tree, self.blueprint.layout, self.blueprint.table
        kinds = (FOLD, CALL, RAISE) if self.several else ()
        more = [biased_table(tree, layout, table, kind, self.factor) for kind in kinds]
        return [action_probabilities(tree, layout, one) for one in (table, *more)]

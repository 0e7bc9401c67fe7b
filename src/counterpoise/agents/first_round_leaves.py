"""Modicum's values of the ends of the first round: a table of a blueprint's continuations, for one seat's search."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from counterpoise.agents.leaf_values import biased_leaf_values, read_leaf_values, strategy_of
from counterpoise.sampling.leaf_values.hand_classes import pairs_work
from counterpoise.search.leaves import penalised, pot_of, weakened
from counterpoise.search.round_continuations import RoundSettings
from counterpoise.search.round_table import leaves_after, round_profile

if TYPE_CHECKING:
    from counterpoise.agents.modicum import ModicumSearch
    from counterpoise.blueprint.blueprint import Blueprint
    from counterpoise.public import LeafEvaluator
    from counterpoise.search.public_belief import PublicBelief
    from counterpoise.search.round_table import RoundTable


class FirstRoundLeaves:
    """Values after the first round of a blueprint kept in `file`, several for each leaf or a single one."""

    def __init__(self, blueprint: Blueprint, file: str, search: ModicumSearch, several: bool, seed: int) -> None:
        self.blueprint, self.file, self.search, self.several, self.seed = blueprint, file, search, several, seed
        self._of_seat: dict[int, LeafEvaluator] = {}

    @cached_property
    def table(self) -> RoundTable:
        """The values of all continuations: from the file beside the blueprint, or of four biased ones."""
        found = read_leaf_values(self.file, self.blueprint)
        return found or biased_leaf_values(self.blueprint, self._table_settings())

    def after(self, belief: PublicBelief, seat: int) -> LeafEvaluator:
        """Return the leaves of a search by a seat that begins at a belief."""
        own = self.search
        if seat not in self._of_seat:
            self._of_seat[seat] = self._chosen(1 - seat)
        found: LeafEvaluator = leaves_after(self._of_seat[seat], self.table, belief.game, belief.public, own.similar)
        return penalised(found, 1 - seat, own.penalty, pot_of) if own.penalty else found

    def _chosen(self, opponent: int) -> LeafEvaluator:
        """Return the leaves at which the opponent picks among continuations, or both seats do, or neither."""
        own, table = self.search, self.table
        if not self.several:
            return table
        chosen: LeafEvaluator = table.picked_by_both() if own.both else table.picked_by(opponent)
        profile = round_profile(table, strategy_of(self.blueprint)) if own.weaken else None
        return chosen if profile is None else weakened(chosen, opponent, profile)

    def _table_settings(self) -> RoundSettings:
        own, count = self.search, 4 if self.several else 1
        pairs = count**2 if own.both else 2 * count - 1
        least, most = own.table_boards
        boards = int(min(max(own.table_work / (pairs * pairs_work(self.blueprint.tree)), least), most))
        return RoundSettings(
            approach="bias", count=count, factor=own.factor, boards=boards, both=own.both, seed=self.seed
        )

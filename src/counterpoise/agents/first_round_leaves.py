"""Modicum's values of the ends of the first round: a table of a blueprint's continuations, for one seat's search."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from counterpoise.agents.flop_leaves import SEVERAL
from counterpoise.agents.leaf_values import cached_leaf_values, read_leaf_values, strategy_of
from counterpoise.sampling.leaf_values.hand_classes import pairs_work
from counterpoise.search.leaves import penalised, pot_of, weakened
from counterpoise.search.round_continuations import RoundSettings
from counterpoise.search.round_table import leaves_after, round_profile

if TYPE_CHECKING:
    from counterpoise.agents.modicum import Modicum
    from counterpoise.public import LeafEvaluator
    from counterpoise.search.public_belief import PublicBelief
    from counterpoise.search.round_table import RoundTable


class FirstRoundLeaves:
    """Values after the first round of a blueprint kept in `file`, several for each leaf or a single one."""

    def __init__(self, agent: Modicum) -> None:
        self.blueprint, self.file, self.search, self.seed = agent.blueprint, agent.file, agent.search, agent.seed
        self.several, self.fast = agent.values == "multi", agent.fast
        self._of_seat: dict[int, LeafEvaluator] = {}

    @cached_property
    def table(self) -> RoundTable:
        """The values of all continuations: from the file beside the blueprint, or made for it and cached."""
        found = read_leaf_values(self.file, self.blueprint)
        return found or cached_leaf_values(self.blueprint, self._table_settings())

    def after(self, belief: PublicBelief, seat: int) -> LeafEvaluator:
        """Return the leaves of a search by a seat that begins at a belief."""
        own = self.search
        if seat not in self._of_seat:
            self._of_seat[seat] = self._chosen(1 - seat)
        found: LeafEvaluator = leaves_after(self._of_seat[seat], self.table, belief.game, belief.public, own.similar)
        return penalised(found, 1 - seat, own.penalty, pot_of) if own.penalty and not own.weaken else found

    def _chosen(self, opponent: int) -> LeafEvaluator:
        """Return the leaves at which the opponent picks among continuations, or both seats do, or neither."""
        own, table = self.search, self.table
        if not self.several:
            return table
        chosen: LeafEvaluator = table.picked_by_both() if own.both else table.picked_by(opponent)
        profile = round_profile(table, strategy_of(self.blueprint)) if own.weaken else None
        return chosen if profile is None else weakened(chosen, opponent, profile)

    def _table_settings(self) -> RoundSettings:
        """Return how values are made: of generated continuations, or with `fast` of four biased ones."""
        own, count = self.search, 1
        generated = self.several and not self.fast
        if self.several:
            count = own.values_after_first if generated else SEVERAL
        tree = self.blueprint.tree
        pairs = count**2 if own.both else 2 * count - 1
        answers = max(2 * (count - 1), 1) * tree.nodes * tree.game.deck.hand_count
        return RoundSettings(
            approach="self" if generated else "bias",
            count=count,
            factor=own.factor,
            boards=_affordable(own.table_work, pairs * pairs_work(tree), own.table_boards),
            responses=_affordable(own.answer_work, answers, own.answer_boards),
            both=own.both,
            seed=self.seed,
        )


def _affordable(work: float, each: float, limits: Sequence[int]) -> int:
    """Return the number of boards that work pays for, within limits."""
    least, most = limits
    return int(min(max(work / each, least), most))

"""Continuations after the first betting round of whole hold'em, as tables of a blueprint's game, and their values.

- The bias approach: the blueprint, and the blueprint with more folds, calls or raises.
- The self-generative approach (Brown et al. 2018, section 4), for each searcher:

  1. The set of the opponent's continuations begins with the blueprint.
  2. The first round is solved with the set at its ends.
  3. An answer of the opponent to [what was found in the first round, the searcher's blueprint after it] is learned:
     regret matching by dealt boards against that fixed strategy, in the blueprint's buckets, approaches a best one.
  4. It joins the set, and so on until the set is large enough.

Values at the ends of the round are always those against the searcher's blueprint, although it will search
again there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from counterpoise.games.holdem import GameMenu
from counterpoise.games.moves import CALL, FOLD, RAISE
from counterpoise.jobs import LinearBlocks
from counterpoise.parameters import require_choice, require_number, require_whole
from counterpoise.progress import CancelToken, Progress, SilentProgress
from counterpoise.public import build_holdem
from counterpoise.public.leaves import Picks
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.kernels.dealing import CardArrays
from counterpoise.sampling.leaf_values.ends import Table
from counterpoise.sampling.leaf_values.hand_classes import ClassPairValues
from counterpoise.sampling.lookup import bucket_lookup
from counterpoise.sampling.tables import NodeStrategy, TableLayout, biased_table
from counterpoise.sampling.vectors import VectorSampling
from counterpoise.search.round_table import RoundTable, first_round, leaves_after, write_round
from counterpoise.search.search import search_subgame
from counterpoise.search.subgame import Subgame

FloatRow = NDArray[np.float32]
Approach = Literal["self", "bias"]
APPROACHES = ("self", "bias")
BLOCKS = 20
"""Steps of linear discount while an answer is learned."""


@dataclass(frozen=True, kw_only=True)
class RoundSettings:
    """How the table of values after the first round is made."""

    approach: Approach = "self"
    """Self-generated continuations, or biased ones."""
    count: int = 10
    """Continuations of each seat, the blueprint included; the bias approach has four at most."""
    factor: float = 10.0
    """By how much the bias approach multiplies the probability of a kind of action."""
    boards: int = 2000
    """Dealt boards over which values are means."""
    per_class: int = 1
    """Hands of each class that are drawn on each board."""
    responses: int = 1000
    """Dealt boards from which an answer of the opponent is learned."""
    iterations: int = 300
    """Iterations of the first round while continuations are generated."""
    both: bool = False
    """Whether values are made for every pair of continuations, so that both seats may pick (Brown 2020, section 5.2).
    """
    seed: int = 0

    def __post_init__(self) -> None:
        require_choice("approach", self.approach, APPROACHES)
        require_whole("count", self.count, 1, 4 if self.approach == "bias" else 100)
        require_number("factor", self.factor, low=0, high=10**6)
        for name in ("boards", "per_class", "responses", "iterations"):
            require_whole(name, getattr(self, name))
        require_whole("seed", self.seed, 0)


def make_round_table(
    tree: BettingTree,
    strategy: NodeStrategy,
    settings: RoundSettings | None = None,
    *,
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
) -> RoundTable:
    """Return the values of the ends of a blueprint's first round, for each pair of continuations."""
    return _Maker(tree, strategy, settings or RoundSettings(), progress or SilentProgress(), cancel).make()


class _Maker:
    """Makes continuations of both seats and their values."""

    def __init__(
        self,
        tree: BettingTree,
        strategy: NodeStrategy,
        settings: RoundSettings,
        progress: Progress,
        cancel: CancelToken | None,
    ) -> None:
        self.tree, self.strategy, self.settings = tree, strategy, settings
        self.progress, self.cancel = progress, cancel
        self.cards: CardArrays = bucket_lookup(tree, strategy.abstractions)
        self.pairs = ClassPairValues(tree, strategy.layout, self.cards, seed=settings.seed)
        blueprint = strategy.table
        self.own: tuple[list[Table], list[Table]] = ([blueprint], [blueprint])
        self.means: dict[Picks, FloatRow] = {}

    def make(self) -> RoundTable:
        """Return the table."""
        if self.settings.approach == "bias":
            kinds = (FOLD, CALL, RAISE)[: self.settings.count - 1]
            more = [self._biased(kind) for kind in kinds]
            self.own = ([*self.own[0], *more], [*self.own[1], *more])
            self._value(
                [(0, 0), *((k, 0) for k in range(1, len(self.own[0]))), *((0, k) for k in range(1, len(self.own[1])))]
            )
        else:
            self._value([(0, 0)])
            for seat in range(2):
                self._generate(seat)
        if self.settings.both:
            first, second = (len(own) for own in self.own)
            self._value([(j, k) for j in range(1, first) for k in range(1, second)])
        return RoundTable(self.tree, self.means)

    def _generate(self, seat: int) -> None:
        """Add answers of one seat, the opponent of the searcher."""
        while len(self.own[seat]) < self.settings.count and not (self.cancel is not None and self.cancel.cancelled):
            self.own[seat].append(self._respond(seat))
            number = len(self.own[seat]) - 1
            self._value([(number, 0) if seat == 0 else (0, number)])

    def _value(self, picks: Sequence[Picks]) -> None:
        """Compute the values of some pairs of continuations."""
        self.progress.show(None, f"values of {len(self.means) + len(picks)} pairs of continuations")
        tables = [(self.own[0][j], self.own[1][k]) for j, k in picks]
        known = self.pairs.run(tables, self.settings.boards, self.settings.per_class, cancel=self.cancel)
        self.means |= dict(zip(picks, known, strict=True))

    def _biased(self, kind: int) -> FloatRow:
        return biased_table(self.tree, self.strategy.layout, self.strategy.table, kind, self.settings.factor)

    def _respond(self, seat: int) -> FloatRow:
        """Return an answer of a seat to what the other finds in the first round with the set so far."""
        searcher, settings = 1 - seat, self.settings
        table = RoundTable(self.tree, self.means).picked_by(seat)
        game = build_holdem(first_round(self.tree.game, GameMenu(home=self.tree.game), table.counts))
        leaves = leaves_after(table, table, self.tree.game, ())
        subgame = Subgame(game, searcher, (), game.least_met, leaves).checked()
        algorithm = f"modicum-cfr+(total={settings.iterations})"
        found = search_subgame(subgame, "unsafe", algorithm=algorithm, iterations=settings.iterations)
        target = write_round(table, found.average, searcher, self.strategy)
        return self._learn(seat, target)

    def _learn(self, seat: int, target: FloatRow) -> FloatRow:
        """Return an approximate best response of a seat to a table; where it never arrives it plays the blueprint."""
        layout, settings = self.strategy.layout, self.settings
        owner = np.zeros(layout.size, dtype=np.bool_)
        for node in np.flatnonzero(self.tree.decisions & (self.tree.arrays.player == seat)).tolist():
            layout.block(self.tree, node, owner)[:] = True
        walks = VectorSampling(self.tree, layout, self.cards, seed=settings.seed + len(self.own[seat]))
        # Regret matching plays in proportion to positive regrets, so the target's weights stand where its regrets do.
        walks.put(np.where(owner, 0.0, target))
        steps = min(BLOCKS, settings.responses)
        blocks = LinearBlocks(-(-settings.responses // steps))
        for _ in range(steps):
            walks.run(blocks.size, (seat,))
            walks.discount(blocks.factor_at(walks.iteration))
        # Against a fixed strategy the last iterate is the answer: the average would remember its beginnings.
        learned = np.maximum(walks.regrets(), 0.0)
        return np.where(owner, _or_blueprint(self.tree, layout, learned, self.strategy.table), target)


def _or_blueprint(tree: BettingTree, layout: TableLayout, learned: FloatRow, blueprint: Table) -> FloatRow:
    """Return learned weights, and those of the blueprint in rows that have none."""
    found = learned.copy()
    for node in np.flatnonzero(tree.decisions).tolist():
        block = layout.block(tree, node, found)
        empty = ~block.any(axis=1)
        block[empty] = layout.block(tree, node, blueprint)[empty]
    return found

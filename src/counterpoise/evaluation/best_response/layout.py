"""The betting of limit hold'em as kernels read it: the lines of a round side by side, those of one shape together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.evaluation.best_response.betting import LimitBetting
from counterpoise.evaluation.best_response.kernels.lanes import LANES, zeros
from counterpoise.evaluation.best_response.kernels.rounds import BettingShape, Floats
from counterpoise.evaluation.best_response.steps import StepBuilder, is_fold
from counterpoise.games.known import BoardPlay, Line
from counterpoise.public.street_trees import Leaf, StreetTree

SMALLEST_PROBABILITY = 1e-12
"""Less is none: a product of three of them and the smallest reach is no denormal number of float32."""


@dataclass(frozen=True)
class RoundShape:
    """Street trees of a round that differ only in payoffs, from block `first_block` on."""

    trees: tuple[int, ...]
    first_block: int

    @property
    def blocks(self) -> int:
        """The number of blocks of lines."""
        return -(-len(self.trees) // LANES)


@dataclass(frozen=True)
class RoundLayout:
    """The lines that lead to one round of betting."""

    betting: LimitBetting
    number: int
    dtype: Any
    """What rows of lines consist of: float32 or float64."""

    @cached_property
    def trees(self) -> list[int]:
        """The street trees of the round."""
        return [place for place, tree in enumerate(self.betting.trees) if tree.street == self.number]

    @cached_property
    def shapes(self) -> tuple[RoundShape, ...]:
        """The trees by shape."""
        alike: dict[object, list[int]] = {}
        for number in self.trees:
            alike.setdefault(_shape_of(self.betting.trees[number]), []).append(number)
        found, first = [], 0
        for trees in alike.values():
            found.append(RoundShape(tuple(trees), first))
            first += found[-1].blocks
        return tuple(found)

    @property
    def blocks(self) -> int:
        """The number of blocks of lines of the round."""
        return sum(shape.blocks for shape in self.shapes)

    @cached_property
    def lane_of(self) -> dict[int, int]:
        """The place of each tree among the lanes of the round's blocks."""
        return dict(zip(self.trees, self.places(LANES).tolist(), strict=True))

    def places(self, width: int) -> NDArray[np.int64]:
        """Return the place of each tree if the trees of a shape begin a block of `width` and blocks stand together."""
        found, first = {}, 0
        for shape in self.shapes:
            found.update({tree: first + place for place, tree in enumerate(shape.trees)})
            first += -(-len(shape.trees) // width) * width
        return np.array([found[tree] for tree in self.trees], dtype=np.int64)

    def by_line(self, rows: Floats, width: int = LANES) -> NDArray[np.float64]:
        """Return what stands in blocks, [block, hand, place], by line: [line, hand]."""
        hands = self.betting.game.deck.hand_count
        lines = rows.reshape(-1, hands, width).transpose(0, 2, 1).reshape(-1, hands)
        return lines[self.places(width)].astype(np.float64)

    def in_blocks(self, lines: NDArray[np.float64], width: int = LANES) -> NDArray[np.float64]:
        """Return what is given by line in blocks, [block, hand, place], flat."""
        hands = self.betting.game.deck.hand_count
        rows = np.zeros((sum(-(-len(shape.trees) // width) for shape in self.shapes) * width, hands))
        rows[self.places(width)] = lines
        return np.ascontiguousarray(rows.reshape(-1, width, hands).transpose(0, 2, 1)).ravel()

    def lines(self, player: int) -> tuple[Line, ...]:
        """Return the lines to all decisions of a player in this round."""
        return tuple(self.betting.line(tree, ("decision", number)) for tree, number in self._decisions(player))

    def menus(self, player: int) -> tuple[tuple[str, ...], ...]:
        """Return the actions at all decisions of a player in this round."""
        trees = self.betting.trees
        return tuple(self.betting.menu(trees[tree].decisions[number]) for tree, number in self._decisions(player))

    def arrays(self, responder: int, following: RoundLayout | None) -> tuple[BettingShape, ...]:
        """Return the shapes as kernels read them, for one responder."""
        trees = self.betting.trees
        return tuple(
            builder.shape(shape.first_block, _columns(trees[shape.trees[0]], 1 - responder), self.dtype)
            for shape, builder in zip(self.shapes, self.steps(responder, following), strict=True)
        )

    def steps(self, responder: int, following: RoundLayout | None) -> list[StepBuilder]:
        """Return the steps through the shapes for one responder."""
        game, dealt, share = self.betting.game, self.betting.dealt[self.number], 0.0
        if following is not None:  # each deal is as probable as any other, given both hands
            share = 1 / comb(game.deck.size - 4 - dealt, game.board[self.number + 1])

        def line_after(leaf: Leaf) -> int:
            assert following is not None
            return following.lane_of[leaf.tree]

        return [
            StepBuilder([self.betting.trees[tree] for tree in shape.trees], responder, share, line_after)
            for shape in self.shapes
        ]

    def tables(self, player: int, play: BoardPlay) -> list[Floats]:
        """Return the probabilities of a player as kernels read them, one array per shape."""
        groups = play.table.shape[1]
        found = []
        for shape in self.shapes:
            first = self.betting.trees[shape.trees[0]]
            table = np.zeros((shape.blocks * LANES, groups, _columns(first, player)), dtype=self.dtype)
            for number, decision in enumerate(first.decisions):
                if decision.player == player:
                    asked = [self.place_of(player, tree, number) for tree in shape.trees]
                    rows = slice(decision.first_row - 1, decision.first_row - 1 + len(decision.actions))
                    table[: len(shape.trees), :, rows] = play.table[asked][:, :, : len(decision.actions)]
            table[table < SMALLEST_PROBABILITY] = 0
            by_block = table.reshape(shape.blocks, LANES, groups, -1).transpose(0, 3, 2, 1)
            rows = zeros(table.size, self.dtype)
            rows.reshape(by_block.shape)[:] = by_block
            found.append(rows)
        return found

    def place_of(self, player: int, tree: int, decision: int) -> int:
        """Return the place of a decision of a tree among all those of a player."""
        return self._place[player][tree, decision]

    def _decisions(self, player: int) -> list[tuple[int, int]]:
        return [
            (tree, number)
            for tree in self.trees
            for number, decision in enumerate(self.betting.trees[tree].decisions)
            if decision.player == player
        ]

    @cached_property
    def _place(self) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], int]]:
        first, second = ({at: place for place, at in enumerate(self._decisions(player))} for player in range(2))
        return first, second


def round_layouts(betting: LimitBetting, dtype: Any) -> tuple[RoundLayout, ...]:
    """Return the layouts of all rounds, with rows of float32 or float64."""
    return tuple(RoundLayout(betting, number, dtype) for number in range(len(betting.game.board)))


def _columns(tree: StreetTree, player: int) -> int:
    """Return how many actions a player has in a tree."""
    return sum(len(decision.actions) for decision in tree.decisions if decision.player == player)


def _shape_of(tree: StreetTree) -> object:
    decisions = [(node.player, len(node.actions), node.parent_row, node.first_row) for node in tree.decisions]
    return tuple(decisions), tuple((leaf.is_deal, is_fold(leaf), leaf.rows) for leaf in tree.leaves)

"""The betting of limit hold'em as kernels read it: the lines of a round side by side, those of one shape together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from counterpoise.evaluation.best_response.betting import LimitBetting
from counterpoise.evaluation.best_response.kernels.lanes import LANES
from counterpoise.evaluation.best_response.kernels.rounds import DEAL, FOLD, SHOWDOWN, BettingShape
from counterpoise.games.known import BoardPlay, Line
from counterpoise.public.street_trees import Leaf, StreetTree

FloatArray = NDArray[np.float64]


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
        return {
            tree: LANES * shape.first_block + lane for shape in self.shapes for lane, tree in enumerate(shape.trees)
        }

    def lines(self, player: int) -> tuple[Line, ...]:
        """Return the lines to all decisions of a player in this round."""
        return tuple(self.betting.line(tree, ("decision", number)) for tree, number in self._decisions(player))

    def menus(self, player: int) -> tuple[tuple[str, ...], ...]:
        """Return the actions at all decisions of a player in this round."""
        trees = self.betting.trees
        return tuple(self.betting.menu(trees[tree].decisions[number]) for tree, number in self._decisions(player))

    def rows(self, player: int) -> int:
        """Return the most rows that a shape has for a player."""
        trees = [self.betting.trees[shape.trees[0]] for shape in self.shapes]
        return max(_rows(tree, player) for tree in trees)

    def arrays(self, responder: int, following: RoundLayout | None) -> tuple[BettingShape, ...]:
        """Return the shapes as kernels read them, for one responder."""
        return tuple(self._arrays(shape, responder, following) for shape in self.shapes)

    def tables(self, player: int, play: BoardPlay) -> list[FloatArray]:
        """Return the probabilities of a player as kernels read them, one array per shape."""
        groups = play.table.shape[1]
        found = []
        for shape in self.shapes:
            first = self.betting.trees[shape.trees[0]]
            table = np.zeros((shape.blocks * LANES, groups, max(_rows(first, player) - 1, 0)))
            for number, decision in enumerate(first.decisions):
                if decision.player == player:
                    asked = [self._place[player][tree, number] for tree in shape.trees]
                    rows = slice(decision.first_row - 1, decision.first_row - 1 + len(decision.actions))
                    table[: len(shape.trees), :, rows] = play.table[asked][:, :, : len(decision.actions)]
            by_block = table.reshape(shape.blocks, LANES, groups, -1).transpose(0, 2, 3, 1)
            found.append(np.ascontiguousarray(by_block).ravel())
        return found

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

    def _arrays(self, shape: RoundShape, responder: int, following: RoundLayout | None) -> BettingShape:
        trees = [self.betting.trees[number] for number in shape.trees]
        other, first, width = 1 - responder, trees[0], shape.blocks * LANES
        rows = _rows(first, other)
        order = [(leaf.rows[other], _kind(leaf) != SHOWDOWN, place) for place, leaf in enumerate(first.leaves)]
        leaves = [place for _, _, place in sorted(order)]
        parent = np.zeros(rows, dtype=np.uint64)
        for decision in first.decisions:
            if decision.player == other:
                parent[decision.first_row : decision.first_row + len(decision.actions)] = decision.parent_row
        by_lane = [[tree.leaves[place] for tree in trees] for place in leaves]
        own = [decision for decision in first.decisions if decision.player == responder]
        return BettingShape(
            first_block=np.uint64(shape.first_block),
            blocks=np.uint64(shape.blocks),
            parent=parent,
            leaf_start=np.searchsorted(
                [first.leaves[place].rows[other] for place in leaves], np.arange(rows + 1)
            ).astype(np.uint64),
            leaf_own=np.array([first.leaves[place].rows[responder] for place in leaves], dtype=np.uint64),
            leaf_kind=np.array([_kind(first.leaves[place]) for place in leaves], dtype=np.uint64),
            wins=_lanes([[leaf.wins for leaf in lanes] for lanes in by_lane], width, 0.0),
            mass=_lanes([[self._mass(leaf, responder) for leaf in lanes] for lanes in by_lane], width, 0.0),
            later=_lanes([[_later(leaf, following) for leaf in lanes] for lanes in by_lane], width, -1).astype(
                np.int64
            ),
            own_rows=np.uint64(_rows(first, responder)),
            own_parent=np.array([decision.parent_row for decision in own], dtype=np.uint64),
            own_first=np.array([decision.first_row for decision in own], dtype=np.uint64),
            own_actions=np.array([len(decision.actions) for decision in own], dtype=np.uint64),
        )

    def _mass(self, leaf: Leaf, responder: int) -> float:
        """Return the value of each hand that is met, or the probability of each deal given both hands."""
        if not leaf.is_deal:
            return leaf.mass[responder]
        game, dealt = self.betting.game, self.betting.dealt[self.number]
        return 1 / comb(game.deck.size - 4 - dealt, game.board[self.number + 1])


def round_layouts(betting: LimitBetting) -> tuple[RoundLayout, ...]:
    """Return the layouts of all rounds."""
    return tuple(RoundLayout(betting, number) for number in range(len(betting.game.board)))


def _rows(tree: StreetTree, player: int) -> int:
    return 1 + sum(len(decision.actions) for decision in tree.decisions if decision.player == player)


def _kind(leaf: Leaf) -> np.uint64:
    return DEAL if leaf.is_deal else SHOWDOWN if leaf.wins else FOLD


def _later(leaf: Leaf, following: RoundLayout | None) -> int:
    if not leaf.is_deal:
        return -1
    assert following is not None
    return following.lane_of[leaf.tree]


def _shape_of(tree: StreetTree) -> object:
    decisions = [(node.player, len(node.actions), node.parent_row, node.first_row) for node in tree.decisions]
    return tuple(decisions), tuple((int(_kind(leaf)), leaf.rows) for leaf in tree.leaves)


def _lanes(values: Sequence[Sequence[float]], width: int, empty: float) -> FloatArray:
    found = np.full((len(values), width), empty, dtype=np.float64)
    for place, row in enumerate(values):
        found[place, : len(row)] = row
    return found.ravel()

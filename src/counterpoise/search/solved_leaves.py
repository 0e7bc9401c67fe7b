"""Leaf values by solving: what follows each leaf is solved for the ranges that arrive there.

The exact counterpart of a network that knows the values of public belief states (DeepStack, ReBeL): slow, and right to
within the error of the solver. It needs the whole game, but no blueprint.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.parameters import require_whole
from counterpoise.public import LeafBatch, Learning, PublicGame, PublicNode, Rows, Traverser
from counterpoise.public.node import BelowNode
from counterpoise.search.leaves import counterpart
from counterpoise.search.subgame import FloatArray
from counterpoise.solvers.base import Algorithm, make_algorithm
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.solvers.public.solver import public_schedule


class SolvedLeaves:
    """Values of leaves in an equilibrium of what follows, by a fixed number of iterations for each set of ranges.

    Where the ranges leave no pair of hands, values are those against the solver's initial strategies.
    """

    def __init__(self, whole: PublicGame, iterations: int = 200, algorithm: str | Algorithm = "cfr+") -> None:
        require_whole("iterations", iterations)
        settings = make_algorithm(algorithm)
        if not isinstance(settings, RegretMatching):
            raise InputError(f"leaves are solved by a variant of CFR, not {settings.name}")
        self.whole, self.schedule = whole, public_schedule(settings, 0, iterations)
        self._whole = Traverser(whole), Learning.fresh(whole)
        self._parts: dict[PublicNode, tuple[Traverser, Learning]] = {}

    def values(self, batch: LeafBatch) -> tuple[FloatArray, FloatArray]:
        """Return the values of all leaves for the ranges of a batch."""
        found = np.zeros_like(batch.reach[0]), np.zeros_like(batch.reach[1])
        for number, leaf in enumerate(batch.leaves):
            node = counterpart(self.whole, leaf)
            first, second = (self.whole.from_hands_of(batch.game, seat, batch.reach[seat][number]) for seat in range(2))
            below = (
                self._solve_deals(node, (first, second)) if node.kind == "deal" else self._solve(node, (first, second))
            )
            for seat, reach in enumerate((second, first)):
                won = below.values(seat, below.node.game.from_hands_of(self.whole, 1 - seat, reach))
                found[seat][number] = batch.game.from_hands_of(below.node.game, seat, won)
        return found

    def _solve_deals(self, node: PublicNode, reach: Rows) -> BelowNode:
        """Solve the games that begin after a deal, in the whole game."""
        traverser, learning = self._whole
        learning.clear()
        for start in node.deals():
            traverser.iterate_below(
                start.tree, start.board, _rows(start, reach), learning, self.schedule, every_hand=True
            )
        return BelowNode(node, learning.average, traverser)

    def _solve(self, node: PublicNode, reach: Rows) -> BelowNode:
        """Solve the game that begins with a decision, a part of the whole game."""
        if node not in self._parts:
            part = self.whole.subtree(node, reach)
            self._parts[node] = Traverser(part), Learning.fresh(part)
        traverser, learning = self._parts[node]
        game = traverser.game
        learning.clear()
        arriving = game.from_hands_of(self.whole, 0, reach[0]), game.from_hands_of(self.whole, 1, reach[1])
        traverser.iterate_below(0, 0, _rows(game.root, arriving), learning, self.schedule, every_hand=True)
        return BelowNode(game.root, learning.average, traverser)


def _rows(node: PublicNode, reach: Rows) -> NDArray[np.float32]:
    """Return reach by hand in the order of the rows of a node's board."""
    rows = np.zeros((2, int(node.game.boards.stride[:, node.board].max())), dtype=np.float32)
    for player in range(2):
        place = node.game.row_places(player, node.located)
        rows[player, place[place >= 0]] = reach[player][place >= 0]
    return rows

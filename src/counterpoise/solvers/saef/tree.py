"""The public betting tree of an abstraction, which grows one bet at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.parameters import as_numbers, shown
from counterpoise.solvers.saef.game import ContinuousLeduc
from counterpoise.solvers.saef.kernels.layouts import DEAL, FIRST_FOLDED, GONE, NO_NODE, SHOWDOWN, BettingTree
from counterpoise.tree.kernels.layouts import FloatArray

FIELDS = {
    "kind": np.uint8,
    "parent": np.uint32,
    "first": np.uint32,
    "next": np.uint32,
    "board": np.uint8,
    "bets": np.uint8,
    "size": np.float64,
    "stake": np.float64,
}


class GrowingTree:
    """An abstraction: at every decision fold, call and a list of bets; each decision may get bets of its own.

    `count` nodes have been made, of which `live` have not been removed; `arrays` are theirs, with room for more.
    """

    def __init__(self, game: ContinuousLeduc, sizes: Sequence[float] | None = None) -> None:
        self.game, self.sizes = game, game.check_sizes(sizes)
        self.count = self.live = 0
        self.arrays = BettingTree(*(np.zeros(64, kind) for kind in FIELDS.values()))
        self._append(_Node(kind=0, parent=0, board=game.ranks, bets=0, size=0.0, stake=1.0))
        self._grow_below(0)

    @property
    def decisions(self) -> int:
        """Public decisions; each has an information set per rank."""
        return int(np.count_nonzero(self.arrays.kind[: self.count] < DEAL))

    @property
    def infosets(self) -> int:
        """Information sets of both seats."""
        return self.game.ranks * self.decisions

    def children(self, node: int) -> list[int]:
        """Return the nodes that the actions of a node lead to: fold, call, bets by size."""
        found, child = [], int(self.arrays.first[node])
        while child != NO_NODE:
            found.append(child)
            child = int(self.arrays.next[child])
        return found

    def bets(self, node: int) -> dict[float, int]:
        """Return the nodes that the bets of a decision lead to, by size."""
        return {float(self.arrays.size[c]): c for c in self.children(node) if self.arrays.size[c] > 0.0}

    def below(self, root: int) -> list[int]:
        """Return a node and all that follows it, parents first."""
        found = [root]
        for node in found:
            found.extend(self.children(node))
        return found

    def check_strategy(self, strategy: Any) -> FloatArray:
        """Return a strategy, [node, rank] with the probability of the action that leads to the node; refuse others."""
        rows = np.ascontiguousarray(as_numbers("strategy", strategy))
        shape = self.count, self.game.ranks
        proper = rows.shape == shape
        if proper:
            kinds, parent = self.arrays.kind[: self.count], self.arrays.parent[: self.count]
            chosen = (kinds[parent] < DEAL) & (kinds != GONE)
            chosen[0] = False
            totals = np.zeros(shape)
            np.add.at(totals, parent[chosen], rows[chosen])
            proper = bool((rows[chosen] >= 0.0).all() and (np.abs(totals[kinds < DEAL] - 1.0) <= 1e-6).all())
        if not proper:
            raise InputError(
                f"strategy must be probabilities, [{shape[0]} nodes, {shape[1]} ranks], that sum to 1 at each decision,"
                f" not {shown(strategy)}"
            )
        return rows

    def may_bet(self, node: int) -> bool:
        """Return whether a decision allows bets at all."""
        return bool(self.arrays.kind[node] < DEAL and self.arrays.bets[node] < self.game.max_bets)

    def new_nodes(self, node: int) -> int:
        """Return how many nodes a new bet at a decision adds, with the sizes that everything begins with below it."""
        dealt = self.arrays.board[node] < self.game.ranks or self.game.rounds == 1
        return self._bet_nodes(int(self.arrays.bets[node]), bool(dealt))

    def add_bet(self, node: int, size: float) -> int:
        """Append a bet and what follows it, with the sizes that everything begins with; return the new node."""
        child = self._append_bet(node, size)
        self._grow_below(child)
        return child

    def copy_bet(self, node: int, size: float, like: int) -> tuple[int, NDArray[np.int64]]:
        """Append a bet with all that follows another bet of the same decision; return it and the nodes copied.

        The copies are numbered on from the new node, in the order of the nodes that are returned.
        """
        child = self._append_bet(node, size)
        sources = self.below(like)
        scale = (1 + 2 * size) / (1 + 2 * float(self.arrays.size[like]))
        copies = {like: child}
        for source in sources[1:]:
            kind, parent, _, _, board, bets, bet, stake = (array[source] for array in self.arrays)
            # An immediate fold costs what it did; everything else grows with the pot.
            factor = 1.0 if int(parent) == like and kind >= FIRST_FOLDED else scale
            made = _Node(int(kind), copies[int(parent)], int(board), int(bets), float(bet), float(stake) * factor)
            copies[source] = self._append(made)
        for source in sources:
            self._chain(copies[source], [copies[one] for one in self.children(source)])
        return child, np.array(sources)

    def remove(self, node: int) -> list[int]:
        """Take a bet out of its chain; return it and all that followed it, which are gone."""
        arrays, parent = self.arrays, int(self.arrays.parent[node])
        lost = self.below(node)
        self._chain(parent, [child for child in self.children(parent) if child != node])
        arrays.next[node] = NO_NODE
        arrays.kind[lost] = GONE
        self.live -= len(lost)
        return lost

    def history(self, node: int) -> str:
        """Return what happened before a node, as in rule books: "r0.5c/K:c"."""
        pieces = []
        while node:
            pieces.append(self.action(node))
            node = int(self.arrays.parent[node])
        return "".join(reversed(pieces))

    def action(self, node: int) -> str:
        """Return the action or board that leads to a node: "f", "c", "r0.5" or "/K:"."""
        arrays, parent = self.arrays, int(self.arrays.parent[node])
        if arrays.kind[parent] == DEAL:
            return f"/{self.game.hands[arrays.board[node]]}:"
        if arrays.size[node] > 0.0:
            return f"r{arrays.size[node]:g}"
        return "f" if arrays.kind[node] >= FIRST_FOLDED else "c"

    def find(self, history: str) -> int:
        """Return the node after a history such as "r0.5c/K:c"; the root is ""."""
        node, left = 0, history
        while left:
            steps = {self.action(child): child for child in self.children(node)}
            longest = max((step for step in steps if left.startswith(step)), key=len, default=None)
            if longest is None:
                raise InputError(
                    f"history {shown(history)} is not in this abstraction:"
                    f" after {self.history(node)!r} comes one of {', '.join(steps)}"
                )
            node, left = steps[longest], left[len(longest) :]
        return node

    def _append_bet(self, node: int, size: float) -> int:
        """Append the opponent's decision after a bet, in its place by size."""
        arrays = self.arrays
        seat, board, bets = (int(array[node]) for array in (arrays.kind, arrays.board, arrays.bets))
        stake = float(arrays.stake[node]) * (1 + 2 * size)
        child = self._append(_Node(1 - seat, node, board, bets + 1, size, stake))
        others = self.children(node)
        smaller = [c for c in others if self.arrays.size[c] <= size]
        self._chain(node, [*smaller, child, *others[len(smaller) :]])
        return child

    def _grow_below(self, root: int) -> None:
        """Append all that follows a node, parents first."""
        queue = [root]
        for node in queue:
            made = [self._append(one) for one in self._following(node)]
            self._chain(node, made)
            queue.extend(made)

    def _following(self, node: int) -> Iterator[_Node]:
        """Yield what may follow a node by the rules: fold, call, bets; or the boards."""
        arrays, game = self.arrays, self.game
        kind, board, bets = (int(array[node]) for array in (arrays.kind, arrays.board, arrays.bets))
        size, stake = float(arrays.size[node]), float(arrays.stake[node])
        if kind == DEAL:
            for rank in range(game.ranks):
                yield _Node(0, node, rank, 0, 0.0, stake)
        elif kind < DEAL:
            if size > 0.0:
                yield _Node(FIRST_FOLDED + kind, node, board, bets, 0.0, float(arrays.stake[arrays.parent[node]]))
            ending = SHOWDOWN if board < game.ranks or game.rounds == 1 else DEAL
            checks = size == 0.0 and kind == 0  # the first seat, so the second is next
            yield _Node(1 if checks else ending, node, board, bets, 0.0, stake)
            if bets < game.max_bets:
                for bet in self.sizes:
                    yield _Node(1 - kind, node, board, bets + 1, bet, stake * (1 + 2 * bet))

    def _bet_nodes(self, bets: int, dealt: bool) -> int:
        """Return the nodes of a bet after which a round has one bet more than `bets`."""
        raises = len(self.sizes) * self._bet_nodes(bets + 1, dealt) if bets + 1 < self.game.max_bets else 0
        return 2 + self._call_nodes(dealt) + raises

    def _call_nodes(self, dealt: bool) -> int:
        """Return the nodes of a call that ends a round."""
        if dealt:
            return 1
        first_bets = 2 * len(self.sizes) * self._bet_nodes(0, True)
        return 1 + self.game.ranks * (2 + first_bets + 1)  # both decisions without a bet, and the showdown after them

    def _append(self, node: _Node) -> int:
        if self.count == len(self.arrays.kind):
            grown: list[Any] = [np.concatenate((array, np.zeros_like(array))) for array in self.arrays]
            self.arrays = BettingTree(*grown)
        arrays, at = self.arrays, self.count
        arrays.kind[at], arrays.parent[at], arrays.board[at], arrays.bets[at], arrays.size[at], arrays.stake[at] = node
        self.count += 1
        self.live += 1
        return at

    def _chain(self, node: int, children: Sequence[int]) -> None:
        """Make nodes the children of a node, in this order."""
        links = [*children, NO_NODE]
        self.arrays.first[node] = links[0]
        for child, following in zip(children, links[1:], strict=True):
            self.arrays.next[child] = following


class _Node(NamedTuple):
    kind: int
    parent: int
    board: int
    bets: int
    size: float
    stake: float

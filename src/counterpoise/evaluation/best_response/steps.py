"""From betting trees of one shape to the steps in which a kernel walks through them for one responder.

Steps follow the tree in depth. Two things spare sums over hands:

- The opponent's reach before an action is what it has after all of them together. What a fold of the opponent pays
  is counted on its reach before, and taken away from its other actions: its folds need no row.
- Own actions are judged by what they win more than a fold, which counts for the row before them: a fold needs no row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.evaluation.best_response.kernels.lanes import LANES
from counterpoise.evaluation.best_response.kernels.rounds import (
    ACT,
    BY_CARD,
    DEAL,
    DECIDE,
    MET,
    OPEN,
    SWEPT,
    BettingShape,
)
from counterpoise.public.street_trees import Following, Leaf, StreetTree

FloatArray = NDArray[np.float64]
Pay = tuple[FloatArray, FloatArray]
"""What weaker less stronger hands, and all hands met, are worth in each line."""


def is_fold(leaf: Leaf) -> bool:
    """Return whether every hand that is met at a leaf is worth the same."""
    return not leaf.is_deal and not leaf.wins


class StepBuilder:
    """The steps for trees of one shape: `follow` writes them, `shape` hands them out."""

    def __init__(
        self, trees: Sequence[StreetTree], responder: int, share: float, line_after: Callable[[Leaf], int]
    ) -> None:
        self.trees, self.tree, self.responder = trees, trees[0], responder
        self.share, self.line_after = share, line_after
        self.blocks = -(-len(trees) // LANES)
        self.steps: list[tuple[np.uint64, int]] = []
        self.rows: list[dict[str, int]] = []
        self.pays: list[dict[int, Pay]] = []
        self.decisions: list[dict[str, Any]] = []
        self.facing: dict[int, int] = {}
        self.deals: list[dict[str, Any]] = []
        self.places = {0: 0}
        self.values = self.reaches = 0
        self.most_values, self.most_reaches = 1, 0
        self._act(0, 0, ("decision", 0) if self.tree.decisions else ("leaf", 0), 0, {})

    def shape(self, first_block: int, columns: int, dtype: Any) -> BettingShape:
        """Return the steps as kernels read them."""
        pays = [
            (row, own, *pay)
            for row, paid in enumerate(self.pays)
            for own, pay in paid.items()
            if pay[0].any() or pay[1].any()
        ]
        kinds: list[np.uint64] = []
        met: dict[tuple[int, str], FloatArray] = {}
        root = self._none()
        for row, own, wins, mass in pays:
            decision = self.facing.get(row)
            part = None if decision is None else self.decisions[decision]["parts"].get(own)
            kinds.append(SWEPT if wins.any() else BY_CARD)
            if wins.any():
                continue
            if decision is not None and part is not None:
                met[decision, part] = mass
            elif (row, own) == (0, 0):
                root = mass
            else:
                kinds[-1] = MET

        def whole(entries: list[int]) -> NDArray[np.uint64]:
            return np.array(entries, dtype=np.uint64)

        def lanes(rows: Sequence[FloatArray]) -> NDArray[Any]:
            return np.array(rows, dtype=dtype).reshape(-1)

        def by_decision(part: str) -> NDArray[Any]:
            return lanes([met.get((number, part), self._none()) for number in range(len(self.decisions))])

        return BettingShape(
            first_block=np.uint64(first_block),
            blocks=np.uint64(self.blocks),
            kind=np.array([kind for kind, _ in self.steps], dtype=np.uint64),
            number=whole([number for _, number in self.steps]),
            parent=whole([row["parent"] for row in self.rows]),
            column=whole([row["column"] for row in self.rows]),
            columns=np.uint64(columns),
            place=whole([row["place"] for row in self.rows]),
            past=whole([row["past"] for row in self.rows]),
            pays=np.searchsorted([row for row, *_ in pays], np.arange(len(self.rows) + 1)).astype(np.uint64),
            pay_kind=np.array(kinds, dtype=np.uint64),
            pay_to=whole([self.places[own] for _, own, _, _ in pays]),
            wins=lanes([wins for _, _, wins, _ in pays]),
            mass=lanes([mass for _, _, _, mass in pays]),
            one=whole([decision["one"] for decision in self.decisions]),
            two=whole([decision["two"] for decision in self.decisions]),
            before=whole([decision["before"] for decision in self.decisions]),
            facing=whole([decision["facing"] for decision in self.decisions]),
            fold=np.array([decision["fold"] for decision in self.decisions], dtype=np.bool_),
            met_one=by_decision("one"),
            met_two=by_decision("two"),
            met_before=by_decision("before"),
            met_root=lanes([root]),
            deal_to=whole([deal["to"] for deal in self.deals]),
            deal_from=whole([deal["from"] for deal in self.deals]),
            share=lanes([deal["share"] for deal in self.deals]),
            later=np.array([deal["later"] for deal in self.deals], dtype=np.int64).reshape(-1),
        )

    def _act(self, parent: int, column: int, end: Following, own: int, paid: dict[int, Pay]) -> None:
        """Write the opponent's action, or the beginning, and what follows it; `paid` is what it pays already."""
        number = self._own_decision(end)
        if number is not None:
            self._open(number, own)
            self.facing[len(self.rows)] = len(self.decisions) - 1
            self.decisions[-1]["facing"] = self.reaches
        row = len(self.rows)
        self.rows.append({"parent": parent, "column": column, "place": self.reaches})
        self.pays.append(paid)
        self.reaches += 1
        self.most_reaches = max(self.most_reaches, self.reaches)
        self.steps.append((ACT, row))
        self._follow(end, own, row)
        self.rows[row]["past"] = len(self.steps)
        self.reaches -= 1

    def _follow(self, end: Following, own: int, row: int) -> None:
        """Write what follows own row `own` and the opponent's row `row`."""
        kind, number = end
        if kind == "leaf":
            self._leaf(number, own, row)
            return
        node = self.tree.decisions[number]
        ends = [self.tree.children[number, action] for action in node.actions]
        if node.player == self.responder:
            self._choose(number, ends, own, row)
            return
        folds = [self._mass(place) for kind, place in ends if kind == "leaf" and is_fold(self.tree.leaves[place])]
        folded = np.sum(folds, axis=0) if folds else self._none()
        if folded.any():
            self._pay(row, own, self._none(), folded)
        for column, following in enumerate(ends, start=node.first_row - 1):
            if following[0] == "leaf" and is_fold(self.tree.leaves[following[1]]):
                continue
            self._act(row, column, following, own, {own: (self._none(), -folded)} if folded.any() else {})

    def _choose(self, number: int, ends: list[Following], own: int, row: int) -> None:
        """Write what follows each own action, and the choice among them."""
        node, decision = self.tree.decisions[number], self.facing[row]
        fold = self._fold(number)
        for action, following in enumerate(ends):
            if action == fold:
                continue
            if fold is not None:
                self._pay(row, node.first_row + action, self._none(), -self._mass(ends[fold][1]))
            self._follow(following, node.first_row + action, row)
        if fold is not None:
            self._pay(row, own, self._none(), self._mass(ends[fold][1]))
        self.steps.append((DECIDE, decision))
        self.values -= len(self.decisions[decision]["parts"]) - 1

    def _open(self, number: int, own: int) -> None:
        """Write that the actions of an own decision become possible."""
        node, fold = self.tree.decisions[number], self._fold(number)
        actions = [node.first_row + action for action in range(len(node.actions)) if action != fold]
        assert 1 <= len(actions) <= 2, "limit betting offers two actions beside a fold"
        for action in actions:
            self.values += 1
            self.places[action] = self.values
        self.most_values = max(self.most_values, self.values + 1)
        one, two = self.places[actions[0]], self.places[actions[-1]]
        parts = {own: "before", actions[-1]: "two", actions[0]: "one"}
        self.steps.append((OPEN, len(self.decisions)))
        self.decisions.append(
            {"one": one, "two": two, "before": self.places[own], "fold": fold is not None, "parts": parts}
        )

    def _leaf(self, number: int, own: int, row: int) -> None:
        leaves = [tree.leaves[number] for tree in self.trees]
        if leaves[0].is_deal:
            later = self._lanes([self.line_after(leaf) for leaf in leaves], -1)
            share = self._lanes([self.share] * len(leaves))
            here = self.rows[row]["place"]
            self.steps.append((DEAL, len(self.deals)))
            self.deals.append({"to": self.places[own], "from": here, "share": share, "later": later})
        else:
            self._pay(row, own, self._lanes([leaf.wins for leaf in leaves]), self._mass(number))

    def _own_decision(self, end: Following) -> int | None:
        kind, number = end
        return number if kind == "decision" and self.tree.decisions[number].player == self.responder else None

    def _fold(self, number: int) -> int | None:
        """Return which action of a decision is the fold, if it has one."""
        for action, step in enumerate(self.tree.decisions[number].actions):
            kind, place = self.tree.children[number, step]
            if kind == "leaf" and is_fold(self.tree.leaves[place]):
                return action
        return None

    def _pay(self, row: int, own: int, wins: FloatArray, mass: FloatArray) -> None:
        before = self.pays[row].get(own, (self._none(), self._none()))
        self.pays[row][own] = before[0] + wins, before[1] + mass

    def _mass(self, place: int) -> FloatArray:
        """Return what each hand that is met at a leaf is worth."""
        return self._lanes([tree.leaves[place].mass[self.responder] for tree in self.trees])

    def _none(self) -> FloatArray:
        return np.zeros(self.blocks * LANES)

    def _lanes(self, values: Sequence[float], empty: float = 0.0) -> FloatArray:
        found = np.full(self.blocks * LANES, empty)
        found[: len(values)] = values
        return found

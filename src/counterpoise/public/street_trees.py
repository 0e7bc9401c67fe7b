"""From betting rules to the betting trees of single streets, and to the flat arrays of them that kernels walk.

A *street tree* is the betting of one street from a given state on; a path that ends the street with chips behind leads
to a street tree of the next street. Each player's rows of a street tree are its own actions on the path, numbered from
1 in the order of its nodes; row 0 is the beginning.

A `Cut` stops play early, at *value leaves*, whose values stand for what follows (see `counterpoise.public.leaves`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import Betting, BettingState
from counterpoise.betting.sizes import BettingMenu
from counterpoise.betting.tilt import PayoffTilt
from counterpoise.errors import InputError
from counterpoise.parameters import require_whole
from counterpoise.public.kernels.layouts import StreetArrays
from counterpoise.public.kernels.street import DEAL, FIXED, RUNOUT, VALUE
from counterpoise.seats import CHANCE, TERMINAL

Step = Any
"""An action: a number of chips in hold'em, a word in other games."""
Following = tuple[Literal["decision", "leaf"], int]
"""The decision or leaf after an edge, by its number."""
Edge = tuple[int, Step]
"""The number of a decision, and one of its actions."""


@dataclass
class StreetDecision:
    """A decision of a street tree: the player to act, its row before it and its row after its first action."""

    player: int
    actions: tuple[Step, ...]
    parent_row: int
    first_row: int
    choice: bool = False
    """Whether it is a choice among continuations at a value leaf."""


@dataclass
class Leaf:
    """An end of a street tree: both players' rows, and the values of weaker-minus-stronger mass and compatible mass.

    `decided` is the additional value to both players of the mass of hands that do not tie: 0 without a tilt. `number`
    is that of the payoff matrix, or among the value leaves of the street tree; `picks` are the continuations that the
    players have chosen at a value leaf, and `seen` is what each of them knows there if moves are hidden.
    """

    kind: int
    rows: tuple[int, int]
    wins: float = 0.0
    mass: tuple[float, float] = (0.0, 0.0)
    decided: float = 0.0
    tree: int = 0
    number: int = 0
    picks: tuple[int, int] = (0, 0)
    seen: tuple[Any, Any] | None = None

    @property
    def is_deal(self) -> bool:
        """Whether cards are dealt here, and play continues in street tree number `tree`."""
        return self.kind == DEAL

    @property
    def is_runout(self) -> bool:
        """Whether a player is all-in here and cards are dealt until the showdown."""
        return self.kind == RUNOUT

    def followed_by(self, tree: int) -> Leaf:
        """Return the leaf with a deal in its place, after which play continues in a street tree."""
        return Leaf(int(DEAL), self.rows, tree=tree)


@dataclass
class StreetTree:
    """The betting of one street: where it starts, its decisions (parents first) and its leaves."""

    street: int
    state: BettingState | None
    """The betting at the beginning; None in games that are not poker."""
    path: tuple[int, int]
    """The street tree before this one and the number of the deal leaf there; (-1, -1) for the first."""
    decisions: list[StreetDecision] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    children: dict[Edge, Following] = field(default_factory=dict)

    def add_leaf(self, edge: Edge | None, leaf: Leaf) -> None:
        """Append a leaf that follows an edge; the first leaf of a tree without decisions follows none."""
        self.join(edge, ("leaf", len(self.leaves)))
        self.leaves.append(leaf)

    def join(self, edge: Edge | None, following: Following) -> None:
        """Set what follows an edge."""
        if edge is not None:
            self.children[edge] = following

    def way_to(self, end: Following) -> list[Edge]:
        """Return the decisions that lead to a decision or leaf, each with the action taken, the first one first."""
        if end[0] == "leaf":  # parents have smaller numbers
            rows = self.leaves[end[1]].rows
            return sorted(self.way_to_row(0, rows[0]) + self.way_to_row(1, rows[1]), key=lambda step: step[0])
        found = []
        while end in self._parents:
            edge = self._parents[end]
            found.append(edge)
            end = ("decision", edge[0])
        return found[::-1]

    def way_to_row(self, player: int, row: int) -> list[Edge]:
        """Return a player's decisions that lead to one of its rows, each with the action taken, the last one first."""
        found = []
        while row > 0:
            number, own = self._row_owners[player][row]
            found.append((number, own.actions[row - own.first_row]))
            row = own.parent_row
        return found

    def row_before(self, end: Following, player: int) -> int:
        """Return the own row of a player at a decision or leaf: its last action before it, on this street."""
        for number, action in reversed(self.way_to(end)):
            node = self.decisions[number]
            if node.player == player:
                return node.first_row + node.actions.index(action)
        return 0

    @cached_property
    def _parents(self) -> dict[Following, Edge]:
        """The first edge that leads to each decision and leaf; only for complete trees."""
        found: dict[Following, Edge] = {}
        for edge, after in self.children.items():
            found.setdefault(after, edge)
        return found

    @cached_property
    def _row_owners(self) -> list[dict[int, tuple[int, StreetDecision]]]:
        """Per player the decision of each row."""
        found: list[dict[int, tuple[int, StreetDecision]]] = [{}, {}]
        for number, own in enumerate(self.decisions):
            for row in range(own.first_row, own.first_row + len(own.actions)):
                found[own.player][row] = number, own
        return found

    def below(self, decision: int) -> Iterator[Following]:
        """Yield all decisions and leaves after a decision on this street, the ends of its own actions first."""
        stack = [decision]
        while stack:
            at = stack.pop()
            for action in self.decisions[at].actions:
                kind, number = self.children[at, action]
                yield kind, number
                if kind == "decision":
                    stack.append(number)


@dataclass(frozen=True)
class Cut:
    """Where play stops at value leaves: at the n-th deal, or after `depth` decisions if that is given.

    With `runouts` play also stops where no player can bet any more and cards are still due, instead of counting the
    wins on all boards to come, which are too many before the flop.

    `choices` is the number of continuations that each player chooses from at a value leaf, without seeing the other's
    choice (multi-valued states, Brown 2020, section 5.2): one decision per player who has several, then one leaf for
    each pair of choices.
    """

    deals: int = 1
    depth: int | None = None
    choices: tuple[int, int] = (1, 1)
    runouts: bool = False

    def __post_init__(self) -> None:
        require_whole("deals", self.deals, 1, 10)
        if self.depth is not None:
            require_whole("depth", self.depth)
        for count in self.choices:
            require_whole("choices", count)

    def stops(self, street: int, decisions: int, chance: bool) -> bool:
        """Return whether play stops at a state that is not an end, after this many streets and decisions."""
        if decisions == 0:
            return False
        return decisions >= self.depth if self.depth is not None else chance and street + 1 >= self.deals


def build_street_trees(
    betting: Betting,
    sizes: BettingMenu,
    start: BettingState | None = None,
    cut: Cut | None = None,
    tilt: PayoffTilt | None = None,
) -> list[StreetTree]:
    """Return all street trees of a two-player spot, the first street's first; payoffs are in chips, zero half the pot.

    With a `start` they begin there, perhaps in the middle of a street; the zero stays that of the whole spot. A `tilt`
    scales what each player wins or loses, counted from that zero.
    """
    trees = [StreetTree(0, start or betting.initial(), (-1, -1))]
    before = [0]  # decisions on the way to each
    for number, tree in enumerate(trees):  # grows while it is walked
        assert tree.state is not None
        rows = [1, 1]
        stack: list[tuple[BettingState, tuple[int, int], Edge | None, int]] = [
            (tree.state, (0, 0), None, before[number])
        ]
        while stack:
            state, at, edge, done = stack.pop()
            if cut is not None and _stops(cut, betting, state, tree.street, done):
                tree.add_leaf(edge, Leaf(int(VALUE), at))
            elif state.to_act >= 0:
                player, actions = state.to_act, sizes.actions(betting, state)
                tree.join(edge, ("decision", len(tree.decisions)))
                tree.decisions.append(StreetDecision(player, actions, at[player], rows[player]))
                for k in range(len(actions) - 1, -1, -1):
                    row = rows[player] + k
                    after = (row, at[1]) if player == 0 else (at[0], row)
                    where = (len(tree.decisions) - 1, actions[k])
                    stack.append((betting.apply(state, actions[k]), after, where, done + 1))
                rows[player] += len(actions)
            elif state.to_act == CHANCE:
                tree.add_leaf(edge, Leaf(int(DEAL), at, tree=len(trees)))
                trees.append(StreetTree(tree.street + 1, betting.deal(state), (number, len(tree.leaves) - 1)))
                before.append(done)
            else:
                leaf = _ending(betting, state, at)
                tree.add_leaf(edge, leaf if tilt is None else _tilted(leaf, tilt, len(state.live) == 1))
    return offer_choices(trees, cut)


def _stops(cut: Cut, betting: Betting, state: BettingState, street: int, decisions: int) -> bool:
    if state.to_act == TERMINAL:
        return cut.runouts and decisions > 0 and betting.rounds_due(state) > 0
    return cut.stops(street, decisions, state.to_act == CHANCE)


def _ending(betting: Betting, state: BettingState, rows: tuple[int, int]) -> Leaf:
    half = betting.pot / 2
    if len(state.live) == 1:
        first, second = betting.payoffs(state)
        return Leaf(int(FIXED), rows, mass=(first - half, second - half))
    won, lost = (betting.payoffs(state, strengths)[0] for strengths in ((1, 0), (0, 1)))
    split = betting.payoffs(state, (0, 0))
    kind = RUNOUT if betting.rounds_due(state) else FIXED
    # With a split worth the mean of win and loss, win, loss and tie are worth this much of wins and of mass.
    return Leaf(int(kind), rows, wins=(won - lost) / 2, mass=(split[0] - half, split[1] - half))


def _tilted(leaf: Leaf, tilt: PayoffTilt, folded: bool) -> Leaf:
    """Return the end with each player's payoffs scaled by how the hand ended for it."""
    if folded:
        return replace(leaf, mass=(tilt.apply(leaf.mass[0], True), tilt.apply(leaf.mass[1], True)))
    if leaf.kind == RUNOUT:
        raise InputError("payoffs cannot be tilted where players may be all-in before the last card")
    assert leaf.mass[0] == leaf.mass[1]  # a tie splits the pot
    split = tilt.apply(leaf.mass[0], False)
    won, lost = (tilt.apply(leaf.mass[0] + sign * leaf.wins, False) for sign in (1, -1))
    return replace(leaf, wins=(won - lost) / 2, mass=(split, split), decided=(won + lost) / 2 - split)


def offer_choices(trees: list[StreetTree], cut: Cut | None) -> list[StreetTree]:
    """Put the choice among continuations in place of each value leaf, and number the value leaves of each tree."""
    if cut is None:
        return trees
    for number, tree in enumerate(trees):
        if cut.choices != (1, 1):
            _offer(tree, cut.choices)
        values = itertools.count()
        for place, leaf in enumerate(tree.leaves):
            if leaf.kind == VALUE:
                leaf.number = next(values)
            elif leaf.kind == DEAL:
                trees[leaf.tree].path = (number, place)
    return trees


def _offer(tree: StreetTree, counts: tuple[int, int]) -> None:
    rows = [1 + sum(len(node.actions) for node in tree.decisions if node.player == seat) for seat in range(2)]
    places: list[Following] = []
    added: dict[Edge, Following] = {}
    leaves, tree.leaves = tree.leaves, []
    known: dict[Any, int] = {}  # choices by what the player knows
    for place, leaf in enumerate(leaves):
        if leaf.kind != VALUE:
            places.append(("leaf", len(tree.leaves)))
            tree.leaves.append(leaf)
            continue
        nodes, begun = [], len(tree.leaves)
        after: list[Sequence[int]] = [[row] for row in leaf.rows]
        for seat, count in enumerate(counts):
            if count > 1:
                node = known.setdefault((seat, leaf.seen[seat] if leaf.seen else place), len(tree.decisions))
                if node == len(tree.decisions):
                    names = tuple(f"continuation {k}" for k in range(count))
                    tree.decisions.append(StreetDecision(seat, names, leaf.rows[seat], rows[seat], choice=True))
                    rows[seat] += count
                nodes.append(node)
                first_row = tree.decisions[node].first_row
                after[seat] = range(first_row, first_row + count)
        for (j, first), (k, second) in itertools.product(enumerate(after[0]), enumerate(after[1])):
            tree.leaves.append(Leaf(int(VALUE), (first, second), picks=(j, k)))
        for number, node in enumerate(nodes):
            for pick, name in enumerate(tree.decisions[node].actions):
                more = nodes[number + 1 :]  # if both choose, the leaf after the second choice is one of several
                added.setdefault((node, name), ("decision", more[0]) if more else ("leaf", begun + pick))
        places.append(("decision", nodes[0]))
    for edge, (kind, number) in tree.children.items():
        if kind == "leaf":
            tree.children[edge] = places[number]
    tree.children |= added


def flatten(trees: Sequence[StreetTree], strides: NDArray[np.uint64], boards: NDArray[np.int64]) -> StreetArrays:
    """Return the kernels' view; `strides[player, street]` sums the row lengths of a street's `boards[street]` boards.

    Value leaves have one slot for each board, those of a leaf side by side.
    """
    rows, store, row_number, showdowns = (np.zeros((2, len(trees)), dtype=np.uint64) for _ in range(4))
    node_start, valued_start = (np.zeros((2, len(trees) + 1), dtype=np.uint64) for _ in range(2))
    nodes: list[StreetDecision] = []
    valued: list[int] = []
    stored = numbered = 0
    for player, (number, tree) in itertools.product(range(2), enumerate(trees)):
        own = [decision for decision in tree.decisions if decision.player == player]
        shown = {leaf.rows[player] for leaf in tree.leaves if leaf.kind == FIXED and leaf.wins}
        massed = {leaf.rows[player] for leaf in tree.leaves if any(leaf.mass)} - shown
        node_start[player, number : number + 2] = len(nodes), len(nodes) + len(own)
        valued_start[player, number : number + 2] = len(valued), len(valued) + len(shown) + len(massed)
        nodes += own
        valued += [*sorted(shown), *sorted(massed)]
        count = sum(len(decision.actions) for decision in own)
        rows[player, number], showdowns[player, number] = count + 1, len(shown)
        store[player, number], row_number[player, number] = stored, numbered
        stored += count * int(strides[player, tree.street])
        numbered += count * int(boards[tree.street])
    leaves = [leaf for tree in trees for leaf in tree.leaves]
    numbers, slots = [], 0
    for tree in trees:
        for leaf in tree.leaves:
            numbers.append(slots if leaf.kind == VALUE else leaf.number)
            slots += int(boards[tree.street]) if leaf.kind == VALUE else 0
    return StreetArrays(
        street=np.array([tree.street for tree in trees], dtype=np.uint64),
        node_start=node_start,
        parent_row=np.array([node.parent_row for node in nodes], dtype=np.uint64),
        first_row=np.array([node.first_row for node in nodes], dtype=np.uint64),
        actions=np.array([len(node.actions) for node in nodes], dtype=np.uint64),
        rows=rows,
        store=store,
        number=row_number,
        leaf_start=np.concatenate(([0], np.cumsum([len(tree.leaves) for tree in trees]))).astype(np.uint64),
        leaf_kind=np.array([leaf.kind for leaf in leaves], dtype=np.uint64),
        leaf_row=np.array([leaf.rows for leaf in leaves], dtype=np.uint64).reshape(-1, 2).T.copy(),
        leaf_wins=np.array([leaf.wins for leaf in leaves], dtype=np.float32),
        leaf_mass=np.array([leaf.mass for leaf in leaves], dtype=np.float32).reshape(-1, 2).T.copy(),
        leaf_decided=np.array([leaf.decided for leaf in leaves], dtype=np.float32),
        leaf_tree=np.array([leaf.tree for leaf in leaves], dtype=np.uint64),
        leaf_number=np.array(numbers, dtype=np.uint64),
        valued_start=valued_start,
        valued_row=np.array(valued, dtype=np.uint64),
        showdowns=showdowns,
    )

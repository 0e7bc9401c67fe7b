"""What leaves of depth-limited hold'em are worth: one matrix over pairs of hands for each choice of continuations.

The leaves stand at the end of the first street of a `HoldemTree`, before its last deal (BROWN 5.2.3). If seat 0 goes on
with its j-th and seat 1 with its k-th continuation below a leaf, the pair of hands (a, b) is worth to seat 0

    v^{jk}(a, b) = mean over boards of  sum over ends z of  x_j(a, z) y_k(b, z) u(z, a, b),

where x and y are the probabilities of the players' own actions on the way to z. Number 0 is the blueprint.

Hands that a suit symmetry of the root makes alike are one *class*: before the flop "AKs", not four hands. Strategies
there do not tell them apart, so that it is enough to know sums over all pairs of hands of two classes: 169 x 169
numbers instead of 1326 x 1326, and a board counts as often as it has isomorphic ones.

`weakened` and `penalised` are the remedies of DLS 5 against continuations that beat a blueprint which is not exact
(see `counterpoise.search.leaves` for other games); the third, that both players choose, is two lists of continuations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import CALL, FOLD
from counterpoise.cards import board_strengths
from counterpoise.errors import InputError
from counterpoise.parameters import is_amount, require_seat, require_whole
from counterpoise.public import HoldemTree
from counterpoise.public.kernels.layouts import Store
from counterpoise.public.kernels.street import DEAL
from counterpoise.public.tables import copied
from counterpoise.search.subgame import FloatArray


class HandClasses:
    """The hands at the root of a tree, gathered by its suit symmetries."""

    def __init__(self, tree: HoldemTree) -> None:
        first, second = tree.hands
        self.apart = np.asarray((first[:, None, :, None] != second[None, :, None, :]).all(axis=(2, 3)))
        """Which pairs of hands have no card in common."""
        maps = tree.tables_of[0].symmetry.hand_maps
        numbers = [tree.deck.hand_table[own[:, 0], own[:, 1]] for own in tree.hands]
        found = [np.unique(maps[:, own].min(axis=0), return_inverse=True)[1] for own in numbers]
        self.of: tuple[NDArray[np.int64], NDArray[np.int64]] = (found[0], found[1])
        """Per seat the class of each hand."""
        self.counts = tuple(int(own.max()) + 1 for own in found)

    @cached_property
    def pairs(self) -> FloatArray:
        """How many pairs of hands of two classes have no card in common."""
        return self.sums(self.apart.astype(np.float64))

    def sums(self, matrix: FloatArray, hands: Sequence[NDArray[np.uint16]] | None = None) -> FloatArray:
        """From pairs of hands (of some of them, if `hands` are given) to pairs of classes."""
        member = [np.eye(count)[own] for count, own in zip(self.counts, self.of, strict=True)]
        if hands is not None:
            member = [part[own] for part, own in zip(member, hands, strict=True)]
        return np.asarray(member[0].T @ matrix @ member[1])

    def of_hands(self, seat: int, values: FloatArray) -> FloatArray:
        """One number per class from numbers that are the same for all hands of a class."""
        first = np.unique(self.of[seat], return_index=True)[1]
        return np.asarray(values[..., first])


@dataclass(frozen=True)
class LeafMatrices:
    """Values of leaves, in chips, by the line that follows each: [pick of seat 0, of seat 1, class, class].

    They are seat 0's (seat 1 has the opposite), summed over the `pairs` of hands of the classes.
    """

    pairs: FloatArray
    won: Mapping[int, FloatArray]
    pots: Mapping[int, float]

    @property
    def counts(self) -> tuple[int, int]:
        """The number of continuations of each seat."""
        first, second = next(iter(self.won.values())).shape[:2]
        return first, second

    def first(self, seat: int, count: int) -> LeafMatrices:
        """With the first so many continuations of a seat only."""
        require_seat("seat", seat)
        require_whole("count", count)
        if count > self.counts[seat]:
            raise InputError(f"count must be a number of continuations from 1 to {self.counts[seat]}, not {count!r}")
        return self._changed(lambda line, won: won.take(range(count), axis=seat))

    def and_more(self, seat: int, more: LeafMatrices) -> LeafMatrices:
        """With the continuations of a seat in other leaves after its own."""
        require_seat("seat", seat)
        if set(more.won) != set(self.won) or more.pairs.shape != self.pairs.shape:
            raise InputError(f"more leaves must be of the same tree, with values for lines {sorted(self.won)}")
        if more.counts[1 - seat] != self.counts[1 - seat]:
            raise InputError(
                f"more leaves must have as many continuations of seat {1 - seat}, {self.counts[1 - seat]}, "
                f"not {more.counts[1 - seat]}"
            )
        return self._changed(lambda line, won: np.concatenate((won, more.won[line]), axis=seat))

    def mapped(self, similar: Mapping[int, Sequence[int]], pots: Mapping[int, float]) -> LeafMatrices:
        """Leaves of another tree from similar ones here: their mean as fractions of the pot (BROWN 5.2.3).

        `similar` are the lines here for each line there, `pots` the pots there.
        """
        for line, others in similar.items():
            unknown = [other for other in others if other not in self.won]
            if unknown or not len(others):
                known = f"lines with leaf values ({sorted(self.won)})"
                raise InputError(f"what is similar to line {line} must be some of the {known}, not {list(others)!r}")
            if line not in pots:
                raise InputError(f"pots must have that of line {line}")
        won = {
            line: pots[line] * np.mean([self.won[other] / self.pots[other] for other in others], axis=0)
            for line, others in similar.items()
        }
        return LeafMatrices(self.pairs, won, pots)

    def penalised(self, seat: int, share: float) -> LeafMatrices:
        """A seat pays the other a share of the pot to go on with anything but its blueprint."""
        require_seat("seat", seat)
        if not is_amount(share):
            raise InputError(f"share must be a number of at least 0, not {share!r}")
        picked = (np.arange(self.counts[seat]) > 0).reshape((-1, 1, 1, 1) if seat == 0 else (1, -1, 1, 1))
        sign = -1 if seat == 0 else 1
        return self._changed(lambda line, won: won + sign * share * self.pots[line] * picked * self.pairs)

    def weakened(self, seat: int, reach: Mapping[int, FloatArray]) -> LeafMatrices:
        """No continuation of a seat is worth more to a class of its hands than its blueprint does.

        What it is worth more on average, when the other seat comes with its `reach` at each leaf (see `leaf_reach`) and
        its first continuation, is taken off against all of the other's hands. Where it never comes all its hands count.
        """
        require_seat("seat", seat)
        if missing := set(self.won) - set(reach):
            raise InputError(f"reach must have that of line {min(missing)}")

        def change(line: int, won: FloatArray) -> FloatArray:
            ours, pairs = (won, self.pairs) if seat == 0 else (-won.transpose(1, 0, 3, 2), self.pairs.T)
            met = reach[line] if reach[line].any() else np.ones_like(reach[line])
            mass = pairs @ met
            excess = np.maximum(ours[:, :1] @ met - ours[:1, :1] @ met, 0.0)
            less = np.divide(excess, mass, out=np.zeros_like(excess), where=mass > 0)[..., None] * pairs
            return won - less if seat == 0 else won + less.transpose(1, 0, 3, 2)

        return self._changed(change)

    def _changed(self, change: Callable[[int, FloatArray], FloatArray]) -> LeafMatrices:
        return replace(self, won={line: change(line, won) for line, won in self.won.items()})


def leaf_matrices(
    tree: HoldemTree,
    continuations: tuple[Sequence[Store], Sequence[Store]],
    flops: int | None = None,
    seed: int = 0,
) -> LeafMatrices:
    """Values of the leaves of a tree of two streets, for lists of continuations of both seats.

    A continuation is a store of the tree, such as its average or a best response; the seat's part of it counts. With
    `flops` the mean is over so many boards drawn at random instead of all (rollouts): right on average.
    """
    if not isinstance(tree, HoldemTree):
        raise InputError("leaf values by pairs of hands are for hold'em: for games with infosets use LeafTable")
    if tree.streets != 2 or not tree.zero_sum:
        raise InputError("leaf values are for trees of two streets without rake")
    classes, counts = HandClasses(tree), tuple(map(len, continuations))
    if len(counts) != 2 or min(counts) < 1:
        raise InputError(
            f"continuations must be two lists, one per seat, each with at least the blueprint, not {counts}"
        )
    lines = [leaf.line for leaf in tree.lines[0].leaves if leaf.kind == DEAL]
    won = {line: np.zeros((*counts, *classes.counts)) for line in lines}
    for board, often in _boards(tree, flops, seed):
        table = tree.tables_of[board]
        hands = [tree.hands[seat][own] for seat, own in enumerate(table.hands)]
        first, second = (board_strengths([table.cards], own, tree.deck)[0].astype(np.int64) for own in hands)
        apart = classes.apart[np.ix_(*table.hands)]
        wins = np.sign(first[:, None] - second[None, :]) * apart
        for line in lines:
            rows = [
                [realised(tree, store, line, board, seat) for store in own] for seat, own in enumerate(continuations)
            ]
            for j, ours in enumerate(rows[0]):
                for k, theirs in enumerate(rows[1]):
                    value = _by_hands(tree, line, ours, theirs, wins, apart)
                    won[line][j, k] += often * classes.sums(value, table.hands)
    pots = {line: float(tree.betting.total_pot(tree.lines[line].state)) for line in lines}
    return LeafMatrices(classes.pairs, won, pots)


def realised(tree: HoldemTree, store: Store, line: int, board: int, seat: int) -> FloatArray:
    """The probability of a seat's own actions on a line up to each of its rows, [row, hand of the board]."""
    rows = np.ones((int(tree.flat.rows[seat, line]), int(tree.boards.held[seat, board])))
    for number, decision in enumerate(tree.lines[line].decisions):
        if decision.player == seat:
            after = slice(decision.first_row, decision.first_row + len(decision.actions))
            rows[after] = tree.strategy_in(store, line, number, board) * rows[decision.parent_row]
    return rows


def leaf_reach(tree: HoldemTree, seat: int) -> dict[int, FloatArray]:
    """Per leaf (the line that follows it) a seat's reach under its average strategy, by class of hands."""
    require_seat("seat", seat)
    rows = realised(tree, tree.tables.average, 0, 0, seat) * tree.ranges[seat][: len(tree.hands[seat])]
    by_class = HandClasses(tree).of_hands(seat, rows)
    return {leaf.line: by_class[leaf.rows[seat]] for leaf in tree.lines[0].leaves if leaf.kind == DEAL}


def bias_approach_stores(tree: HoldemTree, seat: int, factor: float = 10.0) -> list[Store]:
    """The average of a tree and, for fold, call and raise, the same with a seat's probability of it times a factor."""
    require_seat("seat", seat)
    if not is_amount(factor) or factor == 0:
        raise InputError(f"factor must be a positive number, not {factor!r}")
    found = [tree.tables.average]
    for chosen in (FOLD, CALL, 1):
        store = copied(tree.tables.average)
        for line, spot in enumerate(tree.lines):
            scales = {
                number: np.array([[factor if min(action, 1) == chosen else 1.0] for action in decision.actions])
                for number, decision in enumerate(spot.decisions)
                if decision.player == seat
            }
            for board in (n for n, table in enumerate(tree.tables_of) if table.street == spot.street):
                for number, scale in scales.items():
                    tree.set_strategy_in(
                        store, line, number, board, tree.strategy_in(store, line, number, board) * scale
                    )
        found.append(store)
    return found


def _boards(tree: HoldemTree, flops: int | None, seed: int) -> list[tuple[int, float]]:
    """Expanded boards of the second street, each with the weight of its isomorphic ones, or a draw of them."""
    below = [number for number, table in enumerate(tree.tables_of) if table.street == 1]
    alike = np.array([len(tree.tables_of[number].images) for number in below], dtype=np.float64)
    dealt = len(tree.tables_of[below[0]].cards) - len(tree.board)
    weight = 1 / comb(tree.deck.size - len(tree.board) - 4, dealt)  # both hands are known
    if flops is not None:
        require_whole("flops", flops)
        drawn = np.random.default_rng(seed).multinomial(flops, alike / alike.sum())
        alike = drawn * alike.sum() / flops
    return [(number, often * weight) for number, often in zip(below, alike.tolist(), strict=True) if often > 0]


def _by_hands(
    tree: HoldemTree, line: int, ours: FloatArray, theirs: FloatArray, wins: FloatArray, apart: NDArray[np.bool_]
) -> FloatArray:
    """What seat 0 wins on a board of the last street, pair by pair."""
    ends = tree.lines[line].leaves
    first, second = (rows[[leaf.rows[seat] for leaf in ends]] for seat, rows in enumerate((ours, theirs)))
    by_wins, by_mass = (
        np.array(part)[:, None] for part in zip(*((end.wins, end.mass[0]) for end in ends), strict=True)
    )
    return np.asarray(((by_wins * first).T @ second) * wins + ((by_mass * first).T @ second) * apart)

"""What leaves of a depth-limited subgame are worth: leaf evaluators.

See Brown 2020, section 5.2; Brown et al. 2018, sections 4 and 5.

A *continuation* is a strategy for the rest of the game, number 0 being a player's blueprint. At a *multi-valued state*
each player chooses one of its continuations, and a pair of hands (a, b) is worth

    v^{jk}(a, b) = sum over ends z below the leaf of  x_j(a, z) y_k(b, z) u(z, a, b),

with x_j and y_k the probabilities of the players' own actions by their continuations j and k, and chance in u.

- `LeafTable` computes these values from the whole game, as matrices over pairs of hands; any number of streets may
  follow. `counterpoise.search.rollouts` samples them instead.
- `SimilarLeaves` finds leaves that the whole game does not have (after a bet of another size) among similar ones.
- `weakened` and `penalised` lower the values of continuations that beat the blueprint, which is not an exact
  equilibrium: otherwise the searcher would become too timid (Brown et al. 2018, section 4). The other remedy is to let
  both players choose (Brown 2020, section 5.2).
- `counterpoise.search.solved_leaves` solves what follows each leaf, for the ranges that arrive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.parameters import is_amount, require_seat, require_whole, shown
from counterpoise.public import (
    DenseGame,
    HoldemGame,
    LeafBatch,
    LeafEvaluator,
    Profile,
    PublicGame,
    PublicNode,
    Traverser,
)
from counterpoise.public.leaves import Groups, LeafMatrix, LinearEvaluator, Picks, first_of, linear_values
from counterpoise.public.node import BelowNode, traverser_of
from counterpoise.search.subgame import FloatArray
from counterpoise.tree import Strategy

Values = tuple[FloatArray, FloatArray]
"""What each leaf is worth to each hand of both players: [leaf, hand]."""
Continuation = Profile | Strategy
Pot = Callable[[PublicNode], float]
"""What lies in the middle at a node: both contributions."""
Arriving = Callable[[PublicNode], FloatArray]
"""The reach with which each hand of a seat arrives at a leaf, by hand of the leaf's game."""


def counts_of(leaves: LeafEvaluator) -> tuple[int, int]:
    """Return how many continuations each seat chooses from: one, if an evaluator does not say."""
    first, second = getattr(leaves, "counts", (1, 1))
    return first, second


def counterpart(game: PublicGame, node: PublicNode) -> PublicNode:
    """Return the node of a larger game after the history that leads to a node of a part of it."""
    history, before = node.game.history(node), game.history(game.root)
    try:
        found = game.find(history[len(before) :])
    except InputError:
        found = None
    if found is None or found.kind in ("end", "value"):
        raise InputError(f"{game.name}: there are no leaf values after {' '.join(map(str, history))!r}")
    return found


class LeafTable:
    """Exact values of leaves, or means over some of the boards that may be dealt next.

    `continuations` has a list of strategies of the whole game for each seat; only the seat's own part of each is used.
    The deal after a leaf is enumerated, or sampled `boards` times, which is unbiased.
    """

    def __init__(
        self,
        whole: PublicGame,
        continuations: Sequence[Sequence[Continuation]],
        *,
        boards: int | None = None,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        if whole.value_leaves:
            raise InputError(f"{whole.name} stops at value leaves itself: leaf values need a game that has its ends")
        if isinstance(whole, DenseGame) and whole.hidden:
            raise InputError(f"{whole.name} has hidden moves: a HistoryTable has its leaf values")
        require_whole("threads", threads)
        self.whole, self.boards, self.seed, self.threads = whole, boards, seed, threads
        self.counts = count_continuations(2, continuations)
        self.continuations = [[continuation_profile(whole, one) for one in own] for own in continuations]
        if boards is not None:
            require_whole("boards", boards)
        self._known: dict[Any, tuple[Profile, Profile, LeafMatrix]] = {}

    @property
    def megabytes(self) -> float:
        """Size of the matrices computed so far, in units of 10^6 bytes."""
        return sum(part.nbytes for *_, matrix in self._known.values() for part in matrix.values) / 1e6

    def take(self, seat: int, count: int) -> LeafTable:
        """Return the table with the first continuations of a seat only."""
        require_seat("seat", seat)
        require_whole("count", count)
        if count > self.counts[seat]:
            raise InputError(f"count must be a number of continuations from 1 to {self.counts[seat]}, not {count!r}")
        return self._with(seat, self.continuations[seat][:count])

    def append(self, seat: int, more: Sequence[Continuation]) -> LeafTable:
        """Return the table with more continuations of a seat."""
        require_seat("seat", seat)
        return self._with(seat, [*self.continuations[seat], *(continuation_profile(self.whole, one) for one in more)])

    def _with(self, seat: int, own: Sequence[Profile]) -> LeafTable:
        lists = [own if seat == at else known for at, known in enumerate(self.continuations)]
        found = LeafTable(self.whole, lists, boards=self.boards, seed=self.seed, threads=self.threads)
        found._known = self._known
        return found

    def values(self, batch: LeafBatch) -> Values:
        """Return the values of all leaves for the ranges of a batch."""
        return linear_values(self.matrices(batch.game, batch.leaves, batch.picks), batch)

    def matrices(self, game: PublicGame, leaves: Sequence[PublicNode], picks: Sequence[Picks]) -> list[LeafMatrix]:
        """Return the matrix of each leaf for the continuations chosen there."""
        hands = _HandsOf()
        return [self.matrix(leaf, picked, hands) for leaf, picked in zip(leaves, picks, strict=True)]

    def matrix(self, leaf: PublicNode, picks: Picks, hands: _HandsOf | None = None) -> LeafMatrix:
        """Return the values of a leaf, or of a node of the whole game, for a choice of continuations."""
        node = leaf if leaf.game is self.whole else counterpart(self.whole, leaf)
        first, second = (own[pick] for own, pick in zip(self.continuations, picks, strict=True))
        key = node.tree, node.at, node.dealt, id(first), id(second)
        if key not in self._known:
            self._known[key] = first, second, self._evaluate(node, first.joined(second))
        return (hands or _HandsOf()).convert(leaf, node, self._known[key][-1])

    def _evaluate(self, node: PublicNode, profile: Profile) -> LeafMatrix:
        """Return the matrix of a node by one traversal below it for each group of hands of one of the players."""
        # Tables may be used by several threads: scratch rows are those of the thread that asks.
        traverser = traverser_of(self.whole) if self.threads == 1 else Traverser(self.whole, self.threads)
        below, groups = BelowNode(node, profile, traverser), groups_at(node)
        sizes = [np.bincount(own[own >= 0]) for own in groups]
        drawn = self._draw(node) if self.boards is not None and node.kind == "deal" else None

        def columns(player: int) -> FloatArray:
            own, other, found = groups[player], groups[1 - player], []
            for number in range(len(sizes[1 - player])):
                won = below.values(player, (other == number).astype(np.float64), drawn)
                found.append(np.bincount(own[own >= 0], won[own >= 0]) / sizes[player])
            return np.array(found).T

        player = 0 if len(sizes[1]) <= len(sizes[0]) else 1
        won = columns(player)
        lost = -won.T * sizes[player] / sizes[1 - player][:, None] if self.whole.zero_sum else columns(1 - player)
        return LeafMatrix(groups, (won, lost) if player == 0 else (lost, won))

    def _draw(self, node: PublicNode) -> tuple[NDArray[np.int64], FloatArray]:
        """Return some of the boards that may be dealt at a node, each with the weight that makes their mean
        unbiased."""
        boards = self.whole.boards
        begin, end = (int(boards.child_start[node.board + k]) for k in range(2))
        alike = np.diff(boards.image_start[begin : end + 1].astype(np.int64))
        assert self.boards is not None
        drawn = np.random.default_rng(self.seed).multinomial(self.boards, alike / alike.sum())
        chosen = np.flatnonzero(drawn)
        return chosen, drawn[chosen] * alike.sum() / (self.boards * alike[chosen])


class SimilarLeaves:
    """Values of leaves from those of similar nodes, as fractions of the pot, averaged (Brown 2020, section 5.2.3).

    `leaves` evaluates nodes of the game in which the similar ones are; `similar` finds them.
    """

    def __init__(self, leaves: LeafEvaluator, similar: Callable[[PublicNode], Sequence[PublicNode]], pot: Pot) -> None:
        self.leaves, self.similar, self.pot, self.counts = leaves, similar, pot, counts_of(leaves)

    def values(self, batch: LeafBatch) -> Values:
        """Return the values of all leaves for the ranges of a batch."""
        found = np.zeros_like(batch.reach[0]), np.zeros_like(batch.reach[1])
        for number, leaf in enumerate(batch.leaves):
            nodes, scales = self._similar(leaf)
            game = nodes[0].game
            reach = [
                np.repeat(game.from_hands_of(batch.game, seat, batch.reach[seat][number])[None], len(nodes), axis=0)
                for seat in range(2)
            ]
            won = self.leaves.values(LeafBatch(game, nodes, [batch.picks[number]] * len(nodes), (reach[0], reach[1])))
            for seat in range(2):
                found[seat][number] = batch.game.from_hands_of(game, seat, scales @ won[seat])
        return found

    def matrices(
        self, game: PublicGame, leaves: Sequence[PublicNode], picks: Sequence[Picks]
    ) -> list[LeafMatrix] | None:
        """Return the matrix of each leaf, if those of similar ones are known."""
        if not isinstance(self.leaves, LinearEvaluator):
            return None
        found, hands = [], _HandsOf()
        for leaf, picked in zip(leaves, picks, strict=True):
            nodes, scales = self._similar(leaf)
            parts = self.leaves.matrices(nodes[0].game, nodes, [picked] * len(nodes))
            if parts is None:
                return None
            values = [
                sum(scale * part.values[seat] for scale, part in zip(scales, parts, strict=True)) for seat in (0, 1)
            ]
            found.append(hands.convert(leaf, nodes[0], LeafMatrix(parts[0].groups, (values[0], values[1]))))
        return found

    def _similar(self, leaf: PublicNode) -> tuple[list[PublicNode], FloatArray]:
        nodes = list(self.similar(leaf))
        if not nodes:
            raise InputError(f"{leaf.game.name}: nothing is similar to the leaf after {leaf.steps!r}")
        return nodes, np.array([self.pot(leaf) / (self.pot(node) * len(nodes)) for node in nodes])


class FinedLeaves:
    """Leaves at which a seat pays the other an amount for the continuation it has chosen, whatever hand the other
    holds."""

    def __init__(self, leaves: LeafEvaluator, seat: int, fines: Callable[[PublicNode, Picks], FloatArray]) -> None:
        require_seat("seat", seat)
        self.leaves, self.seat, self.fines, self.counts = leaves, seat, fines, counts_of(leaves)
        self._met: dict[Any, Values] = {}

    def values(self, batch: LeafBatch) -> Values:
        """Return the values of all leaves for the ranges of a batch."""
        won, seat = tuple(part.copy() for part in self.leaves.values(batch)), self.seat
        for number, (leaf, picked) in enumerate(zip(batch.leaves, batch.picks, strict=True)):
            fine = self.fines(leaf, picked)
            won[seat][number] -= fine * leaf.mass(seat, batch.reach[1 - seat][number])
            won[1 - seat][number] += leaf.mass(1 - seat, fine * batch.reach[seat][number])
        return won[0], won[1]

    def matrices(
        self, game: PublicGame, leaves: Sequence[PublicNode], picks: Sequence[Picks]
    ) -> list[LeafMatrix] | None:
        """Return the matrix of each leaf, if those of the leaves without fines are known."""
        parts = self.leaves.matrices(game, leaves, picks) if isinstance(self.leaves, LinearEvaluator) else None
        if parts is None:
            return None
        found, seat, known = [], self.seat, self._met
        for leaf, picked, part in zip(leaves, picks, parts, strict=True):
            key = leaf.game, leaf.dealt
            if key not in known:
                known[key] = met_groups(leaf, part.groups)
            members = [first_of(own) for own in part.groups]
            fine, values = self.fines(leaf, picked)[members[seat]], list(part.values)
            values[seat] = values[seat] - fine[:, None] * known[key][seat]
            values[1 - seat] = values[1 - seat] + fine * known[key][1 - seat]
            found.append(LeafMatrix(part.groups, (values[0], values[1])))
        return found


def penalised(leaves: LeafEvaluator, seat: int, share: float, pot: Pot) -> FinedLeaves:
    """Return leaves at which a seat pays a share of the pot for any continuation but its blueprint.

    See Brown et al. 2018, section 4.
    """
    if not is_amount(share):
        raise InputError(f"share must be a number of at least 0, not {share!r}")

    def fines(leaf: PublicNode, picks: Picks) -> FloatArray:
        return np.full(leaf.game.hand_counts[seat], share * pot(leaf) if picks[seat] else 0.0)

    return FinedLeaves(leaves, seat, fines)


def weakened(leaves: LeafEvaluator, seat: int, blueprint: Profile | Arriving) -> FinedLeaves:
    """Return leaves at which no continuation is worth more to a hand of a seat than its blueprint.

    See Brown et al. 2018, section 4.

    The excess is measured on average against the other seat's blueprint and the reach under it (against any hand where
    it never arrives), and subtracted against every hand of the other seat. `blueprint` is a profile of the game that
    contains the leaves, or says how the other seat's hands arrive at a leaf under its blueprint.
    """
    require_seat("seat", seat)
    arriving = _arriving(blueprint, 1 - seat) if isinstance(blueprint, Profile) else blueprint
    known: dict[Any, FloatArray] = {}

    def fines(leaf: PublicNode, picks: Picks) -> FloatArray:
        chosen = picks[seat]
        key = leaf.game, leaf.trail, chosen
        if key not in known:
            known[key] = _excess(leaves, leaf, seat, chosen, arriving)
        return known[key]

    return FinedLeaves(leaves, seat, fines)


def _arriving(blueprint: Profile, seat: int) -> Arriving:
    """Return how the hands of a seat arrive at leaves of the game of a profile, or of a part of it."""

    def arriving(leaf: PublicNode) -> FloatArray:
        node = leaf if leaf.game is blueprint.game else counterpart(blueprint.game, leaf)
        return leaf.game.from_hands_of(blueprint.game, seat, node.reach(blueprint)[seat])

    return arriving


def _excess(leaves: LeafEvaluator, leaf: PublicNode, seat: int, chosen: int, arrives: Arriving) -> FloatArray:
    """Return by how much a continuation is worth more to each hand of a seat than its blueprint: conditional, or 0."""
    game, other = leaf.game, 1 - seat
    if not chosen:
        return np.zeros(game.hand_counts[seat])
    arriving = arrives(leaf)
    met = leaf.mass(seat, arriving)
    arriving = arriving if met.max() > 0 else np.ones_like(arriving)
    mass = leaf.mass(seat, arriving)
    picks = [(pick, 0) if seat == 0 else (0, pick) for pick in (0, chosen)]
    reach = [np.ones((2, count)) for count in game.hand_counts]
    reach[other] = np.repeat(arriving[None], 2, axis=0)
    base, won = leaves.values(LeafBatch(game, [leaf, leaf], picks, (reach[0], reach[1])))[seat]
    return np.asarray(np.divide(np.maximum(won - base, 0.0), mass, out=np.zeros_like(mass), where=mass > 0))


def same_ranks(leaf: PublicNode, start: PublicNode) -> PublicNode:
    """Return the node that follows another start by actions of the same rank, as a leaf follows the root of its game.

    The first raise stands for the first one and so on, whatever their sizes; the betting must have the same shape.
    """
    at, found = leaf.game.root, start
    for step in leaf.trail:
        if at.kind != found.kind or (
            at.kind == "decision" and (at.player, len(at.actions)) != (found.player, len(found.actions))
        ):
            raise InputError("the betting after a bet that is not in the game has not the shape of that after others")
        if at.kind == "deal":
            at, found = at.deal(step), found.deal(step)
        else:
            at, found = at.child(step), found.child(found.actions[at.actions.index(step)])
    return found


def groups_at(node: PublicNode) -> Groups:
    """Return per player the group of each hand at a node, -1 for hands that are blocked."""
    found, game = [], node.game
    for player, own in enumerate(game.hand_groups(node.board)):
        place = game.row_places(player, node.located)
        rows = game.to_rows(player, node.board, own)
        numbers = np.where(place >= 0, rows[place], -1)
        found.append(np.unique(numbers, return_inverse=True)[1] - (1 if (place < 0).any() else 0))
    return found[0], found[1]


def count_continuations(players: int, continuations: Sequence[Sequence[Any]]) -> tuple[int, ...]:
    """Return how many continuations each seat has; there must be at least one."""
    wanted = f"{players} lists, one per seat, each with at least the blueprint"
    if not isinstance(continuations, list | tuple) or not all(isinstance(own, list | tuple) for own in continuations):
        raise InputError(f"continuations must be {wanted}, not {shown(continuations)}")
    counts = tuple(len(own) for own in continuations)
    if len(counts) != players or min(counts) < 1:
        raise InputError(f"continuations must be {wanted}, not {counts}")
    return counts


def continuation_profile(whole: PublicGame, strategy: Continuation) -> Profile:
    """Return a strategy of a game with infosets as a profile of its public game; a profile as it is."""
    if isinstance(strategy, Profile):
        if strategy.game is not whole:
            raise InputError(f"a strategy must be a profile of {whole.name} itself, not of {strategy.game.name}")
        return strategy
    if not isinstance(whole, DenseGame):
        raise InputError(f"{whole.name} has no infosets: strategies must be profiles of it, not {shown(strategy)}")
    return whole.profile(strategy)


def pot_of(node: PublicNode) -> float:
    """Return the chips in the middle at a node of hold'em."""
    game = node.game
    if not isinstance(game, HoldemGame):
        raise InputError(f"{game.name} is not hold'em: say what the pot is at a node")
    return float(game.betting.total_pot(node.state))


class _HandsOf:
    """Matrices of nodes for the hands of another game, whose leaves the nodes stand for; each board is converted
    once."""

    def __init__(self) -> None:
        self._known: dict[Any, tuple[Groups, list[NDArray[np.int64]]]] = {}

    def convert(self, leaf: PublicNode, node: PublicNode, matrix: LeafMatrix) -> LeafMatrix:
        """Return the matrix of a node over the groups of hands at a leaf."""
        if leaf.game is node.game:
            return matrix
        key = leaf.dealt, node.dealt, node.game
        if key not in self._known:
            self._known[key] = _groups_of(leaf, node, matrix.groups)
        groups, kept = self._known[key]
        first, second = (matrix.values[seat][np.ix_(kept[seat], kept[1 - seat])] for seat in range(2))
        return LeafMatrix(groups, (first, second))


def _groups_of(leaf: PublicNode, node: PublicNode, known: Groups) -> tuple[Groups, list[NDArray[np.int64]]]:
    """Return the groups at a node for the hands of a leaf's game, and which of them there are."""
    groups, kept = [], []
    for player, (own, alike) in enumerate(zip(known, groups_at(leaf), strict=True)):
        numbers = leaf.game.from_hands_of(node.game, player, own + 1.0).astype(np.int64) - 1
        numbers = np.where(alike >= 0, numbers, -1)
        present = np.unique(numbers[numbers >= 0])
        if len(np.unique(np.stack([numbers, alike])[:, numbers >= 0], axis=1).T) != len(present):
            raise InputError(f"{node.game.name} does not tell suits apart that {leaf.game.name} does: build it so")
        groups.append(np.where(numbers >= 0, np.searchsorted(present, numbers), -1))
        kept.append(present)
    return (groups[0], groups[1]), kept


def met_groups(leaf: PublicNode, groups: Groups) -> Values:
    """Return the mass of each of the other's groups that a hand of a group can meet, all hands arriving with reach
    1."""
    found = []
    for player in range(2):
        own, other = groups[player], groups[1 - player]
        met = [leaf.mass(player, (other == number).astype(np.float64)) for number in range(int(other.max()) + 1)]
        found.append(np.array(met).T[first_of(own)])
    return found[0], found[1]

"""The rules of a game cut at a depth limit, for any number of players and for solvers of any kind.

See Brown 2020, sections 5.2, 6.3.

At the limit every player who has several continuations picks one without seeing another's pick, and the payoff is the
value of the rest of the game under the picks: by `HistoryTable`, which evaluates the whole game, or by rollouts. Both
are leaf evaluators too, in small games of two players (`counterpoise.search.depth_limited`).
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL, Game, GameView, as_game, game_name
from counterpoise.parameters import require_whole
from counterpoise.public import DenseGame, LeafBatch, LeafMatrix, PublicGame, PublicNode
from counterpoise.public.histories import AfterHistory, private_deals
from counterpoise.public.leaves import Picks, linear_values
from counterpoise.search.leaves import count_continuations
from counterpoise.search.subgame import FloatArray
from counterpoise.tree import Strategy, Tree, enumerate_game

Path = tuple[str, ...]
"""A history by the labels of its steps, the private deal included."""


class HistoryLeaves(ABC):
    """Values of histories in games of any number of players, which in games of two are leaf evaluators."""

    counts: tuple[int, ...]
    """The number of continuations of each seat."""

    @abstractmethod
    def history_values(self, path: Path) -> FloatArray:
        """Return the value of a history by the pick of each seat and, last, by player."""

    def values(self, batch: LeafBatch) -> tuple[FloatArray, FloatArray]:
        """Return the values of all leaves for the ranges of a batch."""
        return linear_values(self.matrices(batch.game, batch.leaves, batch.picks), batch)

    def matrices(self, game: PublicGame, leaves: Sequence[PublicNode], picks: Sequence[Picks]) -> list[LeafMatrix]:
        """Return the matrix of each leaf: sums over private deals, by the probability of each with the board."""
        if not isinstance(game, DenseGame):
            raise InputError("values of histories are for games with infosets: in hold'em use a LeafTable")
        rules = game.rules.game if isinstance(game.rules, AfterHistory) else game.rules
        deals, groups, found = private_deals(rules), game.hand_groups(0), []
        for leaf, picked in zip(leaves, picks, strict=True):
            chance = game.deals.chances[leaf.street_tree.street][int(game.boards.ordinal[leaf.board])]
            sums = np.zeros((2, *game.hand_counts))
            for number, deal in enumerate(deals):
                if chance[number] > 0:
                    won = self.history_values((*deal.path, *game.history(leaf)))[picked]
                    sums[:, game.deals.hands[0][number], game.deals.hands[1][number]] += chance[number] * won
            found.append(LeafMatrix(groups, (sums[0], sums[1].T)))
        return found


class HistoryTable(HistoryLeaves):
    """Exact values: the whole game is enumerated and every choice of continuations evaluated in it.

    `continuations` has a list for each seat; only the seat's own part of each profile is used.
    """

    def __init__(self, game: Game | str, continuations: Sequence[Sequence[Strategy]]) -> None:
        self.tree = enumerate_game(game)
        self.counts = count_continuations(self.tree.players, continuations)
        self._values = np.empty((*self.counts, self.tree.nodes, self.tree.players))
        for picks in itertools.product(*map(range, self.counts)):
            parts = [own[pick] for own, pick in zip(continuations, picks, strict=True)]
            self._values[picks] = values_of_histories(self.tree, joined(self.tree, parts))

    def history_values(self, path: Path) -> FloatArray:
        """Return the table's entries for a history."""
        node = 0
        for number, _ in _steps(self.tree.game, path):
            node = int(self.tree.histories.first_child[node]) + number
        return self._values[..., node, :]

    @property
    def megabytes(self) -> float:
        """Size of the table, in units of 10^6 bytes."""
        return self._values.nbytes / 1e6


class _Step(NamedTuple):
    """A state of the game, how it came about, decisions so far, and the picks at a leaf (None elsewhere)."""

    state: Any
    path: Path
    decisions: int
    picks: tuple[int, ...] | None


class LimitedRules(GameView):
    """The rules of a game up to a depth limit, where players pick continuations.

    Play stops after `depth` decisions; without a depth at the first public event of chance. `hands` says per seat which
    hand each private deal is; None asks the whole game (`private_hands`), which must be small enough to be walked.
    """

    def __init__(
        self, game: Game, hands: Sequence[NDArray[np.int64]] | None, leaves: HistoryLeaves, depth: int | None = None
    ) -> None:
        if depth is not None:
            require_whole("depth", depth)
        super().__init__(game)
        self.leaves, self.depth = leaves, depth
        self.name = f"{game_name(game)} to {'the end of the round' if depth is None else f'depth {depth}'}"
        deals = [deal.path for deal in private_deals(game)]
        hands = private_hands(game) if hands is None else hands
        if {len(own) for own in hands} != {len(deals)}:
            raise InputError(f"{self.name}: hands must be given for its {len(deals)} private deals")
        if len(leaves.counts) != game.players:
            raise InputError(f"{self.name}: the leaves are for {len(leaves.counts)} players")
        self._hands = {deal: [int(own[n]) for own in hands] for n, deal in enumerate(deals)}
        self._deal = len(deals[0])
        self._choosers = [seat for seat, count in enumerate(leaves.counts) if count > 1]

    def inner(self, state: _Step) -> Any:
        """Return the state of the game."""
        return state.state

    def initial(self) -> _Step:
        """Return the state before the deal."""
        return _Step(self.game.initial(), (), 0, None)

    def player(self, state: _Step) -> int:
        """Return who acts; at a leaf those who have several continuations, then the game is over."""
        if state.picks is None:
            return self.game.player(state.state)
        return self._choosers[len(state.picks)] if len(state.picks) < len(self._choosers) else TERMINAL

    def actions(self, state: _Step) -> Sequence[str]:
        """Return the actions of the game; at a leaf the numbers of the continuations."""
        if state.picks is None:
            return self.game.actions(state.state)
        return [f"continuation {k}" for k in range(self.leaves.counts[self.player(state)])]

    def next(self, state: _Step, action: str) -> _Step:
        """Return the state after a step; at a leaf the pick is noted."""
        if state.picks is not None:
            return state._replace(picks=(*state.picks, int(action.split()[1])))
        player, after = self.game.player(state.state), self.game.next(state.state, action)
        decisions = state.decisions + (player != CHANCE)
        return _Step(after, (*state.path, action), decisions, () if self._stops(after, decisions) else None)

    def infoset(self, state: _Step) -> str:
        """Return the infoset of the game; at a leaf that of a chooser who is to act, else its hand and the actions."""
        if state.picks is None:
            return self.game.infoset(state.state)
        seat = self.player(state)
        if self.game.player(state.state) == seat:
            return f"{self.game.infoset(state.state)} at the leaf"
        deal, public = state.path[: self._deal], state.path[self._deal :]
        return f"hand {self._hands[deal][seat]} after {' '.join(public)} at the leaf"

    def payoffs(self, state: _Step) -> Sequence[float]:
        """Return the payoffs of the game; at a leaf the value of what was picked."""
        if state.picks is None:
            return self.game.payoffs(state.state)
        picked = dict(zip(self._choosers, state.picks, strict=True))
        won = self.leaves.history_values(state.path)[tuple(picked.get(seat, 0) for seat in range(self.players))]
        if not np.isfinite(won).all():
            raise _missing(self.game, state.path)
        return [float(value) for value in won]

    def _stops(self, state: Any, decisions: int) -> bool:
        if decisions == 0 or self.game.player(state) == TERMINAL:
            return False
        return self.game.player(state) == CHANCE if self.depth is None else decisions >= self.depth


def joined(tree: Tree, parts: Sequence[Strategy]) -> FloatArray:
    """Return the flat profile in which every seat plays its part of its strategy."""
    profile = parts[0].on(tree).copy()
    for seat, part in enumerate(parts):
        block = slice(*np.asarray(tree.form.first_sequence[seat : seat + 2], dtype=np.int64))
        profile[block] = part.on(tree)[block]
    return profile


def values_of_histories(tree: Tree, profile: FloatArray) -> FloatArray:
    """Return the expected payoff of each player from every history on, [history, player]."""
    histories = tree.histories
    parent = histories.parent.astype(np.int64)
    likely = histories.probability.copy()
    decided = np.flatnonzero(parent >= 0)
    decided = decided[histories.player[parent[decided]] >= 0]
    above = parent[decided]
    start = np.asarray(tree.form.start, dtype=np.int64)[histories.infoset[above]]
    likely[decided] = profile[start + decided - histories.first_child[above]]
    values = np.zeros((tree.nodes, tree.players))
    ends = histories.player == TERMINAL
    values[ends] = histories.payoffs[histories.infoset[ends]]
    depth = np.zeros(tree.nodes, dtype=np.int64)
    above = parent.copy()
    while (inner := above >= 0).any():
        depth[inner] += 1
        above[inner] = parent[above[inner]]
    for level in range(int(depth.max()), 0, -1):
        nodes = np.flatnonzero(depth == level)
        np.add.at(values, parent[nodes], likely[nodes, None] * values[nodes])
    return values


def state_after(game: Game, path: Path) -> Any:
    """Return the state after a history; refused if the game does not have it."""
    return [game.initial(), *(state for _, state in _steps(game, path))][-1]


def private_hands(game: Game | str) -> list[NDArray[np.int64]]:
    """Return per seat which hand each private deal is: deals with an infoset of that seat in common are one hand.

    For two players and public actions ``build_dense(game).deals.hands`` is the same.
    """
    rules = as_game(game)
    deals = private_deals(rules)
    first: dict[tuple[int, str], int] = {}
    same = [list(range(len(deals))) for _ in range(rules.players)]
    for deal, dealt in enumerate(deals):
        stack = [dealt.state]
        while stack:
            state = stack.pop()
            player = rules.player(state)
            if player >= 0:
                one = same[player][first.setdefault((player, rules.infoset(state)), deal)]
                other = same[player][deal]
                same[player] = [one if hand == other else hand for hand in same[player]]
            if player != TERMINAL:
                steps = [name for name, _ in rules.chance(state)] if player == CHANCE else rules.actions(state)
                stack += [rules.next(state, step) for step in steps]
    return [np.unique(own, return_inverse=True)[1].astype(np.int64) for own in same]


def _steps(game: Game, path: Path) -> Iterator[tuple[int, Any]]:
    """Yield for each step of a path its number among the possible ones and the state after it; refuse impossible ones.

    Actions where there is no choice may be left out.
    """
    state, left = game.initial(), list(path)
    while left:
        player = game.player(state)
        options: list[str] = []
        if player != TERMINAL:
            options = [name for name, _ in game.chance(state)] if player == CHANCE else list(game.actions(state))
        if left[0] not in options and (player < 0 or len(options) > 1):
            raise _missing(game, path)
        step = left.pop(0) if left[0] in options else options[0]
        state = game.next(state, step)
        yield options.index(step), state


def _missing(game: Game, path: Path) -> InputError:
    return InputError(f"{game_name(game)}: there are no leaf values after {' '.join(path)!r}")

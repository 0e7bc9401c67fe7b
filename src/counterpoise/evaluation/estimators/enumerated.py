"""Imagined histories of a whole enumerated game: the value of an estimator at every end, as one table.

`EnumeratedHands` knows what each player sees in every history. Its layers hold all histories of a length, so that one
call of an estimator fills a table over all ends of the game: a hand that was played is a row of it, its exact mean and
deviation are sums over it, and a match of millions of hands costs no more than one of ten.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.evaluation.estimators.layers import (
    CLOSED,
    FOLDED,
    OPEN,
    BoolArray,
    FloatArray,
    Guess,
    IndexArray,
    Layer,
)
from counterpoise.games.base import CHANCE, TERMINAL, Action, game_name, is_observed
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour, KnownPlayer
from counterpoise.games.moves import FOLD, action_kinds
from counterpoise.parameters import shown
from counterpoise.tree import Strategy, Tree

NOTHING = -1
_ROOT = -2


@runtime_checkable
class Tabulated(Protocol):
    """A known player that can return its whole strategy as one table."""

    def tabulate(self, tree: Tree) -> FloatArray | None:
        """Return its strategy for all seats as a flat array; None if it has no such table."""


@dataclass(frozen=True, eq=False)
class EnumeratedHands:
    """A game, all its histories, and what is seen in each."""

    tree: Tree

    @cached_property
    def levels(self) -> list[IndexArray]:
        """The histories of each length, by their numbers in the tree."""
        parent = self.tree.histories.parent
        levels, level = [], np.zeros(1, dtype=np.int64)
        children = np.argsort(parent, kind="stable")[1:]
        starts = np.searchsorted(parent[children], np.arange(self.tree.nodes + 1))
        while len(level):
            levels.append(level)
            level = np.concatenate([children[starts[node] : starts[node + 1]] for node in level])
        return levels

    @cached_property
    def ends(self) -> IndexArray:
        """The histories that are over, in the order in which estimators list them."""
        player = self.tree.histories.player
        return np.concatenate([level[player[level] == TERMINAL] for level in self.levels])

    @cached_property
    def mover(self) -> NDArray[np.int8]:
        """The player, or chance, who made the last step of every history."""
        histories = self.tree.histories
        return np.asarray(np.where(histories.parent < 0, _ROOT, histories.player[histories.parent]), dtype=np.int8)

    @cached_property
    def place(self) -> IndexArray:
        """The number of the last step of every history among those that were possible."""
        histories = self.tree.histories
        first = np.where(histories.parent < 0, 0, histories.first_child[histories.parent])
        return np.arange(self.tree.nodes) - first

    @cached_property
    def _seen(self) -> IndexArray:
        """What is seen of the last step, in numbers: [history, public and then each seat].

        What is shown when the game is over is left out, since no player could act on it.
        """
        return self._walked[0]

    @property
    def views(self) -> list[tuple[tuple[str, ...], str]]:
        """The public history and the private string of every information set."""
        return self._walked[1]

    @cached_property
    def _walked(self) -> tuple[IndexArray, list[tuple[tuple[str, ...], str]]]:
        game: Any = self.tree.game
        if not is_observed(game):
            raise InputError(f"{game_name(game)} does not say what is public and what is private")
        histories, players = self.tree.histories, self.tree.players
        seen = np.full((self.tree.nodes, 1 + players), NOTHING, dtype=np.int64)
        views: list[tuple[tuple[str, ...], str]] = [((), "")] * len(self.tree.table)
        numbers: dict[Any, int] = {}
        states: dict[int, tuple[Any, int]] = {0: (game.initial(), 0)}
        for node, (first, over) in enumerate(
            zip(histories.first_child.tolist(), (histories.player == TERMINAL).tolist(), strict=True)
        ):
            state, known = states.pop(node)
            public = tuple(game.public(state))
            news = public[known : known + 1] if over else public[known:]
            seen[node, 0] = numbers.setdefault(("public", news), len(numbers))
            if over:
                continue
            privates = [game.private(state, seat) for seat in range(players)]
            seen[node, 1:] = [numbers.setdefault(own, len(numbers)) for own in enumerate(privates)]
            if (mover := histories.player[node]) >= 0:
                views[histories.infoset[node]] = public, privates[mover]
            for k, step in enumerate(steps_at(game, state)):
                states[first + k] = game.next(state, step), len(public)
        return seen, views

    def groups(self, imagined: Collection[int]) -> list[IndexArray]:
        """Return, for each length, the groups of histories that look alike to all but the `imagined` seats."""
        key = frozenset(imagined)
        if key not in self._groups:
            self._groups[key] = self._find_groups(key)
        return self._groups[key]

    @cached_property
    def _groups(self) -> dict[frozenset[int], list[IndexArray]]:
        return {}

    def _find_groups(self, imagined: frozenset[int]) -> list[IndexArray]:
        histories, seen = self.tree.histories, self._seen
        told = [seat for seat in range(self.tree.players) if seat not in imagined]
        found = [np.zeros(1, dtype=np.int64)]
        position = np.zeros(self.tree.nodes, dtype=np.int64)
        for level in self.levels[1:]:
            mover = self.mover[level]
            own = np.where(np.isin(mover, told), self.place[level], NOTHING)  # a player knows what it did
            keys = [position[histories.parent[level]], seen[level, 0], histories.player[level], own]
            keys += [seen[level, 1 + seat] for seat in told]
            found.append(np.unique(np.stack(keys, axis=1), axis=0, return_inverse=True)[1].reshape(-1))
            position[level] = found[-1]
        return found

    @cached_property
    def folded(self) -> BoolArray:
        """Whether all players but one have folded, so that no cards are shown, for every history that is over."""
        histories = self.tree.histories
        folds = np.zeros(self.tree.nodes, dtype=np.int64)
        for level in self.levels[1:]:
            own = (self.mover[level] >= 0) & (self.kinds[level] == FOLD)
            folds[level] = folds[histories.parent[level]] + own
        return np.asarray((histories.player == TERMINAL) & (folds >= self.tree.players - 1))

    @cached_property
    def kinds(self) -> NDArray[np.int8]:
        """Whether the last step of every history folds, calls or raises; `NOTHING` where no such word fits."""
        tree, histories = self.tree, self.tree.histories
        kinds = np.full(tree.nodes, NOTHING, dtype=np.int8)
        table = tree.table
        by_infoset = [
            action_kinds(tree.game, label, actions) for label, actions in zip(table.labels, table.actions, strict=True)
        ]
        for node in np.flatnonzero(histories.player >= 0).tolist():
            own = by_infoset[histories.infoset[node]]
            if own is not None:
                first = histories.first_child[node]
                kinds[first : first + len(own)] = own
        return kinds

    def profile(self, players: Sequence[KnownPlayer | None]) -> FloatArray:
        """Return a flat profile of known players, one for each seat; uniform where there is none."""
        tree = self.tree
        flat = Strategy.uniform(tree).probabilities
        asked: dict[tuple[int, tuple[str, ...]], Behaviour] = {}
        for seat, player in enumerate(players):
            own = slice(*tree.form.first_sequence[seat : seat + 2].tolist())
            table = player.tabulate(tree) if isinstance(player, Tabulated) else None
            if table is not None:
                flat[own] = table[own]
            elif player is not None:
                for infoset in np.flatnonzero(tree.table.owner == seat).tolist():
                    public, private = self.views[infoset]
                    if (seat, public) not in asked:
                        asked[seat, public] = player.probabilities(public)
                    told = asked[seat, public]
                    row = dict(zip(told.actions, told.table[told.hands.index(private)].tolist(), strict=True))
                    start, actions = int(tree.table.start[infoset]), tree.table.actions[infoset]
                    flat[start : start + len(actions)] = [row.get(action, 0.0) for action in actions]
        return flat

    def steps(self, profile: FloatArray) -> FloatArray:
        """Return the probability of the last step of every history, by chance or a flat profile of all seats."""
        tree, histories = self.tree, self.tree.histories
        steps = histories.probability.copy()
        acted = np.flatnonzero(self.mover >= 0)
        block = tree.form.start.astype(np.int64)[histories.infoset[histories.parent[acted]]]
        steps[acted] = profile[block + self.place[acted]]
        return steps

    def values(self, profile: FloatArray, payoffs: FloatArray | None = None) -> FloatArray:
        """Return the value of every history to each seat if all follow a flat profile from there, [history, seat].

        `payoffs` may stand in for those of the game, a row for each history that is over (in the order of the tree).
        """
        return self.backward(self.steps(profile), self.tree.histories.payoffs if payoffs is None else payoffs)

    def backward(self, steps: FloatArray, payoffs: FloatArray) -> FloatArray:
        """Return the mean of payoffs below every history, given the probability of every step, [history, column]."""
        histories = self.tree.histories
        values = np.zeros((self.tree.nodes, payoffs.shape[1]))
        ends = histories.player == TERMINAL
        values[ends] = payoffs[histories.infoset[ends]]
        for level in reversed(self.levels[1:]):
            np.add.at(values, histories.parent[level], steps[level, None] * values[level])
        return values

    def reach(self, steps: FloatArray) -> FloatArray:
        """Return the product of the steps to every history."""
        reach = np.ones(self.tree.nodes)
        for level in self.levels[1:]:
            reach[level] = reach[self.tree.histories.parent[level]] * steps[level]
        return reach

    @cached_property
    def only_chance(self) -> BoolArray:
        """Whether no player acts from a history on."""
        histories = self.tree.histories
        acts = (histories.player >= 0).astype(np.float64)
        for level in reversed(self.levels[1:]):
            np.maximum.at(acts, histories.parent[level], acts[level])
        return np.asarray(acts == 0)

    def _bounds(self, seat: int) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and the highest payoff of a seat below every history."""
        histories = self.tree.histories
        low, high = np.full(self.tree.nodes, np.inf), np.full(self.tree.nodes, -np.inf)
        ends = histories.player == TERMINAL
        low[ends] = high[ends] = histories.payoffs[histories.infoset[ends], seat]
        for level in reversed(self.levels[1:]):
            np.minimum.at(low, histories.parent[level], low[level])
            np.maximum.at(high, histories.parent[level], high[level])
        return low, high

    def closes(self, seat: int) -> NDArray[np.int8]:
        """Return what the last step of every history leads to if `seat` made it, as `Layer.closes` says.

        An own step closes the game if only chance follows, or if the seat's payoff is settled, as by a fold.
        """
        low, high = self._bounds(seat)
        closing = (self.mover == seat) & (self.only_chance | (low == high))
        kind = np.where(self.kinds == FOLD, FOLDED, CLOSED)
        return np.asarray(np.where(closing, kind, OPEN), dtype=np.int8)

    @property
    def payoffs(self) -> FloatArray:
        """The payoffs of every history that is over, [history, seat]; 0 elsewhere."""
        histories = self.tree.histories
        payoffs = np.zeros((self.tree.nodes, self.tree.players))
        ends = histories.player == TERMINAL
        payoffs[ends] = histories.payoffs[histories.infoset[ends]]
        return payoffs

    def chance_mean(self) -> FloatArray:
        """Return the mean payoffs where only chance is left, [history, seat]; elsewhere sums without a meaning."""
        histories = self.tree.histories
        return self.backward(np.where(self.mover == CHANCE, histories.probability, 1.0), histories.payoffs)

    def worth(self, seat: int) -> FloatArray:
        """Return the values to a seat of histories that are over, settled, or left to chance; arbitrary elsewhere."""
        return np.where(self.only_chance, self.chance_mean()[:, seat], self._bounds(seat)[0])

    def layers(
        self,
        played: FloatArray,
        known: Collection[int],
        values: FloatArray,
        *,
        imagined: Collection[int] | None = None,
        evaluated: FloatArray | None = None,
        closing: int | None = None,
        hidden: bool = False,
    ) -> list[Layer]:
        """Return all histories as layers.

        `played` and `evaluated` are flat profiles, of which only the `known` seats matter. Cards of the `imagined`
        seats, by default the known ones, are averaged over; none of them is if it is empty. `values` are those of all
        histories, [history, column]; `closing` is the seat whose own actions may close the game. With `hidden` cards
        the others' hands are unknown if all but one have folded; at a showdown all count as seen.
        """
        histories = self.tree.histories
        imagined = known if imagined is None else imagined
        groups = self.groups(imagined) if imagined else [np.arange(len(level)) for level in self.levels]
        blind = self.groups(range(self.tree.players)) if hidden and imagined else groups
        ours = np.isin(self.mover, list(known))
        chance = np.where(self.mover == CHANCE, histories.probability, 1.0)
        shares = [
            np.where(ours, self.steps(profile), 1.0) for profile in (played, played if evaluated is None else evaluated)
        ]
        closes = np.zeros(self.tree.nodes, dtype=np.int8) if closing is None else self.closes(closing)
        position = np.zeros(self.tree.nodes, dtype=np.int64)
        layers = []
        for level, group, public in zip(self.levels, groups, blind, strict=True):
            above = position[histories.parent[level]]
            position[level] = np.arange(len(level))
            over = histories.player[level] == TERMINAL
            end = group
            if hidden and imagined:
                end = np.where(self.folded[level], int(group.max()) + 1 + public, group)
            known_step = ours[level] | (self.mover[level] == CHANCE)
            played_step, evaluated_step = (share[level] for share in shares)
            layers.append(
                Layer(
                    above,
                    group,
                    end,
                    chance[level],
                    played_step,
                    evaluated_step,
                    known_step,
                    closes[level],
                    over,
                    values[level],
                )
            )
        return layers

    def guesses(self, table: FloatArray) -> list[Guess]:
        """Return a table of values of all histories, [history, column], as guesses for the layers."""
        return [Guess(table[level]) for level in self.levels[1:]]

    def row(self, history: tuple[Action, ...]) -> int:
        """Return the place of a hand that was played in `ends`."""
        if history not in self._rows:
            self._rows[history] = int(self._places[self.find(history)])
        return self._rows[history]

    @cached_property
    def _rows(self) -> dict[tuple[Action, ...], int]:
        return {}

    @cached_property
    def _places(self) -> IndexArray:
        places = np.zeros(self.tree.nodes, dtype=np.int64)
        places[self.ends] = np.arange(len(self.ends))
        return places

    def find(self, history: Sequence[Action]) -> int:
        """Return the number of the history in which a hand ended."""
        game: Any = self.tree.game
        histories, node, state = self.tree.histories, 0, game.initial()
        for step in history:
            possible = steps_at(game, state)
            if step not in possible:
                why = (
                    "a bet outside the menu cannot be judged in an enumerated game" if isinstance(game, Holdem) else ""
                )
                known = f"{shown(step)} is not possible there, only {', '.join(possible[:12])}"
                raise InputError(f"{known}: {why}" if why else known)
            node = int(histories.first_child[node]) + possible.index(step)
            state = game.next(state, step)
        if histories.player[node] != TERMINAL:
            raise InputError("the hand has no end")
        return node


def steps_at(game: Any, state: Any) -> list[Action]:
    """Return what may happen next: outcomes of chance, or actions."""
    mover = game.player(state)
    if mover == TERMINAL:
        return []
    return [outcome for outcome, _ in game.chance(state)] if mover == CHANCE else list(game.actions(state))

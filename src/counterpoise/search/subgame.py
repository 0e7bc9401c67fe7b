"""Subgames of games with public actions: what follows a public history, with the ranges that arrive there.

A public history is a sequence of actions and public chance outcomes that everybody has seen. The subgame after it is
a public tree of its own (`DenseTree`), in which each private deal has the same probability as in the whole game
(times that of the public outcomes) and hands are those of the whole game, so that vectors over hands mean the same
before and after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL, Game, as_game, game_name
from counterpoise.parameters import as_numbers, require_seat
from counterpoise.public import DenseTree, PublicTree
from counterpoise.tree import Strategy

FloatArray = NDArray[np.float64]
Profile = Mapping[Any, Mapping[str, float]]
"""A `Strategy`, or {(player, infoset): {action: probability}}."""


TINY = 1e-30
"""Less reach than this is nothing: what is divided by it would not be a number in the trees' float32."""
LEAST = 1e-5
"""The share of a range that a hand of hold'em must meet to count: less is lost in the trees' rounding."""


class _Moment(NamedTuple):
    """A state of the whole game and how much of the public history has happened."""

    state: Any
    happened: int


class AfterHistory:
    """The rules of `game` from a public history on: chance deals, then the history has happened and somebody acts."""

    def __init__(self, game: Game, history: Sequence[str]) -> None:
        self.game, self.history, self.players = game, tuple(history), game.players
        self.name = f"{game_name(game)} after {' '.join(self.history)}"
        if self.history:
            self._require_decision()

    def __str__(self) -> str:
        return self.name

    def initial(self) -> _Moment:
        """Before the deal."""
        return self._advance(_Moment(self.game.initial(), 0))

    def player(self, state: _Moment) -> int:
        """Who acts; the public outcomes of the history are chance nodes with one outcome."""
        return self.game.player(state.state)

    def actions(self, state: _Moment) -> Sequence[str]:
        """As in the whole game."""
        return self.game.actions(state.state)

    def chance(self, state: _Moment) -> Sequence[tuple[str, float]]:
        """As in the whole game; of a public outcome of the history the probability, which a deal may make 0."""
        outcomes = self.game.chance(state.state)
        if not self._due(state):
            return outcomes
        wanted = self.history[state.happened]
        return [(wanted, dict(outcomes).get(wanted, 0.0))]

    def next(self, state: _Moment, action: str) -> _Moment:
        """Go on; decisions of the history are taken at once."""
        happened = state.happened + (1 if self._due(state) else 0)
        return self._advance(_Moment(self.game.next(state.state, action), happened))

    def infoset(self, state: _Moment) -> str:
        """As in the whole game."""
        return self.game.infoset(state.state)

    def payoffs(self, state: _Moment) -> Sequence[float]:
        """As in the whole game."""
        return self.game.payoffs(state.state)

    def _due(self, state: _Moment) -> bool:
        """Whether a chance node is the next step of the history, not the private deal."""
        return state.happened > 0 and state.happened < len(self.history)

    def _advance(self, moment: _Moment) -> _Moment:
        state, happened = moment
        while happened < len(self.history) and self.game.player(state) >= 0:
            state, happened = self.game.next(state, self.history[happened]), happened + 1
        return _Moment(state, happened)

    def _require_decision(self) -> None:
        """Refuse a history that no private deal allows, and one after which nobody acts."""
        game, name = self.game, game_name(self.game)
        actors = set()
        for state in deals(game):
            for happened, step in enumerate(self.history):
                player = game.player(state)
                if player == TERMINAL:
                    raise InputError(f"{name} is over before {step!r}")
                if player >= 0 and step not in game.actions(state):
                    raise InputError(f"{name}: {step!r} is not possible after {' '.join(self.history[:happened])!r}")
                if player == CHANCE and not dict(game.chance(state)).get(step):
                    break
                state = game.next(state, step)
            else:
                actors.add(game.player(state))
        if not actors:
            raise InputError(f"{name}: no private deal allows {' '.join(self.history)!r}")
        if TERMINAL in actors:
            raise InputError(f"{self.name} is over: there is nothing to search")
        if CHANCE in actors:
            raise InputError(f"{self.name}: chance is next, and a subgame begins after its outcome")


@dataclass(frozen=True)
class Subgame:
    """A public tree to be solved from its root, by a `searcher`, with what arrives there of both players' hands.

    ``tree.ranges`` are the players' own reach of the root per hand, which stay as they are: `with_ranges` makes a
    subgame with others. Safe methods use the searcher's only.
    """

    tree: PublicTree
    searcher: int
    history: tuple[str, ...] = ()
    least: float = 0.0
    """A hand that meets no more than this share of the searcher's range counts as meeting nothing: trees round."""

    def __post_init__(self) -> None:
        require_seat("searcher", self.searcher)
        self.tree.ranges.flags.writeable = False  # `mass` is computed once

    @property
    def dense(self) -> DenseTree:
        """The tree, if it is of a game with infosets."""
        if not isinstance(self.tree, DenseTree):
            raise InputError(f"{self.name}: only games with infosets can do this")
        return self.tree

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.tree.name if isinstance(self.tree, DenseTree) else f"the game after {' '.join(self.history)}"

    @property
    def opponent(self) -> int:
        """The player who is not the searcher."""
        return 1 - self.searcher

    def with_ranges(self, own: Mapping[int, NDArray[Any]]) -> Subgame:
        """The same subgame with other ranges of some seats; its tree has the same tables, for one search at a time."""
        for seat, reach in own.items():
            require_seat("seat", seat)
            held = int(self.tree.boards.held[seat, 0])
            if np.shape(reach) != (held,) or not (np.isfinite(reach) & (np.asarray(reach) >= 0)).all():
                raise InputError(f"the range of seat {seat} must be {held} numbers of at least 0, not {reach!r}")
        return replace(self, tree=self.tree.with_ranges(own))

    @property
    def expected(self) -> bool:
        """Whether the ranges of both leave a pair of hands that can meet."""
        return bool((self.tree.ranges[self.opponent][: len(self.mass)] * self.mass > 0).any())

    def believing_in_all_hands(self) -> Subgame:
        """With every hand of the opponent where its range says that it comes with none: what it does must be answered.

        Elsewhere the subgame as it is.
        """
        return self if self.expected else self.with_ranges({self.opponent: np.ones(len(self.mass))})

    @cached_property
    def mass(self) -> FloatArray:
        """N per hand of the opponent: how much of the searcher's range, with chance, it can meet; 0 if nothing."""
        reach = self.tree.ranges[self.searcher]
        mass = self.tree.met_mass(self.opponent, reach)
        return np.where(mass > max(self.least * float(reach.sum()), TINY), mass, 0.0)

    def conditional(self, counterfactual: FloatArray) -> FloatArray:
        """Values per hand of the opponent divided by N; not a number where a hand meets nothing."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.mass > 0, counterfactual / self.mass, np.nan)

    def per_hand(self, field: str, values: Any) -> FloatArray:
        """Numbers for the hands of the opponent, checked; hands that meet nothing need none."""
        found = as_numbers(field, values)
        if found.shape != self.mass.shape:
            count = len(self.mass)
            raise InputError(f"{field} must have {count} numbers, one per hand of the opponent, not {found.shape}")
        with np.errstate(over="ignore"):  # trees have no larger numbers than float32
            missing = np.flatnonzero((self.mass > 0) & ~np.isfinite(found.astype(np.float32)))
        if len(missing):
            raise InputError(f"the {field} of hand {missing[0]} is missing: {found[missing[0]]:g} is no number to use")
        return found

    def best_values(self) -> FloatArray:
        """What a best response is worth to each hand of the opponent against the tree's average: conditional."""
        return self.conditional(self.tree.hand_values(best=True)[self.opponent])

    def values(self) -> FloatArray:
        """What the average strategies against each other are worth to each hand of the opponent: conditional."""
        return self.conditional(self.tree.hand_values()[self.opponent])

    def play(self, strategy: Profile) -> None:
        """Put a strategy for the whole game (or more) in the place of the average of a `DenseTree`."""
        tree = self.dense
        table = tree.table
        probabilities = np.ones(table.size)
        for start, key, actions in zip(table.start.tolist(), table, table.actions, strict=True):
            chosen = strategy[key]
            probabilities[start : start + len(actions)] = [chosen.get(action, 0.0) for action in actions]
        tree.play(Strategy(tree.name, table, probabilities))


def subgame(
    whole: DenseTree,
    history: Sequence[str],
    strategy: Profile,
    searcher: int,
    rules: Game | str | None = None,
    *,
    hidden: bool = False,
) -> Subgame:
    """The subgame of `whole` after a public history, with the ranges that `strategy` brings there.

    `rules` may offer other actions below the history, such as bet sizes that the strategy does not know; its private
    deals must be those of the whole game. `hidden` is that of `DenseTree`.
    """
    game = whole.game if rules is None else as_game(rules)
    require_seat("searcher", searcher)
    tree = DenseTree(AfterHistory(game, history), whole.deals.hands, hidden=hidden)
    arriving = dict(enumerate(reaches(whole, history, strategy)))
    found = Subgame(tree, searcher, tuple(history)).with_ranges(arriving)
    if not (found.mass > 0).any():
        raise InputError(f"{tree.name}: the searcher's strategy never gets there, so there is nothing to search")
    return found


def reaches(whole: DenseTree, history: Sequence[str], strategy: Profile) -> tuple[FloatArray, FloatArray]:
    """Both players' own reach of a public history per hand: the product of their probabilities on the way."""
    game = whole.game
    found = [np.zeros(int(hands.max()) + 1) for hands in whole.deals.hands]
    anybody = False
    for deal, state in enumerate(deals(game)):
        own = [1.0, 1.0]
        possible = True
        for step in history:
            player = game.player(state)
            if player >= 0:
                chosen = strategy[player, game.infoset(state)]
                if step not in chosen:
                    raise InputError(f"{whole.name}: the strategy does not know {step!r} at {game.infoset(state)!r}")
                own[player] *= chosen[step]
            elif not dict(game.chance(state)).get(step):  # a public card that somebody holds in this deal
                possible = False
                break
            state = game.next(state, step)
        if possible:
            anybody = True
            for player in range(2):
                found[player][whole.deals.hands[player][deal]] = own[player]
    if not anybody:
        raise InputError(f"{whole.name}: no private deal allows {' '.join(history)!r}")
    return found[0], found[1]


class Deal(NamedTuple):
    """Outcomes of chance before the first decision, the state after them and their probability."""

    path: tuple[str, ...]
    state: Any
    chance: float


def private_deals(game: Game) -> list[Deal]:
    """All private deals, in the order of `DenseTree`."""
    found: list[Deal] = []
    stack = [Deal((), game.initial(), 1.0)]
    while stack:
        deal = stack.pop()
        path, state, chance = deal
        if game.player(state) != CHANCE:
            found.append(deal)
            continue
        for name, likely in reversed(game.chance(state)):
            stack.append(Deal((*path, name), game.next(state, name), chance * likely))
    return found


def deals(game: Game) -> list[Any]:
    """The states after all private deals, in the order of `DenseTree`."""
    return [deal.state for deal in private_deals(game)]


def with_part(whole: Strategy, part: Strategy, player: int) -> Strategy:
    """A strategy of the whole game that follows `part` at all infosets of a player that both know.

    So what search has found (``result.strategy``, of the searcher) becomes a strategy to judge: ``cp.exploitability``.
    """
    require_seat("player", player)
    probabilities = whole.probabilities.copy()
    put_in(whole, probabilities, part, player)
    return Strategy(whole.game, whole.table, probabilities)


def put_in(whole: Strategy, profile: FloatArray, part: Strategy, player: int) -> None:
    """Write a player's strategy in a subgame into a flat profile of the whole game, of which `whole` is a strategy."""
    places = zip(part.table, part.table.start.tolist(), part.table.actions, strict=True)
    for (owner, label), start, actions in places:
        if owner == player and (player, label) in whole:  # not if the hand cannot be there
            infoset = whole.table.find((player, label))
            if whole.table.actions[infoset] != actions:
                raise InputError(f"the actions at {label!r} are {actions!r}, not {whole.table.actions[infoset]!r}")
            at = int(whole.table.start[infoset])
            profile[at : at + len(actions)] = part.probabilities[start : start + len(actions)]

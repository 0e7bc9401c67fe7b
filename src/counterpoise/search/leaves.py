"""What a leaf of a depth-limited subgame is worth: one value for each choice of continuations (BROWN 5.2, DLS 4).

A *continuation* is a strategy for the rest of the game. At a leaf history h the payoff of the picks (j, k) is
v^{jk}(h): what the players get on average if the first goes on with its j-th and the second with its k-th
continuation. Number 0 is each player's blueprint; a player with this one only has nothing to pick. Values are computed
once per leaf, not per iteration.

- `LeafTable` reads them off the whole game; `counterpoise.search.rollouts` samples them instead.
- `mapped` finds leaves that the blueprint does not know (after a bet size of its own) among similar ones.
- `weakened` and `penalised` take from continuations that beat the blueprint, which is not exact, what would make the
  searcher too timid (DLS 5). The other remedy is to let both players choose (BROWN 5.2).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL, Game, game_name
from counterpoise.parameters import is_amount, require_seat
from counterpoise.public import DenseTree
from counterpoise.search.subgame import private_deals, reaches
from counterpoise.tree import Strategy, Tree, enumerate_game

FloatArray = NDArray[np.float64]
Path = tuple[str, ...]
"""A history by the labels of its steps, the private deal included."""
Pot = Callable[[Any], float]
"""What lies in the middle at a state of the game: both contributions."""


class Leaves(Protocol):
    """Values of leaves; `counts` is the number of continuations of each seat."""

    counts: tuple[int, ...]

    def values(self, path: Path) -> FloatArray:
        """v(h) by the pick of each seat and, last, by player; refuses a history without values."""
        ...


class Place(NamedTuple):
    """Where a path leads: the state, the number of the history and the probability of chance on the way."""

    state: Any
    node: int
    chance: float


def follow(tree: Tree, path: Path) -> Place | None:
    """Where a path of the enumerated game leads; nothing if it is not possible."""
    place = Place(tree.game.initial(), 0, 1.0)
    for number, state in _steps(tree.game, path):
        if number < 0:
            return None
        node = int(tree.histories.first_child[place.node]) + number
        place = Place(state, node, place.chance * float(tree.histories.probability[node]))
    return place


def state_after(game: Game, path: Path) -> Any:
    """The state after a history; refused if the game does not have it."""
    state = game.initial()
    for number, after in _steps(game, path):
        if number < 0:
            raise missing(game, path)
        state = after
    return state


def _steps(game: Game, path: Path) -> Iterator[tuple[int, Any]]:
    """Step by step its number among all that is possible there (-1, and no further, if it is not) and the state."""
    state = game.initial()
    for step in path:
        player = game.player(state)
        options: list[str] = []
        if player != TERMINAL:
            options = [name for name, _ in game.chance(state)] if player == CHANCE else list(game.actions(state))
        if step not in options:
            yield -1, state
            return
        state = game.next(state, step)
        yield options.index(step), state


def joined(tree: Tree, parts: Sequence[Strategy]) -> FloatArray:
    """The flat profile in which every seat plays its part of its strategy."""
    profile = parts[0].on(tree).copy()
    for seat, part in enumerate(parts):
        block = slice(*np.asarray(tree.form.first_sequence[seat : seat + 2], dtype=np.int64))
        profile[block] = part.on(tree)[block]
    return profile


def history_values(tree: Tree, profile: FloatArray) -> FloatArray:
    """What each player gets on average from every history on, [history, player]."""
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


class LeafTable:
    """Exact values: the whole game is enumerated and every choice of continuations evaluated in it.

    `continuations` has a list for each seat; of each profile in it the seat's own part counts.
    """

    def __init__(self, game: Game | str, continuations: Sequence[Sequence[Strategy]]) -> None:
        self.tree = enumerate_game(game)
        self.counts = count_continuations(self.tree.game, continuations)
        self._values = np.empty((*self.counts, self.tree.nodes, self.tree.players))
        for picks in itertools.product(*map(range, self.counts)):
            parts = [own[pick] for own, pick in zip(continuations, picks, strict=True)]
            self._values[picks] = history_values(self.tree, joined(self.tree, parts))

    def values(self, path: Path) -> FloatArray:
        """The table's entries for a history."""
        place = follow(self.tree, path)
        if place is None:
            raise missing(self.tree.game, path)
        return self._values[..., place.node, :]

    @property
    def megabytes(self) -> float:
        """Size of the table, in units of 10^6 bytes."""
        return self._values.nbytes / 1e6


class _Changed:
    """Leaves made from others."""

    def __init__(self, leaves: Leaves, values: Callable[[Path], FloatArray]) -> None:
        self.counts, self._change = leaves.counts, values

    def values(self, path: Path) -> FloatArray:
        return self._change(path)


def mapped(leaves: Leaves, game: Game, known: Tree, similar: Callable[[Path], Sequence[Path]], pot: Pot) -> Leaves:
    """Values of histories of `game` from `similar` ones of the `known` game, as fractions of the pot, averaged.

    With a pot of 1 everywhere it is the mean of the values themselves.
    """

    def values(path: Path) -> FloatArray:
        here = state_after(game, path)
        parts = []
        for other in similar(path):
            place = follow(known, other)
            if place is None:
                raise missing(known.game, other)
            parts.append(leaves.values(other) / pot(place.state))
        if not parts:
            raise missing(game, path)
        return np.asarray(np.mean(parts, axis=0) * pot(here))

    return _Changed(leaves, values)


def penalised(leaves: Leaves, game: Game, opponent: int, pot: Pot, share: float) -> Leaves:
    """The opponent pays the other player a share of the pot to go on with anything but its blueprint."""
    require_seat("opponent", opponent)
    if not is_amount(share):
        raise InputError(f"share must be a number of at least 0, not {share!r}")

    def values(path: Path) -> FloatArray:
        fines = np.full(leaves.counts[opponent], share * pot(state_after(game, path)))
        fines[0] = 0.0
        return _lowered(leaves.values(path), opponent, fines if opponent == 1 else fines[:, None])

    return _Changed(leaves, values)


def weakened(leaves: Leaves, whole: DenseTree, blueprint: Strategy, opponent: int) -> Leaves:
    """No continuation is worth more to a hand of the opponent than its blueprint against the searcher's blueprint.

    What it is worth more on average over the searcher's hands there (with the blueprint's reach; with any reach where
    the blueprint never comes) is taken off at every history of the opponent's infoset.
    """
    require_seat("opponent", opponent)
    tree, searcher = enumerate_game(whole.game), 1 - opponent
    deals = [deal.path for deal in private_deals(whole.game)]
    hands = [own.tolist() for own in whole.deals.hands]
    known: dict[tuple[int, Path], FloatArray] = {}

    def excess(hand: int, public: Path) -> FloatArray:
        reach = reaches(whole, public, blueprint)[searcher]
        likely, parts = [], []
        for deal, dealt in enumerate(deals):
            place = follow(tree, dealt + public) if hands[opponent][deal] == hand else None
            if place is not None and place.chance > 0:
                likely.append((place.chance, place.chance * reach[hands[searcher][deal]]))
                parts.append(leaves.values(dealt + public)[..., opponent])
        flat, weights = np.array(likely).T
        mean = np.average(parts, axis=0, weights=weights if weights.sum() > 0 else flat)
        return np.maximum(mean - mean.take([0], axis=opponent), 0.0)

    def values(path: Path) -> FloatArray:
        deal = next((n for n, dealt in enumerate(deals) if path[: len(dealt)] == dealt), None)
        if deal is None:
            raise missing(whole.game, path)
        place = hands[opponent][deal], path[len(deals[deal]) :]
        if place not in known:
            known[place] = excess(*place)
        return _lowered(leaves.values(path), opponent, known[place])

    return _Changed(leaves, values)


def _lowered(values: FloatArray, opponent: int, less: FloatArray) -> FloatArray:
    """Values of which the opponent gives some to the other player."""
    lowered = values.copy()
    lowered[..., opponent] -= less
    lowered[..., 1 - opponent] += less
    return lowered


def missing(game: Game, path: Path) -> InputError:
    """The error for a leaf without values."""
    return InputError(f"{game_name(game)}: there are no leaf values after {' '.join(path)!r}")


def count_continuations(game: Game, continuations: Sequence[Sequence[Any]]) -> tuple[int, ...]:
    """How many continuations each seat has; at least one."""
    counts = tuple(len(own) for own in continuations)
    if len(counts) != game.players or min(counts) < 1:
        raise InputError(
            f"continuations must be {game.players} lists, one per seat, each with at least the blueprint, not {counts}"
        )
    return counts

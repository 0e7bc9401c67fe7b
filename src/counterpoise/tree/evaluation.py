"""Evaluate a strategy, in memory or in a file: expected value, best response, NashConv, exploitability.

All figures are exact, for any number of players: a best response is computed by one bottom-up pass over the whole game.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from counterpoise.errors import InputError
from counterpoise.games import Game, as_game
from counterpoise.games.registry import load_saved_game
from counterpoise.progress import CancelToken, Progress, as_progress, memory_size
from counterpoise.store.json import JsonResult
from counterpoise.tree.enumerate import enumerate_game
from counterpoise.tree.kernels.layouts import FloatArray
from counterpoise.tree.kernels.sequence_form import (
    best_response as best_response_pass,
    gradient,
    profile_values,
    realisation_weights,
)
from counterpoise.tree.strategy import Strategy, improper_infosets, load_strategy
from counterpoise.tree.tree import Tree

AnyStrategy = Strategy | Mapping[Any, Mapping[str, float]]


class Response(NamedTuple):
    """A best response: the profile in which one player has switched to it, and that player's value."""

    strategy: Strategy
    value: float


class Values(NamedTuple):
    """Expected and best-response value of each player, in the game's own unit."""

    expected: FloatArray
    best: FloatArray

    @property
    def nash_conv(self) -> float:
        """Sum over the players of what each could gain by a best response."""
        return float((self.best - self.expected).sum())

    @property
    def exploitability(self) -> float:
        """NashConv divided by the number of players."""
        return self.nash_conv / len(self.best)


def evaluate(tree: Tree, probabilities: FloatArray) -> Values:
    """Return expected and best-response values of a flat profile on an enumerated game."""
    expected, best = np.empty(tree.players), np.empty(tree.players)
    profile_values(tree.form, probabilities, expected, best)
    return Values(expected, best)


def exploitability(game: Game | str, strategy: AnyStrategy) -> float:
    """Return NashConv / number of players, in the game's own unit; 0 exactly at an equilibrium.

    See Brown 2020, section 2.2.
    """
    return _values(game, strategy).exploitability


def nash_conv(game: Game | str, strategy: AnyStrategy) -> float:
    """Return sum over the players of best-response value minus expected value."""
    return _values(game, strategy).nash_conv


def expected_value(game: Game | str, strategy: AnyStrategy) -> tuple[float, ...]:
    """Return what each player receives on average when all follow the profile."""
    return tuple(_values(game, strategy).expected.tolist())


def best_response(game: Game | str, strategy: AnyStrategy, player: int = 0) -> Response:
    """Return a best response of `player` (0-based seat) to the others' part of the profile.

    It is a counterfactual best response: best in every infoset, even those it never reaches (Brown 2020, section 5.1).
    """
    tree = enumerate_game(game)
    if not isinstance(player, int | np.integer) or isinstance(player, bool) or not 0 <= player < tree.players:
        raise InputError(f"player must be a seat from 0 to {tree.players - 1}, not {player!r}")
    profile = as_profile(tree, strategy).copy()
    reach, values = np.empty_like(profile), np.empty_like(profile)
    for seat in range(tree.players):
        realisation_weights(tree.form, seat, profile, reach)
    gradient(tree.form, player, reach, values)
    value = best_response_pass(tree.form, player, values, profile)
    return Response(Strategy(tree.name, tree.table, profile), float(value))


def as_profile(tree: Tree, strategy: AnyStrategy) -> FloatArray:
    """Return the flat array of a `Strategy`, of a run's, or of {infoset: {action: probability}}."""
    strategy = getattr(strategy, "strategy", strategy)  # a run stands for the strategy it found
    if isinstance(strategy, Strategy):
        profile = strategy.on(tree)
        improper = improper_infosets(tree.table, profile)
        if len(improper):
            label = tree.table.labels[improper[0]]
            raise InputError(f"the probabilities at infoset {label!r} must be >= 0 and sum to 1")
        return profile
    if not isinstance(strategy, Mapping):
        raise InputError(f"a strategy is a Strategy or {{infoset: {{action: probability}}}}, not {strategy!r}")
    return Strategy.from_mapping(tree, strategy).probabilities


def _values(game: Game | str, strategy: AnyStrategy) -> Values:
    tree = enumerate_game(game)
    return evaluate(tree, as_profile(tree, strategy))


@dataclass(frozen=True)
class Evaluation(JsonResult):
    """The values and the exploitability of a strategy, in the game's own unit."""

    file: str | None
    """The file that the strategy came from, if from one."""
    game: str
    players: int
    infosets: int
    exploitability: float
    nash_conv: float
    value: tuple[float, ...]
    """The expected payoff of each player."""
    best_response_value: tuple[float, ...]
    """What each player would receive with a best response to the others."""


def evaluate_strategy(
    strategy: Strategy | str | os.PathLike[str],
    game: Game | str | None = None,
    *,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> Evaluation:
    """Return the value of a strategy, or of one in a file, and what each player could gain by a best response.

    Everything is computed from the probabilities: figures in the file are not used. Without a `game` it is the one that
    the strategy names.
    """
    file = None if isinstance(strategy, Strategy) else os.fspath(strategy)
    judged = strategy if isinstance(strategy, Strategy) else load_strategy(strategy)
    rules = load_saved_game(file, judged.game) if game is None else as_game(game)
    display = as_progress(progress)
    with display:
        display.begin(f"evaluating {judged.game}")
        tree = enumerate_game(rules, progress=display, cancel=cancel)
        probabilities = as_profile(tree, judged)
        display.note(describe_size(tree))
        found = evaluate(tree, probabilities)
    return Evaluation(
        file=file,
        game=tree.name,
        players=tree.players,
        infosets=tree.infosets,
        exploitability=found.exploitability,
        nash_conv=found.nash_conv,
        value=tuple(found.expected.tolist()),
        best_response_value=tuple(found.best.tolist()),
    )


def describe_size(tree: Tree) -> str:
    """Return the size of an enumerated game in words."""
    memory = memory_size(tree.memory_bytes)
    return f"{tree.name}: {tree.nodes:,} histories, {tree.infosets:,} information sets, {memory} in memory"

"""Judge a strategy, in memory or in a file, by exact best responses."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from counterpoise.errors import InputError
from counterpoise.games import Game, as_game, load
from counterpoise.progress import CancelToken, Progress, as_progress, memory_size
from counterpoise.store.json import JsonResult, plain_json
from counterpoise.tree.enumerate import enumerate_game
from counterpoise.tree.evaluate import evaluate
from counterpoise.tree.strategy import Strategy, load_strategy
from counterpoise.tree.tree import Tree


@dataclass(frozen=True)
class Evaluation(JsonResult):
    """How good a strategy is, in the game's own unit."""

    file: str | None
    """The file that the strategy came from, if from one."""
    game: str
    players: int
    infosets: int
    exploitability: float
    nash_conv: float
    value: tuple[float, ...]
    """What each player receives on average."""
    best_response_value: tuple[float, ...]
    """What each player would receive with a best response to the others."""

    def to_json(self) -> dict[str, Any]:
        """Return the figures in the types of JSON."""
        return {key: plain_json(value) for key, value in vars(self).items()}


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
        probabilities = judged.on(tree)
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


def load_saved_game(file: str | os.PathLike[str] | None, name: str) -> Game:
    """Return the game that a saved file names; a user's own class is not known by name."""
    try:
        return load(name)
    except InputError as error:
        raise InputError(
            f"{file or 'the strategy'} is for the game {name!r}, which cannot be loaded by that name ({error}): "
            "name the game, or use Python if it is a class of your own"
        ) from None


def describe_size(tree: Tree) -> str:
    """Return how big an enumerated game is, in words."""
    memory = memory_size(tree.memory_bytes)
    return f"{tree.name}: {tree.nodes:,} histories, {tree.infosets:,} information sets, {memory} in memory"

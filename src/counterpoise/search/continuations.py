"""Strategies with which a player may go on below a leaf of a depth-limited subgame (BROWN 5.2, DLS 5).

- `biased`: the blueprint with the probability of one class of actions multiplied, everywhere. One each for fold, call
  and raise, with the blueprint itself, are the four continuations of the bias approach.
- `self_generated`: start with the blueprint; solve the depth-limited game from its beginning; add a best response to
  [what was found above the leaves, the searcher's blueprint below]; and again. Values at the leaves are nevertheless
  those against the blueprint only.
- `in_bytes` and `presampled` are cheaper to keep for rollouts than probabilities of four bytes each: one byte for each
  action, or one action drawn beforehand at each infoset (ceil(log2 |A|) bits), which then is always the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from counterpoise.errors import InputError
from counterpoise.parameters import is_amount, require_seat, require_whole
from counterpoise.public import DenseTree
from counterpoise.search.depth_limited import depth_limited
from counterpoise.search.leaves import FloatArray, LeafTable
from counterpoise.search.search import search
from counterpoise.search.subgame import with_part
from counterpoise.tree import Strategy, best_response, enumerate_game
from counterpoise.tree.tree import InfosetTable

ActionClass = Callable[[str], str]
POKER_CLASSES = ("fold", "call", "raise")


def poker_class(action: str) -> str:
    """Fold, call (or check) or raise (or bet), by the first letter of an action: f, c, and r, b or p."""
    found = {"f": "fold", "c": "call", "r": "raise", "b": "raise", "p": "raise"}.get(action[:1])
    if found is None:
        raise InputError(f"action {action!r} is neither fold, call nor raise: say which class each action has")
    return found


def biased(strategy: Strategy, chosen: str, factor: float = 10.0, class_of: ActionClass = poker_class) -> Strategy:
    """The strategy with the probability of a class of actions times a factor, normalised.

    Infosets at which the class has no probability stay as they are; what is never played stays so.
    """
    if not is_amount(factor) or factor == 0:
        raise InputError(f"factor must be a positive number, not {factor!r}")

    def change(probabilities: FloatArray, actions: Sequence[str]) -> FloatArray:
        scale = np.array([factor if class_of(action) == chosen else 1.0 for action in actions])
        raised = probabilities * scale
        return raised / raised.sum() if (scale != 1).any() and raised.sum() > 0 else probabilities

    return _by_infoset(strategy, change)


def bias_approach(
    blueprint: Strategy,
    factor: float = 10.0,
    classes: Sequence[str] = POKER_CLASSES,
    class_of: ActionClass = poker_class,
) -> list[Strategy]:
    """The blueprint and one continuation for each class of actions."""
    return [blueprint, *(biased(blueprint, chosen, factor, class_of) for chosen in classes)]


class Generated(NamedTuple):
    """Continuations of the opponent, the blueprint first, and what each best response won when it was made."""

    continuations: list[Strategy]
    won: list[float]


def self_generated(
    whole: DenseTree, blueprint: Strategy, searcher: int, count: int, depth: int | None = None, iterations: int = 200
) -> Generated:
    """So many continuations of the searcher's opponent; a set of fewer is the beginning of the list."""
    require_seat("searcher", searcher)
    require_whole("count", count)
    require_whole("iterations", iterations)
    tree, found, won = enumerate_game(whole.game), [blueprint], []
    while len(found) < count:
        leaves = LeafTable(whole.game, [[blueprint], found] if searcher == 0 else [found, [blueprint]])
        limited = depth_limited(whole, (), blueprint, searcher, leaves, depth)
        above = search(limited, "unsafe", iterations=iterations).strategy
        target = Strategy(tree.name, tree.table, with_part(blueprint, above, searcher).on(tree))
        response = best_response(whole.game, target, 1 - searcher)
        won.append(response.value)
        found.append(response.strategy)
    return Generated(found, won)


def in_bytes(strategy: Strategy) -> Strategy:
    """The strategy as it is read back from one byte for each action."""

    def change(probabilities: FloatArray, actions: Sequence[str]) -> FloatArray:
        stored = np.rint(255 * probabilities / probabilities.max())
        return np.asarray(stored / stored.sum())

    return _by_infoset(strategy, change)


def presampled(strategy: Strategy, seed: int = 0) -> Strategy:
    """One action drawn for each infoset, with the strategy's probabilities, and always taken there."""
    require_whole("seed", seed, 0)
    draws = np.random.default_rng(seed)

    def change(probabilities: FloatArray, actions: Sequence[str]) -> FloatArray:
        pure = np.zeros(len(actions))
        pure[draws.choice(len(actions), p=probabilities / probabilities.sum())] = 1.0
        return pure

    return _by_infoset(strategy, change)


def bits(table: InfosetTable, stored: str = "presampled") -> int:
    """What a continuation takes to keep: as `floats` (32 bits for each action), `bytes` (8) or `presampled`."""
    counts = [len(actions) for actions in table.actions]
    if stored == "presampled":
        return sum(math.ceil(math.log2(count)) for count in counts)
    if stored not in ("floats", "bytes"):
        raise InputError(f"stored must be floats, bytes or presampled, not {stored!r}")
    return (32 if stored == "floats" else 8) * sum(counts)


def _by_infoset(strategy: Strategy, change: Callable[[FloatArray, Sequence[str]], FloatArray]) -> Strategy:
    probabilities = strategy.probabilities.copy()
    for start, actions in zip(strategy.table.start.tolist(), strategy.table.actions, strict=True):
        block = slice(start, start + len(actions))
        probabilities[block] = change(probabilities[block], actions)
    return Strategy(strategy.game, strategy.table, probabilities)

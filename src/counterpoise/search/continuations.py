"""Strategies that a player may follow below a leaf of a depth-limited subgame.

See Brown 2020, section 5.2; Brown et al. 2018, section 5.

- `biased`: the blueprint with the probability of one class of actions multiplied, everywhere. One each for fold, call
  and raise, with the blueprint itself, are the four continuations of the bias approach.
- `self_generated`: start with the blueprint; solve the depth-limited game from its beginning; add a best response to
  [what was found above the leaves, the searcher's blueprint below]; and again. Values at the leaves are nevertheless
  those against the blueprint only.

Continuations are profiles of the whole game, a small one or hold'em.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterpoise.errors import InputError
from counterpoise.parameters import is_amount, require_seat, require_whole
from counterpoise.progress import CancelToken, Progress, as_progress
from counterpoise.public import Profile, PublicGame, Traverser
from counterpoise.search.depth_limited import depth_limited
from counterpoise.search.leaves import LeafTable
from counterpoise.search.search import search_subgame
from counterpoise.search.subgame_strategies import list_strategies, write_part
from counterpoise.store.json import JsonResult

ActionClass = Callable[[Any], str]
POKER_CLASSES = ("fold", "call", "raise")


def poker_class(action: str | int) -> str:
    """Return whether an action is a fold, a call (or check) or a raise (or bet).

    By its number in hold'em, else by its first letter: f, c, and r, b or p.
    """
    if isinstance(action, int | np.integer):
        return "fold" if action < 0 else "call" if action == 0 else "raise"
    found = {"f": "fold", "c": "call", "r": "raise", "b": "raise", "p": "raise"}.get(action[:1])
    if found is None:
        raise InputError(f"action {action!r} is neither fold, call nor raise: say which class each action has")
    return found


def biased(profile: Profile, chosen: str, factor: float = 10.0, class_of: ActionClass = poker_class) -> Profile:
    """Return the strategies of a profile with the probability of a class of actions times a factor, normalised.

    Hands that never take an action of the class keep their strategy, and probabilities of 0 stay 0.
    """
    if not is_amount(factor) or factor == 0:
        raise InputError(f"factor must be a positive number, not {factor!r}")
    game, found = profile.game, profile.copy()
    boards = [np.flatnonzero(game.street_of == street) for street in range(game.streets)]
    for number, tree in enumerate(game.street_trees):
        for decision, node in enumerate(tree.decisions):
            scale = np.array([[factor if class_of(action) == chosen else 1.0] for action in node.actions])
            if (scale == 1).all():
                continue
            for board in boards[tree.street].tolist():
                strategy = profile.strategy(number, decision, board) * scale
                found.set_strategy(number, decision, board, strategy / strategy.sum(axis=0))
    return found


def bias_approach(
    blueprint: Profile,
    factor: float = 10.0,
    classes: Sequence[str] = POKER_CLASSES,
    class_of: ActionClass = poker_class,
) -> list[Profile]:
    """Return the blueprint and one continuation for each class of actions."""
    return [blueprint, *(biased(blueprint, chosen, factor, class_of) for chosen in classes)]


@dataclass(frozen=True, eq=False)
class Generated(JsonResult):
    """Leaves with continuations of the searcher's opponent, and what each best response won when it was made."""

    leaves: LeafTable
    won: list[float]

    def to_json(self) -> dict[str, Any]:
        """Return the game, what was won and each seat's continuations in the types of JSON."""
        own = [[list_strategies(one, (seat,)) for one in known] for seat, known in enumerate(self.leaves.continuations)]
        return {"game": self.leaves.whole.name, "won": self.won, "continuations": own}


def self_generated(
    whole: PublicGame,
    blueprint: Profile,
    searcher: int,
    count: int,
    *,
    depth: int | None = None,
    deals: int = 1,
    iterations: int = 200,
    algorithm: str = "cfr+",
    progress: Progress | bool | None = False,
    cancel: CancelToken | None = None,
) -> Generated:
    """Return leaves with `count` continuations of the searcher's opponent; fewer are the beginning of the list.

    If it is cancelled, there are those found by then.
    """
    require_seat("searcher", searcher)
    require_whole("count", count)
    require_whole("iterations", iterations)
    opponent, won, traverser = 1 - searcher, list[float](), Traverser(whole)
    leaves = LeafTable(whole, ([blueprint], [blueprint]))
    with as_progress(progress) as display:
        display.begin(f"continuations of seat {opponent}")
        while (known := leaves.counts[opponent]) < count and not (cancel is not None and cancel.cancelled):
            display.show(known / count, f"{known} of {count} continuations")
            limited = depth_limited(whole.root, blueprint, searcher, leaves, depth=depth, deals=deals)
            found = search_subgame(limited, "unsafe", iterations=iterations, algorithm=algorithm)
            target = blueprint.copy()
            write_part(target, whole.root, found.average, searcher)
            won.append(float(traverser.best_response_values(target)[opponent]))
            leaves = leaves.append(opponent, [traverser.best_response(opponent, target)])
    return Generated(leaves, won)

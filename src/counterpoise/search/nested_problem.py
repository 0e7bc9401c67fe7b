"""The subgame that answers an action of the opponent, and its solution; `counterpoise.search.nested` says how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from counterpoise.betting.sizes import BetSizes
from counterpoise.errors import InputError
from counterpoise.parameters import as_numbers
from counterpoise.progress import CancelToken, Progress
from counterpoise.public import (
    Cut,
    HoldemGame,
    LeafBatch,
    LeafEvaluator,
    Lock,
    Profile,
    PublicGame,
    PublicNode,
    Rows,
    Step,
)
from counterpoise.public.thresholds import LEAST_REACH
from counterpoise.search.alternatives import value_at
from counterpoise.search.leaves import counts_of
from counterpoise.search.nested_settings import NestedSearch, require_hand
from counterpoise.search.search import SearchResult, search_subgame
from counterpoise.search.subgame import FloatArray, Subgame, locks_at
from counterpoise.search.subgame_strategies import name_steps
from counterpoise.store.json import JsonResult


class NestedProblem(NamedTuple):
    """The subgame that answers an action, the alternatives there, and the actions from its root to where play is."""

    subgame: Subgame
    alternative: FloatArray | None
    steps: tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class Answer(JsonResult):
    """Where play continues in the new game after an action was answered, and what search has found there."""

    node: PublicNode
    result: SearchResult

    @property
    def profile(self) -> Profile:
        """The strategies of both players in the new game."""
        return self.result.average

    def to_json(self) -> dict[str, Any]:
        """Return the path to where play continues, and what search has found, in the types of JSON."""
        return {"history": name_steps(self.node), "result": self.result.to_json()}


def answer(
    node: PublicNode,
    profile: Profile,
    action: Step,
    settings: NestedSearch | None = None,
    *,
    gifts: FloatArray | None = None,
    hand: int | None = None,
    leaves: LeafEvaluator | None = None,
    share_boards_with: HoldemGame | None = None,
    progress: Progress | bool | None = False,
    cancel: CancelToken | None = None,
) -> Answer:
    """Answer an action of the player to act at `node`, whose game has the strategies of `profile`.

    It is answered as though the game did not know it, unless the settings say that known actions are answered too. In
    hold'em an action is a total in chips. Reach search needs `gifts`: what each hand of the opponent gave up on its way
    to `node`. `hand` is the one that the searcher holds, where only this one is frozen. With `leaves` the new game
    stops at the end of the betting round; they are also what value leaves in the game of `node` are worth. The new game
    reuses the boards of `share_boards_with`, an earlier answer on the same board. `progress` and `cancel` are those of
    `search_subgame`.
    """
    settings = settings or NestedSearch()
    require_hand(settings, node.game.hand_counts[1 - node.player], hand)
    found = make_problem(node, profile, action, settings, gifts, hand, leaves, share_boards_with)
    return solve_problem(found, settings, progress, cancel)


def make_problem(
    node: PublicNode,
    profile: Profile,
    action: Step,
    settings: NestedSearch,
    gifts: FloatArray | None = None,
    hand: int | None = None,
    leaves: LeafEvaluator | None = None,
    share_boards_with: HoldemGame | None = None,
    sizes: BetSizes | None = None,
) -> NestedProblem:
    """Return the subgame that answers an action; the parameters are those of `answer`.

    A `hand` of -1 is one that the game of `node` does not have, because the board blocks it: then nothing is frozen.
    In hold'em the subgame may have other bet `sizes` than that game.
    """
    game, opponent = node.game, node.player
    known = settings.always and action in node.actions
    searcher = 1 - opponent
    if settings.gifts:
        gifts = _checked_gifts(gifts, game.hand_counts[opponent])
    if action not in node.actions:
        _require_possible(node, action)
    root = node.street_start if settings.start == "round" else node
    if not node.reach(profile)[searcher].max() > LEAST_REACH:
        raise InputError("the searcher's strategy never gets there, so there is nothing to search")
    reach = arriving_ranges(root, profile, opponent, settings)
    options: dict[str, Any] = {"cut": end_of_round(leaves)}
    if isinstance(game, HoldemGame):
        options |= {"share_boards_with": share_boards_with, "sizes": sizes}
        if settings.one_hand:  # what one hand does tells suits apart
            options["isomorphism"] = False
    new: PublicGame
    if settings.start == "after":
        new, steps = game.subtree(node, reach, after=action, **options), ()
    else:
        extra = () if known else ((node, action),)
        new, steps = game.subtree(root, reach, extra=extra, **options), (*node.steps[len(root.steps) :], action)
    if settings.start == "round":
        new = new.with_locks(frozen(root, node, profile, new, hand if settings.one_hand else None))
    found = Subgame(new, searcher, tuple(map(str, node.steps)), new.least_met, leaves)
    if settings.method == "unsafe":
        return NestedProblem(found, None, steps)
    valued = root if settings.start != "after" else node.child(action) if known else node
    alternative = value_at(valued, opponent, profile, best=not settings.expected, leaves=leaves)
    if gifts is not None and settings.gifts:
        alternative = alternative + gifts
    return NestedProblem(found, new.from_hands_of(game, opponent, alternative), steps)


def arriving_ranges(node: PublicNode, profile: Profile, opponent: int, settings: NestedSearch) -> Rows:
    """Return the ranges with which search starts at a node; safe methods let the opponent have any hand."""
    first, second = node.reach(profile)
    if settings.method == "unsafe":
        return first, second
    anything = np.ones(node.game.hand_counts[opponent])
    return (anything, second) if opponent == 0 else (first, anything)


def end_of_round(leaves: LeafEvaluator | None) -> Cut | None:
    """Return the cut at the end of the betting round if leaves are valued there; None to search to the end."""
    return None if leaves is None else Cut(choices=counts_of(leaves))


def solve_problem(
    problem: NestedProblem,
    settings: NestedSearch,
    progress: Progress | bool | None = False,
    cancel: CancelToken | None = None,
) -> Answer:
    """Return where play continues in the subgame of a problem, and its solution."""
    result = search_nested(problem.subgame, problem.alternative, settings, progress, cancel)
    return Answer(problem.subgame.game.root.follow(problem.steps), result)


def search_nested(
    subgame: Subgame,
    alternative: FloatArray | None,
    settings: NestedSearch,
    progress: Progress | bool | None = False,
    cancel: CancelToken | None = None,
) -> SearchResult:
    """Return the solution of a subgame by the method and algorithm of the settings."""
    return search_subgame(
        subgame.with_full_opponent_range_if_empty() if alternative is None else subgame,
        settings.method,
        alternative=alternative,
        spread=settings.spread,
        algorithm=settings.algorithm,
        iterations=settings.iterations,
        progress=progress,
        cancel=cancel,
    )


def frozen(root: PublicNode, node: PublicNode, profile: Profile, new: PublicGame, hand: int | None) -> list[Lock]:
    """Return the locks that keep what the searcher has played from `root` to `node`, with all hands or with one.

    `new` is a game that begins at `root`; the player to act at `node` is the opponent, whose decisions stay free.
    """
    searcher, locks, at = 1 - node.player, list[Lock](), new.root
    path = [above for above in node.path()[:-1] if above.tree == node.tree]
    for above, action in zip(path, node.steps[len(root.steps) :], strict=True):
        if above.player == searcher:
            played = above.strategy(profile)
            if hand is not None:
                played = played * (np.arange(played.shape[1]) == hand)
            rows = new.to_rows(searcher, at.board, new.from_hands_of(node.game, searcher, played))
            locks += locks_at(at, rows)
        at = at.child(action)
    return locks


def continuation_values(found: Subgame) -> FloatArray:
    """Return the conditional value of the best continuation for each hand of the opponent at the root of a subgame.

    It is taken against the searcher's range and its first continuation.
    """
    assert found.leaves is not None
    game, count = found.game, counts_of(found.leaves)[found.opponent]
    picks = [(pick, 0) if found.opponent == 0 else (0, pick) for pick in range(count)]
    first, second = (np.repeat(game.reach_at_root(seat)[None], count, axis=0) for seat in range(2))
    won = found.leaves.values(LeafBatch(game, [game.root] * count, picks, (first, second)))
    return found.conditional(won[found.opponent].max(axis=0))


def _checked_gifts(gifts: Any, count: int) -> FloatArray:
    if gifts is None:
        raise InputError("gifts must be given, one number per hand of the opponent: the settings ask for Reach search")
    given = as_numbers("gifts", gifts)
    if given.shape != (count,):
        raise InputError(f"gifts must be {count} numbers, one per hand of the opponent, not {given.shape}")
    return given


def _require_possible(node: PublicNode, action: Step) -> None:
    """Insist on a bet that the rules allow; in small games the rules say so themselves."""
    if not isinstance(node.game, HoldemGame):
        return
    state = node.state
    whole_chips = isinstance(action, int | np.integer) and not isinstance(action, bool)
    if not whole_chips or not state.max_raise or not state.min_raise <= action <= state.max_raise:
        allowed = f"it may be {state.min_raise} to {state.max_raise} chips in all" if state.max_raise else "no bet is"
        raise InputError(f"bet {action!r} is not possible: {allowed}")

"""Nested search: an action that the blueprint does not know is answered by search, not by translation.

See Brown 2020, section 5.1.7.

The searcher has a solution of a game with fewer actions. When the opponent takes an action that it lacks at public
node K, the rest of the game is solved again with this action in it, and so on with every further one, each time from
what the searches before it have left. With r the searcher's reach of K and N(h) how much of it hand h can meet, search
starts

- `after` the action (inexpensive). The alternative of h is the value at K of a best response in the old game, where the
  action does not exist, divided by N(h): whoever gets no more by the action need not take it.
- `before` the action, at K (expensive), with the known actions and the one taken. Unsafe search needs this, as it
  is not known with which hands an unknown action is taken; afterwards the solution says so, and the ranges of both
  follow from it: the product of what the solutions say, whatever the hand (Brown et al. 2018, Modicum).
- at the beginning of the `round`, where the searcher's decisions since then are frozen, so that search does not take
  them back, and the opponent's are free (Pluribus). Frozen is the whole range, or only the hand that is held.

With `gifts` (Reach search) the alternative of a hand is raised by what it gave up on its way to K when it did not end
the game.

With leaf values search looks no further than the end of the betting round (Brown et al. 2018, section 5), where players
pick among continuations. When the next round begins it is searched in turn: there each hand of the opponent has as its
alternative what the best of its continuations was worth on this board, against the range that the searcher has now;
unsafe search uses the ranges of both, as the solutions say, instead.

The same holds for small games and for hold'em: everything is asked of a `PublicNode`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from counterpoise.betting.sizes import BetSizes
from counterpoise.errors import InputError
from counterpoise.parameters import as_numbers, require_seat, require_whole
from counterpoise.progress import CancelToken, Progress, SilentProgress, as_progress
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
from counterpoise.search.gadget import Method
from counterpoise.search.gifts import gift_at
from counterpoise.search.leaves import counts_of
from counterpoise.search.parts import list_strategies, name_steps
from counterpoise.search.range_agents import require_same_game, walk_agent
from counterpoise.search.search import SearchResult, search_subgame
from counterpoise.search.subgame import FloatArray, Subgame, as_dense, locks_at
from counterpoise.solvers.base import Algorithm, AtLeastZero, Settings, WholeFromOne, make_algorithm
from counterpoise.store.json import JsonResult


@dataclass(frozen=True, kw_only=True)
class NestedSearch(Settings):
    """How actions of the opponent are answered."""

    registered_name: ClassVar[str] = "nested search"
    source: ClassVar[str] = "Brown 2020, section 5.1.7"
    method: Method = "maxmargin"
    start: Literal["after", "before", "round"] = "after"
    """Where search starts: after the action, before it, or at the beginning of the betting round."""
    gifts: bool = False
    """Whether alternatives are raised by gifts (the lower bounds, from actions that end the game)."""
    expected: bool = False
    """Whether alternatives are what the strategies win against each other, not what a best response wins (Modicum)."""
    always: bool = False
    """Whether known actions are answered by search too."""
    spread: AtLeastZero = 0.0
    """Standard deviation of the alternatives of the distributional method, in the game's unit."""
    freeze: Literal["all_hands", "own_hand"] = "all_hands"
    """What keeps its earlier decisions when search starts with the round: the whole range, or the hand that is held."""
    algorithm: str | Algorithm = "cfr+"
    iterations: WholeFromOne = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.method == "unsafe" and self.start == "after":
            raise InputError("unsafe nested search cannot start after an action: the ranges there are unknown")
        if self.method == "unsafe" and (self.gifts or self.expected):
            raise InputError("unsafe search has no alternatives: neither gifts nor expected values")
        if self.spread and self.method != "distributional":
            raise InputError(f"spread ({self.spread:g}) is for the method distributional, not for {self.method}")
        if self.one_hand and self.start != "round":
            raise InputError(
                f"freeze (own_hand) is for searches that start with the round, not {self.start} the action"
            )

    @property
    def one_hand(self) -> bool:
        """Whether each hand of the searcher is searched for by itself."""
        return self.freeze == "own_hand"


class NestedProblem(NamedTuple):
    """The subgame that answers an action, the alternatives there, and the actions from its root to where play is."""

    subgame: Subgame
    alternative: FloatArray | None
    steps: tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class Answer(JsonResult):
    """Where play continues after an action was answered, in the new game, and what search has found there."""

    node: PublicNode
    result: SearchResult

    @property
    def profile(self) -> Profile:
        """The strategies of both players in the new game."""
        return self.result.average

    def to_json(self) -> dict[str, Any]:
        """Return the way to where play continues, and what search has found, in the types of JSON."""
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
    hold'em an action is a total in chips. Reach search needs `gifts`: what each hand of the opponent gave up on its
    way to `node`. `hand` is the one that the searcher holds, where only this one is frozen. With `leaves` the new game
    stops at the end of the betting round; they are also what value leaves in the game of `node` are worth. The new
    game uses the boards of `share_boards_with` again, which an earlier answer on the same board has made. `progress`
    and `cancel` are those of `search_subgame`.
    """
    settings = settings or NestedSearch()
    _require_hand(settings, node.game.hand_counts[1 - node.player], hand)
    found = make_problem(node, profile, action, settings, gifts, hand, leaves, share_boards_with)
    return _solve(found, settings, progress, cancel)


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
    reach = _arriving(root, profile, opponent, settings)
    options: dict[str, Any] = {"cut": _end_of_round(leaves)}
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


def _arriving(node: PublicNode, profile: Profile, opponent: int, settings: NestedSearch) -> Rows:
    """Return the ranges with which search starts at a node; safe methods let the opponent have any hand."""
    first, second = node.reach(profile)
    if settings.method == "unsafe":
        return first, second
    anything = np.ones(node.game.hand_counts[opponent])
    return (anything, second) if opponent == 0 else (first, anything)


def _end_of_round(leaves: LeafEvaluator | None) -> Cut | None:
    return None if leaves is None else Cut(choices=counts_of(leaves))


def _solve(
    problem: NestedProblem,
    settings: NestedSearch,
    progress: Progress | bool | None = False,
    cancel: CancelToken | None = None,
) -> Answer:
    result = _search(problem.subgame, problem.alternative, settings, progress, cancel)
    return Answer(problem.subgame.game.root.follow(problem.steps), result)


def _search(
    subgame: Subgame,
    alternative: FloatArray | None,
    settings: NestedSearch,
    progress: Progress | bool | None = False,
    cancel: CancelToken | None = None,
) -> SearchResult:
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
    way = [above for above in node.path()[:-1] if above.tree == node.tree]
    for above, action in zip(way, node.steps[len(root.steps) :], strict=True):
        if above.player == searcher:
            played = above.strategy(profile)
            if hand is not None:
                played = played * (np.arange(played.shape[1]) == hand)
            rows = new.to_rows(searcher, at.board, new.from_hands_of(node.game, searcher, played))
            locks += locks_at(at, rows)
        at = at.child(action)
    return locks


@dataclass(frozen=True, eq=False)
class Play(JsonResult):
    """The searcher's complete strategy in the whole game, and how many searches it took."""

    profile: Profile
    """The searcher's part of it is set wherever it gets to; everywhere else all actions are alike."""
    searches: int
    searcher: int

    @property
    def strategy(self) -> dict[tuple[int, str], dict[str, float]]:
        """What the searcher does at the infosets that it gets to, in a game with infosets."""
        game = as_dense(self.profile.game)
        played, written = game.strategy(self.profile), game.written(self.profile)
        return {
            key: played[key]
            for key, there in zip(game.table, written, strict=True)
            if there and key[0] == self.searcher
        }

    def to_json(self) -> dict[str, Any]:
        """Return the game, the number of searches and the searcher's strategy in the types of JSON."""
        strategies = list_strategies(self.profile, (self.searcher,))
        counts = {"searcher": self.searcher, "searches": self.searches}
        return {"game": self.profile.game.name, **counts, "strategies": strategies}


def play_nested(
    whole: PublicGame,
    blueprint: Profile,
    searcher: int,
    settings: NestedSearch | None = None,
    progress: Progress | bool | None = False,
    leaves: LeafEvaluator | None = None,
    cancel: CancelToken | None = None,
) -> Play:
    """Return what the searcher does everywhere in `whole` if it answers each action that it does not know by search.

    `blueprint` is a solution of the same game with fewer actions (in small games `build_pair` makes both). With
    `leaves`, which must know all nodes between rounds, searches stop at the end of a round. `progress` shows the number
    of searches so far. If it is cancelled there is no result: `Cancelled` is raised.
    """
    require_seat("searcher", searcher)
    require_same_game(whole, blueprint.game)
    settings, searches = settings or NestedSearch(), 0
    found: dict[PublicNode, FloatArray] = {}
    with as_progress(progress) as display:
        display.begin(f"{settings.method} nested search of seat {searcher}")
        for hand in range(whole.hand_counts[searcher]) if settings.one_hand else [None]:
            agent = NestedSearcher(blueprint, searcher, settings, display, hand, searches, leaves, cancel)
            for node, strategy in walk_agent(whole, searcher, agent):
                kept = strategy if hand is None else strategy * (np.arange(strategy.shape[1]) == hand)
                found[node] = kept + found.get(node, 0.0)
            searches = agent.searches
    profile = Profile(whole)
    for node, strategy in found.items():
        node.set_strategy(profile, strategy)
    return Play(profile, searches, searcher)


@dataclass(frozen=True, eq=False)
class Way:
    """The opponent's actions so far: the last one, where it was taken and, if search has answered it, the answer."""

    before: Way | None
    node: PublicNode
    profile: Profile
    action: Step
    answered: Answer | None

    @cached_property
    def gifts(self) -> FloatArray:
        """What each hand of the opponent has given up in all, in the order of the hands of `node`."""
        new = None if self.answered is None else (self.answered.node, self.answered.profile)
        known = self.action in self.node.actions
        given = gift_at(self.node, self.action, self.profile, led_to=None if known else new)
        return given if self.before is None else given + self.before.gifts_in(self.node)

    def gifts_in(self, node: PublicNode) -> FloatArray:
        """Return the gifts in the order of the hands of another node's game."""
        return node.game.from_hands_of(self.node.game, self.node.player, self.gifts)


class NestedView(NamedTuple):
    """Where play is in the searcher's newest game, the strategies there, and the opponent's actions on the way."""

    node: PublicNode
    profile: Profile
    way: Way | None = None


class NestedSearcher:
    """A player who follows a blueprint and answers actions that it lacks by search (a `RangeAgent`)."""

    def __init__(
        self,
        blueprint: Profile,
        searcher: int,
        settings: NestedSearch | None = None,
        progress: Progress | None = None,
        hand: int | None = None,
        searches: int = 0,
        leaves: LeafEvaluator | None = None,
        cancel: CancelToken | None = None,
    ) -> None:
        require_seat("searcher", searcher)
        settings = settings or NestedSearch()
        _require_hand(settings, blueprint.game.hand_counts[searcher], hand)
        if leaves is not None and settings.gifts:
            raise InputError("depth-limited nested search takes no gifts: values on the way are not known to the end")
        self.settings = replace(settings, algorithm=make_algorithm(settings.algorithm))
        self.blueprint, self.searcher = blueprint, searcher
        self.progress, self.cancel = progress or SilentProgress(), cancel
        self.hand, self.searches, self.leaves = hand, searches, leaves
        self._boards: dict[tuple[Any, ...], HoldemGame] = {}

    def start(self) -> NestedView:
        """Return the beginning of the blueprint's game."""
        return NestedView(self.blueprint.game.root, self.blueprint)

    def strategy(self, at: PublicNode, view: NestedView) -> FloatArray:
        """Return what the newest game says, 0 for actions that it lacks."""
        known = view.node.actions
        if not set(known) <= set(at.actions):
            raise InputError(f"the searcher's actions are {at.actions}, not {known} as solved")
        rows = at.game.from_hands_of(view.node.game, self.searcher, view.node.strategy(view.profile))
        found = np.zeros((len(at.actions), rows.shape[1]))
        found[[at.actions.index(action) for action in known]] = rows
        return found

    def after(self, at: PublicNode, view: NestedView, action: Step) -> NestedView | None:
        """Return the next node of the newest game, or that of the game which answers the action."""
        node, theirs = view.node, at.player != self.searcher
        known = action in node.actions
        following = node.child(action) if known else None
        if following is not None and not (theirs and self.settings.always and following.kind == "decision"):
            way = Way(view.way, node, view.profile, action, None) if theirs else view.way
            return view._replace(node=following, way=way)
        if not theirs or not node.reach(view.profile)[self.searcher].max() > LEAST_REACH:
            return None  # the searcher never gets there, and nothing is known about what it would do
        found = self.answer(view, action)
        self._searched()
        return NestedView(found.node, found.profile, Way(view.way, node, view.profile, action, found))

    def dealt(self, view: NestedView, to: PublicNode) -> NestedView:
        """Return the same path on a board, or the game of the next round if the last search stopped before it."""
        deal = to.game.last_deal(to.dealt)
        return view._replace(node=view.node.deal(deal)) if view.node.kind == "deal" else self.search_round(view, deal)

    def search_round(self, view: NestedView, deal: Any) -> NestedView:
        """Search the round that begins after a leaf by itself."""
        node, game = view.node, view.node.game
        reach = _arriving(node, view.profile, 1 - self.searcher, self.settings)
        new = game.subtree(node, reach, deal=deal, cut=_end_of_round(self.leaves))
        found = Subgame(new, self.searcher, tuple(map(str, node.steps)), new.least_met, self.leaves)
        if not (found.mass > 0).any():  # the searcher never gets there
            return NestedView(new.root, Profile(new))
        alternative = None if self.settings.method == "unsafe" else continuation_values(found)
        result = _search(found, alternative, self.settings, cancel=self.cancel)
        self._searched()
        return NestedView(new.root, result.average)

    def _searched(self) -> None:
        self.searches += 1
        self.progress.show(None, f"{self.searches:,} searches")
        if self.cancel is not None:
            self.cancel.check()

    def answer(self, view: NestedView, action: Step) -> Answer:
        """Search for an answer to an action of the opponent."""
        node = view.node
        gifts = None
        if self.settings.gifts:
            gifts = np.zeros(node.game.hand_counts[node.player]) if view.way is None else view.way.gifts_in(node)
        hand = None if self.hand is None else _same_hand(self.blueprint.game, node.game, self.searcher, self.hand)
        boards = self._boards.get(node.dealt)
        problem = make_problem(node, view.profile, action, self.settings, gifts, hand, self.leaves, boards)
        found = _solve(problem, self.settings, cancel=self.cancel)
        if isinstance(found.node.game, HoldemGame):
            self._boards.setdefault(node.dealt, found.node.game)
        return found


def continuation_values(found: Subgame) -> FloatArray:
    """Return what the best continuation is worth to each hand of the opponent at the root of a subgame: conditional.

    Against the searcher's range and its first continuation.
    """
    assert found.leaves is not None
    game, count = found.game, counts_of(found.leaves)[found.opponent]
    picks = [(pick, 0) if found.opponent == 0 else (0, pick) for pick in range(count)]
    first, second = (np.repeat(game.reach_at_root(seat)[None], count, axis=0) for seat in range(2))
    won = found.leaves.values(LeafBatch(game, [game.root] * count, picks, (first, second)))
    return found.conditional(won[found.opponent].max(axis=0))


def _same_hand(game: PublicGame, other: PublicGame, player: int, hand: int) -> int:
    marked = other.from_hands_of(game, player, np.eye(game.hand_counts[player])[hand])
    return int(marked.argmax()) if marked.any() else -1


def _require_hand(settings: NestedSearch, count: int, hand: Any) -> None:
    """Insist on the searcher's hand where only this one is frozen, and on none elsewhere."""
    if not settings.one_hand:
        if hand is not None:
            raise InputError(f"hand ({hand!r}) is for searches that freeze the own hand only: set freeze to own_hand")
    elif hand is None:
        raise InputError("hand must be given, the number of the one that the searcher holds: freeze is own_hand")
    else:
        require_whole("hand", hand, 0, count - 1)


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

"""Nested search: an action that the blueprint does not know is answered by search, not by translation.

See Brown 2020, section 5.1.7.

The searcher has a solution of a game with fewer actions. When the opponent takes an action that it lacks at public node
K, the rest of the game is solved again with this action in it. Every further unknown action is answered in the same
way, starting from the latest solution. Let r be the searcher's reach of K and N(h) the part of it that hand h can meet.
Search starts

- `after` the action (inexpensive). The alternative of h is the value at K of a best response in the old game, where the
  action does not exist, divided by N(h): an opponent who gains nothing by the action need not take it.
- `before` the action, at K (expensive), with the known actions and the one taken. Unsafe search needs this, as it is
  not known with which hands an unknown action is taken; afterwards the solution says so, and the ranges of both follow
  from it as the products of what the solutions say (Brown et al. 2018, Modicum).
- at the beginning of the `round`, where the searcher's decisions since then are frozen, so that search does not revise
  them, and the opponent's are free (Pluribus). Either the whole range is frozen, or only the hand that is held.

With `gifts` (Reach search) the alternative of a hand is raised by what it gave up on its way to K when it did not end
the game.

With leaf values search looks no further than the end of the betting round (Brown et al. 2018, section 5), where players
pick among continuations. When the next round begins it is searched in turn: there the alternative of each hand of the
opponent is what the best of its continuations was worth on this board against the searcher's present range; unsafe
search instead uses both ranges, as the solutions say.

All of this works for small games and for hold'em alike, because only a `PublicNode` is asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from counterpoise.errors import InputError
from counterpoise.parameters import require_seat
from counterpoise.progress import CancelToken, Progress, SilentProgress, as_progress
from counterpoise.public import (
    HoldemGame,
    LeafEvaluator,
    Profile,
    PublicGame,
    PublicNode,
    Step,
)
from counterpoise.public.thresholds import LEAST_REACH
from counterpoise.search.nested_problem import (
    Answer,
    arriving_ranges,
    continuation_values,
    end_of_round,
    make_problem,
    search_nested,
    solve_problem,
)
from counterpoise.search.nested_settings import NestedSearch, require_hand
from counterpoise.search.places import SolvedPlace
from counterpoise.search.range_agents import require_same_game, walk_agent
from counterpoise.search.subgame import FloatArray, Subgame, as_dense
from counterpoise.search.subgame_strategies import list_strategies
from counterpoise.solvers.base import make_algorithm
from counterpoise.store.json import JsonResult


@dataclass(frozen=True, eq=False)
class SearchedStrategy(JsonResult):
    """The searcher's complete strategy in the whole game, and how many searches it took."""

    profile: Profile
    """The searcher's part is set at every decision that it reaches, and uniform elsewhere."""
    searches: int
    searcher: int

    @property
    def strategy(self) -> dict[tuple[int, str], dict[str, float]]:
        """What the searcher does at the infosets that it reaches, in a game with infosets."""
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
) -> SearchedStrategy:
    """Return the searcher's strategy in the whole of `whole` when it answers each action that it does not know by
    search.

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
    return SearchedStrategy(profile, searches, searcher)


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
        require_hand(settings, blueprint.game.hand_counts[searcher], hand)
        if leaves is not None and settings.gifts:
            raise InputError("depth-limited nested search takes no gifts: values on the way are not known to the end")
        self.settings = replace(settings, algorithm=make_algorithm(settings.algorithm))
        self.blueprint, self.searcher = blueprint, searcher
        self.progress, self.cancel = progress or SilentProgress(), cancel
        self.hand, self.searches, self.leaves = hand, searches, leaves
        self._boards: dict[tuple[Any, ...], HoldemGame] = {}

    def start(self, root: PublicNode) -> SolvedPlace:
        """Return the beginning of the blueprint's game."""
        return SolvedPlace(self.blueprint.game.root, self.blueprint, opponent=1 - self.searcher)

    def strategy(self, at: PublicNode, belief: SolvedPlace) -> FloatArray:
        """Return what the newest game says, 0 for actions that it lacks."""
        known, rows = belief.strategy()
        if not set(known) <= set(at.actions):
            raise InputError(f"the searcher's actions are {at.actions}, not {known} as solved")
        rows = at.game.from_hands_of(belief.node.game, self.searcher, rows)
        found = np.zeros((len(at.actions), rows.shape[1]))
        found[[at.actions.index(action) for action in known]] = rows
        return found

    def after(self, at: PublicNode, belief: SolvedPlace, action: Step) -> SolvedPlace | None:
        """Return the next node of the newest game, or that of the game which answers the action."""
        node, theirs = belief.node, at.player != self.searcher
        following = belief.play(action) if action in node.actions else None
        if following is not None and not (theirs and self.settings.always and following.to_act >= 0):
            return following
        if not theirs or not node.reach(belief.profile)[self.searcher].max() > LEAST_REACH:
            return None  # the searcher never gets there, and nothing is known about what it would do
        found = self.answer(belief, action)
        self._searched()
        return belief.answered(action, found)

    def dealt(self, belief: SolvedPlace, to: PublicNode) -> SolvedPlace:
        """Return the same path on a board, or the game of the next round if the last search stopped before it."""
        deal = to.game.last_deal(to.dealt)
        return belief.deal(deal) if belief.node.kind == "deal" else self.search_round(belief, deal)

    def search_round(self, belief: SolvedPlace, deal: Any) -> SolvedPlace:
        """Search the round that begins after a leaf by itself."""
        node, game = belief.node, belief.node.game
        reach = arriving_ranges(node, belief.profile, 1 - self.searcher, self.settings)
        new = game.subtree(node, reach, deal=deal, cut=end_of_round(self.leaves))
        found = Subgame(new, self.searcher, tuple(map(str, node.steps)), new.least_met, self.leaves)
        if not (found.mass > 0).any():  # the searcher never gets there
            return replace(belief, node=new.root, profile=Profile(new), path=None)
        alternative = None if self.settings.method == "unsafe" else continuation_values(found)
        result = search_nested(found, alternative, self.settings, cancel=self.cancel)
        self._searched()
        return replace(belief, node=new.root, profile=result.average, path=None)

    def _searched(self) -> None:
        self.searches += 1
        self.progress.show(None, f"{self.searches:,} searches")
        if self.cancel is not None:
            self.cancel.check()

    def answer(self, belief: SolvedPlace, action: Step) -> Answer:
        """Search for an answer to an action of the opponent."""
        node = belief.node
        hand = None if self.hand is None else _same_hand(self.blueprint.game, node.game, self.searcher, self.hand)
        boards = self._boards.get(node.dealt)
        gifts = belief.gifts if self.settings.gifts else None
        problem = make_problem(node, belief.profile, action, self.settings, gifts, hand, self.leaves, boards)
        found = solve_problem(problem, self.settings, cancel=self.cancel)
        if isinstance(found.node.game, HoldemGame):
            self._boards.setdefault(node.dealt, found.node.game)
        return found


def _same_hand(game: PublicGame, other: PublicGame, player: int, hand: int) -> int:
    marked = other.from_hands_of(game, player, np.eye(game.hand_counts[player])[hand])
    return int(marked.argmax()) if marked.any() else -1

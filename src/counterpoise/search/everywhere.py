"""Search in every subgame of a game at once, and judge the outcome as a whole.

To search each subgame when play reaches it is the same as to search all of them beforehand, each by itself against the
blueprint. So a method of search is judged by the strategy that its solutions of all subgames of a partition make up,
against an exact best response in the whole game (Brown 2020, section 5.1.8). In hold'em, flops that differ only by a
renaming of suits are searched once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import numpy as np

from counterpoise.cards import format_cards
from counterpoise.errors import InputError
from counterpoise.games import Game
from counterpoise.parameters import is_amount, require_choice, require_seat, require_whole
from counterpoise.progress import CancelToken, Progress, as_progress
from counterpoise.public import DenseGame, HoldemGame, Profile, PublicGame, PublicNode, Traverser, build_dense
from counterpoise.public.buckets import BucketsLike
from counterpoise.public.histories import AfterHistory
from counterpoise.public.thresholds import LEAST_REACH
from counterpoise.search.alternatives import InfosetGroups, abstraction_of, held_response, value_at
from counterpoise.search.gadget import MethodName, SpreadRule
from counterpoise.search.gifts import GiftKind, branching, gifts_on_the_way
from counterpoise.search.search import SearchResult, search_subgame
from counterpoise.search.solver import run_watched
from counterpoise.search.subgame import FloatArray, Subgame, as_dense, locks_at
from counterpoise.search.subgame_strategies import list_strategies, write_part
from counterpoise.solvers.base import Algorithm, make_algorithm
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.store.json import JsonResult
from counterpoise.tree import Strategy
from counterpoise.tree.evaluation import AnyStrategy

NodeOrHistory = PublicNode | Sequence[str]
"""Where a subgame begins: a node, or in small games its public history."""


@dataclass(frozen=True, kw_only=True)
class SearchPlan:
    """A method of search with everything that goes into its alternatives (see `alternatives` and `gifts`)."""

    method: MethodName = "maxmargin"
    estimate: bool = False
    """Alternatives (and gifts) are values in the blueprint's abstraction, not counterfactual best values."""
    gifts: GiftKind = "none"
    split: bool = True
    """False multiplies gifts by the number of outcomes of the chance events on the way."""
    scale: float = 1.0
    """What else gifts are multiplied by."""
    rule: SpreadRule = "step"
    """How hands enter under the distributional method."""

    def __post_init__(self) -> None:
        for field, kind in (("method", MethodName), ("gifts", GiftKind), ("rule", SpreadRule)):
            require_choice(field, getattr(self, field), get_args(kind))
        for field in ("estimate", "split"):
            require_choice(field, getattr(self, field), (True, False))
        if self.method == "unsafe" and (self.gifts != "none" or self.estimate):
            raise InputError("unsafe search has no alternatives: neither gifts nor estimates")
        if not is_amount(self.scale):
            raise InputError(f"scale must be a finite number of at least 0, not {self.scale!r}")


@dataclass(frozen=True, eq=False)
class JudgedProfile(JsonResult):
    """A profile for the whole game and what it is worth, in the game's unit."""

    profile: Profile
    losses: tuple[float, float]
    """Per seat what a best response of the other wins against it.

    The game's value is not subtracted: the loss is negative where the game is worth more to the seat than its mistakes
    cost.
    """

    @property
    def exploitability(self) -> float:
        """The mean of the losses, which is NashConv / 2 in a zero-sum game."""
        return sum(self.losses) / 2

    @property
    def strategy(self) -> Strategy:
        """The strategies of both seats by infoset, in a game with infosets."""
        return as_dense(self.profile.game).strategy(self.profile)

    def to_json(self) -> dict[str, Any]:
        """Return the game, the figures and the strategies of both seats in the types of JSON."""
        return {
            "game": self.profile.game.name,
            "losses": list(self.losses),
            "exploitability": self.exploitability,
            "strategies": list_strategies(self.profile),
        }


class SearchEverywhere:
    """A game, a blueprint for it, and the subgames of a partition for both seats.

    `game` is a public game or the rules (or name) of a small one, `blueprint` a profile or a strategy for it. `places`
    are where the subgames begin: nodes, or in small games public histories (default: right after the first public
    chance event). `alike` is the abstraction in which the blueprint was made, groups of infosets, buckets or
    a card abstraction; only estimates need it.
    """

    def __init__(
        self,
        game: PublicGame | Game | str,
        blueprint: Profile | AnyStrategy,
        places: Sequence[NodeOrHistory] | None = None,
        alike: InfosetGroups | BucketsLike | None = None,
    ) -> None:
        self.game = game if isinstance(game, PublicGame) else build_dense(game, forced=True)
        self.abstraction = None if alike is None else abstraction_of(self.game, alike)
        self.places = after_chance(self.game) if places is None else [self.node(place) for place in places]
        _require_apart(self.places)
        if not self.places and places is None:
            raise InputError(f"{self.game.name} has no public chance event: give histories of its subgames")
        self.blueprint = self._profile(blueprint).copy()
        self._found: dict[PublicNode, dict[int, Subgame]] = {}
        self._values: dict[tuple[PublicNode, int, bool], FloatArray] = {}
        self._gifts: dict[tuple[GiftKind, bool], dict[PublicNode, FloatArray]] = {}
        self._boards: dict[int, HoldemGame] = {}

    def node(self, place: NodeOrHistory) -> PublicNode:
        """Return the node of a place, which in small games may be named by its public history."""
        if isinstance(place, PublicNode):
            return place
        if not isinstance(self.game, DenseGame):
            raise InputError(f"no subgame begins at {place!r}: a place of this game must be a node")
        found = self.game.find(place)
        if found.kind != "decision":
            AfterHistory(self.game.rules, place)  # says why no subgame begins there
        return found

    def subgame(self, place: NodeOrHistory, searcher: int) -> Subgame | None:
        """Return the subgame at a place; None if the searcher never gets there, so that there is nothing to search."""
        require_seat("searcher", searcher)
        node = self.node(place)
        if node not in self._found:
            if node not in self.places:
                raise InputError(f"no subgame begins at {place!r}: it must be one of the {len(self.places):,} places")
            self._found[node] = self._build(node)
        return self._found[node].get(searcher)

    def root_values(self, place: NodeOrHistory, searcher: int, estimate: bool = False) -> FloatArray:
        """Return what each hand of the opponent has at the root of a subgame: CBV or, if asked, its estimate."""
        node, found = self.node(place), self._at(place, searcher)
        key = node, searcher, estimate
        if key not in self._values:
            played = self.held_responses[found.opponent] if estimate else self.blueprint
            values = value_at(node, found.opponent, played, best=not estimate)
            self._values[key] = found.game.from_hands_of(self.game, found.opponent, values)
        return self._values[key]

    def gifts(self, place: NodeOrHistory, searcher: int, kind: GiftKind, estimate: bool = False) -> FloatArray:
        """Return what each hand of the opponent has given up on its way to a subgame, or an estimate of it."""
        node, found = self.node(place), self._at(place, searcher)
        played = self.held_responses[found.opponent] if estimate else self.blueprint
        known = self._gifts.setdefault((kind, estimate), {})
        given = gifts_on_the_way(node, found.opponent, played, kind, best=not estimate, known=known)
        return found.game.from_hands_of(self.game, found.opponent, given) * (found.mass > 0)

    def alternative(self, place: NodeOrHistory, searcher: int, plan: SearchPlan) -> FloatArray:
        """Return the alternatives of a plan at the root of a subgame, gifts included."""
        scale = plan.scale * (1.0 if plan.split else branching(self.node(place)))
        given = self.gifts(place, searcher, plan.gifts, plan.estimate)
        return self.root_values(place, searcher, plan.estimate) + scale * given

    def search(
        self,
        place: NodeOrHistory,
        searcher: int,
        plan: SearchPlan,
        iterations: int = 500,
        algorithm: str | Algorithm = "cfr+",
        *,
        progress: Progress | bool | None = False,
        cancel: CancelToken | None = None,
    ) -> SearchResult:
        """Search in one subgame."""
        found = self._at(place, searcher)
        settings: dict[str, Any] = {"algorithm": algorithm, "iterations": iterations}
        settings |= {"progress": progress, "cancel": cancel}
        if plan.method == "unsafe":  # an opponent that is never expected may have any hand
            expected = found.with_full_opponent_range_if_empty()
            return search_subgame(expected, "unsafe", **settings)
        spread = np.zeros(len(found.mass))
        if plan.method == "distributional" and plan.estimate:
            spread = np.abs(self.root_values(place, searcher, True) - self.root_values(place, searcher))
        return search_subgame(
            found,
            plan.method,
            alternative=self.alternative(place, searcher, plan),
            spread=np.where(found.mass > 0, spread, 0.0),
            rule=plan.rule,
            **settings,
        )

    def search_all(
        self,
        plan: SearchPlan,
        iterations: int = 500,
        algorithm: str | Algorithm = "cfr+",
        *,
        progress: Progress | bool | None = False,
        cancel: CancelToken | None = None,
    ) -> JudgedProfile:
        """Search in every subgame for both seats, put the answers together and judge them.

        If it is cancelled before the last one there is no result: `Cancelled` is raised.
        """
        profile = self.blueprint.copy()
        starts = [(searcher, place) for searcher in range(2) for place in self.places]
        with as_progress(progress) as display:
            display.begin(f"{plan.method} search in all subgames")
            for number, (searcher, place) in enumerate(starts):
                display.show(number / len(starts), f"{number:,} of {len(starts):,} searches")
                if self.subgame(place, searcher) is not None:
                    found = self.search(place, searcher, plan, iterations, algorithm, cancel=cancel)
                    write_part(profile, place, found.average, searcher)
                if cancel is not None:
                    cancel.check()
            return self.judge(profile)

    def judge(self, profile: Profile | AnyStrategy | None = None) -> JudgedProfile:
        """Return strategies of the whole game (default: the blueprint), judged by exact best responses."""
        profile = self.blueprint if profile is None else self._profile(profile)
        first, second = self._traverser.best_response_values(profile).tolist()
        return JudgedProfile(profile, (second, first))

    def best_with_trunk(
        self,
        iterations: int = 500,
        algorithm: str | Algorithm = "cfr+",
        *,
        progress: Progress | bool | None = False,
        cancel: CancelToken | None = None,
    ) -> JudgedProfile:
        """Return the least exploitable strategies of both seats that differ from the blueprint in the subgames only.

        Each seat's is a solution of the game in which it must play the blueprint everywhere else. In small games
        `best_with_trunk_lp` is exact. If it is cancelled there is no result: `Cancelled` is raised.
        """
        settings, profiles = make_algorithm(algorithm), []
        require_whole("iterations", iterations)
        inside = {node for place in self.places for node in place.decisions_below()}
        with as_progress(progress) as display:
            for seat in range(2):
                display.begin(f"best strategy of seat {seat} with the blueprint's trunk")
                locks = [
                    lock
                    for node in self.game.root.decisions_below()
                    if node.player == seat and node not in inside
                    for lock in locks_at(node, self.blueprint.strategy(node.tree, node.at[1], node.board))
                ]
                solver = PublicSolver(settings, self.game.with_locks(locks))
                run_watched(solver, iterations, display, cancel)
                if cancel is not None:
                    cancel.check()
                profiles.append(Profile(self.game, store=solver.average.store))
        return self.judge(profiles[0].joined(profiles[1]))

    @cached_property
    def held_responses(self) -> tuple[Profile, Profile]:
        """The blueprint with the response of each seat that is held to the blueprint's abstraction."""
        if self.abstraction is None:
            raise InputError("estimates need the abstraction of the blueprint: groups of infosets, or buckets")
        first, second = (held_response(self.game, self.blueprint, seat, self.abstraction) for seat in range(2))
        return first, second

    @cached_property
    def _traverser(self) -> Traverser:
        return Traverser(self.game)

    def _profile(self, strategy: Profile | AnyStrategy) -> Profile:
        return strategy if isinstance(strategy, Profile) else as_dense(self.game).profile(strategy)

    def _build(self, node: PublicNode) -> dict[int, Subgame]:
        reach = node.reach(self.blueprint)
        if not max(own.max() for own in reach) > LEAST_REACH:
            return {}
        game: PublicGame
        if isinstance(self.game, HoldemGame):
            game = self.game.subtree(node, reach, share_boards_with=self._boards.get(node.board))
            self._boards.setdefault(node.board, game)
        else:
            assert isinstance(self.game, DenseGame)
            game = self.game.subtree(node, reach)
        found = [Subgame(game, seat, (named(node),), game.least_met) for seat in range(2)]
        return {subgame.searcher: subgame for subgame in found if (subgame.mass > 0).any()}

    def _at(self, place: NodeOrHistory, searcher: int) -> Subgame:
        found = self.subgame(place, searcher)
        if found is None:
            raise InputError(f"seat {searcher} never gets to {named(self.node(place))}: there is nothing to search")
        return found


def after_chance(game: PublicGame) -> list[PublicNode]:
    """Return the first decisions after the first public chance event, on all expanded boards."""
    found: list[PublicNode] = []
    stack = [game.root]
    while stack:
        node = stack.pop()
        if node.kind == "deal":
            found += node.deals()
        elif node.kind == "decision":
            stack += [child for _, child in reversed(list(node.children()))]
    return found


def named(node: PublicNode) -> str:
    """Return the name of a node for messages."""
    if isinstance(node.game, DenseGame):
        return repr(" ".join(node.game.history(node)))
    return f"{' '.join(map(str, node.steps))} on {format_cards(node.dealt)}"


def _require_apart(places: Sequence[PublicNode]) -> None:
    """Insist that no subgame lies inside another."""
    known: dict[PublicNode, int] = {}
    for place in places:
        known[place] = known.get(place, 0) + 1
    for place in places:
        inside = next((node for node in place.path()[:-1] if node in known), place if known[place] > 1 else None)
        if inside is not None:
            raise InputError(
                f"histories must be of subgames that have nothing in common: {named(place)} is inside {named(inside)}"
            )

"""Search in every subgame of a game at once, and judge the outcome as a whole.

To search each subgame when play reaches it is the same as to search all of them beforehand, each by itself against the
blueprint. So a method of search is as good as the strategy that is put together from its answers in all subgames of a
partition, by an exact best response in the whole game (BROWN 5.1.8).

`Whole` is what there is to that in any game; `WholeGame` does it for small games with infosets, and
`counterpoise.search.whole_holdem` for flop hold'em.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Generic, Literal, NamedTuple, TypeVar, get_args

import numpy as np

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, Game, as_game, game_name
from counterpoise.parameters import is_amount, require_seat
from counterpoise.public import DenseTree
from counterpoise.search.alternatives import (
    GiftKind,
    Groups,
    Response,
    best_value,
    branching,
    estimated_value,
    gifts,
    respond,
)
from counterpoise.search.search import Method, SearchResult, search
from counterpoise.search.subgame import TINY, FloatArray, Subgame, deals, put_in, reaches, subgame
from counterpoise.solvers.base import Algorithm
from counterpoise.tree import Strategy, enumerate_game
from counterpoise.tree.evaluate import evaluate

History = tuple[str, ...]
SpreadRule = Literal["step", "hedge"]
Place = TypeVar("Place")
"""What a kind of game names its subgames by."""
Profile = TypeVar("Profile")
"""What it keeps strategies of both seats for the whole game in."""


@dataclass(frozen=True, kw_only=True)
class SearchPlan:
    """A method of search with everything that goes into its alternatives (see `alternatives`)."""

    method: Method = "maxmargin"
    estimate: bool = False
    """Alternatives (and gifts) are values in the blueprint's abstraction, not counterfactual best values."""
    gifts: GiftKind = "none"
    split: bool = True
    """False multiplies gifts by the number of outcomes of the chance events on the way."""
    scale: float = 1.0
    """What else gifts are multiplied by."""
    rule: SpreadRule = "step"
    """Of the distributional method."""

    def __post_init__(self) -> None:
        for field, kind in (("method", Method), ("gifts", GiftKind), ("rule", SpreadRule)):
            value, allowed = getattr(self, field), get_args(kind)
            if value not in allowed:
                raise InputError(f"{field} must be {', '.join(allowed[:-1])} or {allowed[-1]}, not {value!r}")
        for field in ("estimate", "split"):
            if not isinstance(getattr(self, field), bool):
                raise InputError(f"{field} must be True or False, not {getattr(self, field)!r}")
        if self.method == "unsafe" and (self.gifts != "none" or self.estimate):
            raise InputError("unsafe search has no alternatives: neither gifts nor estimates")
        if not is_amount(self.scale):
            raise InputError(f"scale must be a finite number of at least 0, not {self.scale!r}")


class Judged(NamedTuple, Generic[Profile]):
    """A profile for the whole game and what it is worth, in the game's unit."""

    strategy: Profile
    losses: tuple[float, float]
    """Per seat what a best response of the other wins against it.

    Not compared with the game's value: it is negative where the game is worth more to the seat than its mistakes cost.
    """

    @property
    def exploitability(self) -> float:
        """Their mean, which is NashConv / 2 in a zero-sum game."""
        return sum(self.losses) / 2


class Whole(ABC, Generic[Place, Profile]):
    """A game, a blueprint for it, and the subgames of a partition for both seats."""

    def __init__(self, places: Sequence[Place]) -> None:
        self.places = list(places)
        """Where the subgames begin."""
        self._found: dict[Place, dict[int, Subgame]] = {}
        self._values: dict[tuple[Place, int, bool], FloatArray] = {}

    def subgame(self, place: Place, searcher: int) -> Subgame | None:
        """The subgame at a place; None if the searcher never gets there, so that there is nothing to search."""
        require_seat("searcher", searcher)
        if place not in self._found:
            if place not in self.places:
                raise InputError(f"no subgame begins at {place!r}: it must be one of the {len(self.places):,} places")
            self._found[place] = self._build(place)
        return self._found[place].get(searcher)

    def root_values(self, place: Place, searcher: int, estimate: bool = False) -> FloatArray:
        """What each hand of the opponent has at the root of a subgame against the blueprint: CBV or its estimate."""
        found, key = self._at(place, searcher), (place, searcher, estimate)
        if key not in self._values:
            self._values[key] = self._value(place, found, estimate)
        return self._values[key]

    def alternative(self, place: Place, searcher: int, plan: SearchPlan) -> FloatArray:
        """The alternatives of a plan at the root of a subgame, gifts included."""
        scale = plan.scale * (1.0 if plan.split else self.branching(place))
        given = self.gifts(place, searcher, plan.gifts, plan.estimate)
        return self.root_values(place, searcher, plan.estimate) + scale * given

    def search(
        self,
        place: Place,
        searcher: int,
        plan: SearchPlan,
        iterations: int = 500,
        algorithm: str | Algorithm = "cfr+",
    ) -> SearchResult:
        """Search in one subgame."""
        found = self._at(place, searcher)
        if plan.method == "unsafe":  # where nobody is expected, anybody is
            return search(found.believing_in_all_hands(), "unsafe", algorithm=algorithm, iterations=iterations)
        spread = np.zeros(len(found.mass))
        if plan.method == "distributional" and plan.estimate:
            spread = np.abs(self.root_values(place, searcher, True) - self.root_values(place, searcher))
        alternative = self.alternative(place, searcher, plan)
        spread = np.where(found.mass > 0, spread, 0.0)
        return search(
            found, plan.method, alternative=alternative, spread=spread, rule=plan.rule, algorithm=algorithm,
            iterations=iterations,
        )  # fmt: skip

    def search_all(
        self, plan: SearchPlan, iterations: int = 500, algorithm: str | Algorithm = "cfr+"
    ) -> Judged[Profile]:  # fmt: skip
        """Search in every subgame for both seats, put the answers together and judge them."""
        profile = self._fresh()
        for searcher in range(2):
            for place in self.places:
                if self.subgame(place, searcher) is not None:
                    self._put(profile, place, searcher, self.search(place, searcher, plan, iterations, algorithm))
        return self.judge(profile)

    @abstractmethod
    def gifts(self, place: Place, searcher: int, kind: GiftKind, estimate: bool = False) -> FloatArray:
        """What each hand of the opponent has given up on its way to a subgame, or an estimate of it."""

    @abstractmethod
    def branching(self, place: Place) -> float:
        """The number of outcomes of the chance events on the way to a place."""

    @abstractmethod
    def judge(self, profile: Profile | None = None) -> Judged[Profile]:
        """A profile of the whole game (default: the blueprint), judged by exact best responses."""

    @abstractmethod
    def _build(self, place: Place) -> dict[int, Subgame]:
        """The subgame at a place for each searcher that gets there."""

    @abstractmethod
    def _value(self, place: Place, found: Subgame, estimate: bool) -> FloatArray:
        """See `root_values`."""

    @abstractmethod
    def _fresh(self) -> Profile:
        """A copy of the blueprint."""

    @abstractmethod
    def _put(self, profile: Profile, place: Place, searcher: int, result: SearchResult) -> None:
        """Write what the last search, that of the searcher at a place, has found into a profile."""

    def _at(self, place: Place, searcher: int) -> Subgame:
        found = self.subgame(place, searcher)
        if found is None:
            raise InputError(f"seat {searcher} never gets to {self._named(place)}: there is nothing to search")
        return found

    def _named(self, place: Place) -> str:
        return repr(place)


class WholeGame(Whole[History, Strategy]):
    """A small game with public actions, its subgames named by public histories.

    `histories` are where the subgames begin (default: right after the first public chance event). `groups` are the
    infosets that the blueprint's abstraction plays alike; only estimates need them.
    """

    def __init__(
        self,
        game: Game | str,
        blueprint: Strategy,
        histories: Sequence[Sequence[str]] | None = None,
        groups: Groups | None = None,
    ) -> None:
        self.game = as_game(game)
        places = [tuple(steps) for steps in (after_chance(self.game) if histories is None else histories)]
        _require_apart(places)
        if not places and histories is None:
            raise InputError(f"{game_name(self.game)} has no public chance event: give histories of its subgames")
        super().__init__(places)
        self.tree = enumerate_game(self.game)
        self.public = DenseTree(self.game)
        self.blueprint = Strategy(self.tree.name, self.tree.table, blueprint.on(self.tree))
        self.groups = groups

    @property
    def histories(self) -> list[History]:
        """Where the subgames begin."""
        return self.places

    @cached_property
    def best_responses(self) -> tuple[Response, Response]:
        """Of each seat to the other's blueprint."""
        return respond(self.tree, self.blueprint, 0), respond(self.tree, self.blueprint, 1)

    @cached_property
    def held_responses(self) -> tuple[Response, Response]:
        """Those of players who are held to the blueprint's abstraction."""
        if self.groups is None:
            raise InputError("estimates need the groups of infosets that the blueprint plays alike")
        return tuple(respond(self.tree, self.blueprint, seat, self.groups) for seat in range(2))  # type: ignore[return-value]

    def gifts(self, place: History, searcher: int, kind: GiftKind, estimate: bool = False) -> FloatArray:
        """What each hand of the opponent has given up on its way to a subgame, or an estimate of it."""
        responses = self.held_responses if estimate else self.best_responses
        return gifts(self._at(place, searcher), self.game, responses[1 - searcher], kind)

    def branching(self, place: History) -> float:
        """One over the probability of the rarest outcome of all public chance events."""
        return branching(self.game, place)

    def judge(self, profile: Strategy | FloatArray | None = None) -> Judged[Strategy]:
        """A profile of the whole game, possibly flat (default: the blueprint), judged by exact best responses."""
        flat = self.blueprint.probabilities if profile is None else profile
        flat = flat.probabilities if isinstance(flat, Strategy) else flat
        first, second = evaluate(self.tree, flat).best.tolist()
        return Judged(Strategy(self.tree.name, self.tree.table, flat), (second, first))

    def _build(self, place: History) -> dict[int, Subgame]:
        own = reaches(self.public, place, self.blueprint)
        there = [seat for seat in range(2) if own[seat].max() > TINY]
        if not there:
            return {}
        tree = subgame(self.public, place, self.blueprint, there[0]).tree  # one tree for both seats
        return {seat: Subgame(tree, seat, place) for seat in there}

    def _value(self, place: History, found: Subgame, estimate: bool) -> FloatArray:
        if estimate:
            return estimated_value(found, self.held_responses[found.opponent])
        return best_value(found, self.blueprint)

    def _fresh(self) -> Strategy:
        return Strategy(self.tree.name, self.tree.table, self.blueprint.probabilities.copy())

    def _put(self, profile: Strategy, place: History, searcher: int, result: SearchResult) -> None:
        put_in(self.blueprint, profile.probabilities, result.strategy, searcher)

    def _named(self, place: History) -> str:
        return repr(" ".join(place))


def _require_apart(histories: Sequence[History]) -> None:
    """Insist that no subgame lies inside another."""
    ordered = sorted(histories)
    for first, second in pairwise(ordered):  # what begins with another follows it
        if second[: len(first)] == first:
            raise InputError(
                f"histories must be of subgames that have nothing in common: {' '.join(second)!r} is inside "
                f"{' '.join(first)!r}"
            )


def after_chance(game: Game) -> list[History]:
    """All public histories that end with the first chance event in play."""
    found: list[History] = []
    stack: list[tuple[History, list[Any]]] = [((), deals(game))]
    while stack:
        history, states = stack.pop()
        player = game.player(states[0])
        if player == CHANCE:
            outcomes = dict.fromkeys(name for state in states for name, likely in game.chance(state) if likely > 0)
            found += [(*history, name) for name in sorted(outcomes)]
        elif player >= 0:
            stack += [
                ((*history, action), [game.next(state, action) for state in states])
                for action in reversed(game.actions(states[0]))
            ]
    return found

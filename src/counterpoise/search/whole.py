"""Search in every subgame of a game at once, and judge the outcome as a whole.

To search each subgame when play reaches it is the same as to search all of them beforehand, each by itself against the
blueprint. So a method of search is as good as the strategy that is put together from its answers in all subgames of a
partition, by an exact best response in the whole game (BROWN 5.1.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, Game, as_game
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
from counterpoise.search.subgame import TINY, FloatArray, Subgame, deals, reaches, subgame
from counterpoise.solvers.base import Algorithm
from counterpoise.tree import Strategy, enumerate_game
from counterpoise.tree.evaluate import evaluate

History = tuple[str, ...]


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
    rule: Literal["step", "hedge"] = "step"
    """Of the distributional method."""

    def __post_init__(self) -> None:
        if self.scale < 0:
            raise InputError(f"scale must be at least 0, not {self.scale!r}")


class Judged(NamedTuple):
    """A profile for the whole game and what it is worth, in the game's unit."""

    strategy: Strategy
    losses: tuple[float, float]
    """Per seat what a best response of the other wins against it."""

    @property
    def exploitability(self) -> float:
        """Their mean, which is NashConv / 2 in a zero-sum game."""
        return sum(self.losses) / 2


class WholeGame:
    """A game with public actions, a blueprint for it, and the subgames of a partition for both seats.

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
        self.tree = enumerate_game(self.game)
        self.public = DenseTree(self.game)
        self.blueprint = Strategy(self.tree.name, self.tree.table, blueprint.on(self.tree))
        self.histories = [tuple(steps) for steps in (after_chance(self.game) if histories is None else histories)]
        self.groups = groups
        self._found: dict[History, dict[int, Subgame]] = {}
        self._values: dict[tuple[History, int, bool], FloatArray] = {}

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

    def subgame(self, history: History, searcher: int) -> Subgame | None:
        """The subgame after a history; None if the searcher never gets there, so that there is nothing to search."""
        if history not in self._found:
            own = reaches(self.public, history, self.blueprint)
            there = [seat for seat in range(2) if own[seat].max() > TINY]
            self._found[history] = {}
            if there:  # one tree for both seats
                tree = subgame(self.public, history, self.blueprint, there[0]).tree
                self._found[history] = {seat: Subgame(tree, seat, history) for seat in there}
        return self._found[history].get(searcher)

    def root_values(self, history: History, searcher: int, estimate: bool = False) -> FloatArray:
        """What each hand of the opponent has at the root of a subgame against the blueprint: CBV or its estimate."""
        found, key = self._at(history, searcher), (history, searcher, estimate)
        if key not in self._values:
            self._values[key] = (
                estimated_value(found, self.held_responses[found.opponent])
                if estimate
                else best_value(found, self.blueprint)
            )
        return self._values[key]

    def alternative(self, history: History, searcher: int, plan: SearchPlan) -> FloatArray:
        """The alternatives of a plan at the root of a subgame, gifts included."""
        found = self._at(history, searcher)
        responses = self.held_responses if plan.estimate else self.best_responses
        scale = plan.scale * (1.0 if plan.split else branching(self.game, history))
        given = gifts(found, self.game, responses[found.opponent], plan.gifts)
        return self.root_values(history, searcher, plan.estimate) + scale * given

    def search(
        self,
        history: History,
        searcher: int,
        plan: SearchPlan,
        iterations: int = 500,
        algorithm: str | Algorithm = "cfr+",
    ) -> SearchResult:
        """Search in one subgame."""
        found = self._at(history, searcher)
        if plan.method == "unsafe":
            arriving = found.tree.ranges[found.opponent, : len(found.mass)]
            expected = arriving.copy()
            if not (expected * found.mass > 0).any():
                arriving[:] = 1.0  # nobody is expected: then anybody
            result = search(found, "unsafe", algorithm=algorithm, iterations=iterations)
            arriving[:] = expected
            return result
        spread = np.zeros(len(found.mass))
        if plan.method == "distributional" and plan.estimate:
            spread = np.abs(self.root_values(history, searcher, True) - self.root_values(history, searcher))
        alternative = self.alternative(history, searcher, plan)
        spread = np.where(found.mass > 0, spread, 0.0)
        return search(
            found, plan.method, alternative=alternative, spread=spread, rule=plan.rule, algorithm=algorithm,
            iterations=iterations,
        )  # fmt: skip

    def search_all(
        self, plan: SearchPlan, iterations: int = 500, algorithm: str | Algorithm = "cfr+"
    ) -> Judged:  # fmt: skip
        """Search in every subgame for both seats, put the answers together and judge them."""
        profile = self.blueprint.probabilities.copy()
        for searcher in range(2):
            for history in self.histories:
                if self.subgame(history, searcher) is not None:
                    found = self.search(history, searcher, plan, iterations, algorithm)
                    put_in(self.blueprint, profile, found.strategy, searcher)
        return self.judge(profile)

    def judge(self, profile: FloatArray | None = None) -> Judged:
        """A flat profile of the whole game (default: the blueprint), judged by exact best responses."""
        profile = self.blueprint.probabilities if profile is None else profile
        first, second = evaluate(self.tree, profile).best.tolist()
        return Judged(Strategy(self.tree.name, self.tree.table, profile), (second, first))

    def _at(self, history: History, searcher: int) -> Subgame:
        found = self.subgame(history, searcher)
        if found is None:
            raise InputError(f"seat {searcher} never gets to {' '.join(history)!r}: there is nothing to search")
        return found


def put_in(whole: Strategy, profile: FloatArray, part: Strategy, player: int) -> None:
    """Write a player's strategy in a subgame into a flat profile of the whole game, of which `whole` is a strategy."""
    places = zip(part.table, part.table.start.tolist(), part.table.actions, strict=True)
    for (owner, label), start, actions in places:
        if owner == player and (player, label) in whole:  # not if the hand cannot be there
            at = int(whole.table.start[whole.table.find((player, label))])
            profile[at : at + len(actions)] = part.probabilities[start : start + len(actions)]


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

"""Subgames at the table: the rest of a hand between two seats as a public tree, and its solution.

`open_subgame` makes the rules of the subgame at a belief with both ranges, `solve_unsafe` solves it. `solve_last_call`
solves a last decision, a fold or a call, so that no hand of the opponent gains by it. `answer_action` solves the
subgame after an action of the opponent in an earlier solution, with alternatives and gifts from there (nested search;
Brown 2020, section 5.1.7). All return a `SolvedStrategy`. Work is counted in nodes x hands of a traversal, as
`HoldemRules.size` does: about 4 x 10^8 of it take a second of one core. The work before and after the iterations of a
search, mostly making boards, takes 0.1 seconds with 52 cards on the turn and 0.02 on the river.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from counterpoise.agents.searching import LOGGER, Budget, Deadline, Menu, SearchClock, SearchNote
from counterpoise.betting.rules import CALL, Betting
from counterpoise.betting.sizes import BetSizes, label, read_label
from counterpoise.cards import STANDARD_DECK, Range
from counterpoise.cards.deck import parse_card
from counterpoise.games.base import Action
from counterpoise.games.events import ActionEvent, read_event
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour, public_cards
from counterpoise.kernels.compiling import needs_compiling
from counterpoise.parameters import require
from counterpoise.proportions import proportional
from counterpoise.public import Cut, HoldemGame, HoldemRules, LeafEvaluator, Profile, PublicNode, Start, build_holdem
from counterpoise.search.gadget import MethodName
from counterpoise.search.places import OpponentPath, SolvedPlace
from counterpoise.search.public_belief import PublicBelief
from counterpoise.search.search import SearchResult, search_subgame
from counterpoise.search.solver import SearchSolver
from counterpoise.search.subgame import FloatArray, Subgame
from counterpoise.solvers.base import make_algorithm

if TYPE_CHECKING:
    from counterpoise.search.nested_settings import NestedSearch

SYMMETRIC = 1e-9
"""The largest difference between the ranges of suits that are still treated alike."""


@dataclass(frozen=True, eq=False)
class SolvedStrategy:
    """The solution of a subgame as a strategy: what both seats do from the public history on at which it begins."""

    game: Holdem
    public: tuple[str, ...]
    root: PublicNode
    profile: Profile
    path: OpponentPath | None = None
    """The opponent's actions in earlier solutions, for the gifts of Reach search."""

    @property
    def holdem(self) -> HoldemGame:
        """The public tree."""
        assert isinstance(self.root.game, HoldemGame)
        return self.root.game

    def place_after(self, line: tuple[str, ...], opponent: int | None = None) -> SolvedPlace:
        """Return the place after a public history that the subgame knows, with what an opponent did on the way."""
        place = SolvedPlace(self.root, self.profile, self.path, opponent)
        for event in line[len(self.public) :]:
            told = read_event(event)
            place = place.play(told.bet) if isinstance(told, ActionEvent) else place.deal(tuple(public_cards((told,))))
        return place

    def behaviour(self, line: tuple[str, ...]) -> Behaviour:
        """Return what the seat to act does with every hand of the deck, uniform for hands that never arrive."""
        node = self.place_after(line).node
        rows = self.holdem.scatter_to_deck(node.player, node.strategy(self.profile)).T
        rows = proportional(rows, rows.sum(axis=1, keepdims=True), 1 / rows.shape[1])
        live = self.game.deck.live_hands(public_cards(line))
        return Behaviour(
            self.game.deck.hand_names, tuple([label(action) for action in node.actions]), rows * live[:, None]
        )


def open_subgame(
    belief: PublicBelief, sizes: BetSizes, ranges: FloatArray | None = None, cut: Cut | None = None
) -> HoldemRules:
    """Return the rules of the subgame at a belief with its ranges, up to a cut if there is one."""
    game, public = belief.game, belief.public
    require(game.players == 2, f"subgames of public trees are for two seats, not {game.players}")
    reach = belief.ranges if ranges is None else ranges
    dealt = game.board[: belief.betting.round + 1]
    rules = HoldemRules(
        tuple(public_cards(public)),
        (Range(np.ones(game.deck.hand_count), game.deck),) * 2,
        game.betting,
        sizes,
        game.deck,
        game.board[belief.betting.round + 1 :],
        start=Start(belief.betting, tuple([count for count in dealt if count]), (reach[0], reach[1])),
        cut=cut,
        name=f"the game after {':'.join(public)}",
    )
    maps = rules.symmetry.hand_maps
    apart = np.abs(reach[:, maps] - reach[:, None, :]).max(axis=(1, 2)) > SYMMETRIC * reach.max(axis=1)
    return replace(rules, isomorphism=False) if apart.any() else rules


def affordable(
    belief: PublicBelief, menus: Sequence[BetSizes], budget: Budget, event: Action | None = None
) -> HoldemRules:
    """Return the rules with the richest menu for which the budget pays for the least number of iterations.

    An action `event` where play is, which may be of any size, is in all of them.
    """
    first, *poorer = (with_action(sizes, belief, event) for sizes in menus)
    return _richest(open_subgame(belief, first), poorer, budget)


def with_action(sizes: BetSizes, belief: PublicBelief, event: Action | None) -> BetSizes:
    """Return bet sizes in which an action of any size is known where play is."""
    bet = CALL if event is None else read_label(event)
    return sizes.with_bet(belief.betting, bet) if bet > CALL else sizes


def _richest(rules: HoldemRules, poorer: Iterable[BetSizes], budget: Budget) -> HoldemRules:
    """Return the rules, or those with the richest poorer sizes for which the budget pays for the least number of
    iterations."""
    for sizes in poorer:
        if rules.takes_at_most(budget.work / budget.least):
            break
        rules = rules.with_sizes(sizes)
    return rules


def solve_unsafe(
    belief: PublicBelief,
    rules: HoldemRules,
    seat: int,
    budget: Budget,
    deadline: Deadline,
    leaves: LeafEvaluator | None = None,
) -> tuple[SolvedStrategy, SearchNote]:
    """Return the solution of a subgame in which both seats arrive with the ranges of a belief (unsafe search).

    If the rules are cut, `leaves` says what the rest is worth.
    """
    clock = SearchClock()
    game = build_holdem(rules)
    subgame = Subgame(game, seat, belief.public, game.least_met, leaves).checked().with_full_opponent_range_if_empty()
    iterations = budget.iterations(rules.size().effort)
    result = _search(subgame, "unsafe", None, iterations, deadline)
    strategy = SolvedStrategy(belief.game, belief.public, game.root, result.average)
    return strategy, _note(clock, belief.public, "unsafe", result, iterations)


def solve_last_call(
    belief: PublicBelief, seat: int, budget: Budget, deadline: Deadline
) -> tuple[SolvedStrategy, SearchNote]:
    """Return the solution of a last decision, a fold or a call, by Maxmargin search (Brown 2020, section 5.1.2).

    The alternative of each hand of the opponent is its value against the strategy of the belief. The opponent has acted
    for the last time, so that this is also the value of its best response.
    """
    clock, ranges = SearchClock(), belief.ranges.copy()
    ranges[1 - seat] = belief.game.deck.live_hands(public_cards(belief.public))
    rules = open_subgame(belief, Menu((), ()).sizes(len(belief.game.board)), ranges)
    game = build_holdem(rules)
    subgame = Subgame(game, seat, belief.public, game.least_met).checked()
    before, known = Profile(game), belief.behaviour()
    columns = {read_label(action): known.table[:, column] for column, action in enumerate(known.actions)}
    never = np.zeros(belief.game.deck.hand_count)
    rows = np.stack([columns.get(action, never) for action in map(int, game.root.actions)])
    game.root.set_strategy(before, game.gather_from_deck(seat, rows))
    iterations = budget.iterations(rules.size().effort)
    result = _search(subgame, "maxmargin", subgame.root_values(before), iterations, deadline)
    strategy = SolvedStrategy(belief.game, belief.public, game.root, result.average)
    return strategy, _note(clock, belief.public, "maxmargin", result, iterations)


def answer_action(
    strategy: SolvedStrategy,
    line: tuple[str, ...],
    event: str,
    menus: Sequence[BetSizes],
    settings: NestedSearch,
    budget: Budget,
    deadline: Deadline,
) -> tuple[SolvedStrategy, SearchNote]:
    """Return the solution of the subgame after an action of the opponent, by safe search from an earlier solution.

    `line` leads to the decision of the opponent, in the strategy's own game; the action need not be known there. The
    subgame has the richest of the menus for which the budget pays for the least number of iterations.
    """
    from counterpoise.search.nested_problem import Answer, make_problem  # only later decisions need it

    clock = SearchClock()
    place, action = strategy.place_after(line, opponent=strategy.game.betting_after(line).to_act), read_label(event)
    rules = strategy.holdem.rules_after(place.node, place.node.reach(strategy.profile), action).with_sizes(menus[0])
    gifts, sizes = place.gifts if settings.gifts else None, _richest(rules, menus[1:], budget).sizes
    problem = make_problem(place.node, place.profile, action, settings, gifts, sizes=sizes)
    game = problem.subgame.game
    assert isinstance(game, HoldemGame)
    iterations = budget.iterations(game.rules.size().effort)
    result = _search(problem.subgame, settings.method, problem.alternative, iterations, deadline)
    after = place.answered(action, Answer(game.root.follow(problem.steps), result))
    found = SolvedStrategy(strategy.game, (*line, event), after.node, after.profile, after.path)
    return found, _note(clock, found.public, settings.method, result, iterations)


@cache
def compile_searches(agent: str) -> None:
    """Compile what searches need, and say so if it takes a while, so that no decision has to wait for it."""
    deck, betting = STANDARD_DECK, Betting.spot(pot=10, stack=20, first_round=3)
    some = Range(np.arange(deck.hand_count) % 50 == 0, deck)
    sizes = Menu(("100%",), ()).sizes(4)
    board = tuple([parse_card(card) for card in ("2s", "7h", "9d", "Jc", "Ks")])
    game = build_holdem(HoldemRules(board, (some, some), betting, sizes))
    subgame = Subgame(game, 0, (), game.least_met)
    if needs_compiling(SearchSolver(make_algorithm("modicum-cfr+"), subgame, None).kernels):
        LOGGER.warning("%s: compiling its searches, about half a minute; later runs load them", agent)
    for method in ("unsafe", "maxmargin", "resolve"):
        nothing = None if method == "unsafe" else np.zeros(game.hand_counts[1])
        found = _search(subgame, method, nothing, 2, Deadline(3600))
        found.best_values  # noqa: B018
        game.root.best_action_values(found.average)


def _search(
    subgame: Subgame, method: MethodName, alternative: FloatArray | None, iterations: int, deadline: Deadline
) -> SearchResult:
    algorithm = f"modicum-cfr+(total={iterations})"
    return search_subgame(
        subgame,
        method,
        alternative=alternative,
        algorithm=algorithm,
        iterations=iterations,
        cancel=deadline,
    )


def _note(
    clock: SearchClock, public: tuple[str, ...], method: MethodName, result: SearchResult, planned: int
) -> SearchNote:
    """Return what a search did; its margin is the smallest."""
    margin = None if result.alternative is None else float(np.nanmin(result.margins))
    cut = result.iterations < planned
    return clock.note(public, method, int(result.game.nodes), result.iterations, cut_short=cut, margin=margin)

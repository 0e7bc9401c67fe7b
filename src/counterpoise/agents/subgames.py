"""What is left of a hand between two seats as a public tree that is solved at the table, and its solution.

`open_subgame` makes the rules of the subgame at a belief with both ranges, `solve_unsafe` solves it. `answer_action`
solves the subgame after an action of the opponent in an earlier solution, with alternatives and gifts from there
(nested search; Brown 2020, section 5.1.7). Both return a `SolvedStrategy`. Work is counted in nodes x hands of a
traversal, as `HoldemRules.size` does: about 4 x 10^8 of it take a second of one core. What comes before and after the
iterations of a search, the boards above all, takes 0.1 seconds of it with 52 cards on the turn, 0.02 on the river.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from counterpoise.agents.searching import LOGGER, Deadline, SearchNote
from counterpoise.betting.rules import CALL, BetAction, Betting, BettingState
from counterpoise.betting.sizes import BetSize, BetSizes, StreetSizes, label, parse_size, read_label
from counterpoise.cards import STANDARD_DECK, Range
from counterpoise.cards.deck import parse_card
from counterpoise.games.base import Action
from counterpoise.games.events import ActionEvent, read_event
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour, public_cards
from counterpoise.kernels.compiling import needs_compiling
from counterpoise.parameters import require
from counterpoise.public import Cut, HoldemGame, HoldemRules, LeafEvaluator, Profile, PublicNode, Start, build_holdem
from counterpoise.search.gadget import Method
from counterpoise.search.public_belief import FloatArray, PublicBelief
from counterpoise.search.search import SearchResult, search_subgame
from counterpoise.search.solver import SearchSolver
from counterpoise.search.subgame import Subgame
from counterpoise.solvers.base import make_algorithm

if TYPE_CHECKING:
    from counterpoise.search.nested_settings import NestedSearch
    from counterpoise.search.opponent_path import OpponentPath

SYMMETRIC = 1e-9
"""By how much ranges may differ between suits that are then treated alike."""


@dataclass(frozen=True)
class SubgameBetting:
    """The betting of a subgame at the table: the table's rules with a menu of its own."""

    game: Holdem
    sizes: BetSizes

    @property
    def betting(self) -> Betting:
        """The rules of betting."""
        return self.game.betting

    def menu(self, betting: BettingState) -> Sequence[BetAction]:
        """Return the actions that are listed at a decision."""
        return self.sizes.actions(self.game.betting, betting)

    def betting_next(self, state: BettingState, event: str) -> BettingState:
        """Return the betting after one more public event."""
        return self.game.betting_next(state, event)


@dataclass(frozen=True, eq=False)
class SolvedStrategy:
    """The solution of a subgame as a plan: what both seats do from the public history on at which it begins."""

    game: Holdem
    public: tuple[str, ...]
    root: PublicNode
    profile: Profile
    way: OpponentPath | None = None
    """The opponent's actions in solutions of before, for the gifts of Reach search."""

    @property
    def rules(self) -> SubgameBetting:
        """The betting of the subgame."""
        return SubgameBetting(self.game, self.holdem.sizes)

    @property
    def holdem(self) -> HoldemGame:
        """The public tree."""
        assert isinstance(self.root.game, HoldemGame)
        return self.root.game

    def node_after(self, line: tuple[str, ...]) -> PublicNode:
        """Return the node after a public history that the subgame knows."""
        node = self.root
        for event in line[len(self.public) :]:
            told = read_event(event)
            node = node.child(told.bet) if isinstance(told, ActionEvent) else node.deal(tuple(public_cards((told,))))
        return node

    def behaviour(self, line: tuple[str, ...]) -> Behaviour:
        """Return what the seat to act does with every hand of the deck; any action where it never gets with a hand."""
        node = self.node_after(line)
        rows = self.holdem.scatter_to_deck(node.player, node.strategy(self.profile)).T
        sums = rows.sum(axis=1, keepdims=True)
        rows = np.divide(rows, sums, out=np.full_like(rows, 1 / rows.shape[1]), where=sums > 0)
        live = self.game.deck.live_hands(public_cards(line))
        return Behaviour(
            self.game.deck.hand_names, tuple([label(action) for action in node.actions]), rows * live[:, None]
        )

    def way_to(self, node: PublicNode, opponent: int) -> OpponentPath | None:
        """Return the opponent's actions on the way to a node, those in solutions of before included."""

        from counterpoise.search.opponent_path import OpponentPath

        way = self.way
        for above, after in pairwise(node.path()):
            if above.kind == "decision" and above.player == opponent:
                taken = next(action for action, child in above.children() if child == after)
                way = OpponentPath(way, above, self.profile, taken, None)
        return way


class Menu(NamedTuple):
    """Bet sizes for the rest of a hand, as shares of the pot or "allin"; those of raises come on top of the call."""

    bets: tuple[str, ...]
    raises: tuple[str, ...]

    def sizes(self, rounds: int, own: int | None = None, jitter: float = 0.0) -> BetSizes:
        """Return the sizes for all rounds; those of seat `own` are scaled by 1 + `jitter`, all-in apart."""
        usual = StreetSizes(
            tuple([parse_size(word) for word in self.bets]),
            tuple([parse_size(word, raising=True) for word in self.raises]),
        )
        factor = Fraction(1 + jitter).limit_denominator(1000)
        scaled = StreetSizes(
            tuple([_scaled(size, factor) for size in usual.bets]),
            tuple([_scaled(size, factor) for size in usual.raises]),
        )
        return BetSizes(((scaled if own == 0 else usual, scaled if own == 1 else usual),) * rounds)


def _scaled(size: BetSize, factor: Fraction) -> BetSize:
    if size.kind != "%":
        return size
    share = Fraction(size.numerator, size.denominator) * factor
    return BetSize("%", share.numerator, share.denominator)


class Budget(NamedTuple):
    """How much work a search may take, and how many iterations at least and at most."""

    work: float
    least: int
    most: int

    def iterations(self, work: float) -> int:
        """Return the number of iterations for a game in which one iteration takes `work`."""
        return int(min(max(self.work / max(work, 1.0), self.least), self.most))


def open_subgame(
    belief: PublicBelief, sizes: BetSizes, ranges: FloatArray | None = None, cut: Cut | None = None
) -> HoldemRules:
    """Return the rules of what is left of the hand at a belief, with the ranges that arrive there, up to a cut."""
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
    """Return the rules with the first menu, from rich to poor, of which the budget pays for the least iterations.

    An action `event` where play is, which may be of any size, is in all of them.
    """
    first, *poorer = (with_action(sizes, belief, event) for sizes in menus)
    return _richest(open_subgame(belief, first), poorer, budget)


def with_action(sizes: BetSizes, belief: PublicBelief, event: Action | None) -> BetSizes:
    """Return bet sizes in which an action of any size is known where play is."""
    bet = CALL if event is None else read_label(event)
    return sizes.with_bet(belief.betting, bet) if bet > CALL else sizes


def _richest(rules: HoldemRules, poorer: Iterable[BetSizes], budget: Budget) -> HoldemRules:
    """Return the rules, or the first with poorer sizes of which the budget pays for the least iterations."""
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
    clock = _Clock()
    game = build_holdem(rules)
    subgame = Subgame(game, seat, belief.public, game.least_met, leaves).checked().with_full_opponent_range_if_empty()
    iterations = budget.iterations(rules.size().effort)
    result = _search(subgame, "unsafe", None, iterations, deadline)
    plan = SolvedStrategy(belief.game, belief.public, game.root, result.average)
    return plan, clock.note(belief.public, "unsafe", result, iterations)


def answer_action(
    plan: SolvedStrategy,
    line: tuple[str, ...],
    event: str,
    menus: Sequence[BetSizes],
    settings: NestedSearch,
    budget: Budget,
    deadline: Deadline,
) -> tuple[SolvedStrategy, SearchNote]:
    """Return the solution of the subgame after an action of the opponent, by safe search from a plan of before.

    `line` leads to the decision of the opponent, in the plan's own game; the action need not be known there. The
    subgame has the first of the menus, from rich to poor, of which the budget pays for the least iterations.
    """
    from counterpoise.search.nested_problem import Answer, make_problem
    from counterpoise.search.opponent_path import OpponentPath, gifts_of_path

    clock = _Clock()
    node, action = plan.node_after(line), read_label(event)
    opponent = node.player
    way = plan.way_to(node, opponent)
    gifts = gifts_of_path(way, node) if settings.gifts else None
    reach = node.reach(plan.profile)
    rules = plan.holdem.rules_after(node, reach, action).with_sizes(menus[0])
    sizes = _richest(rules, menus[1:], budget).sizes
    problem = make_problem(node, plan.profile, action, settings, gifts, sizes=sizes)
    game = problem.subgame.game
    assert isinstance(game, HoldemGame)
    iterations = budget.iterations(game.rules.size().effort)
    result = _search(problem.subgame, settings.method, problem.alternative, iterations, deadline)
    root = game.root.follow(problem.steps)
    way = OpponentPath(way, node, plan.profile, action, Answer(root, result))
    found = SolvedStrategy(plan.game, (*line, event), root, result.average, way)
    return found, clock.note((*line, event), settings.method, result, iterations)


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
    subgame: Subgame, method: Method, alternative: FloatArray | None, iterations: int, deadline: Deadline
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


class _Clock:
    """Measures a search."""

    def __init__(self) -> None:
        self._began, self._cpu = time.monotonic(), time.process_time()

    def note(self, public: tuple[str, ...], method: str, result: SearchResult, planned: int) -> SearchNote:
        """Return what the search did."""
        return SearchNote(
            public,
            method,
            int(result.game.nodes),
            result.iterations,
            time.monotonic() - self._began,
            time.process_time() - self._cpu,
            result.iterations < planned,
            None if result.alternative is None else float(np.nanmin(result.margins)),
        )

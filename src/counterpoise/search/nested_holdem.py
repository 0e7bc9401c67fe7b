"""Nested search in hold'em: a bet that a tree does not know is answered by solving what follows it (BROWN 5.1.7).

`answer` is one such search, at any decision of any solved tree, and needs nothing else than this tree. For a bet of the
opponent at decision K of the tree, with r the searcher's reach of K and N(h) how much of it a hand h can meet:

1. The new tree begins after the bet (inexpensive), or at K with the known actions and the bet (expensive). It has the
   bets of the old one.
2. The alternative of h is the value at K of a best response in the old tree, where the bet does not exist, divided by
   N(h): whoever gets no more by the bet need not make it. With gifts (Reach search) it is raised by what h gave up on
   its way by not ending the game: at each of its decisions

       max over actions a that end the game and the one taken, a', of CBV(h, a)  -  CBV(h, a').

3. Resolve or Maxmargin search, in which the opponent comes with any hand. Unsafe search begins at K, with the
   opponent's reach in the old tree; afterwards the new tree says with which hands the bet is made.

The next unknown bet is answered in the same way in the new tree, and so on. `play_nested_holdem` answers all bets of a
larger tree in all orders, so that the outcome can be judged by an exact best response.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from counterpoise.errors import InputError
from counterpoise.games.bet_sizes import BetSizes
from counterpoise.games.betting import Action, Betting, BettingState
from counterpoise.public import HoldemTree
from counterpoise.public.lines import Leaf
from counterpoise.public.street_kernels import DEAL
from counterpoise.search.checks import require_seat
from counterpoise.search.holdem_play import Place, play_everywhere
from counterpoise.search.nested import NestedSearch
from counterpoise.search.search import SearchResult, search
from counterpoise.search.subgame import TINY, FloatArray, Subgame
from counterpoise.solvers.run import make_algorithm

LEAST = 1e-5
"""The share of the searcher's range that a hand must meet to count: less is lost in the rounding of the tables."""


class Answer(NamedTuple):
    """Where play goes on after a bet was answered: the searcher's decision in the new tree, which knows the ranges."""

    place: Place
    result: SearchResult


def answer(
    place: Place,
    bet: Action,
    settings: NestedSearch | None = None,
    *,
    gifts: FloatArray | None = None,
    like: HoldemTree | None = None,
) -> Answer:
    """Answer a bet of the player to act at `place`, a total in chips, as though its tree did not know it.

    Reach search needs `gifts`: what the hands of the deck gave up on the way to `place`, the sum of `given_up` over
    the opponent's decisions. `like` is a tree that an earlier answer on the same board has made; the new one uses its
    boards again.
    """
    settings = settings or NestedSearch()
    _check(settings)
    tree, state, opponent = place.tree, place.state, place.node.player
    if settings.gifts and gifts is None:
        raise InputError("gifts must be given, one number per hand of the deck: the settings ask for Reach search")
    if not isinstance(bet, int) or not state.max_raise or not state.min_raise <= bet <= state.max_raise:
        raise InputError(f"bet {bet!r} is not possible: it may be {state.min_raise} to {state.max_raise} chips in all")
    reach = list(place.reaches)
    if not reach[1 - opponent].max() > TINY:
        raise InputError("the searcher's strategy never gets there, so there is nothing to search")
    if settings.method != "unsafe":
        reach[opponent] = np.ones(tree.deck.hand_count)
    sizes = tree.sizes
    if settings.start == "before":
        sizes = _WithBet(sizes.streets, sizes.add_allin, sizes.force_allin, sizes.merge, state, bet)
    else:
        state = tree.betting.apply(state, bet)
    part = tree.part(state, place.cards, (reach[0], reach[1]), sizes, like)
    found = Subgame(part, 1 - opponent, least=LEAST).believing_in_all_hands()
    alternative = None
    if settings.method != "unsafe":
        values = root_values(place, settings.expected) + (gifts if settings.gifts and gifts is not None else 0.0)
        alternative = part.in_rows(opponent, 0, values)
    result = search(
        found,
        settings.method,
        alternative=alternative,
        algorithm=settings.algorithm,
        iterations=settings.iterations,
    )
    assert isinstance(found.tree, HoldemTree)
    root = Place(found.tree, 0, 0, place.cards)
    following = root.after(bet) if settings.start == "before" else root
    assert isinstance(following, Place)
    return Answer(following, result)


def root_values(place: Place, expected: bool = False) -> FloatArray:
    """What hands of the player to act can win at a decision, conditional, by hand of the deck; nan if they meet nobody.

    By a best response in the tree of the decision or, `expected`, by its average strategy.
    """
    tree, player = place.tree, place.node.player
    where = place.line, place.decision, place.cards
    values = tree.values(*where).node[player] if expected else tree.best_values(player, *where)
    return _conditional(place, player, tree.by_deck(player, values))


def given_up(place: Place, action: Action, after: Place | None = None) -> FloatArray:
    """What each hand of the deck of the player to act gives up by an action: the lower bound of the gift.

    `after` is where the action leads to if the tree does not know it.
    """
    tree, player = place.tree, place.node.player
    values = tree.by_deck(player, tree.best_action_values(place.line, place.decision, place.cards))
    ends = [number for number, known in enumerate(place.node.actions) if _ends(place.after(known))]
    nothing = np.zeros((1, tree.deck.hand_count))
    if after is None:
        taken = _conditional(place, player, values[place.node.actions.index(action)])
    else:
        best = after.tree.best_values(player, after.line, after.decision, after.cards)
        taken = _conditional(after, player, after.tree.by_deck(player, best))
    gains = _conditional(place, player, values[ends]) - taken
    return np.asarray(np.fmax.reduce(np.concatenate((nothing, gains))))  # hands that meet nobody give nothing


def play_nested_holdem(
    whole: HoldemTree,
    blueprint: HoldemTree,
    searcher: int,
    settings: NestedSearch | None = None,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Make the averages of `whole` what the searcher does there if it answers each bet that it does not know by search.

    `blueprint` is a solved tree of the same cards in which both have those of the bets that the searcher has in
    `whole`. `progress` is told the number of searches so far; the result is how many there were.
    """
    require_seat("searcher", searcher)
    nest = _Nest(searcher, settings or NestedSearch(), progress)
    play_everywhere(whole, searcher, nest, _View(Place(blueprint, 0, 0, blueprint.board), None))
    return nest.searches


@dataclass(frozen=True, eq=False)
class _Way:
    """The opponent's actions so far, the last one with the decision where it was taken and where it has led to."""

    before: _Way | None
    place: Place
    action: Action
    after: Place | None

    @cached_property
    def gifts(self) -> FloatArray:
        """What each hand of the deck has given up in all."""
        given = given_up(self.place, self.action, self.after)
        return given if self.before is None else given + self.before.gifts


class _View(NamedTuple):
    """The decision in the newest tree (or the line that a deal leads to), and how the opponent has come there."""

    place: Place
    way: _Way | None


class _Nest:
    """The searcher in play."""

    def __init__(self, searcher: int, settings: NestedSearch, progress: Callable[[int], None] | None) -> None:
        _check(settings)
        self.settings = replace(settings, algorithm=make_algorithm(settings.algorithm))
        self.searcher, self.progress, self.searches = searcher, progress, 0
        self._boards: dict[tuple[int, ...], HoldemTree] = {}

    def strategy(self, at: Place, view: _View) -> FloatArray:
        """That of the newest tree."""
        if view.place.node.actions != at.node.actions:
            raise InputError(f"the searcher's actions are {at.node.actions}, not {view.place.node.actions} as solved")
        return view.place.strategy

    def after(self, at: Place, view: _View, action: Action) -> _View | None:
        """The next decision of the tree, or of the tree that answers a bet which it lacks."""
        place, way = view
        theirs = at.node.player != self.searcher
        if action in place.node.actions:
            following = place.after(action)
            if isinstance(following, Leaf):
                following = Place(place.tree, following.line, 0, place.cards)
            return _View(following, _Way(way, place, action, None) if theirs else way)
        if not place.reaches[self.searcher].max() > TINY:
            return None
        gifts = None
        if self.settings.gifts:
            gifts = np.zeros(place.tree.deck.hand_count) if way is None else way.gifts
        found = answer(place, action, self.settings, gifts=gifts, like=self._boards.get(place.cards))
        self._boards.setdefault(place.cards, found.place.tree)
        self.searches += 1
        if self.progress is not None:
            self.progress(self.searches)
        return _View(found.place, _Way(way, place, action, found.place))

    def dealt(self, view: _View, cards: tuple[int, ...]) -> _View:
        """The same line on a board."""
        return view._replace(place=replace(view.place, cards=cards))


@dataclass(frozen=True)
class _WithBet(BetSizes):
    """Bet sizes and one bet more in a single state."""

    state: BettingState | None = None
    bet: Action = 0

    def actions(self, betting: Betting, state: BettingState) -> tuple[Action, ...]:
        """With the bet where it is possible."""
        known = super().actions(betting, state)
        return tuple(sorted({*known, self.bet})) if state == self.state else known


def _conditional(place: Place, player: int, values: FloatArray) -> FloatArray:
    """Counterfactual values of hands of the deck divided by what of the other's range they meet."""
    mass, least = place.met[player], LEAST / 2 * place.reaches[1 - player].sum()  # every hand that counts has a value
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(mass > least, values / mass, np.nan)


def _ends(following: Place | Leaf) -> bool:
    return isinstance(following, Leaf) and following.kind != DEAL


def _check(settings: NestedSearch) -> None:
    if settings.start == "round" or settings.always:
        raise InputError("nested search in hold'em starts after an unknown bet or before it, not with the round")

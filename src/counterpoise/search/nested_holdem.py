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

from counterpoise.betting.rules import BetAction
from counterpoise.errors import InputError
from counterpoise.parameters import as_numbers, require_seat
from counterpoise.public import HoldemTree
from counterpoise.public.lines import Leaf
from counterpoise.search.nested import NestedSearch
from counterpoise.search.play_holdem import Place, WithBet, ending, play_everywhere, require_same_game
from counterpoise.search.search import SearchResult, search
from counterpoise.search.subgame import LEAST, TINY, FloatArray, Subgame
from counterpoise.solvers.run import make_algorithm


class Answer(NamedTuple):
    """Where play goes on after a bet was answered: the searcher's decision in the new tree, which knows the ranges."""

    place: Place
    result: SearchResult


def answer(
    place: Place,
    bet: BetAction,
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
    given = np.zeros(tree.deck.hand_count)
    if settings.gifts and gifts is None:
        raise InputError("gifts must be given, one number per hand of the deck: the settings ask for Reach search")
    if settings.gifts and (given := as_numbers("gifts", gifts)).shape != (tree.deck.hand_count,):
        raise InputError(f"gifts must be {tree.deck.hand_count} numbers, one per hand of the deck, not {given.shape}")
    whole_chips = isinstance(bet, int | np.integer) and not isinstance(bet, bool)
    if not whole_chips or not state.max_raise or not state.min_raise <= bet <= state.max_raise:
        allowed = f"it may be {state.min_raise} to {state.max_raise} chips in all" if state.max_raise else "no bet is"
        raise InputError(f"bet {bet!r} is not possible: {allowed}")
    bet, reach = int(bet), list(place.reaches)
    if not reach[1 - opponent].max() > TINY:
        raise InputError("the searcher's strategy never gets there, so there is nothing to search")
    if settings.method != "unsafe":
        reach[opponent] = np.ones(tree.deck.hand_count)
    sizes = tree.sizes
    if settings.start == "before":
        sizes = WithBet.made(sizes, state, bet)
    else:
        state = tree.betting.apply(state, bet)
    part = tree.part(state, place.cards, (reach[0], reach[1]), sizes, like)
    found = Subgame(part, 1 - opponent, least=LEAST).believing_in_all_hands()
    alternative = None
    if settings.method != "unsafe":
        alternative = part.in_rows(opponent, 0, root_values(place, settings.expected) + given)
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


def given_up(place: Place, action: BetAction, after: Place | None = None) -> FloatArray:
    """What each hand of the deck of the player to act gives up by an action: the lower bound of the gift.

    `after` is where the action leads to if the tree does not know it.
    """
    tree, player = place.tree, place.node.player
    values = tree.by_deck(player, tree.best_action_values(place.line, place.decision, place.cards))
    ends = ending(tree.lines[place.line], place.decision)
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
    require_same_game(whole, blueprint)
    nest = _Nest(searcher, settings or NestedSearch(), progress)
    play_everywhere(whole, searcher, nest, _View(Place(blueprint, 0, 0, blueprint.board), None))
    return nest.searches


@dataclass(frozen=True, eq=False)
class _Way:
    """The opponent's actions so far, the last one with the decision where it was taken and where it has led to."""

    before: _Way | None
    place: Place
    action: BetAction
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

    def after(self, at: Place, view: _View, action: BetAction) -> _View | None:
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


def _conditional(place: Place, player: int, values: FloatArray) -> FloatArray:
    """Counterfactual values of hands of the deck divided by what of the other's range they meet."""
    mass, least = place.met[player], LEAST / 2 * place.reaches[1 - player].sum()  # every hand that counts has a value
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(mass > least, values / mass, np.nan)


def _check(settings: NestedSearch) -> None:
    if settings.start == "round":
        raise InputError("nested search in hold'em starts after an unknown bet or before it, not with the round")
    if settings.always:
        raise InputError("nested search in hold'em answers unknown bets only: always must be False")

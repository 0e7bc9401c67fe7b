"""Nested search: an action that the blueprint does not know is answered by search, not by translation (BROWN 5.1.7).

The searcher has a solution of an action abstraction (the game without the `hidden` actions). When the opponent takes a
hidden action at public state K, the rest of the game is solved again with this action in it, and so on with every
further hidden action, each time from what the searches before it have left.

Search starts

- `after` the action (inexpensive). The alternative of a hand is what a best response within the present abstraction
  is worth to it at K, where the action does not exist: if it is no better off with the action, it need not take it.
- `before` the action, at K (expensive), with the actions of the abstraction and the one taken. Unsafe search needs
  this, as nobody knows with which hands an unknown action is taken; afterwards the solution says so, and the ranges of
  both go on from there: the product of what the solutions say, whatever the hand (DLS, Modicum).
- at the beginning of the `round`, where the searcher's decisions since then are frozen, so that search does not take
  them back, and the opponent's are free (Pluribus). Frozen is the whole range, or only the hand that is held.

With `gifts` (Reach search) the alternative of a hand is raised by what it gave up on its way to K when it did not end
the game.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL, Game, as_game
from counterpoise.parameters import require_seat
from counterpoise.public import DenseTree
from counterpoise.search.abstraction import ActionAbstraction
from counterpoise.search.alternatives import gifts, respond
from counterpoise.search.search import SearchResult, search
from counterpoise.search.subgame import TINY, FloatArray, Subgame, deals, reaches, subgame
from counterpoise.search.translation import Behaviour
from counterpoise.solvers.base import Algorithm, Settings
from counterpoise.tree import Strategy, Tree, enumerate_game

History = tuple[str, ...]
Deals = list[tuple[int, Any]]
"""Private deals, by number, and their states."""


@dataclass(frozen=True, kw_only=True)
class NestedSearch(Settings):
    """How actions of the opponent are answered."""

    registered_name: ClassVar[str] = "nested search"
    source: ClassVar[str] = "BROWN 5.1.7"
    method: Literal["unsafe", "resolve", "maxmargin"] = "maxmargin"
    start: Literal["after", "before", "round"] = "after"
    """Where search starts: after the action, before it, or at the beginning of the betting round."""
    gifts: bool = False
    """Whether alternatives are raised by gifts (the lower bounds, from actions that end the game)."""
    expected: bool = False
    """Whether alternatives are what the strategies give against each other, not what a best response gets (Modicum)."""
    always: bool = False
    """Whether known actions are answered by search too."""
    freeze: Literal["all_hands", "own_hand"] = "all_hands"
    """What keeps its earlier decisions when search starts with the round: the whole range, or the hand that is held."""
    algorithm: str | Algorithm = "cfr+"
    iterations: int = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_whole("iterations", 1)
        if self.method == "unsafe" and self.start == "after":
            raise InputError("unsafe nested search cannot start after an action: the ranges there are unknown")
        if self.method == "unsafe" and (self.gifts or self.expected):
            raise InputError("unsafe search has no alternatives: neither gifts nor expected values")


class Play(NamedTuple):
    """The searcher's complete strategy in the whole game, and how many searches it took."""

    strategy: Behaviour
    searches: int


def play_nested(
    game: Game | str,
    hidden: Iterable[str],
    blueprint: Strategy,
    searcher: int,
    settings: NestedSearch | None = None,
) -> Play:
    """What the searcher does everywhere in `game` if it answers each hidden action of the opponent by search.

    `blueprint` is a strategy for ``ActionAbstraction(game, hidden)``, or for any game with the same infosets.
    """
    nest = Nest(game, hidden, searcher, settings)
    return nest.everywhere({key: dict(blueprint[key]) for key in blueprint.table})


class Nest:
    """Nested search in one game: answers to actions of the opponent, from the strategies that have led there."""

    def __init__(
        self, game: Game | str, hidden: Iterable[str], searcher: int, settings: NestedSearch | None = None
    ) -> None:
        require_seat("searcher", searcher)
        self.game, self.hidden, self.searcher = as_game(game), frozenset(hidden), searcher
        self.settings = settings or NestedSearch()
        self.whole = DenseTree(self._view(()))
        self._trees: dict[History, Tree] = {}

    def everywhere(self, blueprint: Behaviour) -> Play:
        """The searcher's strategy over the whole game: all actions of the opponent in all orders are answered."""
        if self.settings.start != "round" or self.settings.freeze == "all_hands":
            return self._everywhere(blueprint, None)
        found: Behaviour = {}
        searches = 0
        for hand in range(int(self.whole.deals.hands[self.searcher].max()) + 1):
            play = self._everywhere(blueprint, hand)
            found, searches = found | play.strategy, searches + play.searches
        return Play(found, searches)

    def answer(self, history: History, action: str, current: Behaviour, hand: int | None = None) -> Behaviour:
        """The strategies of both after search has answered an action of the opponent at a public history.

        Their product along a history are the players' ranges there, of all hands; `reaches` computes it.
        """
        return current | self._taken(history, action) | behaviour(self.search(history, action, current, hand))

    def search(self, history: History, action: str, current: Behaviour, hand: int | None = None) -> SearchResult:
        """The search itself, in a subgame that begins where the settings say; `hand` is the one that is held."""
        settings, path = self.settings, (*history, action)
        new = action in self.hidden
        root = {"after": path, "before": history, "round": self.round_start(history)}[settings.start]
        if settings.start == "after":
            found = self.subgame(root, path, current | self._taken(history, action))
            valued = history if new else path
        else:
            found = self.subgame(root, path, current)
            valued = root
        if settings.start == "round":
            found.dense.lock(self.played(history, current, hand))
        if settings.method == "unsafe":
            return self._solve(found, None)
        return self._solve(found, self.alternatives(valued, history if new else path, current))

    def subgame(self, root: History, path: History, current: Behaviour) -> Subgame:
        """What follows a public history, in the abstraction that knows a path."""
        return subgame(self.whole, root, current, self.searcher, self._view(path))

    def enter(self, history: History, current: Behaviour) -> Behaviour | None:
        """The strategies after a search at the beginning of a round, if there has to be one: not here."""
        return None

    def alternatives(self, history: History, known: History, current: Behaviour) -> FloatArray:
        """What each hand of the opponent can get at a history by the actions of the abstraction and of a `known` path.

        With gifts, if the settings say so.
        """
        found = self.subgame(history, known, current)
        found.play(current)
        values = found.values() if self.settings.expected else found.best_values()
        if not self.settings.gifts:
            return values
        tree = self._enumerated(known)
        blueprint = Strategy.from_mapping(tree, {key: current[key] for key in tree.table if key in current})
        return values + gifts(found, tree.game, respond(tree, blueprint, found.opponent), "lower")

    def round_start(self, history: History) -> History:
        """The beginning of a history up to its last chance event."""
        states, start = states_after(self.game, ()), 0
        for step, name in enumerate(history):
            if self.game.player(states[0][1]) == CHANCE:
                start = step + 1
            states = next_states(self.game, states, name)
        return history[:start]

    def played(self, history: History, current: Behaviour, hand: int | None = None) -> Behaviour:
        """What the searcher has played in the round so far, with all hands or with one."""
        found: Behaviour = {}
        for length in range(len(self.round_start(history)), len(history)):
            for deal, state in states_after(self.game, history[:length]):
                held = int(self.whole.deals.hands[self.searcher][deal])
                if self.game.player(state) == self.searcher and hand in (None, held):
                    key = self.searcher, self.game.infoset(state)
                    found[key] = current[key]
        return found

    def _everywhere(self, blueprint: Behaviour, hand: int | None) -> Play:
        """Walk the public tree with the strategies of both; with a `hand`, for the infosets of this hand only."""
        game, searches = self.game, 0
        found: Behaviour = {}
        stack: list[tuple[History, Deals, Behaviour]] = [((), states_after(game, ()), blueprint)]
        while stack:
            history, states, current = stack.pop()
            player = game.player(states[0][1])
            for deal, state in states:
                if player == self.searcher and hand in (None, self.whole.deals.hands[player][deal]):
                    found[player, game.infoset(state)] = current[player, game.infoset(state)]
            for step in public_steps(game, states):
                after, following = current, next_states(game, states, step)
                if player == self.searcher and step in self.hidden:
                    continue
                goes_on = game.player(following[0][1]) >= 0  # else the round ends, and the next action is answered
                if player == 1 - self.searcher and (step in self.hidden or (self.settings.always and goes_on)):
                    if not reaches(self.whole, history, current)[self.searcher].max() > TINY:
                        continue  # the searcher never gets here, and nothing is known about what it would do
                    after, searches = self.answer(history, step, current, hand), searches + 1
                if player == CHANCE and (entered := self.enter((*history, step), current)) is not None:
                    after, searches = entered, searches + 1
                stack.append(((*history, step), following, after))
        return Play(found, searches)

    def _solve(self, found: Subgame, alternative: FloatArray | None) -> SearchResult:
        settings = self.settings
        return search(
            found.believing_in_all_hands() if alternative is None else found,
            settings.method,
            alternative=alternative,
            algorithm=settings.algorithm,
            iterations=settings.iterations,
        )

    def _taken(self, history: History, action: str) -> Behaviour:
        """The opponent as one who takes the action with every hand: safe search makes no use of its range."""
        states = states_after(self.game, history)
        return {(self.game.player(state), self.game.infoset(state)): {action: 1.0} for _, state in states}

    def _enumerated(self, path: History) -> Tree:
        """The abstraction that knows a path; what follows its last hidden action makes no difference."""
        while path and path[-1] not in self.hidden:
            path = path[:-1]
        if path not in self._trees:
            self._trees[path] = enumerate_game(self._view(path))
        return self._trees[path]

    def _view(self, path: History) -> ActionAbstraction:
        return ActionAbstraction(self.game, self.hidden, path)


def states_after(game: Game, history: History) -> Deals:
    """The numbers of all private deals and their states after a public history; without those it excludes."""
    states = list(enumerate(deals(game)))
    for step in history:
        states = next_states(game, states, step)
    return states


def next_states(game: Game, states: Deals, step: str) -> Deals:
    """The states of the deals after an action or a public outcome of chance, where it is possible."""
    if game.player(states[0][1]) == CHANCE:
        states = [(deal, state) for deal, state in states if dict(game.chance(state)).get(step, 0.0) > 0]
    return [(deal, game.next(state, step)) for deal, state in states]


def public_steps(game: Game, states: Deals) -> list[str]:
    """What may happen next at a public node: actions, or outcomes of chance that some deal allows."""
    player = game.player(states[0][1])
    if player == TERMINAL:
        return []
    if player == CHANCE:
        return list(dict.fromkeys(name for _, state in states for name, likely in game.chance(state) if likely > 0))
    return list(game.actions(states[0][1]))


def behaviour(result: SearchResult) -> Behaviour:
    """The strategies of both that a search has found."""
    return {key: result.strategy[key] for key in result.strategy.table}

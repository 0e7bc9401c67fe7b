"""Public histories of a rule book: its private deals, and the rules that remain once a public history has happened.

A public history is a sequence of actions and public outcomes of chance, without the private deal.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL, Game, GameView, game_name

History = tuple[str, ...]
MAX_DEALS = 250_000
"""The most private deals that are listed, since each is kept as a state."""


class ChanceOutcome(NamedTuple):
    """Outcomes of chance nodes in a row, the state after them and their probability."""

    path: History
    state: Any
    chance: float


def chance_outcomes(game: Game, state: Any, chance: float = 1.0) -> Iterator[ChanceOutcome]:
    """Yield what chance makes of a state of given probability: the outcomes of all its chance nodes in a row."""
    stack = [ChanceOutcome((), state, chance)]
    while stack:
        deal = stack.pop()
        if game.player(deal.state) != CHANCE:
            yield deal
            continue
        for name, likely in reversed(game.chance(deal.state)):
            stack.append(ChanceOutcome((*deal.path, name), game.next(deal.state, name), deal.chance * likely))


def private_deals(game: Game) -> list[ChanceOutcome]:
    """Return all private deals, in the order of `build_dense`; a game that has too many is refused."""
    found = list(itertools.islice(chance_outcomes(game, game.initial()), MAX_DEALS + 1))
    if len(found) > MAX_DEALS:
        raise InputError(
            f"{game_name(game)} has more than {MAX_DEALS:,} private deals, too many to list: take a smaller form of it"
        )
    return found


def deals(game: Game) -> list[Any]:
    """Return the states after all private deals, in the order of `build_dense`."""
    return [deal.state for deal in private_deals(game)]


class _Moment(NamedTuple):
    """A state of the whole game and the number of events of the public history before it."""

    state: Any
    happened: int


class AfterHistory(GameView):
    """The rules of `game` from a public history on: chance deals, the history is replayed, and a player acts.

    Each private deal has the same probability as in the whole game, times that of the public outcomes of the history.
    """

    def __init__(self, game: Game, history: Sequence[str]) -> None:
        super().__init__(game)
        self.history = tuple(history)
        self.name = f"{game_name(game)} after {' '.join(self.history)}" if history else game_name(game)
        if self.history:
            self._require_decision()

    def inner(self, state: _Moment) -> Any:
        """Return the state of the whole game."""
        return state.state

    def initial(self) -> _Moment:
        """Return the state before the deal."""
        return self._advance(_Moment(self.game.initial(), 0))

    def chance(self, state: _Moment) -> Sequence[tuple[str, float]]:
        """Return outcomes with their probabilities; only that of the history where it has one, which may be
        impossible."""
        outcomes = self.game.chance(state.state)
        if not self._due(state):
            return outcomes
        wanted = self.history[state.happened]
        return [(wanted, dict(outcomes).get(wanted, 0.0))]

    def next(self, state: _Moment, action: str) -> _Moment:
        """Return the state after an action or outcome; decisions of the history are taken at once."""
        happened = state.happened + (1 if self._due(state) else 0)
        return self._advance(_Moment(self.game.next(state.state, action), happened))

    def _due(self, state: _Moment) -> bool:
        """Return whether a chance node is the next step of the history, not the private deal."""
        return state.happened > 0 and state.happened < len(self.history)

    def _advance(self, moment: _Moment) -> _Moment:
        state, happened = moment
        while happened < len(self.history) and self.game.player(state) >= 0:
            state, happened = self.game.next(state, self.history[happened]), happened + 1
        return _Moment(state, happened)

    def _require_decision(self) -> None:
        """Refuse a history that no private deal allows, and one that does not end at a decision."""
        game, name = self.game, game_name(self.game)
        actors = set()
        for state in deals(game):
            for happened, step in enumerate(self.history):
                player = game.player(state)
                if player == TERMINAL:
                    raise InputError(f"{name} is over before {step!r}")
                if player >= 0 and step not in game.actions(state):
                    raise InputError(f"{name}: {step!r} is not possible after {' '.join(self.history[:happened])!r}")
                if player == CHANCE and not dict(game.chance(state)).get(step):
                    break
                state = game.next(state, step)
            else:
                actors.add(game.player(state))
        if not actors:
            raise InputError(f"{name}: no private deal allows {' '.join(self.history)!r}")
        if TERMINAL in actors:
            raise InputError(f"{self.name} is over: there is nothing to search")
        if CHANCE in actors:
            raise InputError(f"{self.name}: chance is next, and a subgame begins after its outcome")

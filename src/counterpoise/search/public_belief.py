"""Public belief: what each seat has shown of its hand, and where play is in the newest strategy that a player has.

A player follows a strategy of a game whose bets may differ from those at the table. In that game, real play is
represented by an *abstract state*. A bet that the game lacks is translated to one of its two neighbours at random, so
there may be several states: each has the probability of the translations that led to it and, for each hand, the reach
of all seats along its own line. At a real decision a hand plays the mixture of what it plays at the states, weighted by
both. That mixture is the player's exact strategy, so a best response can compute its exploitability. Where a state
cannot answer, because the bet was translated to a check or its hand is over, the player checks or calls.

`TranslatedPlay` follows any game of which `places` say where play is, public trees of small games and of hold'em
included. `PublicBelief` follows play at a table of hold'em with a `RangeStrategy`: a blueprint from the deal on, or the
solution of a subgame. It knows each seat's *range*: for each hand of the deck, the probability that the seat plays as
it did. Both are immutable: `act`, `deal` and `after` return new objects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from counterpoise.abstraction.translation import Translation
from counterpoise.betting.rules import BettingState
from counterpoise.betting.sizes import label
from counterpoise.games.events import ActionEvent, read_event
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour, public_cards
from counterpoise.proportions import proportional
from counterpoise.search.action_translation import Step, check_down, translate_action
from counterpoise.search.places import FloatArray, LinePlace, Place, RangeStrategy, TablePlace
from counterpoise.seats import CHANCE

MOST_STATES = 8
"""The most abstract states that are followed at a table: the likeliest are kept."""
LEAST_RANGE = 1e-12
"""A seat whose range weighs less than this has played as the strategy never would: its range is then reset to all
hands."""


class AbstractState(NamedTuple):
    """Where play may be in a strategy's own game."""

    place: Any
    """The `StrategyPlace`."""
    chance: float
    """The probability of the translations that lead here."""
    reach: tuple[FloatArray, ...]
    """The probability that each seat plays along the state's line with each hand."""


class _Option(NamedTuple):
    """What the seat to act may do at a state."""

    action: Step
    made: Step
    """The action at the table that stands for it."""
    row: FloatArray
    """Its probability by hand."""


@dataclass(frozen=True, eq=False)
class TranslatedPlay:
    """Where play is at a table, and where it may be in a strategy's own game; see the module docstring."""

    table: Place
    states: tuple[AbstractState, ...]
    translation: Translation = "pseudo-harmonic"
    seat: int | None = None
    """The player's own seat, whose actions are known and not translated; None if no seat is the player's."""
    most_states: int | None = None
    """The largest number of states that are followed, the likeliest first; None: all."""
    tremble: float = 0.0
    """The probability with which another seat is assumed to act at random, whatever its hand. An action that the
    strategy hardly ever takes then says little about the hand; without this a range is believed that may weigh next
    to nothing."""
    strayed: bool = False
    """Whether the player has acted as its strategy never would."""

    @property
    def reach(self) -> tuple[FloatArray, ...]:
        """How likely each seat plays as it did with each hand."""
        seats = range(len(self.states[0].reach))
        return tuple([np.sum([one.chance * one.reach[seat] for one in self.states], axis=0) for seat in seats])

    def mixture(self) -> dict[Step, FloatArray]:
        """Return what the seat to act does at the table, by action and hand; 0 for hands that no state knows."""
        seat = self.table.to_act
        weights = [state.chance * state.reach[seat] for state in self.states]
        believed_in = np.sum(weights, axis=0) > 0
        found: dict[Step, FloatArray] = {}
        for state, own, options in zip(self.states, weights, self._options, strict=True):
            share = np.where(believed_in, own, state.chance)  # a hand that never plays so believes in translations
            for made, row in [(one.made, share * one.row) for one in options] or [(self.table.bets.call, share)]:
                found[made] = found.get(made, 0.0) + row
        total = np.sum(list(found.values()), axis=0)
        return {made: proportional(row, total, 0.0) for made, row in found.items()}

    def act(self, action: Step, to: Place | None = None) -> Self:
        """Return play after an action at the table; `to` is where play is there if the table does not know it."""
        states = self._moved(action) if self.table.to_act == self.seat else None
        strayed = self.strayed or states == []
        states = states or [
            after
            for state, options in zip(self.states, self._options, strict=True)
            for after in self._observed(state, options, action)
        ]
        return replace(
            self,
            table=self.table.play(action) if to is None else to,
            states=_likeliest(states, self.most_states),
            strayed=strayed,
        )

    def deal(self, dealt: Any, to: Place | None = None) -> Self:
        """Return play after public cards; at a state whose round is not over all seats check or call.

        A hand that is over for a state stays over.
        """
        between = self.table.to_act == CHANCE  # else it is the board with which a spot begins
        states = [_dealt(state, dealt, between) for state in self.states]
        return replace(self, table=self.table.deal(dealt) if to is None else to, states=tuple(states))

    def enters_last_round(self, before: TranslatedPlay) -> bool:
        """Return whether the last betting round has begun since a moment before, with a seat to act."""
        return self.table.last_round and not before.table.last_round and self.table.to_act >= 0

    @cached_property
    def _options(self) -> list[list[_Option]]:
        """What the seat to act at the table may do at each state; nothing where it does not act there."""
        return [
            self._options_at(state) if state.place.to_act == self.table.to_act >= 0 else [] for state in self.states
        ]

    def _options_at(self, state: AbstractState) -> list[_Option]:
        bets, table = state.place.bets, self.table.bets
        actions, rows = state.place.strategy()
        made = [bets.table_action(table, action) for action in actions]
        return [_Option(*one) for one in zip(actions, made, rows, strict=True)]

    def _moved(self, action: Step) -> list[AbstractState]:
        """Return where the states are after an action of the player itself; nothing if it would never act so.

        At a state where it would act otherwise its reach becomes 0.
        """
        own, found = self.table.to_act, list[AbstractState]()
        for state, options in zip(self.states, self._options, strict=True):
            same = [one for one in options if one.made == action]
            if not options and action == self.table.bets.call:
                found.append(state)
            elif same:
                found += self._taken(state, same)
            else:
                found += [_without(after, own) for after in self._observed(state, options, action)]
        return found if sum(float(one.chance * one.reach[own].sum()) for one in found) >= LEAST_RANGE else []

    def _observed(self, state: AbstractState, options: list[_Option], action: Step) -> list[AbstractState]:
        """Return where a state may be after an action of any seat at the table."""
        if not options:
            return [state]
        own = [one.action for one in options]
        taken = translate_action(own, state.place.bets, self.table.bets, action, self.translation)
        return self._taken(state, [one for one in options if one.action in taken], taken)

    def _taken(
        self, state: AbstractState, options: list[_Option], shares: Mapping[Step, float] | None = None
    ) -> list[AbstractState]:
        """Return where a state is after each of some of its own actions, each with its share of the state's
        probability.

        Where a bet is not possible at the table the state calls too.
        """
        seat, call, together = self.table.to_act, self.table.bets.call, defaultdict[Step, list[_Option]](list)
        for one in options:
            together[call if one.made == call else one.action].append(one)
        found = []
        for action, alike in together.items():
            share = 1.0 if shares is None else sum(shares[one.action] for one in alike)
            taken = np.sum([one.row for one in alike], axis=0)
            believed = taken if seat == self.seat else self.tremble + (1 - self.tremble) * taken
            reach = (*state.reach[:seat], state.reach[seat] * believed, *state.reach[seat + 1 :])
            found.append(AbstractState(state.place.play(action), state.chance * share, reach))
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class PublicBelief(TranslatedPlay):
    """What an agent believes about play at a table of hold'em; see the module docstring."""

    table: TablePlace
    strategy: RangeStrategy

    @classmethod
    def start(
        cls,
        game: Holdem,
        strategy: RangeStrategy,
        translation: Translation = "pseudo-harmonic",
        seat: int | None = None,
        hands: int | None = None,
        tremble: float = 0.0,
    ) -> PublicBelief:
        """Return the belief of a strategy for the whole game before the first action, with all `hands` of the deck."""
        reach = (np.ones(game.deck.hand_count if hands is None else hands),) * game.players
        return cls(
            table=TablePlace(game, (), game.betting_after(())),
            strategy=strategy,
            states=(
                AbstractState(LinePlace(strategy.game, (), strategy.game.betting_after(()), strategy), 1.0, reach),
            ),
            translation=translation,
            seat=seat,
            most_states=MOST_STATES,
            tremble=tremble,
        )

    @property
    def game(self) -> Holdem:
        """The game at the table."""
        return self.table.game

    @property
    def public(self) -> tuple[str, ...]:
        """The public history at the table."""
        return self.table.public

    @property
    def betting(self) -> BettingState:
        """The betting at the table."""
        return self.table.betting

    def follow(self, strategy: RangeStrategy, ranges: FloatArray | None = None) -> PublicBelief:
        """Return the belief that follows another strategy, which begins here, with these ranges by default."""
        place = LinePlace(strategy.game, self.public, self.betting, strategy)
        reach = tuple(self.ranges if ranges is None else ranges)
        return replace(self, strategy=strategy, states=(AbstractState(place, 1.0, reach),), strayed=False)

    @property
    def exact(self) -> bool:
        """Whether the strategy knows all bets since it began, so that nothing was translated."""
        return len(self.states) == 1 and self.states[0].place.public == self.public

    @cached_property
    def ranges(self) -> FloatArray:
        """How likely each seat plays as it did with each hand, [seat, hand]; 0 for hands that the board rules out.

        A seat that has played as the strategy never would may have any hand.
        """
        live = self.game.deck.live_hands(public_cards(self.public))
        ranges = np.where(live, np.stack(self.reach), 0.0)
        lost = ranges.sum(axis=1) < LEAST_RANGE
        ranges[lost] = live
        return np.asarray(ranges)

    def behaviour(self) -> Behaviour:
        """Return what the seat to act does with every hand, in actions of the table."""
        found = self.mixture()
        live = self.game.deck.live_hands(public_cards(self.public))
        table = np.stack(list(found.values()), axis=1) * live[:, None]
        return Behaviour(self.game.deck.hand_names, tuple([label(action) for action in found]), table)

    def after(self, event: str) -> PublicBelief:
        """Return the belief after one more public event, following the same strategy."""
        told = read_event(event)
        return self.act(told.bet) if isinstance(told, ActionEvent) else self.deal(event)


def _without(state: AbstractState, seat: int) -> AbstractState:
    """Return a state at which a seat has no reach."""
    nothing = np.zeros_like(state.reach[seat])
    return state._replace(reach=(*state.reach[:seat], nothing, *state.reach[seat + 1 :]))


def _dealt(state: AbstractState, dealt: Any, between: bool) -> AbstractState:
    """Return where a state is after public cards, which may be dealt between two rounds."""
    place = state.place
    if between:
        place = check_down(place, lambda at: at.to_act >= 0, lambda at: at.play(at.bets.call))
        if place.to_act != CHANCE:
            return state._replace(place=place)
    return state._replace(place=place.deal(dealt))


def _likeliest(states: Sequence[AbstractState], most: int | None) -> tuple[AbstractState, ...]:
    """Return the states that weigh most, in their order."""
    if most is None or len(states) <= most:
        return tuple(states)
    weights = [state.chance * float(np.prod([own.sum() for own in state.reach])) for state in states]
    kept = sorted(np.argsort([-one for one in weights], kind="stable")[:most].tolist())
    return tuple([states[place] for place in kept])

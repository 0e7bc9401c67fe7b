"""Public belief: what each seat has shown of its hand, and where play is in the newest strategy that a player has.

A *range strategy* says what all seats do with every hand from some public history on: a blueprint from the deal on, or
the solution of a subgame. A `PublicBelief` follows real play with one. It knows each seat's *range*, per hand of the
deck how likely the seat plays as it did by that strategy, and what the seat to act does with every hand. A belief never
changes: `after` returns the next one.

Bets that the strategy lacks are translated. The belief then follows several *abstract states*, places in the strategy's
own game, each with the probability of the translations that led there and the reach of all seats along its own line. A
seat's behaviour is the mixture of what it does at these states, weighted by both; its range is their sum. No more than
`MOST_STATES` are followed, the likeliest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.translation import Translation
from counterpoise.betting.rules import BettingState
from counterpoise.betting.sizes import label, read_label
from counterpoise.games.base import CHANCE, Action
from counterpoise.games.events import ActionEvent, read_event
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour, public_cards
from counterpoise.search.action_translation import (
    CHECK_OR_CALL,
    BettingRules,
    all_in_for_less,
    check_down,
    to_table_action,
    translate_action,
)

FloatArray = NDArray[np.float64]
MOST_STATES = 8
MOST_BELIEFS = 256
"""Public histories whose beliefs an agent remembers: those of the hands being played and judged."""
LEAST_RANGE = 1e-12
"""A seat whose range weighs less than this has played as the strategy never would: any hand is believed then."""


class RangeStrategy(Protocol):
    """A strategy of all seats from a public history on."""

    @property
    def rules(self) -> BettingRules:
        """The betting of the strategy's own game: its menu may be smaller than that of the table."""

    def behaviour(self, line: tuple[str, ...]) -> Behaviour:
        """Return what the seat to act does with every hand of the deck after a history of the strategy's game."""


class AbstractState(NamedTuple):
    """A place in a strategy's own game: the betting and the public history there."""

    betting: BettingState
    line: tuple[str, ...]
    chance: float
    """How likely translations lead here."""
    reach: FloatArray
    """How likely each seat plays along the line with each hand of the deck, [seat, hand]."""


@dataclass(frozen=True, eq=False)
class PublicBelief:
    """Where play is, as an agent sees it; see the module docstring."""

    game: Holdem
    """The game at the table."""
    strategy: RangeStrategy
    public: tuple[str, ...]
    betting: BettingState
    """The betting at the table."""
    states: tuple[AbstractState, ...]
    translation: Translation = "pseudo-harmonic"
    seat: int | None = None
    """The agent's own seat: what it did is known, and not translated. None: that of nobody."""

    @classmethod
    def start(
        cls,
        game: Holdem,
        strategy: RangeStrategy,
        translation: Translation = "pseudo-harmonic",
        seat: int | None = None,
    ) -> PublicBelief:
        """Return the belief of a strategy for the whole game before anybody has acted."""
        betting = game.betting_after(())
        reach = np.ones((game.players, game.deck.hand_count))
        home = (
            strategy.rules.betting_after(()) if isinstance(strategy.rules, Holdem) else betting
        )  # its stacks may be larger
        return cls(game, strategy, (), betting, (AbstractState(home, (), 1.0, reach),), translation, seat)

    def follow(self, strategy: RangeStrategy, ranges: FloatArray | None = None) -> PublicBelief:
        """Return the belief that follows another strategy, which begins here, with these ranges by default."""
        reach = self.ranges if ranges is None else ranges
        return replace(self, strategy=strategy, states=(AbstractState(self.betting, self.public, 1.0, reach),))

    @property
    def exact(self) -> bool:
        """Whether the strategy knows all bets since it began, so that nothing was translated."""
        return len(self.states) == 1 and self.states[0].line == self.public

    @cached_property
    def ranges(self) -> FloatArray:
        """How likely each seat plays as it did with each hand, [seat, hand]; 0 for hands that the board rules out.

        A seat that has played as the strategy never would may have any hand.
        """
        found = sum(state.chance * state.reach for state in self.states)
        live = self.game.deck.live_hands(public_cards(self.public))
        ranges = np.where(live, found, 0.0)
        lost = ranges.sum(axis=1) < LEAST_RANGE
        ranges[lost] = live
        return np.asarray(ranges)

    def behaviour(self) -> Behaviour:
        """Return what the seat to act does with every hand, in actions of the table."""
        seat, table = self.betting.to_act, self._tables
        hands = self.game.deck.hand_count
        weight = [state.chance * state.reach[seat] for state in self.states]
        believed_in = np.sum(weight, axis=0) > 0
        found: dict[Action, FloatArray] = {}
        total = np.zeros(hands)
        for state, own, known in zip(self.states, weight, table, strict=True):
            share = np.where(believed_in, own, state.chance)  # a hand that never plays so believes in translations
            total += share
            if known is None:
                found[CHECK_OR_CALL] = found.get(CHECK_OR_CALL, np.zeros(hands)) + share
                continue
            for column, action in enumerate(known.actions):
                done = self._to_table(state, action)
                found[done] = found.get(done, np.zeros(hands)) + share * known.table[:, column]
        rows = np.stack(list(found.values()), axis=1)
        sums = rows.sum(axis=1, keepdims=True)
        rows = np.divide(rows, sums, out=np.zeros_like(rows), where=sums > 0)
        live = self.game.deck.live_hands(public_cards(self.public))
        return Behaviour(self.game.deck.hand_names, tuple(found), rows * live[:, None])

    def after(self, event: str) -> PublicBelief:
        """Return the belief after one more public event, following the same strategy."""
        betting = self.game.betting_next(self.betting, event)
        if not isinstance(read_event(event), ActionEvent):
            states = [self._dealt(state, event) for state in self.states]
        else:
            states = (self.betting.to_act == self.seat and self._moved(event)) or self._observe(event)
        return replace(self, public=(*self.public, event), betting=betting, states=_likeliest(states))

    @cached_property
    def _tables(self) -> list[Behaviour | None]:
        """What the seat to act does at each state; None where it does not act there."""
        acts = [state.betting.to_act == self.betting.to_act >= 0 for state in self.states]
        return [
            self.strategy.behaviour(state.line) if own else None for state, own in zip(self.states, acts, strict=True)
        ]

    def _to_table(self, state: AbstractState, action: Action) -> Action:
        return label(to_table_action(self.strategy.rules, self.game, state.betting, self.betting, read_label(action)))

    def _observe(self, event: str) -> list[AbstractState]:
        """Return where the states may be after an action of a seat that may not follow the strategy."""
        pairs = zip(self.states, self._tables, strict=True)
        return [following for state, known in pairs for following in self._acted(state, known, event)]

    def _moved(self, event: str) -> list[AbstractState]:
        """Return where the states may be after an action of the agent itself; nothing if it would never act so.

        At a state where it would act otherwise it has no reach any more (its range is what it plays).
        """
        own, found = self.betting.to_act, list[AbstractState]()
        for state, known in zip(self.states, self._tables, strict=True):
            actions = [] if known is None else [one for one in known.actions if self._to_table(state, one) == event]
            if known is None and event == CHECK_OR_CALL:
                found.append(state)
            elif known is not None and actions:
                found += [self._took(state, known, action) for action in actions]
            else:
                gone = np.arange(len(state.reach)) == own
                found += [
                    one._replace(reach=np.where(gone[:, None], 0.0, one.reach))
                    for one in self._acted(state, known, event)
                ]
        return found if sum(float(one.chance * one.reach[own].sum()) for one in found) >= LEAST_RANGE else []

    def _took(self, state: AbstractState, known: Behaviour, action: str, share: float = 1.0) -> AbstractState:
        """Return where a state is after an action of its own game, which it takes with a share of its chance."""
        reach = state.reach.copy()
        reach[self.betting.to_act] *= known.table[:, known.actions.index(action)]
        return self._step(state._replace(chance=state.chance * share, reach=reach), action)

    def _acted(self, state: AbstractState, known: Behaviour | None, event: str) -> list[AbstractState]:
        """Return where a state may be after an action at the table."""
        if known is None:
            return [state]
        same = [action for action in known.actions if self._to_table(state, action) == event]
        likely = dict.fromkeys(same, 1.0)
        if not same or all_in_for_less(self.strategy.rules, self.game, self.betting, event):
            likely = translate_action(
                self.strategy.rules, self.game, state.betting, self.betting, event, self.translation
            )
        return [self._took(state, known, action, share) for action, share in likely.items() if share > 0]

    def _step(self, state: AbstractState, event: str) -> AbstractState:
        betting = self.strategy.rules.betting_next(state.betting, event)
        return state._replace(betting=betting, line=(*state.line, event))

    def _dealt(self, state: AbstractState, cards: str) -> AbstractState:
        """Return where a state is after public cards; one whose round is not over sees everybody check or call."""
        state = check_down(state, lambda at: at.betting.to_act >= 0, lambda at: self._step(at, CHECK_OR_CALL))
        return self._step(state, cards) if state.betting.to_act == CHANCE else state


def _likeliest(states: Sequence[AbstractState]) -> tuple[AbstractState, ...]:
    """Return the states that weigh most, in their order."""
    if len(states) <= MOST_STATES:
        return tuple(states)
    weight = [state.chance * float(state.reach.sum(axis=1).prod()) for state in states]
    kept = sorted(np.argsort([-one for one in weight], kind="stable")[:MOST_STATES].tolist())
    return tuple([states[place] for place in kept])

"""An agent that chooses one of several strategies for every hand, by what they have won or would have won.

1. Before a hand the selection rule names the member that plays it.
2. After the hand, what every member would have won on it is estimated from what the seat has seen, whether it played or
   not (all cards, partial information: Johanson 2016, chapter 7), and the rule learns. The strategy that has played is
   the mixture of all members by their probabilities before the hand.

These values are the only model of the opponent. They are kept by seat, and a room's seats share what was learned.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np

from counterpoise.agents.base import Agent, KnownAgent
from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, TERMINAL, Action, Game, Observation, game_name, is_observed
from counterpoise.games.holdem import Holdem
from counterpoise.logs.record import HandRecord

if TYPE_CHECKING:
    from counterpoise.agents.base import FloatArray
    from counterpoise.evaluation.estimators import Judge
    from counterpoise.exploit.selection import Selector

Estimator = Literal["ac", "ac+bc-divat", "ac+divat"]
"""The estimator of members' values: all cards and, after showdowns, also BC-DIVAT or DIVAT, which is biased."""


class PlayedHand(NamedTuple):
    """A hand as the agent remembers it."""

    seat: int
    member: str
    """The name of the member that played it."""
    public: tuple[str, ...]
    private: str
    payoff: float


@dataclass
class Memory:
    """What was learned, shared by all seats of a room."""

    hands: list[PlayedHand] = field(default_factory=list)
    selector: Selector | None = None


class SwitchingAgent(Agent):
    """An agent with several known strategies, which it may change from hand to hand; derived ones call `_begin`."""

    learns = True
    switches = True

    def _begin(
        self, members: Sequence[KnownAgent], names: Sequence[str], selection: str, estimator: Estimator | None
    ) -> None:
        """Take the members; without an estimator a member's value is what it won when it played."""
        from counterpoise.exploit.selection import make_selection

        self.members, self.names, self.memory, self.member = tuple(members), tuple(names), Memory(), 0
        self._ids = [one.strategy_id for one in members]
        self.rule, self.values = make_selection(selection), MemberValues(members, estimator)

    @property
    def strategy_id(self) -> str:
        """At a seat the id of the member that plays this hand; before that the name."""
        return self._ids[self.member] if hasattr(self, "seat") else self.name

    def for_room(self) -> Agent:
        """Return the agent that plays in a room: a copy that learns by itself, with the same members."""
        own = copy.copy(self)
        own.memory = copy.deepcopy(self.memory)
        return own

    def prepare(self) -> None:
        """Seat the members; refuse a game that they are not for."""
        if self.game.players != 2 or not is_observed(self.game):
            raise InputError(f"{self} needs a game of two players that says what is seen, not {game_name(self.game)}")
        self._players = [one.sit(self.game, self.seat, self.random) for one in self.members]
        self.values.prepare(self.game)
        if self.memory.selector is None:
            self.memory.selector = self.rule.start(len(self.members), spread=self.values.spread)

    def new_hand(self) -> None:
        """Choose the member that plays the hand."""
        from counterpoise.exploit.selection import draw

        if not self.learns:
            return
        assert self.memory.selector is not None
        self.shares = self.memory.selector.probabilities()
        self.member = draw(self.shares, self.random)

    def act(self, observation: Observation) -> Action:
        """Do what the member does."""
        return self._players[self.member].act(observation)

    def hand_over(self, observation: Observation, payoff: float) -> None:
        """Estimate what every member would have won, and learn from it."""
        if not self.learns:
            return
        memory, seen = self.memory, (observation.public, observation.private)
        assert memory.selector is not None
        values, weights = self.values.estimates(self.seat, self.member, observation, payoff)
        # Johanson 2016, section 7.3: the sum over own hands is linear in the plan, so that of the mixture is the mean
        # of the members'
        memory.selector.update(self.seat, self.member, values / (self.shares @ weights))
        memory.hands.append(PlayedHand(self.seat, self.names[self.member], *seen, payoff))


class MemberValues:
    """What every member would have won on a hand that one of them played; copies of an agent may share it."""

    def __init__(self, members: Sequence[KnownAgent], estimator: Estimator | None) -> None:
        self.members, self.estimator = tuple(members), estimator
        self._judge: Judge | None = None
        self._known: dict[tuple[int, int, tuple[Action, ...]], FloatArray] = {}

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def prepare(self, game: Game) -> None:
        """Prepare for a game, once."""
        if self._judge is not None:
            return
        self.game, self._judge = game, _make_judge(game, self.estimator)
        self._ends = dict(_ends_seen(game))
        self.spread = _spread(game, self._ends)
        """The largest payoff minus the smallest."""
        self._players = [[one.sit(game, seat, Random(0)) for one in self.members] for seat in range(2)]

    def estimates(self, seat: int, played: int, observation: Observation, payoff: float) -> FloatArray:
        """Return what every member would have won and its weight, as if the member that played had always played.

        A weight is the probability that the member plays so over that of the one that did, all hands together. Without
        an estimator both numbers are 0 for members that did not play.
        """
        if self.estimator is None:
            alone = np.zeros((2, len(self.members)))
            alone[:, played] = payoff, 1.0
            return alone
        history = self._history(seat, observation)
        if (seat, played, history) in self._known:
            return self._known[seat, played, history]
        record = HandRecord(0, 0, ("", ""), history, (payoff, -payoff) if seat == 0 else (-payoff, payoff))
        players: list[KnownAgent | None] = [None, None]
        players[seat] = self._players[seat][played]
        assert self._judge is not None
        rows = []
        for number, other in enumerate(self._players[seat]):
            wanted = None if number == played else other
            parts = {part.name: part for part in self._judge.hand(record, seat, tuple(players), wanted)}
            own = parts[self.estimator]
            rows.append((float(own.values[0]), 1.0 if own.weights is None else float(own.weights[0])))
        found = np.array(rows).T
        if not isinstance(self.game, Holdem):  # hardly a hand of hold'em comes twice
            self._known[seat, played, history] = found
        return found

    def _history(self, seat: int, observation: Observation) -> tuple[Action, ...]:
        """Return a history that looks to the seat like the hand that was played."""
        if isinstance(self.game, Holdem):
            return _holdem_history(seat, observation)
        return self._ends[seat, observation.public, observation.private]


def _make_judge(game: Game, estimator: Estimator | None) -> Judge:
    from counterpoise.evaluation.estimators import JudgeSettings, make_judge

    luck = (estimator or "").partition("+")[2]
    surrogates: Any = ("money", luck) if luck else ("money",)
    return make_judge(game, JudgeSettings(surrogates=surrogates, partial=True))


def _ends_seen(game: Any) -> Iterator[tuple[tuple[int, tuple[str, ...], str], tuple[Action, ...]]]:
    """Yield every terminal history with what each seat has seen of it; the last of those that look alike counts."""
    if isinstance(game, Holdem):
        return
    stack: list[tuple[Any, tuple[Action, ...]]] = [(game.initial(), ())]
    while stack:
        state, history = stack.pop()
        mover = game.player(state)
        if mover == TERMINAL:
            for seat in range(game.players):
                seen = game.observation(state, seat)
                yield (seat, seen.public, seen.private), history
            continue
        steps = [outcome for outcome, _ in game.chance(state)] if mover == CHANCE else game.actions(state)
        stack += [(game.next(state, step), (*history, step)) for step in steps]


def _spread(game: Any, ends: dict[Any, tuple[Action, ...]]) -> float:
    """Return the largest payoff minus the smallest; in hold'em the range that the stacks allow."""
    if isinstance(game, Holdem):
        return 2.0 * min(game.betting.stacks)
    payoffs = []
    for history in set(ends.values()):
        state = game.initial()
        for step in history:
            state = game.next(state, step)
        payoffs += game.payoffs(state)
    return max(payoffs) - min(payoffs) or 1.0


def _holdem_history(seat: int, observation: Observation) -> tuple[Action, ...]:
    """Return the hand with what was shown; a hand that was not is unseen."""
    hands, events = ["", ""], []
    for event in observation.public:
        if " shows " in event:
            hands[int(event.split()[1])] = event.split()[-1]
        else:
            events.append(event)
    hands[seat] = observation.private
    return (*hands, *events)

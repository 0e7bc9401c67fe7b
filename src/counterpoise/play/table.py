"""One room: agents in their seats, and a hand played between them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from counterpoise.agents.base import Agent, LeaveTable
from counterpoise.errors import InputError
from counterpoise.games.base import (
    CHANCE,
    TERMINAL,
    Action,
    Game,
    Observation,
    draw_chance,
    is_observed,
)
from counterpoise.games.holdem import Holdem
from counterpoise.logs.record import HandRecord
from counterpoise.parameters import shown
from counterpoise.play.chance import CARDS, HandRandom, agent_stream
from counterpoise.play.rules import FAULTS, TableRules, forfeit


@dataclass
class Account:
    """The time and the faults of one agent."""

    seconds: float = 0.0
    decisions: int = 0
    faults: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FAULTS, 0))
    first_fault: str = ""


class MatchTable:
    """A room in which `agents`, in the order of the seats, play hand after hand.

    The cards of hand h come from (seed, h) alone, an agent's random numbers from (seed, h, room, seat): a hand does not
    depend on the hands played before it.
    """

    def __init__(
        self,
        game: Game,
        agents: Sequence[Agent],
        names: Sequence[str],
        *,
        seed: int = 0,
        room: int = 0,
        rules: TableRules | None = None,
    ) -> None:
        if len(agents) != game.players:
            raise InputError(f"the game has {game.players} seats, so it needs as many agents, not {len(agents)}")
        self.game, self.seed, self.room, self.rules = game, seed, room, rules or TableRules()
        self.names = tuple(names)
        self._cards = HandRandom()
        self._randoms = [HandRandom() for _ in agents]
        self.agents = [agent.sit(game, seat, self._randoms[seat]) for seat, agent in enumerate(agents)]
        self._watchers = [seat for seat, agent in enumerate(agents) if type(agent).watch is not Agent.watch]
        self._listeners = [seat for seat, agent in enumerate(agents) if type(agent).hand_over is not Agent.hand_over]
        self._timed = self.rules.timed
        self.accounts = [Account() for _ in agents]
        self.out_of_time = [False] * len(agents)
        self._observed = is_observed(game)
        self._any_bet = isinstance(game, Holdem)
        self._switching = any(agent.switches for agent in agents)

    def play(self, hand: int) -> HandRecord:
        """Play one hand and return what happened."""
        game, state, history = self.game, self.game.initial(), list[Action]()
        self.begin(hand)
        while (mover := game.player(state)) != TERMINAL:
            if mover == CHANCE:
                step = draw_chance(game, state, self._cards)
                state = game.next(state, step)
            else:
                self.show(state)
                step, state = self.decide(state, mover)
            history.append(step)
        payoffs = tuple([float(payoff) for payoff in game.payoffs(state)])
        followed = tuple([agent.strategy_id for agent in self.agents]) if self._switching else ()
        for seat in self._listeners:
            self.finish(state, seat, payoffs[seat])
        return HandRecord(hand, self.room, self.names, tuple(history), payoffs, followed)

    def begin(self, hand: int, seats: Sequence[int] | None = None) -> None:
        """Tell the agents at `seats`, by default all, that a hand begins."""
        self._cards.begin(self.seed, hand, CARDS)
        self._forfeited = [False] * len(self.agents)
        self._used = [0.0] * len(self.agents)
        for seat in range(len(self.agents)) if seats is None else seats:
            agent = self.agents[seat]
            agent.hand = hand
            self._randoms[seat].begin(self.seed, hand, agent_stream(self.room, len(self.agents), seat))
            if self.out_of_time[seat]:
                self._blame(seat, "late", "it has used up the time of the match")
            self._notify(seat, agent.new_hand)

    def show(self, state: Any, seats: Sequence[int] | None = None) -> None:
        """Let the agents at `seats`, by default all, see a state before a decision, if they watch."""
        for seat in self._watchers:
            if seats is None or seat in seats:
                self._notify(seat, self.agents[seat].watch, self._observe(state, seat))

    def finish(self, state: Any, seat: int, payoff: float) -> None:
        """Tell the agent at a seat how a hand ended."""
        self._notify(seat, self.agents[seat].hand_over, self._observe(state, seat), payoff)

    def decide(self, state: Any, seat: int) -> tuple[Action, Any]:
        """Return the action of a seat and the state after it."""
        game, seen = self.game, self._observe(state, seat)
        if not self._forfeited[seat]:
            answer, sentence = self._ask(seat, seen)
            if not sentence:
                if answer in seen.actions:
                    return answer, game.next(state, answer)
                if self._any_bet and isinstance(answer, str):
                    try:
                        return answer, game.next(state, answer)
                    except InputError as error:
                        sentence = str(error)
                self._blame(seat, "illegal", sentence or f"{shown(answer)} is not one of {', '.join(seen.actions)}")
        action = forfeit(game, seen.actions, seen.infoset)
        return action, game.next(state, action)

    def _ask(self, seat: int, seen: Observation) -> tuple[Any, str]:
        """Return an agent's answer, and a sentence if it is at fault already."""
        account, answer, sentence = self.accounts[seat], None, ""
        before = time.perf_counter()
        try:
            answer = self.agents[seat].act(seen)
        except LeaveTable:
            raise
        except TimeoutError as error:
            sentence = str(error)
            self._blame(seat, "late", sentence)
        except Exception as error:
            sentence = _what_failed(error)
            self._blame(seat, "error", sentence)
        seconds = time.perf_counter() - before
        account.seconds += seconds
        account.decisions += 1
        self._used[seat] += seconds
        if not sentence and self._timed and (sentence := self._overdue(seat, seconds)):
            self._blame(seat, "late", sentence)
        return answer, sentence

    def _overdue(self, seat: int, seconds: float) -> str:
        """Return a sentence if a decision took too long, or was one too many of the hand."""
        for used, most, what in (
            (seconds, self.rules.decision_seconds, "decision"),
            (self._used[seat], self.rules.hand_seconds, "hand"),
        ):
            if most is not None and used > most:
                return f"it used {used:.3g} s of the {most:g} s for a {what}"
        return ""

    def _notify(self, seat: int, hear: Callable[..., None], *news: Any) -> None:
        """Notify an agent; an error in it forfeits the hand, if the hand is not over."""
        try:
            hear(*news)
        except LeaveTable:
            raise
        except Exception as error:
            self._blame(seat, "error", _what_failed(error))

    def _blame(self, seat: int, fault: str, sentence: str) -> None:
        """Record that a seat forfeits the hand, at most once for each hand."""
        if self._forfeited[seat]:
            return
        account = self.accounts[seat]
        account.faults[fault] += 1
        account.first_fault = account.first_fault or sentence
        self._forfeited[seat] = True

    def _observe(self, state: Any, seat: int) -> Observation:
        game: Any = self.game
        if self._observed:
            seen: Observation = game.observation(state, seat)
            return seen
        if game.player(state) != seat:
            return Observation(seat, (), "")
        return Observation(seat, (), "", tuple(game.actions(state)), game.infoset(state))


def _what_failed(error: Exception) -> str:
    """Return an agent's error in a sentence; what reads loaded files is imported when something has failed."""
    from counterpoise.extensions import error_sentence

    return error_sentence(error)

"""The client: an agent of ours plays at a dealer of the competition's protocol, ours or the original.

1. A line tells everything that the seat has seen of a hand, so nothing depends on the lines before: a dealer may
   repeat states and leave out others. A state that is told twice gets the same answer twice.
2. Lines are checked by the rules. One that does not fit the game ends the match with a sentence, since the dealer may
   wait for an answer that cannot be given; anything else that is no state is ignored, up to a bound.
3. What the agent does wrong forfeits the hand: it folds, or checks or calls where it cannot fold, as at our table.
4. The protocol has no farewell: a dealer that closes the connection between two hands has ended the match, one that
   does so in the middle of a hand has vanished.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any, Unpack

from counterpoise.acpc.connection import HIGHEST_PORT, Lines, connect
from counterpoise.acpc.gamefile import load_rules
from counterpoise.acpc.messages import COMMENTS, VERSION_LINE
from counterpoise.agents.base import LeaveTable
from counterpoise.agents.make import AgentLike, make_agent
from counterpoise.errors import InputError
from counterpoise.games.base import TERMINAL, Action, Game, game_name
from counterpoise.games.events import read_action
from counterpoise.games.holdem import Holdem, HoldemState
from counterpoise.games.units import unit_of
from counterpoise.intervals import Tally, rounded
from counterpoise.jobs import WatchKeywords, refuse_unknown, takes
from counterpoise.logs import Heading, LogFormat, log_format
from counterpoise.logs.acpc import action_text, read_view, view_names
from counterpoise.logs.record import HandRecord
from counterpoise.parameters import is_number, require, require_whole, shown
from counterpoise.play.rules import FAULTS
from counterpoise.play.table import MatchTable
from counterpoise.progress import CancelToken, Progress, as_progress, cancel_on_interrupt
from counterpoise.store.files import check_writable
from counterpoise.store.json import JsonResult

CONNECT_SECONDS, PATIENCE_SECONDS = 10.0, 3600.0
SEND_SECONDS = 60.0
MOST_GARBAGE = 1000
"""Lines in a row that are no states, after which the dealer is left."""
LONG_THOUGHT = 1.0
"""Seconds of thinking after which a dealer that closes the connection may have lost its patience."""


@dataclass(frozen=True)
class ClientResult(JsonResult):
    """What an agent won at a dealer; a hand that was not finished is not counted."""

    game: str
    agent: str
    host: str
    port: int
    hands: int
    unit: str
    total: float
    mean: float | None
    """Per hand; None without a hand."""
    ci95: float | None
    """Half the width of the 95 % interval of the mean; None below two hands."""
    forfeits: dict[str, int]
    """Hands that the agent forfeited, by reason."""
    first_fault: str
    ignored_lines: int
    """Lines of the dealer that were no states."""
    unfinished: int
    """Hands whose end was never told."""
    seconds: float
    ended: str
    """Why it ended early; empty if it did not."""
    log: str | None = None


@takes(WatchKeywords)
def play_at(
    game: Game | str | os.PathLike[str],
    agent: AgentLike,
    host: str,
    port: int,
    *,
    hands: int | None = None,
    seed: int = 0,
    log: str | os.PathLike[str] | None = None,
    connect_seconds: float = CONNECT_SECONDS,
    patience_seconds: float | None = PATIENCE_SECONDS,
    **options: Unpack[WatchKeywords],
) -> ClientResult:
    """Let an agent play at the dealer at `host` and `port` until that ends the match, and return what it won.

    `hands` is how many hands the match has: it has ended early if it ends before, and the agent leaves after them.
    `log` gets every hand as the agent saw it, without the cards that it was not shown. The dealer is waited for
    `connect_seconds`, and every line of it `patience_seconds`.
    """
    refuse_unknown(play_at, options)
    rules = load_rules(game)
    player = make_agent(agent)
    if hands is not None:
        require_whole("hands", hands, 1)
    require_whole("seed", seed, 0)
    require_whole("port", port, 1, HIGHEST_PORT)
    for name, value in (("connect_seconds", connect_seconds), ("patience_seconds", patience_seconds)):
        require(
            value is None or (is_number(value) and value > 0), f"{name} must be a positive number, not {shown(value)}"
        )
    form = None if log is None else log_format(log)
    if form is not None and log is not None:
        form.check_game(rules)
        check_writable(log)
    client = _Client(rules, player, seed, form)
    display = as_progress(options.get("progress"))
    with cancel_on_interrupt(options.get("cancel")) as token:
        return client.run(host, port, hands, log, (connect_seconds, patience_seconds), display, token)


class _Client:
    """A match at a dealer, seen from one seat."""

    def __init__(self, game: Holdem, agent: Any, seed: int, form: LogFormat | None) -> None:
        self.game, self.form = game, form
        self.agent, self.name = agent, agent.name
        self.names = view_names(game.seats, self.name)
        self.seed = seed
        self.table = MatchTable(game, [agent.for_room()] * game.seats, self.names, seed=seed)
        self.tally = Tally()
        self.hand: int | None = None
        """The hand at play."""
        self.seat = 0
        self.over: set[int] = set()
        self.unfinished = self.ignored = 0
        self._answered: dict[str, Action] = {}
        self._thought = 0.0
        """Seconds that the last answer took."""
        self._log: IO[str] | None = None

    def run(
        self,
        host: str,
        port: int,
        hands: int | None,
        log: str | os.PathLike[str] | None,
        seconds: tuple[float, float | None],
        progress: Progress,
        cancel: CancelToken,
    ) -> ClientResult:
        """Connect, play to the end and return the result."""
        began, ended = time.perf_counter(), ""
        try:
            lines = Lines(connect(host, port, seconds[0], cancel), SEND_SECONDS)
            if log is not None and self.form is not None:
                self._log = open(log, "w")  # noqa: SIM115
                ids = (self.agent.strategy_id, *[""] * (self.game.seats - 1))
                heading = Heading(game_name(self.game), self.names, ids, self.seed)
                self._log.write(self.form.format_heading(heading))
            with progress:
                progress.begin(f"{self.name} at {host}:{port}")
                try:
                    self.agent.match_begins(cancel)
                    ended = self._play(lines, hands, seconds[1], progress, cancel)
                finally:
                    lines.close()
                    self.agent.match_over()
        except LeaveTable as error:
            ended = str(error) or f"{self.name} left the table"
        finally:
            if self._log is not None:
                self._log.close()
        return self._result(host, port, log, time.perf_counter() - began, ended)

    def _play(
        self, lines: Lines, hands: int | None, patience: float | None, progress: Progress, cancel: CancelToken
    ) -> str:
        """Answer the dealer until it goes away; return why that was too early, "" if it was not."""
        garbage = 0
        try:
            lines.send(VERSION_LINE)
            while hands is None or self.tally.count < hands:
                until = None if patience is None else time.monotonic() + patience
                line = lines.read(until, cancel)
                if line is None or not line.startswith("MATCHSTATE:"):
                    if line is None or not line.startswith(COMMENTS):
                        self.ignored += 1
                        garbage += 1
                    if garbage >= MOST_GARBAGE:
                        return f"the dealer sent {garbage} lines that are no states"
                    continue
                garbage = 0
                if (answer := self._hear(line)) is not None:
                    lines.send(f"{line}:{answer}")
                if self.tally.count:
                    unit, scale = unit_of(self.game)
                    mean, around = scale * self.tally.mean, scale * self.tally.ci95
                    figure = f"{self.tally.count:,} hands  {rounded(mean, 4, '+')} ± {rounded(around, 2)} {unit}/hand"
                    progress.show(None if hands is None else self.tally.count / hands, figure)
        except TimeoutError:
            return f"the dealer has sent nothing for {patience:g} s"
        except OSError as error:
            if self.hand is not None:
                why = f"in the middle of hand {self.hand}: {error.strerror or error}"
                if self._thought < LONG_THOUGHT:
                    return f"the dealer vanished {why}"
                thought = f"after {self.name} had thought for {self._thought:.1f} s"
                return f"the dealer closed the connection {thought}, {why}"
            if not self.tally.count:
                return f"the dealer closed the connection before the first hand: {error.strerror or error}"
        except InputError as error:
            return str(error)
        if hands is not None and self.tally.count < hands:
            return f"the dealer ended the match after {self.tally.count} of {hands} hands"
        return ""

    def _hear(self, line: str) -> str | None:
        """Return the answer to a state, None if none is due."""
        try:
            view = read_view(line, self.game)
        except InputError as error:
            raise InputError(f"the dealer's line {shown(line)} does not fit {self.game.name}: {error}") from None
        if view.hand in self.over:
            return None
        if view.hand != self.hand:
            self._begin(view.hand, view.position)
        elif view.position != self.seat:
            raise InputError(f"the dealer moved this player to position {view.position} within hand {view.hand}")
        mover = self.game.player(view.state)
        if mover == TERMINAL:
            self._finish(view.hand, view.history, view.state)
        else:
            self.table.show(view.state, [self.seat])
        if mover != self.seat:
            return None
        if line not in self._answered:
            began = time.perf_counter()
            self._answered[line] = self.table.decide(view.state, self.seat)[0]
            self._thought = time.perf_counter() - began
        return action_text(self.game, read_action(self._answered[line]))

    def _begin(self, hand: int, seat: int) -> None:
        self.unfinished += self.hand is not None
        self.hand, self.seat = hand, seat
        self._answered.clear()
        self.table.begin(hand, [seat])

    def _finish(self, hand: int, history: Sequence[Action], state: HoldemState) -> None:
        """Count a hand that is over, and write it down."""
        payoffs = tuple(map(float, self.game.payoffs(state)))
        won, seats = payoffs[self.seat], self.game.seats
        own = self.table.agents[self.seat].strategy_id if self.agent.switches else ""
        followed = tuple(own if seat == self.seat else "" for seat in range(seats)) if own else ()
        self.table.finish(state, self.seat, won)
        agents = tuple(self.names[(seat - self.seat) % seats] for seat in range(seats))
        if self._log is not None and self.form is not None:
            record = HandRecord(self.tally.count, 0, agents, tuple(history), payoffs, followed)
            self._log.write(self.form.format_hand(self.game, record, self.tally.count))
            self._log.flush()
        self.tally.add(1, won, won * won)
        self.over.add(hand)
        self.hand = None

    def _result(
        self, host: str, port: int, log: str | os.PathLike[str] | None, seconds: float, ended: str
    ) -> ClientResult:
        unit, scale = unit_of(self.game)
        mean, ci95 = (None if math.isnan(figure) else scale * figure for figure in (self.tally.mean, self.tally.ci95))
        accounts = self.table.accounts
        return ClientResult(
            game=game_name(self.game),
            agent=self.name,
            host=host,
            port=port,
            hands=self.tally.count,
            unit=unit,
            total=scale * self.tally.total,
            mean=mean,
            ci95=ci95,
            forfeits={fault: sum(account.faults[fault] for account in accounts) for fault in FAULTS},
            first_fault=next((account.first_fault for account in accounts if account.first_fault), ""),
            ignored_lines=self.ignored,
            unfinished=self.unfinished + (self.hand is not None),
            seconds=seconds,
            ended=ended,
            log=None if log is None else str(log),
        )

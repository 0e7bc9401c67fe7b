"""A table where one seat waits for a person: hand after hand in a thread, answered from outside of it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from counterpoise.agents.base import Agent, LeaveTable
from counterpoise.agents.make import home_game, make_agent, with_fast_search
from counterpoise.agents.small_poker import shown_hands
from counterpoise.errors import InputError
from counterpoise.games import as_game
from counterpoise.games.base import Action, Observation, game_name
from counterpoise.games.holdem import Holdem
from counterpoise.games.units import unit_of
from counterpoise.intervals import Tally
from counterpoise.logs import Heading, log_format
from counterpoise.logs.record import HandRecord
from counterpoise.parameters import shown
from counterpoise.play import MatchTable
from counterpoise.web.jobs.check import reads_outside
from counterpoise.web.play.models import YOU, Answer, HandEnd, HandRow, NewSession, TableView
from counterpoise.web.play.scoring import Scorer
from counterpoise.web.play.table_view import read_answer, show

LOG, PHH = "hands.jsonl", "hands.phhs"
MOST_HANDS = 100_000


@dataclass
class Person(Agent):
    """A person somewhere else: says what it sees and waits for the answer."""

    session: PlaySession = field(repr=False)

    outside = True

    @property
    def name(self) -> str:
        """What records call the person."""
        return YOU

    def act(self, observation: Observation) -> Action:
        """Wait for the person's answer."""
        return self.session.ask(observation)

    def watch(self, observation: Observation) -> None:
        """Show what happens before the decisions of others."""
        self.session.watch(observation)

    def hand_over(self, observation: Observation, payoff: float) -> None:
        """Show how the hand ended."""
        self.session.watch(observation)


class PlaySession:
    """The table of a session; `folder` gets its log, `library` is where the files lie that may be read."""

    def __init__(
        self, request: NewSession, game: str | None, agents: Sequence[str], seed: int, folder: Path, library: Path
    ) -> None:
        """`game` and `agents` are the request's, with files by their paths."""
        make = with_fast_search if request.fast else make_agent
        opponents = [make(name) for name in agents]
        seats = "" if request.seats is None else f"(seats={request.seats})"
        home = home_game(opponents if not seats else [], f"no_limit_holdem{seats}")
        if game is None and reads_outside(home, library):
            raise InputError(f"the opponent is for {shown(home)}, which is not in the library: upload it, and name it")
        self.game = as_game(game or home)
        players = self.game.players
        if not 2 <= players <= 6:
            raise InputError(f"the game has {players} seats, and a table here has 2 to 6")
        if len(opponents) >= players:
            raise InputError(
                f"the game has {players} seats, one of them yours, and {len(opponents)} agents do not fit: "
                "ask for more seats, or name another game"
            )
        more = players - 1 - len(opponents)
        opponents += [opponents[-1]] * more
        sources = [*agents, *[agents[-1]] * more]
        self.seed, self.folder = seed, folder
        person = Person(self)
        self.names = _numbered([YOU, *request.agents, *[request.agents[-1]] * more])
        self.tables = self._seat([person, *opponents])
        self.unit, self.scale = unit_of(self.game)
        judged = {name: partial(make, source) for name, source in zip(self.names[1:], sources, strict=True)}
        self.scorer = Scorer(self.game, YOU, self.names, judged)
        self.records: list[HandRecord] = []
        self.seats: list[int] = []
        """Where the person sat in each hand."""
        self.tally = Tally()
        self._write_heading()
        self._changed = threading.Condition()
        self._answer: str | None = None
        self._seen: Observation | None = None
        self._go_on = self._leaving = False
        self.view = TableView(
            version=0,
            status="starting",
            game=game_name(self.game),
            unit="chips" if isinstance(self.game, Holdem) else self.unit,
            hand=1,
            your_seat=0,
            seats=[],
        )
        self.view.notice = " ".join(
            dict.fromkeys(told for table in self.tables for agent in table.agents if (told := agent.remark()))
        )
        threading.Thread(target=self._play, daemon=True).start()

    # ---- called from outside of the table's thread ----

    def look(self, version: int | None = None, wait: float = 0.0) -> TableView:
        """Return the table; with a version, wait for some seconds until it is a later one."""
        with self._changed:
            if version is not None:
                self._changed.wait_for(lambda: self.view.version > version, wait)
            return self.view.model_copy(deep=True)

    def answer(self, answer: Answer, wait: float) -> TableView:
        """Do what the person says, and wait for some seconds until it is to act again or the hand is over."""
        with self._changed:
            if self.view.status != "your turn" or self._seen is None:
                raise InputError(f"it is not your turn: {self.view.status}")
            self._answer = read_answer(self.game, self._seen, answer)
            self._seen = None
            self._set("thinking")
            self._changed.wait_for(lambda: self.view.status != "thinking", wait)
            return self.view.model_copy(deep=True)

    def next_hand(self, wait: float) -> TableView:
        """Deal the next hand."""
        with self._changed:
            if self.view.status != "hand over":
                raise InputError(f"the next hand is dealt when this one is over: {self.view.status}")
            self._go_on = True
            self._set("thinking")
            self._changed.wait_for(lambda: self.view.status != "thinking", wait)
            return self.view.model_copy(deep=True)

    def leave(self) -> None:
        """End the session; a hand that was not finished does not count."""
        with self._changed:
            self._leaving = True
            self._changed.notify_all()

    def history(self) -> list[HandRow]:
        """Return all hands that are over."""
        return [
            HandRow(
                hand=number,
                agents=list(record.agents),
                history=list(record.history),
                payoffs=list(record.payoffs),
                your_seat=seat,
            )
            for number, (record, seat) in enumerate(zip(self.records, self.seats, strict=True), 1)
        ]

    # ---- called by the person's seat, in the table's thread ----

    def ask(self, seen: Observation) -> Action:
        """Show a decision of the person and wait for the answer."""
        with self._changed:
            self._seen = seen
            show(self.view, self.game, self._table.names, seen, acting=True)
            self._set("your turn")
            self._changed.wait_for(lambda: self._answer is not None or self._leaving)
            if self._leaving:
                raise LeaveTable("the session was left")
            answer, self._answer = self._answer, None
            assert answer is not None
            return answer

    def watch(self, seen: Observation) -> None:
        """Show what happened."""
        with self._changed:
            show(self.view, self.game, self._table.names, seen, acting=False)
            self._set(self.view.status)

    # ---- the table's thread ----

    def _play(self) -> None:
        try:
            while len(self.records) < MOST_HANDS:
                self._play_hand(len(self.records))
        except LeaveTable:
            pass
        except Exception as error:  # whatever it is, the person is told
            self.view.notice = f"the table broke down ({type(error).__name__}: {error})"[:300]
        with self._changed:
            self._set("ended")

    def _play_hand(self, number: int) -> None:
        self._table = table = self.tables[number % len(self.tables)]
        seat = table.names.index(YOU)
        with self._changed:
            self.view.hand, self.view.your_seat, self.view.last = number + 1, seat, None
            self.view.board, self.view.cards, self.view.events, self.view.story = "", "", [], []
            self._set("thinking")
        record = table.play(number)
        payoff = record.payoffs[seat]
        with self._changed:
            self.records.append(record)
            self.seats.append(seat)
            self.tally.add(1, payoff, payoff**2)
            self._log(record)
            for other, cards in shown_hands(self.game, record.history).items():
                self.view.seats[other].cards = cards
            self.view.last = HandEnd(hand=number + 1, payoffs=list(record.payoffs), won=payoff)
            self.view.total, self.view.hands, self.view.menu = self.tally.total, self.tally.count, []
            faults = [
                f"{name}: {one.first_fault}"
                for name, one in zip(table.names, table.accounts, strict=True)
                if one.first_fault
            ]
            self.view.notice = "; ".join(faults)[:500]
            self._go_on = False
            self._set("hand over")
            self._changed.wait_for(lambda: self._go_on or self._leaving)
            if self._leaving:
                raise LeaveTable

    def _set(self, status: str) -> None:
        self.view.status = status  # type: ignore[assignment]
        self.view.version += 1
        self._changed.notify_all()

    def _seat(self, agents: Sequence[Agent]) -> list[MatchTable]:
        """Return one table for each seat of the person, who moves one seat on from hand to hand."""
        tables = []
        for first in range(self.game.players):
            order = [(seat + first) % self.game.players for seat in range(self.game.players)]
            names = [self.names[place] for place in order]
            tables.append(MatchTable(self.game, [agents[place] for place in order], names, seed=self.seed))
        return tables

    def _write_heading(self) -> None:
        heading = Heading(game_name(self.game), self.names, self.names, self.seed)
        for name in (LOG, PHH):
            form = log_format(name)
            try:
                form.check_game(self.game)
            except InputError:  # the format has no such game
                continue
            (self.folder / name).write_text(form.format_heading(heading))

    def _log(self, record: HandRecord) -> None:
        for name in (LOG, PHH):
            if (self.folder / name).exists():
                with (self.folder / name).open("a") as file:
                    file.write(log_format(name).format_hand(self.game, record, record.hand))


def _numbered(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of which the second of a kind is numbered."""
    found: list[str] = []
    for name in names:
        before = sum(other == name for other in names[: len(found)])
        found.append(name if not before else f"{name}#{before + 1}")
    return tuple(found)

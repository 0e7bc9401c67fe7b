"""Matches: agents play many hands against each other, each in every seat; intervals show the precision of the result.

1. `seatings_of`: in a duplicate match every deal is played once for every seating of the agents, by independent copies
   of them; otherwise once, with the agents moving one seat on after every hand.
2. Deals are played in blocks, by this process or several. Every hand depends on (seed, hand, room) alone and blocks
   are counted in order, so that the result does not depend on the number of processes.
3. After each block the result is kept (`resume`) and the interval judged (`precision`).
4. If every agent is a table of probabilities for one game that can be enumerated, a compiled kernel plays
   (`compiled.py`): the same hands, with the same results.
"""

from __future__ import annotations

import math
import os
from collections.abc import Generator, Iterator, Sequence
from copy import deepcopy
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, NamedTuple, Self, Unpack

from counterpoise.agents.base import Agent, LeaveTable
from counterpoise.agents.make import AgentLike, distinct_names, make_agent
from counterpoise.errors import InputError
from counterpoise.games import Game, as_game
from counterpoise.games.base import game_name
from counterpoise.games.holdem import Holdem
from counterpoise.games.units import unit_of
from counterpoise.intervals import Tally
from counterpoise.jobs import Clock, Driver, JobHistory, Limits, PiecesJob, chosen_for, refuse_unknown, takes
from counterpoise.jobs.processes import WorkersLike, at_most, check_processes, map_in_order
from counterpoise.parameters import is_list, is_number, require, require_choice, require_whole, shown
from counterpoise.play.blocks import Dealer, Duplicate, MatchBlock, MatchSetup, TableDealer, check_agents, seatings_of
from counterpoise.play.keywords import MatchKeywords, PlanKeywords
from counterpoise.play.result import AgentResult, MatchResult, running_text
from counterpoise.play.results_file import ResultsFile
from counterpoise.play.rules import FAULTS, TableRules
from counterpoise.play.table import Account
from counterpoise.progress import CancelToken, Progress, as_progress, cancel_on_interrupt
from counterpoise.sequential import STOP_RULES, StopRule, half_width, may_stop
from counterpoise.store.files import same_file

if TYPE_CHECKING:
    from counterpoise.evaluation.estimators.value_functions import GuessLike
    from counterpoise.logs import LogFormat

DEFAULT_HANDS = 1000
BLOCK = 50
"""Deals of a block at the table; the precision is judged at multiples of it."""
COMPILED_BLOCK = 20_000
"""Deals of a block that the compiled kernel plays; the precision is judged at multiples of it."""
BLOCK_SECONDS = 2.0
"""The approximate seconds of a block of agents that search; it has fewer deals then."""
INTERRUPTED, LEFT = "stopped by Ctrl-C", "somebody left the table"
"""Why a match ended early."""


@takes(MatchKeywords)
def match(
    game: Game | str,
    agents: Sequence[AgentLike],
    hands: int = DEFAULT_HANDS,
    *,
    seed: int = 0,
    duplicate: Duplicate = False,
    aivat: GuessLike | bool | None = None,
    **options: Unpack[MatchKeywords],
) -> MatchResult:
    """Play a match and return each agent's mean per hand, in thousandths of a big blind where there is one.

    `hands` is the number of deals; with `duplicate` each is played with the agents in all seats ("permutations";
    above four seats "rotations"). The result is the same for any number of `processes`. Ctrl-C ends the match after the
    blocks at work. Limits are in seconds of each agent's own thinking; `TableRules` says what happens to an agent that
    breaks them.

    `aivat` also says what each agent won without the luck of cards and of known agents (Burch et al. 2018): True, or a
    value function ("zero", "random(seed=1)", a strategy whose values are taken). By default it is on where a compiled
    kernel plays, for which it costs nothing per hand.

    >>> match("kuhn_poker", ["always-call", "always-fold"], 100, duplicate=True, progress=False).hands_played
    200
    """
    refuse_unknown(match, options)
    rules = as_game(game)
    require(is_list(agents), f"agents must be a list with one agent for each seat, not {shown(agents)}")
    players = [make_agent(agent) for agent in agents]
    check_agents(rules, players)
    require_whole("hands", hands, 1)
    require_whole("seed", seed, 0)
    plan, files = MatchPlan.of(hands, options), MatchFiles(options.get("log"), options.get("resume"))
    if any(one.outside for one in players):
        require(plan.processes == 1, "processes must be 1 where a person or another program plays")
        plan = plan._replace(block=1)
    if any(one.thinks for one in players):  # every deal is shown and kept, and Ctrl-C waits for one at most
        plan = plan._replace(block=plan.block or 1)
    learner = next((one for one in players if one.learns), None)
    if learner is not None and (plan.processes != 1 or files.resume is not None):
        raise InputError(f"{learner} learns from hand to hand: it plays in one process and cannot be resumed")
    if files.log is not None and files.resume is not None and same_file(files.log, files.resume):
        raise InputError(f"log and resume both name {os.fspath(files.log)}: they need two files")
    form = None if files.log is None else _log_form(files.log, rules)
    setup = MatchSetup(
        rules,
        tuple(players),
        distinct_names(players),
        seed,
        bool(duplicate),
        seatings_of(rules.players, duplicate),
        TableRules(**chosen_for(TableRules, options)),
        form,
        "own" if aivat is True else None if aivat is False else aivat,
    )
    with as_progress(options.get("progress")) as display:
        if any(one.thinks for one in players):  # which may compile or solve before the first hand
            display.begin(f"preparing {' and '.join(dict.fromkeys(setup.names))}")
        work = _Match(setup, plan, files, wants_aivat=aivat is not False)
        return work.run(display, options.get("cancel"))


def _log_form(path: str | os.PathLike[str], rules: Game) -> LogFormat:
    """Return the form in which hands are written to a file; refuse a game that it cannot hold."""
    from counterpoise.logs import log_format  # few matches keep a log

    form = log_format(path)
    form.check_game(rules)
    return form


class MatchPlan(NamedTuple):
    """The length of a match, its blocks and its early stop."""

    hands: int
    block: int | None
    """Deals of a block; None: as many as take some seconds."""
    processes: WorkersLike
    precision: float | None
    stop: StopRule

    @classmethod
    def of(cls, hands: int, options: PlanKeywords) -> Self:
        """Return the plan that a user's keywords say; refuse what makes no sense."""
        processes, stop = options.get("processes"), options.get("stop")
        processes, stop = 1 if processes is None else processes, "width" if stop is None else stop
        block, precision = options.get("block"), options.get("precision")
        check_processes(processes)
        if block is not None:
            require_whole("block", block, 1)
        require(
            precision is None or (is_number(precision) and precision > 0),
            f"precision must be a positive number, not {shown(precision)}",
        )
        require_choice("stop", stop, STOP_RULES)
        if stop == "valid":
            require(precision is not None, "stop must come with a precision if it is valid, or be decided")
        return cls(hands, block, processes, precision, stop)

    @property
    def stops_early(self) -> bool:
        """Whether the match may end before its last hand."""
        return self.precision is not None or self.stop == "decided"


class MatchFiles(NamedTuple):
    """The files of a match: the log of hands, and the results of its blocks."""

    log: str | os.PathLike[str] | None
    resume: str | os.PathLike[str] | None


class MatchCounts(NamedTuple):
    """The counts of a match so far."""

    done: int
    """Deals."""
    tallies: list[Tally]
    """The winnings of each agent per deal in all rooms together, in the game's unit."""
    adjusted: list[Tally]
    """The winnings of each agent without luck, if asked for."""
    accounts: list[Account]


class _Match(PiecesJob[MatchBlock, MatchResult]):
    """A match at work: a piece is a block of deals."""

    def __init__(self, setup: MatchSetup, plan: MatchPlan, files: MatchFiles, wants_aivat: bool) -> None:
        self.setup, self.plan, self.log = setup, plan, files.log
        self.unit, scale = unit_of(setup.game)
        self.scale = scale / setup.rooms  # samples are sums over rooms
        self.tallies, self.adjusted = ([Tally() for _ in setup.agents] for _ in range(2))
        self.wants_aivat = wants_aivat
        self.tables = TableDealer(setup)  # refuses agents that the game does not suit, before a file is touched
        self.accounts = [Account() for _ in setup.agents]
        self.done = 0
        self.size, self.fixed = plan.block or BLOCK, plan.block is not None
        self.compiled = False
        self.left = ""
        """Why an agent left the table, if one did."""
        self.workers = plan.processes
        self._dealer: Dealer = self.tables
        self._cancel = CancelToken()
        played = {
            "game": game_name(setup.game),
            "agents": [agent.strategy_id for agent in setup.agents],
            "seed": setup.seed,
            "duplicate": setup.duplicate,
            "rooms": setup.rooms,
            **asdict(setup.rules),
            **({} if setup.aivat is None else {"aivat": str(setup.aivat)}),
        }
        self.file = ResultsFile(files.resume, files.log, played)
        for earlier in self.file.blocks:
            self._count(earlier)
        self.resumed = self.done

    def run(self, progress: Progress, cancel: CancelToken | None) -> MatchResult:
        """Play until the last hand, the precision or the cancel token."""
        with Clock(cpu=self.cpu) as clock, progress, cancel_on_interrupt(cancel) as token:
            # A match is dealt in one way from its first hand to its last, also where it is continued.
            left = self.plan.hands if self.done < self.plan.hands else 0
            compiled = _compiled_dealer(self.setup, left, progress, self.wants_aivat)
            self.workers = 1 if compiled is not None else at_most(self.plan.processes, self._most_blocks())
            self._cancel = token
            if compiled is not None:
                self.compiled, self._dealer = True, compiled
                self.size, self.fixed = self.size if self.fixed else COMPILED_BLOCK, True
            for sentence in self.tables.remarks():
                progress.note(sentence)
            progress.begin(" vs ".join(self.setup.names))
            self._begin_log()
            try:
                for agent in self.setup.agents:
                    agent.match_begins(token)
                found = Driver(self, Limits(iterations=self.plan.hands), progress, cancel=token).run()
            finally:
                for agent in self.setup.agents:
                    agent.match_over()
        if self.setup.log is not None and (self.done >= self.plan.hands or self._precise()):
            totals = [tally.total for tally in self.tallies]
            self.file.write_log(self.setup.log.format_end(self.setup.names, totals))
        self.file.close()
        return replace(found, seconds=clock.seconds, cpu_seconds=clock.cpu_seconds)

    @property
    def iteration(self) -> int:
        """Deals so far."""
        return self.done

    @property
    def finished(self) -> bool:
        """Whether the precision is reached, nothing is left to play, or an agent has left the table."""
        return super().finished or self._precise()

    def pieces(self) -> Generator[MatchBlock, None, None]:
        """Yield the blocks that are left, until an agent leaves the table."""
        play = self._dealer.play
        try:
            yield from map_in_order(self.setup.make_player, play, self._plan(), self.workers, self._cancel)
        except LeaveTable as error:
            self.left = str(error) or LEFT

    def take(self, found: MatchBlock) -> None:
        """Keep a block and count it."""
        self.file.add(found)
        self._count(found)

    def state(self) -> MatchCounts:
        """Return the counts so far; hands are determined by their numbers."""
        return deepcopy(MatchCounts(self.done, self.tallies, self.adjusted, self.accounts))

    def restore(self, state: MatchCounts) -> None:
        """Continue after the deals that were counted elsewhere."""
        self.done, self.tallies, self.adjusted, self.accounts = deepcopy(state)

    def figure(self, latest: None) -> str:
        """Return the result so far in words."""
        stands = running_text(self.setup.names, self.tallies, self.unit, self.scale, self.plan.stop)
        return f"{self.done:,} deals  {stands}"

    def _begin_log(self) -> None:
        setup = self.setup
        if setup.log is not None and not self.file.log_begun:
            from counterpoise.logs import Heading

            ids = tuple(agent.strategy_id for agent in setup.agents)
            heading = Heading(game_name(setup.game), setup.names, ids, setup.seed, setup.rooms)
            self.file.write_log(setup.log.format_heading(heading))

    def _plan(self) -> Iterator[tuple[int, int, list[bool]]]:
        """Yield the first deal, the number of deals, and the agents out of time, for every remaining block.

        Blocks end at multiples of the block size, and more often the longer agents think.
        """
        first = self.done
        while first < self.plan.hands and not self._precise():
            thinking = max(account.seconds for account in self.accounts) / self.done if self.done else BLOCK_SECONDS
            most = self.size if self.fixed else max(int(BLOCK_SECONDS / max(thinking, 1e-9)), 1)
            deals = min(most, self.size - first % self.size, self.plan.hands - first)
            yield first, deals, self._out_of_time()
            first += deals

    def _most_blocks(self) -> int:
        """Return the most blocks that can be left."""
        left = self.plan.hands - self.done
        return math.ceil(left / self.size) if self.fixed else left

    def _count(self, block: MatchBlock) -> None:
        for tally, total, squares in zip(self.tallies, block.total, block.squares, strict=True):
            tally.add(block.deals, total, squares)
        for tally, total, squares in zip(self.adjusted, *(block.aivat or ((), ())), strict=False):
            tally.add(block.deals, total, squares)
        for place, account in enumerate(self.accounts):
            account.seconds += block.seconds[place]
            account.decisions += block.decisions[place]
            account.first_fault = account.first_fault or block.first_fault[place]
            for fault, count in zip(FAULTS, block.faults[place], strict=True):
                account.faults[fault] += count
        self.done += block.deals

    def _precise(self) -> bool:
        """Return whether the intervals are as narrow, or the result as certain, as was asked for."""
        plan = self.plan
        if not plan.stops_early or (self.done % self.size and self.done < plan.hands):
            return False
        precision = None if plan.precision is None else plan.precision / self.scale
        stops = [may_stop(tally, plan.stop, precision) for tally in self.tallies]
        return any(stops) if plan.stop == "decided" else all(stops)

    def _out_of_time(self) -> list[bool]:
        """Return the agents that have used up the time of the match."""
        most = self.setup.rules.match_seconds
        return [most is not None and account.seconds > most for account in self.accounts]

    def result(self, measured: None, history: JobHistory) -> MatchResult:
        """Return what each agent has won."""
        setup, scale, plan = self.setup, self.scale, self.plan
        ended = self.left or (INTERRUPTED if history.interrupted else "")
        told = all(own.count == tally.count for own, tally in zip(self.adjusted, self.tallies, strict=True))
        agents = [
            AgentResult(
                name=setup.names[place],
                strategy_id=agent.strategy_id,
                mean=scale * tally.mean,
                ci95=scale * half_width(tally, plan.stop),
                deviation=scale * tally.deviation,
                seconds=account.seconds,
                decisions=account.decisions,
                forfeits=account.faults,
                first_fault=account.first_fault,
                aivat_mean=scale * own.mean if told else None,
                aivat_ci95=scale * own.ci95 if told else None,
                aivat_deviation=scale * own.deviation if told else None,
            )
            for place, (agent, tally, own, account) in enumerate(
                zip(setup.agents, self.tallies, self.adjusted, self.accounts, strict=True)
            )
        ]
        return MatchResult(
            game=game_name(setup.game),
            hands=self.done,
            resumed=self.resumed,
            rooms=setup.rooms,
            duplicate=setup.duplicate,
            seed=setup.seed,
            unit=self.unit,
            agents=agents,
            seconds=history.seconds,
            cpu_seconds=history.cpu_seconds,
            reached=self._precise() if plan.stops_early else self.done >= plan.hands,
            stop=plan.stop,
            interrupted=bool(ended),
            ended=ended,
            compiled=self.compiled,
            log=None if self.log is None else str(self.log),
        )


def _compiled_dealer(setup: MatchSetup, hands: int, progress: Progress, aivat: bool) -> Dealer | None:
    """Return the compiled dealer if all agents may be tables, without which nothing heavy is imported."""
    by_bucket = all(type(agent).betting_table is not Agent.betting_table for agent in setup.agents)
    saved = any(agent.registered_name == "strategy" for agent in setup.agents)
    if not saved and not (by_bucket and isinstance(setup.game, Holdem)):
        return None
    from counterpoise.play.compiled import compiled_dealer

    return compiled_dealer(setup, hands, progress, aivat)

"""The arena: a round robin on the same cards, and one table that says who is better.

1. Two seats: each pair plays one duplicate match, every deal with the seats exchanged. With more seats each agent plays
   alone against a table filled with each other one, once in every seat, so that a pair plays two matches.
2. A cell of the cross table is what the row won from the column per hand, without luck (AIVAT) where it can be computed
   and in money elsewhere; both have 95 % intervals over deals. Totals are means over opponents.
3. Beside it stand the winnings of a local best response against each agent (hold'em for two), its thinking time per
   hand, and the memory of a process in which it plays.

With `resume` everything is kept in a folder, match by match and block by block: called again, an arena continues where
it ended, also with more agents or more hands.
"""

from __future__ import annotations

import json
import math
import os
import re
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, permutations
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, Unpack

from counterpoise.agents.base import AGENTS, Agent
from counterpoise.agents.make import AgentLike, distinct_names, home_game, make_agent
from counterpoise.agents.searching import SearchingAgent
from counterpoise.errors import InputError
from counterpoise.evaluation.footprint import memory_of
from counterpoise.evaluation.local_best_response.match import local_best_response
from counterpoise.evaluation.local_best_response.player import check_game
from counterpoise.evaluation.tournament import CrossTable
from counterpoise.games import Game, as_game
from counterpoise.games.base import brief, game_name
from counterpoise.jobs import Driver, JobHistory, JobResult, Limits, PiecesJob, WatchKeywords, refuse_unknown, takes
from counterpoise.jobs.processes import WorkersLike
from counterpoise.parameters import is_number, require, require_whole
from counterpoise.play.blocks import is_known
from counterpoise.play.match import match
from counterpoise.play.result import AgentResult, MatchResult
from counterpoise.progress import CancelToken, Progress, SilentProgress, as_progress
from counterpoise.store.files import atomic_write
from counterpoise.store.json import JsonResult, plain_json

DEFAULT_HANDS = 200
LBR_SHARE = 10
"""Deals of a match for each deal of a local best response, unless a number is given."""


@dataclass(frozen=True)
class ArenaMatch:
    """What one agent won per hand from another, in the unit of the arena; a sample is a deal in all its seatings."""

    agent: str
    opponent: str
    hands: int
    """Deals."""
    mean: float
    ci95: float
    aivat_mean: float | None
    """The result by AIVAT; None where no agent of the match is known."""
    aivat_ci95: float | None

    @property
    def figures(self) -> tuple[float, float]:
        """The mean and half the width of its 95 % interval, by AIVAT where there is one."""
        if self.aivat_mean is None or self.aivat_ci95 is None:
            return self.mean, self.ci95
        return self.aivat_mean, self.aivat_ci95


@dataclass(frozen=True)
class ArenaAgent:
    """One agent of an arena."""

    name: str
    strategy_id: str
    rank: int | None
    """The rank by the mean over all opponents; None before it has played."""
    mean: float
    """Per hand, over all opponents that it has met."""
    ci95: float
    tied: bool
    """Whether the agent ranked next might be as good."""
    lbr: float | None
    """What a local best response wins from it per hand, a lower bound on its exploitability; None if not found."""
    lbr_ci95: float | None
    hands_played: int
    seconds_per_hand: float | None
    """CPU time of the agent's own decisions; where a compiled kernel played, its share of the match's."""
    memory_mb: float | None
    """Megabytes by which a process grows when the agent plays two deals in it; None for agents without a name."""
    forfeits: int


@dataclass(frozen=True, kw_only=True)
class ArenaResult(JobResult, JsonResult):
    """A round robin of all agents; means are per hand in `unit` (mbb where the game has a big blind)."""

    game: str
    unit: str
    hands: int
    """Deals of each match that were asked for."""
    seed: int
    seats: int
    agents: list[ArenaAgent]
    """The best first."""
    matches: list[ArenaMatch]
    """One for each ordered pair that has played; in two seats both halves of a match."""

    @property
    def table(self) -> CrossTable:
        """What the agents in the rows won from those in the columns, ordered by rank."""
        return cross_table([agent.name for agent in self.agents], self.matches, self.unit)

    def to_json(self) -> dict[str, Any]:
        """Return all figures in the types of JSON."""
        agents, matches = ([plain_json(vars(one)) for one in some] for some in (self.agents, self.matches))
        return super().to_json() | {"agents": agents, "matches": matches}

    def plot(self, path: str | os.PathLike[str]) -> Path:
        """Draw the cross table and the totals with their intervals into a file (.png, .svg or .pdf)."""
        from counterpoise.plots.cross_table import draw_cross_table

        table = self.table
        half_widths = table.half_widths
        assert half_widths is not None
        totals = [(agent.mean, agent.ci95) for agent in self.agents]
        title = f"{brief(self.game)}: {self.unit} per hand, {self.hands:,} deals a match"
        return draw_cross_table(table.names, table.values, half_widths, totals, path, title=title)


@takes(WatchKeywords)
def arena(
    agents: Sequence[AgentLike] = (),
    game: Game | str | None = None,
    hands: int = DEFAULT_HANDS,
    *,
    searching: bool = False,
    seed: int = 0,
    lbr_hands: int | None = None,
    memory: bool = True,
    processes: WorkersLike = 1,
    resume: str | os.PathLike[str] | None = None,
    **options: Unpack[WatchKeywords],
) -> ArenaResult:
    """Let every agent play every other for `hands` deals, and return one table of what each wins per hand.

    By default these are all agents that can play the game on a fresh machine; those that search, whose hands take
    seconds each, only with `searching`. The default game is that of the first agent made for a particular one.
    `lbr_hands` are the deals of each local best response (0: none). Ctrl-C keeps what has been played; with the folder
    `resume` it is continued later.

    >>> found = arena(["always-call", "always-fold"], "kuhn_poker", 100, memory=False, progress=False)
    >>> [(agent.name, agent.mean) for agent in found.agents]  # who checks and folds loses the ante to no bet
    [('always-call', 0.0), ('always-fold', 0.0)]
    """
    refuse_unknown(arena, options)
    require_whole("hands", hands, 1)
    require_whole("seed", seed, 0)
    if lbr_hands is not None:
        require_whole("lbr_hands", lbr_hands, 0)
    players = [make_agent(one) for one in agents]
    rules = as_game(game if game is not None else home_game(players or [make_agent("blueprint")], "no_limit_holdem"))
    players = players or ready_agents(rules, searching)
    require(len(players) > 1, f"an arena needs at least 2 agents that can play {game_name(rules)}, not {len(players)}")
    require(rules.players > 1, f"{game_name(rules)} is for one player: nobody can be met there")
    outside = next((one for one in players if one.outside), None)
    require(outside is None, f"{outside} is no agent for an arena: a person or another program decides for it")
    lbr_hands = max(hands // LBR_SHARE, 2) if lbr_hands is None else lbr_hands
    plan, token = ArenaPlan(rules, players, hands, seed, lbr_hands, memory), options.get("cancel") or CancelToken()
    with as_progress(options.get("progress")) as display:
        job = ArenaJob(plan, Folder(resume), processes, display, token)
        return Driver(job, Limits(), SilentProgress(), cancel=token).run()


def ready_agents(game: Game, searching: bool = False) -> list[Agent]:
    """Return all agents that can play a game without a file, a person or another program.

    Those that search while they play are included only if `searching` is set.
    """
    found = []
    for name in AGENTS:
        if AGENTS[name].outside or (issubclass(AGENTS[name], SearchingAgent) and not searching):
            continue
        try:
            one = make_agent(name)
            for seat in range(game.players):
                one.sit(game, seat, Random(0))
        except InputError:
            continue
        found.append(one)
    return found


def cross_table(names: Sequence[str], matches: Sequence[ArenaMatch], unit: str) -> CrossTable:
    """Return what the agents won from each other as a table; nan where two have not met."""
    place = {name: number for number, name in enumerate(names)}
    values, widths = ([[math.nan] * len(names) for _ in names] for _ in range(2))
    for one in matches:
        row, column = place[one.agent], place[one.opponent]
        values[row][column], widths[row][column] = one.figures
    return CrossTable(tuple(names), values, widths, unit)


class Folder:
    """The folder where an arena keeps finished results; without a path nothing is kept."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = None if path is None else Path(path)
        if self.path is not None:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"resume must name a folder, not {path}: {error.strerror or error}") from None

    def file(self, *names: str) -> Path | None:
        """Return the file of a match, called by the agents' names."""
        if self.path is None:
            return None
        plain = "-".join(re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[-40:] for name in names)
        return self.path / f"{plain}-{zlib.crc32('|'.join(names).encode()):08x}.results"

    def kept(
        self, key: dict[str, Any], names: Sequence[str], compute: Callable[[], dict[str, Any] | None]
    ) -> dict[str, Any] | None:
        """Return the figures of some agents under a key, read from the folder or computed and kept there."""
        if self.path is None:
            return compute()
        spelled = json.dumps(key, sort_keys=True)
        file = self.path / f"figures-{zlib.crc32(spelled.encode()):08x}.json"
        try:
            found = json.loads(file.read_text())
            if found["of"] == json.loads(spelled):
                kept = {name: found["figures"][name] for name in names}
                if all(is_number(value) for value in kept.values()):
                    return kept
        except (OSError, ValueError, LookupError, TypeError, RecursionError):  # it is not there, or damaged
            pass
        figures = compute()
        if figures is not None:
            with atomic_write(file) as out:
                out.write(json.dumps({"of": key, "figures": figures}).encode())
        return figures


class ArenaPlan(NamedTuple):
    """Who meets in an arena, and what is found out about each."""

    game: Game
    players: Sequence[Agent]
    hands: int
    """Deals of a match."""
    seed: int
    lbr_hands: int
    """Deals of a local best response; fewer than two: none."""
    memory: bool
    """Whether the memory of each agent is measured."""


@dataclass
class ArenaFindings:
    """What an arena has found so far; agents are called by their names."""

    pieces: int = 0
    """How many matches, local best responses and measurements of memory are done."""
    unit: str = ""
    matches: list[ArenaMatch] = field(default_factory=list)
    thinking: dict[str, list[float]] = field(default_factory=dict)
    """CPU seconds and hands."""
    forfeits: dict[str, int] = field(default_factory=dict)
    lbr: dict[str, tuple[float, float]] = field(default_factory=dict)
    memory: dict[str, float] = field(default_factory=dict)


class ArenaJob(PiecesJob[None, ArenaResult]):
    """All matches of an arena, then what is found out about each agent; each is a piece, and a job that shows itself.

    What a piece has found is kept in a folder, too.
    """

    def __init__(
        self, plan: ArenaPlan, folder: Folder, processes: WorkersLike, progress: Progress, cancel: CancelToken
    ) -> None:
        self.plan, self.folder, self.workers, self.progress, self.cancel = plan, folder, processes, progress, cancel
        self.game, self.players = plan.game, plan.players
        self.names = distinct_names(plan.players)
        thinking: dict[str, list[float]] = {name: [0.0, 0.0] for name in self.names}
        self.found = ArenaFindings(thinking=thinking, forfeits=dict.fromkeys(self.names, 0))

    @property
    def iteration(self) -> int:
        """How many pieces are done."""
        return self.found.pieces

    def pieces(self) -> Generator[None, None, None]:
        """Do the pieces that are left."""
        meetings = list(self._meetings())
        todo: list[Callable[[], None]] = [
            partial(self._meet, f"match {number} of {len(meetings)}", *pair) for number, pair in enumerate(meetings, 1)
        ]
        if self._can_be_answered():
            todo += [partial(self._respond, place) for place in range(len(self.names))]
        if self.plan.memory:
            todo += [partial(self._weigh, place) for place in range(len(self.names))]
        for do in todo[self.iteration :]:
            do()
            yield

    def take(self, found: None) -> None:
        """Count a piece."""
        self.found.pieces += 1

    def state(self) -> ArenaFindings:
        """Return what was found so far."""
        return deepcopy(self.found)

    def restore(self, state: ArenaFindings) -> None:
        """Continue after the pieces that were done elsewhere."""
        self.found = deepcopy(state)

    def _meet(self, title: str, first: int, second: int) -> None:
        """Let two agents play their match."""
        self.progress.note(f"{title}: {self.names[first]} against {self.names[second]}")
        found = self._match(first, second)
        self.found.unit = found.unit
        if found.hands > 1:  # else there is no interval
            self._count(first, second, found)

    def _can_be_answered(self) -> bool:
        """Return whether local best responses are wanted and the game has them."""
        try:
            check_game(self.game)
        except InputError:
            return False
        return self.plan.lbr_hands >= 2

    def _respond(self, place: int) -> None:
        """Find what a local best response wins from an agent, where the agent allows it."""
        name, player, plan = self.names[place], self.players[place], self.plan
        if not is_known(player):
            return

        def respond() -> dict[str, Any] | None:
            found = local_best_response(
                plan.game,
                player,
                plan.lbr_hands,
                seed=plan.seed,
                processes=self.workers,
                progress=self.progress,
                cancel=self.cancel,
            )
            return None if found.interrupted else {"mean": found.mean, "ci95": found.ci95}

        key = {"lbr": player.strategy_id, "game": game_name(plan.game), "hands": plan.lbr_hands, "seed": plan.seed}
        figures = self.folder.kept(key, ("mean", "ci95"), respond)
        if figures is not None:
            self.found.lbr[name] = figures["mean"], figures["ci95"]

    def _weigh(self, place: int) -> None:
        """Measure the memory of an agent, in a process of its own."""
        name, player = self.names[place], self.players[place]
        self.progress.begin(f"memory of {name}")
        key = {"memory": player.strategy_id, "game": game_name(self.game)}
        figures = self.folder.kept(key, ("memory_mb",), lambda: memory_of(player, self.game))
        if figures is not None:
            self.found.memory[name] = figures["memory_mb"]

    def result(self, measured: None, history: JobHistory) -> ArenaResult:
        """Return everything that was found."""
        plan, kept = self.plan, self.found
        table = cross_table(self.names, kept.matches, kept.unit)
        ranked = [one for one in table.total_bankroll() if not math.isnan(one.mean)]
        standings = {one.name: (rank, one) for rank, one in enumerate(ranked, start=1)}
        order = [*standings, *[name for name in self.names if name not in standings]]
        ids = {name: player.strategy_id for name, player in zip(self.names, self.players, strict=True)}
        agents = []
        for name in order:
            rank, own = standings.get(name, (None, None))
            mean, width, tied = (math.nan, math.nan, False) if own is None else (own.mean, own.ci95, own.tied)
            lbr, lbr_width = kept.lbr.get(name, (None, None))
            spent, played = kept.thinking[name]
            each = spent / played if played else None
            agents.append(
                ArenaAgent(
                    name=name,
                    strategy_id=ids[name],
                    rank=rank,
                    mean=mean,
                    ci95=width,
                    tied=tied,
                    lbr=lbr,
                    lbr_ci95=lbr_width,
                    hands_played=int(played),
                    seconds_per_hand=each,
                    memory_mb=kept.memory.get(name),
                    forfeits=kept.forfeits[name],
                )
            )
        return ArenaResult(
            game=game_name(plan.game),
            unit=kept.unit,
            hands=plan.hands,
            seed=plan.seed,
            seats=plan.game.players,
            agents=agents,
            matches=kept.matches,
            **history.spent,
        )

    def _meetings(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs that meet; with more than two seats the first of a pair sits alone, so that order matters."""
        ways = combinations if self.game.players == 2 else permutations
        yield from ways(range(len(self.players)), 2)

    def _match(self, first: int, second: int) -> MatchResult:
        pair = [self.players[first], *[self.players[second]] * (self.game.players - 1)]
        file = self.folder.file(self.names[first], self.names[second])
        return match(
            self.game,
            pair,
            self.plan.hands,
            seed=self.plan.seed,
            duplicate="rotations",
            processes=1 if any(one.learns for one in pair) else self.workers,
            resume=None if any(one.learns for one in pair) else file,
            aivat=True if any(is_known(one) for one in pair) else None,
            progress=self.progress,
            cancel=self.cancel,
        )

    def _count(self, first: int, second: int, found: MatchResult) -> None:
        """Add a match to the table; the field's part of a match counts where there are two seats."""
        share = found.cpu_seconds / found.hands_played / len(found.agents) if found.compiled else 0.0
        own, met = self.names[first], self.names[second]
        for name, other, results in ((own, met, found.agents[:1]), (met, own, found.agents[1:])):
            for one in results:
                self.found.thinking[name][0] += one.seconds + share * found.hands_played
                self.found.thinking[name][1] += found.hands_played
                self.found.forfeits[name] += sum(one.forfeits.values())
            if name == own or self.game.players == 2:
                self.found.matches.append(_met(name, other, found, results[0]))


def _met(agent: str, opponent: str, found: MatchResult, own: AgentResult) -> ArenaMatch:
    return ArenaMatch(agent, opponent, found.hands, own.mean, own.ci95, own.aivat_mean, own.aivat_ci95)

"""Judge agents by logs: every estimator that the hands and the known strategies allow, side by side.

1. `merge_logs` makes one record of all files. 2. Strategies that the logs name are made again; others may be named.
3. For every agent `evaluation.estimate` judges hand by hand; a sample is a deal with all its rooms.
4. Verdicts by match, and for several agents a table of who won what from whom, with tournament scores.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from counterpoise.agents.make import AgentLike, make_agent
from counterpoise.errors import InputError
from counterpoise.evaluation.estimators import AgentEstimate, Estimates, JudgeSettings, Series
from counterpoise.evaluation.estimators.series import join_series
from counterpoise.evaluation.judging.hands import HandJudge, HandSetup
from counterpoise.evaluation.judging.records import LoggedMatch, MergedRecord, PathLike, merge_logs
from counterpoise.evaluation.judging.strategies import KnownStrategies
from counterpoise.evaluation.tournament import CrossTable
from counterpoise.evaluation.verdicts import MatchScore, VerdictRule, VerdictTable, verdict_table
from counterpoise.games import Game
from counterpoise.games.base import brief, game_name
from counterpoise.games.units import unit_of
from counterpoise.intervals import FEW, Tally
from counterpoise.jobs import JobResult, PartsJob
from counterpoise.jobs.processes import WorkersLike, at_most, check_processes, map_in_order
from counterpoise.plots import Curve, Panel, check_figure, panels
from counterpoise.progress import CancelToken, Progress, as_progress
from counterpoise.store.json import JsonResult, plain_json

MONEY, AIVAT = "money", "aivat"
APART = "money, rooms apart"
"""The name of the money estimate that treats the rooms of a deal as independent hands, for comparison."""
STOPPED = "stopped before it was judged"
WIDER = (
    "aivat is wider than money here: it takes luck off by a value function, and one that expects other play than these "
    "agents' adds as much noise as it takes away; both are right on average"
)
"""The sentence for where AIVAT varies more than the money won."""
MOST_DROPPED = 0.01
"""The share of an evaluated strategy's play that may be missing in the hands; beyond it, its estimate is not to be
read."""
MOST_POINTS = 400
"""Points of a curve in the picture."""
DRAWN = (MONEY, "divat", "is", "ac", "io-divat", AIVAT)
"""The estimators in the picture, if they exist."""
DRAWN_FROM = 0.05
"""The share of the deals after which the curves begin; before it intervals are too wide to draw."""


@dataclass(frozen=True, eq=False)
class AgentJudgement:
    """What is known of one agent."""

    name: str
    strategy: str | None
    """The strategy that it is known to have followed, or None."""
    evaluated: str | None
    """The other strategy that was evaluated on its hands, or None."""
    found: Estimates = field(repr=False)
    missing: Mapping[str, str]
    """Why other estimators have no value, by name."""

    def __getitem__(self, name: str) -> AgentEstimate:
        """Return an estimate by its name, in the unit of the judgement per hand."""
        return self.found[name]

    @property
    def estimates(self) -> list[AgentEstimate]:
        """All estimates, the plain ones first."""
        return [self.found[name] for name in sorted(self.found, key=_order)]

    @property
    def recommended(self) -> AgentEstimate | None:
        """The estimate to read: the unbiased one with the narrowest interval; None if there is none.

        All unbiased estimates have the same mean in the long run, so that the choice depends on the spread and not on
        the result.
        """
        return min(self._unbiased, key=lambda one: one.ci95, default=None)

    @property
    def strayed(self) -> int:
        """Hands that it cannot have played by the strategy it is known to follow, such as those that it forfeited."""
        if self.evaluated is not None:
            return 0
        return max((int(np.isnan(one.values).sum()) for one in self.found.series.values()), default=0)

    @property
    def _unbiased(self) -> list[AgentEstimate]:
        if self.strayed:  # whatever goes by the strategy goes by another one than that which played
            return [one for one in self.estimates if one.name == MONEY and one.ci95 == one.ci95]
        return [
            one
            for one in self.estimates
            if not (one.biased or one.name == APART or one.ci95 != one.ci95 or (one.dropped or 0) > MOST_DROPPED)
        ]

    def advice(self) -> list[str]:
        """Return which estimate to read and why, sentence by sentence."""
        chosen, known = self.recommended, {one.name: one for one in self._unbiased}
        if chosen is None:
            return []
        several = len(known) > 1
        why = f"it has the narrowest interval of {len(known)} that agree in the long run" if several else "the only one"
        if self.strayed:
            why = (
                f"{self.strayed:,} hands were not played by the strategy that is known, perhaps because of forfeits, "
                "and all other estimators go by it"
            )
        told = [f"read {chosen.title}: {why}"]
        if chosen.n < FEW:
            told.append(f"{chosen.n:,} samples are too few to rely on any interval: {FEW} at least")
        if AIVAT in known and MONEY in known and known[AIVAT].ci95 > known[MONEY].ci95:
            told.append(WIDER)
        return told

    def to_json(self) -> dict[str, Any]:
        """Return the figures in the types of JSON."""
        told = {"name": self.name, "strategy": self.strategy, "evaluated": self.evaluated, "missing": self.missing}
        told |= {"recommended": None if self.recommended is None else self.recommended.name}
        answer: dict[str, Any] = plain_json(told)
        return answer | {"estimates": [plain_json(one.to_json()) for one in self.estimates]}


@dataclass(frozen=True, eq=False, kw_only=True)
class Judgement(JobResult, JsonResult):
    """The judgements of the agents in logs; figures are in `unit` per hand."""

    game: str
    unit: str
    files: list[str]
    matches: list[str]
    """Names of the matches, which may be in several files each."""
    deals: int
    hands: int
    rooms: int
    hidden: bool
    """Whether cards were hidden after a fold, or treated as hidden."""
    agents: list[AgentJudgement]
    verdicts: dict[str, VerdictTable]
    """The verdicts of every agent's matches by each estimator; empty unless asked for."""
    crosstables: dict[str, CrossTable]
    """By estimator: what agents won from each other; empty with fewer than three agents."""

    def __getitem__(self, name: str) -> AgentJudgement:
        """Return the judgement of one agent."""
        return next(agent for agent in self.agents if agent.name == name)

    def to_json(self) -> dict[str, Any]:
        """Return the figures in the types of JSON."""
        answer = {key: plain_json(value) for key, value in vars(self).items() if key not in ("agents", "crosstables")}
        answer["agents"] = [agent.to_json() for agent in self.agents]
        answer["verdicts"] = {name: table.to_json() for name, table in self.verdicts.items()}
        answer["crosstables"] = {
            name: table.to_json()
            | {
                "total_bankroll": plain_json(table.total_bankroll()),
                "instant_runoff": list(table.runoff_ranking()),
            }
            for name, table in self.crosstables.items()
        }
        return answer

    def plot(self, path: str | os.PathLike[str]) -> Path:
        """Draw the running estimates of every agent with their 95 % intervals; the file's ending says its kind."""
        parts = []
        for agent in self.agents:
            curves = {}
            for name in DRAWN:
                series = agent.found.series.get(name)
                if series is not None and len(series.values) > 1:
                    curves[name] = _curve(series, agent.found.scale)
            title = agent.name if agent.evaluated is None else f"{agent.evaluated} on the hands of {agent.name}"
            labels = {"x_label": "deals", "y_label": f"{self.unit} per hand"}
            parts.append(Panel(curves, title=title, **labels, x_scale="linear", y_scale="linear", references={"": 0.0}))
        return panels(parts, path, title=f"{brief(self.game, 60)}: {self.hands:,} hands", columns=2)


def judge(
    logs: PathLike | Sequence[PathLike],
    game: Game | str | None = None,
    *,
    known: Mapping[str, AgentLike] | None = None,
    evaluate: Mapping[str, AgentLike | None] | None = None,
    rule: VerdictRule | None = None,
    settings: JudgeSettings | None = None,
    plot: PathLike | None = None,
    processes: WorkersLike = 1,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> Judgement:
    """Return every possible estimate of the agents in one or more logs, in mbb per hand where there is a big blind.

    `known` names the strategies that agents followed; those that the logs name are made automatically. `evaluate` names
    the agents to be judged (default: all) and for each None, or another strategy that is evaluated on its hands by
    importance sampling. With a `rule` there are verdicts of every match. If some hands have cards that were not seen,
    all are judged as if cards were hidden after a fold (Johanson 2016, section 7.3.1). The result is the same for any
    number of `processes`. Ctrl-C keeps what was judged.
    """
    if plot is not None:
        check_figure(plot)
    merged = merge_logs([logs] if isinstance(logs, str | os.PathLike) else list(logs), game)
    rules, agents = merged.game, merged.agents
    wanted = dict.fromkeys(agents) if evaluate is None else dict(evaluate)
    for name in wanted:
        if name not in agents:
            raise InputError(f"{name} did not play in these hands: {', '.join(agents)} did")
    others = {name: None if one is None else make_agent(one) for name, one in wanted.items()}
    unit, _ = unit_of(rules)
    check_processes(processes)
    settings = settings or JudgeSettings()
    if merged.hidden:
        settings = replace(settings, partial=True)
    setup = HandSetup(rules, merged.records, merged.strategies, agents, dict(known or {}), others, settings)
    token, total = cancel or CancelToken(), len(merged.records)
    with as_progress(progress) as display:
        display.begin(f"{total:,} hands of {brief(game_name(rules), 40)}")
        judging = HandJudge(setup)
        plan = [] if judging.reason else setup.plan(judging.thinks)
        workers = at_most(processes, len(plan))

        def judged_from(first: int) -> Generator[dict[str, Estimates], None, None]:
            yield from map_in_order(setup.make_judge, judging.judge, iter(plan[first:]), workers, token)

        def figure(count: int) -> str:
            return f"{sum(plan[count - 1]) if count else 0:,} of {total:,} hands judged"

        done = PartsJob(len(plan), judged_from, figure, workers).run(display, token)
    found = []
    for name, other in others.items():
        blocks = [block[name] for block in done.found if name in block]
        own = _series(merged, name, other is not None, blocks)
        reason = STOPPED if done.interrupted and not blocks else judging.reason
        label = None if other is None else other.name
        found.append(_agent(name, label, judging.strategies, own, reason, settings.partial))
    verdicts = {}
    if rule is not None:
        judged_by = replace(rule, played=merged.rooms)
        verdicts = {one.name: _verdicts(merged, one, judged_by) for one in found}
    judged = Judgement(
        game=game_name(rules),
        unit=unit,
        files=[file for match in merged.matches for file in match.files],
        matches=[_title(match) for match in merged.matches],
        deals=len({record.hand for record in merged.records}),
        hands=len(merged.records),
        rooms=merged.rooms,
        hidden=settings.partial,
        agents=found,
        verdicts=verdicts,
        crosstables=_crosstables(merged, found),
        **done.spent,
    )
    if plot is not None:
        judged.plot(plot)
    return judged


def _series(merged: MergedRecord, name: str, evaluated: bool, parts: Sequence[Estimates]) -> Estimates:
    """Return all estimates of one agent from those of blocks of hands; after Ctrl-C perhaps the money alone."""
    unit, scale = unit_of(merged.game)
    series = join_series([part.series for part in parts])
    if not evaluated:
        money = _money(merged, name)
        series = {MONEY: money, **({APART: _apart(money)} if merged.rooms > 1 else {})} | {
            key: one for key, one in series.items() if key != MONEY
        }
    return Estimates(name, game_name(merged.game), unit, scale, series)


def _money(merged: MergedRecord, name: str) -> Series:
    """Return what an agent won, hand by hand."""
    own = [record for record in merged.records if name in record.agents]
    values = [record.payoffs[record.agents.index(name)] for record in own]
    hand, room = ([getattr(record, key) for record in own] for key in ("hand", "room"))
    return Series(MONEY, "money", np.array(hand), np.array(room), np.array(values, dtype=float))


def _apart(money: Series) -> Series:
    """Return the money with every room of a deal as a sample of its own."""
    note = "takes the rooms of a deal for independent hands, which they are not: for comparison"
    return Series(APART, APART, np.arange(len(money.values)), money.room, money.values, notes=(note,))


def _agent(
    name: str,
    other: str | None,
    strategies: KnownStrategies,
    found: Estimates,
    reason: str,
    partial: bool,
) -> AgentJudgement:
    missing = _missing(name, strategies, found, reason, other is not None, partial)
    return AgentJudgement(name, strategies.labels.get(name), other, found, missing)


def _missing(
    name: str, strategies: KnownStrategies, found: Estimates, reason: str, off_policy: bool, partial: bool
) -> dict[str, str]:
    """Return why estimators that might be expected have no value."""
    said = dict(found.missing)
    unknown = strategies.reasons.get(name)
    hidden = "cards were hidden after a fold" if partial else ""
    luck = reason or hidden or "needs bets, rounds and a showdown to measure luck by"
    own = reason or (f"needs the strategy of {name}: {unknown}" if unknown else luck)
    reasons = {"divat": luck, "bc-divat": luck, "ac": own, "ac+ge": hidden or own, "io-divat": hidden or own}
    reasons[AIVAT] = reason or hidden or f"needs the strategy of some agent; of {name} {unknown}"
    if off_policy:
        reasons = {"is": own}
    for key, why in reasons.items():
        if key not in found.series:
            said.setdefault(key, why)
    return said


def _verdicts(merged: MergedRecord, agent: AgentJudgement, rule: VerdictRule) -> VerdictTable:
    """Return the verdicts of every match by each estimator; without a big blind the margin is in the game's own
    unit."""
    scale = agent.found.scale * (1 if agent.found.unit == "mbb" else 1000)
    scores: dict[str, list[MatchScore | None]] = {}
    for name, series in agent.found.series.items():
        if name == APART:
            continue
        deals, values = series.by_deal()
        row: list[MatchScore | None] = []
        for match in merged.matches:
            inside = values[(deals >= match.first) & (deals < match.end)] * scale
            tally = Tally.of(inside.tolist())
            row.append(MatchScore.of(tally) if tally.count > 1 else None)
        scores[name] = row
    return verdict_table([_title(match) for match in merged.matches], scores, rule)


def _crosstables(merged: MergedRecord, agents: Sequence[AgentJudgement]) -> dict[str, CrossTable]:
    """Return what agents won from each other by money, and by AIVAT if all of them have it."""
    if merged.game.players != 2 or len(agents) < 3:
        return {}
    unit, scale = unit_of(merged.game)
    opponent = {(record.hand, record.room): record.agents for record in merged.records}
    tables = {}
    for key in (MONEY, AIVAT):
        if any(key not in agent.found.series for agent in agents):
            continue
        pairs: dict[tuple[str, str], Tally] = {}
        for agent in agents:
            series = agent.found.series[key]
            met = [
                next((other for other in opponent[at] if other != agent.name), agent.name)
                for at in zip(series.hand.tolist(), series.room.tolist(), strict=True)
            ]
            for other in dict.fromkeys(met):
                own = np.array([one == other for one in met])
                part = Series(key, key, series.hand[own], series.room[own], series.values[own])
                pairs[agent.name, other] = Tally.of(part.by_deal()[1].tolist())
        tables[key] = CrossTable.of_tallies(pairs, scale, unit)
    return tables


def _order(name: str) -> tuple[int, int]:
    """Return the place of an estimator in a table: money first, then estimators that remove more luck."""
    first = (MONEY, APART, "all-in", "divat", "bc-divat", "is")
    if name in first:
        return 0, first.index(name)
    return (2, 0) if name == AIVAT else (1, 0)


def _title(match: LoggedMatch) -> str:
    return " + ".join(Path(file).stem for file in match.files)


def _curve(series: Series, scale: float) -> Curve:
    """Return the running mean and its interval."""
    count, mean, half = series.running()
    first = min(max(int(DRAWN_FROM * len(count)), 10), len(count) - 1)
    places = np.unique(np.linspace(first, len(count) - 1, MOST_POINTS).astype(int))
    x, y, spread = count[places].tolist(), scale * mean[places], scale * half[places]
    return Curve(x, y.tolist(), band=((y - spread).tolist(), (y + spread).tolist()))

"""`counterpoise judge`: what logs of hands say about the agents in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.text import Text

from counterpoise.cli.app import MISSED, command
from counterpoise.cli.options import (
    JSON,
    WorkerOptions,
    argument,
    check_results,
    command_progress,
    flag,
    option,
    real_number,
)
from counterpoise.cli.output import console, number, print_json, table
from counterpoise.errors import InputError
from counterpoise.games.base import brief

if TYPE_CHECKING:
    from counterpoise.evaluation import AgentJudgement, Judgement


@command(
    """
    judge hands.jsonl --plot judged.png
    judge match.log --game "limit_holdem(blinds=[5, 10])" --known bot=strategy:bot.cpz
    judge room1.log room2.log --game limit_holdem --verdict
    judge hands.jsonl --agent random=probe
    """
)
def judge(
    workers: WorkerOptions,
    logs: list[Path] = argument("LOG...", "Logs of one game: .log (ACPC), .phhs or .jsonl.", required=True),
    game: str | None = option("--game GAME", "What logs of other programs are of; ours say it."),
    agent: list[str] | None = option(
        "--agent NAME[=AGENT]",
        "Judge only NAME, or evaluate AGENT on the hands of NAME by importance sampling. May be repeated.",
    ),
    known: list[str] | None = option(
        "--known NAME=AGENT", "NAME followed the strategy of AGENT, as in bot=strategy:bot.cpz. May be repeated."
    ),
    verdict: bool = flag("--verdict", "Say who won every match: by a margin, and by a one-sided test."),
    margin: float | None = option("--margin BB", "Big blinds that win a match. Default: 25.", real_number),
    rooms: str = option(
        "--rooms sum|mean", "How the rooms of a duplicate match make a score. Default: sum.", default="sum"
    ),
    partial: bool = flag("--partial", "Judge as if cards were hidden after a fold, even if the log has them."),
    plot: Path | None = option("--plot FILE", "Draw the running estimates with intervals (.png, .svg or .pdf)."),
    json: bool = JSON,
) -> None:
    """Judge the agents in LOGs by every estimator that the hands allow, side by side.

    Several files are one record; files with the same cards and exchanged seats are rooms of one duplicate match. Our
    own logs say which strategies were followed, and those that can be made again are used. Below each table it says
    which estimator to read: the narrowest of those that are not biased. Exit code 0 = done, 1 = interrupted, 2 = wrong
    input.
    """
    from counterpoise.evaluation.estimators import JudgeSettings
    from counterpoise.evaluation.judging.judge import judge as judge_logs
    from counterpoise.evaluation.verdicts import MARGIN, VerdictRule

    check_results(plot)
    rule = VerdictRule(MARGIN if margin is None else margin, rooms)  # type: ignore[arg-type]
    named = _pairs("--known", known or (), needs_agent=True)
    wanted = _pairs("--agent", agent or ())
    with workers.open() as processes:
        found = judge_logs(
            list(logs),
            game,
            known={name: str(one) for name, one in named.items()},
            evaluate=dict(wanted) if wanted else None,
            rule=rule if verdict else None,
            settings=JudgeSettings(partial=partial),
            plot=plot,
            processes=processes,
            progress=command_progress(json, show_eta=True),
        )
    if json:
        print_json(found.to_json())
    else:
        _print_result(found, plot)
    if found.interrupted:
        raise typer.Exit(MISSED)


def _pairs(name: str, words: Sequence[str], needs_agent: bool = False) -> dict[str, str | None]:
    """Return names and agents of an option that is written NAME=AGENT."""
    found: dict[str, str | None] = {}
    for word in words:
        own, sign, other = word.partition("=")
        if not own or (sign and not other) or (needs_agent and not sign):
            raise InputError(f"{name} must be NAME=AGENT{'' if needs_agent else ' or NAME'}, not {word!r}")
        if own in found:
            raise InputError(f"{name} names {own} twice")
        found[own] = other or None
    return found


def _print_result(found: Judgement, plot: Path | None) -> None:
    screen = console()
    rooms = f" in up to {found.rooms} rooms" if found.rooms > 1 else ""
    hidden = " · cards hidden after a fold" if found.hidden else ""
    title = f"{brief(found.game)} · {found.deals:,} deals{rooms} · {found.hands:,} hands{hidden}"
    screen.print(Text(title, style="bold"))
    for agent in found.agents:
        screen.print()
        _print_agent(found, agent)
    for name, cross in found.crosstables.items():
        screen.print()
        screen.print(Text(f"who won what from whom, by {name} ({found.unit} per hand)", style="bold"))
        heads, rows = cross.cells()
        screen.print(table(heads, rows, numbers=range(1, len(heads))))
        order = " > ".join(f"{one.name}{' (or tied)' if one.tied else ''}" for one in cross.total_bankroll())
        screen.print(f"  total bankroll: {order}", markup=False)
        screen.print(f"  instant run-off: {' > '.join(cross.runoff_ranking())}", markup=False)
    if found.interrupted:
        screen.print("  stopped by Ctrl-C: estimates are of the hands before it", markup=False)
    if plot is not None:
        screen.print(f"  running estimates in {plot}", markup=False)


def _print_agent(found: Judgement, agent: AgentJudgement) -> None:
    screen = console()
    followed = f"followed {agent.strategy}" if agent.strategy is not None else "strategy not known"
    who = f"{agent.name} · {followed}"
    if agent.evaluated is not None:
        who = f"{agent.evaluated}, evaluated on the hands of {agent.name} · {followed}"
    screen.print(Text(who, style="bold"))
    rows, notes = [], dict[str, str]()
    for one in agent.estimates:
        extra = "biased" if one.biased else ""
        if one.effective is not None:
            extra = f"{extra + ', ' if extra else ''}counts as {one.effective:,.0f} hands"
        for note in one.notes:
            notes.setdefault(note, one.name)
        figures = [f"{one.mean:+.4g}", f"± {number(one.ci95)}", number(one.sd), f"{one.n:,}", f"{one.hands:,}"]
        rows.append([one.title, *figures, extra])
    heads = ["estimator", f"{found.unit} per hand", "95 %", "SD of a sample", "samples", "hands", ""]
    screen.print(table(heads, rows, numbers=range(1, 6)))
    for sentence in agent.advice():
        screen.print(f"  {sentence}", markup=False)
    for note, name in notes.items():
        screen.print(f"  {name}: {note}", markup=False)
    for why in dict.fromkeys(agent.missing.values()):
        names = ", ".join(name for name, reason in agent.missing.items() if reason == why)
        screen.print(f"  no {names}: {why}", style="dim", markup=False)
    if agent.name in found.verdicts:
        heads, cells = found.verdicts[agent.name].cells()
        screen.print(table(heads, cells, numbers=range(1, len(heads))))

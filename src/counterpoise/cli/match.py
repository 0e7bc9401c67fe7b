"""`counterpoise match`: agents against each other, over many hands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from counterpoise.cli.app import MISSED, command
from counterpoise.cli.options import (
    FAST,
    JSON,
    SEED,
    WorkerOptions,
    argument,
    check_results,
    command_progress,
    flag,
    option,
    real_number,
    whole_number,
)
from counterpoise.cli.output import console, print_json, print_summary

if TYPE_CHECKING:
    from counterpoise.play import MatchResult

GAME = option(
    "--game GAME",
    "A name from [bold]counterpoise games[/], or the file of a spot or of its solution. Default: that of the first "
    "saved strategy, else no_limit_holdem.",
)
DEFAULT_GAME = "no_limit_holdem"


@dataclass(frozen=True)
class MatchLimitOptions:
    """When a match ends before its last hand, and how long agents may think."""

    precision: float | None = option(
        "--precision X", "Stop when the 95 % interval of every agent is within X to each side.", real_number
    )
    stop: str = option(
        "--stop RULE",
        "width: the ordinary interval is within X. valid: one that holds however often one looks. decided: as soon as "
        "that one leaves out 0. Default: width.",
        default="width",
    )
    decision_seconds: float | None = option("--decision-seconds S", "Time limit of a decision.", real_number)
    hand_seconds: float | None = option("--hand-seconds S", "Time limit of an agent per hand.", real_number)
    match_seconds: float | None = option("--match-seconds S", "Time limit of an agent per match.", real_number)

    @property
    def show_eta(self) -> bool:
        """Whether progress is even enough to tell the time left."""
        return self.precision is None and self.stop == "width"


@command(
    """
    match always-call probe --game limit_holdem --hands 10000 --duplicate
    match strategy:leduc.cpz random --game leduc_poker --duplicate --precision 0.01 --hands 1000000
    match random probe always-call --game "no_limit_holdem(seats=3)" --hands 2000 --log hands.phhs
    match strategy:a.cpz strategy:b.cpz --hands 100000 --resume match.jsonl
    match spot:turn.cpz always-call --hands 5000 --duplicate
    match blueprint:holdem.cpz random --hands 1000000 --duplicate
    """
)
def match(
    *,
    agents: list[str] = argument(
        "AGENT...", "Names from [bold]counterpoise agents[/], one for each seat.", required=True
    ),
    game: str | None = GAME,
    hands: int | None = option("--hands N", "Deals to play. Default: 1000.", whole_number),
    seed: int | None = SEED,
    duplicate: bool = flag(
        "--duplicate",
        "Play every deal once for every way to seat the agents (above four seats: for every rotation).",
    ),
    limits: MatchLimitOptions,
    workers: WorkerOptions,
    log: Path | None = option("--log FILE", "Write every hand: .log (ACPC), .phhs (PHH) or .jsonl (any game)."),
    resume: Path | None = option(
        "--resume FILE", "Keep the result here block by block, and continue it if the file is there already."
    ),
    aivat: bool = flag(
        "--aivat",
        "Also say what each won without the luck of cards and of agents whose strategy is known. On anyway where a "
        "compiled kernel plays.",
    ),
    fast: bool = FAST,
    json: bool = JSON,
) -> None:
    """Let AGENTs play a match, and say what each wins per hand, with a 95 % interval.

    The unit is mbb (thousandths of a big blind) where the game has one, else the game's own. An agent that raises an
    error, acts illegally or is late folds that hand and is reported. Ctrl-C keeps what has been played. Exit code 0 =
    done, 1 = interrupted or the precision was not reached, 2 = wrong input.
    """
    from counterpoise.agents.make import home_game, make_agent, with_fast_search
    from counterpoise.play.match import DEFAULT_HANDS, match as play_match

    check_results(None, log=log, resume=resume)
    players = [(with_fast_search if fast else make_agent)(name) for name in agents]
    with workers.open() as processes:
        found = play_match(
            game or home_game(players, DEFAULT_GAME),
            players,
            DEFAULT_HANDS if hands is None else hands,
            seed=seed or 0,
            duplicate=duplicate,
            processes=processes,
            log=log,
            resume=resume,
            aivat=True if aivat else None,
            progress=command_progress(json, show_eta=limits.show_eta),
            **vars(limits),
        )
    if json:
        print_json(found.to_json())
    else:
        _print_result(found, resume, aivat)
    if not found.reached or found.interrupted:
        raise typer.Exit(MISSED)


def _print_result(found: MatchResult, resume: Path | None, aivat: bool) -> None:
    print_summary(found.summary())
    screen = console()
    if aivat and found.agents[0].aivat_mean is None:
        screen.print("  no AIVAT: some bets were outside the menu of the game, which is enumerated", markup=False)
    if found.interrupted:
        hint = f"; --resume {resume} continues from here" if resume is not None else ""
        screen.print(f"  {found.ended}{hint}", markup=False)
    elif not found.reached:
        missed = "nobody is ahead for sure" if found.stop == "decided" else "the precision was not reached"
        screen.print(f"  {missed}", markup=False)
    if found.resumed:
        screen.print(f"  {found.resumed:,} of the deals were kept in {resume}", markup=False)
    if found.log is not None:
        screen.print(f"  hands in {found.log}", markup=False)

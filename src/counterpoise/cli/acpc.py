"""`counterpoise acpc dealer`, `play` and `game`: matches over TCP by the protocol of the computer poker competition."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from counterpoise.cli.app import MISSED, command, complain
from counterpoise.cli.options import (
    FAST,
    JSON,
    SEED,
    argument,
    check_results,
    command_progress,
    flag,
    option,
    real_number,
    whole_number,
)
from counterpoise.cli.output import console, number, print_json, table
from counterpoise.errors import InputError
from counterpoise.parameters import shown

if TYPE_CHECKING:
    from counterpoise.acpc import ClientResult, DealerResult


@dataclass(frozen=True)
class DealerOptions:
    """What the dealer puts up with."""

    response_seconds: float | None = option("--t-response S", "Most seconds for a response. Default: 600.", real_number)
    hand_seconds: float | None = option("--t-hand S", "Most seconds of a player for a hand. Default: 600.", real_number)
    average_seconds: float | None = option(
        "--t-per-hand S", "Most seconds of a player per hand, on average over the match. Default: 7.", real_number
    )
    start_seconds: float | None = option(
        "--start-timeout S", "Wait so long for all players to connect. Default: without end.", real_number
    )
    rejoin_seconds: float | None = option(
        "--rejoin S", "Wait so long at every hand for a player that is gone to connect again. Default: 0.", real_number
    )
    max_invalid: int | None = option(
        "--max-invalid N",
        "Invalid actions of a player that become calls; after that each forfeits a hand. Default: any number.",
        whole_number,
    )
    strict: bool = flag("--strict", "End the match where a player would forfeit a hand, as the original dealer does.")

    @property
    def given(self) -> dict[str, Any]:
        """What was said, by the fields of `DealerLimits`."""
        return {name: limit for name, limit in vars(self).items() if limit is not None}


@command(
    """
    acpc dealer holdem.limit.2p.reverse_blinds.game 3000 0 alice bob --ports 18791,18374 --log match.log
    acpc dealer "no_limit_holdem(seats=3)" 1000 7 a b c --t-response 10 --t-per-hand 6
    """
)
def acpc_dealer(
    *,
    game: str = argument("GAME", "A .game file, or hold'em from [bold]counterpoise games[/].", required=True),
    hands: str = argument("HANDS", "Hands to play.", required=True),
    seed: str = argument("SEED", "Seed of the cards.", required=True),
    names: list[str] = argument("NAME...", "What to call the players, one for each seat.", required=True),
    ports: str | None = option("--ports P,P", "Where the players connect, in order. Default: any that are free."),
    host: str | None = option("--host HOST", "The address to listen at. Default: 127.0.0.1, this machine only."),
    limits: DealerOptions,
    log: Path | None = option("--log FILE", "Write every hand: .log (ACPC), .phhs (PHH) or .jsonl."),
    resume: Path | None = option(
        "--resume FILE", "Keep the result here hand by hand, and continue it if the file is there already."
    ),
    json: bool = JSON,
) -> None:
    """Deal a match of GAME between programs that connect over TCP (ACPC protocol 2.0.0).

    The ports are printed first, the score last, as the original dealer does. A player that is late, floods or vanishes
    forfeits the hand and may connect again; an invalid action becomes a call. Ctrl-C keeps what has been played. Exit
    code 0 = all hands were played, 1 = the match ended early, 2 = wrong input.
    """
    from counterpoise.acpc.dealer import HOST, DealerLimits, deal_match

    def tell_ports(found: list[int]) -> None:
        print(*found, file=sys.stderr if json else sys.stdout, flush=True)

    check_results(None, log=log, resume=resume)
    found = deal_match(
        game,
        _whole("HANDS", hands),
        _whole("SEED", seed),
        names,
        ports=None if ports is None else [_whole("--ports", port) for port in ports.split(",")],
        host=HOST if host is None else host,
        limits=DealerLimits(**limits.given),
        log=log,
        resume=resume,
        ready=tell_ports,
        progress=command_progress(json),
    )
    if json:
        print_json(found.to_json())
    else:
        _print_match(found)
    if not found.finished:
        raise typer.Exit(complain(f"the match ended after {found.match.hands} hands: {found.match.ended}", MISSED))


@command(
    """
    acpc play probe 127.0.0.1 18791 --game holdem.limit.2p.reverse_blinds.game
    acpc play strategy:mine.cpz localhost 18374 --game no_limit_holdem --log mine.phhs
    """
)
def acpc_play(
    agent: str = argument("AGENT", "A name from [bold]counterpoise agents[/].", required=True),
    host: str = argument("HOST", "Where the dealer is.", required=True),
    port: str = argument("PORT", "The port of our seat.", required=True),
    game: str = option(
        "--game GAME",
        "A .game file, or hold'em from [bold]counterpoise games[/]. Default: no_limit_holdem.",
        default="no_limit_holdem",
    ),
    hands: int | None = option(
        "--hands N", "How many hands the match has. Default: until the dealer ends it.", whole_number
    ),
    seed: int | None = SEED,
    log: Path | None = option("--log FILE", "Write every hand as the agent saw it: .log, .phhs or .jsonl."),
    connect_seconds: float | None = option(
        "--connect-timeout S", "Try to connect for so long. Default: 10.", real_number
    ),
    patience_seconds: float | None = option(
        "--patience S", "Leave a dealer that is silent for so long. Default: 3600.", real_number
    ),
    fast: bool = FAST,
    json: bool = JSON,
) -> None:
    """Let AGENT play at a dealer that speaks the ACPC protocol 2.0.0, ours or the original.

    Exit code 0 = the dealer ended the match between two hands, 1 = it ended early or the dealer vanished, 2 = wrong
    input.
    """
    from counterpoise.acpc.client import CONNECT_SECONDS, PATIENCE_SECONDS, play_at
    from counterpoise.agents.make import with_fast_search

    found = play_at(
        game,
        with_fast_search(agent) if fast else agent,
        host,
        _whole("PORT", port),
        hands=hands,
        seed=seed or 0,
        log=log,
        connect_seconds=CONNECT_SECONDS if connect_seconds is None else connect_seconds,
        patience_seconds=PATIENCE_SECONDS if patience_seconds is None else patience_seconds,
        progress=command_progress(json),
    )
    if json:
        print_json(found.to_json())
    else:
        _print_client(found)
    if found.ended:
        raise typer.Exit(complain(found.ended, MISSED))


@command(
    """
    acpc game "limit_holdem(blinds=[5, 10])" --out holdem.limit.2p.game
    acpc game holdem.nolimit.3p.game
    """
)
def acpc_game(
    game: str = argument("GAME", "Hold'em from [bold]counterpoise games[/], or a .game file to check.", required=True),
    out: Path | None = option("--out FILE", "Write the definition here; the name ends in .game."),
    json: bool = JSON,
) -> None:
    """Print GAME as a game definition of the competition, which its programs read.

    A .game file is read, checked and printed as Counterpoise understands it.
    """
    from counterpoise.acpc.gamefile import ENDING, format_game, load_rules
    from counterpoise.store.files import atomic_write

    rules = load_rules(game)
    text = format_game(rules)
    if out is not None:
        if out.suffix.lower() != ENDING:
            raise InputError(f"--out must name a file ending in {ENDING}, not {out}")
        with atomic_write(out) as file:
            file.write(text.encode())
    if json:
        print_json({"game": rules.name, "definition": text, "out": None if out is None else str(out)})
    elif out is None:
        print(text, end="")
    else:
        print(f"{rules.name} in {out}")


def _whole(field: str, text: str) -> int:
    try:
        return whole_number(text)
    except InputError:
        raise InputError(f"{field} must be a whole number, not {shown(text)}") from None


def _print_match(found: DealerResult) -> None:
    screen = console()
    heads = ["player", "chips", f"{found.match.unit} per hand", "95 %", "forfeits", "invalid", "ignored", "lost"]
    rows = [
        [
            agent.name,
            f"{chips:+,.10g}",
            f"{agent.mean:+.4g}",
            f"± {number(agent.ci95)}",
            f"{sum(agent.forfeits.values()):,}",
            f"{seat.invalid_actions:,}",
            f"{seat.ignored_lines:,}",
            f"{seat.lost:,}",
        ]
        for agent, seat, chips in zip(found.match.agents, found.seats, found.chips, strict=True)
    ]
    screen.print(table(heads, rows, numbers=range(1, len(heads))))
    for agent in found.match.agents:
        if agent.first_fault:
            screen.print(f"  {agent.name} forfeited first because: {agent.first_fault}", style="yellow", markup=False)
    screen.print(found.score, markup=False)


def _print_client(found: ClientResult) -> None:
    screen = console()
    screen.print(f"{found.agent} at {found.host}:{found.port}, {found.game}", style="bold", markup=False)
    if found.mean is None:
        screen.print("  no hand was finished", markup=False)
    else:
        interval = "" if found.ci95 is None else f" ± {number(found.ci95)}"
        screen.print(f"  {found.hands:,} hands, {found.mean:+.4g}{interval} {found.unit} per hand", markup=False)
    if found.first_fault:
        screen.print(f"  it forfeited first because: {found.first_fault}", style="yellow", markup=False)
    if found.log is not None:
        screen.print(f"  hands in {found.log}", markup=False)

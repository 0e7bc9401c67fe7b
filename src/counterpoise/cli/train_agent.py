"""`counterpoise train-agent`: what whole players need before they can sit down."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal

import typer

from counterpoise.cli.app import MISSED, command
from counterpoise.cli.options import JSON, WorkerOptions, argument, command_progress, option, refuse
from counterpoise.cli.output import console, print_facts, print_json
from counterpoise.errors import InputError
from counterpoise.progress import cancel_on_interrupt, duration, memory_size


@command(
    """
    train-agent tartanian7 --out t7
    train-agent baby-tartanian8 --tier mini --out bt8
    train-agent polaris-2008 --out p8
    train-agent modicum --network --out m
    match tartanian7:t7 baby-tartanian8:bt8 --hands 1000 --duplicate
    """
)
def train_agent(
    who: WorkerOptions,
    agent: str = argument("AGENT", "An agent from [bold]counterpoise agents[/] that has a recipe.", required=True),
    tier: Literal["smoke", "mini", "full-mini", "full"] = option(
        "--tier",
        "How long: under a minute, up to 20 minutes, up to 4 hours; full, for Polaris, is the published game and takes "
        "a day or two.",
        default="smoke",
    ),
    out: Path | None = option(
        "--out -o FOLDER", "Where its files are written; it follows the agent's name: AGENT:FOLDER."
    ),
    network: bool = option(
        "--network",
        "For modicum: also train networks of leaf values, for modicum:FOLDER(leaves=network). If --out is the file of "
        "a blueprint, only these, beside it. Needs the extra \\[deep].",
        default=False,
    ),
    json: bool = JSON,
) -> None:
    """Train what AGENT needs, by the recipe in its settings: the same files from the same tier everywhere.

    Ctrl-C keeps what has been found, and the same command continues; so does it after the process was killed. Exit code
    0 = done, 1 = interrupted, 2 = wrong input.
    """
    from counterpoise.agents import AGENTS
    from counterpoise.agents.leaf_networks import networks_path, train_leaf_networks_by_recipe
    from counterpoise.agents.recipes import trained_agents
    from counterpoise.deep.jax import require_jax

    if agent not in trained_agents():
        raise InputError(f"AGENT must be one with a recipe, {', '.join(trained_agents())}, not {agent!r}")
    if out is None:
        raise InputError("--out is missing: name a folder")
    if network and agent != "modicum":
        raise InputError(f"--network is for modicum, not for {agent}")
    if network:
        require_jax()
    began, only_network = time.monotonic(), network and out.is_file()
    if out.is_file() and not only_network:
        raise InputError(f"--out must name a folder, and {out} is a file")
    with cancel_on_interrupt() as cancel:
        if only_network:
            refuse("networks of leaf values are trained in one process", who)
        else:
            with who.open() as processes:
                given = processes if who.given else None
                AGENTS[agent].train(out, tier, command_progress(json), cancel=cancel, processes=given)
        if network and not cancel.cancelled:
            train_leaf_networks_by_recipe(str(out), tier, command_progress(json), cancel)
    kept = [networks_path(str(out))] if only_network else sorted(out.glob("*.cpz"))
    files = {file.name: file.stat().st_size for file in kept if file.is_file() and ".training." not in file.name}
    seconds = time.monotonic() - began
    if json:
        print_json(
            {
                "agent": agent,
                "tier": tier,
                "folder": out.parent if only_network else out,
                "files": files,
                "interrupted": cancel.cancelled,
                "seconds": seconds,
            }
        )
    else:
        lines = [(name, memory_size(size)) for name, size in files.items()]
        name = f"{agent}:{out}" + ("(leaves=network)" if network else "")
        print_facts((agent, tier), [*lines, ("time", duration(seconds)), ("plays as", name)])
        if cancel.cancelled:
            console().print("Stopped by Ctrl-C before the recipe was done; the same command continues.", markup=False)
    if cancel.cancelled:
        raise typer.Exit(MISSED)

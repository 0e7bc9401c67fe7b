"""`counterpoise improve`: the self-improver of Libratus, a night at a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from counterpoise.cli.app import MISSED, command
from counterpoise.cli.options import (
    JSON,
    SEED,
    argument,
    check_spot_out,
    command_progress,
    option,
    whole_number,
)
from counterpoise.cli.output import console, print_facts, print_json, table
from counterpoise.errors import InputError

if TYPE_CHECKING:
    from counterpoise.blueprint.self_improver import ImprovementResult


@command(
    """
    improve hunl.cpz day1.jsonl --out branches.cpz
    improve hunl.cpz day2.jsonl --branches branches.cpz --out branches.cpz
    improve hunl.cpz match.log --agent bot --hands 2000000 --out branches.cpz --json
    """
)
def improve(
    blueprint: Path = argument("BLUEPRINT", "A blueprint of no-limit hold'em for two seats.", required=True),
    logs: list[Path] = argument("LOG...", "Logs of a day: .log (ACPC), .phhs or .jsonl.", required=True),
    out: Path | None = option("--out -o FILE", "The branches (.cpz), those of --branches included."),
    branches: Path | None = option("--branches FILE", "Branches of earlier nights."),
    agent: list[str] | None = option(
        "--agent NAME", "Our own agent in the logs. Default: who followed BLUEPRINT. May be repeated."
    ),
    hands: int | None = option("--hands N", "Dealt hands of each solve. Default: 500,000.", whole_number),
    threads: int | None = option(
        "--threads N", "Default: all cores. The result is the same for any number.", whole_number
    ),
    seed: int | None = SEED,
    json: bool = JSON,
) -> None:
    """Fill the holes of BLUEPRINT that opponents used in LOGs: bets of the first round that it lacks.

    The two gaps between sizes in which most was bet get an answer to their midpoint, and the most common bet one that
    is used only while the opponent repeats it. [bold]libratus:BLUEPRINT(branches=FILE)[/] plays them. Exit code 0 =
    done, 1 = interrupted, 2 = wrong input.
    """
    from counterpoise.blueprint import load_blueprint
    from counterpoise.blueprint.branches import load_branches
    from counterpoise.blueprint.self_improver import ImproverSettings, improve as improve_blueprint

    if out is None:
        raise InputError("--out FILE is missing: it names the file for the branches, as in --out branches.cpz")
    check_spot_out(out, blueprint)
    given = {name: value for name, value in (("hands", hands), ("seed", seed)) if value is not None}
    settings, known = ImproverSettings(**given), load_blueprint(blueprint)
    found = improve_blueprint(
        known,
        list(logs),
        branches=None if branches is None else load_branches(branches, known),
        ours=agent or None,
        settings=settings,
        threads=threads,
        progress=command_progress(json, show_eta=True),
    )
    found.branches.save(out)
    if json:
        print_json(found.to_json() | {"out": out})
    else:
        _print_result(found, out)
    if found.interrupted:
        raise typer.Exit(MISSED)


def _print_result(found: ImprovementResult, out: Path) -> None:
    lines = [
        ("bets", f"{found.bets:,} of opponents in the first round"),
        ("distance", f"{found.distance:.4g} pots from known sizes, {found.distance_after:.4g} with the new branches"),
        ("branches", f"{len(found.branches.every)}, of which {len(found.solved)} are new"),
        ("saved to", str(out)),
    ]
    print_facts((found.branches.blueprint.game.name, "self-improver"), lines)
    rows = [
        (
            one.kind,
            ":".join(one.line) or "the deal",
            f"{one.size:.3f}",
            f"{one.total:,}",
            "" if one.control is None else f"{one.control:,}",
            "used" if one.kind == "defensive" or one.armed else "not used: the last bets differ",
        )
        for one in found.solved
    ]
    if rows:
        heads = ("answer", "after", "pots", "chips", "control", "")
        console().print(table(heads, rows, numbers=(2, 3, 4)))
